#pragma once

#include "etude/autograd/detail/node.h"
#include "etude/core/error.h"

namespace etude::detail {

/// Records an op that PyTorch has no gradient of: it refuses when one is asked for.
inline Tensor without_gradient(const char* op, autograd::detail::Inputs inputs, const Tensor& y) {
  constexpr const char* name = "NotImplemented";
  return autograd::detail::record(name, inputs, y, [op](const Tensor&) -> autograd::detail::Gradients {
    throw NotImplementedError(str("derivative for aten::", op, " is not implemented",
                                  "\nhint: PyTorch has none either; detach() the input if none is wanted"));
  });
}

/// Refuses an argument that requires a gradient and would get none.
inline void check_no_gradient(const char* function, const Tensor& t, const char* name) {
  ETUDE_CHECK(!autograd::detail::recording({t}), "The function '", function,
              "' is not differentiable with respect to argument '", name,
              "'. This input cannot have requires_grad True.");
}

}  // namespace etude::detail
