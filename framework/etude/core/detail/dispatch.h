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

// The same as values: which types an op takes.
struct Floating {
  const char* op;
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch_floating(op, t, f);
  }
};
struct Numbers {
  const char* op;
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch_numbers(op, t, f);
  }
};
struct EveryType {
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch(t, f);
  }
};
/// Bools are the bytes 0 and 1: a loop that does the same to both need not be compiled twice.
struct BoolsAsBytes {
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch_numbers(nullptr, t == kBool ? kByte : t, f);
  }
};

}  // namespace etude::detail
