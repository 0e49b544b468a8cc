#pragma once

#include "etude/framework.h"

namespace etude::nn::functional {

struct AttentionFuncOptions {
  /// Numbers that are added to the scores, broadcast to [..., L, S]: minus infinity hides a key from a query.
  ETUDE_ARG(Tensor, mask) = {};
  /// If given, query i looks at keys 0 to causal_from + i alone: 0 for a whole sequence, and for one that
  /// continues a cache as many as the cache held.
  ETUDE_ARG(optional<int64_t>, causal_from) = nullopt;
  /// What products of queries and keys are multiplied by: 1 / sqrt(d) unless given.
  ETUDE_ARG(optional<double>, scale) = nullopt;
  /// The probability that a weight is dropped; zero outside of training.
  ETUDE_ARG(double, dropout_p) = 0.0;
  /// Whether the weights are given back too.
  ETUDE_ARG(bool, need_weights) = false;
};

/// softmax(q k^T scale + mask) v (Vaswani et al. 2017, section 3.2.1), the attention of every layer here: q [..., L, d],
/// k [..., S, d], v [..., S, e] -> output [..., L, e] and weights [..., L, S], undefined unless they are needed. A query from
/// which every key is hidden gets nan, as in PyTorch.
ETUDE_API std::pair<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                              const AttentionFuncOptions& options = {});

/// What true says in a mask of bools.
enum class TrueMeans { MayLook, Hidden };

/// A mask of numbers, bools or bytes as bools in the form that attention() takes, or undefined; `name` is for messages.
ETUDE_API Tensor added_to_scores(const Tensor& mask, const char* name, TrueMeans true_means,
                                 ScalarType dtype);

/// attention() as PyTorch 2 has it (torch.nn.functional.scaled_dot_product_attention).
///
/// attn_mask, broadcast to [..., L, S], is added to the scores, or if it holds bools is true where a query
/// may look. is_causal lets query i look at keys 0 to i. The scale is 1 / sqrt(d) unless given. Weights are
/// dropped with probability dropout_p whenever it is not zero: pass zero outside of training.
ETUDE_API Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                              const optional<Tensor>& attn_mask = {}, double dropout_p = 0.0,
                                              bool is_causal = false, optional<double> scale = nullopt);

}  // namespace etude::nn::functional

namespace etude {
using nn::functional::scaled_dot_product_attention;
}
