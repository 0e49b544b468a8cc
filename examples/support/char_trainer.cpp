#include "support/char_trainer.h"

#include <algorithm>
#include <utility>

#include "support/command_line.h"
#include "support/language_loss.h"
#include "support/recipe.h"

namespace examples {

namespace nn = etude::nn;
using etude::Tensor, etude::text::CharacterTokenizer;

CharText::CharText(const std::string& characters)
    : tokenizer(CharacterTokenizer::train(characters)),
      ids(etude::tensor(tokenizer.encode(characters))),
      training(ids.narrow(0, 0, ids.size(0) * 9 / 10)),
      unseen(ids.narrow(0, training.size(0), ids.size(0) - training.size(0))) {}

std::string CharText::decode(const Tensor& some) const {
  return tokenizer.decode({some.data_ptr<int64_t>(), static_cast<size_t>(some.numel())});
}

namespace {

const CharSettings& checked(const CharSettings& s, const CharText& text) {
  if (text.unseen.size(0) <= s.context)
    throw UsageError("the text has " + std::to_string(text.ids.size(0)) +
                     " characters, and a tenth of them must be more than the context of " +
                     std::to_string(s.context));
  if (s.width % s.heads != 0) throw UsageError("--width must be a multiple of --heads");
  return s;
}

nn::GPTOptions form_of(const CharSettings& s, const CharText& text) {
  nn::GPTOptions options(text.tokenizer.vocab_size());
  return options.context(s.context).d_model(s.width).layers(s.layers).heads(s.heads).dropout(0);
}

}  // namespace

CharTrainer::CharTrainer(CharText text, const CharSettings& settings,
                         std::shared_ptr<etude::distributed::ProcessGroup> processes)
    : text_(std::move(text)),
      settings_(checked(settings, text_)),
      model_(form_of(settings_, text_)),
      shared_(model_, std::move(processes),
              nn::parallel::DistributedDataParallelOptions().parts(settings_.parts)),
      weights_(model_->parameters()),
      optimizer_(make_adamw(weights_, settings_.lr, /*weight_decay=*/0.1)),
      schedule_(optimizer_,
                [steps = settings_.steps](int64_t at) { return warm_up_and_cosine(at, steps, 100, 0.1); }),
      state_("char_gpt", settings_.seed, *model_, optimizer_, schedule_),
      window_(etude::arange(settings_.context)) {
  state_.keep(unseen_);
  state_.has("--layers", settings_.layers);
  state_.has("--heads", settings_.heads);
  state_.has("--width", settings_.width);
  state_.has("--context", settings_.context);
  state_.has("characters of the text", text_.ids.size(0));
  state_.begins_with("--lr", settings_.lr);
}

double CharTrainer::step() {
  const Tensor places =
      etude::randint(text_.training.size(0) - settings_.context, {settings_.batch, 1}) + window_;
  const Tensor input = text_.training.index({places}), target = text_.training.index({places + 1});

  optimizer_.zero_grad();
  const Tensor loss = shared_.mean_loss(
      {input, target}, [&](const std::vector<Tensor>& part) { return model_->loss(part[0], part[1]); });
  nn::utils::clip_grad_norm_(weights_, 1.0);
  optimizer_.step();
  schedule_.step();
  return loss.item<double>();
}

bool CharTrainer::is_due() const { return state_.step() % std::max<int64_t>(1, settings_.steps / 10) == 0; }

double CharTrainer::evaluate() {
  unseen_.add(static_cast<double>(state_.step()), unseen_loss());
  return unseen_.y.back();
}

double CharTrainer::unseen_loss() { return mean_loss(model_, text_.unseen, settings_.context); }

double CharTrainer::bigram_loss() const {
  return examples::bigram_loss(text_.training, text_.unseen, settings_.context, text_.tokenizer.vocab_size());
}

}  // namespace examples
