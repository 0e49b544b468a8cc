#pragma once

#include "etude/core/parallel.h"

namespace etude {

/// Sets the number of threads for a scope, which may change it, and restores the old number afterwards.
class ThreadCount {
 public:
  explicit ThreadCount(int n = get_num_threads()) { set_num_threads(n); }
  ~ThreadCount() { set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_ = get_num_threads();
};

}  // namespace etude
