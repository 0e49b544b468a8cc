// Losses.
//
//   nll_loss       l[n] = -w[t[n]] x[n][t[n]]; the mean divides their sum by the sum of the weights w[t[n]]
//                  dx[n][t[n]] = -w[t[n]] dl[n]
//   cross_entropy  nll_loss of log_softmax; with label smoothing e, (1 - e) nll + e times the mean loss over classes
//                  for rows x[n] in one pass: dx[n][c] = w[t[n]] dl[n] (exp(x[n][c]) / sum - [c = t[n]])
//   mse_loss       l = (x - t)^2,  dx = 2 (x - t) dl,  dt = -dx

#include "etude/ops/detail/loss.h"
#include "etude/ops/detail/function.h"
#include "etude/ops/detail/indexed.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// The classes that nll_loss picks, one per item. Items are [outer, inner] and scores [outer, classes, inner].
struct Picks {
  Tensor target, weight;  // contiguous; weight may be undefined
  Shape item_sizes;
  int64_t outer, classes, inner, reduction, ignore_index;
};

// PyTorch has one set of messages for vectors and matrices, one for images, and one for all other numbers of dims.
void check_sizes(const Tensor& self, const Tensor& target, const Shape& items) {
  const int64_t dims = self.dim();
  ETUDE_CHECK_VALUE(dims > 0, "Expected 1 or more dimensions (got 0)");
  const int64_t batch = dims == 1 ? 0 : self.size(0), target_batch = target.dim() == 0 ? 0 : target.size(0);
  const auto received = [&] {
    return str("\nreceived an input of sizes ", self.sizes(), " and a target of sizes ", target.sizes(),
               "\nhint: the target has the sizes of the input without the dim of the classes");
  };
  ETUDE_CHECK_VALUE(dims == 1 || batch == target_batch, "Expected input batch_size (", batch,
                    ") to match target batch_size (", target_batch, ").", received());
  if (dims <= 2) {
    ETUDE_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported", received());
    ETUDE_CHECK(target.sizes() == items.ref(), "size mismatch (got input: ", self.sizes(),
                ", target: ", target.sizes(), ")", received());
  } else if (dims == 4) {
    ETUDE_CHECK(target.dim() == 3,
                "only batches of spatial targets supported (3D tensors) but got targets of dimension: ",
                target.dim(), received());
    ETUDE_CHECK(target.sizes() == items.ref(), "size mismatch (got input: ", self.sizes(),
                " , target: ", target.sizes(), received());
  } else {
    ETUDE_CHECK(target.sizes() == items.ref(), "Expected target size ", items.ref(), ", got ", target.sizes(),
                received());
  }
}

void check_types(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t classes) {
  const bool bytes = target.scalar_type() == kByte && self.dim() <= 2;
  ETUDE_CHECK(target.scalar_type() == kLong || bytes, "expected target dtype to be Long or Byte, but got ",
              toString(target.scalar_type()),
              "\nhint: the target holds class numbers; convert it with .to(kLong)");
  if (!weight.defined()) return;
  const std::string advice =
      self.dim() <= 2
          ? str("all ", classes, " classes or no classes but got weight tensor of shape: ", weight.sizes())
          : str("all or no classes\nreceived a weight of sizes ", weight.sizes(), " for ", classes,
                " classes");
  ETUDE_CHECK(weight.dim() == 1 && weight.numel() == classes, "weight tensor should be defined either for ",
              advice);
  ETUDE_CHECK(weight.scalar_type() == self.scalar_type(), "expected scalar type ",
              toString(self.scalar_type()), " but found ", toString(weight.scalar_type()),
              "\nhint: the weight has the type of the input");
}

Picks picks_of(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
               int64_t ignore_index) {
  const Shape sizes(self.sizes());
  const bool one_item = sizes.size() == 1;
  Shape items = sizes;
  if (sizes.size() > 0) items.erase(one_item ? 0 : 1);
  check_sizes(self, target, items);
  const int64_t classes = sizes[one_item ? 0 : 1];
  check_types(self, target, weight, classes);
  int64_t inner = 1;
  for (int64_t d = 2; d < sizes.size(); ++d) inner *= sizes[d];
  const Tensor weights = weight.defined() ? dense(weight) : Tensor();
  const int64_t outer = one_item ? 1 : sizes[0];
  return {target.to(kLong).contiguous(), weights, items, outer, classes, inner, reduction, ignore_index};
}

// Calls f(item, offset of the picked score, weight) for every item that is not ignored.
template <typename T, typename F>
void for_each_pick(const Picks& p, F&& f) {
  const int64_t* target = impl(p.target).data<int64_t>();
  const T* weight = p.weight.defined() ? impl(p.weight).data<T>() : nullptr;
  for (int64_t n = 0; n < p.outer; ++n)
    for (int64_t i = 0; i < p.inner; ++i) {
      const int64_t item = n * p.inner + i, t = target[item];
      if (t == p.ignore_index) continue;
      ETUDE_CHECK_INDEX(t >= 0 && t < p.classes, "Target ", t, " is out of bounds.\nreceived class ", t,
                        " at position ", position_of(item, p.item_sizes).ref(), " of the target; there are ",
                        p.classes,
                        " classes\nhint: classes run from 0 to the number of classes - 1; ignore_index is ",
                        p.ignore_index);
      f(item, (n * p.classes + t) * p.inner + i, weight ? weight[t] : T(1));
    }
}

template <typename T>
double total_weight(const Picks& p) {
  double total = 0;
  for_each_pick<T>(p, [&](int64_t, int64_t, T w) { total += static_cast<double>(w); });
  return total;
}

// The losses of items with picked scores score(item, at), or their sum or mean.
template <typename T, typename Score>
Tensor picked(const Picks& p, ScalarType dtype, const Score& score) {
  const bool per_item = p.reduction == Reduction::None;
  Tensor y = zeros(per_item ? p.item_sizes.ref() : IntArrayRef(), dtype);
  T* out = impl(y).data<T>();
  double sum = 0, weights = 0;
  for_each_pick<T>(p, [&](int64_t item, int64_t at, T w) {
    const T s = score(item, at);
    if (per_item) out[item] = -w * s;
    sum -= static_cast<double>(w) * static_cast<double>(s);
    weights += static_cast<double>(w);
  });
  if (!per_item) *out = static_cast<T>(p.reduction == Reduction::Mean ? sum / weights : sum);
  return y;
}

Tensor nll_forward(const Tensor& self, const Picks& p) {
  const Tensor x = dense(self);
  const char* kernel = self.dim() <= 2 ? "nll_loss_out_frame" : "nll_loss2d_forward_out_frame";
  const Tensor y = dispatch_floating(kernel, x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    return picked<T>(p, x.scalar_type(),
                     [score = impl(x).data<T>()](int64_t, int64_t at) { return score[at]; });
  });
  return as_type(y, self.scalar_type());
}

// Linear in dy; its transpose is nll_forward.
Tensor nll_backward(const Tensor& dy, const Picks& p, const Shape& sizes) {
  const Tensor dl = dy.detach().contiguous();
  Tensor dx = zeros(sizes, dy.scalar_type());
  dispatch_floating("nll_loss_backward", dy.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = impl(dl).data<T>();
    T* to = impl(dx).data<T>();
    const bool per_item = p.reduction == Reduction::None;
    const T scale = p.reduction == Reduction::Mean ? static_cast<T>(1 / total_weight<T>(p)) : T(1);
    for_each_pick<T>(p,
                     [&](int64_t item, int64_t at, T w) { to[at] = -w * scale * from[per_item ? item : 0]; });
  });
  return recorded("NllLossBackwardBackward0", {dy}, dx,
                  [p](const Tensor& ddx) { return nll_forward(ddx, p); });
}

int64_t rows_at_least(int64_t n) { return std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(n, 1)); }

// dx computed from the shifts [rows, 2]. Ignored rows get zeros.
Tensor cross_entropy_backward(const Tensor& dy, const Tensor& scores, const Tensor& shifts, const Picks& p) {
  const Tensor x = scores.contiguous(), dl = dy.contiguous();
  Tensor dx = make_tensor(impl(x).sizes, x.scalar_type());
  dispatch_floating("nll_loss_backward", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> factors(static_cast<size_t>(p.outer), T(0));
    const T share = p.reduction == Reduction::Mean ? static_cast<T>(1 / total_weight<T>(p)) : T(1);
    const T* const given = impl(dl).data<T>();
    for_each_pick<T>(p, [&](int64_t item, int64_t, T w) {
      factors[static_cast<size_t>(item)] = w * share * given[p.reduction == Reduction::None ? item : 0];
    });
    const int64_t n = p.classes, *const target = impl(p.target).data<int64_t>();
    parallel_for(0, p.outer, rows_at_least(n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T *in = impl(x).data<T>() + r * n, *s = impl(shifts).data<T>() + 2 * r;
        T* const out = impl(dx).data<T>() + r * n;
        const T factor = factors[static_cast<size_t>(r)];
        if (target[r] == p.ignore_index) {
          std::fill_n(out, n, T(0));
          continue;
        }
        vectorised<T>([=, shift = Shift<T>{s[0], s[1]}](auto form) {
          for (int64_t c = 0; c < n; ++c) out[c] = fast_exp(form, shift.log_probability(in[c])) * factor;
        });
        out[target[r]] -= factor;
      }
    });
  });
  return dx;
}

// nll_loss of log_softmax for [items, classes] or [classes], without the intermediate tensor.
Tensor cross_entropy_of_rows(const Tensor& self, const Picks& p) {
  const Tensor x = dense(self), shifts = make_tensor({p.outer, 2}, x.scalar_type());
  const Tensor y = dispatch_floating("log_softmax_lastdim_kernel_impl", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T* const scores = impl(x).data<T>();
    auto* const shift = reinterpret_cast<Shift<T>*>(impl(shifts).data<T>());
    parallel_for(0, p.outer, rows_at_least(p.classes), [=, n = p.classes](int64_t begin, int64_t end) {
      vectorised<T>([=](auto form) {
        for (int64_t r = begin, step = Lanes::together(n); r < end; r += step)
          find_shifts(scores + r * n, {n, n, std::min(step, end - r)}, shift + r, form);
      });
    });
    return picked<T>(p, x.scalar_type(),
                     [=](int64_t item, int64_t at) { return shift[item].log_probability(scores[at]); });
  });
  return recorded("NllLossBackward0", {self}, as_type(y, self.scalar_type()), {self, p.target, p.weight},
                  [p, shifts](const Tensor& dy, const Tensor& in, const Tensor&, const Tensor&) {
                    if (!recording({dy, in})) return cross_entropy_backward(dy, in, shifts, p);
                    const int64_t dim = in.dim() - 1;
                    const Tensor dscores = nll_backward(dy, p, Shape(in.sizes()));
                    return dscores - exp(log_softmax(in, dim)) * dscores.sum(dim, true);
                  });
}

Tensor cross_entropy_with_probabilities(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        int64_t reduction, double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1, classes = self.size(class_dim);
  ETUDE_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
              "cross_entropy: weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ", weight.sizes());
  const Tensor scores = log_softmax(self, class_dim);
  Tensor goal = target;
  if (label_smoothing > 0)
    goal = target * (1 - label_smoothing) + label_smoothing / static_cast<double>(classes);
  if (weight.defined()) goal = goal * seen_along(weight, scores.dim(), class_dim);
  const Tensor parts = scores * goal;
  if (reduction == Reduction::None) return -parts.sum(class_dim);
  if (reduction == Reduction::Sum) return -parts.sum();
  const int64_t samples = self.numel() / std::max<int64_t>(classes, 1);
  return over_number(-parts.sum(), static_cast<double>(samples));
}

Tensor smoothed(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                int64_t ignore_index, double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1, classes = self.size(class_dim);
  const Tensor scores = log_softmax(self, class_dim);
  const Tensor nll = nll_loss(scores, target, weight, reduction, ignore_index);
  Tensor uniform = weight.defined() ? scores * seen_along(weight, scores.dim(), class_dim) : scores;
  const Tensor ignored = target.eq(ignore_index);
  uniform = (-uniform.sum(class_dim)).masked_fill(ignored, 0.0);
  if (reduction != Reduction::None) uniform = uniform.sum();
  if (reduction == Reduction::Mean) {
    const Tensor counted = weight.defined() ? weight.index_select(0, target.masked_fill(ignored, 0).flatten())
                                                  .masked_fill(ignored.flatten(), 0)
                                            : ignored.logical_not().to(self.scalar_type());
    uniform = uniform / counted.sum();
  }
  return nll * (1 - label_smoothing) + uniform * (label_smoothing / static_cast<double>(classes));
}

}  // namespace

Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                int64_t ignore_index) {
  ETUDE_LOSS_OP(nll_loss, self, target, weight, reduction, ignore_index);
  check_no_gradient(self.dim() <= 2 ? "nll_loss_forward" : "nll_loss2d_forward", weight, "weight");
  check_reduction(reduction);
  const Picks p = picks_of(self, target, weight, reduction, ignore_index);
  // The target and the weight are saved so that backward refuses to run if they were modified.
  const Tensor l = recorded(self.dim() <= 2 ? "NllLossBackward0" : "NllLoss2DBackward0", {self},
                            nll_forward(self, p), {self, p.target, p.weight},
                            [p](const Tensor& dy, const Tensor& x, const Tensor&, const Tensor&) {
                              return constant_in(x, nll_backward(dy, p, Shape(x.sizes())));
                            });
  // PyTorch folds 3 dims, and more than 4, into 4 and unfolds the result.
  return reduction == Reduction::None && (self.dim() == 3 || self.dim() > 4) ? l.view(p.item_sizes) : l;
}

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing) {
  ETUDE_LOSS_OP(cross_entropy_loss, self, target, weight, reduction, ignore_index, label_smoothing);
  check_reduction(reduction);
  ETUDE_CHECK(label_smoothing >= 0 && label_smoothing <= 1,
              "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  const bool probabilities = self.sizes() == target.sizes();
  const ScalarType type = self.scalar_type();
  // The sum of the losses may overflow in float16 where their mean does not. Tensors of several types are promoted, or refused.
  if (isReducedFloatingType(type) && (probabilities ? target.scalar_type() == type : label_smoothing > 0) &&
      (!weight.defined() || weight.scalar_type() == type))
    return cross_entropy_loss(self.to(kFloat), probabilities ? target.to(kFloat) : target,
                              weight.defined() ? weight.to(kFloat) : weight, reduction, ignore_index,
                              label_smoothing)
        .to(type);
  if (probabilities) {
    ETUDE_CHECK(target.is_floating_point(),
                "Expected floating point type for target with class probabilities, got ",
                toString(target.scalar_type()));
    ETUDE_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return cross_entropy_with_probabilities(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0) return smoothed(self, target, weight, reduction, ignore_index, label_smoothing);
  if (self.is_floating_point() && (self.dim() == 1 || self.dim() == 2)) {
    check_no_gradient("nll_loss_forward", weight, "weight");
    return cross_entropy_of_rows(self, picks_of(self, target, weight, reduction, ignore_index));
  }
  return nll_loss(log_softmax(self, self.dim() == 1 ? 0 : 1), target, weight, reduction, ignore_index);
}

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  ETUDE_LOSS_OP(mse_loss, self, target, reduction);
  const ScalarType type = result_type(self, target);
  ETUDE_CHECK_WITH(NotImplementedError, isFloatingType(type), "\"mse_cpu\" not implemented for '",
                   toString(type), "'\nhint: convert first, x.to(kFloat)");
  const Tensor y = unrecorded([&] {
    const Tensor difference = widened(self - target);
    return as_type(reduced(difference * difference, reduction), type);
  });
  return recorded(
      "MseLossBackward0", {self, target}, y, {self, target},
      [on_t = needs_grad(target), reduction](const Tensor& dy, const Tensor& x, const Tensor& goal) {
        const Tensor difference = x - goal, dx = difference * dy * (2 * share(reduction, difference));
        return Gradients{dx, on_t ? -dx : Tensor()};
      });
}

}  // namespace etude
