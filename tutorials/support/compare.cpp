#include "support/compare.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

namespace tutorials {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  }
  return lines;
}

/// Part of a line around a column, short enough for a terminal.
std::string excerpt(const std::string& line, size_t column) {
  const size_t width = 90;
  if (line.size() <= width) return line;
  const size_t start =
      column > width / 2 ? std::min(column - width / 2, line.size() - width) : 0;
  std::string part = line.substr(start, width);
  if (start > 0) part = "..." + part;
  if (start + width < line.size()) part += "...";
  return part;
}

std::string describe(const std::string& printed, const std::string& recorded, size_t line,
                     size_t column) {
  const auto line_or_end = [&](const std::string& text) {
    const std::vector<std::string> lines = lines_of(text);
    return line < lines.size() ? excerpt(lines[line], column) : std::string("(end of output)");
  };
  return "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) +
         "\n  recorded: " + line_or_end(recorded) + "\n  printed:  " + line_or_end(printed);
}

std::string first_difference(const std::string& printed, const std::string& recorded) {
  if (printed == recorded) return "";
  const size_t shorter = std::min(printed.size(), recorded.size());
  size_t at = 0, line = 0, line_start = 0;
  for (; at < shorter && printed[at] == recorded[at]; ++at) {
    if (printed[at] != '\n') continue;
    ++line;
    line_start = at + 1;
  }
  return describe(printed, recorded, line, at - line_start);
}

/// A maximal run of bytes that belong to a number, or to none.
struct Piece {
  std::string text;
  size_t line, column;
  bool is_number;
};

std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  size_t line = 0, column = 0;
  for (size_t i = 0; i < text.size();) {
    char* end = nullptr;
    const bool may_start =
        std::isdigit(static_cast<unsigned char>(text[i])) || text[i] == '-' || text[i] == '.';
    const bool inside_word = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1]));
    if (may_start && !inside_word) std::strtof(text.c_str() + i, &end);
    const size_t length = end != nullptr && end > text.c_str() + i
                              ? static_cast<size_t>(end - text.c_str()) - i
                              : 0;
    if (length > 0) {
      pieces.push_back({text.substr(i, length), line, column, true});
    } else {
      if (pieces.empty() || pieces.back().is_number) pieces.push_back({"", line, column, false});
      pieces.back().text += text[i];
    }
    const size_t taken = std::max<size_t>(length, 1);
    column = text[i] == '\n' ? 0 : column + taken;
    line += text[i] == '\n';
    i += taken;
  }
  return pieces;
}

/// Where the texts differ in more than numbers that are `near` each other.
template <typename Near>
std::string difference_but_for(const std::string& printed, const std::string& recorded,
                               const Near& near) {
  const std::vector<Piece> a = pieces_of(printed), b = pieces_of(recorded);
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const bool agree = a[i].text == b[i].text || (a[i].is_number && b[i].is_number &&
                                                  near(a[i].text.c_str(), b[i].text.c_str()));
    if (!agree) return describe(printed, recorded, a[i].line, a[i].column);
  }
  if (a.size() == b.size()) return "";
  const Piece& extra = a.size() > b.size() ? a[b.size()] : b[a.size()];
  return describe(printed, recorded, extra.line, extra.column);
}

}  // namespace

long long float32_distance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<long long>::max();
  const auto place = [](float v) {  // -0 and 0 are one place, neighbours differ by one
    int32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits >= 0 ? static_cast<long long>(bits) : -static_cast<long long>(bits & 0x7fffffff);
  };
  return std::llabs(place(a) - place(b));
}

Compare Compare::bytes() { return {"equal in bytes", first_difference}; }

Compare Compare::within_ulp(int ulp) {
  return {"within " + std::to_string(ulp) + " ulp",
          [ulp](const std::string& printed, const std::string& recorded) {
            return difference_but_for(printed, recorded, [ulp](const char* a, const char* b) {
              return float32_distance(std::strtof(a, nullptr), std::strtof(b, nullptr)) <= ulp;
            });
          }};
}

Compare Compare::within(double tolerance) {
  std::ostringstream name;
  name << "within " << tolerance;
  return {
      name.str(), [tolerance](const std::string& printed, const std::string& recorded) {
        return difference_but_for(printed, recorded, [tolerance](const char* a, const char* b) {
          return std::abs(std::strtod(a, nullptr) - std::strtod(b, nullptr)) <= tolerance;
        });
      }};
}

Compare Compare::layout() {
  return {"by layout", [](const std::string& printed, const std::string& recorded) {
            return first_difference(layout_of(printed), layout_of(recorded));
          }};
}

Compare Compare::by(Function function) { return {"by a rule of its own", std::move(function)}; }

std::string layout_of(const std::string& text) {
  std::string layout;
  for (const Piece& piece : pieces_of(text)) {
    if (piece.is_number) {
      layout += '#';
      continue;
    }
    for (char c : piece.text) {
      const bool is_blank = std::isspace(static_cast<unsigned char>(c));
      if (is_blank && !layout.empty() && layout.back() == ' ') continue;
      layout += is_blank ? ' ' : c;
    }
  }
  // A blank takes the place of a minus sign that is not there.
  for (size_t at; (at = layout.find("[ #")) != std::string::npos;) layout.erase(at + 1, 1);
  return layout;
}

}  // namespace tutorials
