#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// An operation that a program requests. `leave` is the end of the program.
struct Operation {
  enum Kind : int64_t { broadcast, allreduce, allgather, reduce_scatter, barrier, leave };

  Kind kind = leave;
  // allgather has one input and an output for each process, reduce_scatter the reverse; all others have only one output.
  std::vector<Tensor> inputs{}, outputs{};
  ReduceOp op{};
  bool deterministic = true;
  int root = 0;
  std::chrono::milliseconds timeout{0};
  std::shared_ptr<Work> work{};
};

inline const char* name_of(Operation::Kind kind) {
  constexpr const char* kNames[] = {"broadcast",      "allreduce", "allgather",
                                    "reduce_scatter", "barrier",   "the end"};
  return kNames[kind];
}

/// The numbers that all processes exchange, and must agree on, before an operation.
struct Announcement {
  int64_t kind = 0, op = 0, deterministic = 0, root = 0, dtype = 0, numel = 0;

  Announcement() = default;
  explicit Announcement(const Operation& o);
  bool operator==(const Announcement& other) const { return std::memcmp(this, &other, sizeof other) == 0; }
  /// "allreduce(SUM) of 6 Float"
  std::string text() const;
};

}  // namespace etude::distributed::detail
