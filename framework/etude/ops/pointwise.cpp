// Elementwise arithmetic:
//
//   add: y = a + alpha b   da = dy      db = alpha dy
//   sub: y = a - alpha b   da = dy      db = -alpha dy
//   mul: y = a b           da = dy b    db = dy a
//   div: y = a / b         da = dy / b  db = -dy (a / b) / b
//   pow: y = a^b           da = dy b a^(b - 1),  db = dy a^b log a
//        a^0 = 1 for every a, so da is zero there. For 0^b with b >= 0, db is defined as zero.
//
// Where a or b was broadcast, the engine sums its gradient.

#include <cmath>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

void check_alpha(const Scalar& alpha, ScalarType dtype) {
  ETUDE_CHECK(!alpha.isBoolean() || dtype == kBool, "Boolean alpha only supported for Boolean results.");
  ETUDE_CHECK(isFloatingType(dtype) || alpha.isIntegral(true),
              "For integral input tensors, argument alpha must not be a floating point number.");
}

void check_no_bool(const Tensor& a, const Tensor& b) {
  ETUDE_CHECK_WITH(NotImplementedError, a.scalar_type() != kBool || b.scalar_type() != kBool,
                   "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                   "`logical_xor()` operator instead.");
  ETUDE_CHECK_WITH(NotImplementedError, a.scalar_type() != kBool && b.scalar_type() != kBool,
                   "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                   "invert a mask, use the `~` or `logical_not()` operator instead.");
}

// f(a, b), where f is symmetric. An operand with one number per row goes second, where the loop keeps the number.
template <typename F>
Tensor zip_in_any_order(const char* op, ScalarType dtype, const Tensor& a, const Tensor& b, const Tensor& out,
                        const F& f) {
  const TensorImpl &x = impl(a), &y = impl(b);
  const auto innermost = [](const TensorImpl& t) { return t.sizes.empty() ? 1 : t.sizes.back(); };
  const bool exchanged = x.contiguous && y.contiguous && innermost(x) == 1 && innermost(y) != 1;
  return zip_with(EveryType{op}, dtype, exchanged ? b : a, exchanged ? a : b, out, f);
}

// a + alpha b with a single rounding, as in PyTorch's vector code.
Tensor add_forward(const Tensor& a, const Tensor& b, const Scalar& alpha, const Tensor& out = {}) {
  const ScalarType dtype = result_type(a, b);
  check_alpha(alpha, dtype);
  if (alpha.equal(1)) return zip_in_any_order("add", dtype, a, b, out, Plus{});
  check_fits(alpha, dtype);
  if (!isFloatingType(dtype)) {
    const Tensor scaled = zip_with(EveryType{"add"}, dtype, b, wrapped(alpha), {}, Times{});
    return zip_with(EveryType{"add"}, dtype, a, scaled, out, Plus{});
  }
  return zip_with(Floating{"add"}, dtype, a, b, out, [factor = alpha.toDouble()](auto u, auto v) {
    return std::fma(static_cast<decltype(u)>(factor), v, u);
  });
}

Tensor sub_forward(const Tensor& a, const Tensor& b, const Scalar& alpha, const Tensor& out = {}) {
  check_no_bool(a, b);
  check_alpha(alpha, result_type(a, b));
  if (alpha.equal(1)) return zip_with(EveryType{"sub"}, result_type(a, b), a, b, out, Minus{});
  return add_forward(a, b, -alpha, out);
}

Tensor mul_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  return zip_in_any_order("mul", result_type(a, b), a, b, out, Times{});
}

Tensor div_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  const ScalarType dtype = floating_of(result_type(a, b));
  return zip_with(Floating{"div"}, dtype, a, b, out, [](auto u, auto v) { return u / v; });
}

Tensor sub_named(const char* name, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return recorded(name, {a, b}, sub_forward(a, b, alpha),
                  [alpha, on_a = needs_grad(a), on_b = needs_grad(b)](const Tensor& dy) {
                    return Gradients{on_a ? dy : Tensor(), on_b ? dy * -alpha : Tensor()};
                  });
}

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

// Some exponents have a shorter method, which is closer to the exact result (and gives nan for the square root of minus
// infinity, as in PyTorch).
Tensor pow_forward(const Tensor& a, const Scalar& exponent, const Tensor& out = {}) {
  const Tensor b = wrapped(exponent);
  const ScalarType dtype = result_type(a, b);
  ETUDE_CHECK(isFloatingType(dtype) || !exponent.isIntegral(true) || exponent.toLong() >= 0,
              "Integers to negative integer powers are not allowed.");
  ETUDE_CHECK(!out.defined() || can_cast(dtype, out.scalar_type()), "result type ", toString(dtype),
              " can't be cast to the desired output type ", toString(out.scalar_type()));
  if (isIntegralType(dtype, /*include_bool=*/false)) check_fits(exponent, dtype);
  if (dtype == kBool) return copied_to(out, exponent.toBool() ? a.clone() : ones_like(a));
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

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  ETUDE_OP(add, self, other, alpha);
  return recorded(
      "AddBackward0", {self, other}, add_forward(self, other, alpha),
      [alpha, on_a = needs_grad(self), on_b = needs_grad(other)](const Tensor& dy) {
        return Gradients{on_a ? dy : Tensor(), !on_b ? Tensor() : alpha.equal(1) ? dy : dy * alpha};
      });
}

Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  ETUDE_OP(sub, self, other, alpha);
  return sub_named("SubBackward0", self, other, alpha);
}

// other - alpha self. The arguments change places, also in the graph.
Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  ETUDE_OP(rsub, self, other, alpha);
  return sub_named("RsubBackward0", other, self, alpha);
}
Tensor rsub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  ETUDE_OP(rsub, self, other, alpha);
  return sub_named("RsubBackward1", wrapped(other), self, alpha);
}

Tensor mul(const Tensor& self, const Tensor& other) {
  ETUDE_OP(mul, self, other);
  return recorded("MulBackward0", {self, other}, mul_forward(self, other),
                  {{self, needs_grad(other)}, {other, needs_grad(self)}},
                  [](const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{b.defined() ? dy * b : Tensor(), a.defined() ? dy * a : Tensor()};
                  });
}

Tensor div(const Tensor& self, const Tensor& other) {
  ETUDE_OP(div, self, other);
  return recorded("DivBackward0", {self, other}, div_forward(self, other), {{self, needs_grad(other)}, other},
                  [on_a = needs_grad(self)](const Tensor& dy, const Tensor& a, const Tensor& divisor) {
                    return Gradients{on_a ? dy / divisor : Tensor(),
                                     a.defined() ? -dy * ((a / divisor) / divisor) : Tensor()};
                  });
}

Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return add(self, wrapped(other), alpha);
}
Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return sub(self, wrapped(other), alpha);
}
Tensor mul(const Tensor& self, const Scalar& other) { return mul(self, wrapped(other)); }
Tensor div(const Tensor& self, const Scalar& other) { return div(self, wrapped(other)); }

ETUDE_METHODS(add, (const Tensor& other, const Scalar& alpha), other, alpha)
ETUDE_METHODS(sub, (const Tensor& other, const Scalar& alpha), other, alpha)
ETUDE_BINARY_METHODS(mul)
ETUDE_BINARY_METHODS(div)

Tensor Tensor::add(const Scalar& other, const Scalar& alpha) const { return etude::add(*this, other, alpha); }
Tensor& Tensor::add_(const Scalar& other, const Scalar& alpha) const { return add_(wrapped(other), alpha); }
Tensor Tensor::sub(const Scalar& other, const Scalar& alpha) const { return etude::sub(*this, other, alpha); }
Tensor& Tensor::sub_(const Scalar& other, const Scalar& alpha) const { return sub_(wrapped(other), alpha); }

#define ETUDE_ASSIGNMENT(op, name)                                         \
  Tensor& Tensor::operator op(const Tensor& other) { return name(other); } \
  Tensor& Tensor::operator op(const Scalar& other) { return name(other); }
ETUDE_ASSIGNMENT(+=, add_)
ETUDE_ASSIGNMENT(-=, sub_)
ETUDE_ASSIGNMENT(*=, mul_)
ETUDE_ASSIGNMENT(/=, div_)
#undef ETUDE_ASSIGNMENT

// Defines the methods of an op under another name.
#define ETUDE_ALIAS(alias, name)                                                 \
  Tensor Tensor::alias(const Tensor& other) const { return name(other); }        \
  Tensor Tensor::alias(const Scalar& other) const { return name(other); }        \
  Tensor& Tensor::alias##_(const Tensor& other) const { return name##_(other); } \
  Tensor& Tensor::alias##_(const Scalar& other) const { return name##_(other); }
ETUDE_ALIAS(multiply, mul)
ETUDE_ALIAS(divide, div)
ETUDE_ALIAS(true_divide, div)
#undef ETUDE_ALIAS
Tensor Tensor::subtract(const Tensor& other, const Scalar& alpha) const { return sub(other, alpha); }
Tensor Tensor::subtract(const Scalar& other, const Scalar& alpha) const { return sub(other, alpha); }
Tensor& Tensor::subtract_(const Tensor& other, const Scalar& alpha) const { return sub_(other, alpha); }
Tensor& Tensor::subtract_(const Scalar& other, const Scalar& alpha) const { return sub_(other, alpha); }

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

// If the base is a number, the node has another name.
static Tensor pow_with(const char* node, const Tensor& self, const Tensor& exponent) {
  return recorded(node, {self, exponent}, pow_forward(self, exponent), {self, exponent, kResult},
                  [on_a = needs_grad(self), on_b = needs_grad(exponent)](
                      const Tensor& dy, const Tensor& base, const Tensor& power, const Tensor& y) {
                    Gradients dx(2);
                    if (on_a) dx[0] = where(power.eq(0), 0.0, dy * (power * pow(base, power - 1)));
                    if (on_b) dx[1] = dy * where(base.eq(0).logical_and(power.ge(0)), 0.0, y * log(base));
                    return dx;
                  });
}

Tensor pow(const Tensor& self, const Tensor& exponent) {
  ETUDE_OP(pow, self, exponent);
  return pow_with("PowBackward1", self, exponent);
}

Tensor pow(const Scalar& self, const Tensor& exponent) {
  ETUDE_OP(pow, self, exponent);
  return pow_with("PowBackward2", wrapped(self), exponent);
}

Tensor square(const Tensor& self) { return pow(self, 2); }
Tensor Tensor::square() const { return etude::square(*this); }
Tensor& Tensor::square_() const { return pow_(2); }

ETUDE_METHODS(pow, (const Tensor& exponent), exponent)
ETUDE_METHODS(pow, (const Scalar& exponent), exponent)

}  // namespace etude
