#include "support/example.h"

/// # Operators
///
/// The operators of C++ on tensors and numbers, element by element. Each stands for a function of another page, with its
/// broadcasting and types.

/// Arithmetic, element by element: `%` has the sign of the divisor, and `/` of integers gives floating point numbers. Comparisons
/// give bools, for masks, `where` and `index`; `&`, `|` and `^` are logic of bools and bits of integers.
///
/// - Shapes: a [*], b [*] that broadcasts with it -> the broadcast shape
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0`; `ZeroDivisionError`
///   from `%` of integers; `"bitwise_and_cpu" not implemented for 'Float'`.
EXAMPLE(etude::operator+, etude::operator-, etude::operator*, etude::operator/, etude::operator%) {
  const Tensor a = etude::tensor({7, -7}), b = etude::tensor({2, 3});
  print(a + b, a - 1, 2 * a);
  print(a / b, a % b);
  print(a == 7, b < 3, 3 >= b);
  print(a & b, a | 1, a ^ b);
  print((a > 2) & (b > 1));
  print(examples::message_of([&] { a + etude::tensor({1, 2, 3}); }));
}

/// An assignment to the result of `[]` writes to its elements; an assignment to a variable makes it the handle of another tensor.
///
/// - Shapes: x [*], y [*] that broadcasts to it
/// - Errors: `result type Float can't be cast to the desired output type Long`;
///   `a leaf Variable that requires grad is being used in an in-place operation.`;
///   `"bitwise_not_cpu" not implemented for 'Float'`.
EXAMPLE(etude::Tensor::operator-, etude::Tensor::operator~, etude::Tensor::operator+=,
        etude::Tensor::operator=, etude::Tensor::operator[]) {
  Tensor x = etude::tensor({1, 2});
  print(-x, ~x);
  x += 1;
  x[0] = 9;
  print(x, x[1]);
  print(examples::message_of([&] { x += 0.5; }));
}
