#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "etude/io/detail/number_text.h"
#include "etude/io/print.h"

namespace etude {

namespace detail {
namespace {

// Python writes every nan as `nan`.
bool append_special(std::string& out, double v) {
  if (std::isfinite(v)) return false;
  out += std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
  return true;
}

// Splits "d.ddde+xx".
Decimal parse_scientific(const char* begin, const char* end) {
  const char* const e = std::find(begin, end, 'e');
  Decimal d;
  std::copy_if(begin, e, std::back_inserter(d.digits), [](char c) { return c != '.'; });
  d.point = std::atoi(e + 1) + 1;
  return d;
}

#ifdef __cpp_lib_to_chars

// The largest double has 309 digits before the point.
constexpr int kLongest = 330;

void append_digits(std::string& out, double v, char form, int precision) {
  const auto format = form == 'f' ? std::chars_format::fixed : std::chars_format::scientific;
  const size_t begin = out.size();
  out.resize(begin + static_cast<size_t>(kLongest) + static_cast<size_t>(precision));
  char* const end = out.data() + out.size();
  out.resize(static_cast<size_t>(std::to_chars(&out[begin], end, v, format, precision).ptr - out.data()));
}

Decimal shortest(double v) {
  char buffer[32];
  const char* const end =
      std::to_chars(buffer, buffer + sizeof buffer - 1, v, std::chars_format::scientific).ptr;
  buffer[end - buffer] = '\0';
  return parse_scientific(buffer, end);
}

#else

// The same through printf, for libraries whose to_chars lacks floating point numbers.
void append_digits(std::string& out, double v, char form, int precision) {
  const char* const format = form == 'f' ? "%.*f" : "%.*e";
  const size_t begin = out.size();
  out.resize(begin + static_cast<size_t>(std::snprintf(nullptr, 0, format, precision, v)) + 1);
  std::snprintf(&out[begin], out.size() - begin, format, precision, v);
  out.pop_back();
  const std::string point = std::localeconv()->decimal_point;
  const size_t at = out.find(point, begin);
  if (at != std::string::npos) out.replace(at, point.size(), ".");
}

Decimal shortest(double v) {
  // If 15 digits are enough, the fewest are these without trailing zeros; not so for subnormal numbers.
  for (int count = v < std::numeric_limits<double>::min() ? 1 : 15;; ++count) {
    const Decimal rounded = rounded_digits(v, count);
    const uint64_t nearest = std::strtoull(rounded.digits.c_str(), nullptr, 10);
    const int exponent = rounded.point - count;
    // Below a power of two doubles are denser than above: the next decimal may give v where the nearest does not.
    for (const uint64_t number : {nearest, nearest + 1}) {
      std::string digits = std::to_string(number);
      if (std::strtod((digits + 'e' + std::to_string(exponent)).c_str(), nullptr) != v) continue;
      const int point = exponent + static_cast<int>(digits.size());
      while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
      return {digits, point};
    }
  }
}

#endif

}  // namespace

void append_fixed(std::string& out, double v, int precision) {
  if (!append_special(out, v)) append_digits(out, v, 'f', precision);
}

void append_scientific(std::string& out, double v, int precision) {
  if (!append_special(out, v)) append_digits(out, v, 'e', precision);
}

Decimal shortest_digits(double v) { return shortest(std::abs(v)); }

Decimal rounded_digits(double v, int count) {
  std::string text;
  append_scientific(text, std::abs(v), count - 1);
  return parse_scientific(text.data(), text.data() + text.size());
}

void append_decimal(std::string& out, const Decimal& d, int limit, bool keeps_point) {
  const auto count = static_cast<int>(d.digits.size());
  if (d.point <= -4 || d.point > limit) {
    out += d.digits[0];
    if (count > 1) out.append(1, '.').append(d.digits, 1);
    const int exponent = d.point - 1;
    out += exponent < 0 ? "e-" : "e+";
    if (std::abs(exponent) < 10) out += '0';
    out += std::to_string(std::abs(exponent));
  } else if (d.point <= 0) {
    out.append("0.").append(static_cast<size_t>(-d.point), '0').append(d.digits);
  } else if (count <= d.point) {
    out.append(d.digits).append(static_cast<size_t>(d.point - count), '0').append(keeps_point ? ".0" : "");
  } else {
    const auto before = static_cast<size_t>(d.point);
    out.append(d.digits, 0, before).append(1, '.').append(d.digits, before);
  }
}

void append_shortest(std::string& out, double v) {
  if (append_special(out, v)) return;
  if (std::signbit(v)) out += '-';
  append_decimal(out, shortest_digits(v), 16, true);
}

}  // namespace detail

std::string python_float(double v) {
  std::string text;
  detail::append_shortest(text, v);
  return text;
}

}  // namespace etude
