// Distances of vectors, composed of other ops:
//
//   cosine_similarity  y = sum (u / |u|) (v / |v|), with norms clamped to at least eps
//   pairwise_distance  y = |u - v + eps|_p
//
// Their gradients are those of these ops.

#include <algorithm>

#include "etude/ops/detail/loss.h"

namespace etude {
namespace {

using namespace detail;

// t divided by its norm along a dim. The gradient ignores that the norm is clamped to eps.
Tensor normalized(const Tensor& t, int64_t dim, double eps) {
  const Tensor squares = t.pow(2).sum(dim, /*keepdim=*/true);
  unrecorded([&] { return squares.clamp_(eps * eps); });
  return t / squares.sqrt();
}

}  // namespace

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  ETUDE_OP(cosine_similarity, x1, x2, dim, eps);
  const ScalarType type = result_type(x1, x2);
  ETUDE_CHECK(isFloatingType(type), "expected common dtype to be floating point, yet common dtype is ",
              toString(type), "\nhint: convert first, x.to(kFloat)");
  const Shape sizes = broadcast_sizes(x1.sizes(), x2.sizes());
  const Tensor u = x1.to(type).expand(sizes), v = x2.to(type).expand(sizes);
  return (normalized(u, dim, eps) * normalized(v, dim, eps)).sum(dim);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  ETUDE_OP(pairwise_distance, x1, x2, p, eps, keepdim);
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return norm(plus_number(x1 - x2, eps), p, last, keepdim);
}

}  // namespace etude
