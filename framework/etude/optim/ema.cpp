#include "etude/optim/ema.h"

#include "etude/autograd/detail/in_place.h"
#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct Average {
  double share;

  auto factors() const { return std::array{share}; }
  template <typename T>
  void operator()(T weight, T& average) const {
    average = detail::add(average, weight - average, share);
  }
};

// The tensors without duplicates, because a list may hold tied weights twice.
std::vector<Tensor> distinct(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors)
    if (t.defined() && !etude::detail::holds(result, t)) result.push_back(t);
  return result;
}

std::vector<Tensor> weights_of(const nn::Module& module) {
  std::vector<Tensor> weights = module.parameters();
  const std::vector<Tensor> buffers = module.buffers();
  weights.insert(weights.end(), buffers.begin(), buffers.end());
  return weights;
}

}  // namespace

EMA::EMA(const std::vector<Tensor>& weights, double decay) : weights_(distinct(weights)), decay_(decay) {
  ETUDE_CHECK_VALUE(0 <= decay && decay <= 1, "Invalid decay: ", decay, "\nhint: it is between 0 and 1");
  for (const Tensor& weight : weights_) averages_.push_back(weight.detach().clone());
}

EMA::EMA(const nn::Module& module, double decay) : EMA(weights_of(module), decay) {}

void EMA::update() {
  ETUDE_CHECK(!applied_, "EMA: the averages are applied\nhint: restore() the weights before update()");
  const NoGradGuard no_grad;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i].is_floating_point()) detail::update(weights_[i], Average{1 - decay_}, averages_[i]);
    else averages_[i].copy_(weights_[i]);
  }
}

void EMA::apply() {
  ETUDE_CHECK(!applied_, "EMA: the averages are applied already");
  exchange();
}

void EMA::restore() {
  ETUDE_CHECK(applied_, "EMA: there is nothing to restore\nhint: call apply() first");
  exchange();
}

// Restores in reverse order, so that where tensors share memory, the values of the first come back last.
void EMA::exchange() {
  const NoGradGuard no_grad;
  for (const Tensor& weight : weights_) autograd::detail::check_in_place(weight, false);
  for (size_t n = 0; n < weights_.size(); ++n) {
    const size_t i = applied_ ? weights_.size() - 1 - n : n;
    const Tensor weight = weights_[i].detach().clone();
    weights_[i].copy_(averages_[i]);
    averages_[i] = weight;
  }
  applied_ = !applied_;
}

}  // namespace etude::optim
