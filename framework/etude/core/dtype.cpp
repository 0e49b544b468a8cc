#include "etude/core/dtype.h"

#include <atomic>
#include <ostream>

#include "etude/core/error.h"

namespace etude {
namespace {

std::atomic<ScalarType> default_dtype{kFloat};

// A type is at least as wide as another if it comes later here.
int rank(ScalarType t) {
  switch (t) {
    case kBool:
      return 0;
    case kByte:
      return 1;
    case kInt:
      return 2;
    case kLong:
      return 3;
    case kFloat:
      return 4;
    case kDouble:
      return 5;
    default:
      ETUDE_CHECK(false, "dtype ", dtype_name(t), " is not supported");
      return -1;
  }
}

}  // namespace

const char* toString(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
      return "Byte";
    case ScalarType::Char:
      return "Char";
    case ScalarType::Short:
      return "Short";
    case ScalarType::Int:
      return "Int";
    case ScalarType::Long:
      return "Long";
    case ScalarType::Half:
      return "Half";
    case ScalarType::Float:
      return "Float";
    case ScalarType::Double:
      return "Double";
    case ScalarType::ComplexFloat:
      return "ComplexFloat";
    case ScalarType::ComplexDouble:
      return "ComplexDouble";
    case ScalarType::Bool:
      return "Bool";
    case ScalarType::BFloat16:
      return "BFloat16";
    default:
      return "Undefined";
  }
}

const char* dtype_name(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
      return "torch.uint8";
    case ScalarType::Char:
      return "torch.int8";
    case ScalarType::Short:
      return "torch.int16";
    case ScalarType::Int:
      return "torch.int32";
    case ScalarType::Long:
      return "torch.int64";
    case ScalarType::Half:
      return "torch.float16";
    case ScalarType::Float:
      return "torch.float32";
    case ScalarType::Double:
      return "torch.float64";
    case ScalarType::ComplexFloat:
      return "torch.complex64";
    case ScalarType::ComplexDouble:
      return "torch.complex128";
    case ScalarType::Bool:
      return "torch.bool";
    case ScalarType::BFloat16:
      return "torch.bfloat16";
    default:
      return "undefined";
  }
}

std::ostream& operator<<(std::ostream& out, ScalarType t) { return out << dtype_name(t); }

int64_t elementSize(ScalarType t) {
  switch (t) {
    case kBool:
    case kByte:
      return 1;
    case kInt:
    case kFloat:
      return 4;
    case kLong:
    case kDouble:
      return 8;
    default:
      ETUDE_CHECK_TYPE(false, "dtype ", dtype_name(t),
                       " is not supported\nhint: use float32, float64, int64, int32, uint8 or bool");
      return 0;
  }
}

ScalarType promote_types(ScalarType a, ScalarType b) { return rank(a) >= rank(b) ? a : b; }

bool can_cast(ScalarType from, ScalarType to) {
  if (isFloatingType(from) && !isFloatingType(to)) return false;
  return from == kBool || to != kBool;
}

ScalarType get_default_dtype() { return default_dtype; }

void set_default_dtype(ScalarType t) {
  elementSize(t);  // refuses what no tensor can hold
  default_dtype = t;
}

}  // namespace etude
