// Elementwise linear interpolation:
//
//   lerp  y = x + w (e - x),  dx = dy (1 - w),  de = dy w,  dw = dy (e - x)

#include <cmath>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Computed from the nearer end, so that w = 1 gives e exactly.
template <typename T>
T between(T x, T e, T w) {
  return std::fabs(w) < T(0.5) ? x + w * (e - x) : e - (e - x) * (1 - w);
}

void check_type(const char* what, const Tensor& self, const Tensor& other) {
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), "expected dtype ",
              row_of(self.scalar_type()).cpp_name, " for `", what, "` but got dtype ",
              row_of(other.scalar_type()).cpp_name);
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Scalar& weight, const Tensor& out = {}) {
  check_type("end", self, end);
  const double w = weight.toDouble();
  return zip_with(Floating{"lerp_kernel_scalar"}, self.scalar_type(), self, end, out,
                  [w](auto x, auto e) { return between(x, e, static_cast<decltype(x)>(w)); });
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Tensor& weight, const Tensor& out = {}) {
  check_type("end", self, end);
  check_type("weight", self, weight);
  return zip_three(Floating{"lerp_kernel_tensor"}, self.scalar_type(), self, end, weight, 0, out,
                   [](auto x, auto e, auto w, auto) { return between(x, e, w); });
}

}  // namespace

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  ETUDE_OP(lerp, self, end, weight);
  return recorded("LerpBackward0", {self, end}, lerp_forward(self, end, weight),
                  [w = weight.toDouble()](const Tensor& dy) {
                    return Gradients{dy * (1 - w), dy * w};
                  });
}

Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  ETUDE_OP(lerp, self, end, weight);
  const bool on_weight = needs_grad(weight);
  return recorded("LerpBackward1", {self, end, weight}, lerp_forward(self, end, weight),
                  {{self, on_weight}, {end, on_weight}, weight},
                  [](const Tensor& dy, const Tensor& x, const Tensor& e, const Tensor& w) {
                    return Gradients{dy * (1 - w), dy * w, x.defined() ? dy * (e - x) : Tensor()};
                  });
}

ETUDE_METHODS(lerp, (const Tensor& end, const Scalar& weight), end, weight)
ETUDE_METHODS(lerp, (const Tensor& end, const Tensor& weight), end, weight)

}  // namespace etude
