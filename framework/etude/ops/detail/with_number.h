#pragma once

#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"

// t + n, t - n and t / n as nodes of the names that they have where PyTorch's C++ writes them.

namespace etude::detail {

/// y, which is t but for a constant.
inline Tensor shifted(const char* name, const Tensor& t, const Tensor& y) {
  return autograd::detail::recorded(name, {t}, y, [](const Tensor& dy) { return dy; });
}

inline Tensor plus_number(const Tensor& t, double n) { return shifted("AddBackward1", t, t.detach() + n); }

inline Tensor minus_number(const Tensor& t, double n) { return shifted("SubBackward1", t, t.detach() - n); }

inline Tensor over_number(const Tensor& t, double n) {
  return autograd::detail::recorded("DivBackward1", {t}, t.detach() / n,
                                    [n](const Tensor& dy) { return dy / n; });
}

}  // namespace etude::detail
