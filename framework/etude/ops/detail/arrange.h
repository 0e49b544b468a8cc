#pragma once

#include <cstdint>
#include <utility>

namespace etude::detail {

// Sorting, where `before(a, b)` says whether a comes before b. The order of equal elements depends on the algorithm: these are
// the steps of libstdc++, PyTorch's C++ library, so equal elements have PyTorch's order with every standard library.
//
//   sort_all     partitions around a middle element and sorts both parts, until a part is short
//   move_nth     the same, but continues only in the part with the wanted position
//   sort_some    keeps the first elements in a heap, and compares all others with its top

constexpr int64_t kShortToSort = 16;  // at most this long: insertion sort
constexpr int64_t kShortToSelect = 3;

/// Moves each element back past the elements that it comes before.
template <typename E, typename Before>
void sort_by_insertion(E* first, E* last, const Before& before) {
  for (E* i = first; i != last; ++i) {
    E moved = std::move(*i);
    E* to = i;
    for (; to != first && before(moved, to[-1]); --to) *to = std::move(to[-1]);
    *to = std::move(moved);
  }
}

/// Puts an element into a heap of n with a free place at `hole`: the hole sinks to a leaf, and the element rises
/// from there.
template <typename E, typename Before>
void fill_hole(E* heap, int64_t hole, int64_t n, E moved, const Before& before) {
  const int64_t top = hole;
  while (2 * hole + 1 < n) {
    int64_t child = 2 * hole + 2;
    if (child == n || before(heap[child], heap[child - 1])) --child;
    heap[hole] = std::move(heap[child]);
    hole = child;
  }
  for (int64_t parent = (hole - 1) / 2; hole > top && before(heap[parent], moved); parent = (hole - 1) / 2) {
    heap[hole] = std::move(heap[parent]);
    hole = parent;
  }
  heap[hole] = std::move(moved);
}

/// Makes [first, middle) a heap of the elements that come first, with the last of them at its top.
template <typename E, typename Before>
void gather_first(E* first, E* middle, E* last, const Before& before) {
  const int64_t n = middle - first;
  for (int64_t parent = n / 2 - 1; parent >= 0; --parent)
    fill_hole(first, parent, n, E(std::move(first[parent])), before);
  for (E* i = middle; i < last; ++i)
    if (before(*i, *first)) fill_hole(first, 0, n, std::exchange(*i, std::move(*first)), before);
}

/// std::partial_sort: the elements that come first, in order, in [first, middle).
template <typename E, typename Before>
void sort_some(E* first, E* middle, E* last, const Before& before) {
  if (first == middle) return;
  gather_first(first, middle, last, before);
  while (middle - first > 1) {
    --middle;
    fill_hole(first, 0, middle - first, std::exchange(*middle, std::move(*first)), before);
  }
}

/// Partitions at least four elements around the median of three of them. No element from the returned position on
/// comes before the median, and the median comes before no element in front of that position.
template <typename E, typename Before>
E* part(E* first, E* last, const Before& before) {
  E *a = first + 1, *b = first + (last - first) / 2, *c = last - 1;
  if (!before(*a, *b)) std::swap(a, b);
  std::swap(*first, before(*b, *c) ? *b : before(*a, *c) ? *c : *a);
  E *left = first + 1, *right = last;
  for (;; ++left) {
    while (before(*left, *first)) ++left;
    do --right;
    while (before(*first, *right));
    if (left >= right) return left;
    std::swap(*left, *right);
  }
}

/// How often a range of n is partitioned before heap sort takes over, which is not slow for any initial order.
inline int deepest(int64_t n) {
  int depth = 0;
  for (; n > 1; n /= 2) depth += 2;
  return depth;
}

template <typename E, typename Before>
void sort_roughly(E* first, E* last, int depth, const Before& before) {
  while (last - first > kShortToSort) {
    if (depth-- == 0) return sort_some(first, last, last, before);
    E* const cut = part(first, last, before);
    sort_roughly(cut, last, depth, before);
    last = cut;
  }
}

/// std::sort
template <typename E, typename Before>
void sort_all(E* first, E* last, const Before& before) {
  sort_roughly(first, last, deepest(last - first), before);
  sort_by_insertion(first, last, before);
}

/// std::nth_element: puts the element that belongs at nth there, and the elements that come before it in front of it.
template <typename E, typename Before>
void move_nth(E* first, E* nth, E* last, const Before& before) {
  int depth = deepest(last - first);
  while (last - first > kShortToSelect) {
    if (depth-- == 0) {
      gather_first(first, nth + 1, last, before);
      std::swap(*first, *nth);
      return;
    }
    E* const cut = part(first, last, before);
    (cut <= nth ? first : last) = cut;
  }
  sort_by_insertion(first, last, before);
}

/// Moves the k of n elements that come first to the front, in order if `sorted`, with the method of PyTorch's topk.
template <typename E, typename Before>
void take_first(E* first, int64_t k, int64_t n, bool sorted, const Before& before) {
  if (k == 0) return;
  if (k * 64 <= n) return sort_some(first, first + k, first + n, before);
  move_nth(first, first + k - 1, first + n, before);
  if (sorted) sort_all(first, first + k - 1, before);
}

}  // namespace etude::detail
