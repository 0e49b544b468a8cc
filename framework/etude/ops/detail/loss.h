#pragma once

#include "etude/ops/detail/autocast.h"

namespace etude::detail {

/// Throws if the number is not one of the reductions.
inline void check_reduction(int64_t reduction) {
  ETUDE_CHECK_VALUE(
      reduction == Reduction::None || reduction == Reduction::Mean || reduction == Reduction::Sum, reduction,
      " is not a valid value for reduction\nhint: it is Reduction::None, Reduction::Mean or Reduction::Sum");
}

/// The losses of the elements, or their mean or sum.
inline Tensor reduced(const Tensor& losses, int64_t reduction) {
  check_reduction(reduction);
  return reduction == Reduction::Mean ? losses.mean() : reduction == Reduction::Sum ? losses.sum() : losses;
}

/// The factor by which the reduction multiplies the gradient of each element's loss: 1 / n for a mean, otherwise 1.
inline double share(int64_t reduction, const Tensor& losses) {
  return reduction == Reduction::Mean ? 1.0 / static_cast<double>(losses.numel()) : 1.0;
}

// t + n, t - n and t / n with the node names that they have in PyTorch's C++ code.

/// Records y, which is t plus a constant.
inline Tensor shifted(const char* name, const Tensor& t, const Tensor& y) {
  return recorded(name, {t}, y, [](const Tensor& dy) { return dy; });
}

inline Tensor plus_number(const Tensor& t, double n) { return shifted("AddBackward1", t, t.detach() + n); }

inline Tensor minus_number(const Tensor& t, double n) { return shifted("SubBackward1", t, t.detach() - n); }

inline Tensor over_number(const Tensor& t, double n) {
  return recorded("DivBackward1", {t}, t.detach() / n, [n](const Tensor& dy) { return dy / n; });
}

/// norm() with a node of the given name.
Tensor named_norm(const char* node, const Tensor& t, const optional<Scalar>& p, const DimList& dim,
                  bool keepdim);

}  // namespace etude::detail

/// The first line of a loss, which autocast computes in float32: its name and its arguments.
#define ETUDE_LOSS_OP(name, ...) \
  ETUDE_OP(name, __VA_ARGS__);   \
  ETUDE_AUTOCAST(kFloat, name, __VA_ARGS__)
