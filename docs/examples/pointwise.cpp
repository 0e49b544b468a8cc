#include "support/example.h"

/// # Arithmetic, element by element
///
/// All of it broadcasts, and types are promoted as in PyTorch. Most functions are methods too, with an in-place form that ends
/// with `_`, and have an out form that ends with `_out`.

/// self + alpha * other
EXAMPLE(etude::add) {
  Tensor x = etude::tensor({1.0, 2.0});
  print(etude::add(x, etude::tensor({10.0, 20.0})));
  print(x + 1);
  print(x.add_(5));
}

/// self - alpha * other
EXAMPLE(etude::sub, etude::subtract) {
  const Tensor x = etude::tensor({1.0, 2.0});
  print(etude::sub(x, 1));
  print(etude::subtract(x, x, 3));
}

/// other - alpha * self
EXAMPLE(etude::rsub) { print(etude::rsub(etude::tensor({1.0, 2.0}), 10)); }

/// self * other
EXAMPLE(etude::mul, etude::multiply) {
  const Tensor row = etude::tensor({1, 2, 3}), column = etude::tensor({{10}, {20}});
  print(etude::mul(row, column));
  print(etude::multiply(row, 0.5));
}

EXAMPLE(etude::div, etude::divide, etude::true_divide) {
  const Tensor x = etude::tensor({7, -7});
  print(etude::div(x, 2));
  print(etude::divide(x, 2, "floor"));
  print(etude::true_divide(x, 7));
}

/// self / other, rounded down: as Python's //.
EXAMPLE(etude::floor_divide) { print(etude::floor_divide(etude::tensor({7, -7}), 2)); }

EXAMPLE(etude::remainder, etude::fmod) {
  const Tensor x = etude::tensor({7, -7});
  print(etude::remainder(x, 3));
  print(etude::fmod(x, 3));
}

/// self to the power of exponent; one of them may be a number.
EXAMPLE(etude::pow) {
  const Tensor x = etude::tensor({1.0, 2.0, 3.0});
  print(etude::pow(x, 2));
  print(etude::pow(2, x));
}

/// The larger, or the smaller, of two elements; nan if one is nan.
EXAMPLE(etude::maximum, etude::minimum) {
  const Tensor a = etude::tensor({1, 5}), b = etude::tensor({3, 2});
  print(etude::maximum(a, b));
  print(etude::minimum(a, b));
}

/// Each element, but not below `min` nor above `max`.
EXAMPLE(etude::clamp, etude::clamp_min, etude::clamp_max) {
  const Tensor x = etude::tensor({-2.0, 0.5, 2.0});
  print(etude::clamp(x, -1, 1));
  print(etude::clamp_min(x, 0));
  print(etude::clamp_max(x, 1));
}

EXAMPLE(etude::addcmul, etude::addcdiv) {
  const Tensor x = etude::tensor({1.0, 1.0}), a = etude::tensor({2.0, 3.0}), b = etude::tensor({4.0, 6.0});
  print(etude::addcmul(x, a, b));
  print(etude::addcdiv(x, a, b, 10));
}

EXAMPLE(etude::lerp) { print(etude::lerp(etude::tensor({0.0, 10.0}), etude::tensor({1.0, 20.0}), 0.25)); }

/// Without the sign.
EXAMPLE(etude::abs) { print(etude::abs(etude::tensor({-1.5, 2.0}))); }

/// With the other sign.
EXAMPLE(etude::neg) { print(etude::neg(etude::tensor({-1.5, 2.0}))); }

/// e^x, and e^x - 1, which is exact near 0.
EXAMPLE(etude::exp, etude::expm1) {
  print(etude::exp(etude::tensor({0.0, 1.0})));
  print(etude::expm1(etude::tensor({0.0, 1e-6})));
}

/// The natural logarithm, that of 1 + x, which is exact near 0, and the one with base 2.
EXAMPLE(etude::log, etude::log1p, etude::log2) {
  print(etude::log(etude::tensor({1.0, 10.0, 0.0})));
  print(etude::log1p(etude::tensor({0.0, 1e-6})));
  print(etude::log2(etude::tensor({1.0, 8.0})));
}

/// The square root, one over it, one over x, and x * x.
EXAMPLE(etude::sqrt, etude::rsqrt, etude::reciprocal, etude::square) {
  const Tensor x = etude::tensor({1.0, 4.0});
  print(etude::sqrt(x), etude::rsqrt(x));
  print(etude::reciprocal(x), etude::square(x));
}

/// Sine, cosine and tangent of angles in radians.
EXAMPLE(etude::sin, etude::cos, etude::tan) {
  const Tensor x = etude::tensor({0.0, 1.0});
  print(etude::sin(x));
  print(etude::cos(x));
  print(etude::tan(x));
}

/// The error function 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x, and its inverse.
EXAMPLE(etude::erf, etude::erfinv) {
  const Tensor x = etude::tensor({0.0, 0.5});
  print(etude::erf(x));
  print(etude::erfinv(x));
}

/// -1, 0 or 1.
EXAMPLE(etude::sign) { print(etude::sign(etude::tensor({-3.0, 0.0, 2.0}))); }

/// To an integer: down, up, to the nearest with halves to even, and towards 0.
EXAMPLE(etude::floor, etude::ceil, etude::round, etude::trunc) {
  const Tensor x = etude::tensor({-1.5, 0.5, 2.7});
  print(etude::floor(x));
  print(etude::ceil(x));
  print(etude::round(x));
  print(etude::trunc(x));
}

/// Logic on bools, bits on integers: the operators & | ^ ~.
EXAMPLE(etude::bitwise_and, etude::bitwise_or, etude::bitwise_xor, etude::bitwise_not) {
  const Tensor a = etude::tensor({12, 10}), b = etude::tensor({10, 3});
  print(etude::bitwise_and(a, b));
  print(a | b, a ^ b);
  print(etude::bitwise_not(etude::tensor({true, false})));
}

/// The operators + - * / % == != < <= > >= & | ^ take tensors and numbers on both sides.
EXAMPLE(etude::operators) {
  const Tensor x = etude::tensor({1, 2, 3});
  print(10 - x * 2);
  print((x > 1) & (x != 3));
  print(1 - x / 2);
}

EXAMPLE(etude::result_type) {
  print(etude::result_type(etude::tensor({1}), etude::tensor({0.5})));
  print(etude::result_type(etude::tensor({1}, etude::kInt), 2.5));
}
