// Losses and distances composed of other ops, which provide the gradients. Targets t are -1 or 1, and m is a margin:
//
//   hinge_embedding_loss   l = x where t = 1,  max(0, m - x) where t = -1
//   margin_ranking_loss    l = max(0, -t (x - y) + m)
//   cosine_embedding_loss  l = 1 - cos(x, y) where t = 1,  max(0, cos(x, y) - m) where t = -1
//   triplet_margin_loss    l = max(0, |a - p| - |a - n| + m)
//   poisson_nll_loss       l = e^x - t x,  or x - t log(x + eps) without log_input; t >= 0
//                          full adds t log t - t + log(2 pi t) / 2 where t > 1
//   cosine_similarity      y = sum (u / |u|) (v / |v|), with norms clamped to at least eps
//   pairwise_distance      y = |u - v + eps|_p

#include <algorithm>

#include "etude/core/detail/constants.h"
#include "etude/ops/detail/loss.h"

namespace etude {
namespace {

using namespace detail;

// number - t, computed in the type of t as in PyTorch's C++ code.
Tensor number_minus(double number, const Tensor& t) { return full({}, number, t.scalar_type()) - t; }

// `alike` where target is 1, `different` where it is -1, and 0 elsewhere.
Tensor by_target(const Tensor& target, const Tensor& alike, const Tensor& different) {
  return where(target.eq(1), alike, zeros_like(alike)) +
         where(target.eq(-1), different, zeros_like(different));
}

// The cosine of the angle between x and y, with epsilon added to the square of each norm.
Tensor cosine(const Tensor& x, const Tensor& y, int64_t dim) {
  constexpr double epsilon = 1e-12;
  const Tensor product = (x * y).sum(dim), xx = plus_number((x * x).sum(dim), epsilon),
               yy = plus_number((y * y).sum(dim), epsilon);
  return product / (xx * yy).sqrt();
}

// t divided by its norm along a dim. The gradient ignores that the norm is clamped to eps.
Tensor normalized(const Tensor& t, int64_t dim, double eps) {
  const Tensor squares = t.pow(2).sum(dim, /*keepdim=*/true);
  unrecorded([&] { return squares.clamp_(eps * eps); });
  return t / squares.sqrt();
}

}  // namespace

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, int64_t reduction) {
  ETUDE_LOSS_OP(hinge_embedding_loss, self, target, margin, reduction);
  const Tensor zero = zeros_like(self), hinge = number_minus(margin, self).clamp_min(0);
  return reduced(where(target.ne(1), hinge, zero) + where(target.ne(-1), self, zero), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           int64_t reduction) {
  ETUDE_LOSS_OP(margin_ranking_loss, input1, input2, target, margin, reduction);
  return reduced(plus_number(-target * (input1 - input2), margin).clamp_min(0), reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             int64_t reduction) {
  ETUDE_LOSS_OP(cosine_embedding_loss, input1, input2, target, margin, reduction);
  const int64_t dim = target.dim();
  ETUDE_CHECK(dim <= 1, "0D or 1D target tensor expected, multi-target not supported",
              "\nreceived a target of sizes ", target.sizes());
  ETUDE_CHECK(input1.dim() == dim + 1 && input2.dim() == dim + 1, dim, "D target tensor expects ", dim + 1,
              "D input tensors, but found inputs with sizes ", input1.sizes(), " and ", input2.sizes(), ".");
  const ScalarType type = result_type(input1, input2);
  if (isReducedFloatingType(type))
    return cosine_embedding_loss(input1.to(kFloat), input2.to(kFloat), target, margin, reduction).to(type);
  const Tensor similarity = cosine(input1, input2, dim);
  return reduced(
      by_target(target, number_minus(1, similarity), minus_number(similarity, margin).clamp_min(0)),
      reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  ETUDE_LOSS_OP(triplet_margin_loss, anchor, positive, negative, margin, p, eps, swap, reduction);
  const int64_t a = anchor.dim(), b = positive.dim(), c = negative.dim();
  ETUDE_CHECK(
      a == b && b == c,
      "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
      "but got: anchor ",
      a, "D, positive ", b, "D, and negative ", c, "D inputs");
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduced((plus_number(near, margin) - far).clamp_min(0), reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        int64_t reduction) {
  ETUDE_LOSS_OP(poisson_nll_loss, input, target, log_input, full, eps, reduction);
  Tensor losses = log_input ? exp(input) - target * input : input - target * log(plus_number(input, eps));
  if (full) {
    const Tensor stirling = target * log(target) - target + log(target * (2 * kPi)) * 0.5;
    losses = losses + stirling.masked_fill(target.le(1), 0);
  }
  return reduced(losses, reduction);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  ETUDE_OP(cosine_similarity, x1, x2, dim, eps);
  const ScalarType type = result_type(x1, x2);
  ETUDE_CHECK(isFloatingType(type), "expected common dtype to be floating point, yet common dtype is ",
              toString(type), "\nhint: convert first, x.to(kFloat)");
  const Shape sizes = broadcast_sizes(x1.sizes(), x2.sizes());
  const ScalarType computed = product_type(type);
  const Tensor u = x1.to(computed).expand(sizes), v = x2.to(computed).expand(sizes);
  return (normalized(u, dim, eps) * normalized(v, dim, eps)).sum(dim).to(type);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  ETUDE_OP(pairwise_distance, x1, x2, p, eps, keepdim);
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return named_norm("NormBackward1", plus_number(x1 - x2, eps), p, last, keepdim);
}

}  // namespace etude
