#include "support/example.h"

/// # Random numbers
///
/// The streams are those of PyTorch on a CPU, bit for bit: the same seed gives the same numbers there and here.

/// Functions that are given no generator draw from the default generator.
///
/// - Shapes: none
/// - Errors: none of its own
EXAMPLE(etude::manual_seed) {
  etude::manual_seed(1);
  print(etude::rand({2}));
  etude::manual_seed(1);
  print(etude::rand({2}));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `Trying to create tensor with negative dimension -1: [-1]`; `"check_uniform_bounds" not implemented for 'Long'`
///   where the options name no floating point dtype.
EXAMPLE(etude::rand) {
  etude::manual_seed(0);
  print(etude::rand({2, 3}));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `Trying to create tensor with negative dimension -1: [-1]`; `"normal_kernel_cpu" not implemented for 'Long'` where
///   the options name no floating point dtype.
EXAMPLE(etude::randn) {
  etude::manual_seed(0);
  print(etude::randn({2, 3}));
}

/// Uniform, and normal, numbers of the sizes and dtype of another tensor.
///
/// - Shapes: like [*] -> [*]
/// - Errors: `"check_uniform_bounds" not implemented for 'Long'`, `"normal_kernel_cpu" not implemented for 'Long'` where the
///   dtype is not floating point.
EXAMPLE(etude::rand_like, etude::randn_like) {
  etude::manual_seed(0);
  const Tensor x = etude::zeros({3}, etude::kDouble);
  print(etude::rand_like(x));
  print(etude::randn_like(x));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `random_ expects 'from' to be less than 'to', but got from=3 >= to=3`; `to - 1 is out of bounds for unsigned char`
///   where the dtype cannot hold the numbers.
EXAMPLE(etude::randint) {
  etude::manual_seed(0);
  print(etude::randint(10, {5}));
  print(etude::randint(-3, 4, {5}));
  print(examples::message_of([&] { etude::randint(3, 3, {5}); }));
}

/// - Shapes: -> [n]
/// - Errors: `Trying to create tensor with negative dimension -1: [-1]`; `value cannot be converted to type uint8_t without
///   overflow` where the dtype cannot hold n.
EXAMPLE(etude::randperm) {
  etude::manual_seed(0);
  print(etude::randperm(5));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `normal expects std >= 0.0, but found std -1`.
EXAMPLE(etude::normal) {
  etude::manual_seed(0);
  print(etude::normal(10.0, 2.0, {3}));
  print(examples::message_of([&] { etude::normal(0.0, -1.0, {3}); }));
}

/// - Shapes: p [*] -> [*]
/// - Errors: `Expected p_in >= 0 && p_in <= 1 to be true, but got false. ...` where a number is no probability;
///   `"bernoulli_tensor_cpu_p_" not implemented for 'Long'`.
EXAMPLE(etude::bernoulli) {
  etude::manual_seed(0);
  print(etude::bernoulli(etude::full({6}, 0.5)));
  print(etude::bernoulli(etude::tensor({0.0, 1.0})));
}

/// - Shapes: weights [n] -> [num_samples], [rows, n] -> [rows, num_samples], int64
/// - Errors: `cannot sample n_sample > prob_dist.size(-1) samples without replacement`; `cannot sample n_sample <= 0 samples`;
///   `prob_dist must be 1 or 2 dim`; `multinomial only supports floating-point dtypes for input, got: Long`;
///   ``probability tensor contains either `inf`, `nan` or element < 0``;
///   `invalid multinomial distribution (sum of probabilities <= 0)`.
EXAMPLE(etude::multinomial) {
  etude::manual_seed(0);
  const Tensor weights = etude::tensor({0.0, 1.0, 3.0});
  print(etude::multinomial(weights, 2));
  print(etude::multinomial(weights, 6, /*replacement=*/true));
  print(examples::message_of([&] { etude::multinomial(weights, 4); }));
}

/// Replaces all elements: by uniform numbers between two bounds, by exponential ones with a rate, by integers from a range.
///
/// - Shapes: x [*] -> [*]
/// - Errors: `uniform_ expects to return a [from, to) range, but found from=1 > to=0`; `exponential_ expects lambda > 0.0, but
///   found lambda=-1`; `random_ expects 'from' to be less than 'to', but got from=3 >= to=3`; `"check_uniform_bounds" not
///   implemented for 'Long'` and `Exponential distribution is a continuous probability distribution. dtype must be a floating
///   point but you specified Long` where the dtype is not floating point.
EXAMPLE(etude::Tensor::uniform_, etude::Tensor::exponential_, etude::Tensor::random_) {
  etude::manual_seed(0);
  Tensor x = etude::zeros({3});
  print(x.uniform_(-1, 1));
  print(x.exponential_(2));
  print(x.random_(0, 10));
}

/// - Shapes: the state [5056], uint8
/// - Units: the state in bytes
/// - Errors: `RNG state must be a torch.ByteTensor` and `Invalid mt19937 state` from `set_state`.
EXAMPLE(etude::Generator, etude::default_generator) {
  etude::Generator own = etude::default_generator().clone();
  own.set_current_seed(3);
  const Tensor first = etude::rand({2}, own);
  own.set_current_seed(3);
  print(etude::equal(first, etude::rand({2}, own)));
}
