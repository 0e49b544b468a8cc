#pragma once

#include <vector>

#include "etude/core/function_ref.h"
#include "etude/distributed/mpi/detail/mpi.h"
#include "etude/distributed/mpi/detail/operation.h"

namespace etude::distributed::detail {

/// Moves and sums the elements of an operation on which all processes agree. Large tensors go in pieces, to
/// save memory. All memory that MPI reads and writes stays valid after a failure.
class Collectives {
 public:
  /// `wait` returns when the request is done.
  using Wait = FunctionRef<void(MPI_Request)>;

  void use(MPI_Comm comm, int rank, int size);
  void run(const Operation& o, Wait wait);

 private:
  template <typename F, typename... Args>
  void call(Wait wait, F mpi_function, Args... args);
  void broadcast(const Operation& o, Wait wait);
  void allreduce(const Operation& o, Wait wait);
  void allreduce_in_tree(char* data, int64_t count, const Operation& o, Wait wait);
  void allgather(const Operation& o, Wait wait);
  void reduce_scatter(const Operation& o, Wait wait);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<char> send_, receive_;
  // In bytes: the sizes that each process sends to or receives from every other, and their offsets.
  std::vector<int> slices_, slice_starts_, mine_, mine_starts_;
};

}  // namespace etude::distributed::detail
