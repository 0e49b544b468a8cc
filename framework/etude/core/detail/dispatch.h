#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "etude/core/dtype.h"

// The properties of each element type. To add one, add a row here, its C++ type in dtype.h, and a line in
// dispatch_floating or dispatch_numbers.

namespace etude::detail {

struct DtypeRow {
  const char* name;         // name in PyTorch's C++ messages
  const char* python_name;  // name in Python
  int64_t bytes = 0;        // per element; 0 if no tensor can hold the type
  int rank = -1;  // in type promotion, where the higher rank wins; -1 if no tensor can hold the type
  const char* cpp_name = "double";  // name of the C++ type in some of PyTorch's messages
  int64_t most = 0;                 // every integer from 0 to this one is exact in the type
};

// clang-format off
/// Indexed by ScalarType.
constexpr DtypeRow kDtypes[] = {
    {"Byte",          "torch.uint8", 1, 1, "unsigned char", std::numeric_limits<uint8_t>::max()},
    {"Char",          "torch.int8", 1, 1, "signed char", std::numeric_limits<int8_t>::max()},
    {"Short",         "torch.int16"},
    {"Int",           "torch.int32", 4, 2, "int", std::numeric_limits<int32_t>::max()},
    {"Long",          "torch.int64", 8, 3, "long int", std::numeric_limits<int64_t>::max()},
    {"Half",          "torch.float16", 2, 4, "c10::Half", int64_t{1} << std::numeric_limits<Half>::digits},
    {"Float",         "torch.float32", 4, 5, "float", int64_t{1} << std::numeric_limits<float>::digits},
    {"Double",        "torch.float64", 8, 6, "double", int64_t{1} << std::numeric_limits<double>::digits},
    {"Undefined",     "undefined"},
    {"ComplexFloat",  "torch.complex64"},
    {"ComplexDouble", "torch.complex128"},
    {"Bool",          "torch.bool", 1, 0, "bool", 1},
    {"Undefined",     "undefined"},
    {"Undefined",     "undefined"},
    {"Undefined",     "undefined"},
    {"BFloat16",      "torch.bfloat16", 2, 4, "c10::BFloat16", int64_t{1} << std::numeric_limits<BFloat16>::digits},
    {"Undefined",     "undefined"},
};
// clang-format on

inline const DtypeRow& row_of(ScalarType t) { return kDtypes[static_cast<size_t>(t)]; }

/// Whether the element type T is floating point; unlike std::is_floating_point_v, also true for Half and BFloat16.
template <typename T>
constexpr bool is_floating = isFloatingType(CppTypeToScalarType<T>::value);

/// The type in which elements of type T are summed. Integers wrap around.
template <typename T>
using Accumulator = std::conditional_t<is_floating<T>, double, uint64_t>;

/// Throws PyTorch's error for an op that has no kernel for t, or, if `op` is null, for a type that no tensor can hold.
[[noreturn]] ETUDE_API void refuse_dtype(const char* op, ScalarType t);

/// Calls f with a zero of t's C++ type, if t is float32 or float64; f reads the type with decltype. `op` is the op's name in
/// PyTorch's error message.
template <typename F>
auto dispatch_floating(const char* op, ScalarType t, F&& f) {
  if (t == kFloat) return f(0.0f);
  if (t == kDouble) return f(0.0);
  refuse_dtype(op, t);
}

/// As dispatch_floating(), for float32, float64, int64, int32 and uint8.
template <typename F>
auto dispatch_numbers(const char* op, ScalarType t, F&& f) {
  if (t == kLong) return f(int64_t{0});
  if (t == kInt) return f(int32_t{0});
  if (t == kByte) return f(uint8_t{0});
  return dispatch_floating(op, t, f);
}

/// The type in which products are summed. 16-bit floats and small integers use a wider type, which wraps around to the same
/// small integers.
inline ScalarType product_type(ScalarType t) {
  return isReducedFloatingType(t) ? kFloat : t == kInt || t == kByte ? kLong : t;
}
/// As dispatch_floating(), for the types that product_type() returns: float32, float64 and int64.
template <typename F>
auto dispatch_products(const char* op, ScalarType t, F&& f) {
  if (t == kLong) return f(int64_t{0});
  return dispatch_floating(op, t, f);
}

/// As dispatch_floating(), for float16 and bfloat16.
template <typename F>
auto dispatch_reduced(ScalarType t, F&& f) {
  return t == kHalf ? f(Half(0)) : f(BFloat16(0));
}

/// As dispatch_floating(), also for float16 and bfloat16: for code that rounds each step to its type.
template <typename F>
auto dispatch_any_floating(const char* op, ScalarType t, F&& f) {
  return isReducedFloatingType(t) ? dispatch_reduced(t, f) : dispatch_floating(op, t, f);
}

/// As dispatch_floating(), for every type: for code that moves elements and does not compute with them.
template <typename F>
auto dispatch(ScalarType t, F&& f) {
  if (isReducedFloatingType(t)) return dispatch_reduced(t, f);
  if (t == kBool) return f(false);
  if (t == kChar) return f(int8_t{0});
  return dispatch_numbers(nullptr, t, f);
}

/// Expands a macro for each type that item() and to_vector() return.
#define ETUDE_FOR_NUMBERS(F) \
  F(bool) F(uint8_t) F(int8_t) F(int) F(long) F(long long) F(float) F(double) F(Half) F(BFloat16)

// The same functions as objects, which say what types an op takes.
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
/// All types but int8, which is only stored and compared, and the 16-bit floats, whose arithmetic is done in float32.
struct EveryType {
  const char* op;
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    if (t == kBool) f(false);
    else dispatch_numbers(op, t, f);
  }
};
/// Treats bools as the bytes 0 and 1, so that a loop that does the same for bool and uint8 is compiled once.
struct BoolsAsBytes {
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch_numbers(nullptr, t == kBool ? kByte : t, f);
  }
};

}  // namespace etude::detail
