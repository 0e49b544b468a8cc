#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/recorded_data.h"

namespace etude {

/// An event of a trace with a duration.
struct TraceEvent {
  std::string name, category;
  int64_t pid, tid;
  double begin, end;
  Recorded args;

  bool holds(const TraceEvent& other) const {
    return tid == other.tid && begin <= other.begin && other.end <= end;
  }
};

struct TraceText {
  Recorded whole;
  std::vector<TraceEvent> events;

  explicit TraceText(const std::string& text) : whole(Recorded::parse(text)) {
    for (const Recorded e : whole["traceEvents"]) {
      if (e["ph"] != "X") continue;
      const double begin = e["ts"].get<double>();
      events.push_back({e["name"], e["cat"], e["pid"].get<int64_t>(), e["tid"].get<int64_t>(), begin,
                        begin + e["dur"].get<double>(), e.value("args", Recorded())});
    }
  }
  /// The names of the events, in the order in which they ended.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const TraceEvent& e : events) list.push_back(e.name);
    return list;
  }
  /// The only event of this name.
  const TraceEvent& operator[](const std::string& name) const {
    const TraceEvent* found = nullptr;
    for (const TraceEvent& e : events)
      if (e.name == name) {
        CHECK_MESSAGE(!found, name, " is there twice");
        found = &e;
      }
    REQUIRE_MESSAGE(found, name, " is missing");
    return *found;
  }
  /// The name of a row; `what` is "process_name" or "thread_name".
  std::string row(const std::string& what, int64_t tid) const {
    for (const Recorded e : whole["traceEvents"])
      if (e["name"] == what && e["tid"].get<int64_t>() == tid) return e["args"]["name"];
    return "";
  }
};

}  // namespace etude
