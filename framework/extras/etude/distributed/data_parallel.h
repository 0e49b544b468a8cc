#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "etude/distributed/process_group.h"
#include "etude/nn/arg.h"
#include "etude/nn/module.h"

namespace etude::distributed::detail {
class Reducer;
}

namespace etude::nn::parallel {

struct ETUDE_API DistributedDataParallelOptions {
  /// The size in MiB of the gradients that are sent at once.
  ETUDE_ARG(double, bucket_cap_mb) = 25;
  /// Whether forward copies the buffers of rank 0 to all processes.
  ETUDE_ARG(bool, broadcast_buffers) = true;
  /// Whether gradients are summed in the order of a binary tree over the parts, which does not depend on the
  /// number of processes; otherwise in an order that the message-passing library chooses.
  ETUDE_ARG(bool, deterministic) = true;
  /// The number of parts that mean_loss cuts a batch into, over all processes: the number of processes times
  /// a power of two, or any number for one process. 0 stands for one part per process.
  ETUDE_ARG(int64_t, parts) = 0;
};

/// The part of DistributedDataParallel that does not depend on the type of the module.
class ETUDE_API DistributedDataParallelBase : public Module {
 public:
  /// The mean loss of the given rows of a batch, as one number; it runs forward.
  using Loss = std::function<Tensor(const std::vector<Tensor>&)>;

  /// Turns averaging off for a scope: gradients add up in the grads of each process, and the first backward
  /// after it averages these sums (Python's no_sync).
  class ETUDE_API NoSync {
   public:
    explicit NoSync(std::shared_ptr<distributed::detail::Reducer> reducer);
    ~NoSync();
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;

   private:
    std::shared_ptr<distributed::detail::Reducer> reducer_;
    bool before_;
  };
  NoSync no_sync() const { return NoSync(reducer_); }

  /// Runs forward and backward of one batch, the same in all processes; each process runs its own parts. The
  /// tensors of the batch are cut along their first dim, except 0-dim tensors, into options.parts() parts
  /// whose sizes differ by at most one, and `loss` is called with each part that has rows. Returns the mean
  /// over all rows of all processes, detached, and adds its gradients to the grads.
  ///
  /// With options.deterministic() the bits of both depend on the number of parts but not on the number of processes,
  /// provided that no_sync has not added to the grads. In part k, random functions of this thread draw from a separate
  /// stream, seeded with the k-th of parts() outputs of the default generator. So the default generator, which must be
  /// in the same state in all processes, stays the same in all. One part is a plain step with the default generator.
  Tensor mean_loss(const std::vector<Tensor>& batch, const Loss& loss) {
    return run_parts(batch, /*own_rows=*/false, loss);
  }
  /// The same where each process has its own rows, equally many in all: the batch is the rows of rank 0, then
  /// of rank 1 and so on, and each process cuts its rows into parts() / processes parts.
  Tensor mean_loss_of_own_rows(const std::vector<Tensor>& rows, const Loss& loss) {
    return run_parts(rows, /*own_rows=*/true, loss);
  }
  /// The rows, from begin to end, that mean_loss takes in this process from a batch of `rows` rows. If
  /// parts() divides `rows`, it is enough to load these and to call mean_loss_of_own_rows.
  std::pair<int64_t, int64_t> own_rows(int64_t rows) const;

  const DistributedDataParallelOptions& options() const { return options_; }
  distributed::ProcessGroup& group() const { return *group_; }

 protected:
  DistributedDataParallelBase(std::shared_ptr<Module> module,
                              std::shared_ptr<distributed::ProcessGroup> group,
                              const DistributedDataParallelOptions& options);
  void before_forward();

 private:
  void check_options();
  void check_same_model() const;
  Tensor run_parts(const std::vector<Tensor>& rows, bool own_rows, const Loss& loss);

  std::shared_ptr<distributed::ProcessGroup> group_;
  DistributedDataParallelOptions options_;
  std::shared_ptr<distributed::detail::Reducer> reducer_;  // null if there is nothing to do
  uint32_t steps_ = 0;                                     // calls of mean_loss
};

/// A model that several processes train together, each on its own rows: backward averages the gradients over all
/// processes (torch.nn.parallel.DistributedDataParallel). The processes make the same model and wrap it; it gets
/// the parameters and buffers of rank 0, and an Error names the first difference between models or versions.
///
///   nn::parallel::DistributedDataParallel ddp(model, group);
///   loss_of(ddp(x), y).backward();                               // x, y: rows of this process
///   ddp.mean_loss({x, y}, [&](const std::vector<Tensor>& part) { // x, y: the whole batch
///     return loss_of(model(part[0]), part[1]);
///   });
///
/// All processes must call backward equally often, from one thread at a time. A parameter with a gradient in
/// no process keeps its grad; one with a gradient in some processes gets their sum divided by the number of
/// all. Only parameters that required grad when the model was wrapped take part. After an exception in the
/// step of one process the processes are out of step, and the next mean_loss throws in all.
template <typename ModuleType>
class DistributedDataParallel : public DistributedDataParallelBase {
 public:
  /// A holder or a shared pointer.
  explicit DistributedDataParallel(ModuleType module_, std::shared_ptr<distributed::ProcessGroup> group,
                                   const DistributedDataParallelOptions& options = {})
      : DistributedDataParallelBase(pointer_to(module_), std::move(group), options),
        module(std::move(module_)) {}
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  template <typename... Args>
  decltype(auto) forward(Args&&... args) {
    before_forward();
    return call(*module, std::forward<Args>(args)...);
  }
  template <typename... Args>
  decltype(auto) operator()(Args&&... args) {
    return call(*this, std::forward<Args>(args)...);
  }

  ModuleType module;

 private:
  static std::shared_ptr<Module> pointer_to(const ModuleType& module) {
    if constexpr (nn::detail::is_module_holder<ModuleType>) return module.ptr();
    else return module;
  }
};

}  // namespace etude::nn::parallel
