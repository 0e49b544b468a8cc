#include "support/example.h"

/// # Activations
///
/// Functions of one element, and the softmax and its kin. Most exist three times: as a function of tensors, in
/// `etude::nn::functional` with options, and as a module that stands in a Sequential.

/// - Shapes: [...] -> [...]
/// - Errors: `Boolean inputs not supported for relu`
EXAMPLE(etude::relu, etude::relu_, etude::nn::functional::relu, etude::nn::ReLU) {
  Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::relu(x));
  print(F::relu(x));
  print(nn::ReLU()(x));
  print(examples::message_of([&] { etude::relu(x > 0); }));
  print(etude::relu_(x));
}

/// - Shapes: [...] -> [...]
/// - Errors: `approximate argument must be either none or tanh.`
/// - Errors: `"GeluKernelImpl" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::gelu, etude::nn::functional::gelu, etude::nn::GELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::gelu(x));
  print(F::gelu(x, F::GELUFuncOptions().approximate("tanh")));
  print(nn::GELU()(x));
  print(examples::message_of([&] { etude::gelu(x, "erf"); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::tanh, etude::nn::Tanh) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::tanh(x));
  print(nn::Tanh()(x));
  print(examples::message_of([&] { etude::tensor({1}).tanh_(); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::sigmoid, etude::nn::Sigmoid) {
  const Tensor x = etude::tensor({0.0, 2.0});
  print(etude::sigmoid(x));
  print(nn::Sigmoid()(x));
  print(examples::message_of([&] { etude::tensor({1}).sigmoid_(); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"silu_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::silu, etude::nn::functional::silu, etude::nn::SiLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::silu(x));
  print(F::silu(x));
  print(nn::SiLU()(x));
  print(examples::message_of([&] { etude::silu(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"mish_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::mish, etude::nn::functional::mish, etude::nn::Mish) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::mish(x));
  print(F::mish(x));
  print(nn::Mish()(x));
  print(examples::message_of([&] { etude::mish(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"leaky_relu_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::leaky_relu, etude::nn::functional::leaky_relu, etude::nn::LeakyReLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::leaky_relu(x, 0.1));
  print(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.2)));
  print(nn::LeakyReLU()(x));
  print(examples::message_of([&] { etude::leaky_relu(etude::tensor({1})); }));
}

/// - Shapes: [n, channels, ...] or [...], weight [channels], or [1] for all -> like x
/// - Errors: `Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and channel size = 1.`
/// - Errors: `Not allow zero-dim input tensor.` where x has no dims and weight has several elements
EXAMPLE(etude::prelu, etude::nn::functional::prelu, etude::nn::PReLU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::prelu(x, etude::tensor({0.5})));
  print(F::prelu(x, etude::tensor({0.1})));
  print(nn::PReLU()(x).detach());
  print(examples::message_of([&] { etude::prelu(x, etude::ones({3})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"elu_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::elu, etude::nn::functional::elu, etude::nn::ELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::elu(x));
  print(F::elu(x, F::ELUFuncOptions().alpha(2)));
  print(nn::ELU()(x));
  print(examples::message_of([&] { etude::elu(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"elu_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::selu, etude::nn::functional::selu, etude::nn::SELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::selu(x));
  print(F::selu(x));
  print(nn::SELU()(x));
}

/// - Shapes: [...] -> [...]
/// - Errors: `ZeroDivisionError: alpha cannot be 0 for CELU`
/// - Errors: `"elu_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::celu, etude::nn::functional::celu, etude::nn::CELU) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::celu(x));
  print(F::celu(x, F::CELUFuncOptions().alpha(2)));
  print(nn::CELU()(x));
  print(examples::message_of([&] { etude::celu(x, 0); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"softplus_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::softplus, etude::nn::functional::softplus, etude::nn::Softplus) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::softplus(x));
  print(F::softplus(x, F::SoftplusFuncOptions().beta(2)));
  print(nn::Softplus()(x));
  print(examples::message_of([&] { etude::softplus(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"abs_cpu" not implemented for 'Bool'`
EXAMPLE(etude::nn::functional::softsign, etude::nn::Softsign) {
  const Tensor x = etude::tensor({-1.0, 3.0});
  print(F::softsign(x));
  print(nn::Softsign()(x));
  print(examples::message_of([&] { F::softsign(x > 0); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"log_sigmoid_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::log_sigmoid, etude::nn::functional::logsigmoid, etude::nn::LogSigmoid) {
  const Tensor x = etude::tensor({0.0, 2.0});
  print(etude::log_sigmoid(x));
  print(F::logsigmoid(x));
  print(nn::LogSigmoid()(x));
  print(examples::message_of([&] { F::logsigmoid(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: ``Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the
///   `~` or `logical_not()` operator instead.``
EXAMPLE(etude::nn::functional::tanhshrink, etude::nn::Tanhshrink) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(F::tanhshrink(x));
  print(nn::Tanhshrink()(x));
}

/// - Shapes: [..., 2 n, ...] -> [..., n, ...]
/// - Errors: `Halving dimension must be even, but dimension 0 is size 3`
/// - Errors: `glu does not support 0-dimensional tensors`, and of the functional and the module `glu does not support scalars
///   because halving size must be even`
EXAMPLE(etude::glu, etude::nn::functional::glu, etude::nn::GLU) {
  const Tensor x = etude::tensor({1.0, 2.0, 0.0, 9.0});
  print(etude::glu(x));
  print(F::glu(x, F::GLUFuncOptions().dim(0)));
  print(nn::GLU()(x));
  print(examples::message_of([&] { etude::glu(etude::ones({3})); }));
  print(examples::message_of([&] { F::glu(etude::tensor(1.0)); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"threshold_cpu" not implemented for 'Bool'`
EXAMPLE(etude::threshold, etude::nn::functional::threshold, etude::nn::Threshold) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::threshold(x, 0.5, 7));
  print(F::threshold(x, F::ThresholdFuncOptions(0.5, 7)));
  print(nn::Threshold(0.5, 7)(x));
  print(examples::message_of([&] { etude::threshold(x > 0, 0.5, 7); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `Bool inputs not supported for hardtanh`; of the module alone `max_val must be greater than min_val`
EXAMPLE(etude::hardtanh, etude::nn::functional::hardtanh, etude::nn::Hardtanh) {
  const Tensor x = etude::tensor({-3.0, 0.5});
  print(etude::hardtanh(x));
  print(F::hardtanh(x, F::HardtanhFuncOptions().min_val(-2).max_val(2)));
  print(nn::Hardtanh()(x));
  print(examples::message_of([&] { etude::hardtanh(x > 0); }));
  print(examples::message_of([&] { nn::Hardtanh(nn::HardtanhOptions().min_val(1).max_val(-1)); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `Bool inputs not supported for hardtanh`, which it is made of
EXAMPLE(etude::relu6, etude::nn::functional::relu6, etude::nn::ReLU6) {
  const Tensor x = etude::tensor({-1.0, 9.0});
  print(etude::relu6(x));
  print(F::relu6(x));
  print(nn::ReLU6()(x));
  print(examples::message_of([&] { etude::relu6(x > 0); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `"hardshrink_cpu" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::hardshrink, etude::nn::functional::hardshrink, etude::nn::Hardshrink) {
  const Tensor x = etude::tensor({0.3, 2.0});
  print(etude::hardshrink(x, 0.5));
  print(F::hardshrink(x));
  print(nn::Hardshrink()(x));
  print(examples::message_of([&] { etude::hardshrink(etude::tensor({1})); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: `lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1`
/// - Errors: `"softshrink_check" not implemented for 'Long'` where x holds integers
EXAMPLE(etude::softshrink, etude::nn::functional::softshrink, etude::nn::Softshrink) {
  const Tensor x = etude::tensor({0.3, 2.0});
  print(etude::softshrink(x, 0.5));
  print(F::softshrink(x));
  print(nn::Softshrink()(x));
  print(examples::message_of([&] { etude::softshrink(x, -1); }));
}

/// Positive numbers that add up to one.
///
/// - Shapes: [...] -> [...]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
/// - Errors: `"softmax_lastdim_kernel_impl" not implemented for 'Long'` where x holds integers and no dtype is given
EXAMPLE(etude::softmax, etude::nn::functional::softmax, etude::nn::Softmax) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::softmax(x, 0));
  print(F::softmax(x, 0));
  print(nn::Softmax(0)(x));
  print(etude::softmax(etude::tensor({0, 0}), 0, etude::kDouble));
  print(examples::message_of([&] { etude::softmax(x, 1); }));
  print(examples::message_of([&] { etude::softmax(etude::tensor({0, 0}), 0); }));
}

/// Finite where softmax itself would be 0.
///
/// - Shapes: [...] -> [...]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)`
/// - Errors: `"log_softmax_lastdim_kernel_impl" not implemented for 'Long'` where x holds integers and no dtype is given
EXAMPLE(etude::log_softmax, etude::nn::functional::log_softmax, etude::nn::LogSoftmax) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::log_softmax(x, 0));
  print(F::log_softmax(x, 0));
  print(nn::LogSoftmax(0)(x));
  print(examples::message_of([&] { etude::log_softmax(etude::tensor({0, 0}), 0); }));
}

/// - Shapes: [...] -> [...]
/// - Errors: those of softmax
EXAMPLE(etude::nn::functional::softmin, etude::nn::Softmin) {
  const Tensor x = etude::tensor({1.0, 2.0});
  print(F::softmin(x, 0));
  print(nn::Softmin(0)(x));
}

/// - Shapes: [...] -> [...]
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`
/// - Errors: `Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified
///   Long` where the logits hold integers
EXAMPLE(etude::nn::functional::gumbel_softmax) {
  etude::manual_seed(0);
  const Tensor logits = etude::tensor({{0.0, 0.0, 5.0}});
  print(F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().hard(true).dim(1)));
  print(examples::message_of([&] { F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().dim(2)); }));
}
