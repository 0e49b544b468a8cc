#include "support/example.h"

EXAMPLE(etude::Tensor::grad_fn_name) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  print((x + 1).grad_fn_name());
}

EXAMPLE(etude::EnableGradGuard) {
  const Tensor x = etude::ones({2}, etude::requires_grad(true));
  const etude::NoGradGuard off;
  const etude::EnableGradGuard on;
  print((x * 2).requires_grad());
}

EXAMPLE(etude::autograd::gradgradcheck, etude::autograd::GradcheckError) {
  const Tensor x = etude::tensor({0.5, 1.5}, etude::dtype(etude::kDouble).requires_grad(true));
  print(etude::autograd::gradgradcheck([](const auto& inputs) { return inputs[0].exp(); }, {x}));
  const auto wrong = [](const auto& inputs) { return inputs[0] * inputs[0].detach(); };
  try {
    etude::autograd::gradcheck(wrong, {x});
  } catch (const etude::autograd::GradcheckError&) {
    print("the gradient is wrong");
  }
}
