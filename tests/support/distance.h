#pragma once

#include "etude/core/tensor.h"

namespace etude {

/// The largest |found - expected| / max(1, |expected|); infinity if sizes or types differ, or if only one of two
/// elements is nan or infinite.
double golden_distance(const Tensor& found, const Tensor& expected);

/// Whether a and b have the same sizes, type and values; nan is equal to nan.
bool same(const Tensor& a, const Tensor& b);

}  // namespace etude
