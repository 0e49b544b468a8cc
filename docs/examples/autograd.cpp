#include "support/example.h"

/// # Gradients
///
/// Whatever is computed from a tensor that requires a gradient is recorded; `backward` walks the record from the end to the leaves.

EXAMPLE(etude::Tensor::backward, etude::Tensor::grad) {
  const Tensor x = etude::tensor({1.0, 2.0}, etude::requires_grad(true));
  (x * x).sum().backward();
  print(x.grad());
}

/// Asks for gradients of a leaf; `requires_grad_` is the same in place and chains.
EXAMPLE(etude::Tensor::set_requires_grad, etude::Tensor::is_leaf) {
  const Tensor x = etude::zeros({2});
  x.set_requires_grad(true);
  print(x.requires_grad(), x.is_leaf());
  print((x * 2).is_leaf());
}

/// The gradient, to be written to.
EXAMPLE(etude::Tensor::mutable_grad) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  x.mutable_grad() = etude::ones({2});
  print(x.grad());
}

/// The node that made it, which knows its inputs.
EXAMPLE(etude::Tensor::grad_fn, etude::Tensor::output_nr, etude::autograd::Node, etude::autograd::Edge) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true)), y = x.exp();
  print(y.grad_fn()->name());
  print(x.grad_fn() == nullptr, y.output_nr());
  print(static_cast<int64_t>(y.grad_fn()->num_inputs()));
}

/// Keeps the gradient of a tensor that is no leaf.
EXAMPLE(etude::Tensor::retain_grad, etude::Tensor::retains_grad) {
  const Tensor x = etude::tensor({3.0}, etude::requires_grad(true)), y = x * 2;
  y.retain_grad();
  y.pow(2).sum().backward();
  print(y.retains_grad(), y.grad());
}

/// The same elements without a record: gradients end here.
EXAMPLE(etude::Tensor::detach) {
  const Tensor x = etude::tensor({3.0}, etude::requires_grad(true));
  const Tensor y = x * x.detach();
  y.sum().backward();
  print(x.grad());
}

/// The elements alone, under three names; `set_data` puts those of another tensor in their place.
EXAMPLE(etude::Tensor::data, etude::Tensor::variable_data, etude::Tensor::tensor_data,
        etude::Tensor::set_data) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  x.data().fill_(1);
  print(x, x.variable_data().requires_grad(), x.tensor_data().requires_grad());
  x.set_data(etude::ones({3}));
  print(x);
}

EXAMPLE(etude::Tensor::register_hook, etude::Tensor::remove_hook) {
  const Tensor x = etude::tensor({1.0}, etude::requires_grad(true));
  const auto position = x.register_hook([](const Tensor& gradient) { return gradient * 10; });
  (x * 2).sum().backward();
  print(x.grad());
  x.remove_hook(position);
}

EXAMPLE(etude::autograd::grad, etude::autograd::backward) {
  const Tensor x = etude::tensor({2.0}, etude::requires_grad(true));
  const Tensor y = x.pow(3);
  const Tensor first = etude::autograd::grad({y}, {x}, {}, true, /*create_graph=*/true)[0];
  print(first.detach());
  print(etude::autograd::grad({first}, {x})[0]);
  etude::autograd::backward({x * 5});
  print(x.grad());
}

EXAMPLE(etude::NoGradGuard, etude::GradMode, etude::AutoGradMode) {
  const Tensor x = etude::ones({2}, etude::requires_grad(true));
  {
    const etude::NoGradGuard guard;
    print((x * 2).requires_grad(), etude::GradMode::is_enabled());
  }
  const etude::AutoGradMode off(false);
  print((x * 2).requires_grad());
}

EXAMPLE(etude::InferenceMode, etude::Tensor::is_inference) {
  const etude::InferenceMode guard;
  const Tensor x = etude::ones({2});
  print(x.is_inference(), etude::InferenceMode::is_enabled());
}

EXAMPLE(etude::autograd::AnomalyMode, etude::autograd::DetectAnomalyGuard) {
  print(etude::autograd::AnomalyMode::is_enabled());
  const etude::autograd::DetectAnomalyGuard guard;
  print(etude::autograd::AnomalyMode::is_enabled());
}

EXAMPLE(etude::autograd::Function, etude::autograd::AutogradContext) {
  struct Cube : etude::autograd::Function<Cube> {
    static Tensor forward(etude::autograd::AutogradContext* context, const Tensor& x) {
      context->save_for_backward({x});
      return x.pow(3);
    }
    static etude::autograd::variable_list backward(etude::autograd::AutogradContext* context,
                                                   etude::autograd::variable_list gradients) {
      return {gradients[0] * context->get_saved_variables()[0].pow(2) * 3};
    }
  };
  const Tensor x = etude::tensor({2.0}, etude::requires_grad(true));
  Cube::apply(x).sum().backward();
  print(x.grad());
}

EXAMPLE(etude::autograd::gradcheck) {
  const Tensor x = etude::tensor({0.5, 1.5}, etude::dtype(etude::kDouble).requires_grad(true));
  const auto f = [](const etude::autograd::variable_list& inputs) { return inputs[0].exp().sum(); };
  print(etude::autograd::gradcheck(f, {x}, 1e-6, 1e-5, 1e-3, true));
}
