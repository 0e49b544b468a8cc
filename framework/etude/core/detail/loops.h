#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/tensor_impl.h"
#include "etude/core/detail/vectorised.h"

namespace etude::detail {

/// How N operands of equal sizes are walked together. Dims contiguous in all operands are merged; the innermost is last.
template <int N>
struct Walk {
  int64_t dims = 0;
  int64_t count = 1;
  std::array<int64_t, kMaxDims> sizes;
  std::array<std::array<int64_t, kMaxDims>, N> strides;

  int64_t inner() const { return sizes[static_cast<size_t>(dims - 1)]; }
  int64_t stride(int operand) const {
    return strides[static_cast<size_t>(operand)][static_cast<size_t>(dims - 1)];
  }
};

/// A walk over `sizes` in the order of the dims. Each operand has as many strides as there are sizes, 0 where it is
/// broadcast.
template <int N>
Walk<N> make_walk(const Shape& sizes, const std::array<Shape, N>& strides) {
  Walk<N> w;
  w.count = count_elements(sizes);
  for (int64_t d = 0; d < sizes.size() && w.count > 0; ++d) {
    if (sizes[d] == 1) continue;
    bool joins = w.dims > 0;
    const auto last = static_cast<size_t>(std::max<int64_t>(w.dims - 1, 0));
    for (size_t o = 0; o < N && joins; ++o) joins = w.strides[o][last] == strides[o][d] * sizes[d];
    const auto at = joins ? last : static_cast<size_t>(w.dims++);
    w.sizes[at] = joins ? w.sizes[at] * sizes[d] : sizes[d];
    for (size_t o = 0; o < N; ++o) w.strides[o][at] = strides[o][d];
  }
  if (w.dims == 0) {
    w.dims = 1;
    w.sizes[0] = w.count;
    for (size_t o = 0; o < N; ++o) w.strides[o][0] = 0;
  }
  return w;
}

/// How far a step along a dim goes in memory. Expanded dims (stride 0) count as the longest, so they are walked outermost.
inline int64_t reach(int64_t stride) { return stride == 0 ? std::numeric_limits<int64_t>::max() : stride; }

/// As make_walk(), but with the dims ordered by the strides of operand 0, the smallest innermost.
template <int N>
Walk<N> memory_walk(Shape sizes, std::array<Shape, N> strides) {
  for (int64_t i = 1; i < sizes.size(); ++i)
    for (int64_t d = i; d > 0 && reach(strides[0][d - 1]) < reach(strides[0][d]); --d) {
      std::swap(sizes[d - 1], sizes[d]);
      for (Shape& s : strides) std::swap(s[d - 1], s[d]);
    }
  return make_walk<N>(sizes, strides);
}

/// Takes the offset at which each operand starts, in elements, and the number of elements along the innermost dim.
template <int N>
using Row = FunctionRef<void(const std::array<int64_t, N>& offsets, int64_t n)>;

/// Calls row(offsets, n) for all runs of elements along the innermost dim. N is 1 to 4 (loops.cpp).
template <int N>
void for_each_row(const Walk<N>& w, int64_t grain, Row<N> row);

/// Copies n elements of 1, 2, 4 or 8 bytes; `to` may equal `from`. The strides count elements.
void move_row(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n,
              int64_t bytes);

/// As move_row(), for all elements of a tensor of these `sizes`.
void move_rows(const Shape& sizes, std::byte* to, const Shape& to_strides, const std::byte* from,
               const Shape& from_strides, int64_t bytes);

/// A run of elements along one dim.
template <typename T>
struct Lane {
  T* data;
  int64_t size, stride;
  T& operator[](int64_t i) const { return data[i * stride]; }
};

/// Calls f(offsets) for every lane along `dim`, where offsets[o] is the first element of the lane in operand o.
/// The operands have the same sizes apart from that dim; strides[o] are the strides of operand o. A lane is never divided
/// among threads, so a sum along a lane does not depend on their number.
template <int N, typename F>
void for_each_strided_lane(const Shape& sizes, int64_t dim, const std::array<Shape, N>& strides, F&& f) {
  Shape outer = sizes;
  std::array<Shape, N> outer_strides = strides;
  if (sizes.size() > 0) {
    outer.erase(dim);
    for (Shape& s : outer_strides) s.erase(dim);
  }
  const int64_t length = sizes.size() > 0 ? sizes[dim] : 1;
  const Walk<N> w = make_walk<N>(outer, outer_strides);
  if (w.count == 0) return;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(length, 1));
  for_each_row<N>(w, grain, [&](const std::array<int64_t, N>& start, int64_t n) {
    std::array<int64_t, N> at = start;
    for (int64_t i = 0; i < n; ++i) {
      f(static_cast<const std::array<int64_t, N>&>(at));
      for (size_t o = 0; o < N; ++o) at[o] += w.strides[o][static_cast<size_t>(w.dims - 1)];
    }
  });
}

}  // namespace etude::detail
