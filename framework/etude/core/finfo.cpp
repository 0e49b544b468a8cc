#include "etude/core/finfo.h"

#include <cmath>
#include <limits>

#include "etude/core/error.h"

namespace etude {
namespace {

struct RealFormat {
  int bits, digits, exponents;  // digits include the hidden bit; all numbers are below 2^exponents
};

RealFormat format_of(ScalarType type) {
  if (type == kDouble)
    return {64, std::numeric_limits<double>::digits, std::numeric_limits<double>::max_exponent};
  if (type == kBFloat16) return {16, 8, 128};
  if (type == kHalf) return {16, 11, 16};
  return {32, std::numeric_limits<float>::digits, std::numeric_limits<float>::max_exponent};
}

int integer_bits(ScalarType type) { return type == kLong ? 64 : type == kInt ? 32 : type == kShort ? 16 : 8; }

}  // namespace

finfo::finfo(ScalarType type) : dtype(type) {
  ETUDE_CHECK_TYPE(
      isFloatingType(type),
      "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'",
      "\nreceived ", dtype_name(type));
  const RealFormat format = format_of(type);
  bits = format.bits;
  eps = std::ldexp(1.0, 1 - format.digits);
  max = std::ldexp(2 - eps, format.exponents - 1);
  min = -max;
  tiny = smallest_normal = std::ldexp(1.0, 3 - format.exponents - 1);
  resolution = std::pow(10.0, -std::floor((format.digits - 1) * std::log10(2.0)));
}

iinfo::iinfo(ScalarType type) : dtype(type) {
  ETUDE_CHECK_TYPE(type != kBool, "torch.bool is not supported by torch.iinfo");
  ETUDE_CHECK_TYPE(isIntegralType(type, false),
                   "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'",
                   "\nreceived ", dtype_name(type));
  bits = integer_bits(type);
  const bool has_sign = isSignedType(type);
  max = static_cast<int64_t>(~uint64_t{0} >> (64 - bits + has_sign));
  min = has_sign ? -max - 1 : 0;
}

}  // namespace etude
