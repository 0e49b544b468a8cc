#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "etude/core/expanding_array.h"
#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"
#include "etude/ops/convolution.h"
#include "etude/ops/ops.h"

// Convolutions over one and two spatial dims, and unfold and fold.

namespace etude::nn {

namespace detail {
/// The padding at both ends of each spatial dim: numbers, none (kValid), or enough to keep the size (kSame).
template <size_t D>
using conv_padding_t = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;
}  // namespace detail

namespace functional {

template <size_t D>
struct ConvFuncOptions {
  using padding_t = nn::detail::conv_padding_t<D>;
  /// The numbers [out] that are added; undefined for none.
  ETUDE_ARG(Tensor, bias) = {};
  /// The distance between windows.
  ETUDE_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of zeros at both ends, kValid (none) or kSame (enough to keep the size).
  ETUDE_ARG(padding_t, padding) = 0;

 public:
  auto& padding(std::initializer_list<int64_t> numbers) { return padding(padding_t(numbers)); }
  /// The distance between the elements of a window.
  ETUDE_ARG(ExpandingArray<D>, dilation) = 1;
  /// The number of groups of channels; each group of outputs sees only its own group of inputs.
  ETUDE_ARG(int64_t, groups) = 1;
};
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;

namespace detail {
template <size_t D>
Tensor conv(const Tensor& input, const Tensor& weight, const Tensor& bias, const ExpandingArray<D>& stride,
            const nn::detail::conv_padding_t<D>& padding, const ExpandingArray<D>& dilation, int64_t groups) {
  const auto by = [&](const auto& amount) {
    if constexpr (D == 1) return etude::conv1d(input, weight, bias, stride, amount, dilation, groups);
    else return etude::conv2d(input, weight, bias, stride, amount, dilation, groups);
  };
  if (const auto* const numbers = std::get_if<ExpandingArray<D>>(&padding)) return by(IntArrayRef(*numbers));
  return by(std::string_view(std::holds_alternative<enumtype::kSame>(padding) ? "same" : "valid"));
}
template <size_t D>
Tensor conv(const Tensor& input, const Tensor& weight, const ConvFuncOptions<D>& options) {
  return conv<D>(input, weight, options.bias(), options.stride(), options.padding(), options.dilation(),
                 options.groups());
}
}  // namespace detail

/// Cross-correlation of signals with filters: [n, in, length] (or without n), [out, in / groups, kernel] -> [n, out, length'].
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options = {}) {
  return detail::conv(input, weight, options);
}
/// Cross-correlation of images with filters: [n, in, height, width] (or without n), [out, in / groups, kernel height,
/// kernel width] -> [n, out, height', width'].
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {}) {
  return detail::conv(input, weight, options);
}

struct UnfoldFuncOptions {
  UnfoldFuncOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  /// The size of a window.
  ETUDE_ARG(ExpandingArray<2>, kernel_size);
  /// The distance between the elements of a window.
  ETUDE_ARG(ExpandingArray<2>, dilation) = 1;
  /// The number of zeros at both ends of each dim.
  ETUDE_ARG(ExpandingArray<2>, padding) = 0;
  /// The distance between windows.
  ETUDE_ARG(ExpandingArray<2>, stride) = 1;
};

/// Each window of an image as a column: [n, c, height, width] -> [n, c * kernel area, windows].
inline Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options) {
  ETUDE_CHECK(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ", input.dim(), "D)");
  return im2col(input, options.kernel_size(), options.dilation(), options.padding(), options.stride());
}

struct FoldFuncOptions {
  FoldFuncOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  /// The size of the image.
  ETUDE_ARG(ExpandingArray<2>, output_size);
  /// The size of a window.
  ETUDE_ARG(ExpandingArray<2>, kernel_size);
  /// The distance between the elements of a window.
  ETUDE_ARG(ExpandingArray<2>, dilation) = 1;
  /// The number of zeros at both ends of each dim.
  ETUDE_ARG(ExpandingArray<2>, padding) = 0;
  /// The distance between windows.
  ETUDE_ARG(ExpandingArray<2>, stride) = 1;
};

/// Adds each column to the pixels of its window: [n, c * kernel area, windows] (or without n) -> [n, c, height, width].
inline Tensor fold(const Tensor& input, const FoldFuncOptions& options) {
  ETUDE_CHECK(input.dim() == 3 || input.dim() == 2,
              "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ",
              input.dim(), "D)");
  return col2im(input, options.output_size(), options.kernel_size(), options.dilation(), options.padding(),
                options.stride());
}

}  // namespace functional
}  // namespace etude::nn
