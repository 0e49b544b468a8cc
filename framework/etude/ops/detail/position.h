#pragma once

#include "etude/core/shape.h"

namespace etude::detail {

/// Where in a tensor of these sizes the i-th element stands: `[0, 3]`. For messages.
inline Shape position_of(int64_t i, Shape sizes) {
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    const int64_t size = sizes[d];
    sizes[d] = i % size;
    i /= size;
  }
  return sizes;
}

}  // namespace etude::detail
