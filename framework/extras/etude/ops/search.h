#pragma once

#include <string_view>
#include <tuple>

#include "etude/core/tensor.h"

// Elements by their place in the order of numbers: median.cpp, searchsorted.cpp.

namespace etude {

/// The element in the middle, the lower one of two; nan if there is a nan. Equal elements share the gradient evenly.
ETUDE_API Tensor median(const Tensor& self);
/// The same along a dim, with its index.
ETUDE_API std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim = false);

/// The median of the elements that are not nan; nan if there is none.
ETUDE_API Tensor nanmedian(const Tensor& self);
ETUDE_API std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim = false);

/// The index at which each value would be inserted to keep the sequence in ascending order: before equal elements, or after
/// them if `right` or if side is "right". Sequences are the rows of sorted_sequence, one for each row of values, or one for
/// all. `sorter` is the permutation that sorts a sequence that is not sorted. int64, or int32 if `out_int32`. No gradient.
ETUDE_API Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                              bool right = false, optional<std::string_view> side = nullopt,
                              const optional<Tensor>& sorter = {});
ETUDE_API Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32 = false,
                              bool right = false, optional<std::string_view> side = nullopt,
                              const optional<Tensor>& sorter = {});
/// The index of the bucket of each value, between boundaries in ascending order: searchsorted(boundaries, self). No gradient.
ETUDE_API Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                           bool right = false);
ETUDE_API Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32 = false,
                           bool right = false);

}  // namespace etude
