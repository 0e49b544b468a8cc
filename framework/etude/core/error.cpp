#include "etude/core/error.h"

#include <utility>

namespace etude {

Error::Error(std::string message) : message_(std::move(message)) {}

// Out of line, so that each type's identity is emitted once and can be caught across libraries.
Error::~Error() = default;
IndexError::~IndexError() = default;
ValueError::~ValueError() = default;
TypeError::~TypeError() = default;
NotImplementedError::~NotImplementedError() = default;

}  // namespace etude
