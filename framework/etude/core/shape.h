#pragma once

#include <cstdint>

#include "etude/core/array_ref.h"
#include "etude/core/export.h"

namespace etude {

/// The maximum number of dims of a tensor.
constexpr int64_t kMaxDims = 8;

/// Sizes or strides, held inline: a list of at most kMaxDims numbers.
class ETUDE_API Shape {
 public:
  Shape() = default;
  Shape(IntArrayRef values);
  Shape(std::initializer_list<int64_t> values) : Shape(IntArrayRef(values)) {}
  static Shape filled(int64_t count, int64_t value);

  operator IntArrayRef() const { return {values_, static_cast<size_t>(count_)}; }
  IntArrayRef ref() const { return {values_, static_cast<size_t>(count_)}; }
  int64_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t* begin() { return values_; }
  int64_t* end() { return values_ + count_; }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + count_; }
  int64_t& operator[](int64_t i) { return values_[i]; }
  int64_t operator[](int64_t i) const { return values_[i]; }
  int64_t back() const { return values_[count_ - 1]; }
  void push_back(int64_t value);
  void insert(int64_t position, int64_t value);
  void erase(int64_t position);

  friend ETUDE_API bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  int64_t values_[kMaxDims];
  int64_t count_ = 0;
};

/// The dim counted from the front: -1 is dims - 1. Throws IndexError outside [-dims, dims - 1]; a 0-dim tensor is
/// treated as having one dim.
ETUDE_API int64_t wrap_dim(int64_t dim, int64_t dims);

/// The product of the sizes. Throws if it overflows.
ETUDE_API int64_t count_elements(IntArrayRef sizes);

namespace detail {
/// The number of rows of `parts` stacked matrices with `rows` rows each. If `rows` is negative or the product overflows, it is
/// `rows` itself, which no tensor has either, so that the later error names the number that was given.
inline int64_t stacked_rows(int64_t parts, int64_t rows) {
  int64_t all = 0;
  return rows < 0 || __builtin_mul_overflow(parts, rows, &all) ? rows : all;
}
}  // namespace detail

/// The strides of a contiguous, row-major tensor.
ETUDE_API Shape contiguous_strides(IntArrayRef sizes);

/// The sizes to which both can be expanded; throws "The size of tensor a (2) must match ...".
ETUDE_API Shape broadcast_sizes(IntArrayRef a, IntArrayRef b);

/// `sizes` with a -1 replaced so that the product of all is `elements`; throws "shape '[4, 2]' is invalid for input of
/// size 6".
ETUDE_API Shape infer_sizes(IntArrayRef sizes, int64_t elements);

/// Finds strides that view memory laid out as (sizes, strides) as `target`; returns false if that needs a copy.
ETUDE_API bool view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef target, Shape& result);

}  // namespace etude
