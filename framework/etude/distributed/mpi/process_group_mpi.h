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

/// The processes that mpirun has started (c10d::ProcessGroupMPI). A thread of its own calls MPI, and nothing else may.
///
/// Before every operation the processes tell each other what they are about to do: where that differs, or a process has ended,
/// all of them get an Error that says so. An operation that is not done in time fails with an Error that names the processes
/// that do not answer or have not asked for it. After an error the group is of no use any more.
class ETUDE_API ProcessGroupMPI : public ProcessGroup {
 public:
  struct Options {
    std::chrono::milliseconds timeout = std::chrono::minutes(5);
  };

  /// Initialises MPI where that is not done, and ends it when the program ends. All groups have the same processes. Throws
  /// where the program has called MPI_Init itself.
  static std::shared_ptr<ProcessGroupMPI> createProcessGroupMPI(const Options& options);
  static std::shared_ptr<ProcessGroupMPI> createProcessGroupMPI() { return createProcessGroupMPI(Options()); }

  ~ProcessGroupMPI() override;
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
