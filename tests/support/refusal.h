#pragma once

#include <exception>
#include <functional>
#include <string>

#include "etude/core/error.h"
#include "etude/core/function_ref.h"
#include "support/distance.h"

namespace etude {

#ifdef etude
using Refusal = std::exception;  // LibTorch sometimes throws a std::runtime_error
using Refused = const std::function<void()>&;
#else
using Refusal = Error;
// For each lambda the compiler writes one function for it, and ten for a std::function.
using Refused = FunctionRef<void()>;
#endif

/// The name of a tensor type in messages: "torch.FloatTensor" for "Float". LibTorch without Python uses another
/// name.
std::string tensor_type(const std::string& name);

/// The type and the first line of the error that f throws, "IndexError: index 5 is out of bounds ..."; empty if it
/// throws nothing.
std::string refusal(Refused f);

/// The same without the type, because LibTorch and Python do not always agree on it.
std::string refusal_text(Refused f);

/// The whole text of the error that f throws, with all lines; empty if it throws nothing.
std::string refusal_lines(Refused f);

/// What PyTorch 2 says, or what it said before if the tests are compiled against LibTorch 1.
#if defined(etude) && TORCH_VERSION_MAJOR < 2
inline std::string newer(const char* /*now*/, const char* before) { return before; }
#else
inline std::string newer(const char* now, const char* /*before*/) { return now; }
#endif

/// The sentence, with LibTorch's namespace instead of Etude's if the tests are compiled against LibTorch.
std::string spelled(std::string sentence);

}  // namespace etude
