#pragma once

#include <tuple>

#include "etude/core/tensor.h"

// Results over the elements up to each one, along a dim: cumulative.cpp. cumsum is in ops.h.

namespace etude {

/// y[i] = x[0] x[1] ... x[i]. Integers and bools give int64 unless `dtype` is given.
ETUDE_API Tensor cumprod(const Tensor& self, int64_t dim, optional<ScalarType> dtype = nullopt);
/// The largest or smallest element so far along dim and its index, the last of equal ones. A nan stays.
ETUDE_API std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim);
ETUDE_API std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim);

}  // namespace etude
