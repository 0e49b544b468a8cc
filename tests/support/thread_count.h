#pragma once

#include "etude/core/parallel.h"

namespace etude {

/// In its scope ops have so many threads, or what set_num_threads() says there, and afterwards as many as before.
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
