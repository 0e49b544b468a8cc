#pragma once

#include <cstdint>

#include "etude/core/dtype.h"

namespace etude {

/// The limits of a floating-point type (Python's torch.finfo). Throws TypeError for other types.
struct ETUDE_API finfo {
  explicit finfo(ScalarType type = get_default_dtype());

  ScalarType dtype;
  int bits;
  double eps;              ///< The distance from 1 to the next larger number.
  double max;              ///< The largest finite number.
  double min;              ///< The smallest finite number, -max.
  double tiny;             ///< The smallest positive normal number.
  double smallest_normal;  ///< The same as tiny.
  double resolution;       ///< 10 to the power of -n, where n is the number of exact decimal digits.
};

/// The limits of an integer type (Python's torch.iinfo). Throws TypeError for other types.
struct ETUDE_API iinfo {
  explicit iinfo(ScalarType type);

  ScalarType dtype;
  int bits;
  int64_t max, min;
};

}  // namespace etude
