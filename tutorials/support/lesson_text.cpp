#include "support/lesson_text.h"

#include <unistd.h>
#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "support/diagram.h"
#include "support/tex_text.h"
#include "support/text.h"

namespace tutorials {
namespace {

using Kind = LessonText::Kind;
using Blocks = LessonText::Blocks;

std::string without_indent(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

/// Takes lines one after the other and makes blocks of them.
class BlockMaker {
 public:
  void commentary(const std::string& line) {
    if (line.rfind("```", 0) == 0) {
      fence_ = !fence_;
      hidden_ = fence_ && line.find(" hidden") != std::string::npos;
      open_ = false;
      static const std::regex picture("^```picture \\w+ (.*)$"), diagram("^```diagram (.*)$");
      std::smatch title;
      if (!fence_) {
        if (is_picture_ && !page.empty())
          blocks.back().lines.push_back("(docs/run draws it: " + page + ")");
        is_picture_ = false;
      } else if (std::regex_match(line, title, picture)) {  // what is seen stands in its fence
        is_picture_ = true;
        begin(Kind::text);
        blocks.back().lines.push_back("Picture: " + title[1].str() + ".");
      } else if (std::regex_match(line, title, diagram)) {
        begin(Kind::diagram);
        blocks.back().title = title[1];
      } else {
        // Lines of an original are shown and not run: the output is not theirs.
        const bool is_run = line.find("python") != std::string::npos &&
                            line.find(" original") == std::string::npos;
        begin(is_run ? Kind::python : Kind::verbatim);
      }
    } else if (fence_) {
      if (!hidden_) blocks.back().lines.push_back(line);
    } else if (line.empty()) {
      open_ = false;
    } else {
      // An item of a list is a paragraph of its own.
      static const std::regex item("^(- |[0-9]+\\. |!\\[|\\$\\$)");
      if (!open_ || blocks.back().kind != Kind::text || std::regex_search(line, item))
        begin(Kind::text);
      blocks.back().lines.push_back(line);
    }
  }
  void code(const std::string& line) {
    if (line.empty() && (blocks.empty() || blocks.back().kind != Kind::cpp)) return;
    if (blocks.empty() || blocks.back().kind != Kind::cpp) begin(Kind::cpp);
    blocks.back().lines.push_back(line);
  }

  Blocks blocks;
  std::string page;  // where a reader sees pictures

 private:
  void begin(Kind kind) {
    blocks.push_back({kind, {}});
    open_ = true;
  }
  bool fence_ = false, hidden_ = false, open_ = false, is_picture_ = false;
};

Blocks finished(Blocks blocks) {
  for (LessonText::Block& block : blocks) {
    if (block.kind != Kind::cpp) continue;
    while (!block.lines.empty() && block.lines.back().empty()) block.lines.pop_back();
    size_t indent = std::string::npos;
    for (const std::string& line : block.lines)
      if (!line.empty()) indent = std::min(indent, line.find_first_not_of(' '));
    for (std::string& line : block.lines)
      if (line.size() >= indent) line.erase(0, indent);
  }
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(),
                              [](const auto& b) { return b.lines.empty(); }),
               blocks.end());
  return blocks;
}

// --- Paragraphs ---

constexpr size_t kWidestDiagram = 80;
const char* const kReset = "\033[0m";

std::string paint(const std::string& text, const char* code, const TerminalStyle& style) {
  return style.colour ? std::string("\033[") + code + "m" + text + kReset : text;
}

/// Where a link of a lesson leads: to the web, to a file of the project, or to a cell.
std::string address(const std::string& target) {
  if (target.find("://") != std::string::npos) return target;
  const size_t hash = target.find('#');
  const std::string file = target.substr(0, hash);
  if (file.empty()) return "cell " + target.substr(1);
  const std::string path =
      (std::filesystem::path("tutorials") / file).lexically_normal().generic_string();
  if (hash == std::string::npos) return path;
  const bool is_lesson = std::filesystem::path(file).extension() == ".cpp";
  return path + (is_lesson ? ", cell " + target.substr(hash + 1) : target.substr(hash));
}

/// Markdown and TeX inside of a line.
std::string inline_text(std::string text, const TerminalStyle& style) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto closing = [&](const std::string& mark) {
      return text.find(mark, at + mark.size());
    };
    const auto inside = [&](const std::string& mark) {
      const size_t end = closing(mark), begin = at + mark.size();
      at = end + mark.size();
      return text.substr(begin, end - begin);
    };
    const auto opens = [&](const char* mark) {
      const size_t length = std::strlen(mark), next = at + length;
      return text.compare(at, length, mark) == 0 && closing(mark) != std::string::npos &&
             next < text.size() && text[next] != ' ';
    };
    if (opens("`")) out += paint(inside("`"), "36", style);
    else if (opens("$$")) out += paint(tex_text(inside("$$")), "3", style);
    else if (opens("$")) out += paint(tex_text(inside("$")), "3", style);
    else if (opens("**")) out += paint(inside("**"), "1", style);
    else if (opens("*")) out += paint(inside("*"), "3", style);
    else if (text[at] == '[' && text.find("](", at) != std::string::npos &&
             text.find(']', at) == text.find("](", at)) {
      const size_t end = text.find("](", at), close = text.find(')', end);
      out += inline_text(text.substr(at + 1, end - at - 1), style) +
             paint(" (" + address(text.substr(end + 2, close - end - 2)) + ")", "2", style);
      at = close + 1;
    } else out += text[at++];
  }
  return out;
}

/// How many places a word takes: escapes and accents that combine take none.
size_t places(const std::string& word) {
  static const std::regex escapes("\033\\[[0-9;]*m|\xCC[\x80-\xBF]");
  return static_cast<size_t>(count_characters(std::regex_replace(word, escapes, "")));
}

std::string paragraph(const std::vector<std::string>& lines, const TerminalStyle& style) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " ") + without_indent(line);
  if (text.rfind("# ", 0) == 0) return paint(text.substr(2), "1", style) + "\n";
  if (text.rfind("$$", 0) == 0 && text.size() > 4 && text.substr(text.size() - 2) == "$$")
    return "    " + paint(tex_text(text.substr(2, text.size() - 4)), "3", style) + "\n";
  static const std::regex figure("^!\\[([^\\]]*)\\]\\(.*\\)$"), item("^(- |[0-9]+\\. )");
  std::smatch part;
  if (std::regex_match(text, part, figure))
    return wrapped("Figure: " + inline_text(part[1], style), style.width, "");
  if (text.rfind("> ", 0) == 0) text = text.substr(2);
  const bool is_item = std::regex_search(text, part, item);
  return wrapped(inline_text(text, style), style.width,
                 is_item ? std::string(part[1].length(), ' ') : "");
}

// --- Code ---

std::string coloured_code(const std::string& line, bool python, const TerminalStyle& style) {
  if (!style.colour) return line;
  static const std::set<std::string> keywords{
      "auto",   "bool",      "break",    "case",   "catch",  "class",    "const",   "continue",
      "def",    "double",    "else",     "enum",   "except", "false",    "False",   "float",
      "for",    "from",      "if",       "import", "in",     "int",      "int64_t", "is",
      "lambda", "namespace", "new",      "None",   "not",    "or",       "and",     "public",
      "return", "size_t",    "std",      "static", "struct", "template", "this",    "true",
      "True",   "try",       "typename", "using",  "void",   "while",    "with",    "yield",
      "range",  "print"};
  static const std::regex token(
      "(//.*$)|(#.*$)|(\"(?:[^\"\\\\]|\\\\.)*\")|([A-Za-z_]\\w*)|(\\d[\\w.]*)|(\\s+)|(.)");
  std::string out;
  for (std::sregex_iterator it(line.begin(), line.end(), token), end; it != end; ++it) {
    const std::string word = it->str();
    const bool comment =
        (*it)[1].matched ? !python : (*it)[2].matched && (python || out.empty());
    if (comment) out += paint(word, "2", style);
    else if ((*it)[3].matched) out += paint(word, "32", style);
    else if ((*it)[4].matched && keywords.count(word)) out += paint(word, "35", style);
    else if ((*it)[5].matched) out += paint(word, "33", style);
    else out += word;
  }
  return out;
}

}  // namespace

std::string wrapped(const std::string& text, size_t width, const std::string& hanging) {
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && places(line) + 1 + places(word) > width) {
      out += line + '\n';
      line = hanging;
      line += word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line + '\n';
}

LessonText read_lesson(const std::string& source, const std::string& name) {
  static const std::regex marker("^ *//%% *(.*?) *$"), comment("^ *///(?: (.*))?$"),
      call("^ *cell\\(.*");
  LessonText lesson;
  BlockMaker introduction, summary, references;
  std::map<std::string, BlockMaker> cells, answers;
  BlockMaker* target = &introduction;
  bool in_introduction = true, in_call = false;
  std::string id;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::smatch part;
    if (std::regex_match(line, part, marker)) {
      const std::string what = part[1];
      const size_t bar = what.find(" | ");
      in_introduction = false;
      if (bar != std::string::npos) target = &cells[id = what.substr(0, bar)];
      else if (what == "answer") target = &answers[id];
      else if (what == "end answer") target = &cells[id];
      else target = what == "summary" ? &summary : what == "references" ? &references : nullptr;
      if (target != nullptr && !name.empty())
        target->page = "build/docs/site/" + name + ".html#" + id;
      if (what == "answer") cells[id].code(std::string(line.find('/'), ' ') + "// your lines");
    } else if (target == nullptr) {
      continue;
    } else if (std::regex_match(line, part, comment)) {
      target->commentary(part[1]);
    } else if (in_introduction) {
      target = nullptr;  // what is included; the first cell follows
    } else if (in_call || std::regex_match(line, call)) {
      in_call = line.empty() || line.back() != ';';
    } else {
      target->code(line);
    }
  }
  lesson.introduction = finished(introduction.blocks);
  lesson.summary = finished(summary.blocks);
  lesson.references = finished(references.blocks);
  for (auto& [cell, maker] : cells) lesson.cells[cell] = finished(maker.blocks);
  for (auto& [cell, maker] : answers) lesson.answers[cell] = finished(maker.blocks);
  return lesson;
}

TerminalStyle terminal_style(const std::string& colour) {
  TerminalStyle style;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char *term = std::getenv("TERM"), *columns = std::getenv("COLUMNS");
  style.colour = colour == "always" ||
                 (colour == "auto" && terminal && std::getenv("NO_COLOR") == nullptr &&
                  term != nullptr && std::strcmp(term, "dumb") != 0);
  if (columns != nullptr && std::atoi(columns) > 0)
    style.width = static_cast<size_t>(std::atoi(columns));
#ifdef TIOCGWINSZ
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
#endif
  style.width = std::clamp<size_t>(style.width, 30, 100);
  return style;
}

std::string heading(const std::string& text, const TerminalStyle& style) {
  const auto length = static_cast<size_t>(count_characters(text));
  return paint(text, "1", style) + '\n' + std::string(length, '-') + '\n';
}

std::string show(const Blocks& blocks, const TerminalStyle& style) {
  std::string out;
  Kind before = Kind::text;
  for (const LessonText::Block& block : blocks) {
    const bool list = block.kind == Kind::text && before == Kind::text && !out.empty() &&
                      (block.lines[0].rfind("- ", 0) == 0 ||
                       std::isdigit(static_cast<unsigned char>(block.lines[0][0])));
    if (!out.empty() && !list) out += '\n';
    before = block.kind;
    if (block.kind == Kind::text) {
      out += paragraph(block.lines, style);
      continue;
    }
    if (block.kind == Kind::diagram) {
      out += wrapped("Diagram: " + block.title, style.width, "") +
             diagram_in_characters(block.lines, std::min(style.width, kWidestDiagram));
      continue;
    }
    if (block.kind != Kind::verbatim)
      out += paint(block.kind == Kind::python ? "PyTorch" : "C++", "1;34", style) + "\n";
    for (const std::string& line : block.lines)
      out += "  " +
             (block.kind == Kind::verbatim
                  ? line
                  : coloured_code(line, block.kind == Kind::python, style)) +
             "\n";
  }
  return out;
}

}  // namespace tutorials
