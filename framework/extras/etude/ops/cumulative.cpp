// Results over the elements up to each one, along a dim.
//
//   cumprod   y[i] = x[0] ... x[i]     dx[i] = x[0] ... x[i - 1] g[i], where g[i] = dy[i] + x[i + 1] g[i + 1] sums up the effect
//                                      of x[i] on the products from i on. Nothing is divided, so derivatives are right at zeros.
//   cummax    y[i] = x[k], k the last of the largest elements up to i     dx[k] = the sum of dy[i]; cummin alike. A nan stays.
//
// g is a recurrence that runs backward, and so is the gradient of one:
//
//   y[i] = a[i] y[i - 1] + b[i]        db[i] = g[i] = dy[i] + a[i + 1] g[i + 1],  da[i] = g[i] y[i - 1]

#include "etude/ops/cumulative.h"

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// The lane along d of a tensor of elements T that starts at this element.
template <typename T>
Lane<T> lane_at(const Tensor& t, int64_t start, int64_t d) {
  const TensorImpl& x = impl(t);
  T* const first = x.data<T>() + start;
  return x.sizes.empty() ? Lane<T>{first, 1, 1} : Lane<T>{first, x.sizes[d], x.strides[d]};
}

// float32 is multiplied in float64, with each product rounded to float32; integers wrap around.
Tensor cumprod_forward(const Tensor& given, int64_t d) {
  const Tensor x = widened(given), y = make_tensor(x.sizes(), x.scalar_type());
  dispatch_numbers("cumprod_out_cpu", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_strided_lane<2>(impl(x).sizes, d, {impl(x).strides, impl(y).strides}, [&](const auto& at) {
      const Lane<T> from = lane_at<T>(x, at[0], d), to = lane_at<T>(y, at[1], d);
      Accumulator<T> product = 1;
      for (int64_t i = 0; i < from.size; ++i) {
        product *= static_cast<Accumulator<T>>(from[i]);
        to[i] = static_cast<T>(product);
      }
    });
  });
  return as_type(y, given.scalar_type());
}

// The element before each one along d, and `first` before the first.
Tensor earlier(const Tensor& t, int64_t d, double first) {
  return cat({full_like(t.narrow(d, 0, 1), first), t.narrow(d, 0, t.size(d) - 1)}, d);
}

Tensor recurrence(const Tensor& a, const Tensor& b, int64_t d);

// g[i] = dy[i] + a[i + 1] g[i + 1]
Tensor recurrence_from_the_end(const Tensor& a, const Tensor& dy, int64_t d) {
  return recurrence(a.roll(-1, d).flip(d), dy.flip(d), d).flip(d);
}

Tensor recurrence(const Tensor& a, const Tensor& b, int64_t d) {
  const Tensor x = alias(a), y = alias(b).clone();
  dispatch_floating("cumprod", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_strided_lane<2>(impl(y).sizes, d, {impl(x).strides, impl(y).strides}, [&](const auto& at) {
      const Lane<T> factors = lane_at<T>(x, at[0], d), to = lane_at<T>(y, at[1], d);
      for (int64_t i = 1; i < to.size; ++i) to[i] += factors[i] * to[i - 1];
    });
  });
  return recorded("RecurrenceBackward0", {a, b}, y, {a, kResult},
                  [d](const Tensor& dy, const Tensor& factors, const Tensor& result) {
                    const Tensor g = recurrence_from_the_end(factors, dy, d);
                    return Gradients{g * earlier(result, d, 0), g};
                  });
}

// Whether v takes the place of the largest or smallest element so far.
template <typename T>
bool replaces(bool largest, T v, T so_far) {
  return v != v || (so_far == so_far && (largest ? v >= so_far : v <= so_far));
}

std::tuple<Tensor, Tensor> extremes_so_far(const char* name, const char* node, bool largest,
                                           const Tensor& self, int64_t dim) {
  ETUDE_CHECK_INDEX(self.dim() > 0 || (-1 <= dim && dim <= 0), name,
                    "(): Expected reduction dim -1 or 0 for scalar but got ", dim);
  const int64_t d = wrap_dim(dim, self.dim());
  const Tensor places = make_tensor(self.sizes(), kLong), y = make_tensor(self.sizes(), self.scalar_type());
  dispatch(self.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<is_floating<T>, double, int64_t>;
    const std::array<Shape, 3> strides = {impl(self).strides, impl(y).strides, impl(places).strides};
    for_each_strided_lane<3>(impl(self).sizes, d, strides, [&](const auto& start) {
      const Lane<T> x = lane_at<T>(self, start[0], d), to = lane_at<T>(y, start[1], d);
      const Lane<int64_t> at = lane_at<int64_t>(places, start[2], d);
      int64_t found = 0;
      T best{};
      for (int64_t i = 0; i < x.size; ++i) {
        const T v = x[i];
        if (i == 0 || replaces(largest, static_cast<Wide>(v), static_cast<Wide>(best))) {
          best = v;
          found = i;
        }
        to[i] = best;
        at[i] = found;
      }
    });
  });
  if (recording({self}))
    record_outputs(node, {self}, {y, places}, [d, saved = Saved(places)](const Gradients& dy) {
      const Tensor at = saved.get(), terms = dy[0].to(product_type(dy[0].scalar_type()));
      return Gradients{zeros(at.sizes(), terms.scalar_type()).scatter_add(d, at, terms)};
    });
  return {y, places};
}

}  // namespace

Tensor cumprod(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(cumprod, self, dim, dtype);
  const ScalarType type = dtype.value_or(self.is_floating_point() ? self.scalar_type() : kLong);
  const int64_t d = wrap_dim(dim, self.dim());
  return recorded("CumprodBackward0", {self}, cumprod_forward(as_type(self, type), d), {self},
                  [d, dtype](const Tensor& dy, const Tensor& given) {
                    const Tensor x = dtype ? given.to(dy.scalar_type()) : given;
                    if (x.dim() == 0 || x.numel() == 0) return dy;
                    return earlier(x.cumprod(d), d, 1) * recurrence_from_the_end(x, dy, d);
                  });
}

std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
  ETUDE_OP(cummax, self, dim);
  return extremes_so_far("cummax", "CummaxBackward0", true, self, dim);
}

std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
  ETUDE_OP(cummin, self, dim);
  return extremes_so_far("cummin", "CumminBackward0", false, self, dim);
}

ETUDE_METHOD(cumprod, (int64_t dim, optional<ScalarType> dtype), dim, dtype)
ETUDE_METHOD(cummax, (int64_t dim), dim)
ETUDE_METHOD(cummin, (int64_t dim), dim)

Tensor& Tensor::cumprod_(int64_t dim, optional<ScalarType> dtype) const {
  ETUDE_METHOD_OP(cumprod_, dim, dtype);
  const ScalarType type = scalar_type();
  ETUDE_CHECK(dtype.value_or(type) == type, "Bad in-place call: input tensor dtype ",
              detail::row_of(type).cpp_name, " and output tensor dtype ", detail::row_of(*dtype).cpp_name,
              " should match");
  return autograd::detail::in_place(
      *this, {}, [&](const Tensor& x) { return etude::cumprod(x, dim, type); },
      [&] { copy_(cumprod_forward(*this, wrap_dim(dim, this->dim()))); });
}

}  // namespace etude
