#include "support/example.h"

/// # Shapes and views
///
/// A view is another tensor over the same memory: what is written to one is seen through the other. `clone` and
/// `diag` copy, and so do `reshape`, `reshape_as` and `flatten` where no view is possible. The others copy nothing.

/// A copy with memory of its own; gradients go through it.
///
/// - Shapes: x [*] -> [*]
/// - Errors: none of its own
EXAMPLE(etude::clone) {
  const Tensor x = etude::zeros({2});
  const Tensor copy = etude::clone(x);
  x.fill_(1);
  print(x, copy);
}

/// The same elements in other sizes; one of them may be -1 and follows from the others. A view if that is possible.
///
/// - Shapes: x [*], sizes of as many elements -> [*sizes]
/// - Errors: `shape '[4]' is invalid for input of size 6`; `only one dimension can be inferred`; `invalid shape dimension -2 at
///   index 0 of shape [-2, 3]`.
EXAMPLE(etude::reshape) {
  const Tensor x = etude::arange(6);
  print(etude::reshape(x, {2, 3}));
  print(x.reshape({-1, 2}).sizes());
  print(examples::message_of([&] { x.reshape({4}); }));
}

/// Dims from `start_dim` to `end_dim` become one: [a, b, c] -> [a * b * c].
///
/// - Shapes: x [a, b, c] -> [a b c], or [a, b c] from dim 1 on; x [] -> [1]
/// - Errors: `flatten() has invalid args: start_dim cannot come after end_dim`.
EXAMPLE(etude::flatten) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(etude::flatten(x).sizes());
  print(x.flatten(1).sizes());
}

/// The dims in another order: dim i of the result is dim `dims[i]`.
///
/// - Shapes: x [a, b, c], dims {2, 0, 1} -> [c, a, b]
/// - Errors: `permute(): duplicate dims are not allowed.`; `Dimension out of range (expected to be in range of [-3, 2], but got
///   3)`; where there are not as many dims, `permute(sparse_coo): number of dimensions in the tensor input does not match the
///   length of the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1`.
EXAMPLE(etude::permute) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(etude::permute(x, {2, 0, 1}).sizes());
}

/// Two dims change places.
///
/// - Shapes: x [a, b, c] -> [a, c, b] of dims 1 and 2
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`.
EXAMPLE(etude::transpose, etude::swapaxes, etude::swapdims) {
  const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}});
  print(etude::transpose(x, 0, 1));
  print(etude::swapaxes(x, -1, -2).sizes(), etude::swapdims(x, 0, 1).sizes());
}

/// The transposed matrix; a vector stays what it is.
///
/// - Shapes: x [n, m] -> [m, n]; [n] -> [n]
/// - Errors: `t() expects a tensor with <= 2 dimensions, but self is 3D`.
EXAMPLE(etude::t) { print(etude::t(etude::tensor({{1, 2}, {3, 4}}))); }

/// The tensor without its dims of size 1, or without `dim` alone if its size is 1.
///
/// - Shapes: x [1, n, 1] -> [n], or [n, 1] without dim 0
/// - Errors: `Dimension out of range (expected to be in range of [-3, 2], but got 3)`.
EXAMPLE(etude::squeeze) {
  const Tensor x = etude::zeros({1, 3, 1});
  print(etude::squeeze(x).sizes());
  print(x.squeeze(0).sizes());
  print(examples::message_of([&] { x.squeeze(3); }));
}

/// The tensor with a new dim of size 1 at position `dim`.
///
/// - Shapes: x [n] -> [1, n] of dim 0, [n, 1] of dim 1 or -1
/// - Errors: `Dimension out of range (expected to be in range of [-2, 1], but got 2)`.
EXAMPLE(etude::unsqueeze) {
  const Tensor x = etude::tensor({1, 2});
  print(etude::unsqueeze(x, 0));
  print(x.unsqueeze(-1));
}

/// The slice at one index of a dim. The result does not have this dim.
///
/// - Shapes: x [n, m] -> [m] of dim 0, [n] of dim 1
/// - Errors: `select(): index 2 out of range for tensor of size [2, 3] at dimension 0`; `select() cannot be applied to a 0-dim
///   tensor.`
EXAMPLE(etude::select) {
  const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}});
  print(etude::select(x, 1, -1));
}

/// The `length` slices of a dim that begin at `start`.
///
/// - Shapes: x [n] -> [length]
/// - Errors: `start (1) + length (2) exceeds dimension size (2).`; `narrow() cannot be applied to a 0-dim tensor.`
EXAMPLE(etude::narrow) {
  const Tensor x = etude::arange(6);
  print(etude::narrow(x, 0, 2, 3));
  print(examples::message_of([&] { etude::narrow(x, 0, 4, 3); }));
}

/// Every `step`-th slice of a dim, from `start` up to but not including `end`.
///
/// - Shapes: x [n] -> [ceil((end - start) / step)], with start and end brought into 0 ... n
/// - Errors: `slice step must be positive`; `slice() cannot be applied to a 0-dim tensor.`
EXAMPLE(etude::slice) {
  const Tensor x = etude::arange(6);
  print(etude::slice(x, 0, 1, 5, 2));
}

/// The diagonal of a matrix, or the one that lies `offset` to the right of it.
///
/// - Shapes: x [..., n, m] of its last two dims -> [..., min(n, m)], or fewer for another than the main diagonal
/// - Errors: `diagonal dimensions cannot be identical 0, 0`.
EXAMPLE(etude::diagonal) {
  const Tensor x = etude::arange(9).view({3, 3});
  print(etude::diagonal(x));
  print(etude::diagonal(x, 1));
}

/// - Shapes: matrix [n, m] -> [min(n, m)], or fewer for another than the main diagonal; vector [n] ->
///   [n + |diagonal|, n + |diagonal|]
/// - Errors: `diag(): Supports 1D or 2D tensors. Got 3D`
EXAMPLE(etude::diag) {
  print(etude::diag(etude::tensor({{1, 2, 3}, {4, 5, 6}}), 1));
  print(etude::diag(etude::tensor({1, 2})));
  print(etude::diag(etude::tensor({1, 2}), -1));
}

/// - Shapes: n tensors [...] -> n views [...] of the shape that all broadcast to
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::broadcast_tensors) {
  const auto views = etude::broadcast_tensors({etude::tensor({{1}, {2}}), etude::tensor({7, 8, 9})});
  print(views[0]);
  print(views[1]);
  print(examples::message_of([] { etude::broadcast_tensors({etude::ones({2}), etude::ones({3})}); }));
}

/// Any sizes and strides, counted in elements, over the memory of a tensor.
///
/// - Shapes: sizes -> [*sizes]
/// - Units: strides and offset in elements
/// - Errors: `setStorage: sizes [7], strides [1], storage offset 0, and itemsize 8 requiring a storage size of 56 are out of
///   bounds for storage of size 48`; `as_strided: Negative strides are not supported at the moment, got strides: [-1]`;
///   `mismatch in length of strides and shape`.
EXAMPLE(etude::as_strided) {
  const Tensor x = etude::arange(5);
  print(etude::as_strided(x, {3, 3}, {1, 1}));  // windows
}

/// Parts of a dim: each `split_size` long and the last as long as the rest, or of the sizes given.
///
/// - Shapes: x [n, *] -> parts [split_size, *], or [split_sizes[i], *]
/// - Errors: `split_size can only be 0 if dimension size is 0, but got dimension size of 2`; `split expects split_size be
///   non-negative, but got split_size=-1`; `split_with_sizes expects split_sizes to sum exactly to 2 (input tensor's size at
///   dimension 0), but got split_sizes=[1, 2]`.
EXAMPLE(etude::split, etude::split_with_sizes) {
  const Tensor x = etude::arange(5);
  for (const Tensor& part : etude::split(x, 2)) print(part);
  for (const Tensor& part : etude::split_with_sizes(x, {1, 4})) print(part);
}

/// At most `chunks` parts of a dim, all of the same size except perhaps the last.
///
/// - Shapes: x [n, *] -> parts [ceil(n / chunks), *]
/// - Errors: ``chunk expects `chunks` to be greater than 0, got: 0``; `chunk expects at least a 1-dimensional tensor`.
EXAMPLE(etude::chunk) {
  for (const Tensor& part : etude::chunk(etude::arange(5), 2)) print(part);
}

/// All slices of a dim.
///
/// - Shapes: x [n, *] -> n times [*]
/// - Errors: `Dimension specified as 0 but tensor has no dimensions`.
EXAMPLE(etude::unbind) {
  for (const Tensor& row : etude::unbind(etude::tensor({{1, 2}, {3, 4}}))) print(row);
}

/// The same memory in other sizes. It is an error if the strides do not allow it; `reshape` copies then. `view_as` and
/// `reshape_as` take the sizes of another tensor.
///
/// - Shapes: x [*], sizes of as many elements -> [*sizes]
/// - Errors: `shape '[4]' is invalid for input of size 6`; where the strides do not allow it, `view size is not compatible with
///   input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.`
EXAMPLE(etude::Tensor::view, etude::Tensor::view_as, etude::Tensor::reshape_as) {
  const Tensor x = etude::arange(4);
  print(x.view({2, 2}));
  print(x.view_as(etude::zeros({4, 1})).sizes());
  print(x.view({2, 2}).t().reshape_as(x));
  print(examples::message_of([&] { x.view({2, 2}).t().view({4}); }));
}

/// One dim becomes several: the opposite of `flatten`.
///
/// - Shapes: x [a, b c], dim 1, sizes {b, c} -> [a, b, c]
/// - Errors: `unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) in the input tensor`; `unflatten:
///   sizes must be non-empty`.
EXAMPLE(etude::Tensor::unflatten) { print(etude::zeros({2, 6}).unflatten(1, {2, 3}).sizes()); }

/// Dims of size 1 are repeated without a copy; -1 leaves a dim as it is, and new dims may stand in front.
///
/// - Shapes: x [n, 1], sizes {k, n, m} -> [k, n, m]
/// - Errors: `The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target sizes:
///   [2, 4].  Tensor sizes: [2, 3]`; `The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension
///   0`.
EXAMPLE(etude::Tensor::expand, etude::Tensor::expand_as) {
  const Tensor column = etude::tensor({{1}, {2}});
  print(column.expand({2, 3}));
  print(column.expand_as(etude::zeros({2, 2})).strides());
  print(examples::message_of([&] { column.expand({3, 3}); }));
}

/// `numpy_T` reverses the order of the dims, `mT` exchanges the last two.
///
/// - Shapes: x [a, b, c] -> [c, b, a] of `numpy_T`, [a, c, b] of `mT`
/// - Errors: `tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.`
EXAMPLE(etude::Tensor::numpy_T, etude::Tensor::mT) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(x[0].numpy_T().sizes());
  print(x.mT().sizes());
}

/// Windows of a dim: `size` long, `step` apart, in a new last dim.
///
/// - Shapes: x [n] -> [(n - size) / step + 1, size], rounded down
/// - Errors: `maximum size for tensor at dimension 0 is 2 but size is 3`; `step is 0 but must be > 0`.
EXAMPLE(etude::Tensor::unfold) { print(etude::arange(6).unfold(0, 3, 1)); }
