#include "support/example.h"

/// # New tensors
///
/// Tensors from numbers, from a pattern, or like another tensor. Without options they are of the default dtype, float32, and
/// need no gradient; options are a dtype or a chain such as `etude::dtype(etude::kLong).requires_grad(true)`.

/// A tensor of the numbers given, nested as the tensor is. Integers give int64, bools bool, and all else the default dtype.
EXAMPLE(etude::tensor) {
  print(etude::tensor({{1, 2}, {3, 4}}));
  print(etude::tensor({0.5, 1.5}));
  print(etude::tensor(7, etude::kDouble));
}

/// All elements are zero; `zeros_out` fills a tensor that is there.
EXAMPLE(etude::zeros) {
  print(etude::zeros({2, 3}));
  print(etude::zeros({2}, etude::kLong));
}

/// All elements are one.
EXAMPLE(etude::ones) {
  print(etude::ones({2, 3}));
  print(etude::ones({2}, etude::kBool));
}

EXAMPLE(etude::full) {
  print(etude::full({2, 2}, 0.5));
  print(etude::full({2}, 7));
}

EXAMPLE(etude::empty) {
  Tensor x = etude::empty({2, 2});
  x.fill_(1);
  print(x.sizes(), x.dtype());
  print(x);
}

/// Tensors of the sizes and, without options, the dtype of another: `empty_like` leaves its elements uninitialised.
EXAMPLE(etude::empty_like, etude::zeros_like, etude::ones_like, etude::full_like) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::zeros_like(x));
  print(etude::ones_like(x, etude::kFloat));
  print(etude::full_like(x, 9));
  print(etude::empty_like(x).sizes());
}

EXAMPLE(etude::arange) {
  print(etude::arange(4));
  print(etude::arange(1, 10, 3));
  print(etude::arange(0, 1, 0.25));
}

EXAMPLE(etude::linspace) { print(etude::linspace(0, 1, 5)); }

EXAMPLE(etude::eye) {
  print(etude::eye(2));
  print(etude::eye(2, 3));
}

EXAMPLE(etude::scalar_tensor) {
  const Tensor x = etude::scalar_tensor(2.5);
  print(x, x.dim());
}

EXAMPLE(etude::from_blob) {
  std::vector<float> numbers{1, 2, 3, 4};
  const Tensor x = etude::from_blob(numbers.data(), {2, 2});
  numbers[0] = 9;  // the same memory
  print(x);
}

/// Options of a new tensor, by their names: each makes a TensorOptions, and further ones are chained.
EXAMPLE(etude::dtype, etude::requires_grad, etude::device, etude::layout, etude::TensorOptions) {
  const Tensor x = etude::zeros({2}, etude::dtype(etude::kDouble).requires_grad(true));
  print(x);
  print(etude::ones({2}, etude::device(etude::kCPU).dtype(etude::kInt)));
  print(etude::ones({2}, etude::requires_grad(true)).requires_grad());
  print(etude::ones({2}, etude::layout(etude::kStrided)));
}
