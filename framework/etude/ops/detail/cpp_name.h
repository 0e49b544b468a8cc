#pragma once

#include "etude/core/dtype.h"

namespace etude::detail {

/// The name of the C++ type, as some of PyTorch's messages have it.
inline const char* cpp_name(ScalarType t) {
  switch (t) {
    case kBool:
      return "bool";
    case kByte:
      return "unsigned char";
    case kInt:
      return "int";
    case kLong:
      return "long int";
    case kFloat:
      return "float";
    default:
      return "double";
  }
}

}  // namespace etude::detail
