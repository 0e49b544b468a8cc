#pragma once

#include <etude/etude.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/training_state.h"

// Shared by programs that teach an EncoderDecoder to turn one text into another.
namespace examples {

/// A text and its target.
struct Pair {
  std::string source, target;
};

/// Ids of characters, after the ids of padding, start and end.
class Alphabet {
 public:
  static constexpr int64_t kPadding = 0, kStart = 1, kEnd = 2;

  explicit Alphabet(const std::string& characters);
  /// The number of ids.
  int64_t size() const { return static_cast<int64_t>(characters_.size()) + 3; }
  /// Texts of the alphabet's characters as int64 [texts, longest], padded; with start and end around each text
  /// if they are targets.
  etude::Tensor encode(const std::vector<std::string>& texts, bool targets) const;
  /// The text of ids [sequence], between start and end.
  std::string decode(const etude::Tensor& ids) const;

 private:
  std::string characters_;
  std::map<char, int64_t> ids_;
};

/// A number below n >= 1, drawn from the default generator.
size_t draw_below(size_t n);

/// The loss of each target's characters.
etude::Tensor loss_of(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                      const std::vector<Pair>& pairs);

/// The target that the model generates for each source, with at most `longest` characters, always taking the
/// most probable next character.
std::vector<std::string> translate(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                                   const std::vector<Pair>& pairs, int64_t longest);

/// The number of pairs with a target equal to the generated one.
int64_t count_exact(const std::vector<Pair>& pairs, const std::vector<std::string>& made);

/// The cross-attention of the decoder's last layer, as the mean of its heads, while it generates the pair's target:
/// [target + end, source]. Each row holds the weights over the characters of the source.
etude::Tensor cross_attention_weights(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                                      const Pair& pair);

/// An EncoderDecoder that learns from pairs, one step at a time. It holds references to its own members and cannot be moved.
class PairTrainer {
 public:
  static constexpr int64_t kBatch = 64;

  /// `program` and `seed` are for the checkpoint. A step draws its pairs with `draw`.
  PairTrainer(etude::nn::EncoderDecoder model, Alphabet alphabet, std::function<Pair()> draw, int64_t steps,
              const std::string& program, uint64_t seed);

  /// Draws a batch and trains on it; returns its loss.
  double step();
  TrainingState& state() { return state_; }

 private:
  etude::nn::EncoderDecoder model_;
  Alphabet alphabet_;
  std::function<Pair()> draw_;
  std::vector<etude::Tensor> weights_;
  etude::optim::AdamW optimizer_;
  etude::optim::LambdaLR schedule_;
  TrainingState state_;
};

}  // namespace examples
