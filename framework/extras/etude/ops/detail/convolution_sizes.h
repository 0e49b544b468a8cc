#pragma once

#include <algorithm>
#include <string>

#include "etude/core/detail/tensor_impl.h"
#include "etude/ops/detail/windows.h"

// The sizes of a convolution and the checks of its arguments, in PyTorch's order.

namespace etude::detail {

/// The sizes of a convolution from x [n, in, ...] to y [n, out, ...].
struct Convolution {
  Shape x, w, y;
  Windows2d windows;
  int64_t groups = 1;

  int64_t images() const { return x[0]; }
  int64_t image() const { return x[1] * windows.area(); }
  int64_t result() const { return y[1] * windows.count(); }
  int64_t matrix() const { return x[1] * windows.kernel() * windows.count(); }
  /// Products per image.
  int64_t steps() const { return std::max<int64_t>(1, y[1] / groups * matrix()); }
};

inline Shape for_each_dim(const char* name, IntArrayRef numbers, int64_t dims) {
  const auto count = static_cast<int64_t>(numbers.size());
  ETUDE_CHECK(count == dims || count == 1, "expected ", name, " to be a single integer value or a list of ",
              dims, " values to match the convolution dimensions, but got ", name, "=", numbers);
  return count == dims ? Shape(numbers) : Shape::filled(dims, numbers[0]);
}

inline void check_least(const char* sentence, const Shape& numbers, int64_t least) {
  for (const int64_t n : numbers) ETUDE_CHECK(n >= least, sentence, "\nreceived ", numbers.ref());
}

inline void check_channels(const Tensor& input, const Tensor& weight, const Tensor& bias, bool transposed,
                           int64_t groups) {
  const int64_t dims = weight.dim(), first = weight.size(0);
  ETUDE_CHECK(input.dim() == dims, "Expected ", dims, "-dimensional input for ", dims, "-dimensional weight ",
              weight.sizes(), ", but got ", input.dim(), "-dimensional input of size ", input.sizes(),
              " instead");
  ETUDE_CHECK(groups > 0, "non-positive groups is not supported\nreceived ", groups);
  ETUDE_CHECK(first >= groups, "Given groups=", groups, ", expected weight to be at least ", groups,
              " at dimension 0, but got weight of size ", weight.sizes(), " instead");
  ETUDE_CHECK(first % groups == 0, "Given groups=", groups, ", expected weight to be divisible by ", groups,
              " at dimension 0, but got weight of size [", weight.sizes(), "] instead");
  const int64_t in = transposed ? first : weight.size(1) * groups,
                out = transposed ? weight.size(1) * groups : first;
  const std::string given = transposed ? "transposed=1" : str("groups=", groups);
  ETUDE_CHECK(input.size(1) == in, "Given ", given, ", weight of size ", weight.sizes(), ", expected input",
              input.sizes(), " to have ", in, " channels, but got ", input.size(1), " channels instead");
  ETUDE_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == out), "Given ",
              transposed ? "transposed=1, " : "", "weight of size ", weight.sizes(),
              ", expected bias to be 1-dimensional with ", out, " elements, but got bias of size ",
              bias.defined() ? bias.sizes() : IntArrayRef(), " instead");
}

inline void check_type(const Tensor& input, const Tensor& other, const char* name) {
  const ScalarType a = input.scalar_type(), b = other.scalar_type();
  if (name == std::string_view("bias"))
    ETUDE_CHECK(a == b, "Input type (", row_of(a).cpp_name, ") and bias type (", row_of(b).cpp_name,
                ") should be the same\nhint: a convolution does not promote; convert one side with .to(...)");
  if (a == kFloat || a == kBFloat16)
    ETUDE_CHECK(a == b, "Input type (torch.", toString(a), "Tensor) and ", name, " type (torch.", toString(b),
                "Tensor) should be the same or input should be a MKLDNN tensor and ", name,
                " is a dense tensor\nhint: a convolution does not promote; convert one side with .to(...)");
  ETUDE_CHECK(a == b, "expected scalar type ", toString(a), " but found ", toString(b),
              "\nhint: a convolution does not promote; convert one side with .to(...)");
}

/// The numbers of all spatial dims as "(3 x 3)".
template <typename Number>
std::string by_dims(const Shape& sizes, const Number& number) {
  std::string text;
  for (int64_t d = 0; d < sizes.size() - 2; ++d) text += (d > 0 ? " x " : "(") + std::to_string(number(d));
  return text + ")";
}

inline void check_sizes(const Convolution& c, bool transposed) {
  const Windows* const windows = c.x.size() == 3 ? &c.windows.columns : &c.windows.rows;
  bool fits = true, empty = false;
  for (int64_t d = 0; d < c.x.size() - 2; ++d) {
    const Windows& w = windows[d];
    ETUDE_CHECK(w.kernel > 0, "kernel sizes must be positive\nreceived weight of size ", c.w.ref());
    fits = fits && (transposed ? w.size > 0 : w.count() > 0);
    empty = empty || w.size <= 0 || (transposed && c.y[2 + d] <= 0);
  }
  if (transposed)
    ETUDE_CHECK(fits, "Given input size per channel: ", by_dims(c.y, [&](int64_t d) { return c.y[2 + d]; }),
                ". Calculated output size per channel: ",
                by_dims(c.x, [&](int64_t d) { return windows[d].size; }), ". Output size is too small");
  ETUDE_CHECK(fits, "Calculated padded input size per channel: ",
              by_dims(c.x, [&](int64_t d) { return windows[d].size + 2 * windows[d].padding; }),
              ". Kernel size: ",
              by_dims(c.x, [&](int64_t d) { return windows[d].dilation * (windows[d].kernel - 1) + 1; }),
              ". Kernel size can't be greater than actual input size");
  ETUDE_CHECK(c.x[0] == 0 || !empty,
              "Only zero batch or zero channel inputs are supported, but got input shape: ",
              (transposed ? c.y : c.x).ref());
  ETUDE_CHECK(c.x[1] > 0 && c.y[1] > 0, "a convolution needs channels, but got input shape: ", c.x.ref(),
              " and weight of size ", c.w.ref());
}

/// A number per spatial dim.
struct Steps {
  Shape stride, padding, dilation, output_padding;
};

inline Steps steps_of(const Tensor& weight, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                      IntArrayRef output_padding) {
  ETUDE_CHECK(weight.dim() > 2, "weight should have at least three dimensions\nreceived sizes ",
              weight.sizes());
  ETUDE_CHECK_WITH(
      NotImplementedError, weight.dim() < 5,
      "convolutions over more than two dims of space are not supported\nreceived weight of size ",
      weight.sizes());
  const int64_t dims = weight.dim() - 2;
  Steps s{for_each_dim("stride", stride, dims), for_each_dim("padding", padding, dims),
          for_each_dim("dilation", dilation, dims), for_each_dim("output_padding", output_padding, dims)};
  check_least("negative padding is not supported", s.padding, 0);
  check_least("negative output_padding is not supported", s.output_padding, 0);
  check_least("non-positive stride is not supported", s.stride, 1);
  check_least("dilation should be greater than zero", s.dilation, 1);
  return s;
}

/// The windows of spatial dim d, over the input, or over the result if transposed.
inline Windows windows_of(const Steps& s, const Tensor& input, const Tensor& weight, bool transposed,
                          int64_t d) {
  Windows w{input.size(2 + d), weight.size(2 + d), s.stride[d], s.padding[d], s.dilation[d]};
  check_small(w);
  if (!transposed) return w;
  ETUDE_CHECK(s.output_padding[d] < w.stride,
              "output padding must be smaller than the stride, but got output_padding ",
              s.output_padding.ref(), " and stride ", s.stride.ref());
  w.size = (w.size - 1) * w.stride - 2 * w.padding + w.dilation * (w.kernel - 1) + s.output_padding[d] + 1;
  check_small(w);
  return w;
}

/// Checks the arguments and returns the convolution or, if transposed, the convolution whose gradient it is.
inline Convolution convolution_of(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Steps& s, bool transposed, int64_t groups) {
  check_channels(input, weight, bias, transposed, groups);
  Convolution c{impl(input).sizes, impl(weight).sizes, impl(input).sizes, {}, groups};
  const int64_t dims = weight.dim() - 2;
  c.windows.columns = windows_of(s, input, weight, transposed, dims - 1);
  if (dims == 2) c.windows.rows = windows_of(s, input, weight, transposed, 0);
  Shape& other = transposed ? c.x : c.y;
  other[1] = transposed ? weight.size(1) * groups : weight.size(0);
  const Windows* const windows = dims == 2 ? &c.windows.rows : &c.windows.columns;
  for (int64_t d = 0; d < dims; ++d) other[2 + d] = transposed ? windows[d].size : windows[d].count();
  check_sizes(c, transposed);
  check_type(input, weight, "weight");
  if (bias.defined()) check_type(input, bias, "bias");
  return c;
}

}  // namespace etude::detail
