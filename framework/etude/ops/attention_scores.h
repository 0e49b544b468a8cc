#pragma once

#include "etude/core/tensor.h"

namespace etude {

/// The input of attention()'s softmax: q k^T scale + mask, with minus infinity for keys hidden by causal_from. The arguments
/// are attention()'s. [..., L, d], [..., S, d] -> [..., L, S].
ETUDE_API Tensor attention_scores(const Tensor& query, const Tensor& key, const Tensor& mask = {},
                                  optional<int64_t> causal_from = nullopt, optional<double> scale = nullopt,
                                  bool enable_gqa = false);

}  // namespace etude
