// Elementwise comparisons and logic, whose results are bool, and operations on the bits of integers. They have no gradient.
// The in-place forms write constants, so the gradient of the overwritten values is zero.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

constexpr BoolsAsBytes bools_as_bytes;
constexpr auto only_bools = [](ScalarType, auto f) { f(false); };
constexpr Floating only_floating{"isclose"};

// t in a type that the loops compare: float32 for floats of 16 bits, int32 for int8.
Tensor comparable(const Tensor& t) { return impl(t).dtype == kChar ? as_type(t, kInt) : widened(t); }

// y[i] = f(a[i], b[i]), both converted to dtype and broadcast; f(b[i], a[i]) if exchanged.
template <typename Dispatch, typename F>
Tensor compared_as(const Dispatch& dispatch_op, ScalarType dtype, const Tensor& a, const Tensor& b,
                   const F& f, bool exchanged = false) {
  const Tensor x = comparable(as_type(a, dtype)), z = comparable(as_type(b, dtype));
  Tensor y = output_for({}, broadcast_sizes(x.sizes(), z.sizes()), kBool, {&impl(x), &impl(z)});
  dispatch_op(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    map_into<bool, T>(f, y, exchanged ? z : x, exchanged ? x : z);
  });
  return y;
}

template <typename F>
Tensor compared(const Tensor& a, const Tensor& b, const F& f, bool exchanged = false) {
  return compared_as(bools_as_bytes, result_type(a, b), a, b, f, exchanged);
}

template <typename Dispatch, typename F>
Tensor tested(const Dispatch& dispatch_op, const Tensor& given, const F& f) {
  const Tensor x = comparable(given);
  Tensor y = output_for({}, impl(x).sizes, kBool, {&impl(x)});
  dispatch_op(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    map_into<bool, T>(f, y, x);
  });
  return y;
}

// Tests floating point numbers; all other types have the answer `otherwise`.
template <typename F>
Tensor tested_if_floating(const Tensor& x, bool otherwise, const F& f) {
  if (!x.is_floating_point()) return full_like(x, otherwise, kBool);
  return tested(only_floating, x, f);
}

// self becomes op(self, other), recorded under the node name `name`.
template <typename Op>
Tensor& overwritten(const char* name, const Tensor& self, const Tensor& other, const Op& op) {
  return in_place(
      self, {self.is_floating_point() ? other : Tensor()},
      [&](const Tensor& x) {
        return record(name, {x, other}, op(x, other).to(self.scalar_type()), [](const Tensor& dy) {
          return Gradients{zeros_like(dy), zeros_like(dy)};
        });
      },
      [&] { copied_to(self, op(self, other)); });
}

struct Close {
  double rtol, atol;
  bool equal_nan;
  template <typename T>
  bool operator()(T a, T b) const {
    if (a == b || (equal_nan && a != a && b != b)) return true;
    if (rtol == 0 && atol == 0) return false;
    const T error = std::fabs(a - b);
    return std::isfinite(error) && error <= static_cast<T>(atol) + std::fabs(static_cast<T>(rtol) * b);
  }
};

constexpr auto with_bits = [](ScalarType t, auto f) {
  if (t == kBool) f(false);
  else if (t == kByte) f(uint8_t{0});
  else if (t == kInt) f(int32_t{0});
  else f(int64_t{0});
};

void check_has_bits(const char* kernel, ScalarType dtype) {
  if (dtype == kChar) refuse_dtype(kernel, dtype);
  ETUDE_CHECK_WITH(NotImplementedError, isIntegralType(dtype, true), "\"", kernel, "\" not implemented for '",
                   toString(dtype), "'", "\nhint: only bools and integers have bits; compare first");
}

template <typename Op>
Tensor bits_forward(const char* kernel, const Tensor& a, const Tensor& b, const Tensor& out, const Op& op) {
  const Shape sizes = broadcast_sizes(a.sizes(), b.sizes());
  const ScalarType dtype = result_type(a, b);
  if (out.defined()) check_takes(out, sizes, dtype);
  check_has_bits(kernel, dtype);
  return zip_with(with_bits, dtype, a, b, out, op);
}

}  // namespace

#define ETUDE_OVERWRITING(name, node, Other, tensor)                                        \
  Tensor& Tensor::name##_(const Other& other) const {                                       \
    ETUDE_METHOD_OP(name##_, other);                                                        \
    return overwritten(node, *this, tensor,                                                 \
                       [](const Tensor& a, const Tensor& b) { return etude::name(a, b); }); \
  }

#define ETUDE_COMPARE(name, title, expression)                                                \
  Tensor name(const Tensor& self, const Tensor& other) {                                      \
    ETUDE_OP(name, self, other);                                                              \
    return expression;                                                                        \
  }                                                                                           \
  Tensor name(const Tensor& self, const Scalar& other) { return name(self, wrapped(other)); } \
  Tensor Tensor::name(const Tensor& other) const { return etude::name(*this, other); }        \
  Tensor Tensor::name(const Scalar& other) const { return etude::name(*this, other); }        \
  ETUDE_OVERWRITING(name, title "Backward1", Tensor, other)                                   \
  ETUDE_OVERWRITING(name, title "Backward0", Scalar, wrapped(other))
ETUDE_COMPARE(eq, "Eq", compared(self, other, std::equal_to<>()))
ETUDE_COMPARE(ne, "Ne", compared(self, other, std::not_equal_to<>()))
ETUDE_COMPARE(lt, "Lt", compared(self, other, std::less<>()))
ETUDE_COMPARE(le, "Le", compared(self, other, std::less_equal<>()))
ETUDE_COMPARE(gt, "Gt", compared(self, other, std::less<>(), /*exchanged=*/true))
ETUDE_COMPARE(ge, "Ge", compared(self, other, std::less_equal<>(), /*exchanged=*/true))
#undef ETUDE_COMPARE

Tensor logical_not(const Tensor& self) {
  ETUDE_OP(logical_not, self);
  return tested(bools_as_bytes, self, [](auto v) { return v == 0; });
}

#define ETUDE_TEST(name, of_integers, test)             \
  Tensor name(const Tensor& self) {                     \
    ETUDE_OP(name, self);                               \
    return tested_if_floating(self, of_integers, test); \
  }                                                     \
  Tensor Tensor::name() const { return etude::name(*this); }
ETUDE_TEST(isnan, false, [](auto v) { return v != v; })
ETUDE_TEST(isinf, false, [](auto v) { return v == v && !std::isfinite(v); })
ETUDE_TEST(isfinite, true, [](auto v) { return std::isfinite(v); })
#undef ETUDE_TEST

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  ETUDE_OP(isclose, self, other, rtol, atol, equal_nan);
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), toString(self.scalar_type()), " did not match ",
              toString(other.scalar_type()), "\nhint: convert one of them with .to(...) first");
  ETUDE_CHECK(rtol >= 0, "rtol must be greater than or equal to zero, but got ", rtol);
  ETUDE_CHECK(atol >= 0, "atol must be greater than or equal to zero, but got ", atol);
  Tensor near =
      compared_as(only_floating, floating_of(self.scalar_type()), self, other, Close{rtol, atol, equal_nan});
  if (self.is_floating_point()) return near;
  // Integers are also compared exactly, because rounding to floating point may change them.
  return rtol == 0 && atol == 0 ? self.eq(other) : logical_or(near, self.eq(other));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  ETUDE_OP(allclose, self, other, rtol, atol, equal_nan);
  const Tensor close = isclose(self, other, rtol, atol, equal_nan).contiguous();
  const bool* values = impl(close).data<bool>();
  return std::all_of(values, values + close.numel(), [](bool v) { return v; });
}

bool equal(const Tensor& self, const Tensor& other) {
  ETUDE_OP(equal, self, other);
  if (self.sizes() != other.sizes()) return false;
  const ScalarType dtype = result_type(self, other);
  const Tensor x = comparable(as_type(self, dtype)), z = comparable(as_type(other, dtype));
  const auto w = make_walk<2>(impl(x).sizes, {impl(x).strides, impl(z).strides});
  std::atomic<bool> same{true};
  bools_as_bytes(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row<2>(w, kGrain, [&](const auto& at, int64_t n) {
      const T *a = impl(x).data<T>() + at[0], *b = impl(z).data<T>() + at[1];
      int64_t i = 0;
      while (i < n && a[i * w.stride(0)] == b[i * w.stride(1)]) ++i;
      if (i < n) same.store(false, std::memory_order_relaxed);
    });
  });
  return same;
}

bool is_nonzero(const Tensor& self) {
  ETUDE_OP(is_nonzero, self);
  const int64_t n = self.defined() ? self.numel() : 0;
  ETUDE_CHECK(n != 0, "Boolean value of Tensor with no values is ambiguous");
  ETUDE_CHECK(n == 1, "Boolean value of Tensor with more than one value is ambiguous", "\nreceived sizes ",
              self.sizes(), "\nhint: any() or all() of it is one value");
  return dispatch(self.scalar_type(), [&](auto zero) { return *impl(self).data<decltype(zero)>() != zero; });
}

#define ETUDE_LOGIC(name, title, expression)                                           \
  Tensor name(const Tensor& self, const Tensor& other) {                               \
    ETUDE_OP(name, self, other);                                                       \
    return zip_with(only_bools, kBool, self, other, {}, expression);                   \
  }                                                                                    \
  Tensor Tensor::name(const Tensor& other) const { return etude::name(*this, other); } \
  ETUDE_OVERWRITING(name, title "Backward0", Tensor, other)
ETUDE_LOGIC(logical_and, "LogicalAnd", [](bool u, bool v) { return u && v; })
ETUDE_LOGIC(logical_or, "LogicalOr", [](bool u, bool v) { return u || v; })
ETUDE_LOGIC(logical_xor, "LogicalXor", [](bool u, bool v) { return u != v; })
#undef ETUDE_LOGIC
#undef ETUDE_OVERWRITING

Tensor Tensor::logical_not() const { return etude::logical_not(*this); }
Tensor& Tensor::logical_not_() const {
  ETUDE_METHOD_OP(logical_not_, );
  return overwritten("LogicalNotBackward0", *this, Tensor(),
                     [](const Tensor& x, const Tensor&) { return etude::logical_not(x); });
}
bool Tensor::equal(const Tensor& other) const { return etude::equal(*this, other); }
bool Tensor::is_nonzero() const { return etude::is_nonzero(*this); }
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return etude::allclose(*this, other, rtol, atol, equal_nan);
}

#define ETUDE_BITWISE(name, op)                                                               \
  static Tensor name##_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {    \
    const auto of_bits = [](auto u, auto v) { return static_cast<decltype(u)>(u op v); };     \
    return bits_forward(#name "_cpu", a, b, out, of_bits);                                    \
  }                                                                                           \
  Tensor name(const Tensor& self, const Tensor& other) {                                      \
    ETUDE_OP(name, self, other);                                                              \
    return name##_forward(self, other);                                                       \
  }                                                                                           \
  Tensor name(const Tensor& self, const Scalar& other) { return name(self, wrapped(other)); } \
  Tensor name(const Scalar& self, const Tensor& other) { return name(wrapped(self), other); } \
  ETUDE_BINARY_METHODS(name)                                                                  \
  Tensor& Tensor::operator op##=(const Tensor& other) { return name##_(other); }              \
  Tensor& Tensor::operator op##=(const Scalar& other) { return name##_(other); }
ETUDE_BITWISE(bitwise_and, &)
ETUDE_BITWISE(bitwise_or, |)
ETUDE_BITWISE(bitwise_xor, ^)
#undef ETUDE_BITWISE

Tensor bitwise_not(const Tensor& self) {
  ETUDE_OP(bitwise_not, self);
  check_has_bits("bitwise_not_cpu", self.scalar_type());
  return bitwise_xor(self, self.scalar_type() == kBool ? Scalar(true) : Scalar(-1));
}

Tensor Tensor::operator~() const { return etude::bitwise_not(*this); }
Tensor Tensor::bitwise_not() const { return etude::bitwise_not(*this); }
Tensor& Tensor::bitwise_not_() const {
  ETUDE_METHOD_OP(bitwise_not_, );
  check_has_bits("bitwise_not_cpu", scalar_type());
  return bitwise_xor_(scalar_type() == kBool ? Scalar(true) : Scalar(-1));
}

}  // namespace etude
