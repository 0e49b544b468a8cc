#pragma once

#include "etude/activation.h"
#include "etude/dropout.h"
#include "etude/linear.h"

namespace etude::nn {

struct FeedForwardOptions {
  FeedForwardOptions(int64_t d_model, int64_t dim_feedforward)
      : d_model_(d_model), dim_feedforward_(dim_feedforward) {}
  /// The width of input and result.
  ETUDE_ARG(int64_t, d_model);
  /// The width between the two linear layers.
  ETUDE_ARG(int64_t, dim_feedforward);
  /// The probability that an element between the linear layers is zeroed in training.
  ETUDE_ARG(double, dropout) = 0.1;
  /// The function between the linear layers.
  ETUDE_ARG(activation_t, activation) = kReLU;
  /// Whether the linear layers add a bias.
  ETUDE_ARG(bool, bias) = true;
  /// Multiplies the activation's output by a second linear layer of the input (Shazeer 2020): with silu this is SwiGLU.
  ETUDE_ARG(bool, gated) = false;
};

/// linear2(dropout(activation(linear1(x)))), the same for every position (Vaswani et al. 2017, section 3.3),
/// or gated linear2(dropout(activation(linear1(x)) * gate(x))): [..., d_model] -> the same.
class ETUDE_API FeedForwardImpl : public Cloneable<FeedForwardImpl> {
 public:
  FeedForwardImpl(int64_t d_model, int64_t dim_feedforward)
      : FeedForwardImpl(FeedForwardOptions(d_model, dim_feedforward)) {}
  explicit FeedForwardImpl(const FeedForwardOptions& options_) : options(options_) {
    FeedForwardImpl::reset();
  }

  void reset() override {
    const auto inwards = LinearOptions(options.d_model(), options.dim_feedforward()).bias(options.bias());
    const auto outwards = LinearOptions(options.dim_feedforward(), options.d_model()).bias(options.bias());
    linear1 = register_module("linear1", Linear(inwards));
    if (options.gated()) gate = register_module("gate", Linear(inwards));
    dropout = register_module("dropout", Dropout(options.dropout()));
    linear2 = register_module("linear2", Linear(outwards));
  }
  Tensor forward(const Tensor& x) {
    const Tensor inner = functional::activate(linear1(x), options.activation());
    return linear2(dropout(options.gated() ? inner * gate(x) : inner));
  }

  FeedForwardOptions options;
  Linear linear1 = nullptr;
  Linear gate = nullptr;  ///< empty unless gated
  Dropout dropout = nullptr;
  Linear linear2 = nullptr;
};
ETUDE_MODULE(FeedForward);

}  // namespace etude::nn
