#pragma once

#include <tuple>

#include "etude/core/tensor.h"

// Part of ops.h: distinct values. The results are the distinct elements (or slices along a dim), the index of each element of
// self among them (int64), and the count of each (int64). Results that are not requested are empty. Each nan is distinct from
// every other. No gradient, as in PyTorch.

namespace etude {

/// The distinct elements, ascending even if not `sorted` -> [count], and the index of each element of self among them.
ETUDE_API std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted = true,
                                             bool return_inverse = false);
ETUDE_API std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, bool sorted = true,
                                                      bool return_inverse = false,
                                                      bool return_counts = false);
/// The distinct slices along dim, in lexicographic order. Returns all three results regardless of the flags.
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, bool sorted = true,
                                                        bool return_inverse = false,
                                                        bool return_counts = false);
/// The elements, or slices along dim, that differ from the one before. With a dim, all three results are returned.
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self,
                                                                bool return_inverse = false,
                                                                bool return_counts = false,
                                                                optional<int64_t> dim = nullopt);
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& self, int64_t dim,
                                                                    bool return_inverse = false,
                                                                    bool return_counts = false);

}  // namespace etude
