// pow: y = a^b,  da = dy b a^(b - 1),  db = dy a^b log a.
//
// a^0 = 1 for every a, so da is zero there. For 0^b with b >= 0, db is defined as zero.

#include <cmath>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

constexpr Numbers numbers{"pow"};

Tensor pow_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  const ScalarType dtype = result_type(a, b);
  return zip_with(numbers, dtype, a, b, out, [](auto u, auto v) {
    using T = decltype(u);
    if constexpr (is_floating<T>)
      return static_cast<T>(std::pow(static_cast<double>(u), static_cast<double>(v)));
    else return integer_power(u, v);
  });
}

// Exponents with a shorter method. The result is the same function, closer to exact (and nan for the square root of
// minus infinity, as in PyTorch).
Tensor pow_forward(const Tensor& a, const Scalar& exponent, const Tensor& out = {}) {
  const Tensor b = wrapped(exponent);
  const ScalarType dtype = result_type(a, b);
  ETUDE_CHECK(isFloatingType(dtype) || !exponent.isIntegral(true) || exponent.toLong() >= 0,
              "Integers to negative integer powers are not allowed.");
  ETUDE_CHECK(dtype == kBool || !out.defined() || out.scalar_type() == dtype, "Found dtype ",
              toString(a.scalar_type()), " but expected ", toString(dtype));
  const double e = exponent.toDouble();
  auto with = [&](auto f) { return map_with(numbers, as_type(a, dtype), out, f); };
  if (e == 2) return with([](auto v) { return Times{}(v, v); });
  if (e == 3) return with([](auto v) { return Times{}(Times{}(v, v), v); });
  if (isFloatingType(dtype) && e == 0.5)
    return with([](auto v) { return static_cast<decltype(v)>(std::sqrt(v)); });
  if (isFloatingType(dtype) && e == -0.5)
    return with([](auto v) { return static_cast<decltype(v)>(1 / std::sqrt(static_cast<double>(v))); });
  return pow_forward(a, b, out);
}

}  // namespace

Tensor pow(const Tensor& self, const Scalar& exponent) {
  ETUDE_OP(pow, self, exponent);
  return recorded("PowBackward0", {self}, pow_forward(self, exponent), {self},
                  [exponent](const Tensor& dy, const Tensor& x) {
                    if (exponent.equal(0)) return zeros_like(dy);
                    const Scalar less = exponent.isFloatingPoint() ? Scalar(exponent.toDouble() - 1)
                                                                   : Scalar(exponent.toLong() - 1);
                    return dy * (pow(x, less) * exponent);
                  });
}

Tensor pow(const Tensor& self, const Tensor& exponent) {
  ETUDE_OP(pow, self, exponent);
  return recorded("PowBackward1", {self, exponent}, pow_forward(self, exponent), {self, exponent, kResult},
                  [on_a = needs_grad(self), on_b = needs_grad(exponent)](
                      const Tensor& dy, const Tensor& base, const Tensor& power, const Tensor& y) {
                    Gradients dx(2);
                    if (on_a) dx[0] = where(power.eq(0), 0.0, dy * (power * pow(base, power - 1)));
                    if (on_b) dx[1] = dy * where(base.eq(0).logical_and(power.ge(0)), 0.0, y * log(base));
                    return dx;
                  });
}

Tensor pow(const Scalar& self, const Tensor& exponent) { return pow(wrapped(self), exponent); }

Tensor square(const Tensor& self) { return pow(self, 2); }
Tensor Tensor::square() const { return etude::square(*this); }
Tensor& Tensor::square_() const { return pow_(2); }

ETUDE_METHODS(pow, (const Tensor& exponent), exponent)
ETUDE_METHODS(pow, (const Scalar& exponent), exponent)

}  // namespace etude
