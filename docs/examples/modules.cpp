#include "support/example.h"

/// # Modules
///
/// What all layers are: objects that register parameters, buffers and other modules under names.

/// - Shapes: any
/// - Errors: `Parameter name must not contain a dot (got 'a.b')` where a name does, and the same of buffers and submodules
/// - Errors: `Parameter 'weight' already defined` where a name is taken
EXAMPLE(etude::nn::Module) {
  struct Scale : nn::Module {
    Scale() {
      weight = register_parameter("weight", etude::full({1}, 2.0));
      seen = register_buffer("seen", etude::zeros({1}));
      fc = register_module("fc", nn::Linear(2, 1));
    }
    Tensor forward(const Tensor& x) { return fc(x) * weight; }
    Tensor weight, seen;
    nn::Linear fc = nullptr;
  };
  Scale model;
  for (const auto& parameter : model.named_parameters()) print(parameter.key(), parameter->sizes());
  model.eval();
  print(model.buffers().size(), model.children().size(), model.fc->is_training());
  print(examples::message_of([&] { model.register_parameter("a.b", etude::ones({1})); }));
  print(examples::message_of([&] { model.register_parameter("weight", etude::ones({1})); }));
}

/// `ETUDE_MODULE(Net)`, in LibTorch `TORCH_MODULE(Net)`, declares the holder `Net` of a class `NetImpl`.
///
/// - Shapes: those of the module's forward
/// - Errors: `Accessing empty ModuleHolder` where there is no module in it
EXAMPLE(etude::nn::ModuleHolder) {
  struct DoubleImpl : nn::Module {
    Tensor forward(const Tensor& x) { return x * 2; }
  };
  nn::ModuleHolder<DoubleImpl> twice;
  const nn::ModuleHolder<DoubleImpl> same = twice;  // names the same module
  print(twice(etude::tensor({1.5})), same.get() == twice.get());
  nn::Linear none = nullptr;
  print(none.is_empty(), examples::message_of([&] { none.ptr(); }));
}

/// - Shapes: any
/// - Errors: none of its own
/// - PyTorch: C++: `torch::nn::Cloneable`
/// - PyTorch: Python: `copy.deepcopy`
EXAMPLE(etude::nn::Cloneable) {
  struct BiasImpl : nn::Cloneable<BiasImpl> {
    BiasImpl() { reset(); }
    void reset() override { bias = register_parameter("bias", etude::zeros({2})); }
    Tensor bias;
  };
  const auto original = std::make_shared<BiasImpl>();
  const auto copy = std::dynamic_pointer_cast<BiasImpl>(original->clone());
  const etude::NoGradGuard no_grad;
  copy->bias.add_(1);
  print(original->bias.detach(), copy->bias.detach());
}

/// - Errors: `Cannot serialize empty module`, `Cannot deserialize empty module` where the pointer to the module is null
/// - PyTorch: `torch.nn.Module.state_dict`, `torch.nn.Module.load_state_dict`
EXAMPLE(etude::nn::operator<<, etude::nn::operator>>) {
  const nn::Linear saved(2, 3);
  nn::Linear loaded(2, 3);
  etude::serialize::OutputArchive out;
  out << saved;
  std::stringstream file;
  out.save_to(file);
  etude::serialize::InputArchive in;
  in.load_from(file);
  in >> loaded;
  print(etude::equal(saved->weight, loaded->weight));
}

/// - Shapes: parameters [*]
/// - Errors: a sentence that begins with `The total norm of order 2 for gradients from` where the norm is not finite, if
///   error_if_nonfinite asks for it
EXAMPLE(etude::nn::utils::clip_grad_norm_, etude::nn::utils::clip_grad_value_) {
  Tensor w = etude::tensor({3.0, -4.0}, etude::requires_grad(true));
  (w * w / 2).sum().backward();
  print(w.grad());
  print(nn::utils::clip_grad_norm_(w, 1.0), w.grad());
  nn::utils::clip_grad_value_(w, 0.7);
  print(w.grad());
  w.mutable_grad().fill_(INFINITY);
  print(examples::message_of([&] { nn::utils::clip_grad_norm_(w, 1.0, 2.0, /*error_if_nonfinite=*/true); }));
}

/// - Shapes: parameters [*]; the vector [elements of all]
/// - Errors: `shape '[1, 2]' is invalid for input of size 1` where the vector has too few elements
/// - Errors: `view size is not compatible with input tensor's size and stride (at least one dimension spans across two
///   contiguous subspaces). Use .reshape(...) instead.` where a parameter is not contiguous
EXAMPLE(etude::nn::utils::parameters_to_vector, etude::nn::utils::vector_to_parameters) {
  const nn::Linear layer(2, 1);
  const etude::NoGradGuard no_grad;
  nn::utils::vector_to_parameters(etude::tensor({1.0, 2.0, 3.0}), layer->parameters());
  print(layer->weight.detach(), layer->bias.detach());
  print(nn::utils::parameters_to_vector(layer->parameters()).detach());
  print(
      examples::message_of([&] { nn::utils::vector_to_parameters(etude::ones({1}), layer->parameters()); }));
}
