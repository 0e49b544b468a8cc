#include "support/example.h"

/// # Comparisons
///
/// Element by element, with broadcasting: bools, which have no gradient.

/// ==, !=, <, <=, > and >= as functions.
EXAMPLE(etude::eq, etude::ne, etude::lt, etude::le, etude::gt, etude::ge) {
  const Tensor x = etude::tensor({1, 2, 3});
  print(etude::eq(x, 2), etude::ne(x, 2));
  print(etude::lt(x, 2), etude::le(x, 2));
  print(etude::gt(x, 2), etude::ge(x, 2));
}

/// And, or, either-or and not of what is not zero.
EXAMPLE(etude::logical_and, etude::logical_or, etude::logical_xor, etude::logical_not) {
  const Tensor a = etude::tensor({0, 1, 2}), b = etude::tensor({0, 0, 5});
  print(etude::logical_and(a, b));
  print(etude::logical_or(a, b));
  print(etude::logical_xor(a, b));
  print(etude::logical_not(a));
}

/// Whether an element is not a number, is plus or minus infinity, or is neither.
EXAMPLE(etude::isnan, etude::isinf, etude::isfinite) {
  const Tensor x = etude::tensor({1.0, 0.0, -1.0}) / 0.0;
  print(x);
  print(etude::isnan(x), etude::isinf(x), etude::isfinite(x));
}

/// `allclose` is true if all elements are close.
EXAMPLE(etude::isclose, etude::allclose) {
  const Tensor a = etude::tensor({1.0, 2.0}), b = etude::tensor({1.000001, 2.1});
  print(etude::isclose(a, b));
  print(etude::allclose(a, b));
}

EXAMPLE(etude::equal) {
  print(etude::equal(etude::tensor({1, 2}), etude::tensor({1, 2})));
  print(etude::equal(etude::tensor({1, 2}), etude::tensor({1, 2, 3})));
}

EXAMPLE(etude::is_nonzero) { print(etude::is_nonzero(etude::tensor({0.5}))); }
