#include "support/diagram.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/lesson_text.h"
#include "support/tex_text.h"
#include "support/text.h"

namespace tutorials {
namespace diagrams {  // pictures of lines have boxes and a canvas, too
namespace {

constexpr int kGap = 3;  // between the boxes of a row
constexpr int kBorders = 4;
constexpr size_t kMostLines = 4;  // in a box

struct Box {
  std::string name, label, shape;
  bool operation;
  size_t row;
  std::vector<std::string> lines = {};
  int x = 0, width = 0;  // x is the column of its middle
  int left() const { return x - width / 2; }
  int right() const { return x + width / 2; }
};

struct Arrow {
  size_t from, to;
  bool beside = false;          // between neighbours of a row
  std::optional<int> via = {};  // the column in which it passes rows
  int port = 0;                 // the column in which it arrives
};

struct Diagram {
  std::vector<Box> boxes;
  std::vector<std::vector<size_t>> rows;
  std::vector<Arrow> arrows;
};

int places_of(const std::string& text) { return static_cast<int>(count_characters(text)); }

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> split(std::string text, const std::string& at) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(at)) != std::string::npos; text.erase(0, end + at.size()))
    parts.push_back(trimmed(text.substr(0, end)));
  parts.push_back(trimmed(text));
  return parts;
}

/// Exponents as raised letters.
std::string readable(const std::string& label) {
  static const std::regex exponent("[A-Za-z]\\^[A-Za-z0-9]");
  std::smatch found;
  return std::regex_search(label, found, exponent)
             ? found.prefix().str() + tex_text(found.str()) + readable(found.suffix().str())
             : label;
}

// --- Reading ---

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& lines) {
    static const std::regex row("^ *\\w+:.*");
    for (const std::string& line : lines) {
      ++number_;
      if (trimmed(line).empty()) continue;
      if (std::regex_match(line, row)) boxes(line);
      else arrows(line);
    }
    if (diagram.rows.empty()) fail("it has no box");
    if (!diagram.arrows.empty()) return;
    for (size_t row_number = 1; row_number < diagram.rows.size(); ++row_number)
      for (const size_t from : diagram.rows[row_number - 1])
        for (const size_t to : diagram.rows[row_number]) diagram.arrows.push_back({from, to});
  }

  Diagram diagram;

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument("line " + std::to_string(number_) + " of the diagram: " + why);
  }

  void boxes(const std::string& line) {
    static const std::regex form("^(\\w+): +(.+?)(?: +(\\[[^\\]]*\\]))?$"),
        operation("^\\((.*)\\)$");
    diagram.rows.emplace_back();
    for (const std::string& part : split(line, " | ")) {
      std::smatch found, inside;
      if (!std::regex_match(part, found, form)) fail("a box is `name: text [shape]`: " + part);
      if (index_of(found[1])) fail("there are two boxes '" + found[1].str() + "'");
      const std::string label = found[2];
      const bool is_operation = std::regex_match(label, inside, operation);
      diagram.rows.back().push_back(diagram.boxes.size());
      diagram.boxes.push_back({found[1], readable(is_operation ? inside[1].str() : label),
                               found[3], is_operation, diagram.rows.size() - 1});
    }
  }

  void arrows(const std::string& line) {
    for (const std::string& chain : split(line, ";")) {
      const std::vector<std::string> names = split(chain, "->");
      if (names.size() < 2) fail("an arrow leads from one name to another: " + chain);
      for (const std::string& name : names)
        if (!index_of(name)) fail("there is no box '" + name + "'");
      for (size_t i = 1; i < names.size(); ++i)
        diagram.arrows.push_back({*index_of(names[i - 1]), *index_of(names[i])});
    }
  }

  std::optional<size_t> index_of(const std::string& name) const {
    for (size_t i = 0; i < diagram.boxes.size(); ++i)
      if (diagram.boxes[i].name == name) return i;
    return std::nullopt;
  }

  size_t number_ = 0;
};

// --- Where boxes and arrows are ---

/// A label in at most `most` lines, in which its widest line is as short as it can be.
std::vector<std::string> wrapped_label(const std::string& label, size_t most) {
  const std::vector<std::string> words = split(label, " ");
  int width = 0;
  for (const std::string& word : words) width = std::max(width, places_of(word));
  for (;; ++width) {
    std::vector<std::string> lines{words[0]};
    for (size_t i = 1; i < words.size(); ++i) {
      if (places_of(lines.back()) + 1 + places_of(words[i]) > width) lines.push_back(words[i]);
      else lines.back() += " " + words[i];
    }
    if (lines.size() <= most) return lines;
  }
}

/// A box as narrow as it can be with so many lines and arrows that arrive. Its width is odd, so that a column is in its middle.
void size_box(Box& box, size_t most, int arriving) {
  const bool one_line = most == 1;
  box.lines = one_line || box.shape.empty()
                  ? wrapped_label(box.label + (box.shape.empty() ? "" : " " + box.shape), most)
                  : wrapped_label(box.label, most - 1);
  if (!one_line && !box.shape.empty()) box.lines.push_back(box.shape);
  int widest = std::max(3, 2 * arriving - 3);
  for (const std::string& line : box.lines) widest = std::max(widest, places_of(line));
  box.width = (widest + kBorders) | 1;
}

/// Rows with the same number of boxes have these below each other. False if there is no room.
bool place_boxes(Diagram& d, int room) {
  std::map<size_t, std::vector<const std::vector<size_t>*>> by_count;
  for (const auto& row : d.rows) by_count[row.size()].push_back(&row);
  for (const auto& [count, rows] : by_count) {
    std::vector<int> widths;
    int total = 0;
    for (size_t most = 1;; ++most) {
      if (most > kMostLines) return false;
      widths.assign(count, 0);
      for (const auto* row : rows) {
        for (size_t i = 0; i < count; ++i) {
          Box& box = d.boxes[(*row)[i]];
          size_box(box, most,
                   static_cast<int>(std::count_if(
                       d.arrows.begin(), d.arrows.end(),
                       [&](const Arrow& arrow) { return arrow.to == (*row)[i]; })));
          widths[i] = std::max(widths[i], box.width);
        }
      }
      total = kGap * (static_cast<int>(count) - 1);
      for (const int width : widths) total += width;
      if (total <= room) break;
    }
    for (const auto* row : rows) {
      int left = -(total / 2);
      for (size_t i = 0; i < count; ++i) {
        d.boxes[(*row)[i]].x = left + widths[i] / 2;
        left += widths[i] + kGap;
      }
    }
  }
  return true;
}

/// The rows that an arrow passes on its way in `via`: the first and the last.
std::pair<size_t, size_t> passed_rows(const Diagram& d, const Arrow& arrow) {
  const size_t from = d.boxes[arrow.from].row, to = d.boxes[arrow.to].row;
  return to > from ? std::pair{from + 1, to - 1} : std::pair{to, from};
}

/// Whether nothing else is in this column, beside which the arrow passes rows.
bool is_free(const Diagram& d, const Arrow& arrow, int column) {
  const auto [first, last] = passed_rows(d, arrow);
  for (const Box& box : d.boxes)
    if (box.row >= first && box.row <= last && box.left() - 1 <= column &&
        column <= box.right() + 1)
      return false;
  for (const Arrow& other : d.arrows) {
    const Box &from = d.boxes[other.from], &to = d.boxes[other.to];
    if (other.beside && from.row >= first && from.row <= last &&
        column >= std::min(from.x, to.x) && column <= std::max(from.x, to.x))
      return false;
    if (!other.via) continue;
    const auto [other_first, other_last] = passed_rows(d, other);
    const bool meets = other_first <= last + 1 && first <= other_last + 1;
    if (meets && std::abs(*other.via - column) < 2) return false;
  }
  return true;
}

/// A column for each arrow that does not lead to the next row: the one with the shortest way that is free.
void place_columns(Diagram& d) {
  std::vector<Arrow*> passing;
  for (Arrow& arrow : d.arrows) {
    const Box &from = d.boxes[arrow.from], &to = d.boxes[arrow.to];
    const auto& row = d.rows[from.row];
    const auto place = [&](size_t box) { return std::find(row.begin(), row.end(), box); };
    arrow.beside = from.row == to.row && std::abs(place(arrow.from) - place(arrow.to)) == 1;
    arrow.via.reset();
    if (!arrow.beside && to.row != from.row + 1) passing.push_back(&arrow);
  }
  const auto rows = [&](const Arrow* arrow) {
    const auto [first, last] = passed_rows(d, *arrow);
    return last - first;
  };
  std::stable_sort(passing.begin(), passing.end(),
                   [&](const Arrow* a, const Arrow* b) { return rows(a) < rows(b); });
  for (Arrow* arrow : passing) {
    const int from = d.boxes[arrow->from].x, to = d.boxes[arrow->to].x;
    const auto way = [&](int column) {
      return 2 * (std::abs(column - from) + std::abs(column - to)) + (column != from) +
             (column < 0);
    };
    int best = 0;
    bool found = false;
    for (int column = -200; column <= 200; ++column) {
      if (!is_free(d, *arrow, column) || (found && way(column) >= way(best))) continue;
      best = column;
      found = true;
    }
    arrow->via = best;
  }
}

/// Where arrows arrive at the top of a box: below where they come from, apart from each other.
void place_ports(Diagram& d) {
  for (size_t index = 0; index < d.boxes.size(); ++index) {
    const Box& box = d.boxes[index];
    std::vector<std::pair<int, Arrow*>> arriving;  // with the column from which each comes
    for (Arrow& arrow : d.arrows)
      if (arrow.to == index && !arrow.beside)
        arriving.emplace_back(arrow.via.value_or(d.boxes[arrow.from].x), &arrow);
    std::stable_sort(arriving.begin(), arriving.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const int low = box.left() + 1, high = box.right() - 1;
    const auto leaves_above = [&](int column, size_t source) {
      return std::any_of(d.arrows.begin(), d.arrows.end(), [&](const Arrow& arrow) {
        const Box& from = d.boxes[arrow.from];
        return arrow.from != source && from.row + 1 == box.row && from.x == column;
      });
    };
    for (auto& [column, arrow] : arriving) {
      arrow->port = column;
      if (low <= column && column <= high) continue;
      arrow->port = arriving.size() == 1 ? box.x : std::clamp(column, low + 1, high - 1);
      if (leaves_above(arrow->port, arrow->from)) arrow->port += column < box.x ? -2 : 2;
    }
    for (size_t i = 1; i < arriving.size(); ++i)
      arriving[i].second->port =
          std::max(arriving[i].second->port, arriving[i - 1].second->port + 2);
    int limit = high;
    for (auto it = arriving.rbegin(); it != arriving.rend(); ++it) {
      it->second->port = std::min(it->second->port, limit);
      limit = it->second->port - 2;
    }
  }
}

// --- Lines in the gaps between rows ---

/// What an arrow, or several from one box, do in a gap: columns in which they enter and leave, joined by a horizontal line.
struct Wire {
  size_t source;
  std::vector<int> above, below;
  size_t lane = 0;

  int first() const { return std::min(least(above), least(below)); }
  int last() const { return -std::min(least(above, -1), least(below, -1)); }
  bool is_straight() const { return first() == last(); }

 private:
  static int least(const std::vector<int>& columns, int sign = 1) {
    int best = 1000;
    for (const int column : columns) best = std::min(best, sign * column);
    return best;
  }
};

struct Gap {
  std::vector<Wire> wires;
  size_t lanes = 0;
  bool is_left_below = false;
  int height(bool outside) const {
    return std::max(static_cast<int>(lanes) + (is_left_below ? 1 : 0), outside ? 0 : 1);
  }
};

/// Vertical lines of a wire in lanes [begin, end], of which the lane of a straight one counts as neither.
struct Vertical {
  int column;
  size_t begin, end;
};

std::vector<Vertical> verticals(const Wire& wire) {
  constexpr size_t bottom = 100;
  std::vector<Vertical> all;
  if (wire.is_straight()) return {{wire.first(), 0, bottom}};
  for (const int column : wire.above) all.push_back({column, 0, wire.lane + 1});
  for (const int column : wire.below) all.push_back({column, wire.lane + 1, bottom});
  return all;
}

constexpr int kConfused = 1000;

/// How bad it is that two wires have their lanes: what cannot be told apart is worst, then what crosses.
int cost_of(const Wire& a, const Wire& b) {
  constexpr int crossed = 3;
  int cost = 0;
  for (const Vertical& v : verticals(a))
    for (const Vertical& w : verticals(b))
      if (v.column == w.column && v.begin <= w.end && w.begin <= v.end) cost += kConfused;
  const auto crossings = [&](const Wire& across, const Wire& down) {
    if (across.is_straight()) return;
    for (const Vertical& v : verticals(down)) {
      const size_t lane = across.lane + 1;
      if (across.first() < v.column && v.column < across.last() && v.begin < lane &&
          lane < v.end)
        cost += crossed;
    }
  };
  crossings(a, b);
  crossings(b, a);
  const bool same_lane = !a.is_straight() && !b.is_straight() && a.lane == b.lane;
  if (same_lane && a.first() <= b.last() + 1 && b.first() <= a.last() + 1) cost += kConfused;
  return cost;
}

/// Tries all lanes of all wires. False if lines cannot be told apart, or are too many to try.
bool place_lanes(Gap& gap) {
  std::vector<Wire*> turning;
  for (Wire& wire : gap.wires)
    if (!wire.is_straight()) turning.push_back(&wire);
  const size_t count = turning.size();
  if (count > 6) return false;
  std::vector<size_t> lanes(count), best;
  const auto assign = [&](const std::vector<size_t>& to) {
    for (size_t i = 0; i < count; ++i) turning[i]->lane = to[i];
  };
  int least = 0;
  for (bool more = count > 0; more;) {
    assign(lanes);
    int cost = static_cast<int>(*std::max_element(lanes.begin(), lanes.end()));
    for (size_t i = 0; i < gap.wires.size(); ++i)
      for (size_t j = 0; j < i; ++j) cost += cost_of(gap.wires[i], gap.wires[j]);
    if (best.empty() || cost < least) {
      best = lanes;
      least = cost;
    }
    size_t digit = 0;
    while (digit < count && ++lanes[digit] == count) lanes[digit++] = 0;
    more = digit < count;
  }
  assign(best);
  for (const size_t lane : best) gap.lanes = std::max(gap.lanes, lane + 1);
  return least < kConfused;
}

/// The gaps above each row, and the one below the last; none if lines cannot be told apart.
std::vector<Gap> gaps_of(const Diagram& d) {
  std::vector<Gap> gaps(d.rows.size() + 1);
  const auto wire = [&](size_t gap, size_t source, int start) -> Wire& {
    for (Wire& w : gaps[gap].wires) {
      const std::vector<int>& begin = w.above.empty() ? w.below : w.above;
      if (w.source == source && begin[0] == start) return w;
    }
    gaps[gap].wires.push_back({source, {}, {}});
    return gaps[gap].wires.back();
  };
  const auto add = [](std::vector<int>& columns, int column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      columns.push_back(column);
  };
  for (const Arrow& arrow : d.arrows) {
    if (arrow.beside) continue;
    const size_t from = d.boxes[arrow.from].row, to = d.boxes[arrow.to].row;
    const int start = d.boxes[arrow.from].x;
    Wire& first = wire(from + 1, arrow.from, start);
    add(first.above, start);
    if (!arrow.via) {
      add(first.below, arrow.port);
      continue;
    }
    const bool down = to > from;
    add(down ? first.below : first.above, *arrow.via);
    const auto [row, last_row] = passed_rows(d, arrow);
    for (size_t gap = row + 1; gap <= last_row; ++gap) {
      Wire& passing = wire(gap, arrow.from, *arrow.via);
      add(passing.above, *arrow.via);
      add(passing.below, *arrow.via);
    }
    Wire& last = wire(to, arrow.from, *arrow.via);
    add(down ? last.above : last.below, *arrow.via);
    add(last.below, arrow.port);
  }
  for (Gap& gap : gaps) {
    if (!place_lanes(gap)) return {};
    for (const Wire& w : gap.wires) gap.is_left_below |= !w.below.empty();
  }
  return gaps;
}

// --- Drawing ---

class Canvas {
 public:
  void text(int x, int y, const std::string& what) {
    for (size_t at = 0; at < what.size(); ++x) {
      size_t end = at + 1;
      while (end < what.size() && (static_cast<unsigned char>(what[end]) & 0xC0) == 0x80) ++end;
      letters_[{y, x}] = what.substr(at, end - at);
      at = end;
    }
  }
  void vertical(size_t net, int x, int from, int to) {
    for (int y = from; y <= to; ++y)
      lines_[{y, x}][net] |= (y > from ? kUp : 0u) | (y < to ? kDown : 0u);
  }
  void horizontal(size_t net, int y, int from, int to) {
    for (int x = from; x <= to; ++x)
      lines_[{y, x}][net] |= (x > from ? kLeft : 0u) | (x < to ? kRight : 0u);
  }

  /// All lines, with the leftmost column at the margin.
  std::string shown() const {
    std::map<std::pair<int, int>, std::string> all = letters_;
    for (const auto& [place, nets] : lines_) all.emplace(place, glyph(nets));
    int left = 1000;
    for (const auto& [place, letter] : all) left = std::min(left, place.second);
    std::string out;
    int y = 0, x = left;
    for (const auto& [place, letter] : all) {
      for (; y < place.first; ++y, x = left) out += '\n';
      out += std::string(static_cast<size_t>(place.second - x), ' ') + letter;
      x = place.second + 1;
    }
    return out + '\n';
  }

  int columns() const {
    int low = 1000, high = -1000;
    const auto see = [&](int x) { low = std::min(low, x), high = std::max(high, x); };
    for (const auto& [place, letter] : letters_) see(place.second);
    for (const auto& [place, nets] : lines_) see(place.second);
    return high - low + 1;
  }

 private:
  static constexpr unsigned kUp = 1, kDown = 2, kLeft = 4, kRight = 8;

  /// Where two lines cross, the horizontal one is interrupted.
  static std::string glyph(const std::map<size_t, unsigned>& nets) {
    static const char* const signs[] = {" ", "│", "│", "│", "─", "┘", "┐", "┤",
                                        "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
    unsigned all = 0;
    for (const auto& [net, ways] : nets) {
      if (nets.size() > 1 && ways == (kUp | kDown)) return "│";
      all |= ways;
    }
    return signs[all];
  }

  std::map<std::pair<int, int>, std::string> letters_;  // by row and column
  std::map<std::pair<int, int>, std::map<size_t, unsigned>> lines_;
};

std::string repeated(const char* sign, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += sign;
  return all;
}

void draw_box(Canvas& canvas, const Box& box, int y, int height) {
  const int inside = box.width - 2, rows = static_cast<int>(box.lines.size());
  canvas.text(box.left(), y,
              (box.operation ? "┌" : "╭") + repeated("─", inside) + (box.operation ? "┐" : "╮"));
  for (int r = 1; r <= height - 2; ++r)
    canvas.text(box.left(), y + r, "│" + repeated(" ", inside) + "│");
  canvas.text(box.left(), y + height - 1,
              (box.operation ? "└" : "╰") + repeated("─", inside) + (box.operation ? "┘" : "╯"));
  const int first = y + 1 + (height - 2 - rows) / 2;
  for (int r = 0; r < rows; ++r) {
    const std::string& line = box.lines[static_cast<size_t>(r)];
    canvas.text(box.left() + (box.width - places_of(line)) / 2, first + r, line);
  }
}

Canvas drawn(const Diagram& d, const std::vector<Gap>& gaps) {
  std::vector<int> tops, heights;
  int y = gaps[0].height(true);
  for (size_t row = 0; row < d.rows.size(); ++row) {
    size_t most = 0;
    for (const size_t box : d.rows[row]) most = std::max(most, d.boxes[box].lines.size());
    tops.push_back(y);
    heights.push_back(static_cast<int>(most) + 2);
    y += heights.back() + gaps[row + 1].height(row + 1 == d.rows.size());
  }
  Canvas canvas;
  for (const Box& box : d.boxes) draw_box(canvas, box, tops[box.row], heights[box.row]);
  for (size_t g = 0; g < gaps.size(); ++g) {
    const int top = g == 0 ? 0 : tops[g - 1] + heights[g - 1];
    const int end = g == d.rows.size() ? y : tops[g];
    for (const Wire& wire : gaps[g].wires) {
      const int lane = top + static_cast<int>(wire.lane);
      if (!wire.is_straight()) canvas.horizontal(wire.source, lane, wire.first(), wire.last());
      for (const int column : wire.above) canvas.vertical(wire.source, column, top - 1, lane);
      for (const int column : wire.below) canvas.vertical(wire.source, column, lane, end);
    }
  }
  for (const Arrow& arrow : d.arrows) {
    const Box &from = d.boxes[arrow.from], &to = d.boxes[arrow.to];
    const bool right = from.x < to.x;
    if (arrow.beside) {
      const int middle = tops[from.row] + heights[from.row] / 2;
      const int first = right ? from.right() : to.right(),
                last = right ? to.left() : from.left();
      canvas.text(
          first + 1, middle,
          right ? repeated("─", last - first - 2) + "►" : "◄" + repeated("─", last - first - 2));
      canvas.text(right ? first : last, middle, right ? "├" : "┤");
      continue;
    }
    canvas.text(from.x, tops[from.row] + heights[from.row] - 1, "┬");
    canvas.text(arrow.port, tops[to.row] - 1, "▼");
    if (!arrow.via) continue;
    const auto [first, last] = passed_rows(d, arrow);
    for (size_t row = first; row <= last; ++row)
      canvas.vertical(arrow.from, *arrow.via, tops[row] - 1, tops[row] + heights[row]);
  }
  return canvas;
}

/// A line for each box from which arrows lead, and for each that no arrow touches.
std::string in_words(const Diagram& d, size_t width) {
  const auto text = [&](size_t box) {
    const Box& b = d.boxes[box];
    return b.label + (b.shape.empty() ? "" : " " + b.shape);
  };
  std::string out;
  for (size_t box = 0; box < d.boxes.size(); ++box) {
    std::string targets;
    bool is_target = false;
    for (const Arrow& arrow : d.arrows) {
      if (arrow.from == box) targets += (targets.empty() ? " → " : "; ") + text(arrow.to);
      is_target |= arrow.to == box;
    }
    if (!targets.empty() || !is_target) out += wrapped(text(box) + targets, width, "  ");
  }
  return out;
}

}  // namespace
}  // namespace diagrams

std::string diagram_in_characters(const std::vector<std::string>& lines, size_t width) {
  using namespace diagrams;
  Diagram diagram = Reader(lines).diagram;
  // What passes at a side takes room from the boxes.
  for (int room = static_cast<int>(width); place_boxes(diagram, room);) {
    place_columns(diagram);
    place_ports(diagram);
    const std::vector<Gap> gaps = gaps_of(diagram);
    if (gaps.empty()) break;
    const diagrams::Canvas canvas = drawn(diagram, gaps);
    const int excess = canvas.columns() - static_cast<int>(width);
    if (excess <= 0) return canvas.shown();
    room -= excess;
  }
  return in_words(diagram, width);
}

}  // namespace tutorials
