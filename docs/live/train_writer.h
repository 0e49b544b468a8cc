#pragma once

#include <etude/etude.h>

#include <cstdint>

namespace live {

/// Generates one sequence as nn::generate does, one token at a time, so that the probabilities can be shown.
class CharWriter {
 public:
  /// Continues ids [sequence] with `options`, but without beams, stop tokens and callbacks. The model must not
  /// change.
  CharWriter(const etude::nn::GPT& model, const etude::Tensor& ids,
             const etude::nn::GenerateOptions& options);

  /// Reads the new tokens; call it before plain() and drawn_from().
  void read();
  /// The model's probabilities [vocab_size] of the next token, and the probabilities that draw() uses.
  const etude::Tensor& plain() const { return plain_; }
  const etude::Tensor& drawn_from() const { return drawn_from_; }
  /// Draws a token and adds it.
  int64_t draw();

  bool is_done() const { return drawn_ == options_.max_new_tokens(); }
  const etude::nn::KeyValueCache& cache() const { return cache_; }
  /// Whether the sequence is longer than the cache. Then the whole context is read again for each token.
  bool is_beyond_cache() const { return ids_.size(1) > cache_.capacity(); }

 private:
  etude::nn::GPT model_;
  etude::Tensor ids_;  // [1, sequence]
  etude::nn::GenerateOptions options_;
  etude::nn::KeyValueCache cache_;
  int64_t drawn_ = 0;
  etude::Tensor plain_, drawn_from_;
};

}  // namespace live
