#include "support/options.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using tutorials::nearest;
using tutorials::Options;
using tutorials::TextOption;

/// The options for a command line, and what was written to stdout and stderr.
struct Parsed {
  Options options;
  std::string out, err;
};

Parsed parse(std::vector<const char*> arguments, const std::vector<TextOption>& more = {}) {
  arguments.insert(arguments.begin(), "build/tutorials/01_loops");
  std::ostringstream out, err;
  std::streambuf* const cout_before = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const cerr_before = std::cerr.rdbuf(err.rdbuf());
  const Options options =
      tutorials::parse_options(static_cast<int>(arguments.size()), arguments.data(), "01_loops", more);
  std::cout.rdbuf(cout_before);
  std::cerr.rdbuf(cerr_before);
  return {options, out.str(), err.str()};
}

TEST_CASE("without options all cells are run") {
  const Parsed parsed = parse({});
  CHECK(parsed.options.mode == Options::Mode::run);
  CHECK_FALSE(parsed.options.step);
  CHECK_FALSE(parsed.options.exit_code.has_value());
  CHECK(parsed.out == "");
  CHECK(parsed.err == "");
}

TEST_CASE("each mode has its option") {
  CHECK(parse({"--step"}).options.step);
  CHECK(parse({"--step"}).options.mode == Options::Mode::run);

  const Options cell = parse({"--cell", "In08"}).options;
  CHECK(cell.mode == Options::Mode::one_cell);
  CHECK(cell.cell == "In08");

  const Options record = parse({"--record", "some/dir"}).options;
  CHECK(record.mode == Options::Mode::record);
  CHECK(record.directory == "some/dir");

  const Options check = parse({"--check=other"}).options;
  CHECK(check.mode == Options::Mode::check);
  CHECK(check.directory == "other");
}

TEST_CASE("help and version are answered on stdout and end the program well") {
  const Parsed help = parse({"--help"});
  CHECK(help.options.exit_code == 0);
  for (const char* option : {"--list", "--cell", "--step", "--record", "--check", "--help", "--version"}) {
    CHECK(help.out.find(option) != std::string::npos);
  }
  CHECK(help.err == "");

  const Parsed version = parse({"--version"});
  CHECK(version.options.exit_code == 0);
  CHECK(version.out.rfind("01_loops (etude ", 0) == 0);
}

TEST_CASE("the examples of the help name the program as it was called, and what there is to check") {
  const std::string help = parse({"--help"}).out;
  CHECK(help.find("\n  build/tutorials/01_loops --step\n") != std::string::npos);
  const std::string check = "\n  build/tutorials/01_loops --check ";
  const size_t begin = help.find(check) + check.size();
  const std::string folder = help.substr(begin, help.find('\n', begin) - begin);
  CHECK(std::filesystem::exists(std::filesystem::path(folder) / "In08.txt"));
}

TEST_CASE("a list of the cells is read from the source, and the program ends") {
  const Parsed parsed = parse({"--list"});
  CHECK(parsed.options.exit_code == 0);
  CHECK(parsed.out.rfind("In01                  What is needed\nIn07                  The layer\n", 0) == 0);
  CHECK(parsed.out.find("\nodd_width_done_right  Aside: an odd width, done right\n") != std::string::npos);
  CHECK(tutorials::list_of_cells(
            "//%% a | A\n/// //%% b | B\n  //%% In02 | Two | of | them\nf();\n//%% end\n") ==
        "a     A\nIn02  Two | of | them\n");
  // The parts of an exercise, the summary and the references are no cells.
  CHECK(tutorials::list_of_cells(
            "  //%% exercise1 | Task\n    //%% answer\n    //%% end answer\n  //%% summary\n"
            "  //%% references\n") == "exercise1  Task\n");
  CHECK(tutorials::list_of_cells("") == "");
}

TEST_CASE("wrong usage ends the program with 2 and says so on stderr") {
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{{"--record"},
                                             {"--cell"},
                                             {"In08"},
                                             {"--list", "--cell", "In08"},
                                             {"--record", "a", "--check", "b"}}) {
    const Parsed parsed = parse(wrong);
    CHECK(parsed.options.exit_code == 2);
    CHECK(parsed.out == "");
    CHECK(parsed.err.find("--help") != std::string::npos);
  }
}

TEST_CASE("a misspelt option is answered with the nearest one") {
  const Parsed parsed = parse({"--recrod", "dir"});
  CHECK(parsed.options.exit_code == 2);
  CHECK(parsed.err.find("Did you mean --record?") != std::string::npos);
  CHECK(parse({"--recrod=dir"}).err.find("Did you mean --record?") != std::string::npos);
}

TEST_CASE("parameters of a lesson are listed, and set to what they may be") {
  const Parsed list = parse({"--parameters"});
  CHECK(list.options.exit_code == 0);
  CHECK(list.out.find("position=1 ") != std::string::npos);
  const Parsed set = parse({"--set", "position=16", "--set=base=7", "--step"});
  CHECK_FALSE(set.options.exit_code.has_value());
  CHECK(set.options.step);
  CHECK(set.options.changes == tutorials::Changes{{"base", "7"}, {"position", "16"}});
  const Parsed misspelt = parse({"--set", "positoin=16"});
  CHECK(misspelt.options.exit_code == 2);
  CHECK(misspelt.err == "01_loops: there is no parameter 'positoin'. Did you mean 'position'?\n");
  CHECK(parse({"--set", "position=x"}).options.exit_code == 2);
  CHECK(parse({"--set"}).options.exit_code == 2);
  CHECK(parse({"--exercises", "a", "--set", "position=16"}).options.exit_code == 2);
}

TEST_CASE("a tutorial may have an option of its own") {
  std::string file;
  const Parsed parsed = parse({"--text", "a.txt", "--step"}, {{"--text", "FILE", "The text", &file}});
  CHECK(parsed.options.step);
  CHECK(file == "a.txt");
}

TEST_CASE("the nearest word is the one with the fewest letters to change, if any is near") {
  const std::vector<std::string> words{"In07", "In08", "buffer", "odd_width"};
  CHECK(nearest("In8", words) == "In08");
  CHECK(nearest("bufer", words) == "buffer");
  CHECK(nearest("odd_widht", words) == "odd_width");
  CHECK(nearest("something else entirely", words) == "");
  CHECK(nearest("x", {}) == "");
}

}  // namespace
