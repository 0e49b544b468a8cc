// Linear interpolation, element by element:
//
//   lerp  y = x + w (e - x),  dx = dy (1 - w),  de = dy w,  dw = dy (e - x)

#include <cmath>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/ops.h"

namespace etude {
namespace {

using namespace autograd::detail;
using detail::impl;

// From the nearer end, so that w = 1 gives e exactly.
template <typename T>
T between(T x, T e, T w) {
  return std::fabs(w) < T(0.5) ? x + w * (e - x) : e - (e - x) * (1 - w);
}

void check_type(const char* what, const Tensor& self, const Tensor& other) {
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), "expected dtype ",
              detail::row_of(self.scalar_type()).cpp_name, " for `", what, "` but got dtype ",
              detail::row_of(other.scalar_type()).cpp_name);
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Scalar& weight, const Tensor& out) {
  check_type("end", self, end);
  const double w = weight.toDouble();
  return detail::zip_with([](ScalarType t, auto f) { detail::dispatch_floating("lerp_kernel_scalar", t, f); },
                          self.scalar_type(), self, end, out,
                          [w](auto x, auto e) { return between(x, e, static_cast<decltype(x)>(w)); });
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Tensor& weight) {
  check_type("end", self, end);
  check_type("weight", self, weight);
  const Shape sizes = broadcast_sizes(broadcast_sizes(self.sizes(), end.sizes()), weight.sizes());
  Tensor y = detail::output_for({}, sizes, self.scalar_type(), {&impl(self), &impl(end), &impl(weight)});
  const auto walk = detail::make_walk<4>(
      sizes, {impl(y).strides, detail::broadcast_strides(impl(self), sizes),
              detail::broadcast_strides(impl(end), sizes), detail::broadcast_strides(impl(weight), sizes)});
  detail::dispatch_floating("lerp_kernel_tensor", self.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    detail::for_each_row<4>(walk, detail::kGrain, [&](const auto& at, int64_t n) {
      T* out = impl(y).template data<T>() + at[0];
      const T *x = impl(self).template data<T>() + at[1], *e = impl(end).template data<T>() + at[2],
              *w = impl(weight).template data<T>() + at[3];
      for (int64_t i = 0; i < n; ++i)
        out[i * walk.stride(0)] =
            between(x[i * walk.stride(1)], e[i * walk.stride(2)], w[i * walk.stride(3)]);
    });
  });
  return y;
}

}  // namespace

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  return recorded("LerpBackward0", {self, end}, lerp_forward(self, end, weight, {}),
                  [w = weight.toDouble()](const Tensor& dy) {
                    return Gradients{dy * (1 - w), dy * w};
                  });
}

Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  Tensor y = lerp_forward(self, end, weight);
  if (!recording({self, end, weight})) return y;
  const bool on_weight = needs_grad(weight);
  return record(
      "LerpBackward1", {self, end, weight}, y,
      [x = Saved(self, on_weight), e = Saved(end, on_weight), w = Saved(weight),
       on_weight](const Tensor& dy) {
        return Gradients{dy * (1 - w.get()), dy * w.get(), on_weight ? dy * (e.get() - x.get()) : Tensor()};
      });
}

Tensor Tensor::lerp(const Tensor& end, const Scalar& weight) const { return etude::lerp(*this, end, weight); }
Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const { return etude::lerp(*this, end, weight); }
Tensor& Tensor::lerp_(const Tensor& end, const Scalar& weight) const {
  return in_place(
      *this, {end}, [&](const Tensor& x) { return etude::lerp(x, end, weight); },
      [&] { lerp_forward(*this, end, weight, *this); });
}
Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) const {
  return in_place(
      *this, {end, weight}, [&](const Tensor& x) { return etude::lerp(x, end, weight); },
      [&] {
        const Tensor y = lerp_forward(*this, end, weight);
        detail::output_for(*this, Shape(y.sizes()), scalar_type(), {});
        copy_(y);
      });
}

}  // namespace etude
