#include "etude/feed_forward.h"

namespace etude::nn {

void FeedForwardImpl::reset() {
  const auto inwards = LinearOptions(options.d_model(), options.dim_feedforward()).bias(options.bias());
  linear1 = register_module("linear1", Linear(inwards));
  if (options.gated()) gate = register_module("gate", Linear(inwards));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module(
      "linear2", Linear(LinearOptions(options.dim_feedforward(), options.d_model()).bias(options.bias())));
}

Tensor FeedForwardImpl::forward(const Tensor& x) {
  const Tensor inner = functional::activate(linear1(x), options.activation());
  return linear2(dropout(options.gated() ? inner * gate(x) : inner));
}

}  // namespace etude::nn
