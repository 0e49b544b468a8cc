#pragma once

#include <etude/distributed/data_parallel.h>
#include <etude/etude.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/training_state.h"

namespace examples {

/// The ids of a text's characters: the first nine tenths are for training, the last tenth is unseen.
struct CharText {
  explicit CharText(const std::string& characters);
  std::string decode(const etude::Tensor& some) const;

  etude::text::CharacterTokenizer tokenizer;
  etude::Tensor ids, training, unseen;
};

/// The settings of char_gpt.
struct CharSettings {
  int64_t layers = 4, heads = 4, width = 128, context = 64, batch = 12;
  double lr = 2e-3;
  int64_t steps = 2000, parts = 4;
  uint64_t seed = 1;  // for the checkpoint; the caller seeds before it makes a trainer
};

/// A small GPT that learns to predict each character of a text from the characters before it, one step at a time. It
/// holds references to its own members, so it cannot be moved.
///
///     CharTrainer trainer(CharText(characters), settings);
///     while (trainer.state().step() < settings.steps) {
///       trainer.state().note(trainer.step());
///       if (trainer.is_due()) trainer.evaluate();
///     }
class CharTrainer {
 public:
  /// Throws a UsageError if the settings do not fit together, or do not fit the text. Several processes share each batch.
  CharTrainer(CharText text, const CharSettings& settings,
              std::shared_ptr<etude::distributed::ProcessGroup> processes =
                  etude::distributed::ProcessGroup::single());

  /// Draws a batch and trains on it; returns its loss.
  double step();
  /// Whether evaluate() is due after the last noted step, which happens about ten times in a run.
  bool is_due() const;
  /// Returns the loss on the unseen tenth and adds it to the curve.
  double evaluate();
  /// Returns the loss on the unseen tenth, without adding it.
  double unseen_loss();
  /// The loss of counted pairs of characters on the unseen tenth.
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
