#pragma once

#include <cstdint>
#include <type_traits>

#include "etude/core/dtype.h"

namespace etude {

/// A number that is not a tensor: a double, an int64 or a bool (c10::Scalar).
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T v) {
    if constexpr (std::is_same_v<T, bool>) {
      type_ = kBool;
      integer_ = v;
    } else if constexpr (std::is_floating_point_v<T>) {
      type_ = kDouble;
      real_ = static_cast<double>(v);
    } else {
      type_ = kLong;
      integer_ = static_cast<int64_t>(v);
    }
  }

  ScalarType type() const { return type_; }
  bool isFloatingPoint() const { return type_ == kDouble; }
  bool isIntegral(bool include_bool) const { return type_ == kLong || (include_bool && type_ == kBool); }
  bool isBoolean() const { return type_ == kBool; }

  /// The value as T, converted as a C++ cast converts it.
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) return type_ == kDouble ? real_ != 0 : integer_ != 0;
    else return type_ == kDouble ? static_cast<T>(real_) : static_cast<T>(integer_);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  bool equal(const Scalar& other) const {
    return isFloatingPoint() || other.isFloatingPoint() ? toDouble() == other.toDouble()
                                                        : integer_ == other.integer_;
  }
  Scalar operator-() const { return type_ == kDouble ? Scalar(-real_) : Scalar(-integer_); }

 private:
  ScalarType type_;
  union {
    double real_;
    int64_t integer_;
  };
};

}  // namespace etude
