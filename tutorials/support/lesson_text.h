#pragma once

#include <map>
#include <string>
#include <vector>

namespace tutorials {

/// A lesson as it is read in a terminal: what stands in the source of its program, by cell.
struct LessonText {
  enum class Kind { text, python, cpp, verbatim, diagram };
  struct Block {
    Kind kind;
    std::vector<std::string> lines;
    std::string title = {};  // of a diagram
  };
  using Blocks = std::vector<Block>;

  Blocks introduction, summary, references;
  std::map<std::string, Blocks> cells;    // by id; of an exercise without its answer
  std::map<std::string, Blocks> answers;  // by id
};

/// Reads the source of a lesson, in the form that docs/adding_a_lesson.md describes. With its name, `08_attention`, it is said
/// of pictures which page shows them.
LessonText read_lesson(const std::string& source, const std::string& name = "");

/// How things are shown.
struct TerminalStyle {
  bool colour = false;
  size_t width = 80;
};

/// As the environment and stdout ask for it: with the colour "auto", colour on a terminal unless
/// NO_COLOR is set, else "always" or "never"; the terminal's width, COLUMNS or 80, at most 100.
TerminalStyle terminal_style(const std::string& colour = "auto");

/// A line with another below it.
std::string heading(const std::string& text, const TerminalStyle& style);

/// Lines of at most `width` places, but for longer words; those after the first begin with `hanging`.
std::string wrapped(const std::string& text, size_t width, const std::string& hanging);

/// Blocks for a terminal: paragraphs are wrapped and links followed by their addresses, formulas are in plain letters,
/// code is in colour, and diagrams are drawn in characters.
std::string show(const LessonText::Blocks& blocks, const TerminalStyle& style);

}  // namespace tutorials
