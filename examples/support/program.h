#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/command_line.h"

namespace etude::distributed {
class ProcessGroup;
}

namespace examples {

/// The command line of an example that trains for a while and writes files: adds --out, --save-every and --resume to
/// the options of every example.
class Program : public CommandLine {
 public:
  /// `resume_help` is the help text of --resume.
  Program(const std::string& program, const std::string& description, int64_t default_steps,
          const std::vector<std::string>& examples,
          const std::string& resume_help = "Go on with the checkpoint in --out");

  /// Lets the program run in several processes, which share each batch. Other programs refuse to.
  void share_batches();
  /// The processes that mpirun has started, once the body runs; this process alone without mpirun.
  const std::shared_ptr<etude::distributed::ProcessGroup>& processes() const { return processes_; }

  /// As CommandLine::run; also watches for Ctrl-C, and at the end lists the written files on stderr.
  int run(int argc, const char* const* argv, const std::function<int()>& body) override;

  /// The path of a file to write in the folder of --out. Creates the folder if it is missing and locks it until this run
  /// ends. Throws FileError, also if another run has locked the folder.
  std::filesystem::path output(const std::string& file) const;
  /// The command line with `option` added, to be typed again.
  std::string again_with(const std::string& option) const;

  std::string out;
  int64_t save_every = 100;
  bool resume = false;
  int64_t parts = 1;

 protected:
  void join_others() override;
  /// An error of one process ends all of them.
  int fail(const std::exception& error, ExitCode code) const override;

 private:
  std::string typed_;  // as the program was called
  std::vector<std::string> arguments_;
  bool shares_batches_ = false;
  double timeout_ = 300;  // seconds
  std::shared_ptr<etude::distributed::ProcessGroup> processes_;
  mutable std::vector<std::string> files_;  // in --out, in the order of output()
  mutable std::shared_ptr<void> lock_;      // of --out
};

/// Runs code that reads a file, and turns its errors into a FileError with the hint as the last line.
void reading(const std::filesystem::path& path, const std::string& hint, const std::function<void()>& read);
/// The same for code that writes a file.
void writing(const std::filesystem::path& path, const std::function<void()>& write);

}  // namespace examples
