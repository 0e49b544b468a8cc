#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <utility>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/error.h"

namespace etude {

/// D values, given as a list of D or as one value for all: `ExpandingArray<2>(3)` holds 3 and 3
/// (torch::ExpandingArray).
template <size_t D, typename T = int64_t>
class ExpandingArray {
 public:
  ExpandingArray(T single) { values_.fill(std::move(single)); }
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}
  ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(const std::vector<T>& list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(ArrayRef<T> list) {
    ETUDE_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    for (size_t i = 0; i < D; ++i) values_[i] = list[i];
  }

  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  operator ArrayRef<T>() const { return {values_.data(), D}; }
  size_t size() const noexcept { return D; }

 protected:
  std::array<T, D> values_;
};

/// Writes `[3, 3]`, and a single value without brackets.
template <size_t D, typename T>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D, T>& array) {
  return D == 1 ? out << array->front() : out << '[' << Join(", ", *array) << ']';
}

}  // namespace etude
