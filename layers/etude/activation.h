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

/// x * sigmoid(x) (torch::nn::SiLU).
class ETUDE_API SiLUImpl : public Cloneable<SiLUImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(SiLU);

/// x * tanh(log(1 + exp(x))) (torch::nn::Mish; Misra 2019).
class ETUDE_API MishImpl : public Cloneable<MishImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Mish);

/// log(sigmoid(x)) (torch::nn::LogSigmoid).
class ETUDE_API LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(LogSigmoid);

/// x / (1 + |x|) (torch::nn::Softsign).
class ETUDE_API SoftsignImpl : public Cloneable<SoftsignImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Softsign);

using SoftplusOptions = functional::SoftplusFuncOptions;

/// log(1 + exp(beta * x)) / beta (torch::nn::Softplus).
class ETUDE_API SoftplusImpl : public Cloneable<SoftplusImpl> {
 public:
  explicit SoftplusImpl(const SoftplusOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  SoftplusOptions options;
};
ETUDE_MODULE(Softplus);

using GLUOptions = functional::GLUFuncOptions;

/// The first half along a dim times the sigmoid of the second: [..., 2 n, ...] -> [..., n, ...] (torch::nn::GLU;
/// Dauphin et al. 2017).
class ETUDE_API GLUImpl : public Cloneable<GLUImpl> {
 public:
  explicit GLUImpl(const GLUOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  GLUOptions options;
};
ETUDE_MODULE(GLU);

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

using SoftminOptions = SoftmaxOptions;

/// The softmax of -x (torch::nn::Softmin).
class ETUDE_API SoftminImpl : public Cloneable<SoftminImpl> {
 public:
  explicit SoftminImpl(int64_t dim) : SoftminImpl(SoftminOptions(dim)) {}
  explicit SoftminImpl(const SoftminOptions& options_) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  SoftminOptions options;
};
ETUDE_MODULE(Softmin);

/// The function between the two linear layers of a transformer block: `kReLU`, `kGELU` or any function.
using activation_t = std::variant<enumtype::kReLU, enumtype::kGELU, std::function<Tensor(const Tensor&)>>;

namespace functional {
/// The chosen function of x.
ETUDE_API Tensor activate(const Tensor& x, const activation_t& activation);
}  // namespace functional

}  // namespace nn
}  // namespace etude
