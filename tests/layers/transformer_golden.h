#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "etude/multihead_attention.h"
#include "layers/golden.h"

// What golden/layers/make_transformer.py recorded from PyTorch, and how layers are compared with it.

namespace golden {

inline const Recorded& transformer() {
  static const Recorded data = etude::golden_json("layers/transformer.json");
  return data;
}

/// The recorded tensor in float32.
inline Tensor single(const Recorded& t) { return tensor(t).to(etude::kFloat); }

/// The mask or padding of a row, or an undefined tensor.
inline Tensor flags(const Recorded& row, const std::string& name) {
  if (row.at(name).is_null()) return {};
  const std::string type = row.at(name + " type");
  const Tensor values = tensor(row.at(name));
  if (type == "infinite")
    return etude::zeros(values.sizes())
        .masked_fill(values.to(etude::kBool), -std::numeric_limits<float>::infinity());
  return values.to(type == "bool" ? etude::kBool : etude::kFloat);
}

/// Copies recorded values into the parameters and buffers of the same names.
inline void load(etude::nn::Module& module, const Recorded& state) {
  const etude::NoGradGuard no_grad;
  auto parameters = module.named_parameters();
  for (const Recorded& entry : state) {
    const Tensor* to = parameters.find(entry[0].get<std::string>());
    REQUIRE_MESSAGE(to != nullptr, entry[0].get<std::string>());
    REQUIRE(to->sizes() == tensor(entry[1]).sizes());
    to->copy_(tensor(entry[1]));
  }
  CHECK(parameters.size() == state.size());
}

/// The gradients of inputs and parameters if outputs count as in make_transformer.py.
inline void check_gradients(const Recorded& row, etude::nn::Module& module, const std::vector<Tensor>& inputs,
                            const std::vector<Tensor>& outputs) {
  Tensor sum = etude::zeros({});
  for (const Tensor& y : outputs) sum = sum + (y * ramp(y.sizes())).sum();
  sum.backward();
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(close(inputs[i].grad(), row.at("dx")[i], 1e-5));
  const auto parameters = module.named_parameters();
  for (const Recorded& entry : row.at("grads")) {
    const std::string name = entry[0].get<std::string>();
    CAPTURE(name);
    CHECK(close(parameters[name].grad(), entry[1], 1e-5));
  }
}

/// The inputs of a row as leaves.
inline std::vector<Tensor> leaves(const Recorded& row) {
  std::vector<Tensor> inputs;
  for (const Recorded& x : row.at("inputs")) inputs.push_back(single(x).requires_grad_());
  return inputs;
}

/// A row of attention: outputs and gradients of a module with the recorded parameters.
inline void check_attention(const Recorded& row, etude::nn::MultiheadAttention& attention) {
  const Recorded& spec = row.at("spec");
  golden::load(*attention, row.at("filled"));
  const std::vector<Tensor> inputs = leaves(row);
  const Tensor q = inputs[0], k = inputs.size() > 1 ? inputs[1] : q, v = inputs.size() > 1 ? inputs[2] : q;
  etude::manual_seed(5);
  const auto [output, weights] = attention(q, k, v, flags(row, "padding"), spec.value("need_weights", true),
                                           flags(row, "mask"), spec.value("average", true));
  std::vector<Tensor> outputs = {output};
  if (weights.defined()) outputs.push_back(weights);
  REQUIRE(outputs.size() == row.at("outputs").size());
  for (size_t i = 0; i < outputs.size(); ++i) CHECK(close(outputs[i], row.at("outputs")[i], 1e-5));
  check_gradients(row, *attention, inputs, outputs);
}

/// The options of a row that LibTorch has too.
inline etude::nn::MultiheadAttentionOptions attention_options(const Recorded& spec) {
  const Recorded given = spec.value("options", Recorded::object());
  etude::nn::MultiheadAttentionOptions options(8, 2);
  options.bias(given.value("bias", true));
  options.kdim(given.value("kdim", int64_t{8})).vdim(given.value("vdim", int64_t{8}));
  options.add_bias_kv(given.value("add_bias_kv", false)).add_zero_attn(given.value("add_zero_attn", false));
  return options.dropout(given.value("dropout", 0.0));
}

/// A row of layers: the output and the gradients of a module with the recorded parameters.
template <typename Forward>
void check_layer(const std::string& name, etude::nn::Module& module, const Forward& forward) {
  CAPTURE(name);
  const Recorded& row = transformer().at("layers").at(name);
  golden::load(module, row.at("filled"));
  const std::vector<Tensor> inputs = leaves(row);
  etude::manual_seed(5);
  const Tensor output = forward(inputs);
  CHECK(close(output, row.at("outputs")[0], 1e-5));
  check_gradients(row, module, inputs, {output});
}

/// The mask with which position i of `size` looks at positions 0 to i.
inline Tensor causal(int64_t size) {
  return etude::full({size, size}, -std::numeric_limits<float>::infinity()).triu(1);
}

/// Two sequences of 5, the second with 2 positions of padding.
inline Tensor two_of_padding() {
  return etude::tensor({{false, false, false, false, false}, {false, false, false, true, true}});
}

}  // namespace golden
