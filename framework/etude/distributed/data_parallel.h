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
  /// How many MiB of gradients travel at once.
  ETUDE_ARG(double, bucket_cap_mb) = 25;
  /// Whether forward gives all processes the buffers of rank 0.
  ETUDE_ARG(bool, broadcast_buffers) = true;
  /// Whether gradients are added up in the order of a binary tree over the parts, which does not depend on the number of
  /// processes; else in the order that the message passing prefers.
  ETUDE_ARG(bool, deterministic) = true;
  /// Into how many parts mean_loss cuts a batch, in all processes together: a multiple of their number by a power of two, or any
  /// number for one process. 0 stands for one part per process.
  ETUDE_ARG(int64_t, parts) = 0;
};

/// What DistributedDataParallel is for any module.
class ETUDE_API DistributedDataParallelBase : public Module {
 public:
  /// The mean of what it is given, rows of a batch, as one number: it runs forward.
  using Loss = std::function<Tensor(const std::vector<Tensor>&)>;

  /// For a scope backward averages nothing: gradients add up in the grads of each process, and the first backward
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

  /// Forward and backward of one batch, the same in all processes: each runs the parts that are its own. The batch is cut along
  /// the first dim of its tensors, those without any left out, into options.parts() parts whose sizes differ by one at most, and
  /// `loss` is called with each part that has rows. Returns the mean over all rows of all processes, detached, and adds its
  /// gradients to the grads.
  ///
  /// With options.deterministic() the bits of both depend on the number of parts and not on that of processes; the grads
  /// then must not have been added to under no_sync. Inside of part k random functions of this thread draw from a stream of
  /// its own, whose seed is the k-th of parts() outputs of the default generator, so that this one moves on alike in all
  /// processes. It has to be at the same place in all of them. One part is a plain step, with the default generator.
  Tensor mean_loss(const std::vector<Tensor>& batch, const Loss& loss);
  /// The same where each process has rows of its own, as many as the others: the batch is those of rank 0, those of rank 1
  /// and so on, and each process cuts its own into parts() / processes parts.
  Tensor mean_loss_of_own_rows(const std::vector<Tensor>& rows, const Loss& loss);
  /// Which rows of a batch of `rows` rows mean_loss takes in this process, from begin to end; to load no others, for
  /// mean_loss_of_own_rows where parts() divides `rows`.
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
  std::shared_ptr<distributed::detail::Reducer> reducer_;  // null where there is nothing to do
  uint32_t steps_ = 0;                                     // calls of mean_loss
};

/// A model that several processes train together, each on rows of its own: backward averages the gradients over all processes
/// (torch.nn.parallel.DistributedDataParallel). The processes make the same model and wrap it; it gets the parameters and
/// buffers of rank 0, and an Error names the first difference where models or versions differ.
///
///   nn::parallel::DistributedDataParallel ddp(model, group);
///   loss_of(ddp(x), y).backward();                               // x, y: rows of this process
///   ddp.mean_loss({x, y}, [&](const std::vector<Tensor>& part) { // x, y: the whole batch
///     return loss_of(model(part[0]), part[1]);
///   });
///
/// All processes call backward equally often, from one thread at a time. A parameter that got a gradient in none of them keeps
/// its grad; one that got it in some has their sum over the number of all. Parameters are those that required grad when the
/// model was wrapped. After an exception in the step of one process they are no longer at the same place, and the next
/// mean_loss throws in all.
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
