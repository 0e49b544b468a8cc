#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <type_traits>
#include <vector>

#include "etude/core/export.h"

namespace etude {

namespace detail {
/// Throw for an index or a slice outside an ArrayRef of `size` elements.
[[noreturn]] ETUDE_API void refuse_index(size_t index, size_t size);
[[noreturn]] ETUDE_API void refuse_slice(size_t start, size_t count, size_t size);
/// Throws for the "front" or "back" of an empty ArrayRef.
[[noreturn]] ETUDE_API void refuse_end(const char* end);
/// Enables a deleted overload for sizes without braces. Such overloads name the cure, because compilers print their names.
template <typename T>
using IfInteger = std::enable_if_t<std::is_integral_v<T>>;
}  // namespace detail

/// A non-owning view of elements, for parameters and never for members (c10::ArrayRef).
template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end) : data_(begin), size_(static_cast<size_t>(end - begin)) {}
  ArrayRef(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr ArrayRef(std::initializer_list<T> list)
      : data_(list.begin() == list.end() ? nullptr : list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T* cbegin() const { return begin(); }
  constexpr const T* cend() const { return end(); }
  constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  /// As operator[], but throws for an index out of range.
  constexpr const T& at(size_t i) const {
    return i < size_ ? data_[i] : (detail::refuse_index(i, size_), *data_);
  }
  constexpr const T& front() const { return size_ > 0 ? data_[0] : (detail::refuse_end("front"), *data_); }
  constexpr const T& back() const {
    return size_ > 0 ? data_[size_ - 1] : (detail::refuse_end("back"), *data_);
  }
  /// `count` elements from `start` on, or all from there on.
  constexpr ArrayRef slice(size_t start, size_t count) const {
    if (start > size_ || count > size_ - start) detail::refuse_slice(start, count, size_);
    return ArrayRef(data_ + start, count);
  }
  constexpr ArrayRef slice(size_t start) const { return slice(start, start < size_ ? size_ - start : 0); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  // Either side may also be a std::vector.
  friend bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }
  friend bool operator!=(ArrayRef a, ArrayRef b) { return !a.equals(b); }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

/// Sizes, strides and lists of dims.
using IntArrayRef = ArrayRef<int64_t>;

/// Writes sizes as Python prints them: `torch.Size([2, 10])`.
ETUDE_API std::ostream& operator<<(std::ostream& out, IntArrayRef sizes);

}  // namespace etude
