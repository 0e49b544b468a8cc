#pragma once

#include "etude/function_module.h"

// Losses: the functions of nn/functional/loss.h as modules that keep the options. Weights are buffers.

namespace etude::nn {

/// A loss with an option `weight`, which is a buffer of the module.
template <typename Derived, typename Options>
class ETUDE_API WeightedLoss : public Cloneable<Derived> {
 public:
  explicit WeightedLoss(const Options& options_ = {}) : options(options_) { WeightedLoss::reset(); }
  void reset() override { weight = register_weight("weight", options.weight()); }

  Options options;
  Tensor weight;

 protected:
  // The buffer is a separate handle, so that setting the data of a clone's buffer changes the options of neither module.
  Tensor register_weight(const char* name, const Tensor& given) {
    return this->register_buffer(
        name, given.defined() ? given.detach().set_requires_grad(given.requires_grad()) : given);
  }
  Options with_buffers() const {
    Options current = options;
    return current.weight(weight);
  }
};

/// Defines such a loss: its name, the options and the function.
#define ETUDE_MODULE_OF_WEIGHTED_LOSS(Name, FuncOptions, function)              \
  using Name##Options = functional::FuncOptions;                                \
  class ETUDE_API Name##Impl : public WeightedLoss<Name##Impl, Name##Options> { \
   public:                                                                      \
    using WeightedLoss::WeightedLoss;                                           \
    Tensor forward(const Tensor& input, const Tensor& target) {                 \
      return functional::function(input, target, with_buffers());               \
    }                                                                           \
  };                                                                            \
  ETUDE_MODULE(Name)

/// The negative log-probability of each target under softmax(input): [n, classes, ...], target [n, ...] of class numbers, or
/// probabilities of the input's shape (torch::nn::CrossEntropyLoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(CrossEntropyLoss, CrossEntropyFuncOptions, cross_entropy);

/// The negative log-probability of each target class: [n, classes] or [n, classes, ...], target [n] or [n, ...]
/// (torch::nn::NLLLoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(NLLLoss, NLLLossFuncOptions, nll_loss);

/// The negative log-probability of target (0 to 1) under the probability input; logarithms are clamped to at least -100
/// (torch::nn::BCELoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(BCELoss, BinaryCrossEntropyFuncOptions, binary_cross_entropy);

using BCEWithLogitsLossOptions = functional::BinaryCrossEntropyWithLogitsFuncOptions;
/// The negative log-probability of target (0 to 1) under sigmoid(input) (torch::nn::BCEWithLogitsLoss).
class ETUDE_API BCEWithLogitsLossImpl : public WeightedLoss<BCEWithLogitsLossImpl, BCEWithLogitsLossOptions> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {})
      : WeightedLoss(options_), pos_weight(register_weight("pos_weight", options_.pos_weight())) {}
  void reset() override {
    WeightedLoss::reset();
    pos_weight = register_weight("pos_weight", options.pos_weight());
  }
  Tensor forward(const Tensor& input, const Tensor& target) {
    return functional::binary_cross_entropy_with_logits(input, target, with_buffers().pos_weight(pos_weight));
  }

  Tensor pos_weight;  ///< a buffer
};
ETUDE_MODULE(BCEWithLogitsLoss);

/// The squared error (input - target)^2 (torch::nn::MSELoss).
ETUDE_MODULE_OF_LOSS(MSELoss, MSELossFuncOptions, mse_loss);

/// The absolute error |input - target| (torch::nn::L1Loss).
ETUDE_MODULE_OF_LOSS(L1Loss, L1LossFuncOptions, l1_loss);

/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond (torch::nn::SmoothL1Loss).
ETUDE_MODULE_OF_FUNCTIONAL(SmoothL1Loss, (const Tensor& input, const Tensor& target),
                           smooth_l1_loss(input, target, options, options.beta()), "");

/// (input - target)^2 / 2 up to a distance of delta, linear beyond (torch::nn::HuberLoss).
ETUDE_MODULE_OF_LOSS(HuberLoss, HuberLossFuncOptions, huber_loss);

/// target * (log target - input); input holds log-probabilities (torch::nn::KLDivLoss).
ETUDE_MODULE_OF_LOSS(KLDivLoss, KLDivFuncOptions, kl_div);

/// The negative log-probability of a count under a Poisson distribution (torch::nn::PoissonNLLLoss).
ETUDE_MODULE_OF_LOSS(PoissonNLLLoss, PoissonNLLLossFuncOptions, poisson_nll_loss);

}  // namespace etude::nn
