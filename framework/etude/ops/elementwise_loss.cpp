// Losses of one element and its target, with d = x - t:
//
//   l1_loss         l = |d|
//   smooth_l1_loss  l = d^2 / (2 b) where |d| < b, else |d| - b / 2
//                   dx = dl clamp(d / b, -1, 1),  dt = -dx
//   huber_loss      l = d^2 / 2 where |d| <= h, else h (|d| - h / 2)
//                   dx = dl clamp(d, -h, h),  dt = -dx
//   binary_cross_entropy_with_logits, with f(x) = log(1 + e^x) and p the weight of the ones
//                   l = w ((1 - t) f(x) + p t f(-x))
//                   dx = w dl ((1 - t + p t) sigmoid(x) - p t),  dt = w dl (p f(-x) - f(x))
//   kl_div          l = t (log t - x), or e^t (t - x) where the target is a logarithm
//   binary_cross_entropy  l = -w (t max(log x, -100) + (1 - t) max(log(1 - x), -100))
//                   dx = w dl (x - t) / max(x (1 - x), 1e-12),  dt = w dl (log(1 - x) - log x)
//   soft_margin_loss  l = log(1 + z), z = e^(-t x)
//                   dx = -t dl z / (1 + z)
//
// l1_loss and kl_div are composed of ops, which compute their gradients.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "etude/ops/detail/function.h"
#include "etude/ops/detail/loss.h"

namespace etude {
namespace {

using namespace detail;

// A loss of the difference alone: `loss` is given |d|, `slope` d. The losses have the type `dtype`.
template <typename Loss, typename Slope>
Tensor of_difference(const char* node, const char* kernel, ScalarType dtype, const Tensor& self,
                     const Tensor& target, int64_t reduction, const Loss& loss, const Slope& slope) {
  const Tensor y = unrecorded([&] {
    const Tensor losses =
        zip_with(Floating{kernel}, result_type(self, target), self, target, {}, [loss](auto x, auto t) {
          return static_cast<decltype(x)>(loss(std::fabs(static_cast<double>(x) - static_cast<double>(t))));
        });
    return reduced(losses.to(dtype), reduction);
  });
  return recorded(
      node, {self, target}, y, {self, target},
      [on_t = needs_grad(target), reduction, slope](const Tensor& dy, const Tensor& x, const Tensor& t) {
        const Tensor d = x - t, dx = slope(d) * (dy * share(reduction, d));
        return Gradients{dx, on_t ? -dx : Tensor()};
      });
}

// log(1 + e^x), to the last digits of float64.
Tensor log_one_plus_exp(const Tensor& x) { return softplus(x, 1, 40); }

// The losses have the sizes of self.
void check_pair(const Tensor& self, const Tensor& target) {
  const Shape sizes = broadcast_sizes(self.sizes(), target.sizes());
  ETUDE_CHECK(self.sizes() == sizes.ref(), "output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", sizes.ref());
}

// (1 - t) x + (1 - t + p t) f(-x). The result has the type and the sizes of the target, as PyTorch's.
Tensor logits_forward(const Tensor& x, const Tensor& t, const Tensor& weight, const Tensor& pos_weight) {
  const NoGradGuard no_grad;
  const Tensor losses = 1 - t, f = log_one_plus_exp(-x);
  losses.mul_(x).add_(pos_weight.defined() ? ((pos_weight - 1) * t + 1) * f : f);
  return weight.defined() ? losses.mul_(weight) : losses;
}

// The target with the sizes of x. Dims of size 1 are ignored, as in PyTorch.
Tensor fitted(const Tensor& target, const Tensor& x) {
  if (target.sizes() == x.sizes()) return target;
  const Tensor row = x.detach().squeeze(), goal = target.squeeze();
  check_pair(row, goal);
  return goal.expand(row.sizes()).reshape(x.sizes());
}

// The losses of the elements. Throws unless inputs and targets are probabilities.
Tensor probability_losses(const Tensor& x, const Tensor& t) {
  std::atomic<bool> outside{false}, goal_outside{false};
  Tensor losses =
      zip_with(Floating{"binary_cross_entropy"}, x.scalar_type(), x, t, {}, [&](auto value, auto goal) {
        if (!(value >= 0 && value <= 1)) outside.store(true, std::memory_order_relaxed);
        if (!(goal >= 0 && goal <= 1)) goal_outside.store(true, std::memory_order_relaxed);
        const auto p = static_cast<double>(value), q = static_cast<double>(goal);
        return static_cast<decltype(value)>((q - 1) * std::max(std::log1p(-p), -100.0) -
                                            q * std::max(std::log(p), -100.0));
      });
  ETUDE_CHECK(!outside, "all elements of input should be between 0 and 1",
              "\nhint: apply sigmoid first, or use binary_cross_entropy_with_logits");
  ETUDE_CHECK(!goal_outside, "all elements of target should be between 0 and 1");
  return losses;
}

}  // namespace

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  ETUDE_LOSS_OP(l1_loss, self, target, reduction);
  return reduced((self - target).abs(), reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  ETUDE_LOSS_OP(smooth_l1_loss, self, target, reduction, beta);
  ETUDE_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.\nreceived ", beta);
  return of_difference(
      "SmoothL1LossBackward0", "smooth_l1_cpu", result_type(self, target), self, target, reduction,
      [beta](double d) { return d < beta ? 0.5 * d * d / beta : d - 0.5 * beta; },
      [beta](const Tensor& d) {
        if (beta > 0) return clamp(d / beta, -1, 1);
        return constant_in(
            d, where(d.le(0), full({}, -1, d.scalar_type()), 1).masked_fill(d.isnan(), std::nan("")));
      });
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  ETUDE_LOSS_OP(huber_loss, self, target, reduction, delta);
  ETUDE_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.\nreceived ", delta);
  const ScalarType type = result_type(self, target);
  check_takes(self, impl(self).sizes, type);
  return of_difference(
      "HuberLossBackward0", "huber_cpu", self.scalar_type(), self, target, reduction,
      [delta](double d) { return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta); },
      [delta](const Tensor& d) { return clamp(d, -delta, delta); });
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, int64_t reduction) {
  ETUDE_LOSS_OP(binary_cross_entropy_with_logits, self, target, weight, pos_weight, reduction);
  check_no_gradient("binary_cross_entropy_with_logits", weight, "weight");
  check_no_gradient("binary_cross_entropy_with_logits", pos_weight, "pos_weight");
  const Tensor losses = logits_forward(self, target, weight, pos_weight);
  return recorded(
      "BinaryCrossEntropyWithLogitsBackward0", {self, target}, reduced(losses, reduction),
      {self, target, weight, pos_weight},
      [on_x = needs_grad(self), on_t = needs_grad(target), scale = share(reduction, losses)](
          const Tensor& dy, const Tensor& in, const Tensor& goal, const Tensor& w, const Tensor& of_ones) {
        const Tensor p = of_ones.defined() ? of_ones : ones({}, in.scalar_type());
        const Tensor dl = w.defined() ? w * dy * scale : dy * scale, ones = goal * p;
        return Gradients{on_x ? (sigmoid(in) * (ones + 1 - goal) - ones) * dl : Tensor(),
                         on_t ? (p * log_one_plus_exp(-in) - log_one_plus_exp(in)) * dl : Tensor()};
      });
}

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  ETUDE_LOSS_OP(kl_div, self, target, reduction, log_target);
  ETUDE_CHECK(self.is_floating_point() && target.is_floating_point(),
              "kl_div: Integral inputs not supported.\nreceived ", dtype_name(self.scalar_type()), " and ",
              dtype_name(target.scalar_type()), "\nhint: convert first, x.to(kFloat)");
  if (log_target) return reduced(exp(target) * (target - self), reduction);
  // 0 log 0 is 0.
  const Tensor entropy = where(target.eq(0), 0.0, target * log(target));
  return reduced(entropy - target * self, reduction);
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                            int64_t reduction) {
  ETUDE_LOSS_OP(binary_cross_entropy, self, target, weight, reduction);
  check_no_gradient("binary_cross_entropy", weight, "weight");
  const Tensor y = unrecorded([&] {
    const Tensor goal = fitted(target, self);
    ETUDE_CHECK(self.scalar_type() == target.scalar_type(), "Found dtype ", toString(target.scalar_type()),
                " but expected ", toString(self.scalar_type()));
    const Tensor losses = probability_losses(self, goal);
    return reduced(weight.defined() ? losses.mul_(weight) : losses, reduction);
  });
  return recorded("BinaryCrossEntropyBackward0", {self, target}, y, {self, target, weight},
                  [on_x = needs_grad(self), on_t = needs_grad(target), scale = share(reduction, self)](
                      const Tensor& dy, const Tensor& p, const Tensor& goal, const Tensor& w) {
                    const Tensor dl = w.defined() ? w * dy * scale : dy * scale;
                    Gradients g(2);
                    if (on_x) g[0] = (p - fitted(goal, p)) / ((1 - p) * p).clamp_min(1e-12) * dl;
                    if (on_t) g[1] = (log(1 - p) - log(p)) * dl;
                    if (on_t && goal.numel() == p.numel()) g[1] = g[1].reshape(goal.sizes());
                    return g;
                  });
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  ETUDE_LOSS_OP(soft_margin_loss, self, target, reduction);
  check_no_gradient("soft_margin_loss", target, "target");
  check_pair(self, target);
  const Tensor y = unrecorded([&] {
    const Tensor losses = (-target.to(self.scalar_type()) * widened(self)).exp_().log1p_();
    return as_type(reduced(losses, reduction), self.scalar_type());
  });
  return recorded("SoftMarginLossBackward0", {self}, y, {self, target},
                  [scale = share(reduction, self)](const Tensor& dy, const Tensor& v, const Tensor& t) {
                    const Tensor goal = t.to(v.scalar_type()), z = exp(-goal * v);
                    return -goal * (z / (z + 1)) * (dy * scale);
                  });
}

}  // namespace etude
