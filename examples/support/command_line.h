#pragma once

#include <etude/framework.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../tutorials/support/files.h"
#include "../../tutorials/support/nearest.h"

// All of it stands in this header, so that a program that has no more than a command line can be compiled against
// LibTorch as one file.
namespace examples {

/// What a program ends with.
enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kFileProblem = 3, kInterrupted = 130 };

/// Options that make no sense together, or not with this file. The program ends with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is missing or not what it should be. The program ends with code 3.
using tutorials::FileError;

/// The command line of every example: --help, --version, --seed, --threads and --steps. A program adds its own options
/// with CLI11's add_option and add_flag.
class CommandLine : public CLI::App {
 public:
  /// `steps` is the default of --steps; `examples` the command lines that --help shows.
  CommandLine(const std::string& name, const std::string& description, int64_t default_steps,
              const std::vector<std::string>& examples)
      : CLI::App(description, name), steps(default_steps), usual_steps_(default_steps) {
    add_option("--seed", seed, "Seed of all random numbers; one seed gives one output")
        ->type_name("N")
        ->capture_default_str();
    add_number("--threads", threads, 0, 1024, "Threads, 0 for all cores; the output does not depend on them");
    add_number("--steps", steps, int64_t{1}, int64_t{100000000}, "Training steps");
    set_version_flag("--version", name + " (etude " ETUDE_VERSION ")", "Print the version and exit");
    std::string lines = "Examples:\n";
    for (const std::string& example : examples)
      lines += "  " + name + (example.empty() ? "" : " " + example) + "\n";
    footer(
        lines +
        "Exit codes: 0 done, 1 not as good after all steps as it should be, 2 wrong usage, 3 a problem with "
        "a file,\n130 stopped.");
  }

  /// Reads the command line, seeds, runs `body` and returns the exit code. What goes wrong is told on stderr.
  virtual int run(int argc, const char* const* argv, const std::function<int()>& body) {
    try {
      parse(argc, argv);
    } catch (const CLI::Success& success) {
      exit(success);
      return kDone;
    } catch (const CLI::ParseError& error) {
      std::vector<std::string> names;
      for (const CLI::Option* option : get_options()) names.push_back("--" + option->get_lnames().front());
      std::cerr << get_name() << ": " << error.what() << '\n'
                << tutorials::did_you_mean(argc, argv, names) << "Run with --help for more information.\n";
      return kWrongUsage;
    }
    const auto fail = [&](const std::exception& error, ExitCode code) {
      std::cout.flush();
      std::cerr << get_name() << ": " << error.what() << '\n';
      return code;
    };
    try {
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

  /// An option that takes a number from `low` to `high`; --help shows what `value` is before.
  template <typename Number>
  CLI::Option* add_number(const std::string& name, Number& value, Number low, Number high,
                          const std::string& help) {
    return add_option(name, value, help)
        ->check(CLI::Range(low, high).description(""))
        ->type_name("N")
        ->capture_default_str();
  }

  /// The last line of the output: whether the program came to what it is known to reach with its usual number of
  /// steps. Returns the exit code that belongs to it: with fewer steps nothing is expected.
  int judge(const std::string& expected, bool is_reached) const {
    const bool is_short = steps < usual_steps_;
    std::string verdict = is_reached ? "reached" : is_short ? "not yet" : "not reached";
    if (!is_reached && is_short)
      verdict +=
          ", with " + std::to_string(steps) + " of the usual " + std::to_string(usual_steps_) + " steps";
    std::printf("expected %s: %s\n", expected.c_str(), verdict.c_str());
    return is_reached || is_short ? kDone : kFailed;
  }
  /// The same for a loss between two bounds.
  int judge(double loss, double low, double high) const {
    char expected[64];
    std::snprintf(expected, sizeof expected, "loss between %.2f and %.2f", low, high);
    return judge(expected, loss >= low && loss <= high);
  }

  uint64_t seed = 1;
  int threads = 0;
  int64_t steps;

 private:
  int64_t usual_steps_;
};

}  // namespace examples
