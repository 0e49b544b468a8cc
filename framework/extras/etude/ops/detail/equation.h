#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "etude/core/shape.h"
#include "etude/core/tensor.h"

// The parsed equation of einsum.

namespace etude::detail {

/// A set of numbered subscripts, one bit each. The subscripts of the output have the first numbers, in its order.
using DimSet = uint64_t;

inline int64_t number_of(DimSet set) { return __builtin_popcountll(set); }
inline DimSet only(int64_t s) { return DimSet{1} << s; }
/// The position of subscript s among the dims of a term.
inline int64_t place_in(DimSet dims, int64_t s) { return number_of(dims & (only(s) - 1)); }

template <typename F>
void for_each_in(DimSet set, const F& f) {
  for (; set; set &= set - 1) f(static_cast<int64_t>(__builtin_ctzll(set)));
}

/// A tensor with its dims in the order of their subscripts.
struct Term {
  Tensor x;
  DimSet dims = 0;
};

struct SumOfProducts {
  std::vector<Term> terms;
  DimSet output = 0;
  /// By subscript: the 52 letters and the dims of the ellipsis.
  std::array<int64_t, 52 + kMaxDims> sizes = {};
};

/// Throws PyTorch's messages if the equation and the operands do not fit.
SumOfProducts read_equation(std::string_view equation, TensorList tensors);

}  // namespace etude::detail
