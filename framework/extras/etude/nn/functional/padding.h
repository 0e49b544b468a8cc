#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"
#include "etude/ops/convolution.h"
#include "etude/ops/ops.h"

namespace etude::nn::functional {

struct PadFuncOptions {
  using mode_t =
      std::variant<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
  /// The padding before and after the last dim, then the dim before it, and so on; negative numbers crop.
  ETUDE_ARG(std::vector<int64_t>, pad);
  /// What fills the border; all modes but kConstant are for images and signals.
  ETUDE_ARG(mode_t, mode) = kConstant;
  /// The fill value of kConstant.
  ETUDE_ARG(double, value) = 0;
};

/// Adds a border around the last dims.
inline Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  constexpr const char* kModes[] = {"constant", "reflect", "replicate", "circular"};
  return etude::pad(input, options.pad(), kModes[options.mode().index()],
                    options.value() != 0 ? optional<double>(options.value()) : nullopt);
}

}  // namespace etude::nn::functional
