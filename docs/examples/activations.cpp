#include "support/example.h"

/// # Activations
///
/// Functions of one element, and the softmax and its kin. Most exist three times: as a function of tensors, in
/// `etude::nn::functional` with options, and as a module that stands in a Sequential.

EXAMPLE(etude::relu, etude::nn::functional::relu, etude::nn::ReLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::relu(x));
  print(F::relu(x));
  print(nn::ReLU()(x));
}

EXAMPLE(etude::gelu, etude::nn::functional::gelu, etude::nn::GELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::gelu(x));
  print(F::gelu(x, F::GELUFuncOptions().approximate("tanh")));
  print(nn::GELU()(x));
}

/// (e^x - e^-x) / (e^x + e^-x)
EXAMPLE(etude::tanh, etude::nn::Tanh) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::tanh(x));
  print(nn::Tanh()(x));
}

/// 1 / (1 + exp(-x))
EXAMPLE(etude::sigmoid, etude::nn::Sigmoid) {
  const Tensor x = etude::tensor({0.0, 2.0});
  print(etude::sigmoid(x));
  print(nn::Sigmoid()(x));
}

EXAMPLE(etude::silu, etude::nn::SiLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::silu(x));
  print(nn::SiLU()(x));
}

EXAMPLE(etude::mish, etude::nn::Mish) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::mish(x));
  print(nn::Mish()(x));
}

EXAMPLE(etude::leaky_relu, etude::nn::functional::leaky_relu, etude::nn::LeakyReLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::leaky_relu(x, 0.1));
  print(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.2)));
  print(nn::LeakyReLU()(x));
}

EXAMPLE(etude::prelu, etude::nn::PReLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::prelu(x, etude::tensor({0.5})));
  print(nn::PReLU()(x).detach());
}

EXAMPLE(etude::elu, etude::nn::functional::elu, etude::nn::ELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::elu(x));
  print(F::elu(x, F::ELUFuncOptions().alpha(2)));
  print(nn::ELU()(x));
}

EXAMPLE(etude::selu, etude::nn::functional::selu, etude::nn::SELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::selu(x));
  print(F::selu(x));
  print(nn::SELU()(x));
}

EXAMPLE(etude::celu, etude::nn::functional::celu, etude::nn::CELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::celu(x));
  print(F::celu(x, F::CELUFuncOptions().alpha(2)));
  print(nn::CELU()(x));
}

EXAMPLE(etude::softplus, etude::nn::functional::softplus, etude::nn::Softplus) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::softplus(x));
  print(F::softplus(x, F::SoftplusFuncOptions().beta(2)));
  print(nn::Softplus()(x));
}

EXAMPLE(etude::nn::functional::softsign, etude::nn::Softsign) {
  const Tensor x = etude::tensor({-1.0, 3.0});
  print(F::softsign(x));
  print(nn::Softsign()(x));
}

EXAMPLE(etude::log_sigmoid, etude::nn::functional::logsigmoid, etude::nn::LogSigmoid) {
  const Tensor x = etude::tensor({0.0, 2.0});
  print(etude::log_sigmoid(x));
  print(F::logsigmoid(x));
  print(nn::LogSigmoid()(x));
}

EXAMPLE(etude::nn::functional::tanhshrink, etude::nn::Tanhshrink) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(F::tanhshrink(x));
  print(nn::Tanhshrink()(x));
}

EXAMPLE(etude::glu, etude::nn::functional::glu, etude::nn::GLU) {
  const Tensor x = etude::tensor({1.0, 2.0, 0.0, 9.0});
  print(etude::glu(x));
  print(F::glu(x, F::GLUFuncOptions().dim(0)));
  print(nn::GLU()(x));
}

EXAMPLE(etude::threshold, etude::nn::functional::threshold, etude::nn::Threshold) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::threshold(x, 0.5, 7));
  print(F::threshold(x, F::ThresholdFuncOptions(0.5, 7)));
  print(nn::Threshold(0.5, 7)(x));
}

EXAMPLE(etude::hardtanh, etude::nn::functional::hardtanh, etude::nn::Hardtanh) {
  const Tensor x = etude::tensor({-3.0, 0.5});
  print(etude::hardtanh(x));
  print(F::hardtanh(x, F::HardtanhFuncOptions().min_val(-2).max_val(2)));
  print(nn::Hardtanh()(x));
}

EXAMPLE(etude::relu6, etude::nn::functional::relu6, etude::nn::ReLU6) {
  const Tensor x = etude::tensor({-1.0, 9.0});
  print(etude::relu6(x));
  print(F::relu6(x));
  print(nn::ReLU6()(x));
}

EXAMPLE(etude::hardshrink, etude::nn::functional::hardshrink, etude::nn::Hardshrink) {
  const Tensor x = etude::tensor({0.3, 2.0});
  print(etude::hardshrink(x, 0.5));
  print(F::hardshrink(x));
  print(nn::Hardshrink()(x));
}

EXAMPLE(etude::softshrink, etude::nn::functional::softshrink, etude::nn::Softshrink) {
  const Tensor x = etude::tensor({0.3, 2.0});
  print(etude::softshrink(x, 0.5));
  print(F::softshrink(x));
  print(nn::Softshrink()(x));
}

/// exp(x) over its sum along a dim: positive numbers that add up to one.
EXAMPLE(etude::softmax, etude::nn::functional::softmax, etude::nn::Softmax) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::softmax(x, 0));
  print(F::softmax(x, 0));
  print(nn::Softmax(0)(x));
}

/// The logarithm of softmax, without its overflow.
EXAMPLE(etude::log_softmax, etude::nn::functional::log_softmax, etude::nn::LogSoftmax) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::log_softmax(x, 0));
  print(F::log_softmax(x, 0));
  print(nn::LogSoftmax(0)(x));
}

EXAMPLE(etude::nn::functional::softmin, etude::nn::Softmin) {
  const Tensor x = etude::tensor({1.0, 2.0});
  print(F::softmin(x, 0));
  print(nn::Softmin(0)(x));
}

EXAMPLE(etude::nn::functional::gumbel_softmax) {
  etude::manual_seed(0);
  const Tensor logits = etude::tensor({{0.0, 0.0, 5.0}});
  print(F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().hard(true).dim(1)));
}
