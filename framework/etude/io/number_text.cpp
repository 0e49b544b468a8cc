#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "etude/io/detail/number_text.h"
#include "etude/io/print.h"

namespace etude {

namespace detail {
namespace {

// Python calls every nan `nan`.
bool append_special(std::string& out, double v) {
  if (std::isfinite(v)) return false;
  out += std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
  return true;
}

// The largest double has 309 digits before the point.
constexpr int kLongest = 330;

void append_digits(std::string& out, double v, std::chars_format form, int precision) {
  char buffer[kLongest + 32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v, form, precision);
  if (error == std::errc()) {
    out.append(buffer, end);
    return;
  }
  std::string longer(static_cast<size_t>(kLongest) + static_cast<size_t>(precision), '\0');
  out.append(longer.data(),
             std::to_chars(longer.data(), longer.data() + longer.size(), v, form, precision).ptr);
}

// Splits "d.ddde+xx".
Decimal parse_scientific(const char* begin, const char* end) {
  const char* const e = std::find(begin, end, 'e');
  Decimal d;
  std::copy_if(begin, e, std::back_inserter(d.digits), [](char c) { return c != '.'; });
  d.point = std::atoi(e + 1) + 1;
  return d;
}

}  // namespace

void append_fixed(std::string& out, double v, int precision) {
  if (!append_special(out, v)) append_digits(out, v, std::chars_format::fixed, precision);
}

void append_scientific(std::string& out, double v, int precision) {
  if (!append_special(out, v)) append_digits(out, v, std::chars_format::scientific, precision);
}

void append_integer(std::string& out, int64_t v) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
}

Decimal shortest_digits(double v) {
  char buffer[32];
  const char* const end =
      std::to_chars(buffer, buffer + sizeof buffer - 1, std::abs(v), std::chars_format::scientific).ptr;
  buffer[end - buffer] = '\0';
  return parse_scientific(buffer, end);
}

Decimal rounded_digits(double v, int count) {
  std::string text;
  append_scientific(text, std::abs(v), count - 1);
  return parse_scientific(text.data(), text.data() + text.size());
}

void append_shortest(std::string& out, double v) {
  if (append_special(out, v)) return;
  if (std::signbit(v)) out += '-';
  const Decimal d = shortest_digits(v);
  const auto count = static_cast<int>(d.digits.size());
  if (d.point <= -4 || d.point > 16) {
    out += d.digits[0];
    if (count > 1) out.append(1, '.').append(d.digits, 1);
    const int exponent = d.point - 1;
    out += exponent < 0 ? "e-" : "e+";
    if (std::abs(exponent) < 10) out += '0';
    append_integer(out, std::abs(exponent));
  } else if (d.point <= 0) {
    out.append("0.").append(static_cast<size_t>(-d.point), '0').append(d.digits);
  } else if (count <= d.point) {
    out.append(d.digits).append(static_cast<size_t>(d.point - count), '0').append(".0");
  } else {
    out.append(d.digits, 0, static_cast<size_t>(d.point))
        .append(1, '.')
        .append(d.digits, static_cast<size_t>(d.point));
  }
}

}  // namespace detail

std::string python_float(double v) {
  std::string text;
  detail::append_shortest(text, v);
  return text;
}

}  // namespace etude
