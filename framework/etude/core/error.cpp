#include "etude/core/error.h"

#include <ostream>
#include <utility>

namespace etude {

Error::Error(std::string message) : message_(std::move(message)) {}

// Out of line, so that the type information is emitted once and errors can be caught across libraries.
Error::~Error() = default;
IndexError::~IndexError() = default;
ValueError::~ValueError() = default;
TypeError::~TypeError() = default;
NotImplementedError::~NotImplementedError() = default;

void detail::ErrorPlace::name(Error& error, const std::string& place) {
  error.names_place_ = true;
  error.message_ += "\nin " + place;
}

void detail::append(std::ostream& out, const IntArrayRef& sizes) { out << '[' << Join(", ", sizes) << ']'; }

std::string detail::joined(std::initializer_list<Part> parts) {
  std::ostringstream out;
  out.setf(std::ios::boolalpha);
  for (const Part& part : parts) part.write(out);
  return out.str();
}

void detail::refuse_index(size_t index, size_t size) {
  throw Error(str("ArrayRef: invalid index Index = ", index, "; Length = ", size));
}
void detail::refuse_slice(size_t start, size_t count, size_t size) {
  throw Error(str("ArrayRef: invalid slice, N = ", start, "; M = ", count, "; size = ", size));
}
void detail::refuse_end(const char* end) {
  throw Error(str("ArrayRef: attempted to access ", end, "() of empty list"));
}

std::ostream& operator<<(std::ostream& out, IntArrayRef sizes) {
  out << "torch.Size(";
  detail::append(out, sizes);
  return out << ')';
}

}  // namespace etude
