#pragma once

#include <etude/distributed/data_parallel.h>
#include <etude/etude.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/training_state.h"

namespace examples {

/// The ids of a text's characters: what is learnt are the first nine tenths, and the last is unseen.
struct CharText {
  explicit CharText(const std::string& characters);
  std::string decode(const etude::Tensor& some) const;

  etude::text::CharacterTokenizer tokenizer;
  etude::Tensor ids, training, unseen;
};

/// How char_gpt learns.
struct CharSettings {
  int64_t layers = 4, heads = 4, width = 128, context = 64, batch = 12;
  double lr = 2e-3;
  int64_t steps = 2000, parts = 4;
  uint64_t seed = 1;  // for the checkpoint; whoever makes a trainer seeds before
};

/// A small GPT that learns to predict each character of a text from those before it, a step at a time. It refers to
/// itself, and stays where it is.
///
///     CharTrainer trainer(CharText(characters), settings);
///     while (trainer.state().step() < settings.steps) {
///       trainer.state().note(trainer.step());
///       if (trainer.is_due()) trainer.evaluate();
///     }
class CharTrainer {
 public:
  /// Throws a UsageError if the settings do not go together, or not with the text. Several processes share each batch.
  CharTrainer(CharText text, const CharSettings& settings,
              std::shared_ptr<etude::distributed::ProcessGroup> processes =
                  etude::distributed::ProcessGroup::single());

  /// Draws a batch and learns from it; returns its loss.
  double step();
  /// Whether the loss on the unseen tenth belongs to the step that was noted last: it does ten times in a run.
  bool is_due() const;
  /// That loss, which becomes a point of the curve.
  double evaluate();
  /// The same, and no point.
  double unseen_loss();
  /// The loss of counted pairs of characters, on the unseen tenth too.
  double bigram_loss() const;

  int64_t characters_per_step() const { return settings_.batch * settings_.context; }
  const CharText& text() const { return text_; }
  const CharSettings& settings() const { return settings_; }
  etude::nn::GPT& model() { return model_; }
  TrainingState& state() { return state_; }
  const Curve& unseen() const { return unseen_; }

 private:
  CharText text_;
  CharSettings settings_;
  etude::nn::GPT model_;
  etude::nn::parallel::DistributedDataParallel<etude::nn::GPT> shared_;
  std::vector<etude::Tensor> weights_;
  etude::optim::AdamW optimizer_;
  etude::optim::LambdaLR schedule_;
  TrainingState state_;
  Curve unseen_{"unseen"};
  etude::Tensor window_;
};

}  // namespace examples
