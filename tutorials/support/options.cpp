#include "support/options.h"

#include <etude/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

namespace tutorials {

Options parse_options(int argc, const char* const* argv, const std::string& program,
                      const std::vector<TextOption>& more) {
  Options options;
  CLI::App app{
      "A tutorial of Etude. Without options every cell is run and printed under its heading.",
      program};
  std::string record, check;
  CLI::Option* list = app.add_flag("--list", "Print the ids and titles of all cells");
  CLI::Option* cell =
      app.add_option("--cell", options.cell,
                     "Print what this cell prints and nothing else; cells before it run "
                     "too, since they share variables");
  CLI::Option* step = app.add_flag("--step", options.step, "Wait for Enter between cells");
  CLI::Option* record_option =
      app.add_option("--record", record,
                     "Write each cell's output to DIR/<cell>.txt, and the figures beside them");
  CLI::Option* check_option =
      app.add_option("--check", check, "Compare each cell's output with DIR/<cell>.txt");
  cell->type_name("ID");
  record_option->type_name("DIR");
  check_option->type_name("DIR");
  for (const TextOption& o : more)
    app.add_option(o.name, *o.value, o.help)->type_name(o.type_name);
  app.set_version_flag("--version", program + " (etude " ETUDE_VERSION ")",
                       "Print the version and exit");
  app.footer(
      "Examples:\n  " + program + " --step\n  " + program + " --record out\n  " + program +
      " --check tutorials/expected/" + program +
      "\nExit codes: 0 fine, 1 failed or cells differ, 2 wrong usage, 3 a problem with a file.");
  try {
    app.parse(argc, argv);
    const std::vector<CLI::Option*> modes{list, cell, step, record_option, check_option};
    if (std::count_if(modes.begin(), modes.end(),
                      [](const CLI::Option* mode) { return bool(*mode); }) > 1) {
      throw CLI::ExcludesError(
          "only one of --list, --cell, --step, --record and --check can be done at a time",
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
  if (*list) options.mode = Options::Mode::list;
  if (*cell) options.mode = Options::Mode::one_cell;
  if (*record_option) options.mode = Options::Mode::record;
  if (*check_option) options.mode = Options::Mode::check;
  options.directory = *record_option ? record : check;
  return options;
}

}  // namespace tutorials
