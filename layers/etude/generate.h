#pragma once

#include "etude/encoder_decoder.h"
#include "etude/gpt.h"

namespace etude::nn {

/// How generate() chooses the next token, and when it stops.
struct GenerateOptions {
  explicit GenerateOptions(int64_t max_new_tokens) : max_new_tokens_(max_new_tokens) {}
  /// The most tokens to append to a sequence.
  ETUDE_ARG(int64_t, max_new_tokens);
  /// Draws from the distribution instead of taking the most probable token.
  ETUDE_ARG(bool, sample) = false;
  /// Divides the logits: below 1, probable tokens become more probable.
  ETUDE_ARG(double, temperature) = 1.0;
  /// Draws only from the k most probable tokens; 0 for all.
  ETUDE_ARG(int64_t, top_k) = 0;
  /// Draws only from the most probable tokens that together have this probability (Holtzman et al. 2020).
  ETUDE_ARG(double, top_p) = 1.0;
  /// Above 1, makes tokens that have already occurred less probable (Keskar et al. 2019, section 4.1).
  ETUDE_ARG(double, repetition_penalty) = 1.0;
  /// The number of continuations followed per sequence; 1 is greedy. Not allowed with sample.
  ETUDE_ARG(int64_t, beams) = 1;
  /// A beam's log-probability is divided by its length to this power.
  ETUDE_ARG(double, length_penalty) = 1.0;
  /// Tokens that end a sequence. The sequence is then padded with the token that ended it.
  ETUDE_ARG(std::vector<int64_t>, stop_tokens);
  /// The token that pads shorter rows at their left: each row continues as it would alone. It need not be in the vocabulary. Only
  /// for a GPT.
  ETUDE_ARG(optional<int64_t>, pad_token);
  /// Whether to keep keys and values from step to step. The tokens do not depend on it.
  ETUDE_ARG(bool, use_cache) = true;
  /// Called with the new token of every sequence, int64 [batch]; returning false stops. Not allowed with beams.
  ETUDE_ARG(std::function<bool(const Tensor&)>, on_token);
  /// The generator to draw from; the default generator unless given.
  ETUDE_ARG(optional<Generator>, generator);
};

/// Continues each sequence of ids [batch, sequence] token by token: int64 [batch, sequence + new tokens].
/// A model with a maximum length sees only the last tokens of a longer sequence. It computes as in eval mode without a change
/// of its mode, so that several threads can generate with one model.
ETUDE_API Tensor generate(GPT& model, const Tensor& ids, const GenerateOptions& options);

/// Generates a target for each source of src [batch, source], from start_token on: int64 [batch, 1 + new tokens].
ETUDE_API Tensor generate(EncoderDecoder& model, const Tensor& src, int64_t start_token,
                          const GenerateOptions& options);

// How generate() changes logits [batch, vocab_size] before it draws.

/// For tokens that occur in ids [batch, sequence], divides positive logits by the penalty and multiplies negative ones by it.
ETUDE_API Tensor penalize_repetition(const Tensor& logits, const Tensor& ids, double penalty);
/// Sets all logits of a row to minus infinity, except the k largest and those equal to the k-th.
ETUDE_API Tensor keep_top_k(const Tensor& logits, int64_t k);
/// Sets all logits of a row to minus infinity, except the fewest tokens with a total probability of at least p.
ETUDE_API Tensor keep_top_p(const Tensor& logits, double p);

}  // namespace etude::nn
