#include "support/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "support/nearest.h"

namespace tutorials {
namespace {

/// The number that the whole text is, or nan.
double number_in(const std::string& text) {
  char* end = nullptr;
  const bool begins =
      !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  const double value = begins ? std::strtod(text.c_str(), &end) : 0;
  return begins && *end == '\0' && std::isfinite(value) ? value : std::nan("");
}

bool is_whole(const std::string& text) { return text.find_first_of(".eE") == std::string::npos; }

std::string limits_of(const Parameter& p) {
  std::string all;
  switch (p.kind) {
    case Parameter::Kind::whole:
      return "a whole number from " + p.least + " to " + p.most +
             (p.step.empty() || p.step == "1" ? "" : " in steps of " + p.step);
    case Parameter::Kind::number:
      return "a number from " + p.least + " to " + p.most;
    case Parameter::Kind::text:
      return "a text of one line";
    case Parameter::Kind::choice:
      break;
  }
  for (const std::string& choice : p.choices) all += (all.empty() ? "" : ", ") + choice;
  return "one of " + all;
}

bool allows(const Parameter& p, const std::string& value) {
  if (p.kind == Parameter::Kind::choice)
    return std::find(p.choices.begin(), p.choices.end(), value) != p.choices.end();
  if (p.kind == Parameter::Kind::text)
    return !value.empty() && value.find('\n') == std::string::npos;
  const double number = number_in(value), least = number_in(p.least);
  if (!(number >= least && number <= number_in(p.most))) return false;
  if (p.kind == Parameter::Kind::number) return true;
  return is_whole(value) &&
         std::fmod(number - least, p.step.empty() ? 1 : number_in(p.step)) == 0;
}

/// Reads the arguments of a call, which are literals.
class Arguments {
 public:
  Arguments(const std::string& source, size_t at) : source_(source), at_(at) {}

  bool takes(char c) {
    at_ = std::min(source_.find_first_not_of(" \n", at_), source_.size());
    if (at_ == source_.size() || source_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// A text, whose pieces may stand side by side.
  std::string text() {
    std::string out;
    while (takes('"')) {
      for (; at_ < source_.size() && source_[at_] != '"'; ++at_) {
        const bool escaped = source_[at_] == '\\' && at_ + 1 < source_.size();
        out += source_[at_ += escaped ? 1 : 0];
      }
      ++at_;
    }
    return out;
  }

  std::string number() {
    const size_t begin = std::min(source_.find_first_not_of(" \n", at_), source_.size());
    at_ = std::min(source_.find_first_of(",)", begin), source_.size());
    return source_.substr(begin, at_ - begin);
  }

  bool begins_text() {
    const bool begins = takes('"');
    at_ -= begins ? 1 : 0;
    return begins;
  }

 private:
  const std::string& source_;
  size_t at_;
};

Parameter read_parameter(Arguments from) {
  Parameter p{from.text(), Parameter::Kind::text, ""};
  from.takes(',');
  if (from.begins_text()) {
    p.initial = from.text();
    if (!from.takes(',')) return p;
    p.kind = Parameter::Kind::choice;
    from.takes('{');
    do p.choices.push_back(from.text());
    while (from.takes(','));
    return p;
  }
  p.initial = from.number();
  if (from.takes(',')) p.least = from.number();
  if (from.takes(',')) p.most = from.number();
  if (from.takes(',')) p.step = from.number();
  p.kind = is_whole(p.initial) ? Parameter::Kind::whole : Parameter::Kind::number;
  return p;
}

}  // namespace

std::vector<Parameter> parameters_of(const std::string& source) {
  std::vector<Parameter> found;
  const std::string call = "parameter(";
  for (size_t at = 0; (at = source.find(call, at)) != std::string::npos; at += call.size()) {
    const size_t line = source.rfind('\n', at) + 1, first = source.find_first_not_of(' ', line);
    const char before = at > 0 ? source[at - 1] : ' ';
    const bool is_comment = source.compare(first, 2, "//") == 0;
    if (is_comment || std::isalnum(static_cast<unsigned char>(before)) || before == '_')
      continue;
    Arguments arguments(source, at + call.size());
    if (arguments.begins_text()) found.push_back(read_parameter(arguments));
  }
  return found;
}

std::string list_of_parameters(const std::vector<Parameter>& parameters) {
  size_t width = 0;
  for (const Parameter& p : parameters)
    width = std::max(width, p.name.size() + p.initial.size());
  std::string list;
  for (const Parameter& p : parameters) {
    const std::string setting = p.name + "=" + p.initial;
    list += setting + std::string(width + 3 - setting.size(), ' ') + limits_of(p) + '\n';
  }
  return list.empty() ? "This lesson has no parameters.\n" : list;
}

bool is_change(const Parameter& p, const std::string& value) {
  if (!allows(p, value))
    throw WrongUsage(p.name + " is " + limits_of(p) + ", and not '" + value + "'");
  const bool is_number = p.kind == Parameter::Kind::whole || p.kind == Parameter::Kind::number;
  return is_number ? number_in(value) != number_in(p.initial) : value != p.initial;
}

Changes read_changes(const std::vector<std::string>& settings,
                     const std::vector<Parameter>& parameters) {
  Changes changes;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw WrongUsage("--set takes NAME=VALUE, and not '" + setting + "'");
    const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) {
      std::vector<std::string> names;
      for (const Parameter& p : parameters) names.push_back(p.name);
      const std::string near = nearest(name, names);
      throw WrongUsage(
          "there is no parameter '" + name + "'." +
          (near.empty() ? " --parameters lists them." : " Did you mean '" + near + "'?"));
    }
    if (is_change(*found, value)) changes[name] = value;
    else changes.erase(name);
  }
  return changes;
}

}  // namespace tutorials
