// The module's side of live cells: runs a lesson's program and passes each cell to JavaScript as it ends. It replaces
// the options and sinks of the terminal.

#include "live.h"

#include <emscripten.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "support/options.h"
#include "support/sinks.h"
#include "support/tutorial.h"

namespace {

using tutorials::Cell;
using tutorials::Options;

std::map<std::string, live::Lesson::Main*>& lessons() {
  static std::map<std::string, live::Lesson::Main*> all;
  return all;
}

// The options of the current program.
Options wanted;

// Functions that live.mjs provides. The recording of a cell is allocated, or null.
// clang-format off
EM_JS(char*, recorded_for, (const char* id), {
  const text = Module.recorded_for(UTF8ToString(id));
  if (typeof text != 'string') return 0;
  const bytes = lengthBytesUTF8(text) + 1, to = _malloc(bytes);
  stringToUTF8(text, to, bytes);
  return to;
});
EM_JS(void, take_figure, (const char* name, const char* svg), {
  Module.take_figure(UTF8ToString(name), UTF8ToString(svg));
});
EM_JS(void, take_cell, (const char* id, const char* title, const char* printed, const char* failure, int own,
                        const char* agrees, const char* difference), {
  Module.take_cell({id: UTF8ToString(id), title: UTF8ToString(title), printed: UTF8ToString(printed),
                    failure: UTF8ToString(failure), own: own != 0,
                    agrees: UTF8ToString(agrees), difference: UTF8ToString(difference)});
});
// clang-format on

class HandOut : public tutorials::Sink {
 public:
  void take(const Cell& cell) override {
    std::string agrees, difference;
    const std::unique_ptr<char, void (*)(void*)> recorded(recorded_for(cell.id.c_str()), std::free);
    if (recorded && !cell.own) {
      difference = cell.compare.difference(cell.printed, recorded.get());
      if (difference.empty())
        agrees = cell.printed == recorded.get() ? "equal in bytes" : cell.compare.name();
    }
    for (const auto& [name, svg] : cell.figures) take_figure(name.c_str(), svg.c_str());
    take_cell(cell.id.c_str(), cell.title.c_str(), cell.printed.c_str(), cell.failure.c_str(), cell.own,
              agrees.c_str(), difference.c_str());
    if (cell.id == wanted.cell) throw tutorials::Left();
  }
};

}  // namespace

live::Lesson::Lesson(const char* name, Main* main) { lessons()[name] = main; }

namespace tutorials {

Options parse_options(int, const char* const*, const std::string&, const std::vector<TextOption>&) {
  return wanted;
}

std::unique_ptr<Sink> make_sink(const Options&, std::istream&, std::ostream&, std::ostream&) {
  return std::make_unique<HandOut>();
}

}  // namespace tutorials

/// The names of all lessons, one per line.
extern "C" EMSCRIPTEN_KEEPALIVE const char* live_lessons() {
  static std::string names;
  names.clear();
  for (const auto& [name, main] : lessons()) names += name + "\n";
  return names.c_str();
}

/// Runs a lesson up to a cell, or to its end if `cell` is empty. `changes` has a line NAME=VALUE for each parameter that
/// the reader set. Returns the exit code of the program.
extern "C" EMSCRIPTEN_KEEPALIVE int live_run(const char* lesson, const char* cell, const char* changes) {
  const auto found = lessons().find(lesson);
  if (found == lessons().end()) {
    std::cerr << "error: there is no lesson " << lesson << '\n';
    return 2;
  }
  wanted = Options();
  wanted.cell = cell;
  std::istringstream lines(changes);
  for (std::string name, value; std::getline(lines, name, '=') && std::getline(lines, value);)
    wanted.changes[name] = value;
  std::string program = lesson;
  char* arguments[] = {program.data(), nullptr};
  return found->second(1, arguments);
}
