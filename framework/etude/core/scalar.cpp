#include "etude/core/scalar.h"

#include <string>

#include "etude/core/error.h"

namespace etude {

void Scalar::refuse(bool floating, bool is_signed, size_t bytes) const {
  const std::string integer = str(is_signed ? "" : "u", "int", 8 * bytes, "_t");
  const std::string type = floating ? (bytes == sizeof(float) ? "float" : "at::BFloat16")
                           : is_signed && bytes == sizeof(int) ? "int"
                                                               : integer;
  throw Error(str("value cannot be converted to type ", type, " without overflow\nreceived ",
                  isFloatingPoint() ? str(real_) : str(integer_)));
}

}  // namespace etude
