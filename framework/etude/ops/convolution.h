#pragma once

#include <string_view>
#include <type_traits>

#include "etude/core/tensor.h"

// Convolutions of images and signals, what they are made of, and borders: convolution.cpp, im2col.cpp, pad.cpp.
//
// Stride, padding and dilation are one number, or one per dim of space.

namespace etude {

namespace detail {
/// A text and never a number: of a literal 0 a std::string_view could be made, too.
struct PaddingName : std::string_view {
  template <typename T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view>, int> = 0>
  PaddingName(const T& text) : std::string_view(text) {}
};
}  // namespace detail

/// The sums of products of each window of the input with each filter: [n, in, length] (or without n), [out, in / groups, kernel],
/// [out] -> [n, out, length'], length' = (length + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down.
ETUDE_API Tensor conv1d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// padding is "valid", none, or "same", as much as keeps the length, the odd one at the end; stride is 1 then.
ETUDE_API Tensor conv1d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                        IntArrayRef stride, detail::PaddingName padding, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// The same for [n, in, height, width] (or without n) and [out, in / groups, kernel height, kernel width].
ETUDE_API Tensor conv2d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                        int64_t groups = 1);
ETUDE_API Tensor conv2d(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                        IntArrayRef stride, detail::PaddingName padding, IntArrayRef dilation = 1,
                        int64_t groups = 1);
/// Both, by the dims of the weight. Transposed, it is the map of their gradients: weight [in, out / groups, kernel ...], and
/// output_padding is added to the length.
ETUDE_API Tensor convolution(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                             IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                             IntArrayRef output_padding, int64_t groups);

/// Each window of the images as a column: [n, c, height, width] (or without n) -> [n, c kernel area, windows]. All arguments
/// are pairs.
ETUDE_API Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
                        IntArrayRef padding, IntArrayRef stride);
/// The columns added up where they come from: [n, c kernel area, windows] (or without n) -> [n, c, height, width].
ETUDE_API Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
                        IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

/// A border around the last dims: pad is what is added in front of and behind the last dim, then the one before it, and so on;
/// negative numbers cut. mode is "constant", or for images and signals "reflect", "replicate" or "circular".
ETUDE_API Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode = "constant",
                     optional<double> value = nullopt);
ETUDE_API Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value = 0);
/// 3 2 | 1 2 3 | 2 1: [c, length] or [n, c, length], floating; for 2d and 3d with a height and a depth before it.
ETUDE_API Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding);
ETUDE_API Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding);
ETUDE_API Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding);
/// 1 1 | 1 2 3 | 3 3
ETUDE_API Tensor replication_pad1d(const Tensor& self, IntArrayRef padding);
ETUDE_API Tensor replication_pad2d(const Tensor& self, IntArrayRef padding);
ETUDE_API Tensor replication_pad3d(const Tensor& self, IntArrayRef padding);

}  // namespace etude
