#include "support/progress.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "support/environment.h"

namespace {

using examples::Display;
using examples::Progress;

/// A terminal without colours.
Display terminal(int width) {
  Display display;
  display.redraws = true;
  display.width = [width] { return width; };
  return display;
}

/// The output of `steps` steps, each of which takes a second and 50 tokens; the loss is 1 / step.
std::string written(const Display& display, int64_t steps, int64_t from = 0, int64_t until = -1) {
  std::ostringstream out;
  double now = 100;
  {
    Progress progress(steps, from, "tokens", out, display, [&] { return now; });
    for (int64_t step = from + 1; step <= (until < 0 ? steps : until); ++step) {
      ++now;
      progress.step(step, 1.0 / static_cast<double>(step), 50);
    }
  }
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text, char end) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line, end);) lines.push_back(line);
  return lines;
}

/// Notes each write of a stream that keeps nothing back, as std::cerr.
struct Writes : std::streambuf {
  std::vector<std::string> all;
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    all.emplace_back(text, static_cast<size_t>(size));
    return size;
  }
  int_type overflow(int_type character) override {
    all.emplace_back(1, traits_type::to_char_type(character));
    return character;
  }
};

TEST_SUITE("progress") {
  TEST_CASE("a file gets about twenty lines of plain text") {
    const std::string text = written(Display(), 200);
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    const std::vector<std::string> lines = lines_of(text, '\n');
    REQUIRE(lines.size() == 21);
    CHECK(lines[0] == "step   1/200  loss 1.0000");
    CHECK(lines[1] == "step  10/200  loss 0.1000  50 tokens/s  3:10 left");
    CHECK(lines[20] == "step 200/200  loss 0.0050  50 tokens/s  3:20 in all");
  }

  TEST_CASE("a terminal gets one line that is written again and again, and one end of line") {
    const std::string text = written(terminal(80), 4);
    const std::vector<std::string> drawn = lines_of(text, '\r');
    REQUIRE(drawn.size() == 5);
    CHECK(drawn[1] == "step 1/4  loss 1.0000  [=======                       ]\x1b[K");
    CHECK(drawn[2] ==
          "step 2/4  loss 0.5000  50 tokens/s  0:02 left  [===============               ]\x1b[K");
    CHECK(drawn[4] ==
          "step 4/4  loss 0.2500  50 tokens/s  0:04 in all  [============================]\x1b[K\n");
    CHECK(text.find('\n') == text.size() - 1);
  }

  TEST_CASE("a line is shorter than the terminal is wide, whatever its width") {
    for (int width = 1; width <= 120; ++width) {
      CAPTURE(width);
      for (const std::string& line : lines_of(written(terminal(width), 5), '\r'))
        CHECK(line.substr(0, line.find_first_of("\x1b\n")).size() <= static_cast<size_t>(width - 1));
    }
    CHECK(written(terminal(24), 1).find("\rstep 1/1  loss 1.0000\x1b[K") == 0);
    CHECK(written(terminal(80), 1).find("\rstep 1/1  loss 1.0000  0:01 in all") == 0);
  }

  TEST_CASE("a bar is coloured if the terminal's user likes colours") {
    Display display = terminal(80);
    CHECK(written(display, 2).find("\x1b[36m") == std::string::npos);
    display.colours = true;
    CHECK(written(display, 2).find("[\x1b[36m===============\x1b[0m") != std::string::npos);
  }

  TEST_CASE("a terminal is written to ten times a second at most, and for the last step") {
    std::ostringstream out;
    double now = 0;
    Progress progress(1000, 0, "tokens", out, terminal(80), [&] { return now; });
    for (int64_t step = 1; step <= 1000; ++step) {
      now += 0.001;
      progress.step(step, 1, 1);
    }
    const std::vector<std::string> drawn = lines_of(out.str(), '\r');
    CHECK(drawn.size() >= 10);
    CHECK(drawn.size() <= 13);
    CHECK(drawn.back().find("step 1000/1000") == 0);
  }

  TEST_CASE("what is said stands on a line of its own") {
    std::ostringstream out;
    double now = 0;
    Progress progress(10, 0, "words", out, terminal(40), [&] { return ++now; });
    progress.step(1, 2, 8);
    progress.say("half a loaf");
    progress.say("is better");
    CHECK(out.str().find("\x1b[K\r\x1b[Khalf a loaf\nis better\n") != std::string::npos);
  }

  TEST_CASE("a line is one write, in which no other words can stand") {
    for (const Display& display : {Display(), terminal(40)}) {
      Writes writes;
      std::ostream out(&writes);
      double now = 0;
      {
        Progress progress(10, 0, "words", out, display, [&] { return ++now; });
        progress.step(1, 2, 8);
        progress.say("half a loaf");
        progress.step(2, 1, 8);
      }
      CHECK(writes.all.size() == (display.redraws ? 4 : 3));
    }
  }

  TEST_CASE("a resumed run counts its own steps for speed and time") {
    const std::vector<std::string> lines = lines_of(written(Display(), 100, 90), '\n');
    REQUIRE(!lines.empty());
    CHECK(lines[0] == "step  91/100  loss 0.0110");
    CHECK(lines[1] == "step  95/100  loss 0.0105  50 tokens/s  0:05 left");
  }

  TEST_CASE("something is seen before the first step, and that it takes long does not count") {
    std::ostringstream out;
    double now = 0;
    Progress progress(1000, 0, "tokens", out, Display(), [&] { return now; });
    progress.begin();
    CHECK(out.str() == "step    0/1000\n");
    now = 500;
    progress.step(1, 2, 50);
    now = 501;
    progress.step(2, 2, 50);
    now = 510.5;
    progress.step(3, 2, 50);
    const std::vector<std::string> lines = lines_of(out.str(), '\n');
    REQUIRE(lines.size() == 3);
    CHECK(lines[1] == "step    1/1000  loss 2.0000");
    CHECK(lines[2] == "step    3/1000  loss 2.0000  10 tokens/s  1:27:14 left");
  }

  TEST_CASE("nothing is written for a run without steps") {
    CHECK(written(terminal(80), 10, 10) == "");
    CHECK(written(Display(), 10, 10) == "");
  }

  TEST_CASE("numbers and times are short") {
    CHECK(examples::short_number(7) == "7");
    CHECK(examples::short_number(999.4) == "999");
    CHECK(examples::short_number(999.6) == "1.0k");
    CHECK(examples::short_number(34210) == "34.2k");
    CHECK(examples::short_number(999960) == "1.0M");
    CHECK(examples::minutes_and_seconds(6.6) == "0:07");
    CHECK(examples::minutes_and_seconds(750) == "12:30");
    CHECK(examples::minutes_and_seconds(3723) == "1:02:03");
    CHECK(examples::minutes_and_seconds(-1) == "0:00");
  }

  TEST_CASE("stderr of a test is redrawn and coloured on terminals only") {
    etude::Environment term("TERM", "dumb");
    CHECK_FALSE(examples::display_of_stderr().redraws);
    term.set("xterm");
    const etude::Environment no_colour("NO_COLOR", "1");
    CHECK_FALSE(examples::display_of_stderr().colours);
    CHECK(examples::display_of_stderr().width() > 0);
  }
}

}  // namespace
