// The angle of a point:
//
//   y = atan2(a, b)    da = dy b / (a^2 + b^2)    db = -dy a / (a^2 + b^2)
//
// The origin has no direction; both gradients are zero there.

#include <cmath>
#include <limits>

#include "etude/ops/assorted.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

Tensor atan2_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  const ScalarType dtype = floating_of(result_type(a, b));
  return zip_with(Floating{"atan2_cpu"}, dtype, a, b, out, [](auto u, auto v) {
    return static_cast<decltype(u)>(std::atan2(static_cast<double>(u), static_cast<double>(v)));
  });
}

}  // namespace

Tensor atan2(const Tensor& self, const Tensor& other) {
  ETUDE_OP(atan2, self, other);
  return recorded("Atan2Backward0", {self, other}, atan2_forward(self, other), {self, other},
                  [on_a = needs_grad(self), on_b = needs_grad(other)](const Tensor& dy, const Tensor& a,
                                                                      const Tensor& b) {
                    const Tensor squares = a * a + b * b;
                    const Tensor share =
                        dy / squares.masked_fill(squares.eq(0), std::numeric_limits<double>::infinity());
                    return Gradients{on_a ? share * b : Tensor(), on_b ? share * -a : Tensor()};
                  });
}

ETUDE_METHODS(atan2, (const Tensor& other), other)

}  // namespace etude
