#pragma once

#include <cstdint>

#include "etude/core/dtype.h"
#include "etude/core/error.h"

namespace etude::detail {

/// Calls f with a zero of the C++ type that t names; f reads the type with decltype.
template <typename F>
auto dispatch(ScalarType t, F&& f) {
  switch (t) {
    case kBool:
      return f(false);
    case kByte:
      return f(uint8_t{0});
    case kInt:
      return f(int32_t{0});
    case kLong:
      return f(int64_t{0});
    case kFloat:
      return f(0.0f);
    case kDouble:
      return f(0.0);
    default:
      elementSize(t);
      return f(0.0f);  // elementSize refuses by name
  }
}

/// The same for types with arithmetic: all but bool. `name` is the op in PyTorch's sentence.
template <typename F>
auto dispatch_numbers(const char* name, ScalarType t, F&& f) {
  switch (t) {
    case kByte:
      return f(uint8_t{0});
    case kInt:
      return f(int32_t{0});
    case kLong:
      return f(int64_t{0});
    case kFloat:
      return f(0.0f);
    case kDouble:
      return f(0.0);
    default:
      throw Error(str("\"", name, "\" not implemented for '", toString(t), "'"));
  }
}

/// The same for float32 and float64 only.
template <typename F>
auto dispatch_floating(const char* name, ScalarType t, F&& f) {
  switch (t) {
    case kFloat:
      return f(0.0f);
    case kDouble:
      return f(0.0);
    default:
      throw Error(str("\"", name, "\" not implemented for '", toString(t), "'"));
  }
}

}  // namespace etude::detail
