#pragma once

#include <tuple>

#include "etude/core/function_ref.h"
#include "etude/core/tensors_in.h"
#include "etude/ops/assorted.h"
#include "etude/ops/cumulative.h"
#include "etude/ops/geometry.h"
#include "etude/ops/search.h"
#include "etude/ops/upsample.h"

// Part of ops.h: functions that write their result to a tensor `out`. It keeps its dtype and is resized to the result, with
// PyTorch's warning if it had elements and other sizes. No tensor may require a gradient, and no graph is recorded.

namespace etude {

namespace detail {

/// Which results an `out` of another dtype accepts.
enum class OutType {
  Castable,  // results that can be cast to its dtype: elementwise ops
  Same,      // none
  Found,     // none; PyTorch's message has other words
  Joined,    // results that can be cast to its dtype: cat and similar ops
  Matching,  // none, with the message of amax and amin
  Extreme,   // none, with the message of cummax and cummin
  Middle,    // none, with the message of median
  Place      // none, with the message of searchsorted. Arguments may require a gradient
};

/// Writes the result of compute to out and returns out.
ETUDE_API Tensor& write_out(const char* op, OutType type, Tensor& out,
                            std::initializer_list<TensorsIn> arguments, FunctionRef<Tensor()> compute);
/// The same for an op with two results.
ETUDE_API std::tuple<Tensor&, Tensor&> write_outs(const char* op, OutType type, Tensor& values,
                                                  Tensor& indices, const Tensor& self,
                                                  FunctionRef<std::tuple<Tensor, Tensor>()> compute);
/// Resizes out for a function that fills it.
ETUDE_API Tensor& resized_out(Tensor& out, IntArrayRef sizes);
/// Fills out with the elements of range. Resizes it, with a warning, if it has another number of elements.
ETUDE_API Tensor& range_out(Tensor& out, const Tensor& range);

}  // namespace detail

/// Defines the out form of every overload of a function.
#define ETUDE_OUT(type, name)                                                                              \
  template <typename... Arguments>                                                                         \
  auto name##_out(Tensor& out, const Arguments&... arguments)->decltype(Tensor(name(arguments...)), out) { \
    return detail::write_out(#name, detail::OutType::type, out, {arguments...},                            \
                             [&] { return name(arguments...); });                                          \
  }
// clang-format off
ETUDE_OUT(Castable, add) ETUDE_OUT(Castable, sub) ETUDE_OUT(Castable, mul) ETUDE_OUT(Castable, div)
ETUDE_OUT(Castable, floor_divide) ETUDE_OUT(Castable, remainder) ETUDE_OUT(Castable, fmod) ETUDE_OUT(Castable, pow)
ETUDE_OUT(Castable, maximum) ETUDE_OUT(Castable, minimum)
ETUDE_OUT(Castable, eq) ETUDE_OUT(Castable, ne) ETUDE_OUT(Castable, lt)
ETUDE_OUT(Castable, le) ETUDE_OUT(Castable, gt) ETUDE_OUT(Castable, ge)
ETUDE_OUT(Castable, logical_and) ETUDE_OUT(Castable, logical_or) ETUDE_OUT(Castable, logical_xor)
ETUDE_OUT(Castable, logical_not) ETUDE_OUT(Castable, bitwise_and) ETUDE_OUT(Castable, bitwise_or)
ETUDE_OUT(Castable, bitwise_xor) ETUDE_OUT(Castable, bitwise_not)
ETUDE_OUT(Castable, exp) ETUDE_OUT(Castable, expm1) ETUDE_OUT(Castable, log) ETUDE_OUT(Castable, log1p)
ETUDE_OUT(Castable, log2) ETUDE_OUT(Castable, sqrt) ETUDE_OUT(Castable, rsqrt) ETUDE_OUT(Castable, reciprocal)
ETUDE_OUT(Castable, sin) ETUDE_OUT(Castable, cos) ETUDE_OUT(Castable, tan) ETUDE_OUT(Castable, tanh)
ETUDE_OUT(Castable, sigmoid) ETUDE_OUT(Castable, erf) ETUDE_OUT(Castable, erfinv) ETUDE_OUT(Castable, sinh)
ETUDE_OUT(Castable, cosh) ETUDE_OUT(Castable, asin) ETUDE_OUT(Castable, acos) ETUDE_OUT(Castable, atan)
ETUDE_OUT(Castable, asinh) ETUDE_OUT(Castable, acosh) ETUDE_OUT(Castable, atanh) ETUDE_OUT(Castable, atan2)
ETUDE_OUT(Found, neg) ETUDE_OUT(Found, sign) ETUDE_OUT(Found, floor) ETUDE_OUT(Found, ceil)
ETUDE_OUT(Found, round) ETUDE_OUT(Found, trunc) ETUDE_OUT(Found, abs) ETUDE_OUT(Found, clamp) ETUDE_OUT(Found, frac)
ETUDE_OUT(Castable, addcmul) ETUDE_OUT(Castable, addcdiv) ETUDE_OUT(Castable, lerp)
ETUDE_OUT(Same, matmul) ETUDE_OUT(Same, mm) ETUDE_OUT(Same, bmm) ETUDE_OUT(Same, addmm) ETUDE_OUT(Same, mv)
ETUDE_OUT(Same, softmax) ETUDE_OUT(Same, log_softmax) ETUDE_OUT(Same, gather) ETUDE_OUT(Same, tril)
ETUDE_OUT(Same, triu) ETUDE_OUT(Same, argmax) ETUDE_OUT(Same, argmin) ETUDE_OUT(Same, diag) ETUDE_OUT(Same, linalg_cross)
ETUDE_OUT(Place, searchsorted) ETUDE_OUT(Place, bucketize)
#undef ETUDE_OUT

/// Another name of an out form.
#define ETUDE_OUT(other, name)                                                                            \
  template <typename... Arguments>                                                                        \
  auto name##_out(Tensor& out, const Arguments&... arguments)->decltype(other##_out(out, arguments...)) { \
    return other##_out(out, arguments...);                                                                \
  }
ETUDE_OUT(asin, arcsin) ETUDE_OUT(acos, arccos) ETUDE_OUT(atan, arctan) ETUDE_OUT(asinh, arcsinh)
ETUDE_OUT(acosh, arccosh) ETUDE_OUT(atanh, arctanh) ETUDE_OUT(atan2, arctan2) ETUDE_OUT(clamp, clip)
#undef ETUDE_OUT

inline Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other) { return maximum_out(out, self, other); }
inline Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other) { return minimum_out(out, self, other); }
// clang-format on

/// Defines the out form of one overload, with its parameters spelled out.
#define ETUDE_OUT(type, name, parameters, input, ...)                                                        \
  inline Tensor& name##_out parameters {                                                                     \
    return detail::write_out(#name, detail::OutType::type, out, {input}, [&] { return name(__VA_ARGS__); }); \
  }
// clang-format off
ETUDE_OUT(Joined, cat, (Tensor& out, TensorList tensors, int64_t dim = 0), tensors, tensors, dim)
ETUDE_OUT(Joined, stack, (Tensor& out, TensorList tensors, int64_t dim = 0), tensors, tensors, dim)
ETUDE_OUT(Joined, hstack, (Tensor& out, TensorList tensors), tensors, tensors)
ETUDE_OUT(Joined, vstack, (Tensor& out, TensorList tensors), tensors, tensors)
// These compute in the dtype of out unless another is given.
ETUDE_OUT(Same, sum, (Tensor& out, const Tensor& self, DimList dim, bool keepdim = false, optional<ScalarType> dtype = nullopt),
          self, self, dim, keepdim, dtype.value_or(out.scalar_type()))
ETUDE_OUT(Same, mean, (Tensor& out, const Tensor& self, DimList dim, bool keepdim = false, optional<ScalarType> dtype = nullopt),
          self, self, dim, keepdim, dtype.value_or(out.scalar_type()))
ETUDE_OUT(Same, prod, (Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false, optional<ScalarType> dtype = nullopt),
          self, self, dim, keepdim, dtype.value_or(out.scalar_type()))
ETUDE_OUT(Same, cumsum, (Tensor& out, const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt),
          self, self, dim, dtype.value_or(out.scalar_type()))
ETUDE_OUT(Same, cumprod, (Tensor& out, const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt),
          self, self, dim, dtype.value_or(out.scalar_type()))
ETUDE_OUT(Same, upsample_nearest1d, (Tensor& out, const Tensor& self, IntArrayRef output_size, optional<double> scales = nullopt),
          self, self, output_size, scales)
ETUDE_OUT(Same, upsample_nearest2d, (Tensor& out, const Tensor& self, IntArrayRef output_size, optional<double> scales_h = nullopt,
                                     optional<double> scales_w = nullopt), self, self, output_size, scales_h, scales_w)
ETUDE_OUT(Same, upsample_linear1d, (Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners,
                                    optional<double> scales = nullopt), self, self, output_size, align_corners, scales)
ETUDE_OUT(Same, upsample_bilinear2d, (Tensor& out, const Tensor& self, IntArrayRef output_size, bool align_corners,
                                      optional<double> scales_h = nullopt, optional<double> scales_w = nullopt),
          self, self, output_size, align_corners, scales_h, scales_w)
ETUDE_OUT(Matching, amax, (Tensor& out, const Tensor& self, DimList dim = {}, bool keepdim = false), self, self, dim, keepdim)
ETUDE_OUT(Matching, amin, (Tensor& out, const Tensor& self, DimList dim = {}, bool keepdim = false), self, self, dim, keepdim)
// clang-format on
#undef ETUDE_OUT

inline Tensor& cross_out(Tensor& out, const Tensor& self, const Tensor& other,
                         optional<int64_t> dim = nullopt) {
  return detail::write_out("linalg_cross", detail::OutType::Same, out, {self, other},
                           [&] { return cross(self, other, dim); });
}

/// Defines the out form of a function with values and indices.
#define ETUDE_OUT(type, name, parameters, ...)                                     \
  inline std::tuple<Tensor&, Tensor&> name##_out parameters {                      \
    return detail::write_outs(#name, detail::OutType::type, values, indices, self, \
                              [&] { return name(__VA_ARGS__); });                  \
  }
// clang-format off
ETUDE_OUT(Extreme, cummax, (Tensor& values, Tensor& indices, const Tensor& self, int64_t dim), self, dim)
ETUDE_OUT(Extreme, cummin, (Tensor& values, Tensor& indices, const Tensor& self, int64_t dim), self, dim)
ETUDE_OUT(Middle, median, (Tensor& values, Tensor& indices, const Tensor& self, int64_t dim, bool keepdim = false), self, dim, keepdim)
ETUDE_OUT(Middle, nanmedian, (Tensor& values, Tensor& indices, const Tensor& self, int64_t dim, bool keepdim = false), self, dim, keepdim)
// clang-format on
#undef ETUDE_OUT

// Creation functions, in the dtype of out.
inline Tensor& empty_out(Tensor& out, IntArrayRef sizes) { return detail::resized_out(out, sizes); }
inline Tensor& zeros_out(Tensor& out, IntArrayRef sizes) { return detail::resized_out(out, sizes).zero_(); }
inline Tensor& ones_out(Tensor& out, IntArrayRef sizes) { return detail::resized_out(out, sizes).fill_(1); }
inline Tensor& full_out(Tensor& out, IntArrayRef sizes, const Scalar& value) {
  return detail::resized_out(out, sizes).fill_(value);
}
inline Tensor& rand_out(Tensor& out, IntArrayRef sizes, optional<Generator> generator = nullopt) {
  return detail::resized_out(out, sizes).uniform_(0, 1, std::move(generator));
}
inline Tensor& randn_out(Tensor& out, IntArrayRef sizes, optional<Generator> generator = nullopt) {
  return detail::resized_out(out, sizes).normal_(0, 1, std::move(generator));
}
inline Tensor& arange_out(Tensor& out, const Scalar& end) {
  return detail::range_out(out, arange(end, out.scalar_type()));
}
inline Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1) {
  return detail::range_out(out, arange(start, end, step, out.scalar_type()));
}
inline Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps) {
  return detail::range_out(out, linspace(start, end, steps, out.scalar_type()));
}
inline Tensor& eye_out(Tensor& out, int64_t n, int64_t m) {
  const Tensor identity = eye(n, m, out.scalar_type());
  return detail::resized_out(out, identity.sizes()).copy_(identity);
}
inline Tensor& eye_out(Tensor& out, int64_t n) { return eye_out(out, n, n); }

}  // namespace etude
