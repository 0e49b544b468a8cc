// The lessons as they are read in a terminal.
#include "support/lesson_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/character_plot.h"
#include "support/environment.h"
#include "support/files.h"
#include "support/tex_text.h"
#include "support/text.h"

namespace {

using tutorials::in_characters;
using tutorials::LessonText;
using tutorials::read_lesson;
using tutorials::show;
using tutorials::tex_text;

std::vector<std::string> sources() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(tutorials::source_file("tutorials")))
    if (entry.path().extension() == ".cpp") all.push_back(tutorials::read_file(entry.path()));
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const char* const kLesson = R"(/// # A lesson
///
/// - You need: [one](01.cpp)
/// - Minutes: 5
///
/// The idea, **bold** and *soft*, with `code` and $x^2$.
///
/// ```diagram From a to b
/// a: one
/// ```

#include <vector>

//%% a | A
  cell("a", "A",
       Compare::layout());
  /// Text of
  /// two lines.
  ///
  /// ```python
  /// print(1)  # one
  /// ```
  /// ```python hidden
  /// secret()
  /// ```
  /// ```python original
  /// shown()
  /// ```
  /// ```picture one A title
  /// What is seen,
  /// in *words*.
  /// ```
  /// More.
  if (x) {
    f("two");  // two
  }

//%% exercise1 | E
  cell("exercise1", "E");
  /// The task.
  int given = 1;
  //%% answer
  /// Why.
  given = 2;
  //%% end answer
  print(given);

//%% summary
/// 1. One.
//%% references
/// 1. [A paper](https://example.org)
//%% end
int unseen;
)";

TEST_CASE("a lesson is read into its parts") {
  const LessonText lesson = read_lesson(kLesson);
  CHECK(
      show(lesson.introduction, {}) ==
      "A lesson\n- You need: one (tutorials/01.cpp)\n- Minutes: 5\n\nThe idea, bold and soft, with code and "
      "x².\n\nDiagram: From a to b\n╭─────╮\n│ one │\n╰─────╯\n");
  CHECK(show(lesson.cells.at("a"), {}) ==
        "Text of two lines.\n\nPyTorch\n  print(1)  # one\n\n  shown()\n\nPicture: A title. What is seen, in "
        "words.\n\nMore.\n\nC++\n  if (x) {\n    f(\"two\");  // two\n  }\n");
  CHECK(show(lesson.cells.at("exercise1"), {}) ==
        "The task.\n\nC++\n  int given = 1;\n  // your lines\n  print(given);\n");
  CHECK(show(lesson.answers.at("exercise1"), {}) == "Why.\n\nC++\n  given = 2;\n");
  CHECK(show(lesson.summary, {}) == "1. One.\n");
  CHECK(show(lesson.references, {}) == "1. A paper (https://example.org)\n");
  CHECK(show(read_lesson(kLesson, "01_one").cells.at("a"), {})
            .find("in words. (docs/run draws it:\nbuild/docs/site/01_one.html#a)\n\nMore.") !=
        std::string::npos);
}

TEST_CASE("colours change nothing but colours") {
  static const std::regex escapes("\033\\[[0-9;]*m");
  for (const std::string& source : sources()) {
    const LessonText lesson = read_lesson(source);
    for (const auto& [id, blocks] : lesson.cells) {
      const std::string coloured = show(blocks, {true, 80});
      CHECK(std::regex_replace(coloured, escapes, "") == show(blocks, {false, 80}));
    }
  }
  CHECK(show(read_lesson(kLesson).cells.at("a"), {true, 80}).find("\033[32m\"two\"\033[0m") !=
        std::string::npos);
}

TEST_CASE("links keep their addresses") {
  const auto shown = [](const std::string& line, bool colour = false) {
    return show(read_lesson("/// " + line + "\n").introduction, {colour, 80});
  };
  CHECK(shown("See [*attention* by hand](08_attention.cpp).") ==
        "See attention by hand (tutorials/08_attention.cpp).\n");
  CHECK(
      shown(
          "[One](01_loops.cpp#In08), [two](#In09), [three](../docs/mini.md#a), [four](support/sample.txt)") ==
      "One (tutorials/01_loops.cpp, cell In08), two (cell In09), three\n"
      "(docs/mini.md#a), four (tutorials/support/sample.txt)\n");
  CHECK(shown("A. Author, [A paper](https://example.org/a?b=1#c), 2017 [1], `a[0](x)`") ==
        "A. Author, A paper (https://example.org/a?b=1#c), 2017 [1], a[0](x)\n");
  CHECK(shown("[a](https://example.org)", true) == "a\033[2m (https://example.org)\033[0m\n");
}

TEST_CASE("all lessons' references have their addresses, and links to files lead to files") {
  int files = 0, pages = 0;
  for (const std::string& source : sources()) {
    const LessonText lesson = read_lesson(source);
    std::string text = show(lesson.introduction, {}) + show(lesson.references, {});
    for (const auto& [id, blocks] : lesson.cells)
      for (const LessonText::Block& block : blocks)
        if (block.kind == LessonText::Kind::text) text += show({block}, {});
    CHECK(text.find("](") == std::string::npos);
    static const std::regex file("\\(((?:tutorials|docs)/[^)#,]+)"), page("\\(https://[^ )]+\\)");
    for (std::sregex_iterator it(text.begin(), text.end(), file), end; it != end; ++it) {
      CHECK_MESSAGE(std::filesystem::exists(tutorials::source_file((*it)[1])), (*it)[1].str());
      ++files;
    }
    pages += static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), page), {}));
  }
  CHECK(files > 80);
  CHECK(pages > 80);
}

TEST_CASE("the environment says how things are shown") {
  etude::Environment columns("COLUMNS", "20");
  CHECK(tutorials::terminal_style("never").width == 30);
  columns.set("72");
  CHECK(tutorials::terminal_style("never").width == 72);
  columns.set({});
  CHECK(tutorials::terminal_style("always").colour);
  CHECK(!tutorials::terminal_style("never").colour);
  const etude::Environment no_colour("NO_COLOR", "1");
  CHECK(!tutorials::terminal_style().colour);
  CHECK(tutorials::heading("a | Größe", {}) == "a | Größe\n---------\n");
  CHECK(tutorials::heading("a", {true, 80}).rfind("\033[1ma\033[0m\n-\n", 0) == 0);
}

TEST_CASE("paragraphs of all lessons keep to the width, and no mark of TeX is left") {
  int formulas = 0;
  for (const std::string& source : sources()) {
    const LessonText lesson = read_lesson(source);
    CHECK(lesson.cells.size() > 5);
    for (const auto& [id, blocks] : lesson.cells) {
      CAPTURE(id);
      for (const LessonText::Block& block : blocks) {
        if (block.kind != LessonText::Kind::text) continue;
        for (const std::string& line : lines_of(show({block}, {false, 60})))
          if (line.find(' ') < 50 && line.rfind("    ", 0) != 0)
            CHECK(tutorials::count_characters(line) <= 70);
        std::string text;
        for (const std::string& line : block.lines) text += line + " ";
        static const std::regex formula("\\$\\$([^$]+)\\$\\$|\\$([^$`]+)\\$");
        for (std::sregex_iterator it(text.begin(), text.end(), formula), end; it != end; ++it) {
          std::vector<std::string> unknown;
          const std::string tex = (*it)[1].matched ? (*it)[1] : (*it)[2], plain = tex_text(tex, &unknown);
          CHECK_MESSAGE(unknown.empty(), tex);
          CHECK_MESSAGE(plain.find('\\') == std::string::npos, plain);
          ++formulas;
        }
      }
    }
  }
  CHECK(formulas > 100);
}

TEST_CASE("formulas are set in plain letters") {
  CHECK(tex_text("\\frac{Q K^\\top}{\\sqrt{d}} V") == "((Q Kᵀ)/√d) V");
  CHECK(tex_text("\\sum_{i=1}^{n} x_i^2") == "Σᵢ₌₁ⁿ xᵢ²");
  CHECK(tex_text("\\frac{a - b}{2h}") == "(a - b)/(2h)");
  CHECK(tex_text("\\frac{1}{2\\pi}, \\frac{\\partial y}{\\partial x}, \\frac{1}{64}") ==
        "1/(2π), (∂ y)/(∂ x), 1/64");
  CHECK(tex_text("\\frac{1}{d} \\sum_c x_c") == "(1/d) Σ_c x_c");
  CHECK(tex_text("e^{-\\frac{2i}{d} \\ln 10000}") == "e^(-(2i/d) ln 10000)");
  CHECK(tex_text("a_{out}") == "a_out");
  CHECK(tex_text("W_{a b}") == "W_(a b)");
  CHECK(tex_text("\\bar{x} \\le \\omega, \\text{if } y") == "x\u0304 ≤ ω, if  y");
  CHECK(tex_text("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}") == "[ a    b ;  c    d ]");
  CHECK(tex_text("a \\qquad b") == "a      b");
  CHECK(tex_text("") == "");
  CHECK(tex_text("\\frac{1") == "1/");
  std::vector<std::string> unknown;
  CHECK(tex_text("\\nosuch x", &unknown) == "nosuch x");
  CHECK(unknown == std::vector<std::string>{"nosuch"});
}

TEST_CASE("a plot in characters has its ends, its lines and its names") {
  tutorials::LinePlot plot{"Title", "", "time", "loss", {0, 1, 2}, {{"one", {0, 1, 4}}, {"two", {4, 4, 4}}}};
  const std::vector<std::string> lines = lines_of(in_characters(plot, 60));
  REQUIRE(lines.size() == 16);
  CHECK(lines[0] == "Title");
  CHECK(lines[1].find("4") < lines[1].find("│"));
  CHECK(lines[12].find("0") < lines[12].find("│"));
  CHECK(lines[15] == "         time across, loss up: a one, b two");
  CHECK(lines[1].find('b') != std::string::npos);
  CHECK(lines[12].find('a') != std::string::npos);
  for (const std::string& line : lines) CHECK(tutorials::count_characters(line) <= 60);
  plot.series = {{"gap", {std::nan(""), 1, std::nan("")}}};
  CHECK(lines_of(in_characters(plot, 60)).size() == 16);
  plot.x = {};
  plot.series = {};
  CHECK(lines_of(in_characters(plot, 5)).size() == 16);
}

TEST_CASE("a heat map in characters has numbers where it is small, and every second cell where it is wide") {
  tutorials::HeatMap map;
  map.title = "Map";
  map.rows = map.columns = 2;
  map.values = {0, 1, -0.5, 0.25};
  map.row_names = {"a", "b"};
  map.column_names = {"c", "d"};
  map.range = {{0, 1}};
  const std::vector<std::string> lines = lines_of(in_characters(map, 60));
  CHECK(lines[1] == "         a   0.00   1.00█");
  CHECK(lines[2] == "         b  −0.50   0.25░");
  map.range = {};
  map.colours = tutorials::Colours::diverging;
  CHECK(lines_of(in_characters(map, 60))[1] == "         a   0.00▒  1.00█");
  map.rows = map.columns = 64;
  map.values.assign(64 * 64, 1);
  map.row_names = map.column_names = {};
  for (const std::string& line : lines_of(in_characters(map, 60)))
    CHECK(tutorials::count_characters(line) <= 90);
  map.rows = map.columns = 0;
  map.values = {};
  CHECK(!in_characters(map, 60).empty());
}

TEST_CASE("what is drawn is kept in characters where that is wanted") {
  tutorials::HeatMap map;
  map.title = "Kept";
  map.rows = map.columns = 1;
  map.values = {1};
  tutorials::keep_characters(0);
  CHECK(tutorials::characters_of(draw(map)).empty());
  tutorials::keep_characters(40);
  CHECK(tutorials::characters_of(draw(map)).rfind("Kept\n", 0) == 0);
  tutorials::keep_characters(0);
  CHECK(tutorials::characters_of("<svg/>").empty());
}

}  // namespace
