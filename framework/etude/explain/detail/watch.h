#pragma once

#include <atomic>
#include <iosfwd>

#include "etude/explain/detail/event.h"

namespace etude::detail {

/// What explain() and trap_nan() have asked for; all threads share it.
struct Watching {
  std::atomic<std::ostream*> out{nullptr};
  std::atomic<bool> inside{false}, traps{false}, also_inf{false};
};
extern Watching watching;

/// The peak rates of the threads that ops use, measured at the first call in some hundredths of a second.
struct Machine {
  double flop_per_second, bytes_per_second;
};
const Machine& machine();

void start_watch();
void stop_watch();

/// Writes the lines of an outermost op or node. In explain.cpp, as is the trap.
void write_lines(const Event& event);
/// Throws if the event is the first to return a nan. `around` are the ops and nodes that contain it, the innermost first.
void trap(const Event& event, const std::vector<const Event*>& around);

/// While it exists, receives every outermost op and every module that runs on this thread.
class Collector {
 public:
  Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual void op(const Event& event) = 0;
  virtual void module_begins(const void* module, const listen::Place* place) = 0;
  virtual void module_ends(const Event& event) = 0;

 protected:
  ~Collector();

 private:
  Collector* before_;
};

}  // namespace etude::detail
