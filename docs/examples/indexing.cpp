#include "support/example.h"

/// # Indexing
///
/// `x[i]` is a slice, `x.index({...})` what Python writes in brackets: integers, `Slice`, `None`, `Ellipsis`, masks and tensors
/// of indices; `x.index_put_({...}, y)` writes to it.

/// - Shapes: x [a, b]: an integer takes its dim away, a Slice shortens it, None adds one, a mask [a] gives as many as it has
///   set, and indices [*] put their dims in its place
/// - Errors: `index 5 is out of bounds for dimension 0 with size 3`; `too many indices for tensor of dimension 2`; `tensors used
///   as indices must be long, int, byte or bool tensors`; `The shape of the mask [3] at index 0 does not match the shape of the
///   indexed tensor [2, 3] at index 0`; `shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]`;
///   `step must be greater than zero`; `slice step cannot be zero` from `Slice`. `x[5]` says `select(): index 5 out of range for
///   tensor of size [3, 4] at dimension 0`.
EXAMPLE(etude::index, etude::TensorIndex, etude::indexing::Slice) {
  using namespace etude::indexing;
  const Tensor x = etude::arange(12).view({3, 4});
  print(x[1]);                                    // x[1]
  print(x.index({Slice(), 2}));                   // x[:, 2]
  print(x.index({Ellipsis, Slice(1, None, 2)}));  // x[..., 1::2]
  print(x.index({x > 9}));                        // x[x > 9]
  print(x.index({etude::tensor({2, 0})}));        // x[[2, 0]]
  print(examples::message_of([&] { x.index({5}); }));
}

/// - Shapes: value [*] that broadcasts to what the index picks
/// - Errors: `shape mismatch: value tensor of shape [4] cannot be broadcast to indexing result of shape [1, 3]`; `Index put
///   requires the source and destination dtypes match, got Long for the destination and Float for the source.`; those of
///   `index`.
EXAMPLE(etude::index_put_, etude::Tensor::index_put_) {
  using etude::indexing::Slice;
  Tensor x = etude::zeros({2, 3});
  x.index_put_({Slice(), 1}, 7);
  x.index_put_({1}, etude::tensor({1.0, 2.0, 3.0}));
  print(x);
  print(examples::message_of([&] { x.index_put_({etude::tensor({0})}, etude::zeros({4})); }));
}

/// - Shapes: x [a, b], index [n] -> [n, b] along dim 0, [a, n] along dim 1
/// - Errors: `index out of range in self`; `index_select(): Index is supposed to be a vector`; `index_select(): Expected dtype
///   int32 or int64 for index`.
EXAMPLE(etude::index_select) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}, {5, 6}});
  print(etude::index_select(x, 0, etude::tensor({2, 0})));
  print(examples::message_of([&] { etude::index_select(x, 0, etude::tensor({3})); }));
}

/// Elements named by an index of the same number of dims: out[i, j] = self[index[i, j], j] for dim 0, self[i, index[i, j]] for
/// dim 1.
///
/// - Shapes: x [a, b], index [c, d], not larger than x apart from dim -> [c, d]
/// - Errors: `index 5 is out of bounds for dimension 1 with size 3`; `gather(): Expected dtype int32/int64 for index`; `Index
///   tensor must have the same number of dimensions as input tensor`; `Size does not match at dimension 0 expected index [3, 1]
///   to be no larger than self [2, 3] apart from dimension 1`.
EXAMPLE(etude::gather) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::gather(x, 1, etude::tensor({{1}, {0}})));
  print(examples::message_of([&] { etude::gather(x, 1, etude::tensor({{5}})); }));
}

/// The value where the mask, broadcast, is set; else the element.
///
/// - Shapes: x [*], mask [*] that broadcasts with it, value [] -> the broadcast shape
/// - Errors: `masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).`; `masked_fill_ only
///   supports boolean masks, but got mask with dtype torch.float32`; `The size of tensor a (4) must match the size of tensor b
///   (3) at non-singleton dimension 1` where mask and x do not broadcast.
EXAMPLE(etude::masked_fill) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::masked_fill(x, x > 1.5, 0));
}

/// - Shapes: x [*], mask [*] that broadcasts with it -> [count]
/// - Errors: `masked_select: expected BoolTensor or ByteTensor for mask`; `The size of tensor a (4) must match the size of
///   tensor b (3) at non-singleton dimension 1` where mask and x do not broadcast.
EXAMPLE(etude::masked_select) {
  const Tensor x = etude::tensor({{1, 2}, {3, 4}});
  print(etude::masked_select(x, x % 2 == 0));
}

/// - Shapes: x [*], index [n, ...] -> [n, ...]
/// - Errors: `out of range: tried to access index 6 on a tensor of 6 elements.`; `take(): Expected a long tensor for index, but
///   got Float`; `take(): tried to take from an empty tensor`.
EXAMPLE(etude::take) { print(etude::take(etude::tensor({{1, 2}, {3, 4}}), etude::tensor({0, -1}))); }

/// - Shapes: x of d dims -> [count, d]; `nonzero_numpy`: d times [count]
/// - Errors: none of its own
EXAMPLE(etude::nonzero, etude::argwhere, etude::nonzero_numpy) {
  const Tensor x = etude::tensor({{0, 1}, {2, 0}});
  print(etude::nonzero(x));
  print(etude::argwhere(x).sizes());
  for (const Tensor& dim : etude::nonzero_numpy(x)) print(dim);
}

/// The matrix with zeros above (`tril`) or below (`triu`) a diagonal, the main one unless another is given.
///
/// - Shapes: x [..., n, m] -> [..., n, m]
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got -2)` where x has fewer than 2 dims.
EXAMPLE(etude::tril, etude::triu) {
  const Tensor x = etude::ones({3, 3}, etude::kLong);
  print(etude::tril(x));
  print(etude::triu(x, 1));
}

/// self where the condition holds, else other; all three are broadcast.
///
/// - Shapes: condition [*], self [*], other [*] -> the broadcast shape; of the condition alone, what `nonzero_numpy` gives
/// - Errors: `where expected condition to be a boolean tensor, but got a tensor with dtype Long`; `The size of tensor a (3)
///   must match the size of tensor b (4) at non-singleton dimension 1` where they do not broadcast.
EXAMPLE(etude::where) {
  const Tensor x = etude::tensor({-1.0, 2.0});
  print(etude::where(x > 0, x, 0.0));
}

/// - Shapes: x [*] -> [*, num_classes]; num_classes is the largest class plus 1 unless given
/// - Errors: `Class values must be smaller than num_classes.`; `Class values must be non-negative.`; `one_hot is only applicable
///   to index tensor of type LongTensor.`; `Can not infer total number of classes from empty tensor.`
/// - PyTorch: C++: `torch::one_hot`
/// - PyTorch: Python: `torch.nn.functional.one_hot`
EXAMPLE(etude::one_hot) {
  print(etude::one_hot(etude::tensor({1, 0}), 3));
  print(examples::message_of([&] { etude::one_hot(etude::tensor({3}), 3); }));
}

/// - Shapes: x [a, b], index [c, d], not larger than x apart from dim, src not smaller than index -> [a, b]
/// - Errors: `index 3 is out of bounds for dimension 1 with size 3`; `scatter(): Expected dtype int32/int64 for index`;
///   `scatter(): Expected self.dtype to be equal to src.dtype`; `Index tensor must have the same number of dimensions as self
///   tensor`; `Expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1`; `reduce argument must be either
///   add or multiply.`
EXAMPLE(etude::scatter) {
  const Tensor x = etude::zeros({2, 3});
  print(etude::scatter(x, 1, etude::tensor({{2}, {0}}), 1.0));
}

/// `scatter` that adds: a place that `index` names twice gets both elements of src.
///
/// - Shapes: x [n], index [m], src [m or more] -> [n]; of more dims as `scatter`
/// - Errors: those of `scatter`.
EXAMPLE(etude::scatter_add) {
  print(etude::scatter_add(etude::zeros({3}), 0, etude::tensor({0, 2, 2}), etude::ones({3})));
}

/// Rows of a copy of self that `index` names: source added to them, put in their place, or filled with a value.
///
/// - Shapes: x [a, b], index [n], source [n, b] along dim 0 -> [a, b]; the value of `index_fill` []
/// - Errors: `index 5 is out of bounds for dimension 0 with size 2` from `index_add` and the others; `index_add_(): Number of
///   indices (1) should be equal to source.size(dim): (2), for dim: 0`; `index_add_(): self (Float) and source (Long) must have
///   the same scalar type`; `index_copy_(): Number of indices (1) should be equal to source.size(dim) (2)`; `index_fill_():
///   Expected dtype int64 for index.`
EXAMPLE(etude::index_add, etude::index_copy, etude::index_fill) {
  const Tensor x = etude::zeros({3, 2}), index = etude::tensor({0, 2}), source = etude::ones({2, 2});
  print(etude::index_add(x, 0, index, source, 5));
  print(etude::index_copy(x, 0, index, source));
  print(etude::index_fill(x, 0, index, 7));
}

/// The parts of an index that are not numbers. An open end of a `Slice` is one of the two limits.
///
/// - Shapes: x [a, b, c], `{Ellipsis, 0}` -> [a, b]; `{None}` -> [1, a, b, c]
/// - Errors: `Expected "..." to represent an ellipsis index, but got ".."`.
EXAMPLE(etude::indexing::None, etude::indexing::Ellipsis, etude::indexing::EllipsisIndexType,
        etude::indexing::INDEX_MAX, etude::indexing::INDEX_MIN) {
  using namespace etude::indexing;
  const Tensor x = etude::zeros({2, 3, 4});
  print(x.index({Ellipsis, 0}).sizes(), x.index({"...", 0}).sizes());
  print(x.index({None, Slice(None, 1)}).sizes());
  print(Slice().start() == 0, Slice(1).stop() == INDEX_MAX, INDEX_MIN < 0);
  print(examples::message_of([&] { x.index({"..", 0}); }));
}

/// How a Slice and an entry of an index are written to a stream.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::indexing::operator<<) {
  std::ostringstream out;
  out << etude::indexing::Slice(1, 5, 2) << ' ' << etude::indexing::TensorIndex(etude::indexing::Ellipsis);
  print(out.str());
}
