#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/ops/detail/elementary.h"

namespace etude::detail {

/// Joins load(0), ..., load(n - 1). Element i is joined into partial result i mod kLanes, so that the loop becomes
/// vector instructions, and the partial results by halves: the order depends on n alone. Called inside vectorised().
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
#pragma GCC unroll 1  // unrolled, it would no longer become one instruction
#endif
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = join(lanes[j], load(i + j));
  }
  for (; i < n; ++i) lanes[i % kLanes] = join(lanes[i % kLanes], load(i));
#pragma GCC unroll 4  // each as a vector of its own
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) lanes[j] = join(lanes[j], lanes[j + width]);
  return lanes[0];
}

/// The sum of term(0), ..., term(n - 1): up to kTerms of them in T, and their sums in double.
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

/// The largest of n elements, if there is no nan. One comparison, which is an instruction: a nan is found when what is made with
/// the largest is added up.
template <typename T>
ETUDE_INLINE T largest_of(const T* x, int64_t n) {
  return fold_lane(
      n, -std::numeric_limits<T>::infinity(), [=](int64_t i) { return x[i]; },
      [](T a, T b) { return a > b ? a : b; });
}

/// What n elements are multiplied by so that their sum is 1.
template <typename T>
ETUDE_INLINE T factor_of(const T* y, int64_t n) {
  return static_cast<T>(1 / sum_lane<T>(n, [=](int64_t i) { return y[i]; }));
}

/// What makes probabilities of a row of scores.
template <typename T>
struct Shares {
  T largest, factor;
  template <typename Form>
  T share(Form form, T x) const {
    return fast_exp(form, x - largest) * factor;
  }
};

/// What log_softmax subtracts from a row of scores.
template <typename T>
struct Shift {
  T largest, log_sum;
  T log_probability(T x) const { return x - largest - log_sum; }
};

/// A few lanes of n elements, each `apart` elements after the one before. Each step is made for all of them before the next one:
/// a step of one lane would have to wait for the result of the step before.
struct Lanes {
  int64_t n, apart, count;
  static constexpr int64_t kMost = 8;
  /// So many of this length that they stay in the first cache.
  static int64_t together(int64_t n) { return std::clamp<int64_t>(1024 / std::max<int64_t>(n, 1), 1, kMost); }
};

/// Calls write(start, number(start)) for every lane, where start is its first element.
template <typename Number, typename Write>
ETUDE_INLINE void for_each_lane(const Lanes& lanes, const Number& number, const Write& write) {
  decltype(number(int64_t{})) of[Lanes::kMost];
  for (int64_t l = 0; l < lanes.count; ++l) of[l] = number(l * lanes.apart);
  for (int64_t l = 0; l < lanes.count; ++l) write(l * lanes.apart, of[l]);
}

/// What log_softmax subtracts from each lane.
template <typename T, typename Form>
ETUDE_INLINE void find_shifts(const T* x, const Lanes& lanes, Shift<T>* shifts, Form form) {
  for (int64_t l = 0; l < lanes.count; ++l) shifts[l].largest = largest_of(x + l * lanes.apart, lanes.n);
  double sums[Lanes::kMost];
  for (int64_t l = 0; l < lanes.count; ++l)
    sums[l] = sum_lane<T>(lanes.n, [from = x + l * lanes.apart, largest = shifts[l].largest,
                                    form](int64_t i) { return fast_exp(form, from[i] - largest); });
  for (int64_t l = 0; l < lanes.count; ++l) shifts[l].log_sum = static_cast<T>(std::log(sums[l]));
}

/// Calls f(form, in, out, lanes) inside vectorised() for all lanes along `dim` of contiguous tensors of equal sizes: in[i] are
/// lanes of inputs[i] and out those of output. Lanes whose elements do not follow one another are copied to and fro, a
/// cache line of neighbours at a time, so that f computes the same bits along any dim. The sizes are not zero.
template <typename T, size_t N, typename F>
void for_each_packed_lane(const std::array<const T*, N>& inputs, T* output, const Shape& sizes, int64_t dim,
                          const F& f) {
  int64_t inner = 1, outer = 1;
  for (int64_t d = 0; d < sizes.size(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : sizes[d];
  const int64_t n = sizes.empty() ? 1 : sizes[dim], grain = std::max<int64_t>(1, kGrain / 8 / n),
                step = Lanes::together(n);
  // Of `count` lanes that begin `apart` elements after one another.
  const auto run = [&](std::array<const T*, N> in, T* out, int64_t apart, int64_t count) {
    vectorised<T>([=](auto form) mutable {
      for (int64_t lane = 0; lane < count; lane += step, out += step * apart) {
        f(form, in, out, Lanes{n, apart, std::min(step, count - lane)});
        for (const T*& x : in) x += step * apart;
      }
    });
  };
  if (inner == 1) {
    parallel_for(0, outer, grain, [&](int64_t begin, int64_t end) {
      std::array<const T*, N> in = inputs;
      for (const T*& x : in) x += begin * n;
      run(in, output + begin * n, n, end - begin);
    });
    return;
  }
  constexpr int64_t together = 64 / static_cast<int64_t>(sizeof(T));
  const int64_t groups = (inner + together - 1) / together;
  parallel_for(0, outer * groups, std::max<int64_t>(1, grain / together), [&](int64_t begin, int64_t end) {
    const int64_t apart =
        n + together;  // not n: lanes a power of two apart would compete for the same places in the cache
    std::vector<T> packed((N + 1) * static_cast<size_t>(together * apart));
    std::array<const T*, N> in;
    for (size_t o = 0; o < N; ++o) in[o] = packed.data() + o * static_cast<size_t>(together * apart);
    T* const out = packed.data() + N * static_cast<size_t>(together * apart);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t left = i % groups * together, width = std::min(together, inner - left),
                    start = i / groups * n * inner + left;
      for (size_t o = 0; o < N; ++o) {
        T* const to = packed.data() + o * static_cast<size_t>(together * apart);
        for (int64_t k = 0; k < n; ++k)
          for (int64_t lane = 0; lane < width; ++lane)
            to[lane * apart + k] = inputs[o][start + k * inner + lane];
      }
      run(in, out, apart, width);
      for (int64_t k = 0; k < n; ++k)
        for (int64_t lane = 0; lane < width; ++lane) output[start + k * inner + lane] = out[lane * apart + k];
    }
  });
}

}  // namespace etude::detail
