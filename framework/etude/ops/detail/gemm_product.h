#pragma once

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/vectorised.h"
#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/gemm.h"

// Shared by gemm.cpp and its two faster methods for some products.

namespace etude::detail {

constexpr int64_t kDepth = 512;

// One step of a sum of products, with the multiply-add of the form for real numbers.
template <typename T, typename Form>
T step(Form, T a, T b, T sum) {
  if constexpr (is_floating<T>) return Form::fma(a, b, sum);
  else return Plus{}(sum, Times{}(a, b));
}

// b may have a narrower type than the sums.
template <typename T, typename B = T>
struct Product {
  MatrixView<const T> a;
  MatrixView<const B> b;
  MatrixView<T> c;
  T alpha, beta;
  const T* row;  // if given, it replaces every row of c

  T start(int64_t i, int64_t j) const {
    return row ? Times{}(beta, row[j]) : beta == T(0) ? T(0) : Times{}(beta, c.row(i)[j]);
  }
  bool adds_nothing() const { return alpha == T(0) || a.columns == 0; }
  Product rows(int64_t first, int64_t count) const {
    return {a.block(first, count, 0, a.columns), b, c.block(first, count, 0, c.columns), alpha, beta, row};
  }
  Product columns(int64_t first, int64_t count) const {
    return {a,    b.block(0, b.rows, first, count), c.block(0, c.rows, first, count), alpha,
            beta, row ? row + first : row};
  }
};

template <typename T, typename B>
void begin_with(const Product<T, B>& p) {
  for (int64_t i = 0; i < p.c.rows; ++i)
    for (int64_t j = 0; j < p.c.columns; ++j) p.c.row(i)[j] = p.start(i, j);
}

// Where sums stay in registers: with clang if they are vectors, with GCC (when steps are fused) if they are numbers.
#ifdef __clang__
constexpr bool kNumbersStay = false;
#else
constexpr bool kNumbersStay = true;
#endif

}  // namespace etude::detail
