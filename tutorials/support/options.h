#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/nearest.h"
#include "support/parameters.h"

namespace tutorials {

/// An option of one tutorial beyond those that all have: `--text FILE`. What follows it is
/// stored in `value`.
struct TextOption {
  std::string name;       // with its dashes
  std::string type_name;  // as --help shows it
  std::string help;
  std::string* value;
};

/// What the command line asks for.
struct Options {
  enum class Mode { run, one_cell, record, check, exercises };

  Mode mode = Mode::run;
  std::string cell;                 // of one_cell
  std::filesystem::path directory;  // of record, check and exercises
  bool step = false;
  std::string colour = "auto";   // of --step
  std::string name = {};         // of the lesson, where it is stepped through
  std::string source = {};       // of this lesson
  Changes changes = {};          // of its parameters
  std::optional<int> exit_code;  // set if the program is to end at once: 0 after --help, --list,
                                 // --parameters and --version, 2 on wrong usage
};

/// Reads the command line. Answers --help, --list, --parameters and --version on stdout and wrong usage on
/// stderr. Throws FileError if --list, --parameters or --set finds no source.
Options parse_options(int argc, const char* const* argv, const std::string& program,
                      const std::vector<TextOption>& more = {});

/// The ids and titles of the cells whose markers, `//%% id | title`, stand in a tutorial's
/// source, a line each.
std::string list_of_cells(const std::string& source);

}  // namespace tutorials
