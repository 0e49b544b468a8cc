#pragma once

#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include "etude/core/export.h"
#include "etude/core/float16.h"

namespace etude {

/// Element types, numbered as PyTorch numbers them. A tensor holds uint8, int8, int32, int64, float32, float64, float16,
/// bfloat16 or bool; the other names exist so that error messages can name them. Numbers of int8 are only stored, converted and
/// compared, except that quantized_linear multiplies by them.
enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  BFloat16 = 15,
  Undefined = 16
};

/// The name that LibTorch's documentation uses.
using Dtype = ScalarType;

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char, kInt8 = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int, kInt32 = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat, kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kU8 = kByte, kI8 = kChar, kI16 = kShort, kI32 = kInt, kI64 = kLong;
constexpr ScalarType kF16 = kHalf, kF32 = kFloat, kF64 = kDouble;

/// The name in PyTorch's C++ messages: `Float`.
ETUDE_API const char* toString(ScalarType t);

/// The name in Python: `torch.float32`.
ETUDE_API const char* dtype_name(ScalarType t);
ETUDE_API std::ostream& operator<<(std::ostream& out, ScalarType t);

/// Bytes per element.
ETUDE_API int64_t elementSize(ScalarType t);

constexpr bool isFloatingType(ScalarType t) {
  return t == kFloat || t == kDouble || t == kHalf || t == kBFloat16;
}
/// Whether t is float16 or bfloat16.
constexpr bool isReducedFloatingType(ScalarType t) { return t == kHalf || t == kBFloat16; }
constexpr bool isSignedType(ScalarType t) { return t != kByte && t != kBool; }
constexpr bool isIntegralType(ScalarType t, bool include_bool) {
  return t == kByte || t == kChar || t == kShort || t == kInt || t == kLong || (include_bool && t == kBool);
}

/// The smallest type of PyTorch's promotion table that holds both.
ETUDE_API ScalarType promote_types(ScalarType a, ScalarType b);

/// PyTorch's rule for casting a result into an existing tensor: not from a float to an integer, not from a
/// number to bool.
ETUDE_API bool can_cast(ScalarType from, ScalarType to);

/// Returns t, since Etude uses ScalarType where LibTorch uses TypeMeta.
constexpr ScalarType typeMetaToScalarType(ScalarType t) { return t; }
/// Returns t, as typeMetaToScalarType does.
constexpr ScalarType scalarTypeToTypeMeta(ScalarType t) { return t; }

/// The dtype of float literals and of `zeros` when none is given: float32 unless set_default_dtype changed it.
ETUDE_API ScalarType get_default_dtype();
ETUDE_API void set_default_dtype(ScalarType t);

/// The ScalarType of a C++ type. Both long and long long have one, because int64_t is one or the other, depending
/// on the system.
template <typename T>
struct CppTypeToScalarType;
template <>
struct CppTypeToScalarType<uint8_t> : std::integral_constant<ScalarType, kByte> {};
template <>
struct CppTypeToScalarType<int8_t> : std::integral_constant<ScalarType, kChar> {};
template <>
struct CppTypeToScalarType<int> : std::integral_constant<ScalarType, kInt> {};
template <>
struct CppTypeToScalarType<long> : std::integral_constant<ScalarType, sizeof(long) == 8 ? kLong : kInt> {};
template <>
struct CppTypeToScalarType<long long> : std::integral_constant<ScalarType, kLong> {};
template <>
struct CppTypeToScalarType<float> : std::integral_constant<ScalarType, kFloat> {};
template <>
struct CppTypeToScalarType<double> : std::integral_constant<ScalarType, kDouble> {};
template <>
struct CppTypeToScalarType<Half> : std::integral_constant<ScalarType, kHalf> {};
template <>
struct CppTypeToScalarType<BFloat16> : std::integral_constant<ScalarType, kBFloat16> {};
template <>
struct CppTypeToScalarType<bool> : std::integral_constant<ScalarType, kBool> {};

/// LibTorch's way to get the dtype of a C++ type: `TypeMeta::Make<float>()`.
struct TypeMeta {
  template <typename T>
  static constexpr ScalarType Make() {
    return CppTypeToScalarType<T>::value;
  }
};

}  // namespace etude
