#pragma once

#include <algorithm>
#include <vector>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"

namespace etude {

/// Uneven numbers of both signs, as a non-contiguous view.
inline Tensor uneven(IntArrayRef sizes) {
  std::vector<int64_t> turned = sizes.vec();
  std::reverse(turned.begin(), turned.end());
  return (sin(etude::arange(count_elements(sizes), kDouble) * 1.7 + 0.3) * 2).view(turned).numpy_T();
}

}  // namespace etude
