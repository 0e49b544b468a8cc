#pragma once

#include <etude/etude.h>

#include <string>
#include <utility>
#include <vector>

// Looking for induction heads: who copies what came after the last time (Elhage et al. 2021; Olsson et al. 2022).
namespace examples {

/// Sequences in which some words come again and again.
struct Repeated {
  etude::Tensor ids;     // int64 [count, length]
  etude::Tensor next;    // int64 [count, length]: the next ids, -100 where they can't be known yet
  etude::Tensor period;  // int64 [count, 1]: after how many words everything comes again
};

/// `period` different words for each sequence, over and over again. period: int64 [count, 1].
Repeated repeat_words(int64_t vocabulary, int64_t length, const etude::Tensor& period);

/// A head of attention: its layer, and its number there.
using Head = std::pair<int64_t, int64_t>;
/// "1.2": head 2 of layer 1.
std::string name_of(const Head& head);

/// How much of their attention heads give, on average, to the token before (previous), and to the one that came after
/// the last occurrence of the token (induction): float64 [layers, heads].
struct HeadScores {
  etude::Tensor previous, induction;
};
HeadScores score_heads(etude::nn::GPT& model, const Repeated& some);

/// The heads whose score is above a bound or, if there are none, the one with the highest; the highest first.
std::vector<Head> heads_above(const etude::Tensor& scores, double bound);

/// The loss of what can be known, with zeros in place of what these heads give.
double loss_without(etude::nn::GPT& model, const Repeated& some, const std::vector<Head>& heads);

/// What the model would say if it ended after 0, 1, ... of its blocks: the loss of what can be known, and the probability
/// of the right word (nostalgebraist 2020, "interpreting GPT: the logit lens").
struct Lens {
  std::vector<double> loss, probability;
};
Lens read_early(etude::nn::GPT& model, const Repeated& some);

/// Prompts that differ in one word, and the answers to both: ids int64 [count, length], answers int64 [count].
struct Prompts {
  etude::Tensor clean, corrupt, clean_answer, corrupt_answer;
};
/// `period` words, of which the first `again` come again; the answer is what came after the last of them. The corrupt prompt
/// has another word there.
Prompts pair_prompts(int64_t count, int64_t vocabulary, int64_t period, int64_t again);

/// By how much the clean answer's logit is above the corrupt one's when a corrupt run gets activations of a clean run
/// (Meng et al. 2022), one point and one position at a time: 1 for as in the clean run, 0 for as in the corrupt one.
/// float64 [points, length].
etude::Tensor patch_positions(etude::nn::GPT& model, const Prompts& prompts,
                              const std::vector<std::string>& points);

}  // namespace examples
