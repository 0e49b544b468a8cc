#pragma once

#include <string_view>
#include <type_traits>

#include "etude/core/tensor.h"

// Convolutions of images and signals, unfolding into windows, and padding: convolution.cpp, im2col.cpp, pad.cpp.
//
// Stride, padding and dilation are one number, or one per spatial dim.

namespace etude {

namespace detail {
/// Accepts text only: a std::string_view parameter would also accept a literal 0.
struct PaddingName : std::string_view {
  template <typename T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view>, int> = 0>
  PaddingName(const T& text) : std::string_view(text) {}
};
}  // namespace detail

/// Cross-correlation of signals with filters: [n, in, length] (or without n), [out, in / groups, kernel], [out] ->
/// [n, out, length'], where length' = (length + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down.
ETUDE_API Tensor conv1d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// padding is "valid" (none) or "same" (keeps the length; an odd zero goes to the end; stride must be 1).
ETUDE_API Tensor conv1d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                        IntArrayRef stride, detail::PaddingName padding, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// Convolves images with filters: [n, in, height, width] (or without n), weight [out, in / groups, kernel height, kernel width].
ETUDE_API Tensor conv2d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                        int64_t groups = 1);
ETUDE_API Tensor conv2d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                        IntArrayRef stride, detail::PaddingName padding, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// conv1d or conv2d, by the dims of the weight. `transposed` selects the gradient of the convolution with respect to its input:
/// weight [in, out / groups, kernel ...], and output_padding is added to the length.
ETUDE_API Tensor convolution(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                             IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                             IntArrayRef output_padding, int64_t groups);

/// Each window of the images as a column: [n, c, height, width] (or without n) -> [n, c * kernel area, windows]. The lists are
/// pairs (height, width).
ETUDE_API Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
                        IntArrayRef padding, IntArrayRef stride);
/// Adds each column to its window of the image: [n, c * kernel area, windows] (or without n) -> [n, c, height, width].
ETUDE_API Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
                        IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// Pads the last dims. `pad` lists the elements added before and after the last dim, then the dim before it, and so on;
/// negative numbers crop. mode is "constant" or, for images and signals, "reflect", "replicate" or "circular".
ETUDE_API Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode = "constant",
                     optional<double> value = nullopt);
/// Pads the last dims with a constant; `pad` as in pad().
ETUDE_API Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value = 0);
/// Mirrors the input at its border: 3 2 | 1 2 3 | 2 1. The input is floating-point [c, length] or [n, c, length]; 2d adds a
/// height, 3d a depth and a height.
ETUDE_API Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding);
/// Mirrors images at their border.
ETUDE_API Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding);
/// Mirrors volumes at their border.
ETUDE_API Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding);
/// Repeats the edge of the input: 1 1 | 1 2 3 | 3 3.
ETUDE_API Tensor replication_pad1d(const Tensor& self, IntArrayRef padding);
/// Repeats the edges of images.
ETUDE_API Tensor replication_pad2d(const Tensor& self, IntArrayRef padding);
/// Repeats the edges of volumes.
ETUDE_API Tensor replication_pad3d(const Tensor& self, IntArrayRef padding);

}  // namespace etude
