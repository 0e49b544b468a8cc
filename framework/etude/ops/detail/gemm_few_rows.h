#pragma once

#include "etude/onednn/backend.h"
#include "etude/ops/detail/gemm_product.h"

namespace etude::detail {

// With one row, or a few rows if b has 16-bit numbers, a product is limited by reading b. So b is read once, as it lies in
// memory: by rows or, if its columns are contiguous, by dot products. The partial sums of a dot product lie side by side, which
// is another order of summation. So dot products with a b that is not narrow are used only where oneDNN is enabled.
template <typename T, typename B>
bool waits_for_b(const Product<T, B>& p) {
  constexpr bool narrow = !std::is_same_v<T, B>;
  const bool has_columns = p.b.row_stride == 1 && p.a.column_stride == 1 && (narrow || onednn::enabled());
  return is_floating<T> && p.c.rows <= (narrow ? kFewRows : 1) && (p.b.column_stride == 1 || has_columns);
}

template <typename T, typename B, typename Form>
T dot_product(const T* x, const B* y, int64_t n, Form) {
  constexpr int64_t kSums = 32;
  T sums[kSums] = {};
  const auto add = [&](int64_t s, int64_t k) { sums[s] = Form::fma(x[k], static_cast<T>(y[k]), sums[s]); };
  int64_t k = 0;
  for (; k + kSums <= n; k += kSums) {
#pragma GCC unroll 1
    for (int64_t s = 0; s < kSums; ++s) add(s, k + s);
  }
  for (; k < n; ++k) add(k % kSums, k);
#pragma GCC unroll 8  // each width with vectors of its own
  for (int64_t width = kSums / 2; width > 0; width /= 2)
    for (int64_t s = 0; s < width; ++s) sums[s] += sums[s + width];
  return sums[0];
}

// The same for kCount columns, which are read from memory together: for vectors that hold all sums in registers.
template <int64_t kCount, typename T, typename Form>
ETUDE_INLINE void dot_products(const T* x, const T* y, int64_t apart, int64_t n, T* dots, Form) {
  constexpr int64_t kSums = 32;
  T sums[kCount][kSums] = {};
  const auto add = [&](int64_t c, int64_t s, int64_t k) {
    sums[c][s] = Form::fma(x[k], y[c * apart + k], sums[c][s]);
  };
  int64_t k = 0;
  for (; k + kSums <= n; k += kSums) {
#pragma GCC unroll 8
    for (int64_t c = 0; c < kCount; ++c)
#pragma GCC unroll 1
      for (int64_t s = 0; s < kSums; ++s) add(c, s, k + s);
  }
  for (; k < n; ++k)
    for (int64_t c = 0; c < kCount; ++c) add(c, k % kSums, k);
  for (int64_t c = 0; c < kCount; ++c) {
#pragma GCC unroll 8
    for (int64_t width = kSums / 2; width > 0; width /= 2)
      for (int64_t s = 0; s < width; ++s) sums[c][s] += sums[c][s + width];
    dots[c] = sums[c][0];
  }
}

template <typename T, typename B>
void by_dots(const Product<T, B>& p) {
  vectorised([&p](auto form) {
    const auto column = [&p](int64_t j) { return p.b.data + j * p.b.column_stride; };
    const auto write = [&p](int64_t i, int64_t j, T dot) { p.c.row(i)[j] = p.start(i, j) + p.alpha * dot; };
    int64_t j = 0;
    if constexpr (kNumbersStay && std::is_same_v<T, B> && decltype(form)::bytes == 64) {
      constexpr int64_t kCount = 4;
      for (; j + kCount <= p.c.columns; j += kCount)
        for (int64_t i = 0; i < p.c.rows; ++i) {
          T dots[kCount];
          dot_products<kCount>(p.a.row(i), column(j), p.b.column_stride, p.a.columns, dots, form);
          for (int64_t c = 0; c < kCount; ++c) write(i, j + c, dots[c]);
        }
    }
    for (; j < p.c.columns; ++j)
      for (int64_t i = 0; i < p.c.rows; ++i)
        write(i, j, dot_product(p.a.row(i), column(j), p.a.columns, form));
  });
}

}  // namespace etude::detail
