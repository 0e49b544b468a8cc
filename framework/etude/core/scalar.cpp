#include "etude/core/scalar.h"

#include <ostream>
#include <string>

#include "etude/core/error.h"

namespace etude {

void Scalar::refuse(const char* float_name, bool is_signed, size_t bytes) const {
  const std::string integer = str(is_signed ? "" : "u", "int", 8 * bytes, "_t");
  const std::string type = float_name ? float_name : is_signed && bytes == sizeof(int) ? "int" : integer;
  throw Error(str("value cannot be converted to type ", type, " without overflow\nreceived ",
                  isFloatingPoint() ? str(real_) : str(integer_)));
}

std::ostream& operator<<(std::ostream& out, const Scalar& value) {
  if (value.isFloatingPoint()) return out << value.toDouble();
  if (value.isBoolean()) return out << (value.toBool() ? "true" : "false");
  return out << value.toLong();
}

}  // namespace etude
