#include "support/example.h"

/// # New tensors
///
/// Tensors from numbers, from a pattern, or like another tensor. Without options they are of the default dtype, float32, and
/// need no gradient; options are a dtype or a chain such as `etude::dtype(etude::kLong).requires_grad(true)`.

/// Bools give a tensor of bools.
///
/// - Shapes: as the lists are nested: 1.5 -> [], {1, 2} -> [2], {{1, 2}, {3, 4}} -> [2, 2]
/// - Errors: `Expected all sub-lists to have sizes: 2 (e.g. {1, 2}), but got sub-list {3} with sizes: 1`; `value cannot be
///   converted to type uint8_t without overflow` where the dtype of the options cannot hold a number.
EXAMPLE(etude::tensor) {
  print(etude::tensor({{1, 2}, {3, 4}}));
  print(etude::tensor({0.5, 1.5}));
  print(etude::tensor(7, etude::kDouble));
  print(examples::message_of([&] { etude::tensor({{1, 2}, {3}}); }));
}

/// All elements are zero.
///
/// - Shapes: sizes -> [*sizes]
/// - Errors: `zeros: Dimension size must be non-negative.`; `Only Tensors of floating point and complex dtype can
///   require gradients`.
EXAMPLE(etude::zeros) {
  print(etude::zeros({2, 3}));
  print(etude::zeros({2}, etude::kLong));
  print(examples::message_of([&] { etude::zeros({-1}); }));
}

/// All elements are one.
///
/// - Shapes: sizes -> [*sizes]
/// - Errors: those of `zeros`.
EXAMPLE(etude::ones) {
  print(etude::ones({2, 3}));
  print(etude::ones({2}, etude::kBool));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `value cannot be converted to type uint8_t without overflow` where the dtype cannot hold the value; those of
///   `zeros`.
EXAMPLE(etude::full) {
  print(etude::full({2, 2}, 0.5));
  print(etude::full({2}, 7));
  print(examples::message_of([&] { etude::full({2}, 300, etude::kByte); }));
}

/// - Shapes: sizes -> [*sizes]
/// - Errors: `Storage size calculation overflowed with sizes=[4611686018427387904, 8]` where an int64 cannot count the bytes;
///   those of `zeros`.
EXAMPLE(etude::empty) {
  Tensor x = etude::empty({2, 2});
  x.fill_(1);
  print(x.sizes(), x.dtype());
  print(x);
}

/// Tensors of the sizes and, without options, the dtype of another: `empty_like` leaves its elements uninitialised.
///
/// - Shapes: like [*] -> [*]
/// - Errors: `value cannot be converted to type int64_t without overflow` where `full_like` gets a number that the dtype cannot
///   hold; `Only Tensors of floating point and complex dtype can require gradients`.
EXAMPLE(etude::empty_like, etude::zeros_like, etude::ones_like, etude::full_like) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::zeros_like(x));
  print(etude::ones_like(x, etude::kFloat));
  print(etude::full_like(x, 9));
  print(etude::empty_like(x).sizes());
}

/// - Shapes: -> [ceil((end - start) / step)]
/// - Errors: `step must be nonzero`; `upper bound and lower bound inconsistent with step sign`; `unsupported range: 0 -> inf`
///   where a bound is no finite number; `"arange_cpu" not implemented for 'Bool'`.
EXAMPLE(etude::arange) {
  print(etude::arange(4));
  print(etude::arange(1, 10, 3));
  print(etude::arange(0, 1, 0.25));
  print(examples::message_of([&] { etude::arange(1, 0); }));
}

/// - Shapes: -> [steps]
/// - Errors: `number of steps must be non-negative`; `"linspace_cpu" not implemented for 'Bool'`.
EXAMPLE(etude::linspace) { print(etude::linspace(0, 1, 5)); }

/// - Shapes: -> [n, n] or [n, m]
/// - Errors: `n must be greater or equal to 0, got -1`, and the same of m.
EXAMPLE(etude::eye) {
  print(etude::eye(2));
  print(etude::eye(2, 3));
}

/// - Shapes: -> []
/// - Errors: `value cannot be converted to type float without overflow` where the dtype cannot hold it.
EXAMPLE(etude::scalar_tensor) {
  const Tensor x = etude::scalar_tensor(2.5);
  print(x, x.dim());
}

/// - Shapes: sizes -> [*sizes]
/// - Units: strides in elements
/// - Errors: `from_blob: the data is a null pointer`, where LibTorch crashes later; `Trying to create tensor with negative
///   dimension -1: [-1]`.
EXAMPLE(etude::from_blob) {
  std::vector<float> numbers{1, 2, 3, 4};
  const Tensor x = etude::from_blob(numbers.data(), {2, 2});
  numbers[0] = 9;  // the same memory
  print(x);
}

/// Each of these functions makes a TensorOptions with one option; further options are chained.
///
/// - Shapes: none
/// - Errors: none of its own; what makes a tensor of the options refuses them.
EXAMPLE(etude::dtype, etude::requires_grad, etude::device, etude::layout, etude::TensorOptions) {
  const Tensor x = etude::zeros({2}, etude::dtype(etude::kDouble).requires_grad(true));
  print(x);
  print(etude::ones({2}, etude::device(etude::kCPU).dtype(etude::kInt)));
  print(etude::ones({2}, etude::requires_grad(true)).requires_grad());
  print(etude::ones({2}, etude::layout(etude::kStrided)));
}
