#include "etude/input_embedding.h"

#include <cmath>

namespace etude::nn {
namespace {

// Whether hooks see the module called. This file is also compiled against LibTorch, whose modules have none.
[[maybe_unused]] bool is_hooked(const void*) { return false; }
template <typename M>
auto is_hooked(const M* module) -> decltype(module->has_hooks()) {
  return module->has_hooks();
}

// Whether all three steps are one op: nothing else is asked of them, and they fit together.
bool has_one_pass(const EmbeddingImpl& words, const PositionalEncodingImpl& positions, int64_t length,
                  double p) {
  const Tensor &weight = words.weight, &pe = positions.pe;
  return !is_hooked(&words) && !is_hooked(&positions) && !words.options.max_norm() &&
         !words.options.scale_grad_by_freq() && !positions.dropout && p < 1 && weight.dim() == 2 &&
         weight.is_floating_point() && weight.scalar_type() == pe.scalar_type() && pe.dim() == 3 &&
         weight.size(1) == pe.size(2) && length <= pe.size(0) * pe.size(1) && !pe.requires_grad();
}

}  // namespace

void InputEmbeddingImpl::reset() {
  token_embedding = register_module(
      "token_embedding",
      TokenEmbedding(
          TokenEmbeddingOptions(options.vocab_size(), options.d_model()).padding_idx(options.padding_idx())));
  pos_encoding = register_module(
      "pos_encoding", PositionalEncoding(PositionalEncodingOptions(options.d_model(), options.layout())
                                             .max_len(options.max_len())
                                             .persistent(options.persistent())));
  dropout = options.dropout() == 0 ? Dropout(nullptr) : Dropout(options.dropout());
  if (dropout) register_module("dropout", dropout);
}

Tensor InputEmbeddingImpl::forward(const Tensor& ids) {
  ETUDE_CHECK(ids.dim() == 2, "InputEmbedding: expected ids of 2 dims ",
              options.layout() == kBatchFirst ? "[batch, sequence]" : "[sequence, batch]", ", but got ",
              ids.dim(), "\nreceived sizes ", ids.sizes(), "\nhint: unsqueeze(",
              options.layout() == kBatchFirst ? 0 : 1, ") makes a batch of a single sequence");
  const double factor = options.scale() ? std::sqrt(static_cast<double>(options.d_model())) : 1;
  const int64_t position_dim = options.layout() == kBatchFirst ? 1 : 0;
  const Embedding& words = token_embedding->embedding;
  const bool drops = dropout && dropout->is_training() && dropout->options.p() > 0;
  const bool hooked = is_hooked(token_embedding.get()) || (dropout && is_hooked(dropout.get()));
  if (!hooked &&
      has_one_pass(*words, *pos_encoding, ids.size(position_dim), drops ? dropout->options.p() : 0))
    return positioned_embedding(words->weight, ids, pos_encoding->pe.squeeze(1 - position_dim), position_dim,
                                words->options.padding_idx().value_or(-1), factor,
                                drops ? dropout->options.p() : 0);
  Tensor x = token_embedding(ids);
  if (options.scale()) x = x * factor;
  x = pos_encoding(x);
  return dropout ? dropout(x) : x;
}

}  // namespace etude::nn
