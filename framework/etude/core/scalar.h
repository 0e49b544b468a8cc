#pragma once

#include <cmath>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include "etude/core/dtype.h"
#include "etude/core/export.h"

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

  Scalar(Half v) : Scalar(static_cast<float>(v)) {}
  Scalar(BFloat16 v) : Scalar(static_cast<float>(v)) {}

  ScalarType type() const { return type_; }
  bool isFloatingPoint() const { return type_ == kDouble; }
  bool isIntegral(bool include_bool) const { return type_ == kLong || (include_bool && type_ == kBool); }
  bool isBoolean() const { return type_ == kBool; }

  /// The value as T, by a C++ cast. Throws if T cannot hold it. Floats hold infinities and nan, unsigned integers
  /// take small negative numbers modulo 2^n, and a bool is true if the value is not zero.
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) {
      return type_ == kDouble ? real_ != 0 : integer_ != 0;
    } else {
      if (!fits<T>()) refuse(kFloatName<T>, std::is_signed_v<T>, sizeof(T));
      return type_ == kDouble ? static_cast<T>(real_) : static_cast<T>(integer_);
    }
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  /// Whether both are the same number. As in LibTorch, a bool equals only the same bool.
  bool equal(const Scalar& other) const {
    if (isBoolean() || other.isBoolean()) return type_ == other.type_ && integer_ == other.integer_;
    return isFloatingPoint() || other.isFloatingPoint() ? toDouble() == other.toDouble()
                                                        : integer_ == other.integer_;
  }
  Scalar operator-() const { return type_ == kDouble ? Scalar(-real_) : Scalar(-integer_); }

 private:
  /// The name of a floating type in messages; null for an integer.
  template <typename T>
  static constexpr const char* kFloatName = std::is_same_v<T, Half>       ? "c10::Half"
                                            : std::is_same_v<T, BFloat16> ? "c10::BFloat16"
                                            : std::is_floating_point_v<T> ? "float"
                                                                          : nullptr;
  template <typename T>
  bool fits() const {
    using Limits = std::numeric_limits<T>;
    if constexpr (kFloatName<T> != nullptr) {
      if (sizeof(T) >= sizeof(double)) return true;
      const double value = type_ == kDouble ? real_ : static_cast<double>(integer_);
      return !std::isfinite(value) || std::fabs(value) <= static_cast<double>(Limits::max());
    } else if (type_ == kDouble) {
      // The largest int64 is not a double, but 2^63 above it is.
      return real_ >= static_cast<double>(Limits::lowest()) &&
             (sizeof(T) == 8 ? real_ < 0x1p63 : real_ <= static_cast<double>(Limits::max()));
    } else if constexpr (sizeof(T) < 8) {
      const auto largest = static_cast<int64_t>(Limits::max());
      const int64_t lowest = std::is_signed_v<T> ? static_cast<int64_t>(Limits::lowest()) : -largest;
      return integer_ >= lowest && integer_ <= largest;
    } else {
      return true;
    }
  }
  /// Throws the error for a value that does not fit into a type.
  [[noreturn]] ETUDE_API void refuse(const char* float_name, bool is_signed, size_t bytes) const;

  ScalarType type_;
  union {
    double real_;
    int64_t integer_;
  };
};

/// Writes the number as C++ does, a bool as true or false.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Scalar& value);

}  // namespace etude
