#pragma once

#include "etude/ops/ops.h"

// Part of ops.h: the operators on tensors and numbers, and overloads that take a dim as an int.

namespace etude {

#define ETUDE_OPERATOR(op, name, swapped)                                            \
  inline Tensor operator op(const Tensor& a, const Tensor& b) { return name(a, b); } \
  inline Tensor operator op(const Tensor& a, const Scalar& b) { return name(a, b); } \
  inline Tensor operator op(const Scalar& a, const Tensor& b) { return swapped(b, a); }
ETUDE_OPERATOR(+, add, add)
ETUDE_OPERATOR(-, sub, rsub)
ETUDE_OPERATOR(*, mul, mul)
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, const Scalar& b) { return remainder(a, b); }
ETUDE_OPERATOR(==, eq, eq)
ETUDE_OPERATOR(!=, ne, ne)
ETUDE_OPERATOR(<, lt, gt)
ETUDE_OPERATOR(<=, le, ge)
ETUDE_OPERATOR(>, gt, lt)
ETUDE_OPERATOR(>=, ge, le)

// compare.cpp: logic on bools, bits on integers. No gradient.

#define ETUDE_BITWISE(op, name)                                   \
  ETUDE_API Tensor name(const Tensor& self, const Tensor& other); \
  ETUDE_API Tensor name(const Tensor& self, const Scalar& other); \
  ETUDE_API Tensor name(const Scalar& self, const Tensor& other); \
  ETUDE_OPERATOR(op, name, name)
ETUDE_BITWISE(&, bitwise_and)
ETUDE_BITWISE(|, bitwise_or)
ETUDE_BITWISE(^, bitwise_xor)
#undef ETUDE_BITWISE
#undef ETUDE_OPERATOR
ETUDE_API Tensor bitwise_not(const Tensor& self);

// elementwise.cpp

/// The dtype of an arithmetic op on both, by PyTorch's type promotion over tensors with dims, 0-dim tensors and numbers.
ETUDE_API ScalarType result_type(const Tensor& a, const Tensor& b);
ETUDE_API ScalarType result_type(const Tensor& a, const Scalar& b);

// Without these overloads an int would be taken for `unbiased`.
inline Tensor var(const Tensor& self, int dim) { return var(self, DimList(dim)); }
inline Tensor std(const Tensor& self, int dim) { return std(self, DimList(dim)); }
inline std::tuple<Tensor, Tensor> std_mean(const Tensor& self, int dim) {
  return std_mean(self, DimList(dim));
}
inline std::tuple<Tensor, Tensor> var_mean(const Tensor& self, int dim) {
  return var_mean(self, DimList(dim));
}

}  // namespace etude
