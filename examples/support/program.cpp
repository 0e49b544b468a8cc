#include "support/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <system_error>

#include "support/interrupt.h"
#include "support/processes.h"

namespace examples {
namespace {

// Quotes an argument for a shell.
std::string quoted(const std::string& argument) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string quotes = "'";
  for (const char c : argument) quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return quotes + "'";
}

// An error message about a file, with the file name added if it is missing.
std::string with_name(const std::filesystem::path& path, const std::string& what) {
  const std::string name = path.string();
  return what.find(name) == std::string::npos ? name + ": " + what : what;
}

struct Descriptor {
  int number;
  ~Descriptor() { close(number); }
};

// Locks a folder for this process until the result is destroyed or the process ends. Null where files cannot be locked.
std::shared_ptr<void> lock_of(const std::filesystem::path& folder) {
  const int number = open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (number < 0) return nullptr;  // nothing can be written there either
  std::shared_ptr<Descriptor> file(new Descriptor{number});
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(number, F_SETLK, &lock) == 0) return file;
  if (errno == EACCES || errno == EAGAIN) {
    fcntl(number, F_GETLK, &lock);
    throw FileError(folder.string() + ": another run, process " + std::to_string(lock.l_pid) +
                    ", writes its files here\nhint: wait until it ends, or choose another folder: --out");
  }
  return nullptr;
}

}  // namespace

Program::Program(const std::string& program, const std::string& description, int64_t default_steps,
                 const std::vector<std::string>& examples, const std::string& resume_help)
    : CommandLine(program, description, default_steps, examples),
      out(program + "_out"),
      processes_(etude::distributed::ProcessGroup::single()) {
  add_text("--out", out, "Folder for pictures and checkpoints, made if it is not there", "DIR");
  add_number("--save-every", save_every, int64_t{0}, int64_t{100000000},
             "Steps from one checkpoint to the next; 0 for one at the end alone");
  add_flag("--resume", resume, resume_help);
  add_to_help(
      "Results go to stdout, progress to stderr. Ctrl-C, SIGTERM and SIGHUP save what is learnt and end; a "
      "second one\nends at once.");
}

void Program::share_batches() {
  shares_batches_ = true;
  parts = 4;
  add_number("--parts", parts, int64_t{1}, int64_t{1} << 20,
             "Parts of a batch whose gradients are added in a fixed order, so that the output does not "
             "depend on the "
             "number of processes: as many as they are, or twice, four times, ... as many");
  add_number("--timeout", timeout_, 0.1, 1e6,
             "After how many seconds processes give up on one that does not take part");
}

void Program::join_others() {
  if (!shares_batches_) CommandLine::join_others();
  processes_ = join_processes(timeout_);
}

int Program::fail(const std::exception& error, ExitCode code) const {
  std::cout.flush();
  if (processes_->getSize() > 1) processes_->abort(error.what(), code);
  return CommandLine::fail(error, code);
}

int Program::run(int argc, const char* const* argv, const std::function<int()>& body) {
  // examples/run passes its own two words instead of a path.
  typed_ = std::filesystem::exists(argv[0]) ? quoted(argv[0]) : argv[0];
  arguments_.assign(argv + 1, argv + argc);
  return CommandLine::run(argc, argv, [&] {
    watch_interrupts(/*says_so=*/is_first());
    const int code = body();
    std::string written;
    for (const std::string& file : files_)
      if (std::filesystem::exists(std::filesystem::path(out) / file)) written += " " + file;
    if (!written.empty()) std::cerr << "files in " << out << ":" << written << "\n";
    return code;
  });
}

std::filesystem::path Program::output(const std::string& file) const {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) throw FileError("cannot make the folder " + out + ": " + error.message());
  if (!lock_ && is_first()) lock_ = lock_of(out);
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
  return std::filesystem::path(out) / file;
}

std::string Program::again_with(const std::string& option) const {
  std::string line = typed_;
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

}  // namespace examples
