#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

namespace etude {

/// Runs this test program in a new process, with one test case that is skipped otherwise:
/// `TEST_CASE("..." * doctest::skip())`. The case reads its arguments from environment variables.
class OwnProcess {
 public:
  OwnProcess(const std::string& test_case, const std::map<std::string, std::string>& told) {
    const std::string filter = "--test-case=" + test_case;
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    for (const auto& [name, value] : told) ::setenv(name.c_str(), value.c_str(), 1);
    ::execl("/proc/self/exe", "test", filter.c_str(), "--no-skip", "--quiet", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  OwnProcess(const OwnProcess&) = delete;
  OwnProcess& operator=(const OwnProcess&) = delete;
  ~OwnProcess() { kill(); }

  /// Waits for the process to end; returns whether the test case passed.
  bool passed() { return wait() == 0; }
  /// Ends the process at once, as a power failure would.
  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }

 private:
  int wait() {
    int status = -1;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

  pid_t pid_ = 0;
};

/// The value that the parent passed to this process.
inline std::string told(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value, "this case is run by another one");
  return value;
}

}  // namespace etude
