// A rectifier with a learned slope, one for all elements or one per channel c:
//
//   prelu  y = x where x > 0, else w[c] x
//          dx = dy where x > 0, else w[c] dy,  dw[c] = sum of dy x over its elements where not x > 0

#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

void check_weight(const Tensor& self, const Tensor& weight) {
  if (weight.numel() != 1) {
    ETUDE_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() > 1 ? self.size(1) : 1;
    ETUDE_CHECK(weight.numel() == channels,
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
                weight.numel(), " and channel size = ", channels, ".",
                "\nhint: the channels are dim 1; one weight serves all of them");
  }
  ETUDE_CHECK(weight.dim() <= 1,
              "prelu: Expected `weight` to be a scalar or 1D tensor, but got ndim = ", weight.dim());
  ETUDE_CHECK(self.scalar_type() == weight.scalar_type(), "Found dtype ", toString(weight.scalar_type()),
              " but expected ", toString(self.scalar_type()));
}

// The sum over all dims except the channels.
Tensor per_channel(const Tensor& t, const Shape& weight_sizes, int64_t weights) {
  if (weights == 1) return t.sum().view(weight_sizes);
  std::vector<int64_t> others;
  for (int64_t d = 0; d < t.dim(); ++d)
    if (d != 1) others.push_back(d);
  return t.sum(others);
}

}  // namespace

Tensor prelu(const Tensor& self, const Tensor& weight) {
  ETUDE_OP(prelu, self, weight);
  check_weight(self, weight);
  const Tensor y = unrecorded([&] {
    return zip_with(Floating{"prelu_cpu"}, self.scalar_type(), self.contiguous(),
                    seen_along(weight, self.dim(), 1), {}, [](auto x, auto w) { return x > 0 ? x : w * x; });
  });
  return recorded("PreluBackward0", {self, weight}, y, {self, weight},
                  [on_x = needs_grad(self), on_w = needs_grad(weight)](const Tensor& dy, const Tensor& v,
                                                                       const Tensor& slope) {
                    const Tensor positive = v.gt(0);
                    Gradients g(2);
                    if (on_x) g[0] = where(positive, dy, seen_along(slope, v.dim(), 1) * dy);
                    if (on_w)
                      g[1] = constant_in(slope, per_channel((v * dy).masked_fill(positive, 0),
                                                            Shape(slope.sizes()), slope.numel()));
                    return g;
                  });
}

Tensor Tensor::prelu(const Tensor& weight) const { return etude::prelu(*this, weight); }

}  // namespace etude
