#include "support/example.h"

/// # Gradients
///
/// Whatever is computed from a tensor that requires a gradient is recorded; `backward` walks the record from the end to the
/// leaves.

/// `grad` of a leaf is where every `backward` adds; before the first one it is undefined.
///
/// - Shapes: x of one element, or x [*] with a gradient [*] of its shape
/// - Errors: `grad can be implicitly created only for scalar outputs` where x has more elements and no gradient is given;
///   `element 0 of tensors does not require grad and does not have a grad_fn` where nothing was recorded; a second time without
///   `retain_graph` a sentence that begins with `Trying to backward through the graph a second time`
EXAMPLE(etude::Tensor::backward, etude::Tensor::grad) {
  const Tensor x = etude::tensor({1.0, 2.0}, etude::requires_grad(true));
  (x * x).sum().backward();
  print(x.grad());
  print(examples::message_of([&] { (x * x).backward(); }));
}

/// Whether a leaf gets a gradient; `requires_grad_` sets the same.
///
/// - Shapes: x [*]
/// - Errors: `Only Tensors of floating point and complex dtype can require gradients` where x holds integers or bools
EXAMPLE(etude::Tensor::set_requires_grad, etude::Tensor::is_leaf) {
  const Tensor x = etude::zeros({2});
  x.set_requires_grad(true);
  print(x.requires_grad(), x.is_leaf());
  print((x * 2).is_leaf());
  print(examples::message_of([] { etude::zeros({2}, etude::kLong).set_requires_grad(true); }));
}

/// The gradient, to be written to.
///
/// - Shapes: x [*], its gradient [*]
/// - Errors: none of its own
EXAMPLE(etude::Tensor::mutable_grad) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  x.mutable_grad() = etude::ones({2});
  print(x.grad());
}

/// `grad_fn` gives the node that made a tensor, and `output_nr` the place of the tensor among the results of the node.
///
/// - Shapes: x [*]
/// - Errors: none of its own
EXAMPLE(etude::Tensor::grad_fn, etude::Tensor::output_nr, etude::autograd::Node, etude::autograd::Edge,
        etude::autograd::edge_list) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true)), y = x.exp();
  print(y.grad_fn()->name());
  print(x.grad_fn() == nullptr, y.output_nr());
  print(static_cast<int64_t>(y.grad_fn()->num_inputs()));
  const etude::autograd::edge_list edges = y.grad_fn()->next_edges();
  print(static_cast<int64_t>(edges.size()), edges[0].is_valid());
}

/// Makes `backward` keep the gradient of a tensor that is not a leaf.
///
/// - Shapes: x [*]
/// - Errors: `can't retain_grad on Tensor that has requires_grad=False` where x is not part of a record
EXAMPLE(etude::Tensor::retain_grad, etude::Tensor::retains_grad) {
  const Tensor x = etude::tensor({3.0}, etude::requires_grad(true)), y = x * 2;
  y.retain_grad();
  y.pow(2).sum().backward();
  print(y.retains_grad(), y.grad());
}

/// The same elements without a record: gradients end here.
///
/// - Shapes: x [*] to [*]
/// - Errors: none of its own
EXAMPLE(etude::Tensor::detach, etude::Tensor::detach_) {
  const Tensor x = etude::tensor({3.0}, etude::requires_grad(true));
  const Tensor y = x * x.detach();
  y.sum().backward();
  print(x.grad());
  print((x * 2).detach_().requires_grad());
}

/// The elements alone, under three names; `set_data` puts those of another tensor in their place.
///
/// - Shapes: x [*] to [*]; `set_data` takes the shape of the other tensor
/// - Errors: `data set to a tensor that requires gradients must be floating point or complex dtype` where it is not
EXAMPLE(etude::Tensor::data, etude::Tensor::variable_data, etude::Tensor::tensor_data,
        etude::Tensor::set_data) {
  const Tensor x = etude::zeros({2}, etude::requires_grad(true));
  x.data().fill_(1);
  print(x, x.variable_data().requires_grad(), x.tensor_data().requires_grad());
  x.set_data(etude::ones({3}));
  print(x);
}

/// `remove_hook` takes a hook away, by the number that `register_hook` gave.
///
/// - Shapes: x [*], the gradient [*] that the hook is given and may return
/// - Errors: `cannot register a hook on a variable that doesn't require gradient` where x is no part of a record;
///   `Invalid index, no hook at position 7` where the position was never given
EXAMPLE(etude::Tensor::register_hook, etude::Tensor::remove_hook) {
  const Tensor x = etude::tensor({1.0}, etude::requires_grad(true));
  const auto position = x.register_hook([](const Tensor& gradient) { return gradient * 10; });
  (x * 2).sum().backward();
  print(x.grad());
  x.remove_hook(position);
}

/// `Variable` is an old name of `Tensor`, and a `variable_list` is a vector of tensors.
///
/// - Shapes: outputs of one element each, or [*] with gradients [*] beside them; inputs [*] to gradients [*]
/// - Errors: `One of the differentiated Tensors does not require grad`, and `The differentiated Tensor at index 0 appears to not
///   have been used in the graph. Set allow_unused=True if this is the desired behavior.` without `allow_unused`; those of
///   `Tensor::backward`
EXAMPLE(etude::autograd::grad, etude::autograd::backward, etude::autograd::variable_list,
        etude::autograd::tensor_list, etude::autograd::Variable) {
  const Tensor x = etude::tensor({2.0}, etude::requires_grad(true));
  const Tensor y = x.pow(3);
  const Tensor first = etude::autograd::grad({y}, {x}, {}, true, /*create_graph=*/true)[0];
  print(first.detach());
  const etude::autograd::variable_list second = etude::autograd::grad({first}, {x});
  print(second[0]);
  etude::autograd::backward({x * 5});
  print(x.grad());
}

/// - Errors: none of its own
EXAMPLE(etude::NoGradGuard, etude::GradMode, etude::AutoGradMode) {
  const Tensor x = etude::ones({2}, etude::requires_grad(true));
  {
    const etude::NoGradGuard guard;
    print((x * 2).requires_grad(), etude::GradMode::is_enabled());
  }
  const etude::AutoGradMode off(false);
  print((x * 2).requires_grad());
}

/// `is_inference` says whether a tensor was made in one, or is a view of such a tensor.
///
/// - Shapes: x [*]
/// - Errors: outside, an in-place op on such a tensor throws a sentence that begins with
///   `Inplace update to inference tensor outside InferenceMode is not allowed.`, and one that would keep it for backward
///   one that begins with `Inference tensors cannot be saved for backward.`
EXAMPLE(etude::InferenceMode, etude::Tensor::is_inference) {
  const etude::InferenceMode guard;
  const Tensor x = etude::ones({2});
  print(x.is_inference(), etude::InferenceMode::is_enabled());
}

/// - Errors: `Function 'SqrtBackward0' returned nan values in its 0th output.`, with the name of the node, from backward
EXAMPLE(etude::autograd::AnomalyMode, etude::autograd::DetectAnomalyGuard) {
  print(etude::autograd::AnomalyMode::is_enabled());
  const etude::autograd::DetectAnomalyGuard guard;
  print(etude::autograd::AnomalyMode::is_enabled());
  const Tensor x = etude::zeros({1}, etude::requires_grad(true));
  print(examples::message_of([&] { (x.sqrt() * 0).sum().backward(); }));
}

/// - Shapes: those of forward; backward returns a gradient of each argument's shape
/// - Errors: `function NAME returned an incorrect number of gradients (expected 1, got 0)` where backward returns too few or
///   too many
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

/// `needs_input_grad` takes ranges of indices that count only the tensors among the arguments. The name of a node has `CppNode`
/// in it.
///
/// - Errors: none of its own
EXAMPLE(etude::autograd::IndexRange, etude::autograd::CppNode) {
  struct Product : etude::autograd::Function<Product> {
    static Tensor forward(etude::autograd::AutogradContext* context, const Tensor& x, const Tensor& y) {
      context->save_for_backward({x, y});
      return x * y;
    }
    static etude::autograd::variable_list backward(etude::autograd::AutogradContext* context,
                                                   etude::autograd::variable_list gradients) {
      const etude::autograd::IndexRange first(0, 1), second(1, 2);
      print(context->needs_input_grad({first}), context->needs_input_grad({second}));
      const etude::autograd::variable_list saved = context->get_saved_variables();
      return {gradients[0] * saved[1], Tensor()};
    }
  };
  const Tensor x = etude::tensor({2.0}, etude::requires_grad(true)),
               z = Product::apply(x, etude::tensor({5.0}));
  print(z.grad_fn()->name().find("CppNode") != std::string::npos);
  z.sum().backward();
  print(x.grad());
}

/// - Shapes: inputs [*]; func returns a tensor or several of any shape
/// - Errors: a `GradcheckError` whose sentence begins with `Jacobian mismatch for output 0 with respect to input 0,` where a
///   gradient is wrong
EXAMPLE(etude::autograd::gradcheck) {
  const Tensor x = etude::tensor({0.5, 1.5}, etude::dtype(etude::kDouble).requires_grad(true));
  const auto f = [](const etude::autograd::variable_list& inputs) { return inputs[0].exp().sum(); };
  print(etude::autograd::gradcheck(f, {x}, 1e-6, 1e-5, 1e-3, true));
}
