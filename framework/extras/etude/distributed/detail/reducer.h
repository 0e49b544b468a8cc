#pragma once

#include <memory>
#include <vector>

#include "etude/distributed/detail/partial_sums.h"
#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// Averages the gradients of parameters over the processes of a group during backward (c10d::Reducer). They are copied
/// into buckets, flat tensors of one type, in the order in which backward computes them in rank 0. All processes sum
/// buckets in this order, each as soon as it is full locally, and slices of the buckets become the grads. The first
/// backward records the order, and how often a gradient arrives: more than once where recomputed segments share a weight.
///
/// A backward on its own is averaged directly. Otherwise the caller marks where the backward of each part of a batch
/// begins and ends, and the gradients are summed in the order of a binary tree over all parts of all processes.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  struct Options {
    int64_t bucket_bytes;
    bool deterministic;
  };

  Reducer(std::vector<Tensor> parameters, std::shared_ptr<ProcessGroup> group, Options options);
  /// Starts to receive the gradients.
  void listen();

  /// Without synchronisation gradients stay in the grads of this process and join the next average.
  bool synchronises = true;

  bool is_in_part() const { return phase_ != Phase::kIdle; }
  /// Begins the backward of a part. Buckets are sent during the last one.
  void begin_part(bool is_last);
  /// Ends the backward of a part. After the last part the grads are complete.
  void end_part();
  /// Drops everything in progress after a failed backward. The processes are then out of step.
  void abandon();

 private:
  enum class Phase { kIdle, kPart, kLast };

  struct Parameter {
    Tensor tensor;
    ScalarType type = kFloat;
    int64_t numel = 0;
    size_t bucket = 0, slot = 0;
    PartialSums parts;
    Tensor arriving;            // what has arrived of the gradient so far
    int arrivals = 0;           // in this backward
    int expected = 0;           // arrivals in one backward; 0 if not known yet
    size_t last_arrival = 0;    // its number among the arrivals of the first backward
    bool is_complete = false;   // in this backward
    bool has_own_grad = false;  // from a backward without synchronisation: grad is of this process alone
  };

  struct Bucket {
    std::vector<size_t> parameters;
    std::vector<int64_t> offsets;
    int64_t numel = 0;
    std::vector<float> used;  // whether each parameter has a gradient: sent after the gradients
    Tensor flat;
    size_t complete = 0;
    std::shared_ptr<Work> work;
  };

  bool take(size_t index, const Tensor& gradient);
  void end();
  void begin_anew();
  void complete(Parameter& parameter, const Tensor& gradient);
  void write(Parameter& parameter, const Tensor& gradient);
  void launch_full_buckets();
  void unpack(Bucket& bucket);
  void set_grad(Parameter& parameter, const Tensor& gradient);
  void learn();
  void build_buckets();
  bool is_alone() const { return group_->getSize() == 1; }

  std::vector<Parameter> parameters_;
  const std::shared_ptr<ProcessGroup> group_;
  const Options options_;
  Phase phase_ = Phase::kIdle;
  double factor_ = 1;  // for arriving gradients
  std::vector<Bucket> buckets_;
  size_t launched_ = 0;
  std::vector<int64_t> order_;  // of parameters, as backward makes their gradients
  size_t arrivals_ = 0;
  bool has_learnt_ = false, has_order_of_all_ = false;
};

}  // namespace etude::distributed::detail
