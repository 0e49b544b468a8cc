// c = alpha a b + beta c for matrices of numbers. The plain kernel and tiles compute every element in the same steps, however the
// work is divided:
//
//   s_p = sum of (alpha a[i][k]) b[k][j] over the p-th kDepth of all k, one after the other
//   c[i][j] = ((beta c[i][j] + s_0) + s_1) + ...
//
// The plain kernel computes this in loops; large products use tiles (gemm_tiles.h). Products with few rows are limited by reading
// b (gemm_few_rows.h): they use the plain kernel, or dot products with another order of summation. All others are left to oneDNN,
// which copies nothing and has its own order of summation.

#include <limits>

#include "etude/onednn/detail/onednn.h"
#include "etude/ops/detail/gemm_few_rows.h"
#include "etude/ops/detail/gemm_tiles.h"

namespace etude {
namespace {

using namespace detail;

// The plain kernel. In each pass over the sums it adds kTogether rows of b, each times its factor, so that it reads kTogether streams
// of memory at once. With vectors below 64 bytes, or a narrow b, it prefetches the next rows, because it would otherwise wait for
// memory. The rows of b are contiguous. All rows of c, which are few, use a part of a row of b while it is in the cache.
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

// Copies b first if its rows are not contiguous.
template <typename T, typename B>
void by_rows(Product<T, B> p) {
  const int64_t k = p.b.rows, n = p.b.columns, copied = p.b.column_stride != 1 ? k * n : 0;
  const Tensor copy = make_tensor({copied}, CppTypeToScalarType<B>::value),
               memory = make_tensor({std::min(kFewRows, p.c.rows) * n}, CppTypeToScalarType<T>::value);
  B* const runs = impl(copy).data<B>();
  if (copied > 0) {
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j) runs[i * n + j] = p.b.row(i)[j * p.b.column_stride];
    p.b = {runs, k, n, n, 1};
  }
  vectorised([=, sums = impl(memory).data<T>()](auto form) {
    for (int64_t i = 0; i < p.c.rows; i += kFewRows)
      multiply_plain(p.rows(i, std::min(kFewRows, p.c.rows - i)), sums, form);
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

// Whether copies into strips pay: a strip is read once for every tile along it.
template <typename T, typename B>
bool is_for_tiles(const Product<T, B>& p) {
  const bool has_other = std::is_same_v<T, float> && onednn::enabled();
  const int64_t least = std::min(p.c.rows, p.c.columns), steps = p.c.rows * p.c.columns * p.a.columns;
  return has_tiles<T, B> && least >= (has_other ? 32 : 4) && steps >= (has_other ? 1 << 20 : 1 << 9);
}

// Multiplies on the calling thread, by tiles or in another way.
template <typename T, typename B>
void multiply(const Product<T, B>& p, [[maybe_unused]] bool tiles) {
  if (p.c.rows <= 0 || p.c.columns <= 0) return;
  if (p.adds_nothing()) return begin_with(p);
  if constexpr (has_tiles<T, B>)
    if (tiles) return by_tiles(p);
  if constexpr (is_floating<T>)
    if (waits_for_b(p) && p.b.column_stride != 1) return by_dots(p);
  if (waits_for_b(p) || !by_onednn(p)) by_rows(p);
}

// How much of c a thread computes at a time.
struct Part {
  int64_t rows, columns;
};

// The parts of a grid of at most `count`, one for each thread: of all grids the one whose largest part is done first. A part reads
// its rows of a and its columns of b, and each number that it reads costs about as much as kReads products.
template <typename T, typename B>
Part part_for(const Product<T, B>& p, int64_t count) {
  constexpr int64_t kReads = 8;
  const auto share = [](int64_t length, int64_t step, int64_t parts) {
    return ((length + step - 1) / step + parts - 1) / parts * step;
  };
  Part best{p.c.rows, p.c.columns};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t down = 1; down <= count; ++down) {
    const Part part{share(p.c.rows, isa() == Isa::Avx512 ? 8 : 6, down),
                    share(p.c.columns, 32, count / down)};
    const int64_t cost = part.rows * part.columns + kReads * (part.rows + part.columns);
    if (cost < least) {
      least = cost;
      best = part;
    }
  }
  return best;
}

// Parts that are the same for any number of threads, since oneDNN's order of summation depends on the sizes.
template <typename T, typename B>
Part fixed_part(const Product<T, B>& p) {
  const auto share = [](int64_t length) {
    const int64_t pieces = std::clamp<int64_t>((length + 127) / 128, 1, 16);
    return (length + pieces * 16 - 1) / (pieces * 16) * 16;
  };
  if (p.c.rows >= p.c.columns) return {share(p.c.rows), p.c.columns};
  return {p.c.rows, share(p.c.columns)};
}

// Calls f(p) where one thread computes all, or else f(q) for the product q of each part.
template <typename T, typename B, typename F>
void for_each_part(const Product<T, B>& p, Part part, bool joins, const F& f) {
  const int64_t down = (p.c.rows + part.rows - 1) / part.rows,
                across = (p.c.columns + part.columns - 1) / part.columns;
  parallel_for(0, down * across, 1, [&](int64_t begin, int64_t end) {
    if (joins && end - begin == down * across) return f(p);
    for (; begin < end; ++begin) {
      const int64_t row = begin / across * part.rows, column = begin % across * part.columns;
      f(p.rows(row, std::min(part.rows, p.c.rows - row))
            .columns(column, std::min(part.columns, p.c.columns - column)));
    }
  });
}

template <typename T, typename B>
void hand_out(const Product<T, B>& p) {
  const bool tiles = is_for_tiles(p), cuts_freely = tiles || waits_for_b(p);  // the same bits for any parts
  for_each_part(p, cuts_freely ? part_for(p, get_num_threads()) : fixed_part(p), cuts_freely,
                [tiles](const Product<T, B>& q) { multiply(q, tiles); });
}

}  // namespace

template <typename T>
void detail::gemm_block(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T alpha, T beta) {
  const Product<T> p{a, b, c, alpha, beta, nullptr};
  multiply(p, is_for_tiles(p));
}

template <typename T, typename B>
void detail::gemm(MatrixView<const T> a, MatrixView<const B> b, MatrixView<T> c, T alpha, T beta,
                  const T* row) {
  const Product<T, B> p{a, b, c, alpha, beta, row};
  const bool small = c.rows * c.columns * std::max<int64_t>(a.columns, 1) <= kSerialWork;
  small || p.adds_nothing() ? multiply(p, is_for_tiles(p)) : hand_out(p);
}

// The pieces are the same for any number of threads, since oneDNN's order of summation may depend on the sizes.
void detail::gemm_by_onednn(MatrixView<const BFloat16> a, MatrixView<const BFloat16> b,
                            MatrixView<BFloat16> c, const BFloat16* row) {
  constexpr int64_t kPiece = 192;  // the widths of many models are an even multiple of it
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
ETUDE_GEMM(int64_t)
template void detail::gemm(MatrixView<const float>, MatrixView<const BFloat16>, MatrixView<float>, float,
                           float, const float*);

}  // namespace etude
