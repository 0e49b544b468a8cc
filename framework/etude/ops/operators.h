#pragma once

#include "etude/ops/ops.h"

// Part of ops.h: the operators on tensors and numbers, and overloads that take a dim as an int.

namespace etude {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, const Scalar& b) { return remainder(a, b); }
#define ETUDE_COMPARISON(op, name, swapped)                                          \
  inline Tensor operator op(const Tensor& a, const Tensor& b) { return name(a, b); } \
  inline Tensor operator op(const Tensor& a, const Scalar& b) { return name(a, b); } \
  inline Tensor operator op(const Scalar& a, const Tensor& b) { return swapped(b, a); }
ETUDE_COMPARISON(==, eq, eq)
ETUDE_COMPARISON(!=, ne, ne)
ETUDE_COMPARISON(<, lt, gt)
ETUDE_COMPARISON(<=, le, ge)
ETUDE_COMPARISON(>, gt, lt)
ETUDE_COMPARISON(>=, ge, le)
#undef ETUDE_COMPARISON

// compare.cpp: logic on bools, bits on integers. No gradient.

#define ETUDE_BITWISE(op, name)                                                      \
  ETUDE_API Tensor name(const Tensor& self, const Tensor& other);                    \
  ETUDE_API Tensor name(const Tensor& self, const Scalar& other);                    \
  ETUDE_API Tensor name(const Scalar& self, const Tensor& other);                    \
  inline Tensor operator op(const Tensor& a, const Tensor& b) { return name(a, b); } \
  inline Tensor operator op(const Tensor& a, const Scalar& b) { return name(a, b); } \
  inline Tensor operator op(const Scalar& a, const Tensor& b) { return name(b, a); }
ETUDE_BITWISE(&, bitwise_and)
ETUDE_BITWISE(|, bitwise_or)
ETUDE_BITWISE(^, bitwise_xor)
#undef ETUDE_BITWISE
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
