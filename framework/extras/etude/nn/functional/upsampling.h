#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"
#include "etude/ops/upsample.h"

namespace etude::nn {

struct UpsampleOptions {
  using mode_t = std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                              enumtype::kTrilinear>;
  /// The sizes of the spatial dims, unless scale_factor is given.
  ETUDE_ARG(optional<std::vector<int64_t>>, size) = nullopt;
  /// How many times as long each spatial dim becomes.
  ETUDE_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  /// kNearest, kLinear for signals and kBilinear for images; the others are refused.
  ETUDE_ARG(mode_t, mode) = kNearest;
  /// Whether the first and last elements of input and result are at the same places, instead of their outer edges.
  ETUDE_ARG(optional<bool>, align_corners) = nullopt;
};

namespace functional {

struct InterpolateFuncOptions {
  using mode_t = std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                              enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  /// The sizes of the spatial dims, unless scale_factor is given.
  ETUDE_ARG(optional<std::vector<int64_t>>, size) = nullopt;
  /// How many times as long each spatial dim becomes.
  ETUDE_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  /// kNearest, kLinear for signals and kBilinear for images; the others are refused.
  ETUDE_ARG(mode_t, mode) = kNearest;
  /// Whether the first and last elements of input and result are at the same places, instead of their outer edges.
  ETUDE_ARG(optional<bool>, align_corners) = nullopt;
  /// Whether places in the input follow from the ratio of the sizes instead of from scale_factor.
  ETUDE_ARG(optional<bool>, recompute_scale_factor) = nullopt;
  /// Refused.
  ETUDE_ARG(bool, antialias) = false;
};

/// A signal [n, c, length] or an image [n, c, height, width] of another size.
ETUDE_API Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}  // namespace functional

namespace detail {
ETUDE_API Tensor upsample(const Tensor& input, const UpsampleOptions& options);
ETUDE_API std::string upsample_repr(const UpsampleOptions& options);
}  // namespace detail

}  // namespace etude::nn
