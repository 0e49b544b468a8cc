#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace etude {

/// The exit code and the output of a program of examples/.
struct ExampleRun {
  int code;  // -1 if a signal ended it
  std::string out, err;
};

namespace detail {

/// Replaces this process, a child that was just made, by a program.
[[noreturn]] inline void become(const std::vector<std::string>& words, const std::string& out, int err) {
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int number : {SIGINT, SIGHUP}) signal(number, SIG_DFL);  // a parent may ignore them: nohup, or &
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace detail

/// Runs a program by its path. As soon as its stderr contains `stop_at`, `act` is called with its process id.
inline ExampleRun run_program(const std::vector<std::string>& words, const std::string& stop_at = "",
                              const std::function<void(pid_t)>& act = {}) {
  const TemporaryFolder files;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) detail::become(words, files / "out", ends[1]);
  close(ends[1]);
  ExampleRun run;
  bool stopped = stop_at.empty();
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    run.err.append(buffer, static_cast<size_t>(n));
    if (stopped || run.err.find(stop_at) == std::string::npos) continue;
    act(child);
    stopped = true;
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.out = read_bytes(files / "out");
  return run;
}

/// Runs ETUDE_EXAMPLES/program, which gets signals at `stop_at`.
inline ExampleRun run_example(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& stop_at = "", const std::vector<int>& signals = {SIGINT}) {
  std::vector<std::string> words = {std::string(ETUDE_EXAMPLES) + "/" + program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words, stop_at, [&](pid_t child) {
    for (const int number : signals) kill(child, number);
  });
}

}  // namespace etude
