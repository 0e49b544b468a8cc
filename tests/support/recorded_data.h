#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace etude {

/// A read-only value of a JSON document: an object, an array, a string, a number, a bool or null. Copies are pointers;
/// documents stay until the program ends. The JSON library is slow to compile, so only recorded_data.cpp includes it.
class Recorded {
 public:
  /// null
  Recorded();
  static Recorded parse(const std::string& text);
  /// An object without entries.
  static Recorded object();

  bool is_null() const;
  bool is_boolean() const;
  bool is_number() const;
  bool is_number_integer() const;
  bool is_string() const;
  bool is_array() const;

  /// The value as a T; throws if it has another type. recorded_data.cpp lists the types.
  template <typename T>
  T get() const;
  operator std::string() const;
  /// As JSON.
  std::string dump() const;

  /// The number of elements of an array or entries of an object; 0 for null, 1 for other values.
  size_t size() const;
  bool empty() const { return size() == 0; }

  /// An element of an array; throws if it does not exist.
  Recorded at(size_t i) const;
  Recorded operator[](size_t i) const { return at(i); }

  bool contains(const std::string& name) const;
  /// An entry of an object; throws if it does not exist.
  Recorded at(const std::string& name) const;
  Recorded operator[](const std::string& name) const { return at(name); }
  /// An entry of an object, or `otherwise` if it does not exist.
  template <typename T>
  T value(const std::string& name, T otherwise) const {
    return contains(name) ? at(name).get<T>() : otherwise;
  }
  std::string value(const std::string& name, const char* otherwise) const {
    return value<std::string>(name, otherwise);
  }
  /// The names of an object's entries and their values.
  std::vector<std::pair<std::string, Recorded>> items() const;

  /// Iterates over the elements of an array.
  class Iterator {
   public:
    Iterator(const Recorded& array, size_t i) : array_(&array), i_(i) {}
    Recorded operator*() const { return array_->at(i_); }
    Iterator& operator++() { return ++i_, *this; }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    const Recorded* array_;
    size_t i_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  friend bool operator==(const Recorded& a, const Recorded& b);
  friend bool operator==(const Recorded& a, const std::string& b);
  friend bool operator!=(const Recorded& a, const std::string& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Recorded& value);

 private:
  explicit Recorded(const void* value) : value_(value) {}

  const void* value_;
};

}  // namespace etude
