#pragma once

#include "etude/encoder_decoder.h"
#include "etude/gpt.h"

namespace etude::nn {

/// How the next token is chosen, and when it ends.
struct GenerateOptions {
  explicit GenerateOptions(int64_t max_new_tokens) : max_new_tokens_(max_new_tokens) {}
  ETUDE_ARG(int64_t, max_new_tokens);
  /// Draws from the distribution instead of taking the most probable token.
  ETUDE_ARG(bool, sample) = false;
  /// What logits are divided by: below 1 the probable becomes more so.
  ETUDE_ARG(double, temperature) = 1.0;
  /// Only the k most probable tokens are drawn from; 0 for all.
  ETUDE_ARG(int64_t, top_k) = 0;
  /// Only the most probable tokens that together have this probability are drawn from (Holtzman et al. 2020).
  ETUDE_ARG(double, top_p) = 1.0;
  /// What makes tokens that occurred less probable: above 1 (Keskar et al. 2019, section 4.1).
  ETUDE_ARG(double, repetition_penalty) = 1.0;
  /// How many continuations of each sequence are followed at once; 1 is greedy. Not together with sample.
  ETUDE_ARG(int64_t, beams) = 1;
  /// The power of the length that a beam's log-probability is divided by.
  ETUDE_ARG(double, length_penalty) = 1.0;
  /// Tokens that end a sequence. It is filled up with the one that ended it.
  ETUDE_ARG(std::vector<int64_t>, stop_tokens);
  /// Whether keys and values are kept from step to step; the tokens are the same.
  ETUDE_ARG(bool, use_cache) = true;
  /// Called with the new token of every sequence, int64 [batch]; false ends the generation. Not with beams.
  ETUDE_ARG(std::function<bool(const Tensor&)>, on_token);
  /// The stream to draw from, or the default one.
  ETUDE_ARG(optional<Generator>, generator);
};

/// Continues each sequence of ids [batch, sequence] token by token: int64 [batch, sequence + new tokens].
/// A model with a longest sequence sees the last tokens of a longer one. It computes as in eval mode; the mode that it has
/// does not change, so that several threads may continue texts with one model.
ETUDE_API Tensor generate(GPT& model, const Tensor& ids, const GenerateOptions& options);

/// Makes a target for each source of src [batch, source] after start_token: int64 [batch, 1 + new tokens]; else as above.
ETUDE_API Tensor generate(EncoderDecoder& model, const Tensor& src, int64_t start_token,
                          const GenerateOptions& options);

// What generate does to logits [batch, vocab_size] before it draws.

/// Divides positive logits of tokens that occur in ids [batch, sequence] by the penalty, multiplies negative ones by it.
ETUDE_API Tensor penalize_repetition(const Tensor& logits, const Tensor& ids, double penalty);
/// Minus infinity for all but the k largest logits of each row, and those equal to the k-th.
ETUDE_API Tensor keep_top_k(const Tensor& logits, int64_t k);
/// Minus infinity for all but the fewest tokens of each row whose probabilities add up to p.
ETUDE_API Tensor keep_top_p(const Tensor& logits, double p);

}  // namespace etude::nn
