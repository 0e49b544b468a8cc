// linear_cross_entropy = cross_entropy of logits z = x W^T + b
//
//   dx = dz W,   dW = dz^T x,   db = the sum of the rows of dz
//
// z has an element for each pair of a row and a class, so only kRowsAtATime rows of it exist at a time. Their contribution to
// the gradients is computed in forward, and backward multiplies it by dl, which is one number (Hsu et al. 2024, "Liger Kernel:
// Efficient Triton Kernels for LLM Training").

#include <algorithm>

#include "etude/autograd/autograd.h"
#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/gemm.h"
#include "etude/ops/detail/loss.h"

namespace etude {
namespace {

using namespace detail;

// As many rows as a product adds up before it writes, so that dW is written no more often than with all rows at once.
constexpr int64_t kRowsAtATime = 512;

struct LogitsOperands {
  Tensor x, weight, bias, target;
  int64_t reduction, ignore_index;
  double label_smoothing;
};

Tensor loss_of(const Tensor& logits, const Tensor& target, const LogitsOperands& in, int64_t reduction) {
  return cross_entropy_loss(logits, target, {}, reduction, in.ignore_index, in.label_smoothing);
}

// The number of targets that are not ignored; nullopt if a target is not a class.
optional<int64_t> count_used(const LogitsOperands& in) {
  const Tensor target = in.target.contiguous();
  const int64_t *const t = impl(target).data<int64_t>(), *const end = t + target.numel();
  if (std::any_of(t, end,
                  [&](int64_t c) { return c != in.ignore_index && (c < 0 || c >= in.weight.size(0)); }))
    return nullopt;
  return end - t - std::count(t, end, in.ignore_index);
}

// c = a b, or c += a b.
void multiply(const Tensor& a, const Tensor& b, const Tensor& c, bool adds) {
  dispatch_floating("addmm_impl_cpu_", c.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = with_unit_stride<T>(a), y = with_unit_stride<T>(b);
    gemm<T>(view_of<const T>(x), view_of<const T>(y), view_of<T>(c), T(1), static_cast<T>(adds));
  });
}

// The loss, where `used` targets are not ignored. Writes the gradients in `into` that are defined.
Tensor by_rows(const LogitsOperands& in, int64_t used, const Gradients& into) {
  const bool is_mean = in.reduction == Reduction::Mean;
  const Tensor &dx = into[0], &dw = into[1], &db = into[2];
  const bool wants_gradients = dx.defined() || dw.defined() || db.defined();
  const Tensor share = full({}, is_mean ? 1 / static_cast<double>(used) : 1.0, in.x.scalar_type());
  double sum = 0;
  for (int64_t first = 0; first < in.x.size(0); first += kRowsAtATime) {
    const auto of = [=](const Tensor& t) {
      return t.narrow(0, first, std::min(kRowsAtATime, t.size(0) - first));
    };
    const Tensor x = of(in.x), logits = linear(x, in.weight, in.bias);
    const AutoGradMode mode(wants_gradients);
    const Tensor loss = loss_of(logits.requires_grad_(wants_gradients), of(in.target), in, Reduction::Sum);
    sum += loss.item<double>();
    if (!wants_gradients) continue;
    const Tensor dlogits = autograd::grad({loss}, {logits}, {share})[0];
    const NoGradGuard no_grad;
    if (dx.defined()) multiply(dlogits, in.weight, of(dx), false);
    if (dw.defined()) multiply(dlogits.t(), x, dw, first > 0);
    if (db.defined()) db.add_(dlogits.sum(0));
  }
  return full({}, is_mean ? sum / static_cast<double>(used) : sum, in.x.scalar_type());
}

// The same gradients composed of ops, which can be differentiated again.
Gradients backward_of_ops(const LogitsOperands& in, const Tensor& dl) {
  const Tensor logits = linear(in.x, in.weight, in.bias);
  const Tensor dlogits =
      autograd::grad({loss_of(logits, in.target, in, in.reduction)}, {logits}, {dl}, true, true)[0];
  return {dlogits.mm(in.weight), dlogits.t().mm(in.x), in.bias.defined() ? dlogits.sum(0) : Tensor()};
}

Tensor in_parts(const LogitsOperands& in, int64_t used) {
  const auto room_for = [](const Tensor& t) {
    return recording({t}) ? make_tensor(t.sizes(), t.scalar_type()) : Tensor();
  };
  const Gradients d{room_for(in.x), room_for(in.weight),
                    recording({in.bias}) ? zeros(in.bias.sizes(), in.bias.scalar_type()) : Tensor()};
  const Tensor loss = unrecorded([&] { return by_rows(in, used, d); });
  // Printed under the node name of the last of the two ops.
  return recorded(
      "NllLossBackward0", {in.x, in.weight, in.bias}, loss,
      {in.x, in.weight, in.bias, in.target, d[0], d[1], d[2]},
      [reduction = in.reduction, ignore_index = in.ignore_index, smoothing = in.label_smoothing](
          const Tensor& dl, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
          const Tensor& dx, const Tensor& dw, const Tensor& db) {
        if (recording({dl, x, weight, bias}))
          return backward_of_ops({x, weight, bias, target, reduction, ignore_index, smoothing}, dl);
        const bool is_one = dl.item<double>() == 1;
        const auto scaled = [&](const Tensor& g) { return is_one || !g.defined() ? g : g * dl; };
        return Gradients{scaled(dx), scaled(dw), scaled(db)};
      });
}

// Whether there is more than one part, and linear and cross_entropy would accept the arguments.
bool fits_parts(const LogitsOperands& in) {
  const auto& [x, weight, bias, target, reduction, ignore_index, smoothing] = in;
  const ScalarType dtype = x.scalar_type();
  return x.dim() == 2 && x.size(0) > kRowsAtATime && x.numel() > 0 && (dtype == kFloat || dtype == kDouble) &&
         weight.dim() == 2 && weight.numel() > 0 && weight.size(1) == x.size(1) &&
         weight.scalar_type() == dtype &&
         (!bias.defined() || (bias.scalar_type() == dtype && bias.sizes() == IntArrayRef{weight.size(0)})) &&
         target.dim() == 1 && target.size(0) == x.size(0) && target.scalar_type() == kLong &&
         reduction != Reduction::None && !casts_to(kBFloat16, {x, weight, bias});
}

}  // namespace

Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                            const Tensor& linear_bias, const Tensor& weight, int64_t reduction,
                            int64_t ignore_index, double label_smoothing) {
  ETUDE_OWN_OP(linear_cross_entropy, input, linear_weight, target, linear_bias, weight, reduction,
               ignore_index, label_smoothing);
  check_reduction(reduction);
  if (input.dim() > 2) {
    const Shape items = without(impl(input).sizes, input.dim() - 1);
    ETUDE_CHECK(target.sizes() == items.ref(), "Expected target size ", items.ref(), ", got ", target.sizes(),
                "\nreceived an input of sizes ", input.sizes(),
                "\nhint: the target holds a class for each row of the input");
    const Tensor loss = linear_cross_entropy(input.flatten(0, -2), linear_weight, target.flatten(),
                                             linear_bias, weight, reduction, ignore_index, label_smoothing);
    return reduction == Reduction::None ? loss.view(items) : loss;
  }
  const LogitsOperands in{input,     linear_weight, linear_bias,    target,
                          reduction, ignore_index,  label_smoothing};
  const optional<int64_t> used = !weight.defined() && fits_parts(in) ? count_used(in) : nullopt;
  if (used) return in_parts(in, *used);
  return cross_entropy_loss(linear(input, linear_weight, linear_bias), target, weight, reduction,
                            ignore_index, label_smoothing);
}

}  // namespace etude
