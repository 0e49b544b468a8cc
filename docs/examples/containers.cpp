#include "support/example.h"

/// # Containers
///
/// Modules made of modules, lists and dicts of modules and parameters, and a box for a module or a value of any type.

/// - Shapes: those of the first module's input and of the last one's result
/// - Errors: `Cannot call forward() on an empty Sequential` where it holds nothing
/// - Errors: `Index out of range` where `at`, `ptr` or `[]` ask for a position that is not there
/// - Errors: `Expected argument #0 to be of type etude::Tensor, but received value of type int` where an argument is of another
///   type than `forward` declares
EXAMPLE(etude::nn::Sequential) {
  nn::Sequential model(nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1));
  print(model->forward(etude::ones({5, 2})).sizes());
  print(model->size(), model->at<nn::LinearImpl>(2).options.in_features());
  nn::Sequential named({{"in", nn::Linear(2, 3)}, {"out", nn::Linear(3, 1)}});
  for (const auto& parameter : named->named_parameters()) print(parameter.key(), parameter->sizes());
  print(examples::message_of([&] { nn::Sequential()->forward(etude::ones({2})); }));
  print(examples::message_of([&] { model->ptr(3); }));
}

/// - Errors: `Index out of range` where a position is not there
EXAMPLE(etude::nn::ModuleList) {
  nn::ModuleList layers;
  for (int i = 0; i < 3; ++i) layers->push_back(nn::Linear(2, 2));
  Tensor x = etude::ones({1, 2});
  for (const auto& layer : *layers) x = layer->as<nn::Linear>()->forward(x);
  print(x.sizes(), layers->size());
  print(layers->named_parameters().front().key());
  print(examples::message_of([&] { layers[3]; }));
}

/// - Errors: `Key 'c' is not defined` where there is none of that name
EXAMPLE(etude::nn::ModuleDict) {
  nn::ModuleDict heads;
  heads->update({{"b", nn::Linear(2, 3).ptr()}, {"a", nn::Linear(2, 1).ptr()}});
  for (const std::string& key : heads->keys()) print(key);
  print(heads->at<nn::LinearImpl>("a").forward(etude::ones({2})).sizes());
  print(heads->contains("c"), examples::message_of([&] { heads["c"]; }));
}

/// - Shapes: any
/// - Errors: `Index out of range` where a position is not there
EXAMPLE(etude::nn::ParameterList) {
  nn::ParameterList list(etude::ones({2}, etude::requires_grad(true)), etude::zeros({3}));
  list->append(etude::ones({1}));
  print(list->size(), list[1].sizes(), list[1].requires_grad());
  for (const auto& parameter : list->named_parameters()) print(parameter.key());
  print(examples::message_of([&] { list->at(3); }));
}

/// - Shapes: any
/// - Errors: `Parameter 'a' already defined` where the name is taken
/// - Errors: `Parameter 'b' is not defined` where there is none of that name
EXAMPLE(etude::nn::ParameterDict) {
  nn::ParameterDict dict;
  dict->insert("a", etude::ones({2}, etude::requires_grad(true)));
  print(dict["a"].requires_grad(), dict->keys().size());
  print(examples::message_of([&] { dict->insert("a", etude::ones({2})); }));
  print(examples::message_of([&] { dict->pop("b"); }));
}

/// - Shapes: those of the module's forward
/// - Errors: `Cannot call forward() on an empty AnyModule` where it holds nothing
/// - Errors: `Attempted to cast module of type etude::nn::LinearImpl to type etude::nn::ReLUImpl` where `get` or `ptr` name
///   another type
/// - Errors: `etude::nn::LinearImpl's forward() method expects 1 argument(s), but received 2.` where there are too many
EXAMPLE(etude::nn::AnyModule) {
  nn::AnyModule any(nn::Linear(2, 3)), empty;
  print(any.forward(etude::ones({2})).sizes());
  print(any.get<nn::Linear>()->options.out_features());
  print(empty.is_empty(), examples::message_of([&] { empty.forward(1); }));
  any = nn::ReLU().ptr();  // another module, of another type
  print(any.forward(etude::tensor({-1.0, 2.0})));
}

/// - Errors: none of its own
EXAMPLE(etude::nn::NamedAnyModule) {
  const nn::NamedAnyModule named("fc", nn::Linear(2, 3));
  print(named.name(), named.module().get<nn::Linear>()->options.out_features());
}

/// - Errors: `Attempted to cast AnyValue to double, but its actual type is int` where `get` asks for another type
EXAMPLE(etude::nn::AnyValue) {
  nn::AnyValue value(3);
  print(value.get<int>() + 1, value.try_get<double>() == nullptr);
  print(examples::message_of([&] { value.get<double>(); }));
}
