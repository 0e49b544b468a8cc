#pragma once

#include "etude/framework.h"

// What modules with a `weight` that quantize() may replace have in common: members `weight` and `quantized`, of which one is
// undefined. A quantized weight is in the state as the frozen parameter `weight_values` and the buffer `weight_scales`.

namespace etude::nn::detail {

/// In reset(): registers an empty weight of these sizes, or, for a clone of a module with a quantized one, both of its parts.
template <typename M>
void register_weight(M& m, IntArrayRef sizes) {
  const bool is_float = !m.quantized.defined();
  m.weight = m.register_parameter("weight", is_float ? empty(sizes) : Tensor(), is_float);
  if (is_float) return;
  m.quantized.values = m.register_parameter("weight_values", empty_like(m.quantized.values), false);
  m.quantized.scales = m.register_buffer("weight_scales", empty_like(m.quantized.scales));
}

/// The end of a module's extra_repr().
inline std::string quantized_repr(const QuantizedWeight& w) {
  if (!w.defined()) return "";
  return str(", dtype=", dtype_name(w.values.scalar_type()),
             ", group=", w.values.size(1) / std::max<int64_t>(w.scales.size(1), 1));
}

}  // namespace etude::nn::detail
