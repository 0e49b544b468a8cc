#include "support/example.h"

/// # Arithmetic, element by element
///
/// All of it broadcasts, and types are promoted as in PyTorch. Most functions are methods too, with an in-place form that ends
/// with `_`, and have an out form that ends with `_out`.

/// self + alpha * other
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to; in place that of self
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
/// - Errors: `output with shape [2] doesn't match the broadcast shape [3, 2]` where the result does not fit in place
/// - Errors: `result type Float can't be cast to the desired output type Long` where its type does not
/// - Errors: `For integral input tensors, argument alpha must not be a floating point number.` where both hold integers and
///   alpha is no integer
EXAMPLE(etude::add, etude::Tensor::add_) {
  Tensor x = etude::tensor({1.0, 2.0});
  print(etude::add(x, etude::tensor({10.0, 20.0})));
  print(x + 1);
  print(x.add_(5));
  print(examples::message_of([&] { x + etude::ones({3}); }));
  print(examples::message_of([&] { x.add_(etude::ones({3, 2})); }));
  print(examples::message_of([&] { etude::tensor({1, 2}).add_(x); }));
}

/// self - alpha * other
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: ``Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator
///   instead.`` where both hold bools
/// - Errors: those of add
EXAMPLE(etude::sub, etude::subtract) {
  const Tensor x = etude::tensor({1.0, 2.0}), flags = etude::tensor({true, false});
  print(etude::sub(x, 1));
  print(etude::subtract(x, x, 3));
  print(examples::message_of([&] { flags - flags; }));
}

/// other - alpha * self
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: those of sub
EXAMPLE(etude::rsub) { print(etude::rsub(etude::tensor({1.0, 2.0}), 10)); }

/// self * other
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::mul, etude::multiply) {
  const Tensor row = etude::tensor({1, 2, 3}), column = etude::tensor({{10}, {20}});
  print(etude::mul(row, column));
  print(etude::multiply(row, 0.5));
  print(examples::message_of([&] { etude::mul(row, etude::tensor({1, 2})); }));
}

/// A quotient that is not rounded is floating, so that integers cannot be divided in place.
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'`
/// - Errors: `ZeroDivisionError` where integers are divided by 0 and rounded
EXAMPLE(etude::div, etude::divide, etude::true_divide) {
  const Tensor x = etude::tensor({7, -7});
  print(etude::div(x, 2));
  print(etude::divide(x, 2, "floor"), etude::divide(x, 2, "trunc"));
  print(etude::true_divide(x, 0));
  print(examples::message_of([&] { etude::div(x, 2, "up"); }));
}

/// self / other, rounded down: as Python's //.
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `ZeroDivisionError` where integers are divided by 0
EXAMPLE(etude::floor_divide) {
  print(etude::floor_divide(etude::tensor({7, -7}), 2));
  print(examples::message_of([&] { etude::floor_divide(etude::tensor({7}), 0); }));
}

/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `ZeroDivisionError` where integers are divided by 0
EXAMPLE(etude::remainder, etude::fmod) {
  const Tensor x = etude::tensor({7, -7});
  print(etude::remainder(x, 3));
  print(etude::fmod(x, 3));
  print(examples::message_of([&] { x % 0; }));
}

/// self to the power of exponent; one of them may be a number.
///
/// - Shapes: self [...], exponent [...] -> [...], the shape that both broadcast to
/// - Errors: `Integers to negative integer powers are not allowed.` where the exponent is a number
EXAMPLE(etude::pow) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::pow(x, 2));
  print(etude::pow(2, x));
  print(examples::message_of([&] { etude::pow(etude::tensor({1, 2}), -1); }));
}

/// The larger, or the smaller, of two elements; nan if one is nan.
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::maximum, etude::minimum) {
  const Tensor a = etude::tensor({1, 5}), b = etude::tensor({3, 2});
  print(etude::maximum(a, b));
  print(etude::minimum(a, b));
  print(examples::message_of([&] { etude::maximum(a, etude::ones({3})); }));
}

/// Each element, but not below `min` nor above `max`. Where they cross, `max` wins.
///
/// - Shapes: self [...], bounds that are numbers or broadcast with it -> [...]
/// - Errors: `torch.clamp: At least one of 'min' or 'max' must not be None` where no bound is given
EXAMPLE(etude::clamp, etude::clamp_min, etude::clamp_max, etude::clip) {
  const Tensor x = etude::tensor({-2.0, 0.5, 2.0});
  print(etude::clamp(x, -1, 1), etude::clip(x, 1, -1));
  print(etude::clamp_min(x, 0));
  print(etude::clamp_max(x, 1));
  print(examples::message_of([&] { etude::clamp(x); }));
}

/// - Shapes: self [...], a [...], b [...] -> [...], the shape that they broadcast to
/// - Errors: `Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true
///   division of tensor1 and tensor2. [...]`, a long line, where a and b hold integers
EXAMPLE(etude::addcmul, etude::addcdiv) {
  const Tensor x = etude::tensor({1.0, 1.0}), a = etude::tensor({2.0, 3.0}), b = etude::tensor({4.0, 6.0});
  print(etude::addcmul(x, a, b));
  print(etude::addcdiv(x, a, b, 10));
}

/// - Shapes: self [...], end [...], weight a number or [...] -> [...], the shape that they broadcast to
/// - Errors: ``expected dtype float for `end` but got dtype double`` where self and end have different types
/// - Errors: `"lerp_kernel_scalar" not implemented for 'Long'` where they hold integers
EXAMPLE(etude::lerp) {
  const Tensor x = etude::tensor({0.0, 10.0});
  print(etude::lerp(x, etude::tensor({1.0, 20.0}), 0.25));
  print(examples::message_of([&] { etude::lerp(x, x.to(etude::kDouble), 0.25); }));
}

/// The absolute value of each element.
///
/// - Shapes: [...] -> [...]
/// - Errors: `"abs_cpu" not implemented for 'Bool'`
EXAMPLE(etude::abs, etude::absolute) {
  print(etude::abs(etude::tensor({-1.5, 2.0})), etude::absolute(etude::tensor({-1, 2})));
  print(examples::message_of([&] { etude::abs(etude::tensor({true})); }));
}

/// Each element with the other sign: -x.
///
/// - Shapes: [...] -> [...]
/// - Errors: ``Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~`
///   or `logical_not()` operator instead.``
EXAMPLE(etude::neg, etude::negative) {
  print(etude::neg(etude::tensor({-1.5, 2.0})), etude::negative(etude::tensor({-1, 2})));
  print(examples::message_of([&] { -etude::tensor({true}); }));
}

/// e^x, and e^x - 1 (`expm1`), which is accurate near 0.
///
/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::exp, etude::expm1) {
  print(etude::exp(etude::tensor({0.0, 1.0})));
  print(etude::expm1(etude::tensor({0.0, 1e-6})));
  print(examples::message_of([&] { etude::tensor({1}).exp_(); }));
}

/// The natural logarithm of x, that of 1 + x (`log1p`), which is accurate near 0, and the logarithm of x to base 2.
///
/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place. No error
///   where x is too small: 0 gives -inf, negative numbers give nan.
EXAMPLE(etude::log, etude::log1p, etude::log2) {
  print(etude::log(etude::tensor({1.0, 10.0, 0.0, -1.0})));
  print(etude::log1p(etude::tensor({0.0, 1e-6})));
  print(etude::log2(etude::tensor({1, 8})));
}

/// The square root of x, 1 / sqrt(x), 1 / x, and x * x.
///
/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place, but for
///   square
EXAMPLE(etude::sqrt, etude::rsqrt, etude::reciprocal, etude::square) {
  const Tensor x = etude::tensor({1.0, 4.0});
  print(etude::sqrt(x), etude::rsqrt(x));
  print(etude::reciprocal(x), etude::square(x));
  print(examples::message_of([&] { etude::tensor({4}).sqrt_(); }));
}

/// Sine, cosine and tangent of angles.
///
/// - Shapes: [...] -> [...]
/// - Units: x in radians
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::sin, etude::cos, etude::tan) {
  const Tensor x = etude::tensor({0.0, 1.0});
  print(etude::sin(x));
  print(etude::cos(x));
  print(etude::tan(x));
}

/// The inverse functions of sine, cosine and tangent, and the angle of a point (`atan2`).
///
/// - Shapes: [...] -> [...]; self [...], other [...] -> [...], the shape that both broadcast to
/// - Units: results in radians; those of atan2 between -pi and pi
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::asin, etude::acos, etude::atan, etude::atan2, etude::arcsin, etude::arccos, etude::arctan,
        etude::arctan2) {
  const Tensor x = etude::tensor({0.0, 1.0});
  print(etude::asin(x), etude::arccos(x));
  print(etude::atan(x));
  print(etude::atan2(x, etude::tensor(-1.0)));
  print(examples::message_of([&] { etude::tensor({1}).atan_(); }));
}

/// Hyperbolic sine and cosine, and the inverses of these and of tanh.
///
/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::sinh, etude::cosh, etude::asinh, etude::acosh, etude::atanh, etude::arcsinh, etude::arccosh,
        etude::arctanh) {
  const Tensor x = etude::tensor({0.0, 1.0});
  print(etude::sinh(x), etude::cosh(x));
  print(etude::asinh(x), etude::arctanh(x));
  print(etude::acosh(x));
}

/// The error function 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x, and its inverse.
///
/// - Shapes: [...] -> [...]
/// - Errors: `result type Float can't be cast to the desired output type Long` where integers are written in place
EXAMPLE(etude::erf, etude::erfinv) {
  const Tensor x = etude::tensor({0.0, 0.5});
  print(etude::erf(x));
  print(etude::erfinv(x));
}

/// The sign of each element: -1, 0 or 1.
///
/// - Shapes: [...] -> [...]
/// - Errors: none of its own
EXAMPLE(etude::sign) { print(etude::sign(etude::tensor({-3.0, 0.0, 2.0}))); }

/// Rounds to an integer: `floor` down, `ceil` up, `round` to the nearest one, `trunc` and `fix` towards 0. The type stays. `frac`
/// is the rest that `trunc` drops.
///
/// - Shapes: [...] -> [...]
/// - Errors: `"floor_vml_cpu" not implemented for 'Bool'`, and likewise for the others; `frac` takes no integers either
EXAMPLE(etude::floor, etude::ceil, etude::round, etude::trunc, etude::fix, etude::frac) {
  const Tensor x = etude::tensor({-1.5, 0.5, 2.7});
  print(etude::floor(x));
  print(etude::ceil(x));
  print(etude::round(x));
  print(etude::trunc(x), etude::fix(x), etude::frac(x));
  print(examples::message_of([&] { etude::floor(etude::tensor({true})); }));
}

/// Logic on bools, bits on integers: the operators & | ^ ~.
///
/// - Shapes: self [...], other [...] -> [...], the shape that both broadcast to
/// - Errors: `"bitwise_and_cpu" not implemented for 'Float'`, and likewise for the others
EXAMPLE(etude::bitwise_and, etude::bitwise_or, etude::bitwise_xor, etude::bitwise_not) {
  const Tensor a = etude::tensor({12, 10}), b = etude::tensor({10, 3});
  print(etude::bitwise_and(a, b));
  print(a | b, a ^ b);
  print(etude::bitwise_not(etude::tensor({true, false})));
  print(examples::message_of([&] { etude::ones({2}) & a; }));
}

/// The operators + - * / % == != < <= > >= & | ^ take tensors and numbers on both sides.
///
/// - Shapes: [...], [...] -> [...], the shape that both broadcast to
/// - Errors: those of the functions that they stand for, such as `The size of tensor a (3) must match the size of tensor b (2)
///   at non-singleton dimension 0`
EXAMPLE(etude::operator+, etude::operator-, etude::operator*, etude::operator/, etude::operator%,
        etude::operator==, etude::operator!=, etude::operator<, etude::operator<=, etude::operator>,
        etude::operator>=, etude::operator&, etude::operator|, etude::operator^) {
  const Tensor x = etude::tensor({1, 2, 3});
  print(10 - x * 2);
  print((x > 1) & (x != 3));
  print(1 - x / 2);
  print(examples::message_of([&] { x % etude::tensor({1, 2}); }));
}

/// A number, or a tensor without dims, decides only where it is of a higher kind: floating point beside integers, integers
/// beside bools.
///
/// - Shapes: [...], [...]
/// - Errors: none of its own
EXAMPLE(etude::result_type) {
  print(etude::result_type(etude::tensor({1}), etude::tensor({0.5})));
  print(etude::result_type(etude::tensor({1}, etude::kInt), 2.5));
  print(etude::result_type(etude::tensor({1}, etude::kInt), 2));
}
