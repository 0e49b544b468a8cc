#include "support/circuits.h"

#include <algorithm>

namespace examples {

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor;

namespace {

Tensor mean_loss_of(const Tensor& logits, const Repeated& some) {
  return F::cross_entropy(logits.flatten(0, 1), some.next.flatten());
}

// `count` rows of different words.
Tensor draw_words(int64_t count, int64_t vocabulary) {
  return etude::rand({count, vocabulary}).argsort(/*dim=*/int64_t{-1});
}

// Per head, the mean of weights [count, heads, length, length] at keys [count, length], over the sequences and those
// positions at which `counts` is true.
Tensor mean_weight(const Tensor& weights, const Tensor& keys, const Tensor& counts) {
  const Tensor at = keys.clamp_min(0).unsqueeze(1).unsqueeze(3).expand(
      {weights.size(0), weights.size(1), weights.size(2), 1});
  const Tensor seen =
      weights.gather(3, at).squeeze(3).to(etude::kDouble) * counts.unsqueeze(1).to(etude::kDouble);
  return seen.sum(2).sum(0) / counts.sum();
}

}  // namespace

Repeated repeat_words(int64_t vocabulary, int64_t length, const Tensor& period) {
  const Tensor place = etude::arange(length + 1).remainder(period);
  const Tensor words = draw_words(period.size(0), vocabulary).gather(1, place);
  const Tensor unknown = etude::arange(length) < period - 1;
  return {words.slice(1, 0, length), words.slice(1, 1).masked_fill(unknown, -100), period};
}

std::string name_of(const Head& head) { return etude::str(head.first, ".", head.second); }

HeadScores score_heads(nn::GPT& model, const Repeated& some) {
  const etude::NoGradGuard no_grad;
  const int64_t length = some.ids.size(1);
  const Tensor position = etude::arange(length).expand({some.ids.size(0), length});
  std::vector<Tensor> previous, induction;
  for (const Tensor& pattern : model->self_attention(some.ids)) {
    previous.push_back(mean_weight(pattern, position - 1, position > 0));
    induction.push_back(mean_weight(pattern, position - some.period + 1, position >= some.period));
  }
  return {etude::stack(previous), etude::stack(induction)};
}

std::vector<Head> heads_above(const Tensor& scores, double bound) {
  std::vector<Head> heads;
  const Tensor order = scores.flatten().argsort(/*dim=*/int64_t{0}, /*descending=*/true);
  for (int64_t i = 0; i < order.size(0); ++i) {
    const int64_t at = order[i].item<int64_t>();
    if (heads.empty() || scores.flatten()[at].item<double>() > bound)
      heads.emplace_back(at / scores.size(1), at % scores.size(1));
  }
  return heads;
}

double loss_without(nn::GPT& model, const Repeated& some, const std::vector<Head>& heads) {
  const etude::NoGradGuard no_grad;
  nn::Hooks hooks;
  for (const Head& head : heads)
    hooks.emplace_back(etude::str("blocks.", head.first, ".attn.hook_z"),
                       [number = head.second](const Tensor& z, const std::string&) {
                         const Tensor changed = z.clone();
                         changed.select(2, number).zero_();
                         return changed;
                       });
  return mean_loss_of(nn::run_with_hooks(model, some.ids, hooks), some).item<double>();
}

Lens read_early(nn::GPT& model, const Repeated& some) {
  const etude::NoGradGuard no_grad;
  const auto is_read = [](const std::string& name) {
    return name == "blocks.0.hook_resid_pre" || name.find("hook_resid_post") != std::string::npos;
  };
  const auto [logits, cache] = nn::run_with_cache(model, some.ids, is_read);
  const Tensor known = some.next >= 0, right = some.next.clamp_min(0).unsqueeze(-1);
  Lens lens;
  for (const auto& residual : cache) {
    const Tensor early = F::linear(model->ln_f.forward(*residual), model->wte->weight);
    lens.loss.push_back(mean_loss_of(early, some).item<double>());
    const Tensor probability = early.softmax(-1).gather(2, right).squeeze(-1);
    lens.probability.push_back(probability.masked_select(known).mean().item<double>());
  }
  return lens;
}

Prompts pair_prompts(int64_t count, int64_t vocabulary, int64_t period, int64_t again) {
  const Tensor words = draw_words(count, vocabulary);
  const Tensor clean =
      words.index({etude::indexing::Slice(), etude::arange(period + again).remainder(period)});
  Tensor corrupt = clean.clone();
  corrupt.select(1, again).copy_(words.select(1, period));
  return {clean, corrupt, words.select(1, again), words.select(1, period)};
}

Tensor patch_positions(nn::GPT& model, const Prompts& prompts, const std::vector<std::string>& points) {
  const etude::NoGradGuard no_grad;
  const auto difference = [&](const Tensor& logits) {
    const Tensor last = logits.select(1, -1).to(etude::kDouble);
    const auto of = [&](const Tensor& answer) { return last.gather(1, answer.unsqueeze(1)); };
    return (of(prompts.clean_answer) - of(prompts.corrupt_answer)).mean().item<double>();
  };
  const auto [logits, cache] = nn::run_with_cache(model, prompts.clean, points);
  const double clean = difference(logits), corrupt = difference(model(prompts.corrupt));
  const int64_t length = prompts.clean.size(1);
  std::vector<double> restored;
  for (const std::string& point : points)
    for (int64_t at = 0; at < length; ++at) {
      const auto patch = [&, cache = &cache](const Tensor& x, const std::string& name) {
        const Tensor changed = x.clone();
        changed.select(1, at).copy_((*cache)[name].select(1, at));
        return changed;
      };
      const double patched = difference(nn::run_with_hooks(model, prompts.corrupt, {{point, patch}}));
      restored.push_back((patched - corrupt) / (clean - corrupt));
    }
  return etude::tensor(restored, etude::kDouble).view({static_cast<int64_t>(points.size()), length});
}

}  // namespace examples
