#pragma once

#include <cmath>
#include <cstring>

#include "etude/ops/detail/gemm_product.h"

// Large products: tiles that fit the registers, computed from copies of b (and of a if b has many columns) in the order in
// which they are read (Goto and van de Geijn 2008, "Anatomy of high-performance matrix multiplication").

namespace etude::detail {

// Whether such products can use tiles.
template <typename T, typename B>
constexpr bool has_tiles = (is_floating<T> && std::is_same_v<T, B>);

// The size of a tile for vectors of kBytes bytes. The registers hold all accumulators of a tile, two vectors of b and one
// number of a.
template <typename T, int kBytes>
struct TileSize {
  static constexpr int64_t rows = kBytes == 64 ? 8 : 6,
                           columns = 2 * kBytes / static_cast<int64_t>(sizeof(T));
};
// How much of a and b is copied at a time. The copy of b fits the second-level cache and stays there for all rows of a.
constexpr int64_t kRows = 960, kColumns = 128;

// Transposes a block of 4 x 4 numbers.
template <typename T>
void turn_4x4(const T* from, int64_t apart, T* to, int64_t to_apart) {
#if __has_builtin(__builtin_shufflevector)
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four in[4], out[4];
  for (int r = 0; r < 4; ++r) std::memcpy(&in[r], from + r * apart, sizeof(Four));
  const Four a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
             b = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
             c = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
             d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  out[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  out[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  for (int r = 0; r < 4; ++r) std::memcpy(to + r * to_apart, &out[r], sizeof(Four));
#else
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s) to[s * to_apart + r] = from[r * apart + s];
#endif
}

// Copies a matrix [depth, width] into strips [depth, kWidth], one after the other. The last strip is padded with zeros.
template <int64_t kWidth, typename T>
ETUDE_INLINE void pack(MatrixView<const T> m, T* to) {
  constexpr int64_t kAhead = 16, kLine = 64 / static_cast<int64_t>(sizeof(T));
  for (int64_t first = 0; first < m.columns; first += kWidth, to += m.rows * kWidth) {
    const int64_t width = std::min(kWidth, m.columns - first);
    const T* const from = m.data + first * m.column_stride;
    int64_t k = 0;
    if (m.column_stride == 1 && width == kWidth) {
      for (; k < m.rows; ++k) {
        const T* const row = from + k * m.row_stride;
        for (int64_t j = 0; j < kWidth; j += kLine) __builtin_prefetch(row + kAhead * m.row_stride + j);
        std::memcpy(to + k * kWidth, row, sizeof(T) * kWidth);
      }
    } else if (m.row_stride == 1) {
      for (; k + kLine <= m.rows; k += kLine) {
        int64_t j = 0;
        for (; j + 4 <= width; j += 4) {
          const T* const four = from + j * m.column_stride + k;
          for (int64_t r = 0; r < 4; ++r) __builtin_prefetch(four + r * m.column_stride + 4 * kLine);
          for (int64_t s = 0; s < kLine; s += 4)
            turn_4x4(four + s, m.column_stride, to + (k + s) * kWidth + j, kWidth);
        }
        for (; j < width; ++j)
          for (int64_t s = k; s < k + kLine; ++s) to[s * kWidth + j] = from[s + j * m.column_stride];
        for (; j < kWidth; ++j)
          for (int64_t s = k; s < k + kLine; ++s) to[s * kWidth + j] = 0;
      }
    }
    for (; k < m.rows; ++k)
      for (int64_t j = 0; j < kWidth; ++j)
        to[k * kWidth + j] = j < width ? from[k * m.row_stride + j * m.column_stride] : T(0);
  }
}

// The sums of a tile, from a strip of b and rows of a, in which neighbouring numbers are `apart` elements apart.
template <int64_t kHeight, int64_t kWidth, typename T, typename Form>
ETUDE_INLINE void add_up_tile(int64_t depth, const T* const (&rows)[kHeight], int64_t apart, const T* b,
                              T* sums, [[maybe_unused]] Form form) {
  if constexpr (Form::fused && kNumbersStay) {
    T s[kHeight][kWidth];
    const auto add = [&](int64_t k, auto first) {
#pragma GCC unroll 8
      for (int64_t i = 0; i < kHeight; ++i)
#pragma GCC unroll 1  // unrolling would keep it from becoming vectors that stay in registers
        for (int64_t j = 0; j < kWidth; ++j)
          s[i][j] = step(form, rows[i][k * apart], b[k * kWidth + j], first ? T(0) : s[i][j]);
    };
    add(0, std::true_type());
    for (int64_t k = 1; k < depth; ++k) add(k, std::false_type());
    for (int64_t i = 0; i < kHeight; ++i)
      for (int64_t j = 0; j < kWidth; ++j) sums[i * kWidth + j] = s[i][j];
  } else {
    typedef T Vector __attribute__((vector_size(Form::bytes)));
    constexpr int64_t kNumbers = Form::bytes / static_cast<int64_t>(sizeof(T)), kVectors = kWidth / kNumbers;
    Vector s[kHeight][kVectors] = {}, row[kVectors];
    for (int64_t k = 0; k < depth; ++k) {
      std::memcpy(row, b + k * kWidth, sizeof row);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kHeight; ++i) {
        const T factor = rows[i][k * apart];
#pragma GCC unroll 8
        for (int64_t j = 0; j < kVectors; ++j) {
          if constexpr (Form::fused) {
#pragma GCC unroll 16
            for (int64_t l = 0; l < kNumbers; ++l) s[i][j][l] = std::fma(factor, row[j][l], s[i][j][l]);
          } else {
            s[i][j] = factor * row[j] + s[i][j];
          }
        }
      }
    }
    std::memcpy(sums, s, sizeof s);
  }
}

// Adds sums to a tile of c or, for the first sums, to its start value. The loops over whole rows have a constant length.
template <int64_t kWidth, typename T>
ETUDE_INLINE void add_tile(const Product<T>& p, const T* sums, int64_t i, int64_t j, int64_t height,
                           int64_t width, bool first) {
  const T beta = first ? p.beta : T(1);
  const T* const row = first && p.row ? p.row + j : nullptr;
  for (int64_t r = 0; r < height; ++r, sums += kWidth) {
    T* const to = p.c.row(i + r) + j;
    const T* const from = row ? row : to;
    const auto add = [=](int64_t n) {
      if (!row && beta == T(0)) {
#pragma GCC unroll 1  // unrolling would keep both loops from becoming vectors
        for (int64_t s = 0; s < n; ++s) to[s] = T(0) + sums[s];
      } else {
#pragma GCC unroll 1
        for (int64_t s = 0; s < n; ++s) to[s] = beta * from[s] + sums[s];
      }
    };
    width == kWidth ? add(kWidth) : add(width);
  }
}

// Whether the rows of a, which must be contiguous, are read in place. A copy does not pay with few columns.
template <typename T>
bool takes_a_as_it_lies(const Product<T>& p) {
  return p.a.column_stride == 1 && p.alpha == T(1) && p.c.columns <= 512;
}

// Multiplies by tiles on the calling thread. of_a and of_b are buffers for the copies.
template <typename T, typename Form>
ETUDE_INLINE void multiply_tiles(const Product<T>& p, T* of_a, T* of_b, Form form) {
  constexpr int64_t kHeight = TileSize<T, Form::bytes>::rows, kWidth = TileSize<T, Form::bytes>::columns;
  alignas(64) T sums[kHeight * kWidth];
  const bool as_it_lies = takes_a_as_it_lies(p);
  const int64_t apart = as_it_lies ? 1 : kHeight;
  for (int64_t k = 0; k < p.a.columns; k += kDepth) {
    const int64_t depth = std::min(kDepth, p.a.columns - k);
    for (int64_t top = 0; top < p.c.rows; top += kRows) {
      const int64_t rows = std::min(kRows, p.c.rows - top);
      if (!as_it_lies) pack<kHeight>(p.a.block(top, rows, k, depth).turned(), of_a);
      if (p.alpha != T(1))
        for (int64_t i = 0; i < depth * ((rows + kHeight - 1) / kHeight * kHeight); ++i) of_a[i] *= p.alpha;
      for (int64_t left = 0; left < p.c.columns; left += kColumns) {
        const int64_t columns = std::min(kColumns, p.c.columns - left);
        pack<kWidth>(p.b.block(k, depth, left, columns), of_b);
        for (int64_t i = 0; i < rows; i += kHeight) {
          const T* rows_of_a[kHeight];
          for (int64_t r = 0; r < kHeight; ++r)
            rows_of_a[r] =
                as_it_lies ? p.a.row(std::min(top + i + r, p.c.rows - 1)) + k : of_a + i * depth + r;
          for (int64_t j = 0; j < columns; j += kWidth) {
            add_up_tile<kHeight, kWidth>(depth, rows_of_a, apart, of_b + j * depth, sums, form);
            add_tile<kWidth>(p, sums, top + i, left + j, std::min(kHeight, rows - i),
                             std::min(kWidth, columns - j), k == 0);
          }
        }
      }
    }
  }
}

template <typename T>
void by_tiles(const Product<T>& p) {
  // Rounded up to whole strips of any width, so that the strips of b start at a cache line.
  const auto whole = [](int64_t n) { return (n + 95) / 96 * 96; };
  const int64_t depth = std::min(kDepth, p.a.columns),
                for_a = takes_a_as_it_lies(p) ? 0 : depth * std::min(kRows, whole(p.c.rows)),
                for_b = depth * std::min(whole(kColumns), whole(p.c.columns));
  const Tensor strips = make_tensor({for_a + for_b}, CppTypeToScalarType<T>::value);
  vectorised(
      [&p, to = impl(strips).data<T>(), for_a](auto form) { multiply_tiles(p, to, to + for_a, form); });
}

}  // namespace etude::detail
