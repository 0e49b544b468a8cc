#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/compare.h"
#include "support/options.h"
#include "support/parameters.h"

namespace tutorials {

class Sink;
struct Cell;
struct Value;

/// One run of a tutorial program. While it exists std::cout is captured, and what is printed
/// between two calls of `cell` belongs to the first one:
///
///     int main(int argc, char** argv) try {
///       Tutorial tutorial(argc, argv, "01_loops");
///       cell("In08", "Five positions");
///       print(x);
///       return tutorial.finish();
///     } catch (const std::exception& error) {
///       return report(error);
///     }
///
/// Exactly one may exist at a time.
class Tutorial {
 public:
  /// Reads the command line; ends the program after --help, --list, --version
  /// and wrong usage.
  Tutorial(int argc, const char* const* argv, const std::string& program,
           const std::vector<TextOption>& more = {});
  Tutorial(const Options& options, const std::string& program, std::istream& in,
           std::ostream& out, std::ostream& err);
  /// Gives std::cout back. If `finish` was not reached, says on stderr in which cell the program
  /// stopped.
  ~Tutorial();
  Tutorial(const Tutorial&) = delete;
  Tutorial& operator=(const Tutorial&) = delete;

  void cell(const std::string& id, const std::string& title, Compare compare);
  void figure(const std::string& file_name, const std::string& svg);
  void exercise_failed(const std::string& why);
  void note(const std::string& name, const Value& value, bool given);
  /// What the reader set the parameter to, if that is another value than the first. The current cell, and all after it,
  /// are the reader's own then.
  std::optional<std::string> change_of(const Parameter& parameter);

  /// Ends the last cell. Returns the program's exit code. Throws WrongUsage if a parameter was set that no cell has.
  int finish();

 private:
  void end_cell();

  Options options_;
  std::string program_;
  std::ostringstream captured_;
  std::streambuf* outside_ = nullptr;
  std::unique_ptr<std::ostream> out_;
  std::ostream* err_ = nullptr;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Cell> current_;
  std::vector<std::string> ids_;
  std::set<std::string> parameters_;
  bool own_ = false;
  bool finished_ = false;
};

/// Ends the cell before and starts this one: what is printed from here on is its output. The id
/// is the name of its file.
void cell(const std::string& id, const std::string& title, Compare compare = Compare::bytes());

/// Hands out a picture of the current cell; --record writes it beside the cell's output.
void figure(const std::string& file_name, const std::string& svg);

/// States what the answer of an exercise has to fulfil, as a sentence that a reader understands:
/// "each row of weights adds up to one". Throws std::runtime_error with it unless it holds.
void expect(bool holds, const std::string& sentence);

/// Notes what stopped the exercise of the current cell, so that those after it still run.
void exercise_failed(const std::exception& error);

/// Prints an error to stderr. Returns the exit code for it: 2 for WrongUsage, 3 for a FileError, 0 without a word where
/// the reader left, otherwise 1.
int report(const std::exception& error);

}  // namespace tutorials
