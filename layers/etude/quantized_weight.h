#pragma once

#include "etude/framework.h"

// For modules whose `weight` quantize() may replace. They have two members, `weight` and `quantized`, one of which is undefined.
// A quantized weight is in the state as the frozen parameter `weight_values` and the buffer `weight_scales`.

namespace etude::nn::detail {

/// For reset(): registers an empty weight of these sizes or, for a clone of a quantized module, empty values and scales.
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
