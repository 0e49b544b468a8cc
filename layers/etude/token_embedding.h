#pragma once

#include "etude/embedding.h"

namespace etude::nn {

struct TokenEmbeddingOptions {
  TokenEmbeddingOptions(int64_t vocab_size, int64_t d_model) : vocab_size_(vocab_size), d_model_(d_model) {}
  /// The number of tokens in the vocabulary.
  ETUDE_ARG(int64_t, vocab_size);
  /// The width of a token's vector.
  ETUDE_ARG(int64_t, d_model);
  /// The padding id: its row stays zero.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
};

/// A learned vector for each token of a vocabulary: ids [...] -> [..., d_model].
class ETUDE_API TokenEmbeddingImpl : public Cloneable<TokenEmbeddingImpl> {
 public:
  TokenEmbeddingImpl(int64_t vocab_size, int64_t d_model)
      : TokenEmbeddingImpl(TokenEmbeddingOptions(vocab_size, d_model)) {}
  explicit TokenEmbeddingImpl(const TokenEmbeddingOptions& options_) : options(options_) {
    TokenEmbeddingImpl::reset();
  }

  void reset() override;
  Tensor forward(const Tensor& ids) { return embedding(ids); }

  TokenEmbeddingOptions options;
  Embedding embedding = nullptr;
};
ETUDE_MODULE(TokenEmbedding);

}  // namespace etude::nn
