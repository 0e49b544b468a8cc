#pragma once

#include "etude/quantized_weight.h"

namespace etude::nn {

struct EmbeddingOptions {
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  /// The number of rows.
  ETUDE_ARG(int64_t, num_embeddings);
  /// The width of a row.
  ETUDE_ARG(int64_t, embedding_dim);
  /// A row that starts as zeros and gets no gradient; negative counts from the end.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Before use, scales rows with a larger norm down to this norm, in place.
  ETUDE_ARG(optional<double>, max_norm) = nullopt;
  /// The p of the p-norm that max_norm limits.
  ETUDE_ARG(double, norm_type) = 2.0;
  /// Divides the gradient of a row by the number of times its id occurs.
  ETUDE_ARG(bool, scale_grad_by_freq) = false;
  /// Throws if true: there are no sparse tensors.
  ETUDE_ARG(bool, sparse) = false;
  /// Initial values [num_embeddings, embedding_dim] instead of random ones. The table shares their memory.
  ETUDE_ARG(Tensor, _weight) = {};
};

/// Options of Embedding::from_pretrained; the rest as in EmbeddingOptions.
struct EmbeddingFromPretrainedOptions {
  /// A frozen table gets no gradient.
  ETUDE_ARG(bool, freeze) = true;
  /// A row that gets no gradient; negative counts from the end.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// As in EmbeddingOptions.
  ETUDE_ARG(optional<double>, max_norm) = nullopt;
  /// As in EmbeddingOptions.
  ETUDE_ARG(double, norm_type) = 2.0;
  /// As in EmbeddingOptions.
  ETUDE_ARG(bool, scale_grad_by_freq) = false;
  /// As in EmbeddingOptions.
  ETUDE_ARG(bool, sparse) = false;
};

/// A table with one row per id: ids [...] -> [..., embedding_dim] (torch::nn::Embedding).
class ETUDE_API EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  explicit EmbeddingImpl(const EmbeddingOptions& options_) : options(options_) { EmbeddingImpl::reset(); }

  void reset() override;
  /// Draws the table from N(0, 1), then zeroes the row padding_idx.
  void reset_parameters() {
    init::normal_(weight);
    if (options.padding_idx()) init::zeros_(weight[*options.padding_idx()]);
  }
  Tensor forward(const Tensor& indices);
  std::string extra_repr() const override;

  EmbeddingOptions options;
  Tensor weight;              ///< [num_embeddings, embedding_dim]
  QuantizedWeight quantized;  ///< replaces `weight` after quantize()
};

// The module holder of EmbeddingImpl, with from_pretrained().
class Embedding : public ModuleHolder<EmbeddingImpl> {
 public:
  using ModuleHolder<EmbeddingImpl>::ModuleHolder;
  using Impl = EmbeddingImpl;

  /// A table of the given rows [num_embeddings, embedding_dim]. It shares their memory.
  ETUDE_API static Embedding from_pretrained(const Tensor& embeddings,
                                             const EmbeddingFromPretrainedOptions& options = {});
};

}  // namespace etude::nn
