#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/detail/vectorised.h"
#include "etude/ops/detail/elementary.h"

namespace etude::detail {

/// Joins load(0), ..., load(n - 1). Element i goes into partial result i mod kLanes, so that the loop becomes vector
/// instructions; the partial results are joined by halves. The order depends on n alone. Call it inside vectorised().
constexpr int64_t kLanes = 16;
template <typename Acc, typename Load, typename Join>
ETUDE_INLINE Acc fold_lane(int64_t n, Acc start, const Load& load, const Join& join) {
  Acc lanes[kLanes];
  for (Acc& lane : lanes) lane = start;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#ifdef __clang__
#pragma unroll
#else
#pragma GCC unroll 1  // unrolling would keep it from becoming one instruction
#endif
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = join(lanes[j], load(i + j));
  }
  for (; i < n; ++i) lanes[i % kLanes] = join(lanes[i % kLanes], load(i));
#pragma GCC unroll 4  // each width with vectors of its own
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) lanes[j] = join(lanes[j], lanes[j + width]);
  return lanes[0];
}

/// The sum of term(0), ..., term(n - 1). Blocks of up to kTerms are summed in T, the sums of the blocks in double.
constexpr int64_t kTerms = 1024;
template <typename T, typename Term>
ETUDE_INLINE double sum_lane(int64_t n, const Term& term) {
  double total = 0;
  for (int64_t start = 0; start < n; start += kTerms)
    total += static_cast<double>(fold_lane(
        std::min(kTerms, n - start), T(0), [=](int64_t i) { return term(start + i); },
        [](T a, T b) { return a + b; }));
  return total;
}

/// The largest of n elements, if none is nan. The comparison is a single instruction. A nan shows up later, in the sum of the
/// values that the caller computes with the largest element.
template <typename T>
ETUDE_INLINE T largest_of(const T* x, int64_t n) {
  return fold_lane(
      n, -std::numeric_limits<T>::infinity(), [=](int64_t i) { return x[i]; },
      [](T a, T b) { return a > b ? a : b; });
}

/// The factor that scales n elements to a sum of 1.
template <typename T>
ETUDE_INLINE T factor_of(const T* y, int64_t n) {
  return static_cast<T>(1 / sum_lane<T>(n, [=](int64_t i) { return y[i]; }));
}

/// The largest score and the factor that turn a row of scores into probabilities (softmax).
template <typename T>
struct Shares {
  T largest, factor;
  template <typename Form>
  T share(Form form, T x) const {
    return fast_exp(form, x - largest) * factor;
  }
};

/// The terms that log_softmax subtracts from a row of scores.
template <typename T>
struct Shift {
  T largest, log_sum;
  T log_probability(T x) const { return x - largest - log_sum; }
};

/// Lanes of n elements, the first at `start` and each `apart` elements after the one before. `step` of them are computed
/// together.
struct Lanes {
  int64_t n, apart, count, start = 0, step = together(n);

  static constexpr int64_t kMost = 8;
  /// How many lanes are computed together, each step for all of them before the next step: a step of one lane would have to wait
  /// for the result of the step before. They stay in the first cache.
  static int64_t together(int64_t n) { return std::clamp<int64_t>(1024 / std::max<int64_t>(n, 1), 1, kMost); }
  /// The `step` lanes from `first` on, or as many as are left.
  Lanes from(int64_t first) const { return {n, apart, std::min(step, count - first), start_of(first), step}; }
  /// The first element of a lane, and the one after its last.
  int64_t start_of(int64_t lane) const { return start + lane * apart; }
  int64_t end_of(int64_t lane) const { return start_of(lane) + n; }
};

/// What log_softmax subtracts from each of a few lanes.
template <typename T, typename Form>
ETUDE_INLINE void find_shifts(const T* x, const Lanes& lanes, Shift<T>* shifts, Form form) {
  for (int64_t l = 0; l < lanes.count; ++l) shifts[l].largest = largest_of(x + lanes.start_of(l), lanes.n);
  double sums[Lanes::kMost];
  for (int64_t l = 0; l < lanes.count; ++l)
    sums[l] = sum_lane<T>(lanes.n, [from = x + lanes.start_of(l), largest = shifts[l].largest,
                                    form](int64_t i) { return fast_exp(form, from[i] - largest); });
  for (int64_t l = 0; l < lanes.count; ++l) shifts[l].log_sum = static_cast<T>(std::log(sums[l]));
}

/// Calls f(form, inputs, output, lanes) inside vectorised() for all lanes along `dim` of contiguous tensors of equal sizes. Lanes
/// whose elements are not adjacent are copied to and from a buffer, a cache line of neighbours at a time, so that f computes the
/// same bits along any dim. The sizes are not zero.
template <typename T, size_t N, typename F>
void for_each_packed_lane(const std::array<const T*, N>& inputs, T* output, const Shape& sizes, int64_t dim,
                          const F& f) {
  int64_t inner = 1, outer = 1;
  for (int64_t d = 0; d < sizes.size(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : sizes[d];
  const int64_t n = sizes.empty() ? 1 : sizes[dim], grain = std::max<int64_t>(1, kGrain / 8 / n);
  if (inner == 1)
    return parallel_for(0, outer, grain, [&](int64_t begin, int64_t end) {
      vectorised<T>(f, inputs, output, Lanes{n, n, end - begin, begin * n});
    });
  constexpr int64_t kNeighbours = 64 / static_cast<int64_t>(sizeof(T));
  const int64_t groups = (inner + kNeighbours - 1) / kNeighbours;
  parallel_for(0, outer * groups, std::max<int64_t>(1, grain / kNeighbours), [&](int64_t begin, int64_t end) {
    const int64_t apart =
        n + kNeighbours;  // not n: lanes a power of two apart would compete for the same places in the cache
    std::vector<T> packed((N + 1) * static_cast<size_t>(kNeighbours * apart));
    std::array<const T*, N> in;
    for (size_t o = 0; o < N; ++o) in[o] = packed.data() + o * static_cast<size_t>(kNeighbours * apart);
    T* const out = packed.data() + N * static_cast<size_t>(kNeighbours * apart);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t left = i % groups * kNeighbours, width = std::min(kNeighbours, inner - left),
                    start = i / groups * n * inner + left;
      for (size_t o = 0; o < N; ++o) {
        T* const to = packed.data() + o * static_cast<size_t>(kNeighbours * apart);
        for (int64_t k = 0; k < n; ++k)
          for (int64_t lane = 0; lane < width; ++lane)
            to[lane * apart + k] = inputs[o][start + k * inner + lane];
      }
      vectorised<T>(f, in, out, Lanes{n, apart, width});
      for (int64_t k = 0; k < n; ++k)
        for (int64_t lane = 0; lane < width; ++lane) output[start + k * inner + lane] = out[lane * apart + k];
    }
  });
}

}  // namespace etude::detail
