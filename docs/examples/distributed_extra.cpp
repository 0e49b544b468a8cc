#include <etude/distributed/agreement.h>
#include <etude/distributed/data_parallel.h>
#include <etude/distributed/mpi/process_group_mpi.h>
#include <etude/distributed/zero_redundancy_optimizer.h>

#include "support/example.h"

/// # Several processes
///
/// Processes that train a model together. The examples run in a group of one, where nothing is sent; what they call is the same
/// in all groups.

/// - Shapes: tensors [*], the same in all processes; allgather has one output for each
/// - Errors: a sentence that says what differs, where the processes do not do the same
/// - PyTorch: `torch.distributed.ProcessGroup`, `torch.distributed.Work`, `torch.distributed.ReduceOp`
EXAMPLE(etude::distributed::ProcessGroup, etude::distributed::Work, etude::distributed::ReduceOp,
        etude::distributed::AllreduceOptions, etude::distributed::BroadcastOptions,
        etude::distributed::AllgatherOptions, etude::distributed::ReduceScatterOptions,
        etude::distributed::BarrierOptions) {
  const auto group = etude::distributed::ProcessGroup::single();
  print(group->getRank(), "of", group->getSize(), group->getBackendName());
  std::vector<Tensor> x = {etude::tensor({1.0, 2.0})};
  etude::distributed::AllreduceOptions options;
  options.reduceOp = etude::distributed::ReduceOp::AVG;
  const std::shared_ptr<etude::distributed::Work> work = group->allreduce(x, options);
  print(work->wait(), work->isSuccess(), x[0]);
  group->broadcast(x, etude::distributed::BroadcastOptions())->wait();
  std::vector<std::vector<Tensor>> all = {{etude::empty({2})}};
  group->allgather(all, x, etude::distributed::AllgatherOptions())->wait();
  std::vector<Tensor> part = {etude::empty({2})};
  group->reduce_scatter(part, all, etude::distributed::ReduceScatterOptions())->wait();
  print(all[0][0], part[0]);
  group->barrier(etude::distributed::BarrierOptions())->wait();
}

/// - Units: milliseconds
/// - Errors: `Operation timed out!` from `Work::wait` when the time is over
/// - PyTorch: `c10d::kUnsetTimeout`, `c10d::kNoTimeout`
EXAMPLE(etude::distributed::kUnsetTimeout, etude::distributed::kNoTimeout) {
  etude::distributed::AllreduceOptions options;
  print(options.timeout == etude::distributed::kUnsetTimeout, etude::distributed::kNoTimeout.count());
  const etude::distributed::Work unfinished;
  print(examples::message_of([&] { unfinished.wait(std::chrono::milliseconds(1)); }));
}

/// - Errors: what the function throws, in a group of one; in others it ends all processes
/// - PyTorch: none
EXAMPLE(etude::distributed::guarded) {
  const auto group = etude::distributed::ProcessGroup::single();
  print(etude::distributed::guarded(*group, [] { return 3; }));
}

/// - Errors: an `Error` that names the rank and what went wrong there, in all processes
/// - PyTorch: none
EXAMPLE(etude::distributed::run_on_rank) {
  const auto group = etude::distributed::ProcessGroup::single();
  etude::distributed::run_on_rank(*group, 0, [] { print("written once"); });
  print(examples::message_of(
      [&] { etude::distributed::run_on_rank(*group, 0, [] { ETUDE_CHECK(false, "the disk is full"); }); }));
}

/// A batch in two parts, with the same gradients whatever the number of processes is.
///
/// - Shapes: batch [rows, *]
/// - Errors: `DistributedDataParallel: the parts must be as many as the processes, or twice, four times, ... as many` where
///   they are not; a sentence that names the first difference, where models differ
/// - PyTorch: `torch.nn.parallel.DistributedDataParallel`
EXAMPLE(etude::nn::parallel::DistributedDataParallel, etude::nn::parallel::DistributedDataParallelBase) {
  const auto group = etude::distributed::ProcessGroup::single();
  nn::Linear model(nn::LinearOptions(1, 1).bias(false));
  const auto options = nn::parallel::DistributedDataParallelOptions().parts(2);
  nn::parallel::DistributedDataParallel<nn::Linear> shared(model, group, options);
  const Tensor x = etude::tensor({1.0, 2.0, 6.0}).view({3, 1});
  const auto mean_of = [&](const std::vector<Tensor>& rows) { return shared(rows[0]).mean(); };
  const Tensor loss = shared.mean_loss({x}, mean_of);
  print(model->weight.grad(), loss.requires_grad());
  {
    const nn::parallel::DistributedDataParallelBase::NoSync each_by_itself = shared.no_sync();
    shared(x).sum().backward();
  }
  print(model->weight.grad());
  print(shared.own_rows(12).first, shared.own_rows(12).second);
}

/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: a sentence that begins with `Optimizer state has not been consolidated on this rank.` from `save` without
///   `consolidate_state_dict`
/// - PyTorch: `torch.distributed.optim.ZeroRedundancyOptimizer`
EXAMPLE(etude::distributed::ZeroRedundancyOptimizer) {
  const auto group = etude::distributed::ProcessGroup::single();
  const Tensor w = etude::ones({2}, etude::requires_grad(true));
  etude::distributed::ZeroRedundancyOptimizer<etude::optim::SGD> optimizer({w}, group, 0.5);
  w.sum().backward();
  optimizer.step();
  print(w.detach());
  optimizer.consolidate_state_dict();
}

/// A program for several processes is linked to `etude::mpi` and started by `mpirun`. It makes its group with
/// `ProcessGroupMPI::createProcessGroupMPI(options)`, which is a `ProcessGroup` as that of one process is.
///
/// - Units: milliseconds
/// - Errors: a sentence that names the processes that do not answer, or what differs between them
/// - PyTorch: `torch.distributed.init_process_group("mpi")`
EXAMPLE(etude::distributed::ProcessGroupMPI) {
  using etude::distributed::ProcessGroup, etude::distributed::ProcessGroupMPI;
  ProcessGroupMPI::Options options;
  options.timeout = std::chrono::minutes(1);
  print(options.timeout.count(), std::is_base_of_v<ProcessGroup, ProcessGroupMPI>);
}
