#pragma once

#include "etude/function_module.h"

// Losses: the functions of nn/functional/loss.h with their options kept. Weights are buffers.

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
  // The module has a handle of its own: setting the data of a clone's buffer leaves the options of both alone.
  Tensor register_weight(const char* name, const Tensor& given) {
    return this->register_buffer(
        name, given.defined() ? given.detach().set_requires_grad(given.requires_grad()) : given);
  }
  Options with_buffers() const {
    Options current = options;
    return current.weight(weight);
  }
};

/// A row in the table of such losses.
#define ETUDE_MODULE_OF_WEIGHTED_LOSS(Name, Result)                              \
  class ETUDE_API Name##Impl : public WeightedLoss<Name##Impl, Name##Options> {  \
   public:                                                                       \
    using WeightedLoss::WeightedLoss;                                            \
    Tensor forward(const Tensor& input, const Tensor& target) { return Result; } \
  };                                                                             \
  ETUDE_MODULE(Name)

using CrossEntropyLossOptions = functional::CrossEntropyFuncOptions;
/// Minus the log-probability of each target under softmax(input): [n, classes, ...], target [n, ...] of classes, or
/// probabilities of the input's shape (torch::nn::CrossEntropyLoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(CrossEntropyLoss, functional::cross_entropy(input, target, with_buffers()));

using NLLLossOptions = functional::NLLLossFuncOptions;
/// Minus the log-probability at each target class: [n, classes, ...], target [n, ...] (torch::nn::NLLLoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(NLLLoss, functional::nll_loss(input, target, with_buffers()));

using BCELossOptions = functional::BinaryCrossEntropyFuncOptions;
/// Minus the log-probability of target, 0 to 1, under input, a probability (torch::nn::BCELoss).
ETUDE_MODULE_OF_WEIGHTED_LOSS(BCELoss, functional::binary_cross_entropy(input, target, with_buffers()));

using BCEWithLogitsLossOptions = functional::BinaryCrossEntropyWithLogitsFuncOptions;
/// Minus the log-probability of target, 0 to 1, under sigmoid(input) (torch::nn::BCEWithLogitsLoss).
class ETUDE_API BCEWithLogitsLossImpl : public WeightedLoss<BCEWithLogitsLossImpl, BCEWithLogitsLossOptions> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {})
      : WeightedLoss(options_), pos_weight(register_weight("pos_weight", options_.pos_weight())) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  Tensor pos_weight;  // a buffer
};
ETUDE_MODULE(BCEWithLogitsLoss);

using MSELossOptions = functional::MSELossFuncOptions;
/// (input - target)^2 (torch::nn::MSELoss).
ETUDE_MODULE_OF_FUNCTION(MSELoss, MSELossOptions, (const Tensor& input, const Tensor& target),
                         functional::mse_loss(input, target, options));

using L1LossOptions = functional::L1LossFuncOptions;
/// |input - target| (torch::nn::L1Loss).
ETUDE_MODULE_OF_FUNCTION(L1Loss, L1LossOptions, (const Tensor& input, const Tensor& target),
                         functional::l1_loss(input, target, options));

using SmoothL1LossOptions = functional::SmoothL1LossFuncOptions;
/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond (torch::nn::SmoothL1Loss).
ETUDE_MODULE_OF_FUNCTION(SmoothL1Loss, SmoothL1LossOptions, (const Tensor& input, const Tensor& target),
                         functional::smooth_l1_loss(input, target, options, options.beta()));

using HuberLossOptions = functional::HuberLossFuncOptions;
/// (input - target)^2 / 2 up to a distance of delta, linear beyond (torch::nn::HuberLoss).
ETUDE_MODULE_OF_FUNCTION(HuberLoss, HuberLossOptions, (const Tensor& input, const Tensor& target),
                         functional::huber_loss(input, target, options));

using KLDivLossOptions = functional::KLDivFuncOptions;
/// target * (log target - input), input a log-probability (torch::nn::KLDivLoss).
ETUDE_MODULE_OF_FUNCTION(KLDivLoss, KLDivLossOptions, (const Tensor& input, const Tensor& target),
                         functional::kl_div(input, target, options));

using PoissonNLLLossOptions = functional::PoissonNLLLossFuncOptions;
/// Minus the log-probability of a count under a Poisson distribution (torch::nn::PoissonNLLLoss).
ETUDE_MODULE_OF_FUNCTION(PoissonNLLLoss, PoissonNLLLossOptions,
                         (const Tensor& log_input, const Tensor& targets),
                         functional::poisson_nll_loss(log_input, targets, options));

}  // namespace etude::nn
