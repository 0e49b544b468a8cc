#pragma once

#include <memory>
#include <vector>

#include "etude/distributed/detail/partial_sums.h"
#include "etude/distributed/process_group.h"

namespace etude::distributed::detail {

/// Averages the gradients of parameters over the processes of a group while backward makes them (c10d::Reducer). They are
/// copied into buckets, flat tensors of one type, in the order in which backward makes them in rank 0. Buckets are summed
/// in this order in all processes, each as soon as it is full here, and their parts become the grads. The first backward
/// teaches the order, and how often a gradient arrives: more than once where recomputed segments of a model share a weight.
///
/// Either a backward is on its own, and what it makes is averaged; or somebody says where the backward of each part of a
/// batch begins and ends, and what the parts make is added up, in the order of a binary tree over all parts of all processes.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  struct Options {
    int64_t bucket_bytes;
    bool deterministic;
  };

  Reducer(std::vector<Tensor> parameters, std::shared_ptr<ProcessGroup> group, Options options);
  /// From now on gradients come here.
  void listen();

  /// Without synchronisation gradients stay in the grads of this process, and are part of the next average.
  bool synchronises() const { return synchronises_; }
  void set_synchronises(bool on) { synchronises_ = on; }

  /// Whether a part goes on.
  bool is_in_part() const { return phase_ != Phase::kIdle; }
  /// The backward of a part begins; buckets travel during the last one's.
  void begin_part(bool is_last);
  /// It has ended. After the last part the grads are there.
  void end_part();
  /// Forgets all that goes on: a backward failed. The processes are no longer at the same place then.
  void abandon();

 private:
  enum class Phase { kIdle, kPart, kLast };

  struct Parameter {
    Tensor tensor;
    ScalarType type = kFloat;
    int64_t numel = 0;
    size_t bucket = 0, slot = 0;
    PartialSums parts;
    Tensor arriving;           // what has arrived of the gradient
    int arrivals = 0;          // in this backward
    int expected = 0;          // arrivals in one backward; 0: not known yet
    size_t last_arrival = 0;   // counts the arrivals of the first backward
    bool is_complete = false;  // in this backward
    bool has_own_grad =
        false;  // grad has what other processes have not, from a backward without synchronisation
  };

  struct Bucket {
    std::vector<size_t> parameters;
    std::vector<int64_t> offsets;
    int64_t numel = 0;
    std::vector<float> used;  // whether there is a gradient, for each parameter: travels behind the gradients
    Tensor flat;
    size_t complete = 0;
    std::shared_ptr<Work> work;
  };

  bool take(size_t index, const Tensor& gradient);
  void end();
  void complete(size_t index, const Tensor& gradient);
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
  bool synchronises_ = true;
  Phase phase_ = Phase::kIdle;
  double factor_ = 1;  // of what arrives
  std::vector<Bucket> buckets_;
  size_t launched_ = 0;
  std::vector<int64_t> order_;  // of parameters, as backward makes their gradients
  size_t arrivals_ = 0;
  bool has_learnt_ = false, has_order_of_all_ = false;
};

}  // namespace etude::distributed::detail
