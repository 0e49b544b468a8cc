// c = alpha a b + beta c for matrices of numbers. Every element is made of the same steps, however the work is cut and
// whoever does it:
//
//   s_p = sum of (alpha a[i][k]) b[k][j] over the p-th kDepth of all k, one after the other
//   c[i][j] = ((beta c[i][j] + s_0) + s_1) + ...
//
// The plain kernel says it in loops. Large products are made of tiles that fit the registers, from copies of b, and of a if
// b has many columns, in the order in which they are read (Goto and van de Geijn 2008, "Anatomy of high-performance matrix
// multiplication"). Small ones, and those of few rows, are left to oneDNN, which copies nothing and adds up in an order of its own.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"
#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"

namespace etude {
namespace {

using namespace detail;

constexpr int64_t kDepth = 512;

// One step of a sum of products, of real numbers as the form has it.
template <typename T, typename Form>
T step(Form, T a, T b, T sum) {
  if constexpr (is_floating<T>) return Form::fma(a, b, sum);
  else return Plus{}(sum, Times{}(a, b));
}

// The numbers of b may be narrower than those of the sums.
template <typename T, typename B = T>
struct Product {
  MatrixView<const T> a;
  MatrixView<const B> b;
  MatrixView<T> c;
  T alpha, beta;
  const T* row;  // if there is one, it takes the place of every row of c

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

// Whether there are tiles of such products.
template <typename T, typename B>
constexpr bool has_tiles = (is_floating<T> && std::is_same_v<T, B>);

template <typename T, typename B>
void begin_with(const Product<T, B>& p) {
  for (int64_t i = 0; i < p.c.rows; ++i)
    for (int64_t j = 0; j < p.c.columns; ++j) p.c.row(i)[j] = p.start(i, j);
}

// The plain kernel: one multiple of a row of b after the other, kTogether for each time that the sums are read, so that as many
// runs of memory are read at once. Other vectors than the widest ask for them ahead of time, or would wait. The rows of b are
// runs; all rows of c, which are few, take part of one while it is near.
constexpr int64_t kTogether = 8;
template <typename T, typename B, typename Form>
void multiply_plain(const Product<T, B>& p, T* sums, Form form) {
  constexpr bool narrow = !std::is_same_v<T, B>, asks_ahead = narrow || Form::bytes < 64;
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(B)), kNear = 4 * kLine;
  const int64_t n = p.c.columns, near = asks_ahead || p.c.rows > 1 ? kNear : n;
  const auto add_rows = [=, &p](auto count, int64_t k) {
    constexpr int64_t kCount = decltype(count)::value;
    T wide[narrow ? kCount : 1][kNear], factors[kFewRows][kCount];
    for (int64_t i = 0; i < p.c.rows; ++i)
      for (int64_t r = 0; r < kCount; ++r)
        factors[i][r] = Times{}(p.alpha, p.a.row(i)[(k + r) * p.a.column_stride]);
    for (int64_t j = 0; j < n; j += near) {
      const int64_t width = std::min(near, n - j);
      const T* rows[kCount];
      for (int64_t r = 0; r < kCount; ++r) {
        const B* const row = p.b.row(k + r) + j;
        for (int64_t s = 0; asks_ahead && s < width; s += kLine)
          __builtin_prefetch(row + kCount * p.b.row_stride + s, 0, 2);
        if constexpr (narrow) rows[r] = std::copy_n(row, width, wide[r]) - width;
        else rows[r] = row;
      }
      for (int64_t i = 0; i < p.c.rows; ++i) {
        T* const to = sums + i * n + j;
        for (int64_t s = 0; s < width; ++s) {
          T sum = to[s];
          for (int64_t r = 0; r < kCount; ++r) sum = step(form, factors[i][r], rows[r][s], sum);
          to[s] = sum;
        }
      }
    }
  };
  begin_with(p);
  for (int64_t k = 0; k < p.a.columns;) {
    const int64_t end = std::min(p.a.columns, k + kDepth);
    std::fill_n(sums, p.c.rows * n, T(0));
    for (; k + kTogether <= end; k += kTogether) add_rows(std::integral_constant<int64_t, kTogether>(), k);
    for (; k < end; ++k) add_rows(std::integral_constant<int64_t, 1>(), k);
    for (int64_t i = 0; i < p.c.rows; ++i) {
      T* const row = p.c.row(i);
      for (int64_t j = 0; j < n; ++j) row[j] = Plus{}(row[j], sums[i * n + j]);
    }
  }
}

// The size of a tile for vectors of so many bytes: of its accumulators, two vectors of b and one number of a the
// registers hold all.
template <typename T, int kBytes>
struct TileSize {
  static constexpr int64_t rows = kBytes == 64 ? 8 : 6,
                           columns = 2 * kBytes / static_cast<int64_t>(sizeof(T));
};
// Of a and b, so much is copied at a time: b for the second cache, where it stays for all rows of a.
constexpr int64_t kRows = 960, kColumns = 128;

// Four runs of four numbers turned over.
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

// Copies a [depth, width] into strips [depth, kWidth] one after the other, the last filled up with zeros.
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

// The sums of a tile, from rows of a, whose numbers are so far apart, and a strip of b. They stay in registers: with clang where
// they are vectors, and with GCC, if steps are fused, where they are numbers.
#ifdef __clang__
constexpr bool kNumbersStay = false;
#else
constexpr bool kNumbersStay = true;
#endif
template <int64_t kHeight, int64_t kWidth, typename T, typename Form>
ETUDE_INLINE void add_up_tile(int64_t depth, const T* const (&rows)[kHeight], int64_t apart, const T* b,
                              T* sums, [[maybe_unused]] Form form) {
  if constexpr (Form::fused && kNumbersStay) {
    T s[kHeight][kWidth];
    const auto add = [&](int64_t k, auto first) {
#pragma GCC unroll 8
      for (int64_t i = 0; i < kHeight; ++i)
#pragma GCC unroll 1  // unrolled, it would no longer become vectors that stay in registers
        for (int64_t j = 0; j < kWidth; ++j)
          s[i][j] = step(form, rows[i][k * apart], b[k * kWidth + j], first ? T(0) : s[i][j]);
    };
    add(0, std::true_type());
    for (int64_t k = 1; k < depth; ++k) add(k, std::false_type());
    for (int64_t i = 0; i < kHeight; ++i)
      for (int64_t j = 0; j < kWidth; ++j) sums[i * kWidth + j] = s[i][j];
  } else {
    typedef T Vector __attribute__((vector_size(Form::bytes)));
    constexpr int64_t kLanes = Form::bytes / static_cast<int64_t>(sizeof(T)), kVectors = kWidth / kLanes;
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
            for (int64_t l = 0; l < kLanes; ++l) s[i][j][l] = std::fma(factor, row[j][l], s[i][j][l]);
          } else {
            s[i][j] = factor * row[j] + s[i][j];
          }
        }
      }
    }
    std::memcpy(sums, s, sizeof s);
  }
}

// Adds sums to a tile of c, or to what it starts with. The loops over whole rows have a constant length.
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
#pragma GCC unroll 1  // unrolled, neither would become vectors
        for (int64_t s = 0; s < n; ++s) to[s] = T(0) + sums[s];
      } else {
#pragma GCC unroll 1
        for (int64_t s = 0; s < n; ++s) to[s] = beta * from[s] + sums[s];
      }
    };
    width == kWidth ? add(kWidth) : add(width);
  }
}

// Whether the rows of a, which are runs of memory, are read where they lie: a copy is not worth it for few columns.
template <typename T>
bool takes_a_as_it_lies(const Product<T>& p) {
  return p.a.column_stride == 1 && p.alpha == T(1) && p.c.columns <= 512;
}

// By tiles, on the calling thread, with room for the copies.
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
  // Whole strips of any width, and those of b from the start of a cache line on.
  const auto whole = [](int64_t n) { return (n + 95) / 96 * 96; };
  const int64_t depth = std::min(kDepth, p.a.columns),
                for_a = takes_a_as_it_lies(p) ? 0 : depth * std::min(kRows, whole(p.c.rows)),
                for_b = depth * std::min(whole(kColumns), whole(p.c.columns));
  const Tensor strips = make_tensor({for_a + for_b}, CppTypeToScalarType<T>::value);
  vectorised(
      [&p, to = impl(strips).data<T>(), for_a](auto form) { multiply_tiles(p, to, to + for_a, form); });
}

// A b whose rows are not runs of memory is copied first.
template <typename T, typename B>
void by_rows(Product<T, B> p) {
  const int64_t k = p.b.rows, n = p.b.columns, copied = p.b.column_stride != 1 ? k * n : 0;
  const Tensor copy = make_tensor({copied}, CppTypeToScalarType<B>::value),
               memory = make_tensor({std::min(kFewRows, p.c.rows) * n}, CppTypeToScalarType<T>::value);
  B* const runs = impl(copy).data<B>();
  for (int64_t i = 0; i < copied; ++i) runs[i] = p.b.row(i / n)[i % n * p.b.column_stride];
  if (copied > 0) p.b = {runs, k, n, n, 1};
  vectorised([=, sums = impl(memory).data<T>()](auto form) {
    for (int64_t i = 0; i < p.c.rows; i += kFewRows)
      multiply_plain(p.rows(i, std::min(kFewRows, p.c.rows - i)), sums, form);
  });
}

// One row, or a few where b is of halves, waits for b, which is read once, as it lies: row by row, or, where columns are runs of
// memory, by dot products with them. Their partial sums lie side by side, another order of sums, so that they stand in for
// oneDNN's.
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
#pragma GCC unroll 8  // each as a vector of its own
  for (int64_t width = kSums / 2; width > 0; width /= 2)
    for (int64_t s = 0; s < width; ++s) sums[s] += sums[s + width];
  return sums[0];
}

// The same of kCount columns, which are read from memory at once: for vectors that hold all sums in registers.
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

template <typename T>
onednn::Matrix<T> matrix_of(MatrixView<const T> v) {
  if (v.has_rows_in_runs()) return {v.data, false, v.row_stride};
  return {v.data, true, v.column_stride};
}

bool by_onednn(const Product<float>& p) {
  if (!onednn::enabled()) return false;
  if (p.row) begin_with(p);
  return onednn::gemm(p.c.rows, p.c.columns, p.a.columns, p.alpha, matrix_of(p.a), matrix_of(p.b),
                      p.row ? 1 : p.beta, p.c.data, p.c.row_stride);
}
template <typename T, typename B>
bool by_onednn(const Product<T, B>&) {
  return false;
}

// Whether copies into strips pay: they are read once for every tile beside which they lie.
template <typename T, typename B>
bool is_for_tiles(const Product<T, B>& p) {
  const bool has_other = std::is_same_v<T, float> && onednn::enabled();
  const int64_t least = std::min(p.c.rows, p.c.columns), steps = p.c.rows * p.c.columns * p.a.columns;
  return has_tiles<T, B> && least >= (has_other ? 32 : 4) && steps >= (has_other ? 1 << 20 : 1 << 12);
}

// On the calling thread, unless the rows or columns of tiles are handed out.
template <typename T, typename B>
void multiply(const Product<T, B>& p) {
  if (p.c.rows <= 0 || p.c.columns <= 0) return;
  if (p.adds_nothing()) return begin_with(p);
  if constexpr (has_tiles<T, B>)
    if (is_for_tiles(p)) return by_tiles(p);
  if constexpr (is_floating<T>)
    if (waits_for_b(p) && p.b.column_stride != 1) return by_dots(p);
  if (waits_for_b(p) || !by_onednn(p)) by_rows(p);
}

// Whether every cut gives the same bits.
template <typename T, typename B>
bool cuts_freely(const Product<T, B>& p) {
  return is_for_tiles(p) || waits_for_b(p);
}

// How many rows or columns are handed out together. oneDNN's order of sums depends on the sizes, which are therefore the same
// for any number of threads.
template <typename T, typename B>
int64_t piece_of(const Product<T, B>& p, bool rows) {
  if (cuts_freely(p)) return rows ? (isa() == Isa::Avx512 ? 8 : 6) : 32;
  const int64_t length = rows ? p.c.rows : p.c.columns,
                pieces = std::clamp<int64_t>((length + 127) / 128, 1, 16);
  return (length + pieces * 16 - 1) / (pieces * 16) * 16;
}

template <typename T, typename B>
void hand_out(const Product<T, B>& p) {
  const bool rows = p.c.rows >= p.c.columns, free = cuts_freely(p), tiles = is_for_tiles(p);
  const int64_t length = rows ? p.c.rows : p.c.columns, piece = piece_of(p, rows);
  parallel_for(0, (length + piece - 1) / piece, 1, [&](int64_t begin, int64_t end) {
    for (const int64_t pieces = free ? end - begin : 1; begin < end; begin += pieces) {
      const int64_t first = begin * piece, count = std::min(pieces * piece, length - first);
      const Product<T, B> part = rows ? p.rows(first, count) : p.columns(first, count);
      if constexpr (has_tiles<T, B>)
        if (tiles) {
          by_tiles(part);
          continue;
        }
      multiply(part);
    }
  });
}

}  // namespace

template <typename T>
void detail::gemm_block(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T alpha, T beta) {
  multiply(Product<T>{a, b, c, alpha, beta, nullptr});
}

template <typename T, typename B>
void detail::gemm(MatrixView<const T> a, MatrixView<const B> b, MatrixView<T> c, T alpha, T beta,
                  const T* row) {
  const Product<T, B> p{a, b, c, alpha, beta, row};
  const bool small = c.rows * c.columns * std::max<int64_t>(a.columns, 1) <= kSerialWork;
  small || p.adds_nothing() ? multiply(p) : hand_out(p);
}

// One set of cuts for any number of threads: oneDNN's order of sums may depend on the sizes.
void detail::gemm_by_onednn(MatrixView<const BFloat16> a, MatrixView<const BFloat16> b,
                            MatrixView<BFloat16> c, const BFloat16* row) {
  constexpr int64_t kPiece = 192;  // the widths of many models are an even number of them
  const Product<BFloat16> p{a, b, c, BFloat16(1), BFloat16(1), row};
  const bool rows = c.rows >= c.columns, small = c.rows * c.columns * a.columns <= kSerialWork;
  const int64_t length = rows ? c.rows : c.columns, pieces = (length + kPiece - 1) / kPiece;
  parallel_for(0, pieces, small ? pieces : 1, [&](int64_t begin, int64_t end) {
    for (; begin < end; ++begin) {
      const int64_t first = begin * kPiece, count = std::min(kPiece, length - first);
      const Product<BFloat16> part = rows ? p.rows(first, count) : p.columns(first, count);
      onednn::gemm(part.c.rows, part.c.columns, part.a.columns, matrix_of(part.a), matrix_of(part.b),
                   part.row, part.c.data, part.c.row_stride);
    }
  });
}

#define ETUDE_GEMM(T)                                                                                  \
  template void detail::gemm(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, T, T, const T*); \
  template void detail::gemm_block(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, T, T);
ETUDE_GEMM(float)
ETUDE_GEMM(double)
ETUDE_GEMM(int32_t)
ETUDE_GEMM(int64_t)
ETUDE_GEMM(uint8_t)
template void detail::gemm(MatrixView<const float>, MatrixView<const BFloat16>, MatrixView<float>, float,
                           float, const float*);

}  // namespace etude
