#include "etude/quantize.h"

#include <set>

namespace etude::nn {
namespace {

// The weight as [out, in].
template <typename M>
Tensor rows_of(const M& m) {
  return m.weight;
}
Tensor rows_of(const Conv1DImpl& m) { return m.weight.t(); }

void check_dtype(ScalarType dtype) {
  ETUDE_CHECK_TYPE(dtype == kChar, "quantize: weights become int8, but got ", dtype_name(dtype));
}

void freeze(const Module& module) {
  for (const Tensor& p : module.parameters()) p.set_requires_grad(false);
}

template <typename M>
void check_not_quantized(const M& m) {
  ETUDE_CHECK(!m.quantized.defined(), m.class_name(), ": its weight is quantized already");
}

template <typename M>
void quantize_module(M& m, ScalarType dtype, int64_t group, ScalarType scales) {
  check_dtype(dtype);
  check_not_quantized(m);
  m.quantized = quantize_per_group(rows_of(m), group, scales);
  m.weight = m.replace_parameter("weight", Tensor());
  m.register_parameter("weight_values", m.quantized.values, /*requires_grad=*/false);
  m.register_buffer("weight_scales", m.quantized.scales);
  freeze(m);
}

}  // namespace

void quantize(Linear& module, ScalarType dtype, int64_t group, ScalarType scales) {
  quantize_module(*module, dtype, group, scales);
}

void quantize(Conv1D& module, ScalarType dtype, int64_t group, ScalarType scales) {
  quantize_module(*module, dtype, group, scales);
}

std::vector<std::string> quantize(GPT& model, ScalarType dtype, int64_t group, ScalarType scales) {
  check_dtype(dtype);
  ETUDE_CHECK_VALUE(group > 0, "quantize: expected a positive group, but got ", group);
  const auto for_each_matrix = [&](const auto& f) {
    std::set<const Module*> seen;  // a block may stand in the model twice
    model->apply([&](const std::string& path, Module& m) {
      if (!seen.insert(&m).second) return;
      if (auto* conv = m.as<Conv1D>()) f(path, *conv);
      else if (auto* linear = m.as<Linear>()) f(path, *linear);
      else if (&m == model->wte.get()) f(path, *model->wte);
    });
  };
  for_each_matrix([](const std::string&, const auto& m) { check_not_quantized(m); });
  model->to(kFloat);
  std::vector<std::string> floats;
  for_each_matrix([&](const std::string& path, auto& m) {
    if (rows_of(m).size(1) % group != 0) floats.push_back(path + ".weight");
    else quantize_module(m, dtype, group, scales);
  });
  freeze(*model);
  return floats;
}

}  // namespace etude::nn
