#include "support/example.h"

/// # Comparisons
///
/// Compare tensors element by element, with broadcasting. The results are bools, which have no gradient.

/// ==, !=, <, <=, > and >= as functions.
///
/// - Shapes: x [*], other [*] that broadcasts with it -> the broadcast shape
/// - Errors: `The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1`.
EXAMPLE(etude::eq, etude::ne, etude::lt, etude::le, etude::gt, etude::ge, etude::not_equal, etude::less,
        etude::less_equal, etude::greater, etude::greater_equal) {
  const Tensor x = etude::tensor({1, 2, 3});
  print(etude::eq(x, 2), etude::ne(x, 2));
  print(etude::lt(x, 2), etude::le(x, 2));
  print(etude::gt(x, 2), etude::ge(x, 2));
  print(etude::not_equal(x, 2), etude::less(x, 2), etude::less_equal(x, 2));
  print(etude::greater(x, 2), etude::greater_equal(x, 2));
  print(examples::message_of([&] { etude::eq(x, etude::tensor({1, 2})); }));
}

/// The logical and, or, exclusive or and not. An element that is not zero counts as true.
///
/// - Shapes: a [*], b [*] that broadcasts with it -> the broadcast shape; `logical_not`: [*] -> [*]
/// - Errors: `The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1`.
EXAMPLE(etude::logical_and, etude::logical_or, etude::logical_xor, etude::logical_not) {
  const Tensor a = etude::tensor({0, 1, 2}), b = etude::tensor({0, 0, 5});
  print(etude::logical_and(a, b));
  print(etude::logical_or(a, b));
  print(etude::logical_xor(a, b));
  print(etude::logical_not(a));
}

/// Whether an element is not a number, is plus or minus infinity, or is neither.
///
/// - Shapes: x [*] -> [*]
/// - Errors: none of its own
EXAMPLE(etude::isnan, etude::isinf, etude::isfinite) {
  const Tensor x = etude::tensor({1.0, 0.0, -1.0}) / 0.0;
  print(x);
  print(etude::isnan(x), etude::isinf(x), etude::isfinite(x));
}

/// `allclose` is true if all elements are close.
///
/// - Shapes: a [*], b [*] that broadcasts with it -> the broadcast shape
/// - Errors: `Long did not match Float` where the dtypes are not the same; `rtol must be greater than or equal to zero, but got
///   -1`, and the same of atol.
EXAMPLE(etude::isclose, etude::allclose) {
  const Tensor a = etude::tensor({1.0, 2.0}), b = etude::tensor({1.000001, 2.1});
  print(etude::isclose(a, b));
  print(etude::allclose(a, b));
  print(examples::message_of([&] { etude::isclose(a, etude::tensor({1, 2})); }));
}

/// - Shapes: any; different ones are not equal
/// - Errors: none of its own
EXAMPLE(etude::equal) {
  print(etude::equal(etude::tensor({1, 2}), etude::tensor({1, 2})));
  print(etude::equal(etude::tensor({1, 2}), etude::tensor({1, 2, 3})));
}

/// Whether the sizes are the same; the values do not count.
///
/// - Shapes: any
/// - Errors: none of its own
EXAMPLE(etude::is_same_size) {
  const Tensor x = etude::zeros({2, 3});
  print(etude::is_same_size(x, etude::ones({2, 3})), x.is_same_size(x.t()));
}

/// - Shapes: x of one element
/// - Errors: `Boolean value of Tensor with more than one value is ambiguous`; `Boolean value of Tensor with no values is
///   ambiguous`.
EXAMPLE(etude::is_nonzero) {
  print(etude::is_nonzero(etude::tensor({0.5})));
  print(examples::message_of([] { etude::is_nonzero(etude::tensor({0, 1})); }));
}
