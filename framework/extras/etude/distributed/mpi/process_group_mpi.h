#pragma once

#include <memory>
#include <string>
#include <vector>

#include "etude/core/export.h"
#include "etude/distributed/process_group.h"

namespace etude::distributed {

namespace detail {
class MpiWorker;
}

/// The processes that mpirun has started (c10d::ProcessGroupMPI). A separate thread calls MPI; no other code may.
///
/// Before every operation the processes announce it to each other: if they differ, or a process has ended,
/// all get an Error that says so. An operation that times out fails with an Error that names the processes
/// that do not answer or have not requested it. After an error the group is unusable.
class ETUDE_API ProcessGroupMPI : public ProcessGroup {
 public:
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(5);  ///< the time limit of each operation
  };

  /// Initialises MPI if necessary, and finalises it when the program ends. All groups have the same
  /// processes. Throws if the program has called MPI_Init itself.
  static std::shared_ptr<ProcessGroupMPI> createProcessGroupMPI(const Options& options);
  static std::shared_ptr<ProcessGroupMPI> createProcessGroupMPI() { return createProcessGroupMPI(Options()); }

  const std::string getBackendName() const override { return "mpi"; }

  std::shared_ptr<Work> allreduce(std::vector<Tensor>& tensors,
                                  const AllreduceOptions& options = {}) override;
  std::shared_ptr<Work> broadcast(std::vector<Tensor>& tensors,
                                  const BroadcastOptions& options = {}) override;
  std::shared_ptr<Work> allgather(std::vector<std::vector<Tensor>>& outputs, std::vector<Tensor>& inputs,
                                  const AllgatherOptions& options = {}) override;
  std::shared_ptr<Work> reduce_scatter(std::vector<Tensor>& outputs, std::vector<std::vector<Tensor>>& inputs,
                                       const ReduceScatterOptions& options = {}) override;
  std::shared_ptr<Work> barrier(const BarrierOptions& options = {}) override;
  [[noreturn]] void abort(const std::string& reason, int code = 1) override;

 private:
  ProcessGroupMPI(detail::MpiWorker& worker, const Options& options);

  detail::MpiWorker& worker_;
  const Options options_;
};

}  // namespace etude::distributed
