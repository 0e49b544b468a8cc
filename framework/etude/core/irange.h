#pragma once

#include <cstddef>
#include <string>  // has std::input_iterator_tag and is included anyway, unlike <iterator>
#include <type_traits>

namespace etude {

/// The integers from begin up to, but not including, end (c10::irange).
template <typename Integer>
class IntegerRange {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using pointer = const Integer*;
    using reference = Integer;

    explicit iterator(Integer value) : value_(value) {}
    Integer operator*() const { return value_; }
    iterator& operator++() {
      ++value_;
      return *this;
    }
    iterator operator++(int) { return iterator(value_++); }
    friend bool operator==(iterator a, iterator b) { return a.value_ == b.value_; }
    friend bool operator!=(iterator a, iterator b) { return a.value_ != b.value_; }

   private:
    Integer value_;
  };

  IntegerRange(Integer begin, Integer end) : begin_(begin), end_(end < begin ? begin : end) {}
  iterator begin() const { return iterator(begin_); }
  iterator end() const { return iterator(end_); }

 private:
  Integer begin_, end_;
};

/// `for (auto i : irange(2, 5))` counts 2, 3, 4; empty if end is not above begin.
template <typename First, typename Integer,
          typename = std::enable_if_t<std::is_integral_v<First> && std::is_integral_v<Integer>>>
IntegerRange<Integer> irange(First begin, Integer end) {
  return {static_cast<Integer>(begin), end};
}

/// `for (auto i : irange(3))` counts 0, 1, 2.
template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
IntegerRange<Integer> irange(Integer end) {
  return {Integer{}, end};
}

}  // namespace etude
