#pragma once

#include "etude/positioned_embedding.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

/// Which vector stands for a sequence: the mean of all, or that of the first token (as in BERT; Devlin et al. 2019).
enum class Pooling { Mean, First };

/// The form of an EncoderClassifier. What is given here is the encoder of Vaswani et al. 2017 (table 3, base);
/// today's have norm_first(true) and activation(kGELU).
struct EncoderClassifierOptions {
  EncoderClassifierOptions(int64_t vocab_size, int64_t classes)
      : vocab_size_(vocab_size), classes_(classes) {}
  ETUDE_ARG(int64_t, vocab_size);
  ETUDE_ARG(int64_t, classes);
  ETUDE_ARG(int64_t, d_model) = 512;
  ETUDE_ARG(int64_t, heads) = 8;
  ETUDE_ARG(int64_t, layers) = 6;
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// Of embeddings, attention weights and what layers add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  ETUDE_ARG(activation_t, activation) = kReLU;
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Norms before attention and feed-forward, and one at the end.
  ETUDE_ARG(bool, norm_first) = false;
  /// Multiplies token vectors by sqrt(d_model).
  ETUDE_ARG(bool, scale) = true;
  /// As in PositionedEmbeddingOptions.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
  /// The id that fills up shorter sequences: nobody looks at it, and the mean leaves it out.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  ETUDE_ARG(Pooling, pooling) = Pooling::Mean;
};

/// An encoder, one vector for the sequence, and a linear layer: ids [batch, sequence] -> logits [batch,
/// classes]. Weights start as an EncoderDecoder's.
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
