#pragma once

#include <functional>

namespace handoff {

/// What threads did while a function ran, in seconds: `inside` loops of several threads, of which each thread stood still
/// for `waiting` on average, because it began late or was done early.
struct Count {
  int starts = 0;
  double all = 0, inside = 0, waiting = 0;
};

Count count(const std::function<void()>& f);

}  // namespace handoff
