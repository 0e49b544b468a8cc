#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../tutorials/support/files.h"

namespace CLI {
class App;
}

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

/// What mpirun says of the processes that it has started, of which this is one; a program that was started alone is 0 of 1.
struct Launch {
  int rank = 0, size = 1;
  int on_this_machine = 1;
};

/// Reads the variables that Open MPI, and MPICH, set.
Launch launch();

/// The command line of every example: --help, --version, --seed, --threads, --steps and --trace. A program adds its own options.
/// CLI11, which takes longer to compile than most examples, stands behind it.
class CommandLine {
 public:
  /// `steps` is the default of --steps; `examples` the command lines that --help shows.
  CommandLine(const std::string& program, const std::string& description, int64_t default_steps,
              const std::vector<std::string>& examples);
  virtual ~CommandLine();

  /// An option that takes a number from `low` to `high`: an int, int64_t or double. --help shows what `value` is before.
  template <typename Number>
  void add_number(const std::string& option, Number& value, Number low, Number high, const std::string& help);
  /// An option that takes a text, which --help calls `type`; it shows what `value` is before, if that is not empty.
  void add_text(const std::string& option, std::string& value, const std::string& help,
                const std::string& type = "TEXT");
  /// The same for an option that takes several.
  void add_texts(const std::string& option, std::vector<std::string>& values, const std::string& help,
                 const std::string& type = "TEXT");
  void add_flag(const std::string& option, bool& value, const std::string& help);
  /// One more paragraph at the end of --help.
  void add_to_help(const std::string& text);

  /// Reads the command line, seeds, runs `body` and returns the exit code. What goes wrong is told on stderr.
  virtual int run(int argc, const char* const* argv, const std::function<int()>& body);
  /// Whether the command line has the option.
  bool is_given(const std::string& option) const;

  /// Where a training step begins and ends: --trace shows the first few. Throws FileError.
  void begin_step(int64_t step) const;
  void end_step() const;

  /// Whether this process is the one that prints and writes files.
  bool is_first() const { return launch().rank == 0; }

  /// The last line of the output: whether the program came to what it is known to reach with its usual number of
  /// steps. Returns the exit code that belongs to it: with fewer steps nothing is expected.
  int judge(const std::string& expected, bool is_reached) const;
  /// The same for a loss between two bounds.
  int judge(double loss, double low, double high) const;

  const std::string name;
  uint64_t seed = 1;
  int threads = 0;
  int64_t steps;
  std::string trace;

 protected:
  /// Meets the other processes, if mpirun has started several: most programs refuse to.
  virtual void join_others();
  /// Says what went wrong, and returns the exit code.
  virtual int fail(const std::exception& error, ExitCode code) const;

 private:
  struct Trace;
  int run_body(const std::function<int()>& body);
  std::string trace_file() const;
  void end_trace() const;

  std::unique_ptr<CLI::App> app_;
  int64_t usual_steps_;
  std::unique_ptr<Trace> trace_;
};

}  // namespace examples
