#include "support/example.h"

/// The name of the node that made it, empty for a leaf.
///
/// - Shapes: x [*]
/// - Errors: none of its own
/// - PyTorch: `Tensor.grad_fn.name()`
EXAMPLE(etude::Tensor::grad_fn_name) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  print((x + 1).grad_fn_name());
}

/// - Errors: none of its own
/// - PyTorch: `torch.enable_grad`
EXAMPLE(etude::EnableGradGuard) {
  const Tensor x = etude::ones({2}, etude::requires_grad(true));
  const etude::NoGradGuard off;
  const etude::EnableGradGuard on;
  print((x * 2).requires_grad());
}

/// - Shapes: inputs [*]; func returns a tensor or several of any shape
/// - Errors: a `GradcheckError` where a gradient is wrong, unless `raise_exception` is false
/// - PyTorch: `torch.autograd.gradgradcheck`, `torch.autograd.gradcheck.GradcheckError`
EXAMPLE(etude::autograd::gradgradcheck, etude::autograd::GradcheckError, etude::autograd::TensorFunction,
        etude::autograd::TensorsFunction) {
  const Tensor x = etude::tensor({0.5, 1.5}, etude::dtype(etude::kDouble).requires_grad(true));
  const etude::autograd::TensorFunction exp = [](const auto& inputs) { return inputs[0].exp(); };
  print(etude::autograd::gradgradcheck(exp, {x}));
  const etude::autograd::TensorsFunction wrong = [](const auto& inputs) -> etude::autograd::variable_list {
    return {inputs[0] * inputs[0].detach()};
  };
  try {
    etude::autograd::gradcheck(wrong, {x});
  } catch (const etude::autograd::GradcheckError&) {
    print("the gradient is wrong");
  }
}
