#include "support/example.h"

/// # Shapes and views
///
/// A view is another tensor over the same memory: what is written to one is seen through the other. Nothing here copies, apart
/// from `clone`, and `reshape` and `flatten` where no view is possible.

/// A copy with memory of its own; gradients go through it.
EXAMPLE(etude::clone) {
  const Tensor x = etude::zeros({2});
  const Tensor copy = etude::clone(x);
  x.fill_(1);
  print(x, copy);
}

/// The same elements in other sizes; one of them may be -1 and follows from the others. A view if that is possible.
EXAMPLE(etude::reshape) {
  const Tensor x = etude::arange(6);
  print(etude::reshape(x, {2, 3}));
  print(x.reshape({-1, 2}).sizes());
}

/// Dims from `start_dim` to `end_dim` become one: [a, b, c] -> [a * b * c].
EXAMPLE(etude::flatten) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(etude::flatten(x).sizes());
  print(x.flatten(1).sizes());
}

/// The dims in another order: dim i of the result is dim `dims[i]`.
EXAMPLE(etude::permute) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(etude::permute(x, {2, 0, 1}).sizes());
}

/// Two dims change places.
EXAMPLE(etude::transpose, etude::swapaxes) {
  const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}});
  print(etude::transpose(x, 0, 1));
  print(etude::swapaxes(x, -1, -2).sizes());
}

/// The transposed matrix; a vector stays what it is.
EXAMPLE(etude::t) { print(etude::t(etude::tensor({{1, 2}, {3, 4}}))); }

/// Without the dims of size 1, or without that one.
EXAMPLE(etude::squeeze) {
  const Tensor x = etude::zeros({1, 3, 1});
  print(etude::squeeze(x).sizes());
  print(x.squeeze(0).sizes());
}

/// With a dim of size 1 more, in front of dim `dim`.
EXAMPLE(etude::unsqueeze) {
  const Tensor x = etude::tensor({1, 2});
  print(etude::unsqueeze(x, 0));
  print(x.unsqueeze(-1));
}

/// The slice at one index of a dim, which is gone in the result.
EXAMPLE(etude::select) {
  const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}});
  print(etude::select(x, 1, -1));
}

/// `length` slices of a dim from `start` on.
EXAMPLE(etude::narrow) {
  const Tensor x = etude::arange(6);
  print(etude::narrow(x, 0, 2, 3));
}

/// Slices of a dim from `start` to `end`, which is not included, in steps.
EXAMPLE(etude::slice) {
  const Tensor x = etude::arange(6);
  print(etude::slice(x, 0, 1, 5, 2));
}

/// The diagonal of a matrix, or the one that lies `offset` to the right of it.
EXAMPLE(etude::diagonal) {
  const Tensor x = etude::arange(9).view({3, 3});
  print(etude::diagonal(x));
  print(etude::diagonal(x, 1));
}

/// Any sizes and strides, counted in elements, over the memory of a tensor.
EXAMPLE(etude::as_strided) {
  const Tensor x = etude::arange(5);
  print(etude::as_strided(x, {3, 3}, {1, 1}));  // windows
}

/// Parts of a dim: each `split_size` long and the last as long as the rest, or of the sizes given.
EXAMPLE(etude::split, etude::split_with_sizes) {
  const Tensor x = etude::arange(5);
  for (const Tensor& part : etude::split(x, 2)) print(part);
  for (const Tensor& part : etude::split_with_sizes(x, {1, 4})) print(part);
}

/// At most so many parts, all of one size but the last.
EXAMPLE(etude::chunk) {
  for (const Tensor& part : etude::chunk(etude::arange(5), 2)) print(part);
}

/// All slices of a dim.
EXAMPLE(etude::unbind) {
  for (const Tensor& row : etude::unbind(etude::tensor({{1, 2}, {3, 4}}))) print(row);
}

/// The same memory in other sizes; an error where strides do not allow it: then `reshape` copies. `view_as` and `reshape_as`
/// take the sizes of another tensor.
EXAMPLE(etude::Tensor::view, etude::Tensor::view_as, etude::Tensor::reshape_as) {
  const Tensor x = etude::arange(4);
  print(x.view({2, 2}));
  print(x.view_as(etude::zeros({4, 1})).sizes());
  print(x.view({2, 2}).t().reshape_as(x));
}

/// One dim becomes several: the opposite of `flatten`.
EXAMPLE(etude::Tensor::unflatten) { print(etude::zeros({2, 6}).unflatten(1, {2, 3}).sizes()); }

/// Dims of size 1 are repeated without a copy; -1 leaves a dim as it is, and new dims may stand in front.
EXAMPLE(etude::Tensor::expand, etude::Tensor::expand_as) {
  const Tensor column = etude::tensor({{1}, {2}});
  print(column.expand({2, 3}));
  print(column.expand_as(etude::zeros({2, 2})).strides());
}

/// The dims in opposite order, and the last two exchanged.
EXAMPLE(etude::Tensor::numpy_T, etude::Tensor::mT) {
  const Tensor x = etude::zeros({2, 3, 4});
  print(x[0].numpy_T().sizes());
  print(x.mT().sizes());
}

/// Windows of a dim: `size` long, `step` apart, in a new last dim.
EXAMPLE(etude::Tensor::unfold) { print(etude::arange(6).unfold(0, 3, 1)); }
