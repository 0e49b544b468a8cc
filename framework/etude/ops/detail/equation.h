#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "etude/core/shape.h"
#include "etude/core/tensor.h"

// What an equation of einsum says about its operands.

namespace etude::detail {

/// Subscripts that are numbered, bit by bit: those of the output first and in its order.
using DimSet = uint64_t;

inline int64_t number_of(DimSet set) { return __builtin_popcountll(set); }
inline DimSet only(int64_t s) { return DimSet{1} << s; }
/// Where the dim s lies among those of a term.
inline int64_t place_in(DimSet dims, int64_t s) { return number_of(dims & (only(s) - 1)); }

template <typename F>
void for_each_in(DimSet set, const F& f) {
  for (; set; set &= set - 1) f(static_cast<int64_t>(__builtin_ctzll(set)));
}

/// A tensor whose dims lie in the order of their subscripts.
struct Term {
  Tensor x;
  DimSet dims = 0;
};

struct SumOfProducts {
  std::vector<Term> terms;
  DimSet output = 0;
  /// By subscript; the 52 letters and the dims of the ellipsis.
  std::array<int64_t, 52 + kMaxDims> sizes = {};
};

/// Throws PyTorch's sentences where equation and operands do not fit.
SumOfProducts read_equation(std::string_view equation, TensorList tensors);

}  // namespace etude::detail
