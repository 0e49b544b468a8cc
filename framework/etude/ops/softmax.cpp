// softmax(x)[i] = exp(x[i]) / sum_j exp(x[j]), along one dim, and its logarithm.
//
//   softmax:      dx = y (dy - sum(dy y)),         because  dy[i]/dx[j] = y[i] ([i = j] - y[j])
//   log_softmax:  dx = dy - exp(y) sum(dy),        because  dy[i]/dx[j] = [i = j] - exp(y[j])

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// The two ops: their loops over lanes, and the gradient as ops where it may be differentiated again. The names are PyTorch's.

struct Softmax {
  static constexpr const char *kNode = "SoftmaxBackward0", *kKernel = "softmax_kernel_impl",
                              *kLastDim = "softmax_lastdim_kernel_impl";

  // The largest is subtracted first, so that exp cannot overflow; the quotient is the same.
  template <typename Form, typename T>
  void operator()(Form form, std::array<const T*, 1> in, T* y, Lanes all) const {
    const T* const x = in[0];
    for (int64_t first = 0; first < all.count; first += all.step) {
      const Lanes lanes = all.from(first);
      T largest[Lanes::kMost], factor[Lanes::kMost];
      for (int64_t l = 0; l < lanes.count; ++l) largest[l] = largest_of(x + lanes.start_of(l), all.n);
      for (int64_t l = 0; l < lanes.count; ++l)
        for (int64_t i = lanes.start_of(l); i < lanes.end_of(l); ++i)
          y[i] = fast_exp(form, x[i] - largest[l]);
      for (int64_t l = 0; l < lanes.count; ++l) factor[l] = factor_of(y + lanes.start_of(l), all.n);
      for (int64_t l = 0; l < lanes.count; ++l)
        for (int64_t i = lanes.start_of(l); i < lanes.end_of(l); ++i) y[i] *= factor[l];
    }
  }

  static Tensor gradient(const Tensor& y, const Tensor& dy, int64_t dim) {
    return y * (dy - (dy * y).sum(dim, true));
  }
};

struct SoftmaxGradient {
  template <typename T>
  void operator()(std::array<const T*, 2> in, T* dx, Lanes all) const {
    for (int64_t l = 0; l < all.count; ++l) {
      const T *const y = in[0] + all.start_of(l), *const dy = in[1] + all.start_of(l);
      const T dot = static_cast<T>(sum_lane<T>(all.n, [=](int64_t i) { return dy[i] * y[i]; }));
      for (int64_t i = 0; i < all.n; ++i) dx[all.start_of(l) + i] = y[i] * (dy[i] - dot);
    }
  }
};

struct LogSoftmax {
  static constexpr const char *kNode = "LogSoftmaxBackward0", *kKernel = "log_softmax_kernel_impl",
                              *kLastDim = "log_softmax_lastdim_kernel_impl";

  template <typename Form, typename T>
  void operator()(Form form, std::array<const T*, 1> in, T* y, Lanes all) const {
    const T* const x = in[0];
    for (int64_t first = 0; first < all.count; first += all.step) {
      const Lanes lanes = all.from(first);
      Shift<T> shifts[Lanes::kMost];
      find_shifts(x, lanes, shifts, form);
      for (int64_t l = 0; l < lanes.count; ++l)
        for (int64_t i = lanes.start_of(l); i < lanes.end_of(l); ++i) y[i] = shifts[l].log_probability(x[i]);
    }
  }

  static Tensor gradient(const Tensor& y, const Tensor& dy, int64_t dim) {
    return dy - exp(y) * dy.sum(dim, true);
  }
};

struct LogSoftmaxGradient {
  template <typename Form, typename T>
  void operator()(Form form, std::array<const T*, 2> in, T* dx, Lanes all) const {
    for (int64_t l = 0; l < all.count; ++l) {
      const T *const y = in[0] + all.start_of(l), *const dy = in[1] + all.start_of(l);
      const T total = static_cast<T>(sum_lane<T>(all.n, [=](int64_t i) { return dy[i]; }));
      for (int64_t i = 0; i < all.n; ++i) dx[all.start_of(l) + i] = dy[i] - fast_exp(form, y[i]) * total;
    }
  }
};

// Built from differentiable ops when a second derivative may be needed, otherwise by the kernel.
template <typename Op, typename Gradient>
Tensor backward(const Tensor& y, const Tensor& gradient, int64_t dim) {
  if (recording({y, gradient})) return Op::gradient(y, gradient, dim);
  const Tensor dy = gradient.contiguous();
  Tensor dx = make_tensor(y.sizes(), y.scalar_type());
  if (y.numel() == 0) return dx;
  dispatch_floating("softmax_backward", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_packed_lane<T, 2>({impl(y).data<T>(), impl(dy).data<T>()}, impl(dx).data<T>(), impl(y).sizes,
                               dim, Gradient());
  });
  return dx;
}

template <typename Op, typename Gradient>
Tensor along(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  const Tensor given = dtype ? self.to(*dtype) : self;
  const int64_t d = wrap_dim(dim, given.dim());
  const char* const kernel = given.dim() > 0 && d != given.dim() - 1 ? Op::kKernel : Op::kLastDim;
  ETUDE_CHECK_WITH(NotImplementedError, given.is_floating_point(), "\"", kernel, "\" not implemented for '",
                   toString(given.scalar_type()),
                   "'\nhint: convert first, .to(kFloat), or give a dtype, kFloat");
  const Tensor x = widened(given.detach()).contiguous(), y = make_tensor(x.sizes(), x.scalar_type());
  if (x.numel() != 0)
    dispatch_floating(kernel, x.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      for_each_packed_lane<T, 1>({impl(x).data<T>()}, impl(y).data<T>(), impl(x).sizes, d, Op());
    });
  return recorded(
      Op::kNode, {given}, as_type(y, given.scalar_type()), {kResult},
      [d](const Tensor& dy, const Tensor& result) { return backward<Op, Gradient>(result, dy, d); });
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(softmax, self, dim, dtype);
  return along<Softmax, SoftmaxGradient>(self, dim, dtype);
}

Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(log_softmax, self, dim, dtype);
  return along<LogSoftmax, LogSoftmaxGradient>(self, dim, dtype);
}

ETUDE_METHOD(softmax, (int64_t dim, optional<ScalarType> dtype), dim, dtype)
ETUDE_METHOD(log_softmax, (int64_t dim, optional<ScalarType> dtype), dim, dtype)

}  // namespace etude
