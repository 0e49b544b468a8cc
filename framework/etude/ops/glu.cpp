// The gated linear unit, where a and b are the halves of x and s = sigmoid(b):
//
//   glu  y = a s        da = dy s,  db = dy a s (1 - s)

#include <cmath>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

Tensor glu_forward(const Tensor& x, int64_t dim, int64_t half) {
  const NoGradGuard no_grad;
  return zip_with(
      Floating{"glu_cpu"}, x.scalar_type(), x.narrow(dim, 0, half), x.narrow(dim, half, half), {},
      [](auto a, auto b) {
        return static_cast<decltype(a)>(static_cast<double>(a) / (1 + std::exp(-static_cast<double>(b))));
      });
}

}  // namespace

Tensor glu(const Tensor& self, int64_t dim) {
  ETUDE_OP(glu, self, dim);
  ETUDE_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), half = size / 2;
  ETUDE_CHECK(size % 2 == 0, "Halving dimension must be even, but dimension ", d, " is size ", size);
  return recorded("GluBackward0", {self}, glu_forward(self, d, half), {self},
                  [d, half](const Tensor& dy, const Tensor& v) {
                    const Tensor a = v.narrow(d, 0, half), s = sigmoid(v.narrow(d, half, half));
                    return cat({dy * s, dy * a * (s * (1 - s))}, d);
                  });
}

}  // namespace etude
