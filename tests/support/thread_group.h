#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/core/generator.h"
#include "etude/distributed/process_group.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/on_threads.h"

namespace etude {

/// The sum of parts[begin, begin + count) in the order of a binary tree. The left half has the largest power of two of
/// parts that leaves at least one for the right half.
inline Tensor tree_of(const std::vector<Tensor>& parts, size_t begin, size_t count) {
  if (count == 1) return parts[begin];
  size_t left = 1;
  while (2 * left < count) left *= 2;
  return tree_of(parts, begin, left) + tree_of(parts, begin + left, count - left);
}
inline Tensor tree_of(const std::vector<Tensor>& parts) { return tree_of(parts, 0, parts.size()); }

/// A barrier for threads that stand for processes, and the tensors that they exchange there.
class Meeting {
 public:
  explicit Meeting(int size) : shown(static_cast<size_t>(size)), size_(size) {}

  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++here_ == size_) {
      here_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    ETUDE_CHECK(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return round_ != round; }),
                "a thread waits for the others");
  }

  std::vector<Tensor> shown;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int size_, here_ = 0, round_ = 0;
};

/// A group whose processes are threads; an operation is done when it returns.
class ThreadGroup : public distributed::ProcessGroup {
 public:
  using Work = distributed::Work;
  using Tensors = std::vector<Tensor>;

  ThreadGroup(int rank, int size, std::shared_ptr<Meeting> meeting)
      : ProcessGroup(rank, size), meeting_(std::move(meeting)) {}
  const std::string getBackendName() const override { return "threads"; }

  std::shared_ptr<Work> allreduce(Tensors& tensors, const distributed::AllreduceOptions& options) override {
    reduced.push_back(tensors[0].numel());
    deterministic = deterministic && options.deterministic;
    return meet(tensors[0], [&](const Tensors& all) { return tree_of(all); });
  }
  std::shared_ptr<Work> broadcast(Tensors& tensors, const distributed::BroadcastOptions& options) override {
    return meet(tensors[0],
                [&](const Tensors& all) { return all[static_cast<size_t>(options.rootRank)].clone(); });
  }
  std::shared_ptr<Work> allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                  const distributed::AllgatherOptions&) override {
    return meet(inputs[0], [&](const Tensors& all) {
      for (size_t r = 0; r < all.size(); ++r) outputs[0][r].copy_(all[r]);
      return Tensor();
    });
  }
  std::shared_ptr<Work> reduce_scatter(Tensors&, std::vector<Tensors>&,
                                       const distributed::ReduceScatterOptions&) override {
    throw Error("not here");
  }
  std::shared_ptr<Work> barrier(const distributed::BarrierOptions&) override {
    return meet(zeros({1}), [](const Tensors&) { return Tensor(); });
  }

  std::vector<int64_t> reduced;  // the element counts of the tensors given to allreduce
  bool deterministic = true;     // whether all calls of allreduce were

 private:
  std::shared_ptr<Work> meet(const Tensor& own, const AnyFunction<Tensor(const Tensors&)>& f) {
    const NoGradGuard no_grad;
    meeting_->shown[static_cast<size_t>(getRank())] = own;
    meeting_->wait();
    for (const Tensor& t : meeting_->shown)
      ETUDE_CHECK(t.sizes() == own.sizes() && t.scalar_type() == own.scalar_type(), "they differ");
    const Tensor result = f(meeting_->shown);
    meeting_->wait();
    if (result.defined()) own.copy_(result);
    auto work = std::make_shared<Work>();
    work->finish();
    return work;
  }

  std::shared_ptr<Meeting> meeting_;
};

/// Runs f in `size` threads that stand for processes. Each has its own default generator with the same seed.
inline void on_ranks(int size, const AnyFunction<void(std::shared_ptr<ThreadGroup>)>& f) {
  const auto meeting = std::make_shared<Meeting>(size);
  on_threads(size, [&](int rank) {
    const etude::detail::KeepRandomState own;
    manual_seed(7);
    f(std::make_shared<ThreadGroup>(rank, size, meeting));
  });
}

}  // namespace etude
