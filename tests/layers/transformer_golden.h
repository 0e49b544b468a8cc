#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "etude/multihead_attention.h"
#include "layers/golden.h"

// The recordings of golden/layers/make_transformer.py from PyTorch, and comparisons of layers with them.

namespace golden {

inline const Recorded& transformer() {
  static const Recorded data = etude::golden_json("layers/transformer.json");
  return data;
}

/// The recorded tensor in float32.
inline Tensor single(const Recorded& t) { return tensor(t).to(etude::kFloat); }

/// The mask or padding of a row, with numbers in the type of `x`; undefined if there is none.
inline Tensor flags(const Recorded& row, const std::string& name, const Tensor& x) {
  if (row.at(name).is_null()) return {};
  const std::string type = row.at(name + " type");
  const Tensor values = single(row.at(name));
  if (type == "infinite")
    return etude::zeros(values.sizes(), x.scalar_type())
        .masked_fill(values.to(etude::kBool), -std::numeric_limits<double>::infinity());
  return values.to(type == "bool" ? etude::kBool : x.scalar_type());
}

/// Copies recorded values into the parameters and buffers of the same names.
inline void load(etude::nn::Module& module, const Recorded& state) {
  const etude::NoGradGuard no_grad;
  auto parameters = module.named_parameters();
  for (const Recorded& entry : state) {
    const Tensor* to = parameters.find(entry[0].get<std::string>());
    REQUIRE_MESSAGE(to != nullptr, entry[0].get<std::string>());
    REQUIRE(to->sizes() == tensor(entry[1]).sizes());
    to->copy_(single(entry[1]));
  }
  CHECK(parameters.size() == state.size());
}

/// Whether `t` equals PyTorch's float64 result up to rounding. Float32 may have four times the error of PyTorch's float32.
inline bool agrees(const Tensor& t, const Recorded& expected, const Recorded& row) {
  const Tensor e = tensor(expected);
  const double tolerance =
      t.scalar_type() == etude::kDouble ? 1e-10 : std::max(1e-6, 4 * row.at("float32_error").get<double>());
  return t.sizes() == e.sizes() && (t.detach().to(etude::kDouble) - e).abs().max().item<double>() <=
                                       tolerance * e.abs().max().item<double>();
}

/// Checks a row in float64 and in float32. `call(inputs)` returns the outputs of a module with the parameters `state`; the
/// outputs are weighted for the gradients as in make_transformer.py.
template <typename Call>
void check_computed(const Recorded& row, const Recorded& state, const std::vector<Tensor>& starts,
                    etude::nn::Module& module, Call call) {
  for (const auto dtype : {etude::kDouble, etude::kFloat}) {
    const bool float64 = dtype == etude::kDouble;
    CAPTURE(float64);
    module.zero_grad(/*set_to_none=*/true);
    module.to(dtype);
    load(module, state);
    std::vector<Tensor> inputs;
    for (const Tensor& x : starts) inputs.push_back(x.to(dtype).detach().requires_grad_());
    etude::manual_seed(5);
    const std::vector<Tensor> outputs = call(inputs);
    REQUIRE(outputs.size() == row.at("outputs").size());
    Tensor sum = etude::zeros({}, dtype);
    for (size_t i = 0; i < outputs.size(); ++i) {
      CHECK(agrees(outputs[i], row.at("outputs")[i], row));
      sum = sum + (outputs[i] * ramp(outputs[i].sizes()).to(dtype)).sum();
    }
    sum.backward();
    for (size_t i = 0; i < inputs.size(); ++i) CHECK(agrees(inputs[i].grad(), row.at("dx")[i], row));
    const auto parameters = module.named_parameters();
    for (const Recorded& entry : row.at("grads")) {
      const std::string name = entry[0].get<std::string>();
      CAPTURE(name);
      CHECK(agrees(parameters[name].grad(), entry[1], row));
    }
  }
}

/// The recorded inputs of a row.
inline std::vector<Tensor> inputs_of(const Recorded& row) {
  std::vector<Tensor> inputs;
  for (const Recorded& x : row.at("inputs")) inputs.push_back(single(x));
  return inputs;
}

/// Checks a row of attention: outputs and gradients of a module with the recorded parameters.
inline void check_attention(const Recorded& row, etude::nn::MultiheadAttention& attention) {
  const Recorded& spec = row.at("spec");
  check_computed(row, row.at("filled"), inputs_of(row), *attention, [&](const std::vector<Tensor>& in) {
    const Tensor q = in[0], k = in.size() > 1 ? in[1] : q, v = in.size() > 1 ? in[2] : q;
    const auto [output, weights] =
        attention(q, k, v, flags(row, "padding", q), spec.value("need_weights", true), flags(row, "mask", q),
                  spec.value("average", true));
    return weights.defined() ? std::vector<Tensor>{output, weights} : std::vector<Tensor>{output};
  });
}

/// The options of a row that LibTorch also has.
inline etude::nn::MultiheadAttentionOptions attention_options(const Recorded& spec) {
  const Recorded given = spec.value("options", Recorded::object());
  etude::nn::MultiheadAttentionOptions options(8, 2);
  options.bias(given.value("bias", true));
  options.kdim(given.value("kdim", int64_t{8})).vdim(given.value("vdim", int64_t{8}));
  options.add_bias_kv(given.value("add_bias_kv", false)).add_zero_attn(given.value("add_zero_attn", false));
  return options.dropout(given.value("dropout", 0.0));
}

/// Checks a row of layers: the output and the gradients of a module with the recorded parameters.
template <typename Forward>
void check_layer(const std::string& name, etude::nn::Module& module, const Forward& forward) {
  CAPTURE(name);
  const Recorded& row = transformer().at("layers").at(name);
  check_computed(row, row.at("filled"), inputs_of(row), module,
                 [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{forward(in)}; });
}

/// The mask that lets position i of `size` attend to positions 0 to i, in the type of `x` (the default dtype if omitted).
inline Tensor causal(int64_t size, const Tensor& x = etude::zeros({})) {
  return etude::full({size, size}, -std::numeric_limits<double>::infinity(), x.scalar_type()).triu(1);
}

/// The padding mask of two sequences of 5, the second with 2 padded positions.
inline Tensor two_of_padding() {
  return etude::tensor({{false, false, false, false, false}, {false, false, false, true, true}});
}

}  // namespace golden
