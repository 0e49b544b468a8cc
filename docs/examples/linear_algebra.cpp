#include "support/example.h"

/// # Products
///
/// Shapes are written [rows, columns].

/// - Shapes: [..., n, k], [..., k, m] -> [..., n, m], where ... broadcasts; [k] is a row on the left and a column on the right,
///   whose dim is gone in the result
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)`
/// - Errors: `size mismatch, got input (2), mat (2x2), vec (3)` of a matrix and a vector
/// - Errors: `Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3].` of batches
/// - Errors: `both arguments to matmul need to be at least 1D, but they are 0D and 1D`
EXAMPLE(etude::matmul) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), v = etude::tensor({10, 1});
  print(etude::matmul(a, a));
  print(etude::matmul(a, v));
  print(etude::zeros({5, 2, 3}).matmul(etude::zeros({3, 4})).sizes());
  print(examples::message_of([&] { etude::matmul(a, etude::ones({3, 2}).to(etude::kLong)); }));
  print(examples::message_of([&] { etude::matmul(a, etude::tensor({1, 2, 3})); }));
  print(examples::message_of([&] { etude::matmul(etude::tensor(2), v); }));
}

/// - Shapes: [n, k], [k, m] -> [n, m]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (1x2 and 1x2)`
/// - Errors: `self must be a matrix`, `mat2 must be a matrix`
EXAMPLE(etude::mm) {
  const Tensor a = etude::tensor({{1.0, 2.0}}), b = etude::tensor({{3.0}, {4.0}});
  print(etude::mm(a, b));
  print(examples::message_of([&] { etude::mm(a, a); }));
  print(examples::message_of([&] { etude::mm(a[0], b); }));
  print(examples::message_of([&] { etude::mm(a, b[0]); }));
}

/// - Shapes: [b, n, k], [b, k, m] -> [b, n, m]
/// - Errors: `Expected size for first two dimensions of batch2 tensor to be: [5, 3] but got: [5, 2].`
/// - Errors: `batch1 must be a 3D tensor`
EXAMPLE(etude::bmm) {
  const Tensor a = etude::ones({5, 2, 3}), b = etude::ones({5, 3, 4});
  print(etude::bmm(a, b).sizes());
  print(examples::message_of([&] { etude::bmm(a, a); }));
  print(examples::message_of([&] { etude::bmm(a[0], b[0]); }));
}

/// - Shapes: [n, k], [k] -> [n]; [k], [k] -> []; [n], [m] -> [n, m]
/// - Errors: `size mismatch, got input (2), mat (2x2), vec (3)`
/// - Errors: `inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 and 3
///   elements respectively`
/// - Errors: `1D tensors expected, but got 2D and 2D tensors`
/// - Errors: `outer: Expected 1-D argument self, but got 2-D`
EXAMPLE(etude::mv, etude::dot, etude::outer, etude::ger) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), v = etude::tensor({10, 1});
  print(etude::mv(a, v));
  print(etude::dot(v, v));
  print(etude::outer(v, v));
  print(etude::ger(v, v).sizes());
  print(examples::message_of([&] { etude::mv(a, etude::tensor({1, 2, 3})); }));
  print(examples::message_of([&] { etude::dot(v, etude::tensor({1, 2, 3})); }));
  print(examples::message_of([&] { etude::dot(a, a); }));
  print(examples::message_of([&] { etude::outer(a, v); }));
}

/// - Shapes: self that broadcasts to [n, m], a [n, k], b [k, m] -> [n, m]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)`
/// - Errors: `The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target sizes:
///   [2, 2].  Tensor sizes: [3]` where self does not broadcast
EXAMPLE(etude::addmm) {
  const Tensor bias = etude::tensor({1.0, 2.0}), a = etude::ones({2, 3}), b = etude::ones({3, 2});
  print(etude::addmm(bias, a, b));
  print(examples::message_of([&] { etude::addmm(bias, a, a); }));
  print(examples::message_of([&] { etude::addmm(etude::ones({3}), a, b); }));
}

/// - Shapes: x [..., in], weight [out, in], bias [out] -> [..., out]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (1x3 and 2x3)`, where the second is the transposed weight
EXAMPLE(etude::linear, etude::nn::functional::linear, etude::linear_out) {
  const Tensor x = etude::tensor({{1.0, 2.0}}), weight = etude::tensor({{1.0, 1.0}, {0.0, 3.0}, {2.0, 0.0}});
  print(etude::linear(x, weight, etude::tensor({0.5, 0.0, 0.0})));
  print(F::linear(x, weight));
  Tensor out = etude::empty({0});
  print(etude::linear_out(out, x, weight));
  print(examples::message_of([&] { etude::linear(etude::ones({1, 3}), weight); }));
}

/// - Shapes: a dim per letter of an operand -> a dim per letter of the output
/// - Errors: `einsum(): subscript j has size 2 for operand 1 which does not broadcast with previously seen size 3`
/// - Errors: `einsum(): fewer operands were provided than specified in the equation`
/// - Errors: `einsum(): the number of subscripts in the equation (1) does not match the number of dimensions (2) for operand 0
///   and no ellipsis was given`
/// - Errors: `einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]`
/// - Errors: `einsum(): output subscript k does not appear in the equation for any input operand`
EXAMPLE(etude::einsum) {
  const Tensor a = etude::tensor({{1, 2}, {3, 4}}), b = etude::tensor({{1, 0}, {0, 2}});
  print(etude::einsum("ij,jk->ik", {a, b}));
  print(etude::einsum("ii->", {a}));
  print(examples::message_of([&] { etude::einsum("ij,jk", {etude::ones({2, 3}), etude::ones({2, 2})}); }));
  print(examples::message_of([&] { etude::einsum("ij,jk", {a}); }));
  print(examples::message_of([&] { etude::einsum("i", {a}); }));
  print(examples::message_of([&] { etude::einsum("i1", {a}); }));
  print(examples::message_of([&] { etude::einsum("ij->k", {a}); }));
}

/// - Shapes: self [...], other [...] -> [...], the dims of both that are not summed
/// - Errors: `contracted dimensions need to match, but first has size 3 in dim 1 and second has size 4 in dim 0`
/// - Errors: `both dimension lists should have same length`
EXAMPLE(etude::tensordot) {
  const Tensor a = etude::ones({2, 3, 4}), b = etude::ones({4, 3});
  print(etude::tensordot(a, b, {1, 2}, {1, 0}));
  print(examples::message_of([&] { etude::tensordot(a, b, {1}, {0}); }));
  print(examples::message_of([&] { etude::tensordot(a, b, {1, 2}, {0}); }));
}

/// The distance of each row of one matrix to each row of another.
///
/// - Shapes: x1 [..., n, m], x2 [..., k, m] -> [..., n, k]
/// - Errors: `X1 and X2 must have the same number of columns. X1: 2 X2: 3`
EXAMPLE(etude::cdist) {
  const Tensor a = etude::tensor({{0., 0.}, {3., 0.}}), b = etude::tensor({{3., 4.}});
  print(etude::cdist(a, b));
  print(etude::cdist(a, b, 1));
  print(examples::message_of([&] { etude::cdist(a, etude::ones({1, 3})); }));
}

/// The vector product: at right angles to both vectors.
///
/// - Shapes: self [*], other [*] -> [*], with 3 elements along dim
/// - Errors: `linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2`
EXAMPLE(etude::cross, etude::linalg_cross) {
  const Tensor x = etude::tensor({{1., 0., 0.}, {0., 2., 0.}}),
               y = etude::tensor({{0., 1., 0.}, {0., 0., 1.}});
  print(etude::cross(x, y));
  print(etude::linalg_cross(x, y).equal(x.cross(y, 1)));
  print(examples::message_of([&] { etude::cross(x, y, 0); }));
}
