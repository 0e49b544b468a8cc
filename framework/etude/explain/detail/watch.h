#pragma once

#include <functional>

#include "etude/explain/detail/event.h"

namespace etude::detail {

/// What to do with events. All members apply to the whole process; a Collector belongs to its thread.
struct Watching {
  bool looks_at_given = false, looks_at_results = false;
  std::function<void(const Event&, const std::vector<const Event*>& around)> check;  // may throw
  std::function<void(const Event&)> show;                                            // outermost events
};
/// Sets what to do, for all threads; nothing listens while neither function is set.
void watch(Watching with);
Watching watching();

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
