#pragma once

#include <vector>

#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"

namespace etude {

/// y = x^2 with the gradient that `backward` returns.
template <typename Backward>
TensorsFunction square_with(Backward backward) {
  return [backward](const std::vector<Tensor>& in) {
    const Tensor& x = in[0];
    Tensor y;
    {
      const NoGradGuard no_grad;
      y = x * x;
    }
    if (!autograd::detail::recording({x})) return std::vector<Tensor>{y};
    return std::vector<Tensor>{autograd::detail::record(
        "FakeSquareBackward0", {x}, y,
        [x = autograd::detail::Saved(x), backward](const Tensor& dy) { return backward(dy, x.get()); })};
  };
}

}  // namespace etude
