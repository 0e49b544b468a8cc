#include "support/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tutorials {

void expect_equal(const etude::Tensor& actual, const etude::Tensor& expected) {
  expect_close(actual, expected, 0);
}

void expect_close(const etude::Tensor& actual, const etude::Tensor& expected, double tolerance) {
  if (actual.sizes() != expected.sizes()) {
    etude::print("NOT EQUAL: sizes", python_tuple(actual.sizes()), "and",
                 python_tuple(expected.sizes()));
    return;
  }
  const std::vector<double> a = values_of(actual), b = values_of(expected);
  size_t worst = 0;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] == b[i] ? 0 : std::abs(a[i] - b[i]);
    if (difference <= largest) continue;  // a NaN is larger than everything
    largest = difference;
    worst = i;
    if (std::isnan(difference)) break;
  }
  if (largest <= tolerance) return;
  etude::print("NOT EQUAL: element", static_cast<int64_t>(worst), "is", a[worst], "and",
               b[worst]);
}

std::string python_tuple(etude::IntArrayRef numbers) {
  std::string text = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

std::string python_list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", '" : "'") + names[i] + "'";
  return text + "]";
}

std::string shortest(float v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  const auto exact = etude::tensor(static_cast<double>(v), etude::kDouble);
  std::string text;  // 1.5782663e-01, as few digits as possible
  int after_point = 0;
  do text = etude::format(exact, "." + std::to_string(after_point++) + "e");
  while (std::strtof(text.c_str(), nullptr) != v);
  const double size = std::abs(static_cast<double>(v));
  if (size != 0 && (size < 1e-4 || size >= 1e16)) return text;

  const size_t e = text.find('e'), first = text[0] == '-' ? 1 : 0;
  std::string digits = text.substr(first, 1);
  if (e > first + 1) digits += text.substr(first + 2, e - first - 2);
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < 0) digits.insert(0, static_cast<size_t>(-exponent), '0');
  const size_t whole =
      static_cast<size_t>(std::max(exponent, 0)) + 1;  // digits before the point
  if (digits.size() < whole + 1) digits.resize(whole + 1, '0');
  return text.substr(0, first) + digits.insert(whole, 1, '.');
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<double> values_of(const etude::Tensor& t) {
  const etude::Tensor all = t.detach().contiguous(), row = all.flatten();
  const int64_t n = row.numel();
  if (all.scalar_type() == etude::kFloat)
    return std::vector<double>(all.data_ptr<float>(), all.data_ptr<float>() + n);
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(row[i].item<double>());
  return values;
}

}  // namespace tutorials
