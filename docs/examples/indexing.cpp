#include "support/example.h"

/// # Indexing
///
/// `x[i]` is a slice, `x.index({...})` what Python writes in brackets: integers, `Slice`, `None`, `Ellipsis`, masks and tensors
/// of indices; `x.index_put_({...}, y)` writes to it.

EXAMPLE(etude::index, etude::TensorIndex, etude::indexing::Slice) {
  using namespace etude::indexing;
  const Tensor x = etude::arange(12).view({3, 4});
  print(x[1]);                                    // x[1]
  print(x.index({Slice(), 2}));                   // x[:, 2]
  print(x.index({Ellipsis, Slice(1, None, 2)}));  // x[..., 1::2]
  print(x.index({x > 9}));                        // x[x > 9]
  print(x.index({etude::tensor({2, 0})}));        // x[[2, 0]]
}

EXAMPLE(etude::index_put_) {
  using etude::indexing::Slice;
  Tensor x = etude::zeros({2, 3});
  x.index_put_({Slice(), 1}, 7);
  x.index_put_({1}, etude::tensor({1.0, 2.0, 3.0}));
  print(x);
}

EXAMPLE(etude::index_select) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}, {5, 6}});
  print(etude::index_select(x, 0, etude::tensor({2, 0})));
}

/// Elements named by an index of the same number of dims: out[i, j] = self[index[i, j], j] for dim 0, self[i, index[i, j]] for 1.
EXAMPLE(etude::gather) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::gather(x, 1, etude::tensor({{1}, {0}})));
}

/// The value where the mask, broadcast, is set; else the element.
EXAMPLE(etude::masked_fill) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::masked_fill(x, x > 1.5, 0));
}

EXAMPLE(etude::masked_select) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::masked_select(x, x % 2 == 0));
}

EXAMPLE(etude::take) { print(etude::take(etude::tensor({{1, 2}, {3, 4}}), etude::tensor({0, -1}))); }

EXAMPLE(etude::nonzero, etude::nonzero_numpy) {
  const Tensor x = etude::tensor({{0, 1}, {2, 0}});
  print(etude::nonzero(x));
  for (const Tensor& dim : etude::nonzero_numpy(x)) print(dim);
}

/// Matrices without what lies above (`tril`) or below (`triu`) the diagonal, which may be another than the main one.
EXAMPLE(etude::tril, etude::triu) {
  const Tensor x = etude::ones({3, 3}, etude::kLong);
  print(etude::tril(x));
  print(etude::triu(x, 1));
}

/// self where the condition holds, else other; all three are broadcast.
EXAMPLE(etude::where) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::where(x > 0, x, 0.0));
}

EXAMPLE(etude::one_hot) { print(etude::one_hot(etude::tensor({1, 0}), 3)); }

/// A copy of self in which src, or a value, stands at the places that index names: the counterpart of gather.
EXAMPLE(etude::scatter) {
  const Tensor x = etude::zeros({2, 3});
  print(etude::scatter(x, 1, etude::tensor({{2}, {0}}), 1.0));
}

/// The same, added: places that are named twice get both.
EXAMPLE(etude::scatter_add) {
  print(etude::scatter_add(etude::zeros({3}), 0, etude::tensor({0, 2, 2}), etude::ones({3})));
}

/// Rows of a copy of self that `index` names: source added to them, put in their place, or filled with a value.
EXAMPLE(etude::index_add, etude::index_copy, etude::index_fill) {
  const Tensor x = etude::zeros({3, 2}), index = etude::tensor({0, 2}), source = etude::ones({2, 2});
  print(etude::index_add(x, 0, index, source, 5));
  print(etude::index_copy(x, 0, index, source));
  print(etude::index_fill(x, 0, index, 7));
}
