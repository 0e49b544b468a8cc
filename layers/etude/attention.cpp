#include "etude/attention.h"

#include <limits>

#include "etude/hook_point.h"
#include "etude/ops/attention_scores.h"

namespace etude::nn::functional {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// attention() that offers a listener its scores, masks included, and their softmax before dropout.
std::pair<Tensor, Tensor> heard_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                          const AttentionFuncOptions& options) {
  const Tensor scores =
      hook_point("hook_attn_scores", attention_scores(query, key, options.mask(), options.causal_from(),
                                                      options.scale(), options.enable_gqa()));
  const Tensor pattern = hook_point("hook_pattern", etude::softmax(scores, -1));
  const Tensor kept = options.dropout_p() != 0 ? etude::dropout(pattern, options.dropout_p(), true) : pattern;
  const Tensor y = options.enable_gqa() ? attention_scores(kept, value.mT(), {}, nullopt, /*scale=*/1, true)
                                        : matmul(kept, value);  // the same product, if no heads are grouped
  return {y, options.need_weights() ? kept : Tensor()};
}

}  // namespace

std::pair<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionFuncOptions& options) {
  if (nn::detail::any_inner_point_wanted({"hook_attn_scores", "hook_pattern"}))
    return heard_attention(query, key, value, options);
  return etude::attention(query, key, value, options.mask(), options.causal_from(), options.scale(),
                          options.dropout_p(), options.need_weights(), options.enable_gqa());
}

Tensor added_to_scores(const Tensor& mask, const char* name, TrueMeans true_means, ScalarType dtype) {
  if (!mask.defined()) return mask;
  if (mask.is_floating_point()) return mask.to(dtype);
  const bool hides = true_means == TrueMeans::Hidden;
  ETUDE_CHECK(mask.scalar_type() == kBool || mask.scalar_type() == kByte,
              "Only float, byte, and bool types are supported for ", name, ", not ",
              dtype_name(mask.scalar_type()), "\nhint: true where a query ", hides ? "may not" : "may",
              " look, or numbers that are added to the scores");
  const Tensor flags = mask.to(kBool);
  return zeros(mask.sizes(), dtype).masked_fill(hides ? flags : flags.logical_not(), kHidden);
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                                    optional<double> scale, bool enable_gqa) {
  const Tensor mask = attn_mask.value_or(Tensor());
  ETUDE_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
              "scaled_dot_product_attention: expected query, key and value of at least 2 dims, but got ",
              query.dim(), ", ", key.dim(), " and ", value.dim());
  ETUDE_CHECK(!is_causal || !mask.defined(),
              "scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  // A query that may attend nowhere attends everywhere here, so that no gradient is nan. Its output becomes zeros below.
  Tensor added = added_to_scores(mask, "attn_mask", TrueMeans::MayLook, query.scalar_type()), blind;
  if (added.defined()) blind = added.eq(kHidden).all(-1, /*keepdim=*/true);
  const bool some_are_blind = blind.defined() && blind.any().item<bool>();
  if (some_are_blind) added = added.masked_fill(blind, 0);
  auto options = AttentionFuncOptions().scale(scale).dropout_p(dropout_p).enable_gqa(enable_gqa).mask(added);
  if (is_causal) options.causal_from(0);
  const Tensor y = attention(query, key, value, options).first;
  return some_are_blind ? y.masked_fill(blind, 0) : y;
}

}  // namespace etude::nn::functional
