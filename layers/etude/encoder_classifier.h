#pragma once

#include "etude/positioned_embedding.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

/// The vector for a sequence: the mean of all tokens, or the first token's (as in BERT; Devlin et al. 2019).
enum class Pooling { Mean, First };

/// Options of an EncoderClassifier. The defaults are the encoder of Vaswani et al. 2017 (table 3, base);
/// newer encoders use norm_first(true) and activation(kGELU).
struct EncoderClassifierOptions {
  EncoderClassifierOptions(int64_t vocab_size, int64_t classes)
      : vocab_size_(vocab_size), classes_(classes) {}
  /// The number of tokens in the vocabulary.
  ETUDE_ARG(int64_t, vocab_size);
  /// The number of classes.
  ETUDE_ARG(int64_t, classes);
  /// The width of the vectors between layers.
  ETUDE_ARG(int64_t, d_model) = 512;
  /// The number of heads of each attention.
  ETUDE_ARG(int64_t, heads) = 8;
  /// The number of layers.
  ETUDE_ARG(int64_t, layers) = 6;
  /// The width between the two linear layers of a block.
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// For embeddings, attention weights and the outputs that layers add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  /// The function between the two linear layers of a block.
  ETUDE_ARG(activation_t, activation) = kReLU;
  /// Added to the variance in the layer norms.
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Puts the norms before attention and feed-forward, and one at the end.
  ETUDE_ARG(bool, norm_first) = false;
  /// Multiplies token vectors by sqrt(d_model).
  ETUDE_ARG(bool, scale) = true;
  /// As in PositionedEmbeddingOptions.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
  /// The id that pads shorter sequences: attention and the mean ignore it.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Whether the linear layer gets the mean of all tokens or the first token.
  ETUDE_ARG(Pooling, pooling) = Pooling::Mean;
};

/// An encoder, pooling to one vector, and a linear layer: ids [batch, sequence] -> logits [batch, classes].
/// Weights are initialised as in EncoderDecoder.
class ETUDE_API EncoderClassifierImpl : public Cloneable<EncoderClassifierImpl> {
 public:
  explicit EncoderClassifierImpl(const EncoderClassifierOptions& options_) : options(options_) {
    EncoderClassifierImpl::reset();
  }

  void reset() override;
  void reset_parameters();
  Tensor forward(const Tensor& ids);

  EncoderClassifierOptions options;
  PositionedEmbedding embedding = nullptr;
  TransformerEncoder encoder = nullptr;
  Linear head = nullptr;
};
ETUDE_MODULE(EncoderClassifier);

}  // namespace etude::nn
