// Printing: the text of Python's repr and print.
#pragma once

#include <iomanip>
#include <iostream>

#include "mini/ops.h"

namespace mini {

/// v in std::fixed or std::scientific, with `digits` digits after the point.
template <typename Notation>
std::string digits_of(double v, Notation notation, int digits) {
  return (std::ostringstream() << notation << std::setprecision(digits) << v).str();
}
/// The shortest decimal that reads back as v: 0.1, 1.0, 1e-05.
inline std::string python_float(double v) {
  if (!std::isfinite(v)) return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
  std::string text;
  int digits = 0;
  do text = digits_of(v, std::scientific, digits++);
  while (std::strtod(text.c_str(), nullptr) != v);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return text;
  return digits_of(v, std::fixed, std::max(digits - 1 - exponent, 1));
}
/// The indices of a dim to print; -1 stands for the part that is left out.
inline Sizes shown(int64_t size, bool cuts) {
  constexpr int64_t edge = 3;
  Sizes all;
  for (int64_t i = 0; i < size; ++i)
    if (!cuts || size <= 2 * edge || i < edge || i >= size - edge) all.push_back(i);
    else if (i == edge) all.push_back(-1);
  return all;
}
/// The notation and width for all numbers of a tensor, chosen from the numbers that will be printed.
struct Format {
  Format(const Tensor& x, bool cuts) {
    std::vector<Scalar> numbers;
    collect(x, cuts, numbers);
    double lowest = std::numeric_limits<double>::infinity(), highest = 0;
    for (const Scalar& number : numbers) {
      const double v = number.real;
      lowest = std::min(lowest, std::abs(v));
      highest = std::max(highest, std::abs(v));
      whole = whole && v == std::ceil(v);
    }
    scientific = highest > 0 && (highest / lowest > 1000 || highest > 1e8 || (!whole && lowest < 1e-4));
    for (const Scalar& v : numbers) width = std::max(width, text(v).size());
  }
  /// Zeros, infinities and nan do not take part in the choice.
  void collect(const Tensor& x, bool cuts, std::vector<Scalar>& numbers) const {
    if (x.dim() == 0) {
      const Scalar v = x.item();
      if (v.type != kFloat || (std::isfinite(v.real) && v.real != 0)) numbers.push_back(v);
    } else {
      for (const int64_t i : shown(x.size(0), cuts))
        if (i >= 0) collect(x[i], cuts, numbers);
    }
  }
  std::string text(const Scalar& number) const {
    const double v = number.real;
    if (number.type == kBool) return v != 0 ? "True" : "False";
    if (number.type == kLong) return std::to_string(number.whole);
    if (!std::isfinite(v)) return python_float(v);
    if (scientific) return digits_of(v, std::scientific, 4);
    return whole ? digits_of(v, std::fixed, 0) + "." : digits_of(v, std::fixed, 4);
  }
  std::string padded(const Scalar& v) const {
    const std::string all = text(v);
    return std::string(width > all.size() ? width - all.size() : 0, ' ') + all;
  }
  bool whole = true, scientific = false;
  size_t width = 1;
};

inline void append_rows(std::string& out, const Tensor& x, bool cuts, const Format& format, size_t indent) {
  if (x.dim() == 0) {
    out += format.padded(x.item());
    return;
  }
  const auto breaks = static_cast<size_t>(std::max<int64_t>(x.dim() - 1, 1));
  const std::string next_line = "," + std::string(breaks, '\n') + std::string(indent + 1, ' ');
  const size_t per_line = x.dim() > 1 ? 1 : std::max<size_t>(1, (80 - indent) / (format.width + 2));
  size_t cells = 0;
  out += '[';
  for (const int64_t i : shown(x.size(0), cuts)) {
    if (cells > 0) out += cells % per_line == 0 ? next_line : ", ";
    ++cells;
    if (i >= 0) append_rows(out, x[i], cuts, format, indent + 1);
    else out += x.dim() == 1 ? " ..." : "...";
  }
  out += ']';
}
/// The text of Python's repr(t).
inline std::string repr(const Tensor& t) {
  if (!t.defined()) return "[ Tensor (undefined) ]";
  const Tensor x = t.detach();
  const bool cuts = x.numel() > 1000;
  std::string out = "tensor(";
  if (x.numel() == 0) {
    out += "[]";
    if (x.dim() != 1) out += ", size=(" + str(x.sizes()).substr(1, str(x.sizes()).size() - 2) + ")";
    if (x.scalar_type() != kFloat)
      out += x.scalar_type() == kLong ? ", dtype=torch.int64" : ", dtype=torch.bool";
  } else {
    append_rows(out, x, cuts, Format(x, cuts), 7);
  }
  const std::string past = t.grad_fn() ? "grad_fn=<" + t.grad_fn()->name() + ">" : "requires_grad=True";
  if (!t.requires_grad()) return out + ')';
  const size_t column = out.size() - (out.rfind('\n') + 1) + 2;
  return out + (column + past.size() + 2 > 80 ? ",\n       " : ", ") + past + ')';
}
/// The text of Python's t.tolist().
inline std::string tolist(const Tensor& t) {
  if (t.dim() == 0)
    return t.is_floating_point() ? python_float(t.item<double>()) : Format(t, false).text(t.item());
  std::string out = "[";
  for (int64_t i = 0; i < t.size(0); ++i) out += (i > 0 ? ", " : "") + tolist(t[i]);
  return out + "]";
}
/// A number formatted by a spec such as .4f or .2e.
inline std::string format_number(double v, const std::string& spec) {
  char text[512];
  std::snprintf(text, sizeof text, ("%" + spec).c_str(), v);
  return text;
}
inline std::string format(const Tensor& t, const std::string& spec) {
  if (spec.empty()) return t.dim() == 0 ? tolist(t) : repr(t);
  return format_number(t.item<double>(), spec);
}

inline std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << repr(t); }

struct Print {
  template <typename... Parts>
  void operator()(const Parts&... parts) const {
    [[maybe_unused]] const char* blank = "";
    ((std::cout << blank, one(parts), blank = " "), ...);
    std::cout << '\n';
  }
  template <typename T>
  static void one(const T& part) {
    if constexpr (std::is_same_v<T, bool>) std::cout << (part ? "True" : "False");
    else if constexpr (std::is_floating_point_v<T>) std::cout << python_float(static_cast<double>(part));
    else if constexpr (std::is_same_v<T, Sizes>) std::cout << "torch.Size(" << part << ")";
    else std::cout << part;
  }
};
/// Python's print: writes its arguments with spaces between them.
inline constexpr Print print{};

}  // namespace mini
