#include "support/example.h"

/// # Random numbers
///
/// The streams are those of PyTorch on a CPU, bit for bit: the same seed gives the same numbers there and here.

/// Seeds the generator that all functions use that are given none.
EXAMPLE(etude::manual_seed) {
  etude::manual_seed(1);
  print(etude::rand({2}));
  etude::manual_seed(1);
  print(etude::rand({2}));
}

EXAMPLE(etude::rand) {
  etude::manual_seed(0);
  print(etude::rand({2, 3}));
}

EXAMPLE(etude::randn) {
  etude::manual_seed(0);
  print(etude::randn({2, 3}));
}

/// Uniform, and normal, numbers of the sizes and dtype of another tensor.
EXAMPLE(etude::rand_like, etude::randn_like) {
  etude::manual_seed(0);
  const Tensor x = etude::zeros({3}, etude::kDouble);
  print(etude::rand_like(x));
  print(etude::randn_like(x));
}

EXAMPLE(etude::randint) {
  etude::manual_seed(0);
  print(etude::randint(10, {5}));
  print(etude::randint(-3, 4, {5}));
}

EXAMPLE(etude::randperm) {
  etude::manual_seed(0);
  print(etude::randperm(5));
}

EXAMPLE(etude::normal) {
  etude::manual_seed(0);
  print(etude::normal(10.0, 2.0, {3}));
}

EXAMPLE(etude::bernoulli) {
  etude::manual_seed(0);
  print(etude::bernoulli(etude::full({6}, 0.5)));
  print(etude::bernoulli(etude::tensor({0.0, 1.0})));
}

EXAMPLE(etude::multinomial) {
  etude::manual_seed(0);
  const Tensor weights = etude::tensor({0.0, 1.0, 3.0});
  print(etude::multinomial(weights, 2));
  print(etude::multinomial(weights, 6, /*replacement=*/true));
}

/// In place: uniform between two numbers, exponential with a rate, integers from a range.
EXAMPLE(etude::Tensor::uniform_, etude::Tensor::exponential_, etude::Tensor::random_) {
  etude::manual_seed(0);
  Tensor x = etude::zeros({3});
  print(x.uniform_(-1, 1));
  print(x.exponential_(2));
  print(x.random_(0, 10));
}

/// `default_generator()` is the one of all functions that are given none.
EXAMPLE(etude::Generator, etude::default_generator) {
  etude::Generator own = etude::default_generator().clone();
  own.set_current_seed(3);
  const Tensor first = etude::rand({2}, own);
  own.set_current_seed(3);
  print(etude::equal(first, etude::rand({2}, own)));
}
