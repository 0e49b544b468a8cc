#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace etude {

/// An event of a trace that took time.
struct TraceEvent {
  std::string name, category;
  int64_t pid, tid;
  double begin, end;
  nlohmann::json args;

  bool holds(const TraceEvent& other) const {
    return tid == other.tid && begin <= other.begin && other.end <= end;
  }
};

struct TraceText {
  nlohmann::json whole;
  std::vector<TraceEvent> events;

  explicit TraceText(const std::string& text) : whole(nlohmann::json::parse(text)) {
    for (const nlohmann::json& e : whole["traceEvents"]) {
      if (e["ph"] != "X") continue;
      const double begin = e["ts"], took = e["dur"];
      events.push_back(
          {e["name"], e["cat"], e["pid"], e["tid"], begin, begin + took, e.value("args", nlohmann::json())});
    }
  }
  /// The names of events in the order in which they ended.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const TraceEvent& e : events) list.push_back(e.name);
    return list;
  }
  /// The only event of the name.
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
  /// What a row is called: "process_name" or "thread_name".
  std::string row(const std::string& what, int64_t tid) const {
    for (const nlohmann::json& e : whole["traceEvents"])
      if (e["name"] == what && e["tid"] == tid) return e["args"]["name"];
    return "";
  }
};

}  // namespace etude
