#include "support/character_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "support/svg_canvas.h"
#include "support/text.h"

namespace tutorials {
namespace {

constexpr size_t kRows = 12, kMargin = 9;

std::string padded(const std::string& text, size_t width) {
  const auto length = static_cast<size_t>(count_characters(text));
  return length < width ? std::string(width - length, ' ') + text : text;
}

/// The cell of braille whose dots are the bits of `dots`.
std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

/// A number that fits in front of the axis.
std::string axis_number(double v, double size) {
  return padded(tick_label(v, size / 4), kMargin - 2);
}

/// Dots in a field of braille, two across and four down in each cell, or a letter.
class Field {
 public:
  explicit Field(size_t columns)
      : columns_(columns), dots_(columns * kRows), letters_(columns * kRows, 0) {}

  void set(double right, double down, char letter = 0) {
    const auto x = static_cast<size_t>(
                   std::clamp(right, 0.0, 1.0) * static_cast<double>(2 * columns_ - 1) + 0.5),
               y = static_cast<size_t>(
                   std::clamp(down, 0.0, 1.0) * static_cast<double>(4 * kRows - 1) + 0.5);
    static const unsigned bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    const size_t cell = y / 4 * columns_ + x / 2;
    dots_[cell] |= bits[x % 2][y % 4];
    if (letter != 0) letters_[cell] = letter;
  }
  std::string row(size_t r) const {
    std::string text;
    for (size_t c = r * columns_; c < (r + 1) * columns_; ++c)
      text += letters_[c] ? std::string(1, letters_[c]) : dots_[c] ? braille(dots_[c]) : " ";
    return text;
  }

 private:
  size_t columns_;
  std::vector<unsigned> dots_;
  std::string letters_;
};

std::map<std::string, std::string>& kept() {
  static std::map<std::string, std::string> all;
  return all;
}
size_t kept_width = 0;

template <typename Plot>
void keep(const Plot& plot, const std::string& svg) {
  if (kept_width > 0) kept()[svg] = in_characters(plot, kept_width);
}

}  // namespace

std::string in_characters(const LinePlot& plot, size_t width) {
  const size_t columns = std::max<size_t>(width, kMargin + 10) - kMargin;
  const bool logarithmic = plot.x_scale == Scale::powers_of_two;
  std::vector<double> xs = plot.x, all;
  for (double& x : xs)
    if (logarithmic) x = std::log2(x);
  for (const Series& s : plot.series) all.insert(all.end(), s.y.begin(), s.y.end());
  const Range x = range_of(xs), y = range_of(all);
  Field field(columns);
  const bool several = plot.series.size() > 1;
  const auto letter_of = [](size_t number) { return static_cast<char>('a' + number % 26); };
  for (const Series& s : plot.series) {
    const size_t count = std::min(s.y.size(), xs.size());
    for (size_t i = 0; i < count; ++i) {
      const bool joined = i + 1 < s.y.size() && std::isfinite(s.y[i + 1]);
      for (int step = 0; std::isfinite(s.y[i]) && step < (joined ? 40 : 1); ++step) {
        const double t = step / 40.0, px = joined ? xs[i] + t * (xs[i + 1] - xs[i]) : xs[i],
                     py = joined ? s.y[i] + t * (s.y[i + 1] - s.y[i]) : s.y[i];
        field.set((px - x.low) / x.size(), (y.high - py) / y.size());
      }
    }
    // Where there are several, each has its letter in three places, which differ from those of the others.
    const auto number = static_cast<size_t>(&s - plot.series.data());
    for (size_t place = 0; place < 3 && several; ++place) {
      const size_t i = (place * plot.series.size() + number) * count / (3 * plot.series.size());
      if (i < count && std::isfinite(s.y[i]))
        field.set((xs[i] - x.low) / x.size(), (y.high - s.y[i]) / y.size(), letter_of(number));
    }
  }
  std::string out = plot.title + "\n";
  for (size_t r = 0; r < kRows; ++r) {
    const bool labelled = r == 0 || r + 1 == kRows;
    out += (labelled ? axis_number(r == 0 ? y.high : y.low, y.size())
                     : std::string(kMargin - 2, ' ')) +
           " │" + field.row(r) + "\n";
  }
  std::string line;
  for (size_t c = 0; c < columns; ++c) line += "─";
  const auto end = [&](double v) {
    return tick_label(logarithmic ? std::exp2(v) : v, (logarithmic ? 1 : x.size() / 10));
  };
  const std::string first = end(x.low), last = end(x.high);
  const auto used = static_cast<size_t>(count_characters(first + last));
  out += std::string(kMargin - 1, ' ') + "└" + line + "\n" + std::string(kMargin, ' ') + first +
         std::string(columns > used ? columns - used : 1, ' ') + last + "\n";
  std::string legend = plot.x_label + " across, " + plot.y_label + " up:";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const std::string name =
        (several ? std::string{letter_of(i), ' '} : "") + plot.series[i].name;
    const size_t used_up = legend.size() - (legend.rfind('\n') + 1);
    const bool fits = used_up + name.size() + 3 < width;
    legend += (i > 0 ? "," : "") + (fits ? " " : "\n" + std::string(kMargin, ' ')) + name;
  }
  return out + std::string(kMargin, ' ') + legend + "\n";
}

std::string in_characters(const HeatMap& map, size_t width) {
  static const char* const shades[] = {" ", "░", "▒", "▓", "█"};
  const size_t wide = std::max<size_t>(width, 20) - 12,
               columns = static_cast<size_t>(map.columns), rows = static_cast<size_t>(map.rows),
               every = std::max<size_t>(1, (2 * columns + wide - 1) / wide);
  const Range range = colour_range(map);
  const size_t places = columns <= 8 ? 7 : 2;
  std::string out = map.title + "\n";
  for (size_t r = 0; r < rows; r += every) {
    out += padded(map.row_names.empty() ? std::to_string(r) : map.row_names[r], 10) + " ";
    for (size_t c = 0; c < columns; c += every) {
      const double v = map.values[r * columns + c];
      if (columns <= 8) out += padded(std::isfinite(v) ? number_label(v, 2) : "-", places - 1);
      const auto level =
          std::isfinite(v) ? static_cast<size_t>(
                                 std::clamp((v - range.low) / range.size(), 0.0, 1.0) * 4 + 0.5)
                           : 0;
      out +=
          columns <= 8 ? std::string(shades[level]) : std::string(shades[level]) + shades[level];
    }
    out += "\n";
  }
  if (columns <= 8 && !map.column_names.empty()) {
    out += std::string(11, ' ');
    for (const std::string& name : map.column_names)
      out += padded(name.substr(0, places), places);
    out += "\n";
  }
  return out + std::string(11, ' ') + map.x_label + " across, " + map.y_label +
         " down; \" \" is " + tick_label(range.low, range.size() / 10) + ", █ is " +
         tick_label(range.high, range.size() / 10) + "\n";
}

std::string in_characters(const Subplots& all, size_t width) {
  std::string out = all.title + "\n";
  for (const auto& plot : all.plots)
    out += "\n" + std::visit([&](const auto& one) { return in_characters(one, width); }, plot);
  return out;
}

void keep_characters(size_t width) { kept_width = width; }

std::string characters_of(const std::string& svg) {
  const auto found = kept().find(svg);
  return found == kept().end() ? "" : found->second;
}

std::string kept_drawing(const LinePlot& plot, std::string svg) { return keep(plot, svg), svg; }
std::string kept_drawing(const HeatMap& plot, std::string svg) { return keep(plot, svg), svg; }
std::string kept_drawing(const Subplots& plot, std::string svg) { return keep(plot, svg), svg; }

}  // namespace tutorials
