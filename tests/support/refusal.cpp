#include "support/refusal.h"

namespace etude {

#ifdef etude
std::string tensor_type(const std::string& name) { return "CPU" + name + "Type"; }
#else
std::string tensor_type(const std::string& name) { return "torch." + name + "Tensor"; }
#endif

std::string refusal(Refused f) {
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

std::string refusal_text(Refused f) {
  const std::string text = refusal(f);
  return text.empty() ? text : text.substr(text.find(": ") + 2);
}

std::string refusal_lines(Refused f) {
  try {
    f();
  } catch (const Error& e) {
    return e.msg();
  }
  return {};
}

#define ETUDE_SPELLED(name) ETUDE_SPELLED_AS_IS(name)
#define ETUDE_SPELLED_AS_IS(name) #name

std::string spelled(std::string sentence) {
  const std::string ours = "etude::", theirs = ETUDE_SPELLED(etude) "::";
  for (size_t at = 0; (at = sentence.find(ours, at)) != std::string::npos; at += theirs.size())
    sentence.replace(at, ours.size(), theirs);
  return sentence;
}

}  // namespace etude
