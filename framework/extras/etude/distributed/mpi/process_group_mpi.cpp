#include "etude/distributed/mpi/process_group_mpi.h"

#include <utility>

#include "etude/core/error.h"
#include "etude/distributed/detail/checks.h"
#include "etude/distributed/mpi/detail/worker.h"

namespace etude::distributed {
namespace {

void check_timeout(std::chrono::milliseconds timeout) {
  ETUDE_CHECK(timeout >= kNoTimeout, "a timeout must not be negative\nreceived ", timeout.count(),
              " ms\nhint: kNoTimeout, 0 ms, waits without a limit");
}

std::shared_ptr<Work> start(detail::MpiWorker& worker, detail::Operation o, std::chrono::milliseconds timeout,
                            std::chrono::milliseconds of_group) {
  o.timeout = timeout == kUnsetTimeout ? of_group : timeout;
  check_timeout(o.timeout);
  o.work = std::make_shared<Work>(o.outputs);
  auto work = o.work;
  worker.ask(std::move(o));
  return work;
}

}  // namespace

using detail::Operation;

std::shared_ptr<ProcessGroupMPI> ProcessGroupMPI::createProcessGroupMPI(const Options& options) {
  check_timeout(options.timeout);
  return std::shared_ptr<ProcessGroupMPI>(new ProcessGroupMPI(detail::MpiWorker::get(), options));
}

ProcessGroupMPI::ProcessGroupMPI(detail::MpiWorker& worker, const Options& options)
    : ProcessGroup(worker.rank(), worker.size()), worker_(worker), options_(options) {}

std::shared_ptr<Work> ProcessGroupMPI::allreduce(std::vector<Tensor>& tensors,
                                                 const AllreduceOptions& options) {
  detail::check_allreduce(tensors, options);
  return start(worker_, {Operation::allreduce, {}, tensors, options.reduceOp, options.deterministic},
               options.timeout, options_.timeout);
}

std::shared_ptr<Work> ProcessGroupMPI::broadcast(std::vector<Tensor>& tensors,
                                                 const BroadcastOptions& options) {
  detail::check_broadcast(tensors, options, getSize());
  return start(worker_, {Operation::broadcast, {}, tensors, {}, true, static_cast<int>(options.rootRank)},
               options.timeout, options_.timeout);
}

std::shared_ptr<Work> ProcessGroupMPI::allgather(std::vector<std::vector<Tensor>>& outputs,
                                                 std::vector<Tensor>& inputs,
                                                 const AllgatherOptions& options) {
  detail::check_allgather(outputs, inputs, getSize());
  return start(worker_, {Operation::allgather, inputs, outputs[0]}, options.timeout, options_.timeout);
}

std::shared_ptr<Work> ProcessGroupMPI::reduce_scatter(std::vector<Tensor>& outputs,
                                                      std::vector<std::vector<Tensor>>& inputs,
                                                      const ReduceScatterOptions& options) {
  detail::check_reduce_scatter(outputs, inputs, options, getSize());
  return start(worker_,
               {Operation::reduce_scatter, inputs[0], outputs, options.reduceOp, options.deterministic},
               options.timeout, options_.timeout);
}

std::shared_ptr<Work> ProcessGroupMPI::barrier(const BarrierOptions& options) {
  return start(worker_, {Operation::barrier}, options.timeout, options_.timeout);
}

void ProcessGroupMPI::abort(const std::string& reason, int code) { worker_.abort(reason, code); }

}  // namespace etude::distributed
