#pragma once

#include "etude/key_value_cache.h"
#include "etude/positioned_embedding.h"
#include "etude/transformer_decoder.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

/// Options of an EncoderDecoder. The defaults are the paper's base model (Vaswani et al. 2017, table 3). Newer
/// models use norm_first(true), which trains without a long warm-up, activation(kGELU) and often
/// positions(LearnedPositions(max_length, d_model).ptr()).
struct EncoderDecoderOptions {
  /// One vocabulary and one shared embedding for source and target (section 3.4).
  explicit EncoderDecoderOptions(int64_t vocab_size)
      : src_vocab_size_(vocab_size), tgt_vocab_size_(vocab_size), shared_embedding_(true) {}
  /// Two vocabularies, each with its own embedding.
  EncoderDecoderOptions(int64_t src_vocab_size, int64_t tgt_vocab_size)
      : src_vocab_size_(src_vocab_size), tgt_vocab_size_(tgt_vocab_size) {}
  /// The number of tokens in the source's vocabulary.
  ETUDE_ARG(int64_t, src_vocab_size);
  /// The number of tokens in the target's vocabulary.
  ETUDE_ARG(int64_t, tgt_vocab_size);
  /// Whether source and target share one embedding; the vocabulary sizes must be equal.
  ETUDE_ARG(bool, shared_embedding) = false;
  /// Whether the target's embedding is also the output layer (section 3.4); otherwise there is a `head`.
  ETUDE_ARG(bool, tied_head) = true;
  /// The width of the vectors between layers.
  ETUDE_ARG(int64_t, d_model) = 512;
  /// The number of heads of each attention.
  ETUDE_ARG(int64_t, heads) = 8;
  /// The number of layers of the encoder.
  ETUDE_ARG(int64_t, encoder_layers) = 6;
  /// The number of layers of the decoder.
  ETUDE_ARG(int64_t, decoder_layers) = 6;
  /// The width between the two linear layers of a block.
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// For embeddings, attention weights and the outputs that layers add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  /// The function between the two linear layers of a block.
  ETUDE_ARG(activation_t, activation) = kReLU;
  /// Added to the variance in the layer norms.
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Puts norms before attention and feed-forward and at the end of encoder and decoder; the paper has them after the sums.
  ETUDE_ARG(bool, norm_first) = false;
  /// Multiplies token vectors by sqrt(d_model) (section 3.4).
  ETUDE_ARG(bool, scale) = true;
  /// As in PositionedEmbeddingOptions, for source and target.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
  /// The id that pads shorter sequences at their end: attention and loss() ignore it.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// The share of the probability that loss() spreads over the vocabulary in train mode (section 5.4).
  ETUDE_ARG(double, label_smoothing) = 0.1;
};

/// The decoder's state while it generates a target; made by EncoderDecoder::start.
struct DecoderState {
  KeyValueCache target;  ///< keys and values of the target so far
  KeyValueCache source;  ///< keys and values of the memory, which stay the same
  Tensor padding;        ///< bool [batch, source]; undefined without padding
};

/// The model of "Attention Is All You Need": source ids [batch, source] and target ids [batch, target] -> logits
/// [batch, target, tgt_vocab_size], at each position for the next token of the target. The matrices of encoder and decoder
/// are initialised by xavier_uniform, embeddings as in PositionedEmbedding, and a head as a Linear.
class ETUDE_API EncoderDecoderImpl : public Cloneable<EncoderDecoderImpl> {
 public:
  explicit EncoderDecoderImpl(const EncoderDecoderOptions& options_) : options(options_) {
    EncoderDecoderImpl::reset();
  }

  void reset() override;
  void reset_parameters();
  Tensor forward(const Tensor& src, const Tensor& tgt) { return decode(tgt, encode(src), src); }
  /// The mean cross entropy of each token of tgt given the tokens before it. The first token and padding are not
  /// predicted. Labels are smoothed in train mode.
  Tensor loss(const Tensor& src, const Tensor& tgt);

  /// src [batch, source] -> the memory that the decoder attends to: [batch, source, d_model].
  Tensor encode(const Tensor& src) { return encoder(src_embedding(src), Tensor(), padding_of(src)); }
  /// The logits of tgt [batch, target], given encode(src) and src.
  Tensor decode(const Tensor& tgt, const Tensor& memory, const Tensor& src) {
    return logits(through_decoder(tgt, memory, src));
  }

  /// The state for targets of at most `capacity` tokens, given encode(src) and src. Throws if gradients are recorded.
  DecoderState start(const Tensor& memory, const Tensor& src, int64_t capacity);
  /// The logits of tokens [batch, tokens] that continue the target of the state, without dropout. `weights` receives
  /// the weights that cross_attention() returns.
  Tensor decode(const Tensor& tokens, DecoderState& state, std::vector<Tensor>* weights = nullptr);
  /// The cross-attention weights without dropout, a tensor [batch, heads, target, source] per decoder layer.
  std::vector<Tensor> cross_attention(const Tensor& src, const Tensor& tgt);
  /// The longest sequence, if the positions have a limit.
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
