#pragma once

#include <exception>
#include <functional>
#include <string>

#include "etude/core/error.h"
#include "etude/core/tensor.h"
#include "support/golden.h"

namespace etude {

#ifdef etude
// LibTorch throws a std::runtime_error here and there, and names the types of tensors without Python's help.
using Refusal = std::exception;
inline std::string tensor_type(const std::string& name) { return "CPU" + name + "Type"; }
#else
using Refusal = Error;
/// "torch.FloatTensor" for "Float": what a sentence calls the type of a tensor.
inline std::string tensor_type(const std::string& name) { return "torch." + name + "Tensor"; }
#endif

/// What f throws: the type and the first line, "IndexError: index 5 is out of bounds ..."; empty if it throws
/// nothing.
inline std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Refusal& e) {
    const std::string text = e.what();
    const char* type = dynamic_cast<const IndexError*>(&e)   ? "IndexError: "
                       : dynamic_cast<const ValueError*>(&e) ? "ValueError: "
                                                             : "Error: ";
    return type + text.substr(0, text.find('\n'));
  }
  return {};
}

/// The same without the type: LibTorch and Python do not always agree about it.
inline std::string refusal_text(const std::function<void()>& f) {
  const std::string text = refusal(f);
  return text.empty() ? text : text.substr(text.find(": ") + 2);
}

/// The whole text of what f throws, with the lines after the first; empty if it throws nothing.
inline std::string refusal_lines(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.msg();
  }
  return {};
}

#define ETUDE_SPELLED(name) ETUDE_SPELLED_AS_IS(name)
#define ETUDE_SPELLED_AS_IS(name) #name

/// The sentence with LibTorch's namespace for Etude's where the tests are compiled against LibTorch.
inline std::string spelled(std::string sentence) {
  const std::string ours = "etude::", theirs = ETUDE_SPELLED(etude) "::";
  for (size_t at = 0; (at = sentence.find(ours, at)) != std::string::npos; at += theirs.size())
    sentence.replace(at, ours.size(), theirs);
  return sentence;
}

/// Whether a and b have the same sizes, type and values; nan is equal to nan.
inline bool same(const Tensor& a, const Tensor& b) { return golden_distance(a, b) == 0; }

}  // namespace etude
