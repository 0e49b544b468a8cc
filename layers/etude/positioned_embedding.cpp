#include "etude/positioned_embedding.h"

#include <cmath>

namespace etude::nn {
namespace {

void check_adds_to_embeddings(Positions& positions) {
  const NoGradGuard no_grad;
  bool turns = false;
  try {
    const Tensor x = etude::ones({1, 1, 2, 2});
    turns = !positions.turn(x, 1).is_same(x);
  } catch (const Error&) {  // of another width
    turns = true;
  }
  ETUDE_CHECK(!turns && !positions.bias(2, 2).defined(),
              "PositionedEmbedding: expected positions that are added to embeddings, but got ",
              positions.name(), ", which act on attention\nhint: take sinusoidal, learned or no positions");
}

}  // namespace

void PositionedEmbeddingImpl::reset() {
  tokens = register_module(
      "tokens",
      Embedding(
          EmbeddingOptions(options.vocab_size(), options.d_model()).padding_idx(options.padding_idx())));
  if (options.positions()) {
    check_adds_to_embeddings(*options.positions());
    positions = std::dynamic_pointer_cast<Positions>(options.positions()->clone());
  } else {
    positions = SinusoidalPositions(options.d_model()).ptr();
  }
  register_module<Module>("positions", positions);
  dropout = register_module("dropout", Dropout(options.dropout()));
  reset_parameters();
}

void PositionedEmbeddingImpl::reset_parameters() {
  const NoGradGuard no_grad;
  init::normal_(tokens->weight, 0, 1 / std::sqrt(static_cast<double>(options.d_model())));
  if (options.padding_idx()) tokens->weight[*options.padding_idx()].zero_();
}

Tensor PositionedEmbeddingImpl::forward(const Tensor& ids, int64_t first) {
  ETUDE_CHECK(ids.dim() == 2, "PositionedEmbedding: expected ids of sizes [batch, sequence], but got ",
              ids.sizes());
  Tensor x = tokens(ids);
  if (options.scale()) x = x * std::sqrt(static_cast<double>(options.d_model()));
  return dropout(detail::add_positions(x, *positions, first));
}

}  // namespace etude::nn
