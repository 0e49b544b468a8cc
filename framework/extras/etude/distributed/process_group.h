#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"
#include "etude/core/tensor.h"

namespace etude::distributed {

/// The time limit of the group; for Work::wait no limit (c10d::kUnsetTimeout).
constexpr std::chrono::milliseconds kUnsetTimeout{-1};
/// No time limit (c10d::kNoTimeout).
constexpr std::chrono::milliseconds kNoTimeout{0};

/// How the tensors of all processes are combined into one (c10d::ReduceOp).
struct ReduceOp {
  enum RedOpType : uint8_t { SUM = 0, AVG = 1, PRODUCT = 2, MIN = 3, MAX = 4, BAND = 5, BOR = 6, BXOR = 7 };

  ReduceOp(RedOpType op = SUM) : op_(op) {}
  operator RedOpType() const { return op_; }

  RedOpType op_;
};

/// The reduction and its order. If `deterministic`, the sum of n processes is a balanced binary tree over their ranks,
/// ((0 + 1) + (2 + 3)) + ..., in every element; otherwise the message-passing library chooses the order
/// (c10d::AllreduceOptions).
struct AllreduceOptions {
  /// How the tensors of all processes are combined.
  ReduceOp reduceOp;
  /// The time limit; that of the group unless given.
  std::chrono::milliseconds timeout = kUnsetTimeout;
  /// Whether the order of a sum depends on nothing but the number of processes.
  bool deterministic = true;
};

/// The options of a reduce_scatter, the same as those of an allreduce (c10d::ReduceScatterOptions).
struct ReduceScatterOptions {
  /// How the tensors of all processes are combined.
  ReduceOp reduceOp;
  /// The time limit; that of the group unless given.
  std::chrono::milliseconds timeout = kUnsetTimeout;
  /// Whether the order of a sum depends on nothing but the number of processes.
  bool deterministic = true;
};

/// The rank whose tensor all processes get, and the time limit (c10d::BroadcastOptions).
struct BroadcastOptions {
  /// All processes get the tensor of the rank rootRank; rootTensor, its place in the list, is 0.
  int64_t rootRank = 0, rootTensor = 0;
  /// The time limit; that of the group unless given.
  std::chrono::milliseconds timeout = kUnsetTimeout;
};

/// The time limit of an allgather (c10d::AllgatherOptions).
struct AllgatherOptions {
  /// The time limit; that of the group unless given.
  std::chrono::milliseconds timeout = kUnsetTimeout;
};

/// The time limit of a barrier (c10d::BarrierOptions).
struct BarrierOptions {
  /// The time limit; that of the group unless given.
  std::chrono::milliseconds timeout = kUnsetTimeout;
};

/// An operation that runs while the program does something else (c10d::Work).
class ETUDE_API Work {
 public:
  /// `result` holds the tensors that the operation writes; they are kept until it is done.
  explicit Work(std::vector<Tensor> result = {}) : result_(std::move(result)) {}

  bool isCompleted() const;
  /// Whether it is done without an error.
  bool isSuccess() const;
  /// The error; null if there is none.
  std::exception_ptr exception() const;
  std::vector<Tensor> result() const { return result_; }
  /// Returns true when it is done. Throws its error, or an Error if it is not done within `timeout`.
  bool wait(std::chrono::milliseconds timeout = kNoTimeout) const;

  /// For implementations: marks it as done, or as failed with an exception.
  void finish(std::exception_ptr exception = nullptr);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool completed_ = false;
  std::exception_ptr exception_;
  std::vector<Tensor> result_;
};

/// Processes that run the same program and call these functions in the same order (c10d::ProcessGroup). All
/// lists of tensors have one element, which is contiguous and has the same sizes and type in all processes.
class ETUDE_API ProcessGroup {
 public:
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// This process alone: nothing is sent, every operation is done at once.
  static std::shared_ptr<ProcessGroup> single();

  int getRank() const { return rank_; }
  int getSize() const { return size_; }
  virtual const std::string getBackendName() const = 0;

  /// The tensor of every process becomes the reduction of all of them.
  virtual std::shared_ptr<Work> allreduce(std::vector<Tensor>& tensors,
                                          const AllreduceOptions& options = {}) = 0;
  /// The tensor of every process becomes the tensor of options.rootRank.
  virtual std::shared_ptr<Work> broadcast(std::vector<Tensor>& tensors,
                                          const BroadcastOptions& options = {}) = 0;
  /// outputs[0][r] becomes inputs[0] of process r.
  virtual std::shared_ptr<Work> allgather(std::vector<std::vector<Tensor>>& outputs,
                                          std::vector<Tensor>& inputs,
                                          const AllgatherOptions& options = {}) = 0;
  /// outputs[0] becomes the reduction of inputs[0][this rank] of all processes.
  virtual std::shared_ptr<Work> reduce_scatter(std::vector<Tensor>& outputs,
                                               std::vector<std::vector<Tensor>>& inputs,
                                               const ReduceScatterOptions& options = {}) = 0;
  /// The result is done when all processes have called barrier.
  virtual std::shared_ptr<Work> barrier(const BarrierOptions& options = {}) = 0;

  /// Ends all processes with an exit code. One of the processes that call it writes the reason to stderr,
  /// with its further lines indented: "rank 1 of 4: <reason>".
  [[noreturn]] virtual void abort(const std::string& reason, int code = 1);

 private:
  const int rank_, size_;
};

/// Runs the body of a program in a group and returns its exit code. An exception in one process ends all of
/// them, by group.abort; in a group of one it propagates to the caller.
ETUDE_API int guarded(ProcessGroup& group, FunctionRef<int()> body);

}  // namespace etude::distributed
