#include "support/program.h"

#include <etude/framework.h>

#include <cstdio>
#include <iostream>
#include <limits>
#include <system_error>

#include "support/interrupt.h"
#include "tutorials/support/nearest.h"

namespace examples {
namespace {

constexpr int kHelpRequested = -1;

// As a shell reads it back.
std::string quoted(const std::string& argument) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string quotes = "'";
  for (const char c : argument) quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return quotes + "'";
}

std::string footer_of(const std::string& name, const std::vector<std::string>& examples) {
  std::string footer = "Examples:\n";
  for (const std::string& example : examples)
    footer += "  " + name + (example.empty() ? "" : " " + example) + "\n";
  return footer +
         "Results go to stdout, progress to stderr. Ctrl-C saves what is learnt and ends.\n"
         "Exit codes: 0 done, 1 the loss is not what it should be, 2 wrong usage, 3 a problem with a file,\n"
         "130 after Ctrl-C.";
}

// What went wrong with a file, whose name is in it once.
std::string with_name(const std::filesystem::path& path, const std::string& what) {
  const std::string name = path.string();
  return what.find(name) == std::string::npos ? name + ": " + what : what;
}

}  // namespace

Program::Program(const std::string& name, const std::string& description, int64_t default_steps,
                 const std::vector<std::string>& examples)
    : CLI::App(description, name), steps(default_steps), out(name + "_out") {
  add_option("--seed", seed, "Seed of all random numbers; one seed gives one output")
      ->type_name("N")
      ->capture_default_str();
  add_number("--threads", threads, 0, 1024, "Threads, 0 for all cores; the output does not depend on them");
  add_number("--steps", steps, int64_t{1}, int64_t{100000000}, "Training steps");
  add_option("--out", out, "Folder for pictures and checkpoints, made if it is not there")
      ->type_name("DIR")
      ->capture_default_str();
  set_version_flag("--version", name + " (etude " ETUDE_VERSION ")", "Print the version and exit");
  footer(footer_of(name, examples));
}

int Program::parse_command_line(int argc, const char* const* argv) {
  arguments_.assign(argv + 1, argv + argc);
  try {
    parse(argc, argv);
    return kDone;
  } catch (const CLI::Success& success) {
    exit(success);
    return kHelpRequested;
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> names;
    for (const CLI::Option* option : get_options()) names.push_back("--" + option->get_lnames().front());
    std::cerr << get_name() << ": " << error.what() << '\n'
              << tutorials::did_you_mean(argc, argv, names) << "Run with --help for more information.\n";
    return kWrongUsage;
  }
}

int Program::run(int argc, const char* const* argv, const std::function<int()>& body) {
  const int parsed = parse_command_line(argc, argv);
  if (parsed != kDone) return parsed == kHelpRequested ? kDone : parsed;
  const auto fail = [&](const std::exception& error, ExitCode code) {
    std::cout.flush();
    std::cerr << get_name() << ": " << error.what() << '\n';
    return code;
  };
  try {
    watch_interrupts();
    if (threads > 0) etude::set_num_threads(threads);
    etude::manual_seed(seed);
    return body();
  } catch (const UsageError& error) {
    return fail(error, kWrongUsage);
  } catch (const FileError& error) {
    return fail(error, kFileProblem);
  } catch (const std::exception& error) {
    return fail(error, kFailed);
  }
}

std::filesystem::path Program::output(const std::string& file) const {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) throw FileError("cannot make the folder " + out + ": " + error.message());
  return std::filesystem::path(out) / file;
}

std::string Program::again_with(const std::string& option) const {
  std::string line = get_name();
  bool is_there = false;
  for (const std::string& argument : arguments_) {
    line += " " + quoted(argument);
    is_there = is_there || argument == option;
  }
  return is_there ? line : line + " " + option;
}

void reading(const std::filesystem::path& path, const std::string& hint, const std::function<void()>& read) {
  try {
    read();
  } catch (const std::exception& error) {
    throw FileError(with_name(path, error.what()) + "\nhint: " + hint);
  }
}

void writing(const std::filesystem::path& path, const std::function<void()>& write) {
  try {
    write();
  } catch (const std::exception& error) {
    throw FileError(with_name(path, error.what()));
  }
}

int judge(double loss, double low, double high) {
  const bool inside = loss >= low && loss <= high;
  std::printf("expected loss between %.2f and %.2f: %s\n", low, high, inside ? "inside" : "outside");
  return inside ? kDone : kFailed;
}

}  // namespace examples
