#include "support/options.h"

#include <etude/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "support/files.h"

namespace tutorials {

Options parse_options(int argc, const char* const* argv, const std::string& program,
                      const std::vector<TextOption>& more) {
  Options options;
  CLI::App app{
      "A tutorial of Etude. Without options every cell is run and printed under its heading.",
      argv[0]};
  std::string record, check, exercises;
  CLI::Option* list =
      app.add_flag("--list", "Print the ids and titles of all cells and run none");
  CLI::Option* list_parameters = app.add_flag(
      "--parameters", "Print the values that --set changes, with their limits, and run no cell");
  std::vector<std::string> settings;
  CLI::Option* set = app.add_option(
      "--set", settings, "Give a parameter of the lesson another value; may be repeated");
  set->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* cell =
      app.add_option("--cell", options.cell,
                     "Print what this cell prints and nothing else; cells before it run "
                     "too, since they share variables");
  CLI::Option* step = app.add_flag(
      "--step", options.step,
      "Show the whole lesson, cell by cell: Enter goes on, b goes back, q or Ctrl-D ends");
  app.add_option("--color", options.colour,
                 "Colours of --step: auto, always (as for less -R) or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  CLI::Option* record_option =
      app.add_option("--record", record,
                     "Write each cell's output to DIR/<cell>.txt, and the figures beside them");
  CLI::Option* check_option =
      app.add_option("--check", check, "Compare each cell's output with DIR/<cell>.txt");
  CLI::Option* exercises_option =
      app.add_option("--exercises", exercises,
                     "Say of each exercise whether it is right: it keeps what it has to and "
                     "prints DIR/<cell>.txt");
  exercises_option->type_name("DIR")->excludes(set);
  cell->type_name("ID");
  record_option->type_name("DIR");
  check_option->type_name("DIR");
  for (const TextOption& o : more)
    app.add_option(o.name, *o.value, o.help)->type_name(o.type_name);
  app.set_version_flag("--version", program + " (etude " ETUDE_VERSION ")",
                       "Print the version and exit");
  const std::string run = std::string("\n  ") + argv[0];
  app.footer("Examples:" + run + " --list" + run + " --step" + run + " --record " + program +
             "_printed" + run + " --check " +
             source_file("tutorials/expected/" + program).string() +
             "\nExit codes: 0 fine, 1 failed or cells differ, 2 wrong usage, 3 a problem with a "
             "file.");
  try {
    app.parse(argc, argv);
    const std::vector<CLI::Option*> modes{
        list, list_parameters, cell, step, record_option, check_option, exercises_option};
    if (std::count_if(modes.begin(), modes.end(),
                      [](const CLI::Option* mode) { return bool(*mode); }) > 1) {
      throw CLI::ExcludesError(
          "only one of --list, --parameters, --cell, --step, --record, --check and --exercises "
          "can be "
          "done at a time",
          CLI::ExitCodes::ExcludesError);
    }
  } catch (const CLI::Success& success) {
    options.exit_code = app.exit(success);
    return options;
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      names.push_back("--" + option->get_lnames().front());
    }
    std::cerr << program << ": " << error.what() << '\n'
              << did_you_mean(argc, argv, names) << "Run with --help for more information.\n";
    options.exit_code = 2;
    return options;
  }
  if (*list) {
    std::cout << list_of_cells(read_file(source_file("tutorials/" + program + ".cpp")));
    options.exit_code = 0;
  }
  if (*list_parameters || *set) {
    const std::vector<Parameter> parameters =
        parameters_of(read_file(source_file("tutorials/" + program + ".cpp")));
    if (*list_parameters) std::cout << list_of_parameters(parameters);
    if (*list_parameters) options.exit_code = 0;
    try {
      options.changes = read_changes(settings, parameters);
    } catch (const WrongUsage& error) {
      std::cerr << program << ": " << error.what() << '\n';
      options.exit_code = 2;
    }
  }
  if (options.step) {
    options.name = program;
    options.source = read_file(source_file("tutorials/" + program + ".cpp"));
  }
  if (*cell) options.mode = Options::Mode::one_cell;
  if (*record_option) options.mode = Options::Mode::record;
  if (*check_option) options.mode = Options::Mode::check;
  if (*exercises_option) options.mode = Options::Mode::exercises;
  options.directory = *record_option ? record : *check_option ? check : exercises;
  return options;
}

std::string list_of_cells(const std::string& source) {
  std::vector<std::pair<std::string, std::string>> cells;
  size_t width = 0;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const size_t marker = line.find("//%% "), bar = line.find(" | ");
    if (marker != line.find_first_not_of(' ') || bar == std::string::npos) continue;
    cells.emplace_back(line.substr(marker + 5, bar - marker - 5), line.substr(bar + 3));
    width = std::max(width, cells.back().first.size());
  }
  std::string list;
  for (const auto& [id, title] : cells)
    list += id + std::string(width - id.size() + 2, ' ') + title + '\n';
  return list;
}

}  // namespace tutorials
