#pragma once

#include <etude/etude.h>

#include <cstdint>

namespace live {

/// What nn::generate does with one sequence, a token at a time, so that what it draws from can be looked at.
class CharWriter {
 public:
  /// Goes on with ids [sequence] as `options` say, but for beams, stop tokens and what is called. The model has to stay
  /// as it is.
  CharWriter(const etude::nn::GPT& model, const etude::Tensor& ids,
             const etude::nn::GenerateOptions& options);

  /// Reads what is new, after which come the next two.
  void read();
  /// The probabilities [vocab_size] of the next token as the model gives them, and those that are drawn from.
  const etude::Tensor& plain() const { return plain_; }
  const etude::Tensor& drawn_from() const { return drawn_from_; }
  /// Draws a token and adds it.
  int64_t draw();

  bool is_done() const { return drawn_ == options_.max_new_tokens(); }
  const etude::nn::KeyValueCache& cache() const { return cache_; }
  /// Whether the sequence is longer than the cache: then all that the model sees is read for each token.
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
