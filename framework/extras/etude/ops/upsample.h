#pragma once

#include "etude/core/tensor.h"

// Signals [n, c, length] and images [n, c, height, width] of other sizes: upsample.cpp. Without align_corners, the places of the
// result's elements in the input follow from the scale if it is given, else from the ratio of the sizes.

namespace etude {

/// The nearest element: y[i] = x[floor(i / scale)].
ETUDE_API Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size,
                                    optional<double> scales = nullopt);
ETUDE_API Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size,
                                    optional<double> scales_h = nullopt, optional<double> scales_w = nullopt);
/// The weighted mean of the two nearest elements along each dim. With align_corners the first and last elements of input and
/// result are at the same places; without it their outer edges are.
ETUDE_API Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                                   optional<double> scales = nullopt);
ETUDE_API Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                                     optional<double> scales_h = nullopt,
                                     optional<double> scales_w = nullopt);

}  // namespace etude
