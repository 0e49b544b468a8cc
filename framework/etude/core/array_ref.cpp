#include "etude/core/array_ref.h"

#include <ostream>

#include "etude/core/error.h"

namespace etude {

namespace detail {

void append(std::ostream& out, const IntArrayRef& sizes) {
  const char* separator = "";
  out << '[';
  for (const int64_t size : sizes) {
    out << separator << size;
    separator = ", ";
  }
  out << ']';
}

}  // namespace detail

std::ostream& operator<<(std::ostream& out, IntArrayRef sizes) {
  out << "torch.Size(";
  detail::append(out, sizes);
  return out << ')';
}

}  // namespace etude
