// softmax(x)[i] = exp(x[i]) / sum_j exp(x[j]), along one dim, and its logarithm.
//
//   softmax:      dx = y (dy - sum(dy y)),         because  dy[i]/dx[j] = y[i] ([i = j] - y[j])
//   log_softmax:  dx = dy - exp(y) sum(dy),        because  dy[i]/dx[j] = [i = j] - exp(y[j])

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// The largest is subtracted first, so that exp cannot overflow; the quotient is the same.
template <typename T, typename Form>
void softmax_lanes(const T* x, T* y, const Lanes& lanes, Form form) {
  const int64_t n = lanes.n;
  for_each_lane(
      lanes, [=](int64_t start) { return largest_of(x + start, n); },
      [=](int64_t start, T largest) {
        for (int64_t i = start; i < start + n; ++i) y[i] = fast_exp(form, x[i] - largest);
      });
  for_each_lane(
      lanes, [=](int64_t start) { return factor_of(y + start, n); },
      [=](int64_t start, T factor) {
        for (int64_t i = start; i < start + n; ++i) y[i] *= factor;
      });
}

template <typename T, typename Form>
void log_softmax_lanes(const T* x, T* y, const Lanes& lanes, Form form) {
  Shift<T> shifts[Lanes::kMost];
  find_shifts(x, lanes, shifts, form);
  for (int64_t l = 0; l < lanes.count; ++l)
    for (int64_t i = l * lanes.apart; i < l * lanes.apart + lanes.n; ++i)
      y[i] = shifts[l].log_probability(x[i]);
}

template <typename T>
void softmax_backward_lanes(const T* y, const T* dy, T* dx, const Lanes& lanes) {
  const int64_t n = lanes.n;
  for_each_lane(
      lanes,
      [=](int64_t start) {
        return static_cast<T>(sum_lane<T>(n, [=](int64_t i) { return dy[start + i] * y[start + i]; }));
      },
      [=](int64_t start, T dot) {
        for (int64_t i = start; i < start + n; ++i) dx[i] = y[i] * (dy[i] - dot);
      });
}

template <typename T, typename Form>
void log_softmax_backward_lanes(const T* y, const T* dy, T* dx, const Lanes& lanes, Form form) {
  const int64_t n = lanes.n;
  for_each_lane(
      lanes,
      [=](int64_t start) { return static_cast<T>(sum_lane<T>(n, [=](int64_t i) { return dy[start + i]; })); },
      [=](int64_t start, T total) {
        for (int64_t i = start; i < start + n; ++i) dx[i] = dy[i] - fast_exp(form, y[i]) * total;
      });
}

enum class SoftmaxForm { Plain, Logarithm };

// PyTorch names its kernels in the refusal of a type.
const char* kernel_name(const Tensor& x, int64_t dim, SoftmaxForm form) {
  if (x.dim() > 0 && dim != x.dim() - 1) return "softmax_kernel_impl";
  return form == SoftmaxForm::Plain ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl";
}

Tensor forward(const Tensor& self, int64_t dim, SoftmaxForm form) {
  if (isReducedFloatingType(self.scalar_type()))
    return as_type(forward(widened(self), dim, form), self.scalar_type());
  const Tensor x = self.contiguous();
  Tensor y = make_tensor(x.sizes(), x.scalar_type());
  if (x.numel() == 0) return y;
  dispatch_floating(kernel_name(x, dim, form), x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const auto make = [&](const auto& of_lane) {
      for_each_packed_lane<T, 1>({impl(x).data<T>()}, impl(y).data<T>(), impl(x).sizes, dim, of_lane);
    };
    if (form == SoftmaxForm::Plain)
      make([](auto f, const auto& in, T* out, const Lanes& lanes) { softmax_lanes(in[0], out, lanes, f); });
    else
      make([](auto f, const auto& in, T* out, const Lanes& lanes) {
        log_softmax_lanes(in[0], out, lanes, f);
      });
  });
  return y;
}

// Of ops if it may be differentiated again, else by the kernel.
Tensor backward(const Tensor& y, const Tensor& gradient, int64_t dim, SoftmaxForm form) {
  if (recording({y, gradient})) {
    if (form == SoftmaxForm::Logarithm) return gradient - exp(y) * gradient.sum(dim, true);
    return y * (gradient - (gradient * y).sum(dim, true));
  }
  const Tensor dy = gradient.contiguous();
  Tensor dx = make_tensor(y.sizes(), y.scalar_type());
  if (y.numel() == 0) return dx;
  dispatch_floating("softmax_backward", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const auto make = [&](const auto& of_lane) {
      for_each_packed_lane<T, 2>({impl(y).data<T>(), impl(dy).data<T>()}, impl(dx).data<T>(), impl(y).sizes,
                                 dim, of_lane);
    };
    if (form == SoftmaxForm::Plain)
      make([](auto, const auto& in, T* out, const Lanes& lanes) {
        softmax_backward_lanes(in[0], in[1], out, lanes);
      });
    else
      make([](auto f, const auto& in, T* out, const Lanes& lanes) {
        log_softmax_backward_lanes(in[0], in[1], out, lanes, f);
      });
  });
  return dx;
}

Tensor along(const char* node, const Tensor& self, int64_t dim, optional<ScalarType> dtype,
             SoftmaxForm form) {
  const Tensor x = dtype ? self.to(*dtype) : self;
  const int64_t d = wrap_dim(dim, x.dim());
  ETUDE_CHECK(x.is_floating_point(), "\"", kernel_name(x, d, form), "\" not implemented for '",
              toString(x.scalar_type()), "'\nhint: convert first, .to(kFloat), or give a dtype, kFloat");
  return recorded(node, {x}, forward(x.detach(), d, form), {kResult},
                  [d, form](const Tensor& dy, const Tensor& y) { return backward(y, dy, d, form); });
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(softmax, self, dim, dtype);
  return along("SoftmaxBackward0", self, dim, dtype, SoftmaxForm::Plain);
}

Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(log_softmax, self, dim, dtype);
  return along("LogSoftmaxBackward0", self, dim, dtype, SoftmaxForm::Logarithm);
}

ETUDE_METHOD(softmax, (int64_t dim, optional<ScalarType> dtype), dim, dtype)
ETUDE_METHOD(log_softmax, (int64_t dim, optional<ScalarType> dtype), dim, dtype)

}  // namespace etude
