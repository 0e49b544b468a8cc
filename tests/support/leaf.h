#pragma once

#include "etude/ops/ops.h"

namespace etude {

/// A leaf of float64 that requires grad.
inline Tensor leaf(const detail::TensorLiteral& values) {
  return etude::tensor(values, TensorOptions(kDouble).requires_grad(true));
}

}  // namespace etude
