#include <cmath>

#include "etude/input_embedding.h"

namespace etude::nn {
namespace {

// Whether no hook and no listener observes calls of these modules: the fast path does not make them.
template <typename... Modules>
bool are_unheard(const Modules&... modules) {
  return (... && !(modules.has_hooks() || detail::listener_of(modules)));
}

}  // namespace

// Chosen here and not below the ops, because an op must return its tensor before the next one is called: four passes over memory.
// They take 2.1 to 2.6 times as long, and with backward 1.2 to 1.9 times (ids [2, 10] to [64, 256], a width of 512 or 768, two
// virtual processors of an AMD EPYC with AVX-512).
optional<Tensor> InputEmbeddingImpl::fast_path(const Tensor& ids) {
  const EmbeddingImpl& words = *token_embedding->embedding;
  const PositionalEncodingImpl& positions = *pos_encoding;
  const Tensor &weight = words.weight, &pe = positions.pe;
  const double p = dropout && dropout->is_training() ? dropout->options.p() : 0;
  const int64_t position_dim = options.layout() == kBatchFirst ? 1 : 0;
  const bool is_usual = !words.options.max_norm() && !words.options.scale_grad_by_freq() &&
                        !positions.dropout && p < 1 && !pe.requires_grad() &&
                        are_unheard(*token_embedding, words, positions) &&
                        (!dropout || are_unheard(*dropout));
  const bool fits = ids.dim() == 2 && weight.dim() == 2 && pe.dim() == 3 && weight.is_floating_point() &&
                    weight.scalar_type() == pe.scalar_type() && weight.size(1) == pe.size(2) &&
                    ids.size(position_dim) <= pe.size(0) * pe.size(1);
  if (!is_usual || !fits) return nullopt;
  const double scale = options.scale() ? std::sqrt(static_cast<double>(options.d_model())) : 1;
  return positioned_embedding(weight, ids, pe, position_dim, words.options.padding_idx().value_or(-1), scale,
                              p);
}

}  // namespace etude::nn
