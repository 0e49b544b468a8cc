#pragma once

#include "etude/dropout.h"
#include "etude/positional_encoding.h"
#include "etude/token_embedding.h"

namespace etude::nn {

struct InputEmbeddingOptions {
  InputEmbeddingOptions(int64_t vocab_size, int64_t d_model, SequenceLayout layout)
      : vocab_size_(vocab_size), d_model_(d_model), layout_(layout) {}
  /// The number of tokens in the vocabulary.
  ETUDE_ARG(int64_t, vocab_size);
  /// The width of a token's vector.
  ETUDE_ARG(int64_t, d_model);
  /// ids are [batch, sequence] or [sequence, batch].
  ETUDE_ARG(SequenceLayout, layout);
  /// The longest sequence.
  ETUDE_ARG(int64_t, max_len) = 5000;
  /// The probability with which elements of the sum are dropped. 0 makes no Dropout at all.
  ETUDE_ARG(double, dropout) = 0;
  /// Multiplies the token vectors by sqrt(d_model), as section 3.4 of "Attention Is All You Need" does.
  ETUDE_ARG(bool, scale) = false;
  /// The id of the padding: its row starts as zeros and stays so.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Whether the table of positions is part of state_dict.
  ETUDE_ARG(bool, persistent) = true;
};

/// What goes into the first layer of a transformer, the token's vector [* sqrt(d_model)] plus the position's:
/// ids [batch, sequence] -> [batch, sequence, d_model], or with the first two dims swapped if sequence-first.
class ETUDE_API InputEmbeddingImpl : public Cloneable<InputEmbeddingImpl> {
 public:
  InputEmbeddingImpl(int64_t vocab_size, int64_t d_model, SequenceLayout layout)
      : InputEmbeddingImpl(InputEmbeddingOptions(vocab_size, d_model, layout)) {}
  explicit InputEmbeddingImpl(const InputEmbeddingOptions& options_) : options(options_) {
    InputEmbeddingImpl::reset();
  }

  void reset() override;
  Tensor forward(const Tensor& ids);
  /// The same in one pass over memory, or nullopt if an option, a hook or a listener needs the parts one by one.
  optional<Tensor> fast_path(const Tensor& ids);

  InputEmbeddingOptions options;
  TokenEmbedding token_embedding = nullptr;
  PositionalEncoding pos_encoding = nullptr;
  Dropout dropout = nullptr;  ///< empty if options.dropout() is 0
};
ETUDE_MODULE(InputEmbedding);

}  // namespace etude::nn
