#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

using ReLUOptions = functional::ReLUFuncOptions;

/// max(x, 0) (torch::nn::ReLU).
class ETUDE_API ReLUImpl : public Cloneable<ReLUImpl> {
 public:
  explicit ReLUImpl(const ReLUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  ReLUOptions options;
};
ETUDE_MODULE(ReLU);

using GELUOptions = functional::GELUFuncOptions;

/// x * Phi(x), or with approximate "tanh" the curve of GPT-2 (torch::nn::GELU; Hendrycks and Gimpel 2016).
class ETUDE_API GELUImpl : public Cloneable<GELUImpl> {
 public:
  explicit GELUImpl(const GELUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  GELUOptions options;
};
ETUDE_MODULE(GELU);

/// (torch::nn::Tanh)
class ETUDE_API TanhImpl : public Cloneable<TanhImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Tanh);

/// 1 / (1 + exp(-x)) (torch::nn::Sigmoid).
class ETUDE_API SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Sigmoid);

struct SoftmaxOptions {
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  ETUDE_ARG(int64_t, dim);
};

/// exp(x) over its sum along a dim (torch::nn::Softmax).
class ETUDE_API SoftmaxImpl : public Cloneable<SoftmaxImpl> {
 public:
  explicit SoftmaxImpl(int64_t dim) : SoftmaxImpl(SoftmaxOptions(dim)) {}
  explicit SoftmaxImpl(const SoftmaxOptions& options_) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  SoftmaxOptions options;
};
ETUDE_MODULE(Softmax);

using LogSoftmaxOptions = SoftmaxOptions;

/// The logarithm of softmax (torch::nn::LogSoftmax).
class ETUDE_API LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
 public:
  explicit LogSoftmaxImpl(int64_t dim) : LogSoftmaxImpl(LogSoftmaxOptions(dim)) {}
  explicit LogSoftmaxImpl(const LogSoftmaxOptions& options_) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  LogSoftmaxOptions options;
};
ETUDE_MODULE(LogSoftmax);

/// The function between the two linear layers of a transformer block: `kReLU`, `kGELU` or any function.
using activation_t = std::variant<enumtype::kReLU, enumtype::kGELU, std::function<Tensor(const Tensor&)>>;

namespace functional {
/// The chosen function of x.
ETUDE_API Tensor activate(const Tensor& x, const activation_t& activation);
}  // namespace functional

}  // namespace nn
}  // namespace etude
