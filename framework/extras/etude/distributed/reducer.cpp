#include "etude/distributed/detail/reducer.h"

#include <algorithm>
#include <utility>

#include "etude/autograd/detail/node.h"
#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/distributed/detail/broadcast.h"
#include "etude/ops/ops.h"

namespace etude::distributed::detail {
namespace {

// The first bucket is small, so that it is sent early.
constexpr int64_t kFirstBucketBytes = 1024 * 1024;  // PyTorch's

// Adding it changes nothing, not even the sign of a zero.
constexpr double kNothing = -0.0;

Tensor piece_of(const Tensor& flat, int64_t offset, const Tensor& like) {
  const Tensor piece = flat.narrow(0, offset, like.numel()).view(like.sizes());
  return etude::detail::alias(piece);  // a gradient is not a view
}

}  // namespace

Reducer::Reducer(std::vector<Tensor> parameters, std::shared_ptr<ProcessGroup> group, Options options)
    : parameters_(parameters.size()), group_(std::move(group)), options_(options) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    Parameter& p = parameters_[i];
    p.tensor = parameters[i];
    p.type = p.tensor.scalar_type();
    p.numel = p.tensor.numel();
    order_.push_back(static_cast<int64_t>(parameters.size() - 1 - i));
  }
  if (!is_alone()) build_buckets();
}

void Reducer::listen() {
  for (size_t i = 0; i < parameters_.size(); ++i)
    autograd::detail::set_gradient_taker(parameters_[i].tensor,
                                         [weak = weak_from_this(), i](const Tensor& gradient) {
                                           const std::shared_ptr<Reducer> reducer = weak.lock();
                                           return reducer && reducer->take(i, gradient);
                                         });
}

void Reducer::build_buckets() {
  std::vector<Tensor> in_order;
  for (const int64_t i : order_) in_order.push_back(parameters_[static_cast<size_t>(i)].tensor);
  buckets_.clear();
  for (const auto& list : lists_of_one_type(in_order, options_.bucket_bytes,
                                            std::min(kFirstBucketBytes, options_.bucket_bytes))) {
    Bucket& bucket = buckets_.emplace_back();
    for (const size_t position : list) {
      const auto i = static_cast<size_t>(order_[position]);
      Parameter& p = parameters_[i];
      p.bucket = buckets_.size() - 1;
      p.slot = bucket.parameters.size();
      bucket.parameters.push_back(i);
      bucket.offsets.push_back(bucket.numel);
      bucket.numel += p.numel;
    }
    bucket.used.resize(list.size());
  }
}

void Reducer::begin_part(bool is_last) {
  ETUDE_CHECK(phase_ == Phase::kIdle, "a backward of this DistributedDataParallel is going on");
  phase_ = is_last ? Phase::kLast : Phase::kPart;
  factor_ = 1;
}

void Reducer::end_part() {
  try {
    end();
  } catch (...) {
    abandon();
    throw;
  }
}

void Reducer::abandon() {
  for (Parameter& p : parameters_) {
    p.parts.clear();
    p.arriving.reset();
  }
  begin_anew();
}

void Reducer::begin_anew() {
  for (Parameter& p : parameters_) {
    p.arrivals = 0;
    p.is_complete = false;
  }
  for (Bucket& bucket : buckets_) {
    bucket.flat.reset();
    bucket.work.reset();
    bucket.complete = 0;
  }
  launched_ = arrivals_ = 0;
  phase_ = Phase::kIdle;
}

// Called by the AccumulateGrad of a parameter.
bool Reducer::take(size_t index, const Tensor& gradient) {
  Parameter& p = parameters_[index];
  if (phase_ == Phase::kIdle) {
    if (is_alone()) return false;
    if (!synchronises) p.has_own_grad = true;
    if (!synchronises) return false;
    phase_ = Phase::kLast;
    factor_ = 1.0 / group_->getSize();
    autograd::detail::call_after_backward(
        [self = shared_from_this()](bool succeeded) { succeeded ? self->end_part() : self->abandon(); });
  }
  ETUDE_CHECK(
      !GradMode::is_enabled(),
      "DistributedDataParallel: backward with create_graph would not average the gradients of gradients",
      "\nhint: take the inner gradients with autograd::grad, and call backward without create_graph");
  ETUDE_CHECK(!p.is_complete, "Expected to mark a variable ready only once.", "\na parameter of sizes ",
              p.tensor.sizes(), " got a gradient ", p.arrivals + 1,
              " times in one backward, more often than in the first, and has been sent by now",
              "\nhint: recompute (checkpoint) the same segments of the model in every backward");
  p.last_arrival = ++arrivals_;
  ++p.arrivals;
  if (p.arriving.defined()) p.arriving.add_(gradient);
  if (p.arrivals == p.expected)
    complete(p, p.arriving.defined() ? std::exchange(p.arriving, Tensor()) : gradient);
  else if (!p.arriving.defined()) p.arriving = autograd::detail::owned_gradient(gradient);
  return true;
}

// Called when the gradient of this backward is complete; it is undefined if there is none.
void Reducer::complete(Parameter& p, const Tensor& gradient) {
  p.is_complete = true;
  if (phase_ == Phase::kPart) {
    p.parts.add(gradient.defined() ? autograd::detail::owned_gradient(gradient) : Tensor());
    return;
  }
  const Tensor sum = p.parts.total(gradient);
  if (!is_alone()) write(p, sum);
  else if (sum.defined()) set_grad(p, autograd::detail::owned_gradient(sum));
}

void Reducer::write(Parameter& p, const Tensor& gradient) {
  Bucket& bucket = buckets_[p.bucket];
  const auto slots = static_cast<int64_t>(bucket.parameters.size());
  ETUDE_CHECK(p.tensor.scalar_type() == p.type && p.tensor.numel() == p.numel,
              "DistributedDataParallel: a parameter has changed its type or its sizes",
              "\nhint: convert the model before it is wrapped");
  if (!bucket.flat.defined()) bucket.flat = etude::empty({bucket.numel + slots}, p.type);
  const Tensor piece = piece_of(bucket.flat, bucket.offsets[p.slot], p.tensor);
  if (gradient.defined()) piece.copy_(gradient);
  else piece.fill_(kNothing);
  if (factor_ != 1 && gradient.defined()) piece.mul_(factor_);
  const bool has_own_grad = p.has_own_grad && p.tensor.grad().defined();
  if (has_own_grad) piece.add_(p.tensor.grad(), 1.0 / group_->getSize());
  bucket.used[p.slot] = gradient.defined() || has_own_grad;
  ++bucket.complete;
  launch_full_buckets();
}

void Reducer::launch_full_buckets() {
  for (; launched_ < buckets_.size(); ++launched_) {
    Bucket& bucket = buckets_[launched_];
    const size_t slots = bucket.parameters.size();
    if (bucket.complete < slots) return;
    bucket.flat.narrow(0, bucket.numel, static_cast<int64_t>(slots)).copy_(etude::tensor(bucket.used));
    AllreduceOptions options;
    options.deterministic = options_.deterministic;
    std::vector<Tensor> list = {bucket.flat};
    bucket.work = group_->allreduce(list, options);
  }
}

void Reducer::end() {
  const NoGradGuard no_grad;
  for (const int64_t i : order_) {
    Parameter& p = parameters_[static_cast<size_t>(i)];
    if (!p.is_complete) complete(p, std::exchange(p.arriving, Tensor()));
  }
  if (!has_learnt_) learn();
  if (phase_ == Phase::kLast && !is_alone()) {
    for (Bucket& bucket : buckets_) unpack(bucket);
    if (!has_order_of_all_) {
      const Tensor order = etude::tensor(order_);
      start_broadcast(*group_, 0, order)->wait();
      std::copy_n(order.const_data_ptr<int64_t>(), order_.size(), order_.begin());
      build_buckets();
      has_order_of_all_ = true;
    }
  }
  begin_anew();
}

// Learns from the first backward the order of parameters, those without a gradient last, and how often each gets one.
void Reducer::learn() {
  has_learnt_ = true;
  for (Parameter& p : parameters_) p.expected = std::max(1, p.arrivals);
  std::stable_sort(order_.begin(), order_.end(), [this](int64_t a, int64_t b) {
    const size_t of_a = parameters_[static_cast<size_t>(a)].last_arrival,
                 of_b = parameters_[static_cast<size_t>(b)].last_arrival;
    return of_a != 0 && (of_b == 0 || of_a < of_b);
  });
}

void Reducer::unpack(Bucket& bucket) {
  bucket.work->wait();
  const auto slots = static_cast<int64_t>(bucket.parameters.size());
  const Tensor used = bucket.flat.narrow(0, bucket.numel, slots).to(kDouble);
  for (size_t slot = 0; slot < bucket.parameters.size(); ++slot) {
    Parameter& p = parameters_[bucket.parameters[slot]];
    if (used.const_data_ptr<double>()[slot] != 0)
      set_grad(p, piece_of(bucket.flat, bucket.offsets[slot], p.tensor));
  }
}

void Reducer::set_grad(Parameter& p, const Tensor& gradient) {
  Tensor& grad = p.tensor.mutable_grad();
  if (!grad.defined()) grad = gradient;
  else if (p.has_own_grad) grad.copy_(gradient);
  else grad.add_(gradient);
  p.has_own_grad = false;
}

}  // namespace etude::distributed::detail
