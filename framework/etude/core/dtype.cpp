#include "etude/core/dtype.h"

#include <atomic>
#include <ostream>

#include "etude/core/detail/dispatch.h"
#include "etude/core/error.h"

namespace etude {
namespace {

using detail::row_of;

std::atomic<ScalarType> default_dtype{kFloat};

int rank(ScalarType t) {
  const int rank = row_of(t).rank;
  ETUDE_CHECK(rank >= 0, "dtype ", dtype_name(t), " is not supported");
  return rank;
}

}  // namespace

const char* toString(ScalarType t) { return row_of(t).name; }

const char* dtype_name(ScalarType t) { return row_of(t).python_name; }

std::ostream& operator<<(std::ostream& out, ScalarType t) { return out << dtype_name(t); }

int64_t elementSize(ScalarType t) {
  const int64_t bytes = row_of(t).bytes;
  ETUDE_CHECK_TYPE(
      bytes > 0, "dtype ", dtype_name(t),
      " is not supported\nhint: use float32, float64, float16, bfloat16, int64, int32, int8, uint8 or bool");
  return bytes;
}

// The smallest type that holds both float16 and bfloat16 is float32.
ScalarType promote_types(ScalarType a, ScalarType b) {
  ETUDE_CHECK_TYPE(a == b || rank(a) != rank(kChar) || rank(b) != rank(kChar),
                   "dtype torch.int16 is not supported\nreceived int8 and uint8, which promote to int16\n"
                   "hint: convert one of them first, .to(kInt)");
  return rank(a) == rank(b) && a != b ? kFloat : rank(a) >= rank(b) ? a : b;
}

bool can_cast(ScalarType from, ScalarType to) {
  if (isFloatingType(from) && !isFloatingType(to)) return false;
  return from == kBool || to != kBool;
}

ScalarType get_default_dtype() { return default_dtype; }

void set_default_dtype(ScalarType t) {
  elementSize(t);  // throws for a type that no tensor can hold
  default_dtype = t;
}

void detail::refuse_dtype(const char* op, ScalarType t) {
  if (!op) elementSize(t);  // throws and names the type
  throw NotImplementedError(str("\"", op, "\" not implemented for '", toString(t), "'",
                                isReducedFloatingType(t)
                                    ? "\nhint: make it of float32, .to(kFloat), and convert the result"
                                : t == kChar ? "\nhint: int8 only stores numbers; convert it first, .to(kInt)"
                                             : ""));
}

}  // namespace etude
