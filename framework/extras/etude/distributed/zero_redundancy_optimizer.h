#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/distributed/process_group.h"
#include "etude/io/output_archive.h"
#include "etude/optim/optimizer.h"

namespace etude::distributed {

namespace detail {

/// Which process of a group steps which parameter. As in Python, each parameter group is assigned from the
/// largest parameter to the smallest, always to the process that has the fewest elements so far.
class ETUDE_API Owners {
 public:
  using Groups = std::vector<etude::optim::OptimizerParamGroup>;

  explicit Owners(std::shared_ptr<ProcessGroup> group);
  /// Assigns new parameters to owners. Throws in all processes unless they are the same everywhere.
  void update(const Groups& groups);
  bool is_own(const Tensor& parameter) const;
  /// Sends the parameters from their owners to all processes.
  void broadcast(const Groups& groups) const;
  ProcessGroup& group() const;

 private:
  std::shared_ptr<ProcessGroup> group_;
  std::vector<int64_t> numel_;                   // of each process
  std::unordered_map<const void*, size_t> own_;  // the owner of each parameter
};

/// Restricts the groups to the parameters of this process for a scope.
class ETUDE_API OwnParameters {
 public:
  OwnParameters(Owners::Groups& groups, const Owners& owners);
  ~OwnParameters();
  OwnParameters(const OwnParameters&) = delete;
  OwnParameters& operator=(const OwnParameters&) = delete;

 private:
  Owners::Groups& groups_;
  std::vector<std::vector<Tensor>> all_;
};

/// Sends the archives of all processes to the process `to`, where `take` gets them one after another.
ETUDE_API void gather_archives(ProcessGroup& group, int to, serialize::OutputArchive& own,
                               const std::function<void(serialize::InputArchive&)>& take);

/// Exchanges two values for a scope.
template <typename T>
class Exchanged {
 public:
  Exchanged(T& a, T& b) : a_(a), b_(b) { std::swap(a_, b_); }
  ~Exchanged() { std::swap(a_, b_); }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  T &a_, &b_;
};

}  // namespace detail

/// An optimizer that is split over processes: each steps only the parameters it owns, and keeps only their state, 1 /
/// processes of the whole; then it gets the other parameters from their owners
/// (torch.distributed.optim.ZeroRedundancyOptimizer, stage 1 of Rajbhandari et al., 2020). The gradients must be
/// equal in all processes, as DistributedDataParallel leaves them. The first step throws in all processes unless they
/// have the same parameters in the same order. An optimizer that steps each parameter by itself keeps the same bits.
///
///   ZeroRedundancyOptimizer<optim::AdamW> optimizer(model->parameters(), group, optim::AdamWOptions(3e-4));
///
/// It is an OptimizerType: schedulers, groups and checkpoints work as usual, except that the state must be
/// consolidated before it is saved. All processes load the file, however many wrote it, and keep what they own.
template <typename OptimizerType>
class ZeroRedundancyOptimizer : public OptimizerType {
 public:
  using LossClosure = etude::optim::Optimizer::LossClosure;
  using State = etude::optim::Optimizer::State;

  /// The options are the other arguments of OptimizerType's constructor.
  template <typename... Options>
  ZeroRedundancyOptimizer(std::vector<etude::optim::OptimizerParamGroup> param_groups,
                          std::shared_ptr<ProcessGroup> group, Options&&... options)
      : OptimizerType(std::move(param_groups), std::forward<Options>(options)...),
        owners_(std::move(group)) {}
  template <typename... Options>
  ZeroRedundancyOptimizer(std::vector<Tensor> params, std::shared_ptr<ProcessGroup> group,
                          Options&&... options)
      : ZeroRedundancyOptimizer({etude::optim::OptimizerParamGroup(std::move(params))}, std::move(group),
                                std::forward<Options>(options)...) {}

  /// All processes must call it together.
  Tensor step(LossClosure closure = nullptr) override {
    consolidated_.reset();
    if (is_alone()) return OptimizerType::step(std::move(closure));
    Tensor loss;
    if (closure) {
      const AutoGradMode on(true);
      loss = closure();
    }
    owners_.update(this->param_groups_);
    {
      const detail::OwnParameters own(this->param_groups_, owners_);
      OptimizerType::step();
    }
    owners_.broadcast(this->param_groups_);
    return loss;
  }

  /// All processes must call it together. Sends the whole state to process `to`, where save() writes what the
  /// optimizer of a single process would, until the next step.
  void consolidate_state_dict(int to = 0) {
    consolidated_.reset();
    ETUDE_CHECK(to >= 0 && to < owners_.group().getSize(), "invalid root rank: ", to);
    if (is_alone()) return;
    State all;
    serialize::OutputArchive own;
    OptimizerType::save(own);
    detail::gather_archives(owners_.group(), to, own, [&](serialize::InputArchive& archive) {
      State state;
      {
        const detail::Exchanged<State> apart(this->state_, state);
        OptimizerType::load(archive);
      }
      all.merge(state);
    });
    if (owners_.group().getRank() == to) consolidated_ = std::move(all);
  }

  void save(serialize::OutputArchive& archive) const override {
    if (is_alone()) return OptimizerType::save(archive);
    ETUDE_CHECK(
        consolidated_,
        "Optimizer state has not been consolidated on this rank. Please call "
        "`consolidate_state_dict(to=X)` on all ranks beforehand if you meant to save the global state.");
    auto& self = const_cast<ZeroRedundancyOptimizer&>(*this);
    const detail::Exchanged<State> all(self.state_, *self.consolidated_);
    OptimizerType::save(archive);
  }

  void load(serialize::InputArchive& archive) override {
    OptimizerType::load(archive);
    consolidated_.reset();
    owners_.update(this->param_groups_);
    for (const etude::optim::OptimizerParamGroup& group : this->param_groups_)
      for (const Tensor& parameter : group.params())
        if (!owners_.is_own(parameter)) this->state_.erase(this->state_key(parameter));
  }

 private:
  bool is_alone() const { return owners_.group().getSize() == 1; }
  detail::Owners owners_;
  optional<State> consolidated_;  // of all processes
};

}  // namespace etude::distributed
