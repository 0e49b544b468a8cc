#include "etude/core/error.h"

#include <ostream>
#include <utility>

namespace etude {

Error::Error(std::string message) : message_(std::move(message)) {}

// Out of line, so that each type's identity is emitted once and can be caught across libraries.
Error::~Error() = default;
IndexError::~IndexError() = default;
ValueError::~ValueError() = default;
TypeError::~TypeError() = default;
NotImplementedError::~NotImplementedError() = default;

void detail::append(std::ostream& out, const IntArrayRef& sizes) { out << '[' << Join(", ", sizes) << ']'; }

std::string detail::joined(std::initializer_list<Part> parts) {
  std::ostringstream out;
  out.setf(std::ios::boolalpha);
  for (const Part& part : parts) part.write(out);
  return out.str();
}

std::ostream& operator<<(std::ostream& out, IntArrayRef sizes) {
  out << "torch.Size(";
  detail::append(out, sizes);
  return out << ')';
}

}  // namespace etude
