// Places and texts of drawings.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "etude/explain/draw.h"
#include "support/has.h"
#include "support/temporary_folder.h"

using namespace etude;
using Kind = Drawing::Kind;

TEST_SUITE("drawing") {
  namespace {

  struct Rectangle {
    double left, top, right, bottom;
    bool meets(const Rectangle& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };

  std::vector<Rectangle> rectangles(const std::string& svg) {
    static const std::regex rect(
        "<rect class=\"\\w+\" x=\"([-\\d.]+)\" y=\"([-\\d.]+)\" width=\"([\\d.]+)\" height=\"([\\d.]+)\"");
    std::vector<Rectangle> found;
    for (std::sregex_iterator i(svg.begin(), svg.end(), rect), none; i != none; ++i) {
      const double x = std::stod((*i)[1]), y = std::stod((*i)[2]);
      found.push_back({x, y, x + std::stod((*i)[3]), y + std::stod((*i)[4])});
    }
    return found;
  }

  void check_apart(const Drawing& d) {
    const std::string svg = d.svg();
    const auto boxes = rectangles(svg);
    REQUIRE(boxes.size() == d.boxes.size());
    for (size_t i = 0; i < boxes.size(); ++i) {
      CHECK(boxes[i].left >= 0);
      for (size_t k = 0; k < i; ++k) CHECK_FALSE(boxes[i].meets(boxes[k]));
    }
    static const std::regex length("textLength=\"([\\d.]+)\"");
    for (std::sregex_iterator i(svg.begin(), svg.end(), length), none; i != none; ++i)
      CHECK(std::stod((*i)[1]) < 460);
  }

  Drawing grid(int levels, int width) {
    Drawing d;
    for (int l = 0; l < levels; ++l)
      for (int i = 0; i < width; ++i) d.boxes.push_back({"box " + std::to_string(i), "note", Kind::Op, l});
    for (int l = 0; l + 1 < levels; ++l)
      for (int i = 0; i < width; ++i) {
        const auto from = static_cast<size_t>(l * width + i);
        d.arrows.emplace_back(from, static_cast<size_t>((l + 1) * width + (i * 7 + l) % width));
        if (l + 3 < levels)
          d.arrows.emplace_back(from, static_cast<size_t>((l + 3) * width + (i * 3) % width));
      }
    return d;
  }

  }  // namespace

  TEST_CASE("boxes do not overlap, and texts have the room that they say") {
    check_apart(grid(1, 1));
    check_apart(grid(8, 5));
    check_apart(grid(20, 10));
    Drawing tree = grid(4, 3);
    tree.is_tree = true;
    check_apart(tree);
    CHECK(has(Drawing().svg(), "</svg>"));
  }

  TEST_CASE("an arrow over several levels passes between their boxes") {
    Drawing d;
    d.boxes = {{"a", "", Kind::Op, 0}, {"b", "", Kind::Op, 1}, {"c", "", Kind::Op, 2}};
    d.arrows = {{0, 1}, {1, 2}, {0, 2}};
    const std::string svg = d.svg();
    const auto boxes = rectangles(svg);
    static const std::regex vertical(" ([-\\d.]+) [-\\d.]+V");
    std::smatch found;
    REQUIRE(std::regex_search(svg, found, vertical));
    const double x = std::stod(found[1]);
    CHECK((x < boxes[1].left || x > boxes[1].right));
  }

  TEST_CASE("what has a meaning in XML and DOT is escaped, and what is no text replaced") {
    Drawing d;
    d.title = "<&>";
    d.boxes = {{"a<b>&\"c\"\\\n\x01\xc3\xa9\xff\xed\xa0\x80", std::string(100, 'x'), Kind::Leaf, 0}};
    CHECK(has(d.svg(), "<title id=\"title\">&lt;&amp;&gt;</title>"));
    CHECK(has(d.svg(),
              ">a&lt;b&gt;&amp;&quot;c&quot;\\??\xc3\xa9????"
              "<"));
    CHECK(has(d.svg(), std::string(57, 'x') + "...<"));
    CHECK(has(d.dot(), "label=\"a<b>&\\\"c\\\"\\\\??\xc3\xa9????\\nxxx"));
  }

  TEST_CASE("an SVG says what it is, and suits dark pages") {
    const std::string svg = grid(3, 2).svg();
    for (const char* part : {"role=\"img\"", "<title id=\"title\">", "<desc id=\"desc\">6 boxes and 4 arrows",
                             "prefers-color-scheme: dark", "viewBox=\"0 0 "})
      CHECK(has(svg, part));
  }

  TEST_CASE("DOT has all boxes and arrows") {
    Drawing d;
    d.title = "t";
    d.boxes = {{"a", "x", Kind::Op, 0}, {"b", "", Kind::Leaf, 1}};
    d.arrows = {{0, 1}};
    CHECK(d.dot() ==
          "digraph {\n  label=\"t\";\n  node [shape=box, fontname=\"monospace\"];\n  n0 [label=\"a\\nx\"];\n"
          "  n1 [label=\"b\", style=rounded];\n  n0 -> n1;\n}\n");
  }

  TEST_CASE("a file is what its name says, and there only if it is whole") {
    const TemporaryFolder folder;
    const auto text_in = [](const std::string& path) {
      std::ostringstream text;
      text << std::ifstream(path).rdbuf();
      return text.str();
    };
    const Drawing d = grid(2, 2);
    d.save(folder / "a.svg");
    d.save(folder / "a.dot");
    CHECK(text_in(folder / "a.svg") == d.svg());
    CHECK(text_in(folder / "a.dot") == d.dot());
    CHECK_THROWS_AS(d.save(folder / "none/a.svg"), Error);
  }
}
