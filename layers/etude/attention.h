#pragma once

#include "etude/framework.h"

namespace etude::nn::functional {

struct AttentionFuncOptions {
  /// Added to the scores, broadcast to [..., L, S]: minus infinity hides a key from a query.
  ETUDE_ARG(Tensor, mask) = {};
  /// If given, query i attends only to keys 0 to causal_from + i. It is 0 for a whole sequence, and the length
  /// of the cache for a sequence that continues a cache.
  ETUDE_ARG(optional<int64_t>, causal_from) = nullopt;
  /// The factor of the products of queries and keys: 1 / sqrt(d) unless given.
  ETUDE_ARG(optional<double>, scale) = nullopt;
  /// The probability that a weight is dropped; pass zero outside of training.
  ETUDE_ARG(double, dropout_p) = 0.0;
  /// Whether to return the weights too.
  ETUDE_ARG(bool, need_weights) = false;
  /// Whether key and value may have fewer heads than query at dim -3 (Ainslie et al. 2023, "GQA"): query head h uses their head
  /// h / n, where n query heads share each. Otherwise dim -3 is broadcast.
  ETUDE_ARG(bool, enable_gqa) = false;
};

/// softmax(q k^T scale + mask) v (Vaswani et al. 2017, section 3.2.1), used by every layer here: q [..., L, d],
/// k [..., S, d], v [..., S, e] -> output [..., L, e] and weights [..., L, S], undefined unless need_weights. If all keys
/// are hidden from a query, its result is nan, as in PyTorch.
ETUDE_API std::pair<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                              const AttentionFuncOptions& options = {});

/// The meaning of true in a bool mask.
enum class TrueMeans { MayLook, Hidden };

/// Converts a mask of numbers, bools or bytes to numbers for attention(); an undefined mask stays undefined. Errors contain `name`.
ETUDE_API Tensor added_to_scores(const Tensor& mask, const char* name, TrueMeans true_means,
                                 ScalarType dtype);

/// attention() with PyTorch 2's signature (torch.nn.functional.scaled_dot_product_attention).
///
/// attn_mask, broadcast to [..., L, S], is added to the scores; a bool mask is true where a query may attend, and a query
/// that may attend nowhere gets zeros. With is_causal, query i attends to keys 0 to i. The scale is 1 / sqrt(d) unless given.
/// Weights are dropped with probability dropout_p whenever it is not zero: pass zero outside of training. For enable_gqa see
/// AttentionFuncOptions; it throws if the number of key or value heads does not divide the number of query heads.
ETUDE_API Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                              const optional<Tensor>& attn_mask = {}, double dropout_p = 0.0,
                                              bool is_causal = false, optional<double> scale = nullopt,
                                              bool enable_gqa = false);

}  // namespace etude::nn::functional

namespace etude {
using nn::functional::scaled_dot_product_attention;
}
