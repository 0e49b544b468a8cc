#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

using LeakyReLUOptions = functional::LeakyReLUFuncOptions;

/// x where x > 0, else negative_slope * x (torch::nn::LeakyReLU).
class ETUDE_API LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
 public:
  explicit LeakyReLUImpl(const LeakyReLUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  LeakyReLUOptions options;
};
ETUDE_MODULE(LeakyReLU);

using ELUOptions = functional::ELUFuncOptions;

/// x where x > 0, else alpha * (exp(x) - 1) (torch::nn::ELU; Clevert et al. 2016).
class ETUDE_API ELUImpl : public Cloneable<ELUImpl> {
 public:
  explicit ELUImpl(const ELUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  ELUOptions options;
};
ETUDE_MODULE(ELU);

using SELUOptions = functional::SELUFuncOptions;

/// elu with the alpha and the scale that keep mean 0 and variance 1 (torch::nn::SELU; Klambauer et al. 2017).
class ETUDE_API SELUImpl : public Cloneable<SELUImpl> {
 public:
  explicit SELUImpl(const SELUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  SELUOptions options;
};
ETUDE_MODULE(SELU);

using CELUOptions = functional::CELUFuncOptions;

/// x where x > 0, else alpha * (exp(x / alpha) - 1) (torch::nn::CELU; Barron 2017).
class ETUDE_API CELUImpl : public Cloneable<CELUImpl> {
 public:
  explicit CELUImpl(const CELUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  CELUOptions options;
};
ETUDE_MODULE(CELU);

using ReLU6Options = functional::ReLU6FuncOptions;

/// min(max(x, 0), 6) (torch::nn::ReLU6).
class ETUDE_API ReLU6Impl : public Cloneable<ReLU6Impl> {
 public:
  explicit ReLU6Impl(const ReLU6Options& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  ReLU6Options options;
};
ETUDE_MODULE(ReLU6);

struct PReLUOptions {
  /// One weight, or one per channel, which is dim 1.
  ETUDE_ARG(int64_t, num_parameters) = 1;
  /// The value that they start with.
  ETUDE_ARG(double, init) = 0.25;
};

/// x where x > 0, else weight * x, weight learned (torch::nn::PReLU; He et al. 2015).
class ETUDE_API PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options_ = {}) : options(options_) { PReLUImpl::reset(); }
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  PReLUOptions options;
  Tensor weight;  // [num_parameters]
};
ETUDE_MODULE(PReLU);

}  // namespace nn
}  // namespace etude
