// Names of modules and how they print, as in Python's nn.Module.

#include <cctype>
#include <ostream>
#include <vector>

#include "etude/autograd/function.h"
#include "etude/nn/module.h"

namespace etude::nn {

std::string detail::type_name(const std::type_info& type) { return autograd::detail::readable_name(type); }

namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// `etude::nn::LinearImpl` -> `Linear`, `test()::Net` -> `Net`, `Stack<float, 2>` -> `Stack`. The name is read
// from its end, because anything may stand before it, as for classes inside functions.
std::string short_name(const std::string& full) {
  size_t end = full.size();
  if (end > 0 && full[end - 1] == '>') {
    int depth = 0;
    while (end > 0) {
      --end;
      if (full[end] == '>') ++depth;
      if (full[end] == '<' && --depth == 0) break;
    }
  }
  size_t begin = end;
  while (begin > 0 && is_name_character(full[begin - 1])) --begin;
  if (begin == end) return full;

  const std::string suffix = "Impl";
  std::string name = full.substr(begin, end - begin);
  if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
    name.resize(name.size() - suffix.size());
  return name;
}

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

std::string Module::class_name() const { return name_ ? *name_ : short_name(name()); }

void Module::pretty_print(std::ostream& out) const {
  const Nesting nesting;
  const std::string extra = extra_repr();
  const bool one_line = children_.is_empty() && extra.find('\n') == std::string::npos;
  out << class_name() << '(';
  if (one_line) return (void)(out << extra << ')');
  out << '\n';
  if (!extra.empty()) out << indented(extra) << '\n';
  std::vector<std::string> texts;
  for (const auto& child : children_) texts.push_back(*child ? str(**child) : "None");
  for (size_t i = 0, last = 0; i < texts.size(); i = last + 1) {
    last = i;
    while (folds_children() && last + 1 < texts.size() && texts[last + 1] == texts[i]) ++last;
    const std::string& name = children_[i].key();
    const std::string from_to = last == i
                                    ? str('(', name, "): ")
                                    : str('(', name, '-', children_[last].key(), "): ", last - i + 1, " x ");
    out << indented(from_to + texts[i]) << '\n';
  }
  out << ')';
}

std::ostream& operator<<(std::ostream& out, const Module& module) {
  module.pretty_print(out);
  return out;
}

}  // namespace etude::nn
