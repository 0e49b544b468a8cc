#pragma once

#include <string>

namespace etude::detail {

// Numbers as C's printf and Python write them, in any locale: correctly rounded from the exact binary value.
// Infinities and nan are `inf`, `-inf`, `nan`.

/// Appends `%.*f`: digits, point, `precision` digits.
void append_fixed(std::string& out, double v, int precision);
/// Appends `%.*e`: one digit, point, `precision` digits, exponent of at least two digits.
void append_scientific(std::string& out, double v, int precision);
/// Appends Python's repr of a float.
void append_shortest(std::string& out, double v);

/// A number as digits and a power of ten: 0.d1 d2 d3... * 10^point. It has no sign and is never infinite or nan.
struct Decimal {
  std::string digits;
  int point = 0;
};

/// The fewest digits that read back as v; "0" for zero.
Decimal shortest_digits(double v);
/// v rounded to `count` significant digits, count at least 1.
Decimal rounded_digits(double v, int count);
/// Appends all digits of d, with an exponent if d is less than 1e-4 or takes more than `limit` digits before the
/// point. Without one, a whole number ends with ".0" if `keeps_point`.
void append_decimal(std::string& out, const Decimal& d, int limit, bool keeps_point);

}  // namespace etude::detail
