#include "support/example.h"

/// - Shapes: tensors of the state, by name
/// - Errors: `Error(s) in loading state_dict for Linear:` where names are missing or not expected and `strict` is not false, or
///   sizes differ
/// - PyTorch: `torch.nn.Module.load_state_dict`, `torch.nn.modules.module._IncompatibleKeys`
EXAMPLE(etude::nn::IncompatibleKeys, etude::nn::Module) {
  nn::Linear layer(2, 3);
  auto state = layer->state_dict();
  print(layer->load_state_dict(state));
  state.erase("bias");
  state.insert("gain", etude::ones({1}));
  print(layer->load_state_dict(state, /*strict=*/false));
  print(examples::message_of([&] { layer->load_state_dict(state); }));
}

/// - Shapes: a hook sees the tensors that forward takes and gives, and what it returns has their sizes
/// - Errors: `Forward hook returned an invalid number of outputs, got 2, but expected 1` where it returns
///   more or less
/// - PyTorch: `torch.utils.hooks.RemovableHandle`
EXAMPLE(etude::nn::RemovableHandle) {
  nn::ReLU relu;
  const nn::RemovableHandle handle =
      relu->register_forward_hook([](nn::Module& module, const auto& inputs, const auto& outputs) {
        print(module.class_name(), inputs[0], outputs[0]);
        return outputs[0] * 10;
      });
  print(relu(etude::tensor({-1.0, 2.0})));
  handle.remove();
  print(relu(etude::tensor({-1.0, 2.0})));
  const auto two = [](nn::Module&, const auto&, const auto& y) { return std::vector<Tensor>{y[0], y[0]}; };
  relu->register_forward_hook(two);
  print(examples::message_of([&] { relu(etude::ones({1})); }));
}

/// - Shapes: those of the module's forward
/// - Errors: none of its own
/// - PyTorch: `torch.nn.Module.__call__`
EXAMPLE(etude::nn::call) {
  nn::Linear layer(2, 3);
  layer->register_forward_pre_hook([](nn::Module&, const auto& inputs) { print(inputs[0].sizes()); });
  nn::LinearImpl& module = *layer;
  print(nn::call(module, etude::ones({5, 2})).sizes());
  print(module.forward(etude::ones({5, 2})).sizes());  // without the hook
}

/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::nn::EvalMode) {
  nn::Sequential model(nn::Linear(2, 2), nn::Dropout(0.5));
  {
    const nn::EvalMode guard(*model);
    print(model->is_training(), model[1]->is_training(), nn::EvalMode::covers(*model));
  }
  print(model->is_training());
}

/// `etude::utils` is the same namespace.
///
/// - Shapes: whatever the function takes and gives
/// - Errors: `checkpoint_sequential: expected from 1 to 3 segments, one per module at most, but got 4` where there are more
/// - Errors: a sentence that begins with `Checkpointing is not compatible with .grad()` where backward gets inputs, or
///   `autograd::grad` is called
/// - PyTorch: `torch.utils.checkpoint.checkpoint`, `torch.utils.checkpoint.checkpoint_sequential`
EXAMPLE(etude::nn::utils::checkpoint, etude::nn::utils::checkpoint_sequential,
        etude::nn::utils::CheckpointOptions) {
  const Tensor x = etude::tensor({1.0, 2.0}, etude::requires_grad(true));
  int runs = 0;
  const auto square = [&runs](const Tensor& t) {
    ++runs;
    return t * t;
  };
  const Tensor y = etude::utils::checkpoint(square, x).sum();
  print(runs);
  y.backward();
  print(runs, x.grad());
  nn::Sequential model(nn::Linear(2, 4), nn::Tanh(), nn::Linear(4, 1));
  print(etude::equal(etude::utils::checkpoint_sequential(model, 2, x), model->forward(x)));
  print(examples::message_of([&] { etude::utils::checkpoint_sequential(model, 4, x); }));
}

/// Wrappers of Python put a prefix before all names. DataParallel puts `module.` there.
///
/// - Shapes: tensors [*], which stay
/// - Errors: a sentence of OrderedDict where two names would become the same
/// - PyTorch: `torch.nn.modules.utils.consume_prefix_in_state_dict_if_present`
EXAMPLE(etude::nn::utils::consume_prefix_in_state_dict_if_present) {
  etude::OrderedDict<std::string, Tensor> state = {{"module.weight", etude::ones({2})},
                                                   {"step", etude::zeros({1})}};
  nn::utils::consume_prefix_in_state_dict_if_present(state, "module.");
  for (const auto& item : state) print(item.key(), item.value());
}
