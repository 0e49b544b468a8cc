#pragma once

#include "etude/key_value_cache.h"
#include "etude/positioned_embedding.h"
#include "etude/transformer_decoder.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

/// The form of an EncoderDecoder. What is given here is the paper's base model (Vaswani et al. 2017, table 3);
/// today's models have norm_first(true), which trains without a long warm-up, activation(kGELU) and often
/// positions(LearnedPositions(max_length, d_model).ptr()).
struct EncoderDecoderOptions {
  /// Source and target in one vocabulary, whose embedding they share (section 3.4).
  explicit EncoderDecoderOptions(int64_t vocab_size)
      : src_vocab_size_(vocab_size), tgt_vocab_size_(vocab_size), shared_embedding_(true) {}
  /// Two vocabularies, each with its embedding.
  EncoderDecoderOptions(int64_t src_vocab_size, int64_t tgt_vocab_size)
      : src_vocab_size_(src_vocab_size), tgt_vocab_size_(tgt_vocab_size) {}
  ETUDE_ARG(int64_t, src_vocab_size);
  ETUDE_ARG(int64_t, tgt_vocab_size);
  /// Whether source and target have one embedding; the vocabularies must be equal.
  ETUDE_ARG(bool, shared_embedding) = false;
  /// Whether the target's embedding is the output layer too (section 3.4); else there is a `head`.
  ETUDE_ARG(bool, tied_head) = true;
  ETUDE_ARG(int64_t, d_model) = 512;
  ETUDE_ARG(int64_t, heads) = 8;
  ETUDE_ARG(int64_t, encoder_layers) = 6;
  ETUDE_ARG(int64_t, decoder_layers) = 6;
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// Of embeddings, attention weights and what layers add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  ETUDE_ARG(activation_t, activation) = kReLU;
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Norms before attention and feed-forward and at the end of encoder and decoder, not after the sums as in the paper.
  ETUDE_ARG(bool, norm_first) = false;
  /// Multiplies token vectors by sqrt(d_model) (section 3.4).
  ETUDE_ARG(bool, scale) = true;
  /// As in PositionedEmbeddingOptions, for source and target.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
  /// The id that fills up shorter sequences at their end: nobody looks at it and it is not learnt.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// The part of the probability that loss() spreads over the vocabulary in train mode (section 5.4).
  ETUDE_ARG(double, label_smoothing) = 0.1;
};

/// What a decoder keeps while a target is generated: made by EncoderDecoder::start.
struct DecoderState {
  KeyValueCache target;  ///< keys and values of the target so far
  KeyValueCache source;  ///< and those of the memory, which stay
  Tensor padding;        ///< bool [batch, source]; undefined without
};

/// The model of "Attention Is All You Need": source ids [batch, source] and target ids [batch, target] -> logits
/// [batch, target, tgt_vocab_size], at each position those of the next token of the target. Linear layers and
/// attention start from xavier_uniform, embeddings as PositionedEmbedding's.
class ETUDE_API EncoderDecoderImpl : public Cloneable<EncoderDecoderImpl> {
 public:
  explicit EncoderDecoderImpl(const EncoderDecoderOptions& options_) : options(options_) {
    EncoderDecoderImpl::reset();
  }

  void reset() override;
  void reset_parameters();
  Tensor forward(const Tensor& src, const Tensor& tgt) { return decode(tgt, encode(src), src); }
  /// The cross entropy of each token of tgt after those before it, averaged: the first is only read, and so is
  /// padding. Labels are smoothed in train mode.
  Tensor loss(const Tensor& src, const Tensor& tgt);

  /// src [batch, source] -> what the decoder looks at: [batch, source, d_model].
  Tensor encode(const Tensor& src) { return encoder(src_embedding(src), Tensor(), padding_of(src)); }
  /// The logits of tgt [batch, target], given encode(src) and src.
  Tensor decode(const Tensor& tgt, const Tensor& memory, const Tensor& src) {
    return logits(through_decoder(tgt, memory, src));
  }

  /// The state for targets of at most `capacity` tokens, given encode(src) and src. Without gradients only.
  DecoderState start(const Tensor& memory, const Tensor& src, int64_t capacity);
  /// The logits of tokens [batch, tokens] that continue the target of the state, without dropout. `weights` receives
  /// what cross_attention() gives.
  Tensor decode(const Tensor& tokens, DecoderState& state, std::vector<Tensor>* weights = nullptr);
  /// What each decoder layer's heads look at, a tensor [batch, heads, target, source] per layer, without dropout.
  std::vector<Tensor> cross_attention(const Tensor& src, const Tensor& tgt);
  /// The longest sequence, if the positions know one.
  optional<int64_t> max_length() const { return tgt_embedding->positions->max_length(); }

  EncoderDecoderOptions options;
  PositionedEmbedding src_embedding = nullptr,
                      tgt_embedding = nullptr;  ///< registered as `embedding` if shared
  TransformerEncoder encoder = nullptr;
  TransformerDecoder decoder = nullptr;
  Linear head = nullptr;  ///< empty if the head is tied

 private:
  Tensor padding_of(const Tensor& src) const;
  Tensor through_decoder(const Tensor& tgt, const Tensor& memory, const Tensor& src);
  Tensor logits(const Tensor& x) {
    return head ? head(x) : functional::linear(x, tgt_embedding->tokens->weight);
  }
};
ETUDE_MODULE(EncoderDecoder);

}  // namespace etude::nn
