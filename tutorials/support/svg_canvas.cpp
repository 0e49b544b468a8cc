#include "support/svg_canvas.h"

#include <etude/framework.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tutorials {
namespace {

// No CSS variables: many viewers do not know them. Everything is below .etude-figure, so that a
// figure pasted into a page styles nothing but itself.
const char* const kStyle = R"(<style>
.etude-figure .paper{fill:#ffffff}
.etude-figure text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:15px;fill:#1f2328}
.etude-figure .title{font-size:17px;font-weight:600}
.etude-figure .tick{font-size:14px;fill:#57606a}
.etude-figure .subtitle{font-size:15px;font-weight:600}
.etude-figure .on-light{font-size:14px;fill:#1f2328}
.etude-figure .on-dark{font-size:14px;fill:#ffffff}
.etude-figure .middle{text-anchor:middle}
.etude-figure .end{text-anchor:end}
.etude-figure .grid{stroke:#e3e7eb;stroke-width:1}
.etude-figure .axis{stroke:#6e7781;stroke-width:1;fill:none}
.etude-figure .curve{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
.etude-figure .missing{fill:#b8bfc6}
.etude-figure .s0{stroke:#0b62c4}
.etude-figure .s1{stroke:#c2410c;stroke-dasharray:9 5}
.etude-figure .s2{stroke:#15803d;stroke-dasharray:1.5 5}
.etude-figure .s3{stroke:#a21caf;stroke-dasharray:10 5 1.5 5}
.etude-figure .s4{stroke:#6b7280}
.etude-figure .s5{stroke:#92700c;stroke-dasharray:4 4}
@media (prefers-color-scheme:dark){
.etude-figure .paper{fill:#14181f}
.etude-figure text{fill:#e6edf3}
.etude-figure .tick{fill:#9aa5b1}
.etude-figure .grid{stroke:#2a313b}
.etude-figure .axis{stroke:#8b949e}
.etude-figure .missing{fill:#4b535d}
.etude-figure .on-light{fill:#1f2328}
.etude-figure .on-dark{fill:#ffffff}
.etude-figure .diverging{filter:brightness(0.8)}
.etude-figure .s0{stroke:#6cb6ff}
.etude-figure .s1{stroke:#ff9d5c}
.etude-figure .s2{stroke:#57d37c}
.etude-figure .s3{stroke:#e29bff}
.etude-figure .s4{stroke:#aab2bd}
.etude-figure .s5{stroke:#e3b341}
}
</style>)";

/// An XML id made from a text, so that several figures in one page do not share ids.
std::string id_of(const std::string& text) {
  std::string id = "figure-";
  for (unsigned char c : text)
    id += std::isalnum(c) && c < 0x80 ? static_cast<char>(std::tolower(c)) : '-';
  return id;
}

std::string formatted(double v, const std::string& spec) {
  return etude::format(etude::tensor(v, etude::kDouble), spec);
}

std::string fixed(double v, int decimals) {
  return formatted(v, "." + std::to_string(decimals) + "f");
}

const std::string kMinus = "\u2212";

}  // namespace

std::string coordinate(double v) {
  std::string s = fixed(v, 2);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::vector<double> round_ticks(const Range& range, int count) {
  const double rough = range.size() / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return {range.low};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double mantissa = rough / power;
  const double step = power * (mantissa < 1.5   ? 1
                               : mantissa < 3.5 ? 2
                               : mantissa < 7.5 ? 5
                                                : 10);
  std::vector<double> ticks;
  const double slack = step * 1e-9;
  for (double k = std::ceil((range.low - slack) / step); k * step <= range.high + slack; ++k)
    ticks.push_back(k * step);
  return ticks;
}

double text_width(const std::string& text, double size) {
  double width = 0;
  for (unsigned char c : text) {
    const bool continues = c >= 0x80 && c < 0xc0, is_wide = c >= 0xe3;
    if (!continues) width += is_wide ? size : 0.58 * size;
  }
  return width;
}

std::string number_label(double value, int decimals) {
  const std::string label = fixed(std::abs(value), decimals);
  const bool is_zero = label.find_first_of("123456789") == std::string::npos;
  return value < 0 && !is_zero ? kMinus + label : label;
}

std::string tick_label(double value, double step) {
  const double magnitude = std::max(std::abs(value), std::abs(step));
  if (magnitude >= 1e7 || (step > 0 && step < 1e-6))
    return (value < 0 ? kMinus : "") + formatted(std::abs(value), ".1e");
  int decimals = 0;
  for (double s = step; s > 0 && s < 1 - 1e-9 && decimals < 9; s *= 10) ++decimals;
  const std::string label = number_label(value, decimals);
  return label.find_first_of("123456789") == std::string::npos ? "0" : label;
}

Range range_of(const std::vector<double>& values) {
  Range range{INFINITY, -INFINITY};
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    range.low = std::min(range.low, v);
    range.high = std::max(range.high, v);
  }
  if (range.low > range.high) return {0, 1};
  if (range.low == range.high) return {range.low - 0.5, range.high + 0.5};
  return range;
}

double left_margin(const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, 14));
  return std::max(66.0, widest + 40);
}

void Canvas::line(const std::string& style_class, double x1, double y1, double x2, double y2) {
  add("<line class=\"" + style_class + "\" x1=\"" + coordinate(x1) + "\" y1=\"" +
      coordinate(y1) + "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>");
}

void Canvas::text(const std::string& style_class, double x, double y,
                  const std::string& content) {
  add("<text class=\"" + style_class + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) +
      "\">" + escaped(content) + "</text>");
}

void Canvas::upward_text(const std::string& style_class, double x, double y,
                         const std::string& content) {
  add("<text class=\"" + style_class + "\" transform=\"translate(" + coordinate(x) + " " +
      coordinate(y) + ") rotate(-90)\">" + escaped(content) + "</text>");
}

std::string Canvas::str(double width, double height, const std::string& title,
                        const std::string& description) const {
  const std::string id = id_of(title), w = coordinate(width), h = coordinate(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"etude-figure\" viewBox=\"0 0 " + w +
         " " + h + "\" width=\"" + w + "\" height=\"" + h +
         "\" role=\"img\" aria-labelledby=\"" + id + " " + id + "-text\">\n<title id=\"" + id +
         "\">" + escaped(title) + "</title>\n<desc id=\"" + id + "-text\">" +
         escaped(description) + "</desc>\n" + kStyle + "\n<rect class=\"paper\" width=\"" + w +
         "\" height=\"" + h + "\"/>\n" + body_ + "</svg>\n";
}

}  // namespace tutorials
