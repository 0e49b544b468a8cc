#include "support/example.h"

/// # Layers
///
/// Modules of a transformer that stand alone, and the functions that they call. `etude::manual_seed` fixes the initial weights.

/// - Shapes: input [..., in_features]; the result [..., out_features]; weight [out_features, in_features], bias [out_features]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (1x4 and 2x3)` where the last dim is not in_features
EXAMPLE(etude::nn::Linear) {
  etude::manual_seed(0);
  nn::Linear layer(2, 3);
  print(layer(etude::ones({1, 2})).detach());
  print(layer->weight.sizes(), layer->bias.sizes());
  print(nn::Linear(nn::LinearOptions(2, 3).bias(false))->parameters().size());
  print(examples::message_of([&] { layer(etude::ones({1, 4})); }));
}

/// - Shapes: weight [rows, width], indices [...]; the result [..., width]
/// - Errors: `index out of range in self` where an index is negative or not below the number of rows
EXAMPLE(etude::embedding, etude::nn::functional::embedding) {
  const Tensor weight = etude::tensor({{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}});
  print(etude::embedding(weight, etude::tensor({2, 0})));
  print(F::embedding(etude::tensor({1}), weight));
  print(examples::message_of([&] { F::embedding(etude::tensor({3}), weight); }));
}

/// - Shapes: indices [...]; the result [..., embedding_dim]; weight [num_embeddings, embedding_dim]
/// - Errors: `index out of range in self` where an index is not below num_embeddings
/// - Errors: `Padding_idx must be within num_embeddings` where the options name a row that is not there
/// - Errors: `Embeddings parameter is expected to be 2-dimensional` where from_pretrained gets another number of dims
EXAMPLE(etude::nn::Embedding, etude::nn::EmbeddingFromPretrainedOptions) {
  const Tensor rows = etude::tensor({{0.0, 1.0}, {2.0, 3.0}});
  nn::Embedding table = nn::Embedding::from_pretrained(rows);
  print(table(etude::tensor({{1, 0}})));
  print(table->weight.requires_grad());
  table = nn::Embedding::from_pretrained(rows, nn::EmbeddingFromPretrainedOptions().freeze(false));
  print(table->weight.requires_grad());
  const nn::Embedding padded(nn::EmbeddingOptions(3, 2).padding_idx(0));
  print(padded->weight[0].detach());
}

/// - Shapes: weight [rows, width], indices [...]; the result is weight
/// - Errors: `Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got
///   torch.FloatTensor instead (while checking arguments for embedding_renorm_)` where indices are no integers
EXAMPLE(etude::embedding_renorm_) {
  Tensor weight = etude::tensor({{3.0, 4.0}, {0.3, 0.4}});
  print(etude::embedding_renorm_(weight, etude::tensor({0, 1}), 1.0, 2.0));
}

/// - Shapes: input [..., normalized_shape]; the result the same; weight and bias [normalized_shape]
/// - Errors: `Given normalized_shape=[2], expected input with shape [*, 2], but got input of size[1, 3]` where the last dims
///   are others
EXAMPLE(etude::layer_norm, etude::nn::functional::layer_norm, etude::nn::LayerNorm) {
  const Tensor x = etude::tensor({{1.0, 2.0, 3.0}});
  print(etude::layer_norm(x, {3}));
  print(F::layer_norm(x, F::LayerNormFuncOptions({3})));
  print(nn::LayerNorm(nn::LayerNormOptions({3}))(x).detach());
  print(examples::message_of([&] { etude::layer_norm(x, {2}); }));
}

/// - Shapes: input [*]; the result the same
/// - Errors: `dropout probability has to be between 0 and 1, but got 1.5` where p is not
EXAMPLE(etude::dropout, etude::nn::functional::dropout, etude::nn::Dropout) {
  etude::manual_seed(0);
  const Tensor x = etude::ones({6});
  print(etude::dropout(x, 0.5, /*train=*/true));
  print(F::dropout(x, F::DropoutFuncOptions().p(0.5).training(false)));
  nn::Dropout layer(0.5);
  layer->eval();
  print(layer(x));
  print(examples::message_of([&] { nn::Dropout(1.5); }));
}

/// - Shapes: input [*]; the result the same
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 3)` where there is no such dim
EXAMPLE(etude::nn::functional::normalize) {
  const Tensor x = etude::tensor({{3.0, 4.0}});
  print(F::normalize(x));
  print(F::normalize(x, F::NormalizeFuncOptions().p(1)));
  print(examples::message_of([&] { F::normalize(x, F::NormalizeFuncOptions().dim(3)); }));
}

/// - Shapes: input [..., dims from start_dim to end_dim, ...]; the result [..., their product, ...]
/// - Errors: `flatten() has invalid args: start_dim cannot come after end_dim` where it does
EXAMPLE(etude::nn::Flatten) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(nn::Flatten()(x).sizes());
  print(nn::Flatten(nn::FlattenOptions().start_dim(0).end_dim(1))(x).sizes());
}

/// It stands where a layer is left out.
///
/// - Shapes: input [*]; the result is input
/// - Errors: none of its own
EXAMPLE(etude::nn::Identity) { print(nn::Identity()(etude::tensor({1.0, 2.0}))); }

/// - Shapes: input [*]; the result as the function returns it
/// - Errors: none of its own
EXAMPLE(etude::nn::Functional) {
  nn::Sequential model(nn::Linear(2, 2), nn::Functional(etude::relu),
                       nn::Functional([](const Tensor& x) { return x.sum(-1); }));
  print(model->forward(etude::ones({5, 2})).sizes());
  print(nn::Functional(F::relu6, F::ReLU6FuncOptions())(etude::tensor({-1.0, 9.0})));
}
