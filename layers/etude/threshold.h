#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

using ThresholdOptions = functional::ThresholdFuncOptions;

/// x where x > threshold, else value (torch::nn::Threshold).
class ETUDE_API ThresholdImpl : public Cloneable<ThresholdImpl> {
 public:
  ThresholdImpl(double threshold, double value) : ThresholdImpl(ThresholdOptions(threshold, value)) {}
  explicit ThresholdImpl(const ThresholdOptions& options_) : options(options_) {}
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  ThresholdOptions options;
};
ETUDE_MODULE(Threshold);

using HardtanhOptions = functional::HardtanhFuncOptions;

/// min(max(x, min_val), max_val) (torch::nn::Hardtanh).
class ETUDE_API HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  explicit HardtanhImpl(const HardtanhOptions& options_ = {}) : options(options_) { HardtanhImpl::reset(); }
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  HardtanhOptions options;
};
ETUDE_MODULE(Hardtanh);

using HardshrinkOptions = functional::HardshrinkFuncOptions;

/// 0 where |x| <= lambda, else x (torch::nn::Hardshrink).
class ETUDE_API HardshrinkImpl : public Cloneable<HardshrinkImpl> {
 public:
  explicit HardshrinkImpl(const HardshrinkOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  HardshrinkOptions options;
};
ETUDE_MODULE(Hardshrink);

using SoftshrinkOptions = functional::SoftshrinkFuncOptions;

/// 0 where |x| <= lambda, else x moved towards 0 by lambda (torch::nn::Softshrink).
class ETUDE_API SoftshrinkImpl : public Cloneable<SoftshrinkImpl> {
 public:
  explicit SoftshrinkImpl(const SoftshrinkOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  SoftshrinkOptions options;
};
ETUDE_MODULE(Softshrink);

/// x - tanh(x) (torch::nn::Tanhshrink).
class ETUDE_API TanhshrinkImpl : public Cloneable<TanhshrinkImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Tanhshrink);

}  // namespace nn
}  // namespace etude
