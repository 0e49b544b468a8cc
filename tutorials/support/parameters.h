#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorials {

/// What the reader asked for cannot be done. Programs end with exit code 2.
class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a lesson that its reader may change. Everything is text, as it stands in the source.
struct Parameter {
  enum class Kind { whole, number, text, choice };

  std::string name;
  Kind kind;
  std::string initial;
  std::string least = {}, most = {};  // of numbers
  std::string step = {};              // of whole numbers, from the least on
  std::vector<std::string> choices = {};
};

/// What the reader set, by name.
using Changes = std::map<std::string, std::string>;

/// The parameters in a lesson's source, in their order: each `parameter("d_model", 512, 2, 1024)` whose arguments are
/// literals.
std::vector<Parameter> parameters_of(const std::string& source);

/// The names, the values that they start with and those that they may have, a line each.
std::string list_of_parameters(const std::vector<Parameter>& parameters);

/// Whether this value is another than the first. Throws WrongUsage if the parameter may not have it.
bool is_change(const Parameter& parameter, const std::string& value);

/// The changes that `NAME=VALUE` ask for. Throws WrongUsage if there is no such parameter, or it may not have the value.
Changes read_changes(const std::vector<std::string>& settings,
                     const std::vector<Parameter>& parameters);

/// A value of the cell at hand that the reader may change with `--set NAME=VALUE` and on the page. Without that it is the
/// first one. All arguments are literals, since they are also read from the source. Throws WrongUsage if the reader's is
/// not within the limits.
int64_t parameter(const std::string& name, int initial, int least, int most, int step = 1);
double parameter(const std::string& name, double initial, double least, double most);
/// A text of one line.
std::string parameter(const std::string& name, const char* initial);
/// One of several texts.
std::string parameter(const std::string& name, const char* initial,
                      const std::vector<std::string>& choices);

}  // namespace tutorials
