#include "support/example.h"

/// # Initial values
///
/// What weights begin with: each function writes to its tensor, without a trace in the graph, and returns it. Random values
/// depend on the seed of the default generator alone.

/// Fills the tensor with one number.
///
/// - Shapes: [...] -> [...]
/// - Errors: none of its own
EXAMPLE(etude::nn::init::constant_, etude::nn::init::ones_, etude::nn::init::zeros_) {
  const Tensor bias = etude::empty({2});
  print(nn::init::constant_(bias, 0.5));
  print(nn::init::ones_(bias));
  print(nn::init::zeros_(bias));
}

/// - Shapes: [n, m] -> [n, m]
/// - Errors: `Only tensors with 2 dimensions are supported`
EXAMPLE(etude::nn::init::eye_) {
  print(nn::init::eye_(etude::empty({2, 3})));
  print(examples::message_of([] { nn::init::eye_(etude::empty({3})); }));
}

/// A convolution with such filters gives its input back.
///
/// - Shapes: [out, in, length], [out, in, height, width] or [out, in, depth, height, width] -> the same
/// - Errors: `Only tensors with 3, 4, or 5 dimensions are supported`
EXAMPLE(etude::nn::init::dirac_) {
  const Tensor weight = nn::init::dirac_(etude::empty({2, 2, 3}));
  print(weight);
  print(etude::conv1d(etude::tensor({{1.0, 2.0}, {3.0, 4.0}}), weight, {}, 1, 1));
  print(examples::message_of([] { nn::init::dirac_(etude::empty({2, 2})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `normal expects std >= 0.0, but found std -1`
/// - Errors: `uniform_ expects to return a [from, to) range, but found from=1 > to=0`
EXAMPLE(etude::nn::init::normal_, etude::nn::init::uniform_) {
  etude::manual_seed(0);
  print(nn::init::normal_(etude::empty({3}), 0, 0.02));
  print(nn::init::uniform_(etude::empty({3}), -1, 1));
  print(examples::message_of([] { nn::init::normal_(etude::empty({3}), 0, -1); }));
  print(examples::message_of([] { nn::init::uniform_(etude::empty({3}), 1, 0); }));
}

/// Keeps the variance of activations and of gradients about the same where the activation is about linear near 0.
///
/// - Shapes: [out, in, ...] -> [out, in, ...]
/// - Errors: `Fan in and fan out can not be computed for tensor with fewer than 2 dimensions`
EXAMPLE(etude::nn::init::xavier_uniform_, etude::nn::init::xavier_normal_) {
  etude::manual_seed(0);
  print(nn::init::xavier_uniform_(etude::empty({2, 2})));
  print(nn::init::xavier_normal_(etude::empty({200, 100})).std());
  print(examples::message_of([] { nn::init::xavier_uniform_(etude::empty({3})); }));
}

/// Keeps the variance about the same where relu, or a function like it, zeroes half of the activations: the variance of
/// activations with kFanIn, that of gradients with kFanOut.
///
/// - Shapes: [out, in, ...] -> [out, in, ...]
/// - Errors: `Fan in and fan out can not be computed for tensor with fewer than 2 dimensions`
EXAMPLE(etude::nn::init::kaiming_uniform_, etude::nn::init::kaiming_normal_) {
  etude::manual_seed(0);
  print(nn::init::kaiming_uniform_(etude::empty({2, 2})));
  print(nn::init::kaiming_normal_(etude::empty({200, 100}), 0, etude::kFanOut, etude::kReLU).std());
  print(examples::message_of([] { nn::init::kaiming_normal_(etude::empty({3})); }));
}

/// - Shapes: [n, ...] -> [n, ...]
/// - Errors: `Only tensors with 2 or more dimensions are supported`
EXAMPLE(etude::nn::init::orthogonal_) {
  etude::manual_seed(0);
  const Tensor weight = nn::init::orthogonal_(etude::empty({2, 3}));
  print(etude::allclose(weight.matmul(weight.t()), etude::eye(2), 1e-5, 1e-6));
  print(examples::message_of([] { nn::init::orthogonal_(etude::empty({3})); }));
}

/// - Shapes: [n, m] -> [n, m]
/// - Errors: `Only tensors with 2 dimensions are supported`
EXAMPLE(etude::nn::init::sparse_) {
  etude::manual_seed(0);
  print((nn::init::sparse_(etude::empty({4, 3}), 0.5) == 0).sum(0));
  print(examples::message_of([] { nn::init::sparse_(etude::empty({3}), 0.5); }));
}

/// - Errors: none of its own
EXAMPLE(etude::nn::init::calculate_gain) {
  print(nn::init::calculate_gain(etude::kReLU));
  print(nn::init::calculate_gain(etude::kTanh));
  print(nn::init::calculate_gain(etude::kLeakyReLU, 0.2));
}

/// The choices of a nonlinearity, `kLinear`, `kSigmoid`, `kTanh`, `kReLU` and `kLeakyReLU`, and of a fan, `kFanIn` and
/// `kFanOut`.
///
/// - Errors: none of its own
EXAMPLE(etude::nn::init::NonlinearityType, etude::nn::init::FanModeType) {
  const nn::init::NonlinearityType relu = etude::kReLU;
  const nn::init::FanModeType inputs = etude::kFanIn;
  const Tensor weight = nn::init::kaiming_uniform_(etude::empty({2, 6}), 0, inputs, relu);
  print(weight.abs().max().item<double>() <= 1);
}

/// - Shapes: [out, in, ...] -> two numbers
/// - Units: elements
/// - Errors: `Fan in and fan out can not be computed for tensor with fewer than 2 dimensions`
EXAMPLE(etude::nn::init::_calculate_fan_in_and_fan_out) {
  const auto [fan_in, fan_out] = nn::init::_calculate_fan_in_and_fan_out(etude::empty({8, 4, 3, 3}));
  print(fan_in, fan_out);
}
