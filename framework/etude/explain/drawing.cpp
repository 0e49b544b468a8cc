// The layout of boxes, and their output. Graphs are drawn by the method of K. Sugiyama, S. Tagawa and M. Toda (1981,
// "Methods for visual understanding of hierarchical system structures"): levels, where an arrow across several of them
// takes a place in each; order inside levels by medians of neighbours; then positions near the mean of the neighbours.

#include <algorithm>
#include <limits>

#include "etude/core/error.h"
#include "etude/explain/draw.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/number_text.h"
#include "etude/text/detail/utf8.h"

namespace etude {
namespace {

constexpr double kTitleWidth = 7.3, kNoteWidth = 6.4;  // of a character
constexpr double kBoxHeight = 38, kBetweenLevels = 40, kBetweenBoxes = 18, kMargin = 16, kPadding = 10;
constexpr size_t kMostCharacters = 60;

// --- Texts ---

// The characters of a text, cut if there are too many; characters that a page may not contain become question marks.
std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> list;
  for (size_t i = 0; i < text.size();) {
    const auto [code, size] = detail::character_at(text, i);
    const bool fits =
        code >= 0x20 && code != 0x7f && code != 0xfffe && code != 0xffff && code < detail::kInvalidByte;
    list.push_back(fits ? text.substr(i, size) : "?");
    i += fits ? size : 1;
  }
  if (list.size() > kMostCharacters) {
    list.resize(kMostCharacters - 3);
    list.insert(list.end(), 3, ".");
  }
  return list;
}

std::string escaped(const std::string& text, bool for_dot) {
  std::string result;
  for (const std::string& c : characters_of(text)) {
    if (for_dot) result += c == "\"" || c == "\\" ? "\\" + c : c;
    else result += c == "&" ? "&amp;" : c == "<" ? "&lt;" : c == ">" ? "&gt;" : c == "\"" ? "&quot;" : c;
  }
  return result;
}

double width_of(const Drawing::Box& box) {
  const auto title = static_cast<double>(characters_of(box.title).size()),
             note = static_cast<double>(characters_of(box.note).size());
  return std::max(title * kTitleWidth, note * kNoteWidth) + 2 * kPadding;
}

// --- Places ---

// A box, or the place that an arrow takes in a level between its boxes.
struct Item {
  size_t level;
  double width;
  double x = 0;  // of its middle
  std::vector<size_t> above, below;
};

struct Layout {
  std::vector<Item> items;                  // the boxes first
  std::vector<std::vector<size_t>> levels;  // of items, from left to right
  std::vector<std::vector<size_t>> routes;  // for each arrow, the items that it passes
  double width = 0, height = 0;
  double top_of(size_t level) const {
    return kMargin + static_cast<double>(level) * (kBoxHeight + kBetweenLevels);
  }
};

void add_items(Layout& l, const Drawing& d) {
  int64_t lowest = std::numeric_limits<int64_t>::max(), most = 0;
  for (const auto& box : d.boxes) lowest = std::min(lowest, box.level);
  for (const auto& box : d.boxes) {
    most = std::max(most, box.level - lowest);
    l.items.push_back({static_cast<size_t>(box.level - lowest), width_of(box), 0, {}, {}});
  }
  for (const auto& [from, to] : d.arrows) {
    std::vector<size_t> route{from};
    for (size_t level = l.items[from].level + 1; level < l.items[to].level; ++level) {
      route.push_back(l.items.size());
      l.items.push_back({level, 2, 0, {}, {}});
    }
    route.push_back(to);
    for (size_t i = 0; i + 1 < route.size(); ++i) {
      l.items[route[i]].below.push_back(route[i + 1]);
      l.items[route[i + 1]].above.push_back(route[i]);
    }
    l.routes.push_back(std::move(route));
  }
  l.levels.resize(static_cast<size_t>(most) + 1);
}

// The first order: as a walk from the bottom up visits the items.
void order_by_walk(Layout& l) {
  std::vector<bool> seen(l.items.size(), false);
  for (size_t start = 0; start < l.items.size(); ++start) {
    std::vector<size_t> stack{start};
    while (!stack.empty()) {
      const size_t item = stack.back();
      stack.pop_back();
      if (seen[item]) continue;
      seen[item] = true;
      l.levels[l.items[item].level].push_back(item);
      const auto& above = l.items[item].above;
      stack.insert(stack.end(), above.rbegin(), above.rend());
    }
  }
}

std::vector<size_t> places_in(const Layout& l, size_t level) {
  std::vector<size_t> places(l.items.size(), 0);
  for (size_t i = 0; i < l.levels[level].size(); ++i) places[l.levels[level][i]] = i;
  return places;
}

size_t crossings(const Layout& l) {
  size_t count = 0;
  for (size_t level = 0; level + 1 < l.levels.size(); ++level) {
    const std::vector<size_t> places = places_in(l, level + 1);
    std::vector<size_t> ends;
    for (const size_t item : l.levels[level]) {
      std::vector<size_t> own;
      for (const size_t below : l.items[item].below) own.push_back(places[below]);
      for (const size_t end : own)
        count +=
            static_cast<size_t>(std::count_if(ends.begin(), ends.end(), [&](size_t e) { return e > end; }));
      ends.insert(ends.end(), own.begin(), own.end());
    }
  }
  return count;
}

void sort_by_medians(Layout& l, size_t level, bool by_above) {
  const size_t other = by_above ? level - 1 : level + 1;
  const std::vector<size_t> places = places_in(l, other), own = places_in(l, level);
  const auto median = [&](size_t item) {
    std::vector<size_t> of;
    for (const size_t n : by_above ? l.items[item].above : l.items[item].below) of.push_back(places[n]);
    if (of.empty()) return static_cast<double>(own[item]);
    std::sort(of.begin(), of.end());
    return static_cast<double>(of[of.size() / 2] + of[(of.size() - 1) / 2]) / 2;
  };
  std::stable_sort(l.levels[level].begin(), l.levels[level].end(),
                   [&](size_t a, size_t b) { return median(a) < median(b); });
}

void order_by_medians(Layout& l) {
  auto best = l.levels;
  size_t least = crossings(l);
  const int sweeps = l.items.size() > 3000 ? 2 : 12;
  for (int sweep = 0; sweep < sweeps && least > 0; ++sweep) {
    const size_t n = l.levels.size();
    for (size_t i = 1; i < n; ++i) sort_by_medians(l, sweep % 2 == 0 ? i : n - 1 - i, sweep % 2 == 0);
    const size_t now = crossings(l);
    if (now < least) {
      least = now;
      best = l.levels;
    }
  }
  l.levels = std::move(best);
}

// Places items near the positions that they should have, in order and without overlap: at the mean of a placement that
// starts at the left and one that starts at the right.
void place(Layout& l, const std::vector<size_t>& level, const std::vector<double>& wished) {
  const auto apart = [&](size_t i) {
    return (l.items[level[i]].width + l.items[level[i + 1]].width) / 2 + kBetweenBoxes;
  };
  std::vector<double> from_left = wished, from_right = wished;
  for (size_t i = 0; i + 1 < level.size(); ++i)
    from_left[i + 1] = std::max(from_left[i + 1], from_left[i] + apart(i));
  for (size_t i = level.size() - 1; i-- > 0;)
    from_right[i] = std::min(from_right[i], from_right[i + 1] - apart(i));
  for (size_t i = 0; i < level.size(); ++i) l.items[level[i]].x = (from_left[i] + from_right[i]) / 2;
}

void place_all(Layout& l) {
  for (const auto& level : l.levels)
    if (!level.empty()) place(l, level, std::vector<double>(level.size(), 0));
  for (int round = 0; round < 24; ++round) {
    const bool down = round % 2 == 0;
    for (size_t i = 0; i < l.levels.size(); ++i) {
      const auto& level = l.levels[down ? i : l.levels.size() - 1 - i];
      std::vector<double> wished;
      for (const size_t item : level) {
        const auto& near = down ? l.items[item].above : l.items[item].below;
        double sum = 0;
        for (const size_t n : near) sum += l.items[n].x;
        wished.push_back(near.empty() ? l.items[item].x : sum / static_cast<double>(near.size()));
      }
      if (!level.empty()) place(l, level, wished);
    }
  }
  double left = std::numeric_limits<double>::infinity(), right = -left;
  for (const Item& item : l.items) {
    left = std::min(left, item.x - item.width / 2);
    right = std::max(right, item.x + item.width / 2);
  }
  for (Item& item : l.items) item.x += kMargin - left;
  l.width = right - left + 2 * kMargin;
  l.height = l.top_of(l.levels.size()) - kBetweenLevels + kMargin;
}

Layout layered(const Drawing& d) {
  Layout l;
  add_items(l, d);
  order_by_walk(l);
  order_by_medians(l);
  place_all(l);
  return l;
}

// --- SVG ---

std::string number(double value) {
  std::string text;
  detail::append_fixed(text, value, 1);
  return text;
}

const char* class_of(Drawing::Kind kind) {
  return kind == Drawing::Kind::Leaf ? "leaf" : kind == Drawing::Kind::Result ? "result" : "op";
}

std::string text_svg(const std::string& text, double x, double y, double character, const char* css) {
  const auto length = static_cast<double>(characters_of(text).size()) * character;
  return "<text class=\"" + std::string(css) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
         "\" textLength=\"" + number(length) + "\" lengthAdjust=\"spacingAndGlyphs\">" +
         escaped(text, false) + "</text>\n";
}

// The box with the given top left corner.
std::string box_svg(const Drawing::Box& box, double x, double y, double height) {
  const double middle = x + width_of(box) / 2, line = y + height / 2;
  std::string svg = "<rect class=\"" + std::string(class_of(box.kind)) + "\" x=\"" + number(x) + "\" y=\"" +
                    number(y) + "\" width=\"" + number(width_of(box)) + "\" height=\"" + number(height) +
                    "\" rx=\"" + (box.kind == Drawing::Kind::Leaf ? "16" : "4") + "\"/>\n";
  svg += text_svg(box.title, middle, box.note.empty() ? line + 4 : line - 3, kTitleWidth, "t");
  if (!box.note.empty()) svg += text_svg(box.note, middle, line + 12, kNoteWidth, "n");
  return svg;
}

// All rules name the class, so that they do not change the rest of a page that includes the drawing.
const char* const kStyle = R"(<style>
.etude-graph { background: #ffffff; font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace }
.etude-graph text { text-anchor: middle; fill: #1c2733 } .etude-graph .t { font-size: 12px }
.etude-graph .n { font-size: 10.5px; fill: #52606d }
.etude-graph rect { stroke: #7b8794; fill: #f5f7fa }
.etude-graph .leaf { fill: #e3f2e6; stroke: #3f7d4e }
.etude-graph .result { fill: #fdf0d5; stroke: #a86f12 }
.etude-graph path { fill: none; stroke: #7b8794 }
.etude-graph marker path { fill: #7b8794; stroke: none }
@media (prefers-color-scheme: dark) {
.etude-graph { background: #14181d } .etude-graph text { fill: #e4e7eb } .etude-graph .n { fill: #9aa5b1 }
.etude-graph rect { fill: #222a33 } .etude-graph .leaf { fill: #1d3325 }
.etude-graph .result { fill: #3a2d14 }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
)";

std::string head_svg(const Drawing& d, double width, double height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"etude-graph\" role=\"img\" "
         "aria-labelledby=\"title desc\" width=\"" +
         number(width) + "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + number(width) + " " +
         number(height) + "\">\n<title id=\"title\">" + escaped(d.title, false) +
         "</title>\n<desc id=\"desc\">" + std::to_string(d.boxes.size()) + " boxes and " +
         std::to_string(d.arrows.size()) + " arrows between them</desc>\n" + kStyle;
}

std::string graph_svg(const Drawing& d) {
  const Layout l = layered(d);
  std::string svg = head_svg(d, l.width, l.height);
  for (const std::vector<size_t>& route : l.routes) {
    const Item* before = &l.items[route[0]];
    double y = l.top_of(before->level) + kBoxHeight;
    svg += "<path marker-end=\"url(#head)\" d=\"M" + number(before->x) + " " + number(y);
    for (size_t i = 1; i < route.size(); ++i) {
      const Item& item = l.items[route[i]];
      const double to = l.top_of(item.level), half = (y + to) / 2;
      svg += "C" + number(before->x) + " " + number(half) + " " + number(item.x) + " " + number(half) + " " +
             number(item.x) + " " + number(to);
      y = to + kBoxHeight;
      if (i + 1 < route.size()) svg += "V" + number(y);
      before = &item;
    }
    svg += "\"/>\n";
  }
  for (size_t i = 0; i < d.boxes.size(); ++i)
    svg += box_svg(d.boxes[i], l.items[i].x - l.items[i].width / 2, l.top_of(l.items[i].level), kBoxHeight);
  return svg + "</svg>\n";
}

std::string tree_svg(const Drawing& d) {
  constexpr double kStep = 28, kRow = kBoxHeight + 8;
  const auto left_of = [&](size_t i) { return kMargin + kStep * static_cast<double>(d.boxes[i].level); };
  const auto top_of = [&](size_t i) { return kMargin + kRow * static_cast<double>(i); };
  double right = 0;
  for (size_t i = 0; i < d.boxes.size(); ++i) right = std::max(right, left_of(i) + width_of(d.boxes[i]));
  std::string svg = head_svg(d, right + kMargin, top_of(d.boxes.size()) - 8 + kMargin);
  for (const auto& [from, to] : d.arrows)
    svg += "<path d=\"M" + number(left_of(from) + kStep / 2) + " " + number(top_of(from) + kBoxHeight) + "V" +
           number(top_of(to) + kBoxHeight / 2) + "H" + number(left_of(to)) + "\"/>\n";
  for (size_t i = 0; i < d.boxes.size(); ++i) svg += box_svg(d.boxes[i], left_of(i), top_of(i), kBoxHeight);
  return svg + "</svg>\n";
}

}  // namespace

std::string Drawing::svg() const { return is_tree ? tree_svg(*this) : graph_svg(*this); }

std::string Drawing::dot() const {
  std::string text = "digraph {\n  label=\"" + escaped(title, true) + "\";\n" +
                     (is_tree ? "  rankdir=LR;\n" : "") + "  node [shape=box, fontname=\"monospace\"];\n";
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    text += "  n" + std::to_string(i) + " [label=\"" + escaped(box.title, true) +
            (box.note.empty() ? "" : "\\n" + escaped(box.note, true)) + "\"" +
            (box.kind == Kind::Leaf ? ", style=rounded" : "") + "];\n";
  }
  for (const auto& [from, to] : arrows)
    text += "  n" + std::to_string(from) + " -> n" + std::to_string(to) + ";\n";
  return text + "}\n";
}

void Drawing::save(const std::string& path) const {
  const std::string suffix = path.substr(std::min(path.rfind('.'), path.size()));
  const std::string text = suffix == ".dot" || suffix == ".gv" ? dot() : svg();
  detail::FileWriter file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace etude
