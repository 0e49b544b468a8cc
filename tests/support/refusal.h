#pragma once

#include <exception>
#include <functional>
#include <string>

#include "etude/core/error.h"
#include "support/distance.h"

namespace etude {

#ifdef etude
using Refusal = std::exception;  // LibTorch throws a std::runtime_error here and there
#else
using Refusal = Error;
#endif

/// "torch.FloatTensor" for "Float": what a sentence calls the type of a tensor. LibTorch names it without
/// Python's help.
std::string tensor_type(const std::string& name);

/// What f throws: the type and the first line, "IndexError: index 5 is out of bounds ..."; empty if it throws
/// nothing.
std::string refusal(const std::function<void()>& f);

/// The same without the type: LibTorch and Python do not always agree about it.
std::string refusal_text(const std::function<void()>& f);

/// The whole text of what f throws, with the lines after the first; empty if it throws nothing.
std::string refusal_lines(const std::function<void()>& f);

/// The sentence with LibTorch's namespace for Etude's where the tests are compiled against LibTorch.
std::string spelled(std::string sentence);

}  // namespace etude
