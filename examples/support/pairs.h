#pragma once

#include <etude/etude.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/training_state.h"

// What programs share that teach an EncoderDecoder to make one text of another.
namespace examples {

/// A text and what is to become of it.
struct Pair {
  std::string source, target;
};

/// Characters as ids, after the padding, the start and the end of a text.
class Alphabet {
 public:
  static constexpr int64_t kPadding = 0, kStart = 1, kEnd = 2;

  explicit Alphabet(const std::string& characters);
  /// How many ids there are.
  int64_t size() const { return static_cast<int64_t>(characters_.size()) + 3; }
  /// Texts of the alphabet's characters as int64 [texts, longest], filled up with padding; with start and end
  /// around each if they are targets.
  etude::Tensor encode(const std::vector<std::string>& texts, bool targets) const;
  /// The text of ids [sequence], from after the start up to the end.
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

/// The target that the model makes of each source, in at most `longest` characters: always the most probable
/// character next.
std::vector<std::string> translate(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                                   const std::vector<Pair>& pairs, int64_t longest);

/// How many of the pairs have the target that was made of their source.
int64_t count_exact(const std::vector<Pair>& pairs, const std::vector<std::string>& made);

/// What the decoder's last layer looks at, the mean of its heads, when it makes the pair's target:
/// [target + end, source], in each row how much it looks at the characters of the source.
etude::Tensor cross_attention_weights(etude::nn::EncoderDecoder& model, const Alphabet& alphabet,
                                      const Pair& pair);

/// An EncoderDecoder that learns from pairs, a step at a time. It refers to itself, and stays where it is.
class PairTrainer {
 public:
  static constexpr int64_t kBatch = 64;

  /// `program` and `seed` are for the checkpoint. A step draws its pairs with `draw`.
  PairTrainer(etude::nn::EncoderDecoder model, Alphabet alphabet, std::function<Pair()> draw, int64_t steps,
              const std::string& program, uint64_t seed);

  /// Draws a batch and learns from it; returns its loss.
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
