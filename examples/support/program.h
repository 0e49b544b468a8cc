#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tutorials/support/files.h"

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

/// The command line of an example. All have --help, --version, --seed, --threads, --steps and --out; a program
/// adds its own with CLI11's add_option and add_flag.
class Program : public CLI::App {
 public:
  /// `steps` is the default of --steps; `example` the command lines that --help shows.
  Program(const std::string& name, const std::string& description, int64_t steps,
          const std::vector<std::string>& examples);

  /// Reads the command line, seeds, watches Ctrl-C, runs `body` and returns the exit code. What goes wrong is
  /// told on stderr.
  int run(int argc, const char* const* argv, const std::function<int()>& body);

  /// An option that takes a number from `low` to `high`; --help shows what `value` is before.
  template <typename Number>
  CLI::Option* add_number(const std::string& name, Number& value, Number low, Number high,
                          const std::string& help) {
    return add_option(name, value, help)
        ->check(CLI::Range(low, high).description(""))
        ->type_name("N")
        ->capture_default_str();
  }

  /// The path of a file in the folder of --out, which is made if it is not there.
  std::filesystem::path output(const std::string& file) const;
  /// The command line with `option` in it, to be typed again.
  std::string again_with(const std::string& option) const;

  uint64_t seed = 1;
  int threads = 0;
  int64_t steps;
  std::string out;

 private:
  int parse_command_line(int argc, const char* const* argv);

  std::vector<std::string> arguments_;
};

/// Runs what reads a file, and makes a FileError of its errors, with the hint as the last line.
void reading(const std::filesystem::path& path, const std::string& hint, const std::function<void()>& read);
/// The same for what writes one.
void writing(const std::filesystem::path& path, const std::function<void()>& write);

/// The last line of the output: whether a loss is one that this program is known to reach. Returns the exit
/// code that belongs to it.
int judge(double loss, double low, double high);

}  // namespace examples
