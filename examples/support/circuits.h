#pragma once

#include <etude/etude.h>

#include <string>
#include <utility>
#include <vector>

// Finds induction heads, which copy the token after the last occurrence (Elhage et al. 2021; Olsson et al. 2022).
namespace examples {

/// Sequences in which words are repeated.
struct Repeated {
  etude::Tensor ids;     // int64 [count, length]
  etude::Tensor next;    // int64 [count, length]: the next ids, -100 where they cannot be predicted yet
  etude::Tensor period;  // int64 [count, 1]: the number of words after which everything repeats
};

/// Repeats `period` different words in each sequence. period: int64 [count, 1].
Repeated repeat_words(int64_t vocabulary, int64_t length, const etude::Tensor& period);

/// An attention head: its layer, and its index in the layer.
using Head = std::pair<int64_t, int64_t>;
/// "1.2": head 2 of layer 1.
std::string name_of(const Head& head);

/// The mean attention of each head to the token before (previous), and to the token after the last occurrence of the
/// current token (induction): float64 [layers, heads].
struct HeadScores {
  etude::Tensor previous, induction;
};
HeadScores score_heads(etude::nn::GPT& model, const Repeated& some);

/// The heads with a score above a bound, highest first; if there are none, the head with the highest score.
std::vector<Head> heads_above(const etude::Tensor& scores, double bound);

/// The loss of the predictable words if the outputs of these heads are replaced by zeros.
double loss_without(etude::nn::GPT& model, const Repeated& some, const std::vector<Head>& heads);

/// The model's predictions if it ended after 0, 1, ... of its blocks: the loss of the predictable words, and the probability
/// of the right word (nostalgebraist 2020, "interpreting GPT: the logit lens").
struct Lens {
  std::vector<double> loss, probability;
};
Lens read_early(etude::nn::GPT& model, const Repeated& some);

/// Prompts that differ in one word, and the answers to both: ids int64 [count, length], answers int64 [count].
struct Prompts {
  etude::Tensor clean, corrupt, clean_answer, corrupt_answer;
};
/// `period` words, then the first `again` of them once more; the answer is the word that came after the last of these. The
/// corrupt prompt has another word there.
Prompts pair_prompts(int64_t count, int64_t vocabulary, int64_t period, int64_t again);

/// How far the clean answer's logit is above the corrupt answer's when a corrupt run gets activations of a clean run
/// (Meng et al. 2022), at one point and one position at a time: 1 as in the clean run, 0 as in the corrupt run.
/// float64 [points, length].
etude::Tensor patch_positions(etude::nn::GPT& model, const Prompts& prompts,
                              const std::vector<std::string>& points);

}  // namespace examples
