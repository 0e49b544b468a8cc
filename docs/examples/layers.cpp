#include "support/example.h"

/// # Layers
///
/// Modules with weights, what they are made of, and the functions that they call. `etude::manual_seed` fixes the first weights.

EXAMPLE(etude::nn::Linear) {
  etude::manual_seed(0);
  nn::Linear layer(2, 3);
  print(layer(etude::ones({1, 2})).detach());
  print(layer->weight.sizes(), layer->bias.sizes());
}

EXAMPLE(etude::embedding, etude::nn::functional::embedding) {
  const Tensor weight = etude::tensor({{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}});
  print(etude::embedding(weight, etude::tensor({2, 0})));
  print(F::embedding(etude::tensor({1}), weight));
}

EXAMPLE(etude::nn::Embedding) {
  nn::Embedding table = nn::Embedding::from_pretrained(etude::tensor({{0.0, 1.0}, {2.0, 3.0}}));
  print(table(etude::tensor({{1, 0}})));
}

EXAMPLE(etude::embedding_renorm_) {
  Tensor weight = etude::tensor({{3.0, 4.0}, {0.3, 0.4}});
  print(etude::embedding_renorm_(weight, etude::tensor({0, 1}), 1.0, 2.0));
}

EXAMPLE(etude::layer_norm, etude::nn::functional::layer_norm, etude::nn::LayerNorm) {
  const Tensor x = etude::tensor({{1.0, 2.0, 3.0}});
  print(etude::layer_norm(x, {3}));
  print(F::layer_norm(x, F::LayerNormFuncOptions({3})));
  print(nn::LayerNorm(nn::LayerNormOptions({3}))(x).detach());
}

EXAMPLE(etude::dropout, etude::nn::functional::dropout, etude::nn::Dropout) {
  etude::manual_seed(0);
  const Tensor x = etude::ones({6});
  print(etude::dropout(x, 0.5, /*train=*/true));
  print(F::dropout(x, F::DropoutFuncOptions().p(0.5).training(false)));
  nn::Dropout layer(0.5);
  layer->eval();
  print(layer(x));
}

EXAMPLE(etude::nn::functional::normalize) { print(F::normalize(etude::tensor({{3.0, 4.0}}))); }

EXAMPLE(etude::conv1d, etude::nn::functional::conv1d) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0, 4.0}}}), weight = etude::tensor({{{1.0, -1.0}}});
  print(etude::conv1d(x, weight));
  print(F::conv1d(x, weight, F::Conv1dFuncOptions().stride(2)));
}

EXAMPLE(etude::conv2d, etude::nn::functional::conv2d, etude::convolution) {
  const Tensor x = etude::arange(9.0).view({1, 1, 3, 3}), weight = etude::ones({1, 1, 2, 2});
  print(etude::conv2d(x, weight));
  print(F::conv2d(x, weight, F::Conv2dFuncOptions().padding(1)).sizes());
  print(etude::convolution(x, weight, {}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1).sizes());
}

EXAMPLE(etude::nn::Conv1d, etude::nn::Conv2d) {
  nn::Conv1d signal(nn::Conv1dOptions(3, 5, 2));
  print(signal(etude::zeros({1, 3, 10})).sizes());
  nn::Conv2d image(nn::Conv2dOptions(3, 5, 3).padding(1).stride(2));
  print(image(etude::zeros({1, 3, 8, 8})).sizes());
}

EXAMPLE(etude::im2col, etude::col2im, etude::nn::functional::unfold, etude::nn::functional::fold) {
  const Tensor x = etude::arange(9.0).view({1, 1, 3, 3});
  const Tensor columns = F::unfold(x, F::UnfoldFuncOptions({2, 2}));
  print(columns);
  print(F::fold(columns, F::FoldFuncOptions({3, 3}, {2, 2})));
  print(etude::equal(columns, etude::im2col(x, {2, 2}, {1, 1}, {0, 0}, {1, 1})));
  print(etude::col2im(columns, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}).sizes());
}

EXAMPLE(etude::nn::Unfold, etude::nn::Fold) {
  const Tensor columns = nn::Unfold(nn::UnfoldOptions({2, 2}))(etude::ones({1, 1, 3, 3}));
  print(columns.sizes());
  print(nn::Fold(nn::FoldOptions({3, 3}, {2, 2}))(columns));
}

EXAMPLE(etude::nn::Flatten) { print(nn::Flatten()(etude::zeros({2, 3, 4})).sizes()); }

/// Adds a border: of each dim, from the last one on, how much in front and behind.
EXAMPLE(etude::constant_pad_nd, etude::pad, etude::nn::functional::pad) {
  const Tensor x = etude::tensor({{1.0, 2.0}});
  print(etude::constant_pad_nd(x, {1, 0}, 7));
  print(etude::pad(x, {0, 1, 1, 0}));
  print(F::pad(x, F::PadFuncOptions({1, 1}).mode(etude::kReplicate)));
}

/// A border that mirrors what is inside, or repeats its edge; in one, two and three dims.
EXAMPLE(etude::reflection_pad1d, etude::reflection_pad2d, etude::reflection_pad3d, etude::replication_pad1d,
        etude::replication_pad2d, etude::replication_pad3d) {
  const Tensor x = etude::tensor({{1.0, 2.0, 3.0}});
  print(etude::reflection_pad1d(x, {2, 1}));
  print(etude::replication_pad1d(x, {2, 1}));
  const Tensor image = etude::arange(4.0).view({1, 2, 2}), space = image.view({1, 1, 2, 2});
  print(etude::reflection_pad2d(image, {1, 0, 0, 1}));
  print(etude::replication_pad2d(image, {1, 0, 0, 1}));
  print(etude::reflection_pad3d(space, {1, 0, 0, 0, 0, 0}));
  print(etude::replication_pad3d(space, {1, 0, 0, 0, 0, 0}));
}

/// The same as modules.
EXAMPLE(etude::nn::ConstantPad1d, etude::nn::ConstantPad2d, etude::nn::ZeroPad2d, etude::nn::ReflectionPad1d,
        etude::nn::ReflectionPad2d, etude::nn::ReplicationPad1d, etude::nn::ReplicationPad2d) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0}}}), image = etude::arange(4.0).view({1, 1, 2, 2});
  print(nn::ConstantPad1d(nn::ConstantPad1dOptions(1, 9))(x));
  print(nn::ReflectionPad1d(1)(x), nn::ReplicationPad1d(1)(x));
  print(nn::ConstantPad2d(nn::ConstantPad2dOptions(1, 9))(image).sizes());
  print(nn::ZeroPad2d(1)(image));
  print(nn::ReflectionPad2d(1)(image).sizes(), nn::ReplicationPad2d(1)(image).sizes());
}
