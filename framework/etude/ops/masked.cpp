// Elementwise choices by a mask m, and triangles of matrices:
//
//   where:        y = m ? a : b    da = m ? dy : 0,  db = m ? 0 : dy
//   masked_fill:  y = m ? v : x    dx = m ? 0 : dy,  dv = sum of dy where m
//   tril, triu:   y[i, j] = x[i, j] if j - i <= k (tril) or j - i >= k (triu), else 0;    dx: the same of dy

#include <algorithm>

#include "etude/core/warning.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Reads both sides, and the mask as bytes: only then do compilers choose without a branch.
template <typename T>
T chosen(uint8_t m, T a, T b) {
  return m != 0 ? a : b;
}

template <typename T>
void choose_row(T* to, int64_t to_step, const uint8_t* m, int64_t m_step, const T* a, int64_t a_step,
                const T* b, int64_t b_step, int64_t n) {
  if (to_step == 1 && m_step == 1 && a_step == 1 && b_step == 1) {
    vectorised<T>([&] {
      for (int64_t i = 0; i < n; ++i) to[i] = chosen(m[i], a[i], b[i]);
    });
  } else if (to_step == 1 && m_step == 1 && a_step == 0 && b_step == 1) {
    vectorised<T>([&, v = *a] {
      for (int64_t i = 0; i < n; ++i) to[i] = chosen(m[i], v, b[i]);
    });
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_step] = chosen(m[i * m_step], a[i * a_step], b[i * b_step]);
  }
}

// m ? a : b for tensors of one dtype that broadcast to the sizes of `to`, which may be b.
void choose_into(const Tensor& to, const Tensor& m, const Tensor& a, const Tensor& b) {
  const Shape& sizes = impl(to).sizes;
  const auto w = make_walk<4>(sizes, {impl(to).strides, broadcast_strides(impl(m), sizes),
                                      broadcast_strides(impl(a), sizes), broadcast_strides(impl(b), sizes)});
  dispatch(to.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_row<4>(w, kGrain, [&](const auto& at, int64_t n) {
      choose_row(impl(to).data<T>() + at[0], w.stride(0), impl(m).data<uint8_t>() + at[1], w.stride(1),
                 impl(a).data<T>() + at[2], w.stride(2), impl(b).data<T>() + at[3], w.stride(3), n);
    });
  });
}

Tensor where_forward(const Tensor& m, const Tensor& a, const Tensor& b) {
  const ScalarType dtype = result_type(a, b);
  const Tensor u = as_type(a, dtype), v = as_type(b, dtype);
  const Shape sizes = broadcast_sizes(broadcast_sizes(m.sizes(), u.sizes()), v.sizes());
  Tensor y = output_for({}, sizes, dtype, {&impl(m), &impl(u), &impl(v)});
  choose_into(y, m, u, v);
  return y;
}

Tensor condition_of(const Tensor& condition) {
  ETUDE_CHECK(condition.scalar_type() == kBool || condition.scalar_type() == kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              toString(condition.scalar_type()), "\nhint: compare first, for example condition != 0");
  if (condition.scalar_type() == kByte)
    ETUDE_WARN_ONCE(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
        "future version of PyTorch. Use a boolean condition instead.");
  return as_type(condition, kBool);
}

// A number whose type is decided by the other operand. Throws if this type cannot hold it; a float of 16 bits becomes infinity.
Tensor number_for(const Scalar& number, const Tensor& other) {
  const ScalarType type = result_type(other, number);
  if (!isReducedFloatingType(type)) check_fits(number, type);
  return wrapped(number);
}

void check_mask(const Tensor& mask) {
  ETUDE_CHECK(mask.scalar_type() == kBool,
              "masked_fill_ only supports boolean masks, but got mask with dtype ",
              row_of(mask.scalar_type()).cpp_name, "\nhint: compare first, for example mask != 0");
}

// Converts the value to an element of self.
Tensor filling(const Tensor& self, const Tensor& value) {
  ETUDE_CHECK(value.dim() == 0,
              "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
              " dimension(s).");
  check_fits(value.item(), self.scalar_type());
  return as_type(value, self.scalar_type());
}

Tensor filled(const char* name, const Tensor& self, const Tensor& mask, const Tensor& value) {
  const Shape sizes = broadcast_sizes(mask.sizes(), self.sizes());
  check_mask(mask);
  const Tensor v = filling(self, value);
  Tensor y = make_tensor(sizes, self.scalar_type());
  choose_into(y, mask, v, self);
  return recorded(
      name, {self, value}, y, {mask},
      [on_self = needs_grad(self), on_value = needs_grad(value)](const Tensor& dy, const Tensor& m) {
        return Gradients{on_self ? dy.masked_fill(m, 0) : Tensor(),
                         on_value ? where(m, dy, 0).sum() : Tensor()};
      });
}

Tensor& fill_in_place(const char* name, const Tensor& self, const Tensor& mask, const Tensor& value) {
  const Shape sizes = broadcast_sizes(self.sizes(), mask.sizes());
  check_takes(self, sizes, self.scalar_type());
  return in_place(
      self, {self.is_floating_point() ? value : Tensor()},
      [&](const Tensor& x) { return filled(name, x, mask, value); },
      [&] {
        check_mask(mask);
        const Tensor v = filling(self, value);
        choose_into(self, overlaps(self, mask) ? mask.clone() : mask, v.is_alias_of(self) ? v.clone() : v,
                    self);
      });
}

// Farther from the main diagonal than any element, but small enough that sums with it do not overflow.
constexpr int64_t kFar = int64_t{1} << 61;

int64_t clamped(int64_t diagonal) { return std::clamp(diagonal, -kFar, kFar); }

// The elements of every matrix with first <= j - i < last, and zeros elsewhere.
Tensor band(const char* op, const Tensor& self, int64_t first, int64_t last) {
  ETUDE_CHECK(self.dim() >= 2, op, ": input tensor must have at least 2 dimensions\nreceived sizes ",
              self.sizes());
  const Tensor x = self.contiguous();
  Tensor y = make_tensor(self.sizes(), self.scalar_type());
  if (y.numel() == 0) return y;
  const int64_t rows = self.size(-2), columns = self.size(-1);
  const int64_t grain = std::max<int64_t>(kGrain / columns, 1);
  dispatch(self.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(0, y.numel() / columns, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t i = r % rows;
        const int64_t from = std::clamp<int64_t>(i + first, 0, columns),
                      to = std::clamp<int64_t>(i + last, from, columns);
        const T* in = impl(x).data<T>() + r * columns;
        T* out = impl(y).data<T>() + r * columns;
        std::fill(out, out + from, T(0));
        std::copy(in + from, in + to, out + from);
        std::fill(out + to, out + columns, T(0));
      }
    });
  });
  return y;
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  ETUDE_OP(where, condition, self, other);
  const Tensor mask = condition_of(condition);
  return recorded(
      "WhereBackward0", {self, other}, where_forward(mask, self, other), {mask},
      [on_self = needs_grad(self), on_other = needs_grad(other)](const Tensor& dy, const Tensor& m) {
        return Gradients{on_self ? where(m, dy, 0) : Tensor(), on_other ? where(m, 0, dy) : Tensor()};
      });
}

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  return where(condition, number_for(self, other), other);
}
Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  return where(condition, self, number_for(other, self));
}
Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
  ETUDE_OP(where, condition, self, other);
  return where_forward(condition_of(condition), wrapped(self), wrapped(other));
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  ETUDE_OP(masked_fill, self, mask, value);
  return filled("MaskedFillBackward0", self, mask, wrapped(value));
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  ETUDE_OP(masked_fill, self, mask, value);
  return filled("MaskedFillBackward1", self, mask, value);
}

Tensor tril(const Tensor& self, int64_t diagonal) {
  ETUDE_OP(tril, self, diagonal);
  return recorded("TrilBackward0", {self}, band("tril", self, -kFar, clamped(diagonal) + 1),
                  [diagonal](const Tensor& dy) { return dy.tril(diagonal); });
}

Tensor triu(const Tensor& self, int64_t diagonal) {
  ETUDE_OP(triu, self, diagonal);
  return recorded("TriuBackward0", {self}, band("triu", self, clamped(diagonal), kFar),
                  [diagonal](const Tensor& dy) { return dy.triu(diagonal); });
}

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return etude::where(condition, *this, other);
}
ETUDE_METHOD(masked_fill, (const Tensor& mask, const Scalar& value), mask, value)
ETUDE_METHOD(masked_fill, (const Tensor& mask, const Tensor& value), mask, value)
Tensor& Tensor::masked_fill_(const Tensor& mask, const Scalar& value) const {
  ETUDE_METHOD_OP(masked_fill_, mask, value);
  return fill_in_place("MaskedFillBackward0", *this, mask, wrapped(value));
}
Tensor& Tensor::masked_fill_(const Tensor& mask, const Tensor& value) const {
  ETUDE_METHOD_OP(masked_fill_, mask, value);
  return fill_in_place("MaskedFillBackward1", *this, mask, value);
}
ETUDE_METHOD(tril, (int64_t diagonal), diagonal)
ETUDE_METHOD(triu, (int64_t diagonal), diagonal)

}  // namespace etude
