#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "etude/core/dtype.h"

// What there is to know about an element type. A new one is a row here, its C++ type in dtype.h, and a line in
// dispatch_floating or dispatch_numbers.

namespace etude::detail {

struct DtypeRow {
  const char* name;                 // in PyTorch's C++ messages
  const char* python_name;          // in Python
  int64_t bytes = 0;                // of an element; 0 if no tensor holds the type
  int rank = -1;                    // the type is at least as wide as those of a lower rank
  const char* cpp_name = "double";  // of the C++ type, as some of PyTorch's messages have it
  int64_t most = 0;                 // all integers from 0 to this one are elements
};

// clang-format off
/// By the numbers of ScalarType.
constexpr DtypeRow kDtypes[] = {
    {"Byte",          "torch.uint8", 1, 1, "unsigned char", std::numeric_limits<uint8_t>::max()},
    {"Char",          "torch.int8"},
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

/// Whether the element type T holds fractions: not std::is_floating_point_v, which knows only the types that C++ has.
template <typename T>
constexpr bool is_floating = isFloatingType(CppTypeToScalarType<T>::value);

/// What elements of type T are added up in. Integers wrap around.
template <typename T>
using Accumulator = std::conditional_t<is_floating<T>, double, uint64_t>;

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

/// What sums of products are added up in: of floats of 16 bits and of smaller integers, whose sums wrap around alike, it is wider.
inline ScalarType product_type(ScalarType t) {
  return isReducedFloatingType(t) ? kFloat : t == kInt || t == kByte ? kLong : t;
}
/// The same for float32, float64 and int64: what product_type() makes of every number.
template <typename F>
auto dispatch_products(const char* op, ScalarType t, F&& f) {
  if (t == kLong) return f(int64_t{0});
  return dispatch_floating(op, t, f);
}

/// The same for the floats of 16 bits.
template <typename F>
auto dispatch_reduced(ScalarType t, F&& f) {
  return t == kHalf ? f(Half(0)) : f(BFloat16(0));
}

/// The same for every type: for what moves elements and does not compute with them.
template <typename F>
auto dispatch(ScalarType t, F&& f) {
  if (isReducedFloatingType(t)) return dispatch_reduced(t, f);
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
/// All but the floats of 16 bits, whose arithmetic is that of float32.
struct EveryType {
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    if (t == kBool) f(false);
    else dispatch_numbers(nullptr, t, f);
  }
};
constexpr EveryType every_type;
/// Bools are the bytes 0 and 1: a loop that does the same to both need not be compiled twice.
struct BoolsAsBytes {
  template <typename F>
  void operator()(ScalarType t, F&& f) const {
    dispatch_numbers(nullptr, t == kBool ? kByte : t, f);
  }
};

}  // namespace etude::detail
