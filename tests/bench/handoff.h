#pragma once

#include <functional>

namespace handoff {

/// What threads did while a function ran, in seconds: `inside` is the time in loops of several threads, and `waiting` the
/// part of it in which a thread stood still on average, because it began late or was done early.
struct Count {
  int starts = 0;
  double all = 0, inside = 0, waiting = 0;
};

Count count(const std::function<void()>& f);

}  // namespace handoff
