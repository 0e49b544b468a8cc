#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "etude/distributed/mpi/detail/mpi.h"

namespace etude::distributed::detail {

/// Messages between processes besides the operations: how many operations each program has requested, and
/// that a process is about to end all others. No process waits for them.
class Messages {
 public:
  void use(MPI_Comm comm, int rank, int size);

  /// Reads new messages and answers them; `asked` is the number of operations requested in this process.
  void read(int64_t asked);
  /// Asks all others for their numbers; the answers are read later.
  void ask();
  /// Tells all others that this process reports why all of them end.
  void claim();
  /// Whether another process has claimed this: any process, or one of a lower rank.
  bool claimed() const { return lowest_claim_ < size_; }
  bool claimed_by_lower() const { return lowest_claim_ < rank_; }

  /// Which processes keep the operation of this number from being done, by the last answers: "rank 2 does not
  /// answer". Empty if none do.
  std::string culprits(int64_t number) const;
  /// Whether any process has not answered.
  bool silent() const;

 private:
  struct Sent {
    std::array<int64_t, 2> content;
    MPI_Request request;
  };
  void send(int to, int64_t kind, int64_t number);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, lowest_claim_ = 1;
  std::vector<int64_t> answers_;  // -1 for no answer
  std::list<Sent> sent_;
};

}  // namespace etude::distributed::detail
