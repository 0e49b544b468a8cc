#include "support/svg.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/svg_canvas.h"

namespace {

using tutorials::draw;
using tutorials::HeatMap;
using tutorials::LinePlot;
using tutorials::Subplots;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Whether every element is closed, in order, which a parser of XML would insist on.
bool is_well_formed(const std::string& xml) {
  static const std::regex tag("<(/?)([A-Za-z]+)[^<>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if ((*it)[3].length()) continue;
    if (!(*it)[1].length()) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty() && xml.rfind("<svg ", 0) == 0;
}

LinePlot two_lines() {
  LinePlot plot{"A title", "What it shows", "across",
                "up",      {0, 1, 2},       {{"sine", {0, 1, 0}}, {"cosine", {1, 0, -1}}}};
  return plot;
}

HeatMap small_map() {
  HeatMap map;
  map.title = "A map";
  map.description = "What it shows";
  map.x_label = "column";
  map.y_label = "row";
  map.rows = 2;
  map.columns = 3;
  map.values = {-1, 0, 1, 1, 1, 1};
  return map;
}

TEST_CASE("a line plot has a title, a description, labelled axes, ticks and a legend") {
  const std::string svg = draw(two_lines());
  CHECK(is_well_formed(svg));
  CHECK(svg.find(">A title</title>") != std::string::npos);
  CHECK(svg.find(">What it shows</desc>") != std::string::npos);
  CHECK(svg.find("role=\"img\"") != std::string::npos);
  for (const char* text : {">A title</text>", ">across</text>", ">up</text>", ">sine</text>",
                           ">cosine</text>", ">1.0</text>", ">\u22121.0</text>", ">0</text>"}) {
    CHECK(svg.find(text) != std::string::npos);
  }
  CHECK(count(svg, "<path class=\"curve") == 2);
  CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
}

TEST_CASE("lines go through their points") {
  // x from 0 to 2 over the width of the box; y from -1 to 1, with 4 % of room at both ends.
  const std::string svg = draw(two_lines());
  const std::regex curve(
      "<path class=\"curve s1\" d=\"M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\"/>");
  std::smatch point;
  REQUIRE(std::regex_search(svg, point, curve));
  const double x0 = std::stod(point[1]), y0 = std::stod(point[2]), x1 = std::stod(point[3]),
               y1 = std::stod(point[4]), x2 = std::stod(point[5]), y2 = std::stod(point[6]);
  CHECK(x1 - x0 == doctest::Approx(x2 - x1).epsilon(1e-3));
  CHECK(y1 - y0 == doctest::Approx(y2 - y1).epsilon(1e-3));
  CHECK(x0 < x1);
  CHECK(y0 < y2);  // y grows downwards in SVG, and the values fall
}

TEST_CASE("a value that is not finite leaves a gap") {
  LinePlot plot = two_lines();
  plot.x = {0, 1, 2, 3, 4};
  plot.series = {{"gap", {1, 2, std::nan(""), 3, 4}}};
  const std::string svg = draw(plot);
  const std::regex two_pieces("d=\"M[^LM]+L[^LM]+M[^LM]+L[^LM]+\"");
  CHECK(std::regex_search(svg, two_pieces));
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("constant, single and missing values make a picture too") {
  LinePlot plot = two_lines();
  plot.series = {{"constant", {5, 5, 5}}};
  CHECK(is_well_formed(draw(plot)));
  plot.x = {1};
  plot.series = {{"point", {5}}};
  CHECK(is_well_formed(draw(plot)));
  plot.x = {};
  plot.series = {{"nothing", {}}};
  CHECK(is_well_formed(draw(plot)));
  plot.series = {};
  CHECK(is_well_formed(draw(plot)));
  for (const std::string& svg : {draw(plot)}) CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("lengths that do not fit together are refused") {
  LinePlot plot = two_lines();
  plot.series[0].y.pop_back();
  CHECK_THROWS_AS(draw(plot), std::invalid_argument);
  HeatMap map = small_map();
  map.values.pop_back();
  CHECK_THROWS_AS(draw(map), std::invalid_argument);
  map = small_map();
  map.rows = -2;
  CHECK_THROWS_AS(draw(map), std::invalid_argument);
  map = small_map();
  map.row_names = {"one"};
  CHECK_THROWS_AS(draw(map), std::invalid_argument);
  map = small_map();
  map.column_names = {"one", "two"};
  CHECK_THROWS_AS(draw(map), std::invalid_argument);
}

TEST_CASE("the same plot gives the same bytes, and a long legend takes more lines") {
  CHECK(draw(two_lines()) == draw(two_lines()));
  CHECK(draw(small_map()) == draw(small_map()));
  LinePlot plot = two_lines();
  plot.series.assign(12, {"a rather long name", {1, 2, 3}});
  const std::string svg = draw(plot);
  CHECK(count(svg, ">a rather long name</text>") == 12);
  const std::regex label("<text class=\"label\" x=\"([0-9.]+)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), label), end; it != end; ++it) {
    CHECK(std::stod((*it)[1]) + 18 * 8 < 680);
  }
}

TEST_CASE("text is escaped") {
  LinePlot plot = two_lines();
  plot.title = "a < b & \"c\"";
  plot.series[0].name = std::string("bell\x07");
  const std::string svg = draw(plot);
  CHECK(is_well_formed(svg));
  CHECK(svg.find("a &lt; b &amp; &quot;c&quot;") != std::string::npos);
  CHECK(svg.find('\x07') == std::string::npos);
}

TEST_CASE("a heat map draws each value once and neighbours of one colour together") {
  const std::string svg = draw(small_map());
  CHECK(is_well_formed(svg));
  // Row 0 is -1, 0, 1: three colours. Row 1 is one run of the colour of 1.
  CHECK(count(svg, "M0 0h1v1h-1z") == 1);
  CHECK(count(svg, "M1 0h1v1h-1z") == 1);
  CHECK(count(svg, "M2 0h1v1h-1zM0 1h3v1h-3z") == 1);
}

TEST_CASE("names of rows and columns take the place of their numbers") {
  HeatMap map = small_map();
  map.row_names = {"first", "a < b"};
  map.column_names = {"left", "", "right"};
  const std::string svg = draw(map);
  CHECK(is_well_formed(svg));
  for (const char* text : {">first</text>", ">a &lt; b</text>", ">left</text>", ">right</text>"})
    CHECK(count(svg, text) == 1);
  CHECK(count(svg, "class=\"tick middle\"") == 3);
  CHECK(count(svg, "class=\"tick end\"") == 2);
}

TEST_CASE("the middle of the diverging colours is zero whatever the range, its ends are blue and red") {
  HeatMap map = small_map();
  map.values = {-1, 0, 4, 4, 4, 4};
  const std::string svg = draw(map);
  CHECK(svg.find("<path fill=\"#f7f7f7\" d=\"M1 0h1v1h-1z\"/>") != std::string::npos);
  CHECK(svg.find("<path fill=\"#67001f\" d=\"M2 0h1v1h-1zM0 1h3v1h-3z\"/>") != std::string::npos);
}

/// The texts of one class, with where they stand.
std::vector<std::pair<double, std::string>> texts_of(const std::string& svg, const std::string& style) {
  const std::regex text("<text class=\"" + style + "\" x=\"([-0-9.]+)\"[^>]*>([^<]*)<");
  std::vector<std::pair<double, std::string>> found;
  for (std::sregex_iterator it(svg.begin(), svg.end(), text), end; it != end; ++it)
    found.emplace_back(std::stod((*it)[1]), (*it)[2]);
  return found;
}

TEST_CASE("a doubling is everywhere as wide on a scale of powers of two") {
  LinePlot plot = two_lines();
  plot.x = {64, 128, 512};
  plot.x_scale = tutorials::Scale::powers_of_two;
  const auto labels = texts_of(draw(plot), "tick middle");
  REQUIRE(labels.size() == 4);
  CHECK(labels[0].second == "64");
  CHECK(labels[1].second == "128");
  CHECK(labels[3].second == "512");
  CHECK(labels[1].first - labels[0].first ==
        doctest::Approx(labels[3].first - labels[2].first).epsilon(1e-3));
  plot.x = {0.25, 1, 2};
  CHECK(texts_of(draw(plot), "tick middle").front().second == "1/4");
  plot.x = {0, 1, 2};
  CHECK_THROWS_WITH_AS(draw(plot), "a scale of powers of two has no place for 0", std::invalid_argument);
}

TEST_CASE("no curve touches the frame, and labels leave room for each other") {
  LinePlot plot = two_lines();
  const std::string svg = draw(plot);
  const std::regex frame("<line class=\"axis\" x1=\"([0-9.]+)\" y1=\"([0-9.]+)\" x2=\"([0-9.]+)\"");
  const std::regex curve("class=\"curve s0\" d=\"M([0-9.]+)");
  std::smatch start;
  REQUIRE(std::regex_search(svg, start, curve));
  double left = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), frame), end; it != end; ++it)
    left = std::stod((*it)[1]);
  CHECK(std::stod(start[1]) > left + 10);
  plot.x = {0, 5000000, 9000000};
  const auto labels = texts_of(draw(plot), "tick middle");
  REQUIRE(labels.size() > 2);
  CHECK(labels[1].first - labels[0].first > tutorials::text_width(labels[1].second, 14));
}

TEST_CASE("dark pages dim a map with white in its middle, and keep the colours of numbers in cells") {
  HeatMap map = small_map();
  map.colours = tutorials::Colours::diverging;
  map.values = {-1, 0, 0.25, 1, 1, 1};
  const std::string svg = draw(map);
  CHECK(count(svg, "<g class=\"diverging\"") == 2);  // cells and the bar of colours
  CHECK(count(svg, "<g") == count(svg, "</g>"));
  const std::string dark = svg.substr(svg.find("@media"), svg.find("</style>") - svg.find("@media"));
  for (const char* rule :
       {".diverging{filter:brightness(0.8)}", ".on-light{fill:#1f2328}", ".on-dark{fill:#ffffff}"})
    CHECK(count(dark, rule) == 1);
  map.colours = tutorials::Colours::sequential;
  CHECK(count(draw(map), "class=\"diverging\"") == 0);
}

TEST_CASE("a small matrix shows its numbers with a true minus sign, in a colour that can be read") {
  HeatMap map = small_map();
  map.values = {-1, 0, 0.25, 1, 1, 1};
  const std::string svg = draw(map);
  CHECK(count(svg, "class=\"middle on-dark\"") == 4);  // the ends of the colours
  CHECK(count(svg, "class=\"middle on-light\"") == 2);
  CHECK(count(svg, ">\u22121.00</text>") == 1);
  CHECK(count(svg, ">0.25</text>") == 1);
  map.values = {-1, 0, 7, 1, 1, 1};
  CHECK(count(draw(map), ">7</text>") == 1);
  map.rows = map.columns = 9;
  map.values.assign(81, 0.5);
  CHECK(count(draw(map), ">0.50</text>") == 0);
}

TEST_CASE("a range of one's own holds for the colours and their bar") {
  HeatMap map = small_map();
  map.colours = tutorials::Colours::sequential;
  map.values = {0.2, 0.2, 0.2, 0.4, 0.4, 0.4};
  map.range = {{0, 1}};
  const std::string svg = draw(map);
  const auto bar = texts_of(svg, "tick");
  REQUIRE(bar.size() > 1);
  CHECK(bar.front().second == "0");
  CHECK(bar.back().second == "1.0");
  CHECK(svg.find("fill=\"#fde725\" d=") == std::string::npos);  // the lightest, of 1
  map.range = {{1, 1}};
  CHECK_THROWS_AS(draw(map), std::invalid_argument);
}

TEST_CASE("long names of rows move the box, long names of columns stand upright") {
  HeatMap map = small_map();
  map.row_names = {"a name of some length", "b"};
  const auto names = texts_of(draw(map), "tick end");
  REQUIRE(names.size() == 2);
  CHECK(names[0].first - tutorials::text_width(names[0].second, 14) > 24);  // right of the axis' label
  map.column_names = {"a name that is wider than its column", "b", "c"};
  CHECK(count(draw(map), "rotate(-90)\">a name that is wider than its column</text>") == 1);
  map.rows = 200;
  map.columns = 1;
  map.values.assign(200, 1);
  map.row_names.assign(200, "x");
  map.column_names = {};
  CHECK(count(draw(map), ">x</text>") < 30);  // if not all fit, only some are shown
}

TEST_CASE("several plots stand in one picture, row by row") {
  Subplots all{"Both", "What both show", {small_map(), two_lines(), small_map()}};
  const std::string svg = draw(all);
  CHECK(is_well_formed(svg));
  CHECK(count(svg, "class=\"subtitle\"") == 3);
  CHECK(count(svg, "<title") == 1);
  const auto titles = texts_of(svg, "subtitle");
  CHECK(titles[1].first - titles[0].first > 300);
  CHECK(titles[2].first == titles[0].first);
  all.columns = 1;
  CHECK(count(draw(all), "class=\"title\"") == 4);  // as wide as alone
  all.columns = 0;
  CHECK_THROWS_AS(draw(all), std::invalid_argument);
  CHECK(is_well_formed(draw(Subplots{"None", "", {}})));
}

TEST_CASE("values that are not finite are grey, and an empty map says so") {
  HeatMap map = small_map();
  map.values[1] = std::numeric_limits<double>::infinity();
  CHECK(draw(map).find("<path class=\"missing\" d=\"M1 0h1v1h-1z\"/>") != std::string::npos);
  map.rows = 0;
  map.values = {};
  CHECK(is_well_formed(draw(map)));
  CHECK(draw(map).find("nothing to show") != std::string::npos);
}

TEST_CASE("a map of a million values stays small enough for a page") {
  HeatMap map = small_map();
  map.rows = map.columns = 256;
  map.values.resize(256 * 256);
  for (size_t i = 0; i < map.values.size(); ++i) map.values[i] = std::sin(0.001 * static_cast<double>(i));
  CHECK(draw(map).size() < 1500000);
}

TEST_CASE("ticks are round numbers inside the range") {
  using tutorials::round_ticks;
  CHECK(round_ticks({0, 99}, 10) == std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  CHECK(round_ticks({-1.08, 1.08}, 5) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  CHECK(round_ticks({3, 3}, 5) == std::vector<double>{3});
  for (const double v : round_ticks({12345, 98765}, 6)) CHECK(std::fmod(v, 10000) == 0);
}

TEST_CASE("a tick's label has the decimals that its step needs") {
  using tutorials::tick_label;
  CHECK(tick_label(10, 10) == "10");
  CHECK(tick_label(0.5, 0.5) == "0.5");
  CHECK(tick_label(-0.25, 0.05) == "\u22120.25");
  CHECK(tick_label(-0.0, 0.5) == "0");
  CHECK(tick_label(20000000, 10000000) == "2.0e+07");
}

TEST_CASE("coordinates have at most two decimals") {
  using tutorials::coordinate;
  CHECK(coordinate(12) == "12");
  CHECK(coordinate(12.5) == "12.5");
  CHECK(coordinate(1.0 / 3) == "0.33");
  CHECK(coordinate(-0.001) == "0");
}

}  // namespace
