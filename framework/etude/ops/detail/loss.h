#pragma once

#include "etude/ops/ops.h"

namespace etude::detail {

/// The losses of the elements, their mean or their sum.
inline Tensor reduced(const Tensor& losses, int64_t reduction) {
  return reduction == Reduction::Mean ? losses.mean() : reduction == Reduction::Sum ? losses.sum() : losses;
}

/// What the gradient of each element's loss is multiplied by on account of a mean.
inline double share(int64_t reduction, const Tensor& losses) {
  return reduction == Reduction::Mean ? 1.0 / static_cast<double>(losses.numel()) : 1.0;
}

}  // namespace etude::detail
