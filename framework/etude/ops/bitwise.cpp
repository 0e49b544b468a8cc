// Elementwise bit operations on integers and logic on bools. No gradient.

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

constexpr auto with_bits = [](ScalarType t, auto f) {
  if (t == kBool) f(false);
  else if (t == kByte) f(uint8_t{0});
  else if (t == kInt) f(int32_t{0});
  else f(int64_t{0});
};

void check_has_bits(const char* kernel, ScalarType dtype) {
  ETUDE_CHECK(isIntegralType(dtype, true), "\"", kernel, "\" not implemented for '", toString(dtype), "'",
              "\nhint: only bools and integers have bits; compare first");
}

template <typename Op>
Tensor bits_forward(const char* kernel, const Tensor& a, const Tensor& b, const Op& op,
                    const Tensor& out = {}) {
  const Shape sizes = broadcast_sizes(a.sizes(), b.sizes());
  const ScalarType dtype = result_type(a, b);
  if (out.defined()) check_takes(out, sizes, dtype);
  check_has_bits(kernel, dtype);
  return zip_with(with_bits, dtype, a, b, out, op);
}

// Types with bits are in no graph, so nothing is ever recorded.
template <typename Op>
Tensor& bits_in_place(const char* kernel, const Tensor& self, const Tensor& other, const Op& op) {
  return in_place(
      self, {}, [&](const Tensor& x) { return bits_forward(kernel, x, other, op); },
      [&] { bits_forward(kernel, self, other, op, self); });
}

}  // namespace

#define ETUDE_BITWISE(name, op)                                                                        \
  static constexpr auto name##_bits = [](auto u, auto v) { return static_cast<decltype(u)>(u op v); }; \
  Tensor name(const Tensor& self, const Tensor& other) {                                               \
    ETUDE_OP(name, self, other);                                                                       \
    return bits_forward(#name "_cpu", self, other, name##_bits);                                       \
  }                                                                                                    \
  Tensor name(const Tensor& self, const Scalar& other) { return name(self, wrapped(other)); }          \
  Tensor name(const Scalar& self, const Tensor& other) { return name(wrapped(self), other); }          \
  Tensor Tensor::name(const Tensor& other) const { return etude::name(*this, other); }                 \
  Tensor Tensor::name(const Scalar& other) const { return etude::name(*this, other); }                 \
  Tensor& Tensor::name##_(const Tensor& other) const {                                                 \
    ETUDE_METHOD_OP(name##_, other);                                                                   \
    return bits_in_place(#name "_cpu", *this, other, name##_bits);                                     \
  }                                                                                                    \
  Tensor& Tensor::name##_(const Scalar& other) const { return name##_(wrapped(other)); }               \
  Tensor& Tensor::operator op##=(const Tensor& other) { return name##_(other); }                       \
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
