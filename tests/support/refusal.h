#pragma once

#include <functional>
#include <string>

#include "etude/core/error.h"
#include "etude/core/tensor.h"
#include "support/golden.h"

namespace etude {

/// What f throws: the type and the first line, "IndexError: index 5 is out of bounds ..."; empty if it throws
/// nothing.
inline std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    const std::string text = e.what();
    const char* type = dynamic_cast<const IndexError*>(&e)   ? "IndexError: "
                       : dynamic_cast<const ValueError*>(&e) ? "ValueError: "
                                                             : "Error: ";
    return type + text.substr(0, text.find('\n'));
  }
  return {};
}

/// Whether a and b have the same sizes, type and values; nan is equal to nan.
inline bool same(const Tensor& a, const Tensor& b) { return golden_distance(a, b) == 0; }

}  // namespace etude
