#include "support/example.h"

/// - Shapes: input [..., normalized_shape]; the result the same; weight [normalized_shape]
/// - Errors: `Given normalized_shape=[3], expected an input that ends with these sizes, but got input of size[1, 2]`
///   where the last dims are others
/// - PyTorch: `torch.nn.RMSNorm`, `torch.nn.functional.rms_norm`
EXAMPLE(etude::nn::RMSNorm, etude::nn::functional::rms_norm) {
  const Tensor x = etude::tensor({{1.0, 7.0}});  // the root of the mean of squares is 5
  print(nn::RMSNorm(nn::RMSNormOptions({2}))(x).detach());
  print(F::rms_norm(x, {2}, etude::tensor({10.0, 1.0})));
  print(examples::message_of([&] { F::rms_norm(x, {3}); }));
}

/// - Shapes: x [..., d_model]; the result the same; linear1 and gate [dim_feedforward, d_model], linear2 the transpose
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::FeedForward) {
  nn::FeedForward two(8, 32);
  print(two(etude::zeros({3, 8})).sizes(), two->linear1->weight.sizes());
  nn::FeedForward swiglu(
      nn::FeedForwardOptions(8, 16).gated(true).activation([](const Tensor& x) { return F::silu(x); }));
  print(swiglu(etude::zeros({3, 8})).sizes(), swiglu->gate->weight.sizes());
}

/// - Shapes: ids [...]; the result [..., d_model]
/// - Errors: `index out of range in self` where an id is not below vocab_size
/// - PyTorch: `torch.nn.Embedding`
EXAMPLE(etude::nn::TokenEmbedding) {
  nn::TokenEmbedding tokens(nn::TokenEmbeddingOptions(10, 4).padding_idx(0));
  print(tokens(etude::tensor({{1, 2, 0}})).sizes());
  print(tokens(etude::tensor({0})).detach());
  print(examples::message_of([&] { tokens(etude::tensor({10})); }));
}

/// The base of the layers that consist of a function and its options.
///
/// - Shapes: those of the function
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::FunctionModule) {
  struct Squared : nn::FunctionModule<Squared, void> {
    Tensor forward(const Tensor& x) { return x * x; }
  };
  nn::Sequential model(Squared{});
  print(model->forward(etude::tensor({3.0})));
}

/// The base of losses with a weight per class or element; the weights are converted with the module to another type.
///
/// - Shapes: weight as the loss takes it; CrossEntropyLoss and NLLLoss [classes]
/// - Errors: none of its own
/// - PyTorch: `torch.nn.modules.loss._WeightedLoss`
EXAMPLE(etude::nn::WeightedLoss) {
  const Tensor weight = etude::tensor({1.0, 3.0});
  nn::CrossEntropyLoss loss(nn::CrossEntropyLossOptions().weight(weight));
  print(loss->named_buffers().front().key(), loss->weight);
  print(loss(etude::zeros({2, 2}), etude::tensor({0, 1})));
}
