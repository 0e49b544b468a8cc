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

/// The command line of an example that trains for a while and writes files: --out, --save-every and --resume beside
/// those of every example.
class Program : public CommandLine {
 public:
  /// `resume_help` says what --resume goes on with.
  Program(const std::string& program, const std::string& description, int64_t default_steps,
          const std::vector<std::string>& examples,
          const std::string& resume_help = "Go on with the checkpoint in --out");

  /// The program can run in several processes, which share each batch. Others refuse to.
  void share_batches();
  /// The processes that mpirun has started, once the body runs; this one alone without it.
  const std::shared_ptr<etude::distributed::ProcessGroup>& processes() const { return processes_; }

  /// As of every example; watches Ctrl-C besides, and says at the end on stderr which files there are.
  int run(int argc, const char* const* argv, const std::function<int()>& body) override;

  /// The path of a file that is going to be written, in the folder of --out, which is made if it is not there and belongs to
  /// this run until it ends. Throws FileError, also where another run has the folder.
  std::filesystem::path output(const std::string& file) const;
  /// The command line with `option` in it, to be typed again.
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
  mutable std::vector<std::string> files_;  // in --out, as they were asked for
  mutable std::shared_ptr<void> lock_;      // of --out
};

/// Runs what reads a file, and makes a FileError of its errors, with the hint as the last line.
void reading(const std::filesystem::path& path, const std::string& hint, const std::function<void()>& read);
/// The same for what writes one.
void writing(const std::filesystem::path& path, const std::function<void()>& write);

}  // namespace examples
