// softmax(x)[i] = exp(x[i]) / sum_j exp(x[j]), along one dim, and its logarithm.
//
//   softmax:      dx = y (dy - sum(dy y)),         because  dy[i]/dx[j] = y[i] ([i = j] - y[j])
//   log_softmax:  dx = dy - exp(y) sum(dy),        because  dy[i]/dx[j] = [i = j] - exp(y[j])

#include <algorithm>
#include <cmath>
#include <limits>

#include "etude/onednn/detail/onednn.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

using autograd::record;
using autograd::recording;
using autograd::Saved;
using detail::impl;
using detail::Lane;

// The largest element is subtracted first, so that exp cannot overflow; the quotient is the same.
template <typename T>
T largest_of(Lane<const T> x) {
  T largest = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < x.size; ++i) largest = std::max(largest, x[i]);
  return largest;
}

template <typename T>
void softmax_lane(Lane<const T> x, Lane<T> y) {
  const T largest = largest_of(x);
  T total = 0;
  for (int64_t i = 0; i < x.size; ++i) total += y[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < x.size; ++i) y[i] /= total;
}

template <typename T>
void log_softmax_lane(Lane<const T> x, Lane<T> y) {
  const T largest = largest_of(x);
  T total = 0;
  for (int64_t i = 0; i < x.size; ++i) total += std::exp(x[i] - largest);
  const T log_total = std::log(total);
  for (int64_t i = 0; i < x.size; ++i) y[i] = x[i] - largest - log_total;
}

template <typename T>
void softmax_backward_lane(Lane<const T> y, Lane<const T> dy, Lane<T> dx) {
  T dot = 0;
  for (int64_t i = 0; i < y.size; ++i) dot += dy[i] * y[i];
  for (int64_t i = 0; i < y.size; ++i) dx[i] = y[i] * (dy[i] - dot);
}

template <typename T>
void log_softmax_backward_lane(Lane<const T> y, Lane<const T> dy, Lane<T> dx) {
  T total = 0;
  for (int64_t i = 0; i < y.size; ++i) total += dy[i];
  for (int64_t i = 0; i < y.size; ++i) dx[i] = dy[i] - std::exp(y[i]) * total;
}

template <typename T>
Lane<T> lane_of(const detail::TensorImpl& t, int64_t dim, int64_t offset) {
  return t.sizes.empty() ? Lane<T>{t.data<T>() + offset, 1, 1} : Lane<T>{t.data<T>() + offset, t.sizes[dim], t.strides[dim]};
}

// oneDNN takes contiguous float32; below this many elements calling it costs more than the plain kernel.
constexpr int64_t kWorthOneDnn = 512;

bool by_onednn(const detail::TensorImpl& x, const detail::TensorImpl& y, int64_t dim, bool logarithm) {
  if (x.dtype != kFloat || !x.contiguous || x.numel < kWorthOneDnn || x.sizes.empty()) return false;
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < dim; ++d) outer *= x.sizes[d];
  for (int64_t d = dim + 1; d < x.sizes.size(); ++d) inner *= x.sizes[d];
  return onednn::softmax(outer, x.sizes[dim], inner, logarithm, x.data<float>(), y.data<float>());
}

Tensor forward(const char* name, const Tensor& self, int64_t dim, bool logarithm) {
  const detail::TensorImpl& x = impl(self);
  const Tensor result = detail::make_tensor(x.sizes, x.dtype);
  const detail::TensorImpl& y = impl(result);
  if (by_onednn(x, y, dim, logarithm)) return result;
  detail::dispatch_floating(name, x.dtype, [&](auto zero) {
    using T = decltype(zero);
    detail::for_each_lane<2>(x.sizes, dim, {x.strides, y.strides}, [&](const auto& at) {
      const auto from = lane_of<const T>(x, dim, at[0]);
      const auto to = lane_of<T>(y, dim, at[1]);
      logarithm ? log_softmax_lane<T>(from, to) : softmax_lane<T>(from, to);
    });
  });
  return result;
}

// Of ops if it may be differentiated again, else the kernel.
Tensor backward(const Tensor& result, const Tensor& gradient, int64_t dim, bool logarithm) {
  if (recording({result, gradient})) {
    if (logarithm) return gradient - exp(result) * gradient.sum(dim, true);
    return result * (gradient - (gradient * result).sum(dim, true));
  }
  const detail::TensorImpl &y = impl(result), &dy = impl(gradient);
  const Tensor dx_tensor = detail::make_tensor(y.sizes, y.dtype);
  const detail::TensorImpl& dx = impl(dx_tensor);
  detail::dispatch_floating("softmax_backward", y.dtype, [&](auto zero) {
    using T = decltype(zero);
    detail::for_each_lane<3>(y.sizes, dim, {y.strides, dy.strides, dx.strides}, [&](const auto& at) {
      const auto out = lane_of<const T>(y, dim, at[0]), grad = lane_of<const T>(dy, dim, at[1]);
      const auto to = lane_of<T>(dx, dim, at[2]);
      logarithm ? log_softmax_backward_lane<T>(out, grad, to) : softmax_backward_lane<T>(out, grad, to);
    });
  });
  return dx_tensor;
}

Tensor along(const char* node, const char* name, const Tensor& self, int64_t dim, optional<ScalarType> dtype, bool logarithm) {
  const Tensor x = dtype ? self.to(*dtype) : self;
  const int64_t d = wrap_dim(dim, x.dim());
  const Tensor y = forward(name, x, d, logarithm);
  if (!recording({x})) return y;
  return record(node, {x}, y, [y = Saved::output(y), d, logarithm](const Tensor& dy) { return backward(y.get(), dy, d, logarithm); });
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  return along("SoftmaxBackward0", "softmax_lastdim_kernel_impl", self, dim, dtype, false);
}

Tensor log_softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  return along("LogSoftmaxBackward0", "log_softmax_lastdim_kernel_impl", self, dim, dtype, true);
}

Tensor Tensor::softmax(int64_t dim, optional<ScalarType> dtype) const { return etude::softmax(*this, dim, dtype); }
Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> dtype) const { return etude::log_softmax(*this, dim, dtype); }

}  // namespace etude
