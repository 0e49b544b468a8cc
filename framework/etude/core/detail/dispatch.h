#pragma once

#include <cstdint>

#include "etude/core/detail/dtype_table.h"

namespace etude::detail {

/// Throws PyTorch's sentence for an op that has no kernel for t; without an op, for a type that no tensor has.
[[noreturn]] ETUDE_API void refuse_dtype(const char* op, ScalarType t);

/// Calls f with a zero of the C++ type that t names, float32 or float64; f reads the type with decltype. `op` is the op in
/// PyTorch's sentence.
template <typename F>
auto dispatch_floating(const char* op, ScalarType t, F&& f) {
  if (t == kFloat) return f(0.0f);
  if (t == kDouble) return f(0.0);
  refuse_dtype(op, t);
}

/// The same for types with arithmetic: all but bool.
template <typename F>
auto dispatch_numbers(const char* op, ScalarType t, F&& f) {
  if (t == kLong) return f(int64_t{0});
  if (t == kInt) return f(int32_t{0});
  if (t == kByte) return f(uint8_t{0});
  return dispatch_floating(op, t, f);
}

/// The same for every type.
template <typename F>
auto dispatch(ScalarType t, F&& f) {
  if (t == kBool) return f(false);
  return dispatch_numbers(nullptr, t, f);
}

}  // namespace etude::detail
