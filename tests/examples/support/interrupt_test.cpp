#include "support/interrupt.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace {

/// The status of a process of its own that runs `body`.
int status_of(const std::function<int()>& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int number : {SIGINT, SIGHUP}) std::signal(number, SIG_DFL);  // as in a terminal
    _exit(body());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

TEST_SUITE("interrupt") {
  TEST_CASE("the first Ctrl-C is noted, and the program goes on") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      const int status = status_of([&] {
        examples::watch_interrupts();
        const bool before = examples::interrupted();
        raise(number);
        return !before && examples::interrupted() ? 7 : 8;
      });
      REQUIRE(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 7);
    }
  }

  TEST_CASE("a second one ends it with code 130, but not within milliseconds") {
    const auto status_with_pause = [](int milliseconds) {
      return status_of([milliseconds] {
        examples::watch_interrupts();
        raise(SIGINT);
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        raise(SIGINT);
        return 7;
      });
    };
    CHECK(WEXITSTATUS(status_with_pause(0)) == 7);
    const int status = status_with_pause(600);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
  }

  TEST_CASE("a signal that is ignored stays so") {
    const int status = status_of([] {
      std::signal(SIGINT, SIG_IGN);
      examples::watch_interrupts();
      raise(SIGINT);
      return examples::interrupted() ? 8 : 7;
    });
    CHECK(WEXITSTATUS(status) == 7);
  }
}

}  // namespace
