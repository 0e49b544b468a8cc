#include "support/example.h"

/// # Dtypes
///
/// What the elements of a tensor are: `float32`, `float64`, `float16`, `bfloat16`, `int64`, `int32`, `int8`, `uint8` or
/// `bool`. The other names of PyTorch are there to be refused by name.

/// Each dtype has the names of C++ and of Python.
///
/// - Errors: none of its own; `dtype torch.complex64 is not supported` from what makes a tensor.
EXAMPLE(etude::ScalarType, etude::Dtype, etude::toString) {
  const etude::Dtype type = etude::ScalarType::Float;
  print(type == etude::kFloat, std::string(etude::toString(type)));
}

/// Integers. Tensors are of `kLong`, `kInt`, `kChar`, `kByte` and `kBool`; `kShort` is refused. Numbers of `kChar` are stored,
/// converted and compared; of the ops only `quantized_linear` computes with them.
///
/// - Errors: none of its own
EXAMPLE(etude::kBool, etude::kByte, etude::kChar, etude::kShort, etude::kInt, etude::kLong) {
  for (const auto type : {etude::kBool, etude::kByte, etude::kChar, etude::kInt, etude::kLong})
    print(etude::ones({2}, type));
}

/// Floating point numbers; complex ones are only names.
///
/// - Errors: none of its own
EXAMPLE(etude::kFloat, etude::kDouble, etude::kHalf, etude::kBFloat16, etude::kComplexFloat,
        etude::kComplexDouble) {
  for (const auto type : {etude::kFloat, etude::kDouble, etude::kHalf, etude::kBFloat16})
    print(etude::full({1}, 3.14159265358979, type).to(etude::kDouble));
}

/// The same dtypes with their bits in the name.
///
/// - Errors: none of its own
EXAMPLE(etude::kUInt8, etude::kInt8, etude::kInt16, etude::kInt32, etude::kInt64, etude::kFloat16,
        etude::kFloat32, etude::kFloat64) {
  print(etude::kInt64 == etude::kLong, etude::kInt32 == etude::kInt, etude::kUInt8 == etude::kByte);
  print(etude::kFloat32 == etude::kFloat, etude::kFloat64 == etude::kDouble, etude::kFloat16 == etude::kHalf);
}

/// The same dtypes with a letter and their bits in the name.
///
/// - Errors: none of its own
EXAMPLE(etude::kU8, etude::kI8, etude::kI16, etude::kI32, etude::kI64, etude::kF16, etude::kF32,
        etude::kF64) {
  print(etude::kI64 == etude::kLong, etude::kF32 == etude::kFloat);
}

/// - Units: bytes
/// - Errors: none of its own
EXAMPLE(etude::elementSize) {
  for (const auto type : {etude::kByte, etude::kHalf, etude::kFloat, etude::kLong})
    print(static_cast<int64_t>(etude::elementSize(type)));
}

/// What kind of numbers a dtype is of.
///
/// - Errors: none of its own
EXAMPLE(etude::isFloatingType, etude::isIntegralType, etude::isSignedType) {
  print(etude::isFloatingType(etude::kHalf), etude::isFloatingType(etude::kInt));
  print(etude::isIntegralType(etude::kBool, /*include_bool=*/false),
        etude::isIntegralType(etude::kBool, true));
  print(etude::isSignedType(etude::kByte), etude::isSignedType(etude::kInt));
}

/// - Errors: none of its own
EXAMPLE(etude::promote_types) {
  print(std::string(etude::toString(etude::promote_types(etude::kInt, etude::kLong))));
  print(std::string(etude::toString(etude::promote_types(etude::kLong, etude::kFloat))));
  print(std::string(etude::toString(etude::promote_types(etude::kHalf, etude::kBFloat16))));
}

/// Whether an in-place operation or an out form may write a result of one dtype to a tensor of another.
///
/// - Errors: none of its own
EXAMPLE(etude::can_cast) {
  print(etude::can_cast(etude::kLong, etude::kFloat), etude::can_cast(etude::kFloat, etude::kLong));
  print(etude::can_cast(etude::kDouble, etude::kFloat));
}

/// - Errors: none of its own
EXAMPLE(etude::get_default_dtype, etude::set_default_dtype, etude::scalarTypeToTypeMeta,
        etude::typeMetaToScalarType) {
  const auto before = etude::get_default_dtype();
  etude::set_default_dtype(etude::scalarTypeToTypeMeta(etude::kDouble));
  print(etude::zeros({1}).scalar_type() == etude::kDouble);
  etude::set_default_dtype(before);
  print(etude::typeMetaToScalarType(etude::get_default_dtype()) == etude::kFloat);
}

/// Errors of a type that belongs to no dtype are the compiler's.
///
/// - Errors: none of its own
EXAMPLE(etude::TypeMeta, etude::CppTypeToScalarType) {
  print(etude::TypeMeta::Make<double>() == etude::kDouble);
  print(etude::CppTypeToScalarType<bool>::value == etude::kBool);
}

/// Numbers of 16 bits: a float becomes the nearest of them, and arithmetic is that of floats, rounded.
///
/// - Errors: none of its own
EXAMPLE(etude::Half, etude::BFloat16) {
  const etude::Half half = 3.14159265f;
  const etude::BFloat16 brain = 3.14159265f;
  print(static_cast<double>(half), static_cast<double>(brain));
  print(static_cast<double>(half + half));
  print(static_cast<double>(std::numeric_limits<etude::Half>::max()));
}
