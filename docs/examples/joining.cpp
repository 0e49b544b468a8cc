#include "support/example.h"

/// # Joining, repeating and sorting
///
/// Several tensors joined to one, and the elements of one tensor in another order, repeated, or without repetitions.

/// Joins tensors along a dim that they have; the sizes of all other dims have to agree.
///
/// - Shapes: a [n, *], b [m, *] -> [n + m, *]
/// - Errors: `Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in the
///   list.`; `Tensors must have same number of dimensions: got 2 and 1`; `torch.cat(): expected a non-empty list of Tensors`;
///   `zero-dimensional tensor (at position 0) cannot be concatenated`.
EXAMPLE(etude::cat, etude::concat, etude::concatenate) {
  const Tensor a = etude::tensor({{1, 2}}), b = etude::tensor({{3, 4}, {5, 6}});
  print(etude::cat({a, b}));
  print(etude::concat({b, b}, 1));
  print(etude::concatenate({a, a}, -1));
  print(examples::message_of([&] { etude::cat({a, b}, 1); }));
}

/// Joins tensors of the same sizes along a new dim.
///
/// - Shapes: k tensors [*] -> [k, *], or k in the place of another dim
/// - Errors: `stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [4] at entry 1`; `stack expects a
///   non-empty TensorList`.
EXAMPLE(etude::stack) {
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4});
  print(etude::stack({a, b}));
  print(etude::stack({a, b}, 1));
  print(examples::message_of([&] { etude::stack({a, etude::tensor({1, 2, 3})}); }));
}

/// - Shapes: a [n], b [m] -> [n + m]; a [k, n], b [k, m] -> [k, n + m]. `vstack`: a [n], b [n] -> [2, n]; a [n, k], b [m, k] ->
///   [n + m, k]
/// - Errors: `hstack expects a non-empty TensorList`, `vstack expects a non-empty TensorList`; those of `cat`.
EXAMPLE(etude::hstack, etude::vstack, etude::row_stack) {
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4});
  print(etude::hstack({a, b}));
  print(etude::vstack({a, b}));
  print(etude::row_stack({a, b}).sizes());
}

/// The elements of the dims given in opposite order; a copy.
///
/// - Shapes: x [*] -> [*]
/// - Errors: `dim 0 appears multiple times in the list of dims`.
EXAMPLE(etude::flip) { print(etude::flip(etude::tensor({{1, 2, 3}, {4, 5, 6}}), {1})); }

/// Shifts the elements along dims, or those of the flattened tensor; elements shifted off one end come in at the other.
///
/// - Shapes: x [*] -> [*]
/// - Errors: `shifts and dimensions must align. shifts: 2, dims:1`; `` `shifts` required ``.
EXAMPLE(etude::roll) {
  print(etude::roll(etude::arange(5), 2));
  print(etude::roll(etude::tensor({{1, 2}, {3, 4}}), 1, 0));
}

/// - Shapes: x [*] -> [sum of repeats], or x [n, *] with a dim -> [sum of repeats, *]
/// - Errors: `Repeats must be non-negative`; `repeats must have the same size as input along dim, but got repeats.size(0) = 3 and
///   input.size(0) = 2`; `repeats must be 0-dim or 1-dim tensor`; `repeat_interleave only accept 1D vector as repeat`.
EXAMPLE(etude::repeat_interleave) {
  print(etude::repeat_interleave(etude::tensor({7, 8}), 2));
  print(etude::repeat_interleave(etude::tensor({2, 0, 1})));
}

/// - Shapes: [n, m], dims [a, b] -> [a n, b m]; dims that either lacks in front are 1
/// - Errors: `Trying to create tensor with negative dimension -2: [-2]`
EXAMPLE(etude::tile) {
  const Tensor x = etude::tensor({7, 8});
  print(etude::tile(x, {2}));
  print(x.tile({2, 1}));
  print(examples::message_of([&] { etude::tile(x, {-1}); }));
}

/// - Shapes: [n], [m] -> twice [n, m], or [m, n] of "xy"
/// - Errors: `torch.meshgrid: indexing must be one of "xy" or "ij", but received: xz`; `meshgrid expects all tensors to have
///   the same dtype`; `meshgrid expects a non-empty TensorList`.
EXAMPLE(etude::meshgrid) {
  for (const Tensor& x : etude::meshgrid({etude::arange(2), etude::arange(3)}, "ij")) print(x);
}

/// The elements along a dim in order, and the index that each of them had; `argsort` gives only the indices.
///
/// - Shapes: x [*] -> values [*] and indices [*]
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`.
EXAMPLE(etude::sort, etude::argsort) {
  const Tensor x = etude::tensor({3, 1, 2});
  const auto [values, indices] = etude::sort(x);
  print(values, indices);
  print(etude::argsort(x, -1, /*descending=*/true));
}

/// - Shapes: x [*, n] -> values [*, k] and indices [*, k]
/// - Errors: `selected index k out of range`.
EXAMPLE(etude::topk) {
  const Tensor x = etude::tensor({0.1, 0.7, 0.2});
  const auto [values, indices] = etude::topk(x, 2);
  print(values, indices);
  print(examples::message_of([&] { etude::topk(x, 4); }));
}

/// - Shapes: sequence [n] and values [*] -> [*]; or [..., n] and [..., m] -> [..., m]
/// - Errors: `torch.searchsorted(): side can only be 'left' or 'right' but got up`
/// - Errors: `boundaries tensor must be 1 dimension, but got dim(2)`
EXAMPLE(etude::searchsorted, etude::bucketize) {
  const Tensor limits = etude::tensor({1., 3., 5.}), x = etude::tensor({0.5, 3., 4.});
  print(etude::searchsorted(limits, x));
  print(etude::searchsorted(limits, x, false, false, "right"));
  print(etude::bucketize(x, limits, /*out_int32=*/true, /*right=*/true));
  print(examples::message_of([&] { etude::searchsorted(limits, x, false, false, "up"); }));
  print(examples::message_of([&] { etude::bucketize(x, etude::ones({1, 3})); }));
}

/// Each value once. The `dim` forms compare whole slices, the `consecutive` forms only neighbours.
///
/// - Shapes: x [*] -> values [count], places [*], counts [count]; of a dim x [n, *] -> [count, *], [n], [count]
/// - Errors: `There are 0 sized dimensions, and they aren't selected, so unique cannot be applied` from the forms with a dim.
EXAMPLE(etude::_unique, etude::_unique2, etude::unique_dim, etude::unique_consecutive,
        etude::unique_dim_consecutive) {
  const Tensor x = etude::tensor({2, 2, 1, 2});
  print(std::get<0>(etude::_unique(x)));
  const auto [values, places, counts] = etude::_unique2(x, true, true, true);
  print(values, places, counts);
  print(std::get<0>(etude::unique_consecutive(x)));
  const Tensor rows = etude::tensor({{1, 2}, {1, 2}, {0, 0}});
  print(std::get<0>(etude::unique_dim(rows, 0)));
  print(std::get<0>(etude::unique_dim_consecutive(rows, 0)));
}
