#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "etude/distributed/mpi/detail/mpi.h"

namespace etude::distributed::detail {

/// What processes tell each other beside the operations: how many of them a program has asked for, and that it is about to end
/// all others. Nobody waits for anybody.
class Messages {
 public:
  void use(MPI_Comm comm);

  /// Reads what has come and answers: `asked` is the number of operations that this process was asked for.
  void read(int64_t asked);
  /// Asks all others for their number; answers are read later.
  void ask();
  /// Tells all others that this process says why all of them end.
  void claim();
  /// Whether another one has told that: any, or one of a lower rank.
  bool claimed() const { return lowest_claim_ < size_; }
  bool claimed_by_lower() const { return lowest_claim_ < rank_; }

  /// Who keeps the operation of this number from being done, from the last answers: "rank 2 does not answer". Empty if nobody
  /// does.
  std::string culprits(int64_t number) const;
  /// Whether one has not answered.
  bool silent() const;

 private:
  struct Sent {
    std::array<int64_t, 2> content;
    MPI_Request request;
  };
  void send(int to, int64_t kind, int64_t number);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, lowest_claim_ = 1;
  std::vector<int64_t> answers_;  // -1: none
  std::list<Sent> sent_;
};

}  // namespace etude::distributed::detail
