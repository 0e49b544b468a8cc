#pragma once

#include <tuple>

#include "etude/core/tensor.h"

// Part of ops.h: what is there without repetitions. Results are the different elements (or slices along a dim), where each
// element of self is among them (int64), and how often each occurs (int64); what is not asked for has no elements. A nan is
// different from every other. No gradient, as in PyTorch.

namespace etude {

/// The different elements, in ascending order even if `sorted` is not asked for -> [count], and where each is, of self's sizes.
ETUDE_API std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted = true,
                                             bool return_inverse = false);
ETUDE_API std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, bool sorted = true,
                                                      bool return_inverse = false,
                                                      bool return_counts = false);
/// The different slices along dim, in the order of their elements; all three results, whatever is asked for.
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, bool sorted = true,
                                                        bool return_inverse = false,
                                                        bool return_counts = false);
/// The elements, or slices along dim, that differ from the one before; with a dim all three results.
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self,
                                                                bool return_inverse = false,
                                                                bool return_counts = false,
                                                                optional<int64_t> dim = nullopt);
ETUDE_API std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& self, int64_t dim,
                                                                    bool return_inverse = false,
                                                                    bool return_counts = false);

}  // namespace etude
