#include "controls.h"

#include <cmath>
#include <cstdio>

#include "figures.h"

namespace figures {

namespace {

std::string printed(const char* format, int count, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, count, value);
  const bool is_zero = std::string(text).find_first_not_of("-0.") == std::string::npos;
  return is_zero && text[0] == '-' ? text + 1 : text;  // no -0.00
}

std::string label(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

}  // namespace

const nlohmann::json& Controls::at(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw Refused("The figure needs a value for " + label(name) + ".");
  return *found;
}

double Controls::number(const std::string& name, double low, double high) const {
  const nlohmann::json& value = at(name);
  const std::string needed =
      "For the " + label(name) + " a number from " + digits(low, 6) + " to " + digits(high, 6) + " is needed";
  if (!value.is_number()) throw Refused(needed + ".");
  const double number = value.get<double>();
  if (!(low <= number && number <= high)) throw Refused(needed + ", not " + digits(number, 6) + ".");
  return number;
}

int64_t Controls::whole(const std::string& name, int64_t low, int64_t high) const {
  const double value = number(name, static_cast<double>(low), static_cast<double>(high));
  if (value != std::floor(value))
    throw Refused("For the " + label(name) + " a whole number is needed, not " + digits(value, 6) + ".");
  return static_cast<int64_t>(value);
}

bool Controls::flag(const std::string& name) const {
  const nlohmann::json& value = at(name);
  if (!value.is_boolean()) throw Refused("The " + label(name) + " is on or off.");
  return value.get<bool>();
}

std::string Controls::text(const std::string& name, size_t most_bytes) const {
  const nlohmann::json& value = at(name);
  if (!value.is_string()) throw Refused("For the " + label(name) + " a text is needed.");
  std::string text = value.get<std::string>();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Refused("The " + label(name) + " must not be empty.");
  if (text.size() > most_bytes)
    throw Refused("The " + label(name) + " may have " + std::to_string(most_bytes) + " bytes; these are " +
                  std::to_string(text.size()) + ".");
  return text;
}

std::vector<double> numbers(const etude::Tensor& t) {
  const etude::Tensor values = t.detach().to(etude::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

Answer rows(const etude::Tensor& matrix) {
  Answer all = Answer::array();
  for (int64_t i = 0; i < matrix.size(0); ++i) all.push_back(numbers(matrix[i]));
  return all;
}

std::string fixed(double value, int decimals) { return printed("%.*f", decimals, value); }
std::string digits(double value, int count) {
  return std::fabs(value) < 1e9 && std::fabs(value) >= std::pow(10.0, count) ? fixed(value, 0)
                                                                             : printed("%.*g", count, value);
}
std::string percent(double part) { return fixed(100 * part, 0) + " %"; }

std::string answer(const std::string& name, const std::string& controls) {
  using Figure = Answer (*)(const Controls&);
  static const std::pair<const char*, Figure> all[] = {
      {"sines", sines}, {"pair", pair},           {"distance", distance},
      {"heads", heads}, {"attention", attention}, {"gradients", gradients},
      {"loss", loss},   {"schedule", schedule},   {"byte_pairs", byte_pairs}};
  try {
    for (const auto& [known, figure] : all)
      if (name == known) return figure(Controls(nlohmann::json::parse(controls))).dump();
    throw Refused("There is no figure " + name + ".");
  } catch (const std::exception& error) {
    return Answer{{"error", error.what()}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

}  // namespace figures
