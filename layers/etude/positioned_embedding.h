#pragma once

#include "etude/dropout.h"
#include "etude/embedding.h"
#include "etude/positions.h"

namespace etude::nn {

struct PositionedEmbeddingOptions {
  PositionedEmbeddingOptions(int64_t vocab_size, int64_t d_model)
      : vocab_size_(vocab_size), d_model_(d_model) {}
  /// The number of tokens in the vocabulary.
  ETUDE_ARG(int64_t, vocab_size);
  /// The width of a token's vector.
  ETUDE_ARG(int64_t, d_model);
  /// Applied to the sum of token and position.
  ETUDE_ARG(double, dropout) = 0.1;
  /// Multiplies the token vectors by sqrt(d_model) (Vaswani et al. 2017, section 3.4).
  ETUDE_ARG(bool, scale) = true;
  /// The id of the padding: its row starts as zeros and stays so.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Positions that add to embeddings, SinusoidalPositions if not given. They are copied, with their weights.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
};

/// dropout(tokens(ids) [* sqrt(d_model)] + position): ids [batch, sequence] -> [batch, sequence, d_model].
/// Token vectors start from N(0, 1 / d_model), so that scaled ones are as large as the positions.
class ETUDE_API PositionedEmbeddingImpl : public Cloneable<PositionedEmbeddingImpl> {
 public:
  PositionedEmbeddingImpl(int64_t vocab_size, int64_t d_model)
      : PositionedEmbeddingImpl(PositionedEmbeddingOptions(vocab_size, d_model)) {}
  explicit PositionedEmbeddingImpl(const PositionedEmbeddingOptions& options_) : options(options_) {
    PositionedEmbeddingImpl::reset();
  }

  void reset() override;
  /// Draws the token vectors anew.
  void reset_parameters();
  /// The first id stands at position `first`.
  Tensor forward(const Tensor& ids, int64_t first = 0);

  PositionedEmbeddingOptions options;
  Embedding tokens = nullptr;
  std::shared_ptr<Positions> positions;
  Dropout dropout = nullptr;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(int64_t{0})})
};
ETUDE_MODULE(PositionedEmbedding);

namespace detail {
/// The embedding of a model whose own options have the same names.
template <typename ModelOptions>
PositionedEmbedding make_embedding(const ModelOptions& o, int64_t vocab_size) {
  return PositionedEmbedding(PositionedEmbeddingOptions(vocab_size, o.d_model())
                                 .dropout(o.dropout())
                                 .scale(o.scale())
                                 .padding_idx(o.padding_idx())
                                 .positions(o.positions()));
}
}  // namespace detail

}  // namespace etude::nn
