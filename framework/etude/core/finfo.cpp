#include "etude/core/finfo.h"

#include <cmath>
#include <limits>

#include "etude/core/detail/dispatch.h"
#include "etude/core/error.h"

namespace etude {

finfo::finfo(ScalarType type) : dtype(type) {
  ETUDE_CHECK_TYPE(
      isFloatingType(type),
      "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'",
      "\nreceived ", dtype_name(type));
  detail::dispatch(type, [this](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    bits = 8 * static_cast<int>(sizeof zero);
    eps = static_cast<double>(Limits::epsilon());
    max = static_cast<double>(Limits::max());
    min = -max;
    tiny = smallest_normal = static_cast<double>(Limits::min());
    resolution = std::pow(10.0, -Limits::digits10);
  });
}

iinfo::iinfo(ScalarType type) : dtype(type) {
  ETUDE_CHECK_TYPE(type != kBool, "torch.bool is not supported by torch.iinfo");
  ETUDE_CHECK_TYPE(isIntegralType(type, false),
                   "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'",
                   "\nreceived ", dtype_name(type));
  bits = type == kShort ? 16 : static_cast<int>(8 * detail::row_of(type).bytes);
  const bool has_sign = isSignedType(type);
  max = static_cast<int64_t>(~uint64_t{0} >> (64 - bits + has_sign));
  min = has_sign ? -max - 1 : 0;
}

}  // namespace etude
