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
  /// What is added in front of and behind the last dim, then the one before it, and so on; negative numbers cut.
  ETUDE_ARG(std::vector<int64_t>, pad);
  /// What stands there; all but kConstant are for images and signals.
  ETUDE_ARG(mode_t, mode) = kConstant;
  /// The constant.
  ETUDE_ARG(double, value) = 0;
};

/// A border around the last dims.
inline Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  constexpr const char* kModes[] = {"constant", "reflect", "replicate", "circular"};
  return etude::pad(input, options.pad(), kModes[options.mode().index()],
                    options.value() != 0 ? optional<double>(options.value()) : nullopt);
}

}  // namespace etude::nn::functional
