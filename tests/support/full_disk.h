#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>

namespace etude {

/// Simulates a full disk for a scope: no file may grow larger than `bytes`.
struct FullDisk {
  rlimit before = {};
  void (*handler)(int) = nullptr;
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
};

}  // namespace etude
