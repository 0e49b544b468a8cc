#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "etude/core/detail/dispatch.h"
#include "etude/core/error.h"
#include "etude/core/scalar.h"

namespace etude::detail {

/// Whether T can hold value: floats hold infinities and nan, unsigned integers take small negative ones
/// modulo 2^n, as in PyTorch.
template <typename T>
bool fits(const Scalar& value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    const double v = value.toDouble();
    return !std::isfinite(v) || std::fabs(v) <= static_cast<double>(Limits::max());
  } else if (value.isFloatingPoint()) {
    // The largest int64 is no double: the power of two above it is.
    const double v = value.toDouble();
    return v >= static_cast<double>(Limits::lowest()) &&
           (sizeof(T) == 8 ? v < 0x1p63 : v <= static_cast<double>(Limits::max()));
  } else {
    const int64_t v = value.toLong();
    const int64_t lowest =
        std::is_signed_v<T> ? static_cast<int64_t>(Limits::lowest()) : -static_cast<int64_t>(Limits::max());
    return v >= lowest && v <= static_cast<int64_t>(Limits::max());
  }
}

/// Throws unless an element of type dtype can hold value.
inline void check_fits(const Scalar& value, ScalarType dtype) {
  const bool ok = dispatch(dtype, [&](auto zero) { return fits<decltype(zero)>(value); });
  const char* name = dtype == kByte    ? "uint8_t"
                     : dtype == kInt   ? "int"
                     : dtype == kLong  ? "int64_t"
                     : dtype == kFloat ? "float"
                                       : "double";
  ETUDE_CHECK(ok, "value cannot be converted to type ", name, " without overflow\nreceived ",
              value.isFloatingPoint() ? str(value.toDouble()) : str(value.toLong()), " for elements of ",
              dtype_name(dtype));
}

}  // namespace etude::detail
