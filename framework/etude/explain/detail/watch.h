#pragma once

#include <functional>

#include "etude/explain/detail/event.h"

namespace etude::detail {

/// What is to be done with events. All members are of this process; a Collector is of its thread.
struct Watching {
  bool looks_at_given = false, looks_at_results = false;
  std::function<void(const Event&, const std::vector<const Event*>& around)> check;  // may throw
  std::function<void(const Event&)> show;                                            // an outermost one
};
/// Changes what is done, for all threads; nothing listens while neither function is there.
void watch(Watching with);
Watching watching();

/// Hears on this thread, while it exists, of every outermost op and of every module that runs.
class Collector {
 public:
  Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual void op(const Event& event) = 0;
  virtual void module_begins(const void* module, const trace::Place* place) = 0;
  virtual void module_ends(const Event& event) = 0;

 protected:
  ~Collector();

 private:
  Collector* before_;
};

}  // namespace etude::detail
