#pragma once

#include <cstdint>

#include "etude/core/dtype.h"

namespace etude {

/// The limits of a type of floating point numbers (Python's torch.finfo). Throws TypeError for others.
struct ETUDE_API finfo {
  explicit finfo(ScalarType type = get_default_dtype());

  ScalarType dtype;
  int bits;
  double eps;                    ///< The distance from 1 to the next larger number.
  double max, min;               ///< The largest, and minus the largest.
  double tiny, smallest_normal;  ///< The smallest above zero with all its digits.
  double resolution;             ///< Ten to the power of minus the number of decimals that it holds.
};

/// The limits of a type of integers (Python's torch.iinfo). Throws TypeError for others.
struct ETUDE_API iinfo {
  explicit iinfo(ScalarType type);

  ScalarType dtype;
  int bits;
  int64_t max, min;
};

}  // namespace etude
