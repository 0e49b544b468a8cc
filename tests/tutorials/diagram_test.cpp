// The diagrams of the lessons in characters: each drawing is parsed again, box by box and line by line.
#include "support/diagram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/files.h"
#include "support/lesson_text.h"
#include "support/text.h"

namespace {

using tutorials::diagram_in_characters;
using Lines = std::vector<std::string>;
using Arrows = std::multiset<std::pair<std::string, std::string>>;

Lines cut(const std::string& text, const std::string& at) {
  static const std::regex blanks("^ +| +$");
  Lines parts;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + at.size()) {
    end = text.find(at, begin);
    parts.push_back(std::regex_replace(text.substr(begin, end - begin), blanks, ""));
  }
  return parts;
}

/// The boxes of a diagram and its arrows, by what is written in the boxes.
struct Contents {
  std::multiset<std::string> boxes;
  Arrows arrows;
};

Contents contents_of(const Lines& lines) {
  static const std::regex form("(\\w+): +(.*)");
  Contents contents;
  std::map<std::string, std::string> text;
  std::vector<Lines> rows;
  for (const std::string& line : lines) {
    std::smatch part;
    if (std::regex_match(line, part, form)) {
      rows.emplace_back();
      for (const std::string& box : cut(line, " | ")) {
        REQUIRE(std::regex_match(box, part, form));
        std::string label = part[2];
        if (label[0] == '(') label.erase(label.rfind(')'), 1).erase(0, 1);
        label = std::regex_replace(label, std::regex("\\^T"), "ᵀ");
        contents.boxes.insert(text[part[1]] = label);
        rows.back().push_back(part[1]);
      }
      continue;
    }
    for (const std::string& chain : cut(line, ";")) {
      const Lines names = cut(chain, "->");
      for (size_t i = 1; i < names.size(); ++i)
        contents.arrows.emplace(text.at(names[i - 1]), text.at(names[i]));
    }
  }
  if (!contents.arrows.empty()) return contents;
  for (size_t row = 1; row < rows.size(); ++row)
    for (const std::string& from : rows[row - 1])
      for (const std::string& to : rows[row]) contents.arrows.emplace(text.at(from), text.at(to));
  return contents;
}

/// A parsed drawing: its boxes, and where the lines that leave them lead.
class Drawing {
 public:
  explicit Drawing(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      cells_.emplace_back();
      for (size_t at = 0, end; at < line.size(); at = end) {
        for (end = at + 1; end < line.size() && (line[end] & 0xC0) == 0x80;) ++end;
        cells_.back().push_back(line.substr(at, end - at));
      }
      columns_ = std::max(columns_, cells_.back().size());
    }
    for (int y = 0; y < static_cast<int>(cells_.size()); ++y)
      for (int x = 0; x < static_cast<int>(columns_); ++x) find_box(y, x);
    for (const Box& box : boxes_) {
      contents_.boxes.insert(box.text);
      for (int x = box.left; x <= box.right; ++x)
        if (cell(box.bottom, x) == "┬") follow(box, box.bottom, x, 'd');
      for (int y = box.top; y <= box.bottom; ++y) {
        if (cell(y, box.right) == "├") follow(box, y, box.right, 'r');
        if (cell(y, box.left) == "┤") follow(box, y, box.left, 'l');
      }
    }
  }

  const Contents& contents() const { return contents_; }
  size_t columns() const { return columns_; }

 private:
  struct Box {
    int top, bottom, left, right;
    std::string text;
  };

  std::string cell(int y, int x) const {
    if (y < 0 || y >= static_cast<int>(cells_.size()) || x < 0) return " ";
    const auto& row = cells_[static_cast<size_t>(y)];
    return static_cast<size_t>(x) < row.size() ? row[static_cast<size_t>(x)] : " ";
  }

  void find_box(int top, int left) {
    const bool round = cell(top, left) == "╭";
    if (!round && cell(top, left) != "┌") return;
    int right = left + 1, bottom = top + 1;
    while (cell(top, right) == "─") ++right;
    while (cell(bottom, left) == "│" || cell(bottom, left) == "┤") ++bottom;
    if (cell(top, right) != (round ? "╮" : "┐") || cell(bottom, left) != (round ? "╰" : "└") ||
        cell(bottom, right) != (round ? "╯" : "┘"))
      return;
    std::string text;
    for (int y = top + 1; y < bottom; ++y) {
      if (cell(y, right) != "│" && cell(y, right) != "├") return;
      for (int x = left + 1; x < right; ++x) text += cell(y, x);
      text += ' ';
    }
    text = std::regex_replace(text, std::regex(" +"), " ");
    boxes_.push_back({top, bottom, left, right, text.substr(1, text.size() - 2)});
  }

  const Box* box_at(int y, int x) const {
    for (const Box& box : boxes_)
      if (y >= box.top && y <= box.bottom && x >= box.left && x <= box.right) return &box;
    return nullptr;
  }

  static std::string ways(const std::string& sign) {
    static const std::map<std::string, std::string> all{
        {"│", "ud"},  {"─", "lr"},  {"┘", "ul"},  {"└", "ur"},  {"┐", "dl"},  {"┌", "dr"},
        {"┤", "udl"}, {"├", "udr"}, {"┴", "ulr"}, {"┬", "dlr"}, {"┼", "udlr"}};
    const auto found = all.find(sign);
    return found == all.end() ? "" : found->second;
  }

  void follow(const Box& from, int y, int x, char way) {
    if (!seen_.insert({&from, y, x, way}).second) return;  // lines that lead in a circle
    y += way == 'd' ? 1 : way == 'u' ? -1 : 0;
    x += way == 'r' ? 1 : way == 'l' ? -1 : 0;
    const std::string sign = cell(y, x);
    if (sign == "▼" || sign == "►" || sign == "◄") {
      const Box* to = box_at(y + (sign == "▼"), x + (sign == "►") - (sign == "◄"));
      CHECK(to != nullptr);
      if (to) contents_.arrows.emplace(from.text, to->text);
      return;
    }
    const std::string next = ways(sign);
    const char back = way == 'd' ? 'u' : way == 'u' ? 'd' : way == 'r' ? 'l' : 'r';
    const bool crosses = sign == "│" && (way == 'l' || way == 'r');
    CHECK_MESSAGE((crosses || next.find(back) != std::string::npos), "an end at row ", y, ", column ", x);
    if (crosses) return follow(from, y, x, way);
    if (next.find(back) == std::string::npos) return;
    for (const char on : next)
      if (on != back) follow(from, y, x, on);
  }

  std::vector<Lines> cells_;
  size_t columns_ = 0;
  std::vector<Box> boxes_;
  std::set<std::tuple<const Box*, int, int, char>> seen_;
  Contents contents_;
};

/// The diagrams of all lessons, by the file and the title.
std::map<std::string, Lines> diagrams() {
  std::map<std::string, Lines> all;
  for (const auto& entry : std::filesystem::directory_iterator(tutorials::source_file("tutorials"))) {
    if (entry.path().extension() != ".cpp") continue;
    const tutorials::LessonText lesson = tutorials::read_lesson(tutorials::read_file(entry.path()));
    auto parts = lesson.cells;
    parts["introduction"] = lesson.introduction;
    for (const auto& [id, blocks] : parts)
      for (const auto& block : blocks)
        if (block.kind == tutorials::LessonText::Kind::diagram)
          all[entry.path().filename().string() + ": " + block.title] = block.lines;
  }
  return all;
}

TEST_CASE("the diagrams of all lessons are drawn in 80 columns, with every box and every arrow") {
  const auto all = diagrams();
  CHECK(all.size() > 20);
  for (const auto& [name, lines] : all) {
    CAPTURE(name);
    const std::string text = diagram_in_characters(lines, 80);
    CAPTURE(text);
    const Contents expected = contents_of(lines);
    const Drawing drawing(text);
    CHECK(drawing.columns() <= 80);
    CHECK(drawing.contents().boxes == expected.boxes);
    CHECK(drawing.contents().arrows == expected.arrows);
  }
}

TEST_CASE("in a narrow terminal diagrams keep to its width, with every word") {
  for (const auto& [name, lines] : diagrams()) {
    CAPTURE(name);
    for (const size_t width : {30u, 40u, 60u}) {
      CAPTURE(width);
      const std::string text = diagram_in_characters(lines, width);
      CHECK(Drawing(text).columns() <= width);
      for (const std::string& box : contents_of(lines).boxes)
        for (const std::string& word : cut(box, " "))
          CHECK_MESSAGE(text.find(word) != std::string::npos, word);
    }
  }
}

TEST_CASE("things are round, operations have corners, and arrows part, arrive beside each other and return") {
  CHECK(diagram_in_characters({"a: one [4]", "b: (twice one) [4] | c: (once)", "d: both"}, 80) ==
        R"(         ╭─────────╮
         │ one [4] │
         ╰────┬────╯
              ├─────────┐
              ▼         ▼
┌───────────────┐   ┌───────┐
│ twice one [4] │   │ once  │
└───────┬───────┘   └───┬───┘
        └───┐   ┌───────┘
            ▼   ▼
          ╭───────╮
          │ both  │
          ╰───────╯
)");
  CHECK(diagram_in_characters({"a: one | b: (q k^T)", "c: three", "a -> b ; b -> c ; c -> a"}, 80) ==
        R"(┌────┐
│    ▼
│ ╭─────╮   ┌───────┐
│ │ one ├──►│ q kᵀ  │
│ ╰─────╯   └───┬───┘
│          ┌────┘
│          ▼
│      ╭───────╮
│      │ three │
│      ╰───┬───╯
└──────────┘
)");
}

TEST_CASE("where lines cross, the horizontal one is interrupted") {
  CHECK(diagram_in_characters({"a: one | b: two", "c: three | d: four"}, 80) == R"( ╭─────╮     ╭─────╮
 │ one │     │ two │
 ╰──┬──╯     ╰──┬──╯
    │ ┌─────────┤
    ├─│───────┐ │
    ▼ ▼       ▼ ▼
╭───────╮   ╭───────╮
│ three │   │ four  │
╰───────╯   ╰───────╯
)");
}

TEST_CASE("arrows that cross, pass several rows, come back or arrive in a crowd are told apart") {
  for (const Lines& lines : std::vector<Lines>{{"a: one | b: two", "c: three | d: four", "a -> d ; b -> c"},
                                               {"a: one", "b: two", "c: three", "d: four",
                                                "a -> b -> c -> d ; a -> c ; b -> d ; a -> d ; d -> a"},
                                               {"a: a | b: b | c: c | d: d", "e: e", "f: f",
                                                "a -> e ; b -> e ; c -> e ; d -> e ; e -> f ; a -> f"},
                                               {"a: one | b: two | c: three | d: four", "e: five | f: six",
                                                "a -> f ; b -> f ; c -> e ; d -> e ; d -> a ; a -> c"}}) {
    const std::string text = diagram_in_characters(lines, 80);
    CAPTURE(text);
    CHECK(Drawing(text).contents().boxes == contents_of(lines).boxes);
    CHECK(Drawing(text).contents().arrows == contents_of(lines).arrows);
  }
}

TEST_CASE("where boxes have no room, a line for each says where its arrows lead") {
  CHECK(diagram_in_characters(
            {"a: the first of them [4] | b: (the second of them) | c: the third of them", "a -> b ; a -> c"},
            30) == "the first of them [4] → the\n  second of them; the third of\n  them\n");
  CHECK(diagram_in_characters({"a: incomprehensible"}, 10) == "incomprehensible\n");
  const std::string crowd = diagram_in_characters(
      {"a: a | b: b | c: c | d: d", "e: e | f: f | g: g | h: h", "i: i | j: j | k: k | l: l",
       "a -> h ; b -> i ; c -> j ; d -> e ; a -> l ; b -> l ; c -> k ; d -> i ; a -> j"},
      80);
  CHECK(crowd.find("a → h; l; j\n") == 0);
}

TEST_CASE("a diagram that cannot be read is named with its line") {
  const auto why = [](const Lines& lines) {
    try {
      diagram_in_characters(lines, 80);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("drawn");
  };
  CHECK(why({"a: one"}) == "drawn");
  CHECK(why({}) == "line 0 of the diagram: it has no box");
  CHECK(why({"a: one", "", "a -> b"}) == "line 3 of the diagram: there is no box 'b'");
  CHECK(why({"a: one | two"}) == "line 1 of the diagram: a box is `name: text [shape]`: two");
  CHECK(why({"a: one", "a: two"}) == "line 2 of the diagram: there are two boxes 'a'");
  CHECK(why({"a: one", "a"}) == "line 2 of the diagram: an arrow leads from one name to another: a");
}

}  // namespace
