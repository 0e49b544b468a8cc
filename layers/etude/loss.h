#pragma once

#include "etude/framework.h"

// Losses: the functions of nn/functional/loss.h with their options kept. Weights are buffers.

namespace etude {
namespace nn {

using CrossEntropyLossOptions = functional::CrossEntropyFuncOptions;

/// Minus the log-probability of each target under softmax(input): [n, classes, ...], target [n, ...] of classes, or
/// probabilities of the input's shape (torch::nn::CrossEntropyLoss).
class ETUDE_API CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {}) : options(options_) {
    CrossEntropyLossImpl::reset();
  }
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  CrossEntropyLossOptions options;
  Tensor weight;  // a buffer
};
ETUDE_MODULE(CrossEntropyLoss);

using NLLLossOptions = functional::NLLLossFuncOptions;

/// Minus the log-probability at each target class: [n, classes, ...], target [n, ...] (torch::nn::NLLLoss).
class ETUDE_API NLLLossImpl : public Cloneable<NLLLossImpl> {
 public:
  explicit NLLLossImpl(const NLLLossOptions& options_ = {}) : options(options_) { NLLLossImpl::reset(); }
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  NLLLossOptions options;
  Tensor weight;  // a buffer
};
ETUDE_MODULE(NLLLoss);

using MSELossOptions = functional::MSELossFuncOptions;

/// (input - target)^2 (torch::nn::MSELoss).
class ETUDE_API MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  explicit MSELossImpl(const MSELossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  MSELossOptions options;
};
ETUDE_MODULE(MSELoss);

using L1LossOptions = functional::L1LossFuncOptions;

/// |input - target| (torch::nn::L1Loss).
class ETUDE_API L1LossImpl : public Cloneable<L1LossImpl> {
 public:
  explicit L1LossImpl(const L1LossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  L1LossOptions options;
};
ETUDE_MODULE(L1Loss);

using SmoothL1LossOptions = functional::SmoothL1LossFuncOptions;

/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond (torch::nn::SmoothL1Loss).
class ETUDE_API SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
 public:
  explicit SmoothL1LossImpl(const SmoothL1LossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  SmoothL1LossOptions options;
};
ETUDE_MODULE(SmoothL1Loss);

using HuberLossOptions = functional::HuberLossFuncOptions;

/// (input - target)^2 / 2 up to a distance of delta, linear beyond (torch::nn::HuberLoss).
class ETUDE_API HuberLossImpl : public Cloneable<HuberLossImpl> {
 public:
  explicit HuberLossImpl(const HuberLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  HuberLossOptions options;
};
ETUDE_MODULE(HuberLoss);

using KLDivLossOptions = functional::KLDivFuncOptions;

/// target * (log target - input), input a log-probability (torch::nn::KLDivLoss).
class ETUDE_API KLDivLossImpl : public Cloneable<KLDivLossImpl> {
 public:
  explicit KLDivLossImpl(const KLDivLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  KLDivLossOptions options;
};
ETUDE_MODULE(KLDivLoss);

using BCELossOptions = functional::BinaryCrossEntropyFuncOptions;

/// Minus the log-probability of target, 0 to 1, under input, a probability (torch::nn::BCELoss).
class ETUDE_API BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  explicit BCELossImpl(const BCELossOptions& options_ = {}) : options(options_) { BCELossImpl::reset(); }
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCELossOptions options;
  Tensor weight;  // a buffer
};
ETUDE_MODULE(BCELoss);

using BCEWithLogitsLossOptions = functional::BinaryCrossEntropyWithLogitsFuncOptions;

/// Minus the log-probability of target, 0 to 1, under sigmoid(input) (torch::nn::BCEWithLogitsLoss).
class ETUDE_API BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {}) : options(options_) {
    BCEWithLogitsLossImpl::reset();
  }
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCEWithLogitsLossOptions options;
  Tensor weight;      // a buffer
  Tensor pos_weight;  // a buffer
};
ETUDE_MODULE(BCEWithLogitsLoss);

using PoissonNLLLossOptions = functional::PoissonNLLLossFuncOptions;

/// Minus the log-probability of a count under a Poisson distribution (torch::nn::PoissonNLLLoss).
class ETUDE_API PoissonNLLLossImpl : public Cloneable<PoissonNLLLossImpl> {
 public:
  explicit PoissonNLLLossImpl(const PoissonNLLLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& log_input, const Tensor& targets);

  PoissonNLLLossOptions options;
};
ETUDE_MODULE(PoissonNLLLoss);

}  // namespace nn
}  // namespace etude
