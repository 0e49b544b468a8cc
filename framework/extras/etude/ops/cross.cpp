// Vector products along a dim of three elements: y = a x b,  da = b x dy,  db = dy x a. An element is
// y[i] = a[i + 1] b[i + 2] - a[i + 2] b[i + 1], where indices wrap around.

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/geometry.h"

namespace etude {
namespace {

using namespace detail;

Tensor cross_along(const Tensor& self, const Tensor& other, int64_t dim) {
  ETUDE_CHECK(self.dim() == other.dim(), "linalg.cross: inputs must have the same number of dimensions.",
              "\nreceived sizes ", self.sizes(), " and ", other.sizes());
  const int64_t d = wrap_dim(dim, self.dim());
  ETUDE_CHECK(self.dim() > 0 && self.size(d) == 3 && other.size(d) == 3, "linalg.cross: inputs dimension ", d,
              " must have length 3. Got ", self.dim() > 0 ? self.size(d) : 1, " and ",
              self.dim() > 0 ? other.size(d) : 1, "\nreceived sizes ", self.sizes(), " and ", other.sizes());
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), "expected scalar type ",
              toString(self.scalar_type()), " but found ", toString(other.scalar_type()));
  if (self.scalar_type() == kBool) refuse_dtype("cross", kBool);
  const Tensor y = unrecorded([&] {
    const Tensor a = widened(self), b = widened(other);
    std::vector<Tensor> parts(3);
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
      parts[static_cast<size_t>(i)] = a.select(d, j) * b.select(d, k) - a.select(d, k) * b.select(d, j);
    }
    return stack(parts, d);
  });
  return recorded("LinalgCrossBackward0", {self, other}, as_type(y, self.scalar_type()),
                  {{self, needs_grad(other)}, {other, needs_grad(self)}},
                  [d](const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{b.defined() ? linalg_cross(b.expand_as(dy), dy, d) : Tensor(),
                                     a.defined() ? linalg_cross(dy, a.expand_as(dy), d) : Tensor()};
                  });
}

}  // namespace

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  ETUDE_OP(linalg_cross, self, other, dim);
  return cross_along(self, other, dim);
}

Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim) {
  ETUDE_OP(cross, self, other, dim);
  if (dim) return cross_along(self, other, *dim);
  const auto sizes = self.sizes();
  const auto found = std::find(sizes.begin(), sizes.end(), 3);
  ETUDE_CHECK(found != sizes.end(), "no dimension of size 3 in input\nreceived sizes ", sizes);
  return cross_along(self, other, found - sizes.begin());
}

ETUDE_METHOD(cross, (const Tensor& other, optional<int64_t> dim), other, dim)

}  // namespace etude
