// Python's format specs for numbers: [[fill]align][sign][z][#][0][width][grouping][.precision][code].

#include <algorithm>
#include <cmath>

#include "etude/core/error.h"
#include "etude/io/detail/number_text.h"
#include "etude/io/print.h"

namespace etude {
namespace {

using detail::Decimal;

constexpr int kLargest = 1 << 20;  // limit of width and precision

bool is_one_of(char c, const char* set) { return c != '\0' && std::string(set).find(c) != std::string::npos; }

struct Spec {
  std::string fill = " ";
  char align = '>';
  char sign = '-';
  bool no_negative_zero = false;
  bool alternate = false;
  int width = 0;
  char grouping = '\0';
  int precision = -1;
  char code = '\0';
};

class Parser {
 public:
  Parser(const std::string& text, const char* type) : text_(text), type_(type) {}

  Spec parse() {
    Spec s;
    const bool aligned = parse_fill(s);
    const bool filled = s.fill != " " || (aligned && at_ > 1);
    if (is_one_of(peek(), "+- ")) s.sign = next();
    s.no_negative_zero = take('z');
    s.alternate = take('#');
    if (!filled && take('0')) {
      s.fill = "0";
      if (!aligned) s.align = '=';
    }
    s.width = std::max(0, parse_number());
    if (is_one_of(peek(), ",_")) s.grouping = next();
    if (is_one_of(peek(), ",_"))
      fail(peek() == s.grouping ? str("Cannot specify '", peek(), "' with '", peek(), "'.")
                                : "Cannot specify both ',' and '_'.");
    if (take('.')) {
      s.precision = parse_number();
      if (s.precision < 0) fail("Format specifier missing precision");
    }
    if (at_ < text_.size()) s.code = next();
    if (at_ < text_.size())
      fail(str("Invalid format specifier '", text_, "' for object of type '", type_, "'"));
    const bool can_group =
        s.code == '\0' || is_one_of(s.code, s.grouping == '_' ? "deEfFgG%boxX" : "deEfFgG%");
    if (s.grouping && !can_group) fail(str("Cannot specify '", s.grouping, "' with '", s.code, "'."));
    return s;
  }

  void fail(const std::string& sentence) const {
    ETUDE_CHECK_VALUE(false, sentence, "\nreceived the format spec '", text_, "' for a number of type ",
                      type_, "\nhint: a spec such as .4f, 10.2f, .2e or .3g");
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() { return text_[at_++]; }
  bool take(char c) { return peek() == c && ++at_; }

  // The fill is one character, in UTF-8 possibly several bytes, and must be followed by an align.
  bool parse_fill(Spec& s) {
    size_t length = 1;
    while (length < text_.size() && (static_cast<unsigned char>(text_[length]) & 0xc0) == 0x80) ++length;
    if (length < text_.size() && is_one_of(text_[length], "<>=^")) {
      s.fill = text_.substr(0, length);
      s.align = text_[length];
      at_ = length + 1;
      return true;
    }
    if (!is_one_of(peek(), "<>=^")) return false;
    s.align = next();
    return true;
  }

  // -1 if there is no number.
  int parse_number() {
    int value = -1;
    while (peek() >= '0' && peek() <= '9') {
      value = std::max(value, 0) * 10 + (next() - '0');
      if (value > kLargest) fail("Too many decimal digits in format string");
    }
    return value;
  }

  const std::string& text_;
  const char* type_;
  size_t at_ = 0;
};

// The parts of a number: sign, prefix, digits before the point, and the rest.
struct Parts {
  bool negative = false;
  std::string prefix, whole, rest;
};

// Pads digits with zeros to `width`, and inserts a separator every `every` digits.
std::string grouped(std::string digits, char separator, size_t every, size_t width) {
  const auto length = [&](size_t n) { return separator ? n + (n - 1) / every : n; };
  while (length(digits.size()) < width) digits.insert(digits.begin(), '0');
  if (separator)
    for (size_t i = digits.size(); i > every; i -= every) digits.insert(i - every, 1, separator);
  return digits;
}

std::string assemble(const Spec& s, const Parts& p, size_t group) {
  const std::string sign = p.negative ? "-" : s.sign == '-' ? "" : std::string(1, s.sign);
  const auto width = static_cast<size_t>(s.width);
  const size_t around = sign.size() + p.prefix.size() + p.rest.size();
  const bool zeros = s.fill == "0" && s.align == '=' && !p.whole.empty();
  const std::string whole =
      p.whole.empty() ? ""
                      : grouped(p.whole, s.grouping, group, zeros && width > around ? width - around : 0);

  const size_t length = around + whole.size(), missing = width > length ? width - length : 0;
  const auto padding = [&](size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text += s.fill;
    return text;
  };
  const size_t left = s.align == '>' ? missing : s.align == '^' ? missing / 2 : 0;
  const size_t inner = s.align == '=' ? missing : 0;
  return padding(left) + sign + p.prefix + padding(inner) + whole + p.rest + padding(missing - left - inner);
}

// Splits "123.45" or "1.5e+10" after the leading digits.
void split(Parts& p, const std::string& text) {
  const size_t end = std::min(text.size(), text.find_first_not_of("0123456789"));
  p.whole = text.substr(0, end);
  p.rest = text.substr(end);
}

// Codes g, G, n and none: scientific if the exponent is below -4 or at least the number of digits.
void append_general(std::string& text, double v, const Spec& s) {
  const bool keeps_point = s.code == '\0';  // without a code a float keeps its point
  const bool shortest = keeps_point && s.precision < 0;
  const int digits = s.precision < 0 ? 6 : std::max(s.precision, 1);
  Decimal d = shortest ? detail::shortest_digits(v) : detail::rounded_digits(v, digits);
  if (!s.alternate)
    while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  detail::append_decimal(text, d, shortest ? 16 : digits - (keeps_point ? 1 : 0), keeps_point);
}

std::string format_float(double v, Spec s) {
  Parts p;
  const bool percent = s.code == '%', upper = is_one_of(s.code, "EFG");
  if (percent) v *= 100;
  p.negative = std::signbit(v) && !std::isnan(v);
  const double magnitude = std::abs(v);
  if (!std::isfinite(v)) {
    p.rest = std::isnan(v) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
  } else {
    const char code = static_cast<char>(std::tolower(s.code));
    const int precision = s.precision < 0 ? 6 : s.precision;
    std::string text;
    if (code == 'f' || percent) detail::append_fixed(text, magnitude, precision);
    else if (code == 'e') detail::append_scientific(text, magnitude, precision);
    else append_general(text, v, s);
    split(p, text);
    if (s.alternate && p.rest[0] != '.') p.rest.insert(0, 1, '.');
    if (upper) std::replace(p.rest.begin(), p.rest.end(), 'e', 'E');
    const bool is_zero =
        (p.whole + p.rest).find_first_of("123456789") >= (p.whole + p.rest).find_first_of("eE");
    if (s.no_negative_zero && is_zero) p.negative = false;
  }
  if (percent) p.rest += '%';
  return assemble(s, p, 3);
}

std::string format_integer(int64_t v, const Spec& s) {
  const int base = s.code == 'b' ? 2 : s.code == 'o' ? 8 : s.code == 'x' || s.code == 'X' ? 16 : 10;
  Parts p;
  p.negative = v < 0;
  auto rest = v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v);
  const char* const digits = s.code == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  do {
    p.whole.insert(p.whole.begin(), digits[rest % static_cast<uint64_t>(base)]);
    rest /= static_cast<uint64_t>(base);
  } while (rest > 0);
  if (s.alternate && base != 10) p.prefix = std::string("0") + s.code;
  return assemble(s, p, base == 10 ? 3 : 4);
}

std::string format_item(const Scalar& v, const std::string& text) {
  const char* const type = v.isFloatingPoint() ? "float" : v.isBoolean() ? "bool" : "int";
  Parser parser(text, type);
  const Spec s = parser.parse();
  const bool is_integer = !v.isFloatingPoint() && (s.code == '\0' || is_one_of(s.code, "dboxXn"));
  if (!is_integer) {
    if (!(s.code == '\0' || is_one_of(s.code, "eEfFgGn%"))) {
      ETUDE_CHECK_WITH(NotImplementedError, s.code != 'c' || v.isFloatingPoint(),
                       "format code 'c' is not supported");
      parser.fail(str("Unknown format code '", s.code, "' for object of type '", type, "'"));
    }
    return format_float(v.toDouble(), s);
  }
  if (s.precision >= 0) parser.fail("Precision not allowed in integer format specifier");
  if (s.no_negative_zero) parser.fail("Negative zero coercion (z) not allowed in integer format specifier");
  return format_integer(v.toLong(), s);
}

}  // namespace

std::string format(const Tensor& t, const std::string& spec) {
  if (t.dim() > 0) {
    ETUDE_CHECK_TYPE(spec.empty(),
                     "unsupported format string passed to Tensor.__format__\nreceived the format spec '",
                     spec, "' for sizes ", t.sizes(), "\nhint: only a 0-dim tensor takes a spec");
    return repr(t);
  }
  return spec.empty() ? tolist(t) : format_item(t.item(), spec);
}

}  // namespace etude
