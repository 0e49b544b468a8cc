#pragma once

#include "etude/core/tensor.h"
#include "etude/ops/ops.h"

namespace etude {

/// The tensor that tests/golden/io/make.py writes for these sizes and this type.
inline Tensor stored_values(IntArrayRef sizes, ScalarType dtype) {
  const Tensor k = arange(etude::empty(sizes, kByte).numel(), kLong);
  const Tensor step = (k * 7).remainder(11);
  const Tensor values = dtype == kBool          ? k.remainder(3) == 0
                        : dtype == kByte        ? step
                        : isFloatingType(dtype) ? (step - 5).to(kDouble) / 2
                                                : step - 5;
  return values.to(dtype).view(sizes);
}

}  // namespace etude
