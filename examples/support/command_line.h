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

/// The exit codes of a program.
enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kFileProblem = 3, kInterrupted = 130 };

/// Options that do not fit together, or do not fit the file. The program ends with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is missing or has the wrong content. The program ends with code 3.
using tutorials::FileError;

/// This process's place among the processes that mpirun started; a program started alone is 0 of 1.
struct Launch {
  int rank = 0, size = 1;
  int on_this_machine = 1;
};

/// Reads the environment variables that Open MPI or MPICH set.
Launch launch();

/// The command line of every example: --help, --version, --seed, --threads and, if it trains, --steps and --trace. A program adds
/// its own options. The class hides CLI11, which takes longer to compile than most examples.
class CommandLine {
 public:
  /// `default_steps` is the default of --steps, 0 for a program that does not train; `examples` are the command lines that
  /// --help shows.
  CommandLine(const std::string& program, const std::string& description, int64_t default_steps,
              const std::vector<std::string>& examples);
  virtual ~CommandLine();

  /// An option that takes a number from `low` to `high`: an int, int64_t or double. --help shows the initial `value`.
  template <typename Number>
  void add_number(const std::string& option, Number& value, Number low, Number high, const std::string& help);
  /// An option that takes a text, which --help calls `type`. --help shows the initial `value` if it is not empty.
  void add_text(const std::string& option, std::string& value, const std::string& help,
                const std::string& type = "TEXT");
  /// An argument without an option, such as FILE. Arguments stand in the order of these calls.
  void add_argument(const std::string& argument, std::string& value, const std::string& help, bool required);
  /// The same as add_text for an option that takes several texts. After add_argument it takes one each time that it is given.
  void add_texts(const std::string& option, std::vector<std::string>& values, const std::string& help,
                 const std::string& type = "TEXT");
  void add_flag(const std::string& option, bool& value, const std::string& help);
  /// Adds a paragraph at the end of --help.
  void add_to_help(const std::string& text);

  /// Reads the command line, seeds, runs `body` and returns the exit code. Prints errors to stderr.
  virtual int run(int argc, const char* const* argv, const std::function<int()>& body);
  /// Whether the command line has the option.
  bool is_given(const std::string& option) const;

  /// Mark the beginning and the end of a training step: --trace records the first few. Throw FileError.
  void begin_step(int64_t step) const;
  void end_step() const;

  /// Whether this is the process that prints and writes files.
  bool is_first() const { return launch().rank == 0; }

  /// Prints the last line of the output: whether the program reached the result that is expected after its usual number of
  /// steps. Returns the exit code, which is kDone after fewer steps.
  int judge(const std::string& expected, bool is_reached) const;
  /// The same for a loss between two bounds.
  int judge(double loss, double low, double high) const;

  const std::string name;
  uint64_t seed = 1;
  int threads = 0;
  int64_t steps;
  std::string trace;

 protected:
  /// Joins the other processes if mpirun has started several. Most programs refuse to.
  virtual void join_others();
  /// Prints the error and returns the exit code.
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
