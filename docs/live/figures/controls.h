#pragma once

#include <etude/framework.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Shared by the functions of all figures.
namespace figures {

using Answer = nlohmann::json;

/// Thrown for a control value that a figure cannot use; what() is a sentence for the reader.
struct Refused : std::invalid_argument {
  using invalid_argument::invalid_argument;
};

/// The reader's settings. Each function returns the value of a control, and throws Refused if it is missing or out of
/// range.
class Controls {
 public:
  explicit Controls(nlohmann::json values) : values_(std::move(values)) {}
  int64_t whole(const std::string& name, int64_t low, int64_t high) const;
  double number(const std::string& name, double low, double high) const;
  bool flag(const std::string& name) const;
  std::string text(const std::string& name, size_t most_bytes) const;

 private:
  const nlohmann::json& at(const std::string& name) const;
  nlohmann::json values_;
};

/// The numbers of a tensor, row by row.
std::vector<double> numbers(const etude::Tensor& t);
/// The rows of a matrix.
Answer rows(const etude::Tensor& matrix);

/// A number with `decimals` decimals.
std::string fixed(double value, int decimals);
/// A number with `count` significant digits; whole numbers below 1e9 keep all their digits.
std::string digits(double value, int count = 3);
std::string percent(double part);

Answer sines(const Controls& controls);
Answer pair(const Controls& controls);
Answer distance(const Controls& controls);
Answer attention(const Controls& controls);
Answer heads(const Controls& controls);
Answer gradients(const Controls& controls);
Answer schedule(const Controls& controls);
Answer loss(const Controls& controls);
Answer byte_pairs(const Controls& controls);

}  // namespace figures
