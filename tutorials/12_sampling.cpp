/// # Sampling
///
/// - You will be able to: turn the numbers of a model into text in five ways; say what a
///   temperature, top k, top p and a penalty do to a choice; say what a cache saves, and what
///   beams find
/// - You need: [training a GPT](11_training_a_gpt.cpp), the softmax of
///   [attention](08_attention.cpp)
/// - Minutes: 50
/// - Result: told
///
/// A language model gives a number to every token that may come next, and there it stops. What to
/// do with these numbers is a decision of its own: take the best, draw one, draw one among the
/// better ones, or follow several at once. The same model is dull with one decision, raving with
/// another and pleasant with a third.
///
/// ```diagram From the words so far to the next one
/// told: the dog saw
/// model: (model)
/// logits: logits [1, 5]
/// penalty: (penalty) [1, 5]
/// heat: (by temperature) [1, 5]
/// filter: (top k, top p) [1, 5]
/// p: (softmax, draw)
/// next: itself
/// told -> model -> logits -> penalty -> heat -> filter -> p -> next
/// told -> penalty
/// ```
///
/// First come these decisions on five words with readable numbers. Then they are made on a small
/// table that has learned doggerel by counting, to see what they do to a text. In the end
/// `nn::generate` does it all with a [GPT](11_training_a_gpt.cpp) of the kind of GPT-2 [4], and
/// keeps what need not be computed twice. All of it can be tried on a GPT that [learns in a
/// page](../docs/live/train.cpp).

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% filters | Three filters
/// The numbers that a model gives to tokens are called *logits*. Three filters change them before
/// a token is chosen, one row per sequence. In Etude these are `nn::keep_top_k`, `nn::keep_top_p`
/// and `nn::penalize_repetition`; in PyTorch they are written like this:
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// def keep_top_k(logits, k):
///     least = logits.topk(k).values[:, -1:]
///     return logits.masked_fill(logits < least, -math.inf)
///
/// def keep_top_p(logits, p):
///     ordered, order = logits.sort(descending=True)
///     shares = torch.softmax(ordered, dim=-1)
///     before = shares.cumsum(dim=-1) - shares  # of better ones
///     drop = torch.zeros_like(logits, dtype=torch.bool)
///     drop = drop.scatter(-1, order, before >= p)
///     return logits.masked_fill(drop, -math.inf)
///
/// def penalize_repetition(logits, ids, penalty):
///     seen = logits.gather(-1, ids)
///     changed = torch.where(
///         seen > 0, seen / penalty, seen * penalty)
///     return logits.scatter(-1, ids, changed)
/// ```
///
/// ```python hidden
/// class Conv1D(nn.Module):
///     def __init__(self, inputs, outputs):
///         super().__init__()
///         self.weight = nn.Parameter(torch.empty(inputs, outputs))
///         self.bias = nn.Parameter(torch.zeros(outputs))
///
///     def forward(self, x):
///         return x @ self.weight + self.bias
///
/// class Attention(nn.Module):
///     def __init__(self, width, heads):
///         super().__init__()
///         self.heads = heads
///         self.c_attn = Conv1D(width, 3 * width)
///         self.c_proj = Conv1D(width, width)
///
///     def forward(self, x):
///         n, t, width = x.shape
///         q, k, v = (part.view(n, t, self.heads, -1).transpose(1, 2)
///                    for part in self.c_attn(x).chunk(3, dim=-1))
///         ahead = torch.ones(t, t, dtype=torch.bool).triu(1)
///         scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
///         scores = scores.masked_fill(ahead, -math.inf)
///         y = torch.softmax(scores, dim=-1) @ v
///         return self.c_proj(y.transpose(1, 2).reshape(n, t, width))
///
/// class MLP(nn.Module):
///     def __init__(self, width):
///         super().__init__()
///         self.c_fc = Conv1D(width, 4 * width)
///         self.c_proj = Conv1D(4 * width, width)
///
///     def forward(self, x):
///         x = F.gelu(self.c_fc(x), approximate="tanh")
///         return self.c_proj(x)
///
/// class Block(nn.Module):
///     def __init__(self, width, heads):
///         super().__init__()
///         self.ln_1 = nn.LayerNorm(width)
///         self.attn = Attention(width, heads)
///         self.ln_2 = nn.LayerNorm(width)
///         self.mlp = MLP(width)
///
///     def forward(self, x):
///         x = x + self.attn(self.ln_1(x))
///         return x + self.mlp(self.ln_2(x))
///
/// class GPT(nn.Module):
///     def __init__(self, vocab_size, context, width, layers, heads):
///         super().__init__()
///         self.wte = nn.Embedding(vocab_size, width)
///         self.wpe = nn.Embedding(context, width)
///         self.h = nn.ModuleList(
///             Block(width, heads) for _ in range(layers))
///         self.ln_f = nn.LayerNorm(width)
///
///     def reset(self):
///         nn.init.normal_(self.wte.weight, 0, 0.02)
///         nn.init.normal_(self.wpe.weight, 0, 0.02)
///         into_sum = 0.02 / math.sqrt(2 * len(self.h))
///         for block in self.h:
///             nn.init.normal_(block.attn.c_attn.weight, 0, 0.02)
///             nn.init.normal_(block.attn.c_proj.weight, 0, into_sum)
///             nn.init.normal_(block.mlp.c_fc.weight, 0, 0.02)
///             nn.init.normal_(block.mlp.c_proj.weight, 0, into_sum)
///
///     def forward(self, ids):
///         x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
///         for block in self.h:
///             x = block(x)
///         return self.ln_f(x) @ self.wte.weight.T
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "12_sampling");
  cell("filters", "Three filters");

  //%% logits | Five words
  cell("logits", "Five words");
  /// *The dog saw ...* Here are five words that may come next, with logits as a model may give
  /// them. The softmax turns logits into probabilities. Only the differences between logits
  /// count: they have no zero.
  ///
  /// ```python
  /// words = ["itself", "light", "rain", "me", "seven"]
  /// logits = torch.tensor([[3.0, 2.5, 1.5, 1.0, -2.0]])
  /// p = torch.softmax(logits, dim=-1)
  /// print(p)
  /// print(torch.allclose(p, torch.softmax(logits + 7, dim=-1)))
  /// print(words[logits.argmax()])
  /// ```
  const std::vector<std::string> words{"itself", "light", "rain", "me", "seven"};
  const Tensor logits = etude::tensor({{3.0f, 2.5f, 1.5f, 1.0f, -2.0f}});
  const Tensor p = etude::softmax(logits, -1);
  print(p);
  print(etude::allclose(p, etude::softmax(logits + 7, -1)));
  print(words[static_cast<size_t>(logits.argmax().item<int64_t>())]);

  //%% drawing | Drawing
  cell("drawing", "Drawing");
  /// *Greedy* takes the largest: always *itself*. Drawing takes each word as often as its
  /// probability says. A draw by hand: add the probabilities up, throw a dart at the numbers
  /// from 0 to 1, and see in which word's part it sticks. `multinomial` does it in its own way,
  /// with the same result: of 10,000 draws each word gets its share.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// upper = p.cumsum(dim=-1)
  /// darts = torch.rand(6, 1)
  /// print(upper)
  /// print([words[i] for i in (darts > upper).sum(dim=1)])
  /// draws = torch.multinomial(p[0], 10000, replacement=True)
  /// shares = torch.zeros(5).index_add(
  ///     0, draws, torch.ones(10000)) / 10000
  /// print(shares)
  /// ```
  etude::manual_seed(0);
  const Tensor upper = p.cumsum(-1);
  const Tensor darts = etude::rand({6, 1});
  print(upper);
  std::vector<std::string> hit;
  const Tensor places = (darts > upper).sum(1);
  for (int64_t i = 0; i < 6; ++i)
    hit.push_back(words[static_cast<size_t>(places[i].item<int64_t>())]);
  print(python_list(hit));
  const Tensor draws = etude::multinomial(p[0], 10000, /*replacement=*/true);
  print(etude::zeros({5}).index_add(0, draws, etude::ones({10000})) / 10000);

  //%% temperature | Temperature
  cell("temperature", "Temperature");
  /// The logits are divided by a temperature $T$ first:
  ///
  /// $$p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}} \qquad \frac{p_i}{p_j} = e^{(z_i - z_j)/T}$$
  ///
  /// At a temperature below 1 all ratios grow, and at 0 only the best word is left, which is
  /// greedy. Above 1 the ratios shrink, and far above 1 all words are equally probable. The
  /// *entropy*, last on each line, says how undecided the draw is, in nats: 0 for one word,
  /// $\ln 5 = 1.609$ for five equally probable ones.
  ///
  /// ```python
  /// for t in (0.1, 0.5, 1.0, 2.0, 100.0):
  ///     q = torch.softmax(logits / t, dim=-1)
  ///     entropy = -(q * q.clamp(min=1e-30).log()).sum()
  ///     print(t, " ".join(f"{v:.3f}" for v in q[0]), f"{entropy:.3f}")
  /// ```
  const auto row_of = [](const Tensor& row) {
    std::string text;
    for (int64_t i = 0; i < row.size(0); ++i)
      text += (i > 0 ? " " : "") + etude::format(row[i], ".3f");
    return text;
  };
  for (const double t : {0.1, 0.5, 1.0, 2.0, 100.0}) {
    const Tensor q = etude::softmax(logits / t, -1);
    const Tensor entropy = -(q * q.clamp(1e-30).log()).sum();
    print(t, row_of(q[0]), etude::format(entropy, ".3f"));
  }

  //%% temperature_plot | From one to all
  cell("temperature_plot", "From one to all");
  /// ![Probabilities of five words over the temperature: at the left *itself* alone, further to
  /// the right they come together](temperature.svg)
  LinePlot plot;
  plot.title = "Probabilities of five words over the temperature";
  plot.description = "Near 0 the word itself has all. At 4 the five lie between 0.08 and 0.29.";
  plot.x_label = "temperature";
  plot.y_label = "probability";
  for (const std::string& word : words) plot.series.push_back({word, {}});
  for (int i = 1; i <= 80; ++i) {
    plot.x.push_back(i * 0.05);
    const std::vector<double> q = values_of(etude::softmax(logits / (i * 0.05), -1));
    for (size_t s = 0; s < 5; ++s) plot.series[s].y.push_back(q[s]);
  }
  figure("temperature.svg", draw(plot));

  //%% top_k | Only the best k
  cell("top_k", "Only the best k");
  /// A single bad token spoils a text, and there are many of them: of 50,000 tokens with a
  /// thousandth of a per cent each, half of all draws would be nonsense. *Top k* [2] keeps the
  /// $k$ largest logits and sets the others to $-\infty$. The softmax scales up what is left.
  /// Equal logits at the limit all stay.
  ///
  /// ```picture best_words Five words, and the best of them
  /// The probabilities of five words as bars. With top k, all bars but those of the best words are gone,
  /// and these are longer, so that they add up to one again.
  /// ```
  ///
  /// ```python
  /// print(keep_top_k(logits, 2))
  /// print(torch.softmax(keep_top_k(logits, 2), dim=-1))
  /// print(keep_top_k(torch.tensor([[1.0, 2.0, 1.0, 0.0]]), 2))
  /// ```
  const int64_t top_k = parameter("top_k", 2, 1, 4);
  print(nn::keep_top_k(logits, top_k));
  print(etude::softmax(nn::keep_top_k(logits, top_k), -1));
  print(nn::keep_top_k(etude::tensor({{1.0f, 2.0f, 1.0f, 0.0f}}), top_k));

  //%% top_p | Only the best that make up p
  cell("top_p", "Only the best that make up p");
  /// But $k$ words are too few where anything fits and too many where one word is certain. *Top
  /// p* [1] keeps the smallest number of most probable words that together have the probability
  /// $p$. For $p = 0.8$ that is two of the five words here, and one where the model is sure.
  ///
  /// The word that passes the limit is kept too, so that there is always one.
  ///
  /// ```python
  /// sure = torch.tensor([[6.0, 1.0, 1.0, 1.0, 1.0]])
  /// print(keep_top_p(logits, 0.8))
  /// print(keep_top_p(sure, 0.8))
  /// print(keep_top_p(logits, 1e-9))
  /// ```
  const Tensor sure = etude::tensor({{6.0f, 1.0f, 1.0f, 1.0f, 1.0f}});
  const double top_p = parameter("top_p", 0.8, 0.01, 1.0);
  print(nn::keep_top_p(logits, top_p));
  print(nn::keep_top_p(sure, top_p));
  print(nn::keep_top_p(logits, 1e-9));

  //%% order | The order of the filters
  cell("order", "The order of the filters");
  /// Temperature does not change which $k$ are the best, so it goes before or after top k. For
  /// top p it matters: a high temperature spreads the probabilities, and more words are needed
  /// for $p$. Temperature first, then the filters, is the usual order and that of
  /// `nn::generate`.
  ///
  /// ```python
  /// print(keep_top_p(logits / 2, 0.8) * 2)
  /// print(keep_top_p(logits, 0.8))
  /// ```
  print(nn::keep_top_p(logits / 2, 0.8) * 2);
  print(nn::keep_top_p(logits, 0.8));

  //%% penalty | Against repetition
  cell("penalty", "Against repetition");
  /// Tokens that occurred already are made less probable: a positive logit is divided by the
  /// penalty, a negative one multiplied by it. Here *itself* and *seven* have occurred. This is a
  /// rule of thumb and no more: logits have no zero, and yet it treats their sign as if it meant
  /// something. It comes from CTRL [3].
  ///
  /// ```python
  /// seen = torch.tensor([[0, 4, 0]])
  /// print(penalize_repetition(logits, seen, 1.5))
  /// ```
  const Tensor seen = etude::tensor({{0, 4, 0}});
  print(nn::penalize_repetition(logits, seen, parameter("penalty", 1.5, 1.0, 3.0)));

  //%% table | A model made by counting
  cell("table", "A model made by counting");
  /// Now to a text. Here is a small model that needs no training: count which character follows
  /// each pair of characters in four couplets of the lesson before. The logarithms of the counts
  /// are its logits; what never occurred has $-\infty$.
  ///
  /// The counts after "th", "e " and "wa":
  ///
  /// ```python
  /// text = ("the day was long, the road was steep, "
  ///         "the wind was cold, the snow was deep.\n"
  ///         "the door was low, the lamp was dim, "
  ///         "the cup was filled up to the brim.\n"
  ///         "the soup was hot, the bread was brown, "
  ///         "the cat came in and sat right down.\n"
  ///         "the fire was red, the night was black, "
  ///         "the road went on, the wind came back.\n")
  /// letters = sorted(set(text))
  /// V = len(letters)
  /// ids = torch.tensor([letters.index(c) for c in text])
  /// counts = torch.zeros(V, V, V)
  /// for a, b, c in zip(ids[:-2], ids[1:-1], ids[2:]):
  ///     counts[a, b, c] += 1
  /// for pair in ("th", "e ", "wa"):
  ///     a, b = (letters.index(c) for c in pair)
  ///     follow = counts[a, b]
  ///     print(pair, {letters[i]: int(follow[i])
  ///                  for i in follow.nonzero()[:, 0]})
  /// table = counts.log()
  /// ```
  const std::string text =
      "the day was long, the road was steep, "
      "the wind was cold, the snow was deep.\n"
      "the door was low, the lamp was dim, "
      "the cup was filled up to the brim.\n"
      "the soup was hot, the bread was brown, "
      "the cat came in and sat right down.\n"
      "the fire was red, the night was black, "
      "the road went on, the wind came back.\n";
  const std::set<char> sorted(text.begin(), text.end());
  const std::string letters(sorted.begin(), sorted.end());
  const auto id_of = [&](char c) { return static_cast<int64_t>(letters.find(c)); };
  const auto V = static_cast<int64_t>(letters.size());
  Tensor counts = etude::zeros({V, V, V});
  for (size_t i = 0; i + 2 < text.size(); ++i)
    counts.index({id_of(text[i]), id_of(text[i + 1]), id_of(text[i + 2])}) += 1;
  for (const std::string pair : {"th", "e ", "wa"}) {
    const Tensor follow = counts.index({id_of(pair[0]), id_of(pair[1])});
    std::string found;
    for (int64_t i = 0; i < V; ++i) {
      const auto times = follow[i].item<float>();
      if (times > 0)
        found += std::string(found.empty() ? "'" : ", '") + letters[static_cast<size_t>(i)] +
                 "': " + std::to_string(static_cast<int>(times));
    }
    print(pair, "{" + found + "}");
  }
  const Tensor table = counts.log();

  //%% told | Cold, warm and hot
  cell("told", "Cold, warm and hot");
  /// Each text begins with "th" and goes on for 70 characters; a slash stands for the end of a
  /// line. With greedy choices the table goes round in a circle, since the same pair always leads
  /// to the same character. At a temperature of 0.3 it gets out of the circle; at 1 it draws each
  /// character as often as the text has it.
  ///
  /// For a high temperature the table first gets a hundredth of a count for everything, as a
  /// real model leaves a little for everything. At 1.5 that little becomes a lot, and the words
  /// fall apart. Top p takes it away again, and most are words once more.
  ///
  /// ```python
  /// def tell(table, length, choose):
  ///     told = [letters.index(c) for c in "th"]
  ///     for _ in range(length):
  ///         row = table[told[-2], told[-1]].unsqueeze(0)
  ///         told.append(choose(row, told))
  ///     return "".join(letters[i] for i in told).replace("\n", "/")
  ///
  /// def drawn(t, limit=1.0):
  ///     def choose(logits, told):
  ///         kept = keep_top_p(logits / t, limit)
  ///         p = torch.softmax(kept, dim=-1)
  ///         return torch.multinomial(p, 1).item()
  ///     return choose
  ///
  /// torch.manual_seed(1)
  /// smooth = (counts + 0.01).log()
  /// print(tell(table, 70, lambda row, told: row.argmax().item()))
  /// print(tell(table, 70, drawn(0.3)))
  /// print(tell(table, 70, drawn(1.0)))
  /// print(tell(smooth, 70, drawn(1.5)))
  /// print(tell(smooth, 70, drawn(1.5, 0.5)))
  /// ```
  using Choose = std::function<int64_t(const Tensor&, const std::vector<int64_t>&)>;
  const auto tell = [&](const Tensor& from, int length, const Choose& choose) {
    std::vector<int64_t> told{id_of('t'), id_of('h')};
    for (int i = 0; i < length; ++i)
      told.push_back(
          choose(from.index({told[told.size() - 2], told.back()}).unsqueeze(0), told));
    std::string all;
    for (const int64_t i : told) all += letters[static_cast<size_t>(i)];
    std::replace(all.begin(), all.end(), '\n', '/');
    return all;
  };
  const auto drawn = [&](double t, double p_kept) -> Choose {
    return [t, p_kept](const Tensor& row, const std::vector<int64_t>&) {
      const Tensor kept = nn::keep_top_p(row / t, p_kept);
      return etude::multinomial(etude::softmax(kept, -1), 1).item<int64_t>();
    };
  };
  const Choose greedy = [](const Tensor& row, const std::vector<int64_t>&) {
    return row.argmax().item<int64_t>();
  };
  etude::manual_seed(1);
  const Tensor smooth = (counts + 0.01).log();
  print(tell(table, 70, greedy));
  print(tell(table, 70, drawn(0.3, 1.0)));
  print(tell(table, 70, drawn(1.0, 1.0)));
  const double hot = parameter("temperature", 1.5, 0.1, 10.0);
  print(tell(smooth, 70, drawn(hot, 1.0)));
  print(tell(smooth, 70, drawn(hot, 0.5)));

  //%% circle | Out of the circle
  cell("circle", "Out of the circle");
  /// Here the choice is greedy again, with a penalty on the last twenty characters. The circle
  /// becomes wider but is still a circle: the choice depends on the last twenty characters now,
  /// and comes back to them. A penalty is for words. Characters have to be repeated, and where
  /// each logit is the logarithm of a count, the sign that it goes by says whether this
  /// character followed the pair at all.
  ///
  /// ```python
  /// def penalized(logits, told):
  ///     last = torch.tensor([told[-20:]])
  ///     return penalize_repetition(logits, last, 2.0).argmax().item()
  ///
  /// print(tell(smooth, 70, penalized))
  /// ```
  const Choose penalized = [](const Tensor& row, const std::vector<int64_t>& told) {
    const size_t first = told.size() > 20 ? told.size() - 20 : 0;
    const std::vector<int64_t> last(told.begin() + static_cast<std::ptrdiff_t>(first),
                                    told.end());
    const Tensor recent = etude::tensor(last, etude::kLong).unsqueeze(0);
    return nn::penalize_repetition(row, recent, 2.0).argmax().item<int64_t>();
  };
  print(tell(smooth, 70, penalized));

  //%% generate | A GPT, token by token
  cell("generate", "A GPT, token by token");
  /// Here is a GPT of 12 tokens that has learned nothing, with weights fifteen times as large as
  /// usual, so that it has opinions. `nn::generate` continues each sequence of a batch: greedily
  /// by default, or with `sample(true)` and the filters. With the same seed it draws what PyTorch
  /// draws.
  ///
  /// ```python
  /// model = GPT(12, 16, 16, 2, 2)
  /// torch.manual_seed(10)
  /// model.reset()
  /// with torch.no_grad():
  ///     for weight in model.parameters():
  ///         if weight.dim() > 1:
  ///             weight *= 15
  ///
  /// @torch.no_grad()
  /// def generate(ids, count, choose):
  ///     for _ in range(count):
  ///         token = choose(model(ids)[:, -1], ids)
  ///         ids = torch.cat([ids, token], dim=1)
  ///     return ids
  ///
  /// def greedy(logits, ids):
  ///     return logits.argmax(-1, keepdim=True)
  ///
  /// def sampled(logits, ids):
  ///     logits = penalize_repetition(logits, ids, 1.2) / 0.8
  ///     kept = keep_top_p(keep_top_k(logits, 8), 0.9)
  ///     return torch.multinomial(torch.softmax(kept, dim=-1), 1)
  ///
  /// prompt = torch.tensor([[1, 2, 3], [7, 5, 7]])
  /// print(generate(prompt, 10, greedy))
  /// torch.manual_seed(0)
  /// print(generate(prompt, 10, sampled))
  /// ```
  nn::GPT model(nn::GPTOptions(12).context(16).d_model(16).layers(2).heads(2).dropout(0.0));
  etude::manual_seed(10);
  model->reset_parameters();
  {
    const etude::NoGradGuard no_grad;
    for (Tensor& weight : model->parameters()) {
      if (weight.dim() > 1) weight *= 15;
    }
  }
  const Tensor prompt = etude::tensor({{1, 2, 3}, {7, 5, 7}});
  print(nn::generate(model, prompt, nn::GenerateOptions(10)));
  const auto sampled = nn::GenerateOptions(10)
                           .sample(true)
                           .repetition_penalty(1.2)
                           .temperature(0.8)
                           .top_k(8)
                           .top_p(0.9);
  etude::manual_seed(0);
  print(nn::generate(model, prompt, sampled));

  //%% cache | What need not be computed twice
  cell("cache", "What need not be computed twice");
  /// Each new token asks for one more row of logits, and the simple loop sends the whole sequence
  /// through the model for it. But no token sees those after it: keys and values of the old ones
  /// cannot change. Kept in a *cache*, the *KV cache*, they let each token go through the model
  /// once.
  ///
  /// The output shows how many tokens go through the model for a prompt of 3 and 100 new tokens,
  /// without a cache and with one. The answers are the same.
  ///
  /// Change `new_tokens`: with a cache the number grows in step with it, without one nearly with its
  /// square.
  ///
  /// ```python
  /// print(sum(range(3, 103)), 3 + 99)
  /// once, twice = (generate(prompt, 10, greedy) for _ in range(2))
  /// print(torch.equal(once, twice))
  /// ```
  const int64_t new_tokens = parameter("new_tokens", 100, 1, 1000);
  int64_t without = 0;
  for (int64_t length = 3; length < 3 + new_tokens; ++length) without += length;
  print(without, 3 + new_tokens - 1);
  const Tensor cached = nn::generate(model, prompt, nn::GenerateOptions(10));
  const Tensor again = nn::generate(model, prompt, nn::GenerateOptions(10).use_cache(false));
  print(etude::equal(cached, again));

  //%% inside | Inside the cache
  cell("inside", "Inside the cache");
  /// Here it is done by hand: first the prompt goes in, then one token at a time. The logits of
  /// each token are those of the whole sequence at its place. The output shows the logits of the
  /// last token, computed both ways.
  ///
  /// ```picture filling_cache The cache fills, row by row
  /// Three steps stand side by side. The prompt fills the first rows of K and V at once; then each token
  /// adds one row to both, and asks with one query only, while the rows before it are kept.
  /// ```
  ///
  /// ```python
  /// sequence = torch.tensor([[1, 2, 3, 4, 5]])
  /// with torch.no_grad():
  ///     print(model(sequence)[0, -1])
  /// ```
  const Tensor sequence = etude::tensor({{1, 2, 3, 4, 5}});
  {
    const etude::NoGradGuard no_grad;
    const Tensor whole = model(sequence);
    nn::KeyValueCache cache = model->make_cache(/*batch=*/1, /*capacity=*/5);
    expect_close(model->forward(sequence.narrow(1, 0, 3), &cache), whole.narrow(1, 0, 3), 1e-4);
    expect_close(model->forward(sequence.narrow(1, 3, 1), &cache), whole.narrow(1, 3, 1), 1e-4);
    const Tensor last = model->forward(sequence.narrow(1, 4, 1), &cache);
    expect_close(last, whole.narrow(1, 4, 1), 1e-4);
    print(last[0][0]);
  }

  //%% streaming | One token at a time
  cell("streaming", "One token at a time");
  /// A reader does not want to wait for the end. `on_token` is called with each token as soon as
  /// it is known, and ends the generation by returning false: here at the first token that
  /// occurred before. `stop_tokens` end it by themselves.
  ///
  /// ```python
  /// told = prompt[:1]
  /// while True:
  ///     token = generate(told, 1, greedy)[:, -1:]
  ///     print("token", token.item())
  ///     again = token.item() in told[0, 3:]
  ///     told = torch.cat([told, token], dim=1)
  ///     if again:
  ///         break
  /// print(told)
  /// ```
  std::set<int64_t> occurred;
  const auto told = nn::generate(model, prompt.narrow(0, 0, 1),
                                 nn::GenerateOptions(13).on_token([&](const Tensor& token) {
                                   print("token", token.item<int64_t>());
                                   return occurred.insert(token.item<int64_t>()).second;
                                 }));
  print(told);

  //%% garden_path | Why greedy is not the best
  cell("garden_path", "Why greedy is not the best");
  /// The most probable *token* at each place does not make the most probable *sequence*. Here are
  /// two steps with two tokens each: *a* is the better beginning, and everything after it is
  /// mediocre. *b* leads to something nearly certain.
  ///
  /// ```picture garden_path The better step and the better sequence
  /// A tree of two steps. The greedy path takes the more probable first step and then the more probable
  /// second one. The best sequence begins with the less probable step.
  /// ```
  ///
  /// ```python
  /// begin = {"a": 0.6, "b": 0.4}
  /// then = {"a": {"x": 0.55, "y": 0.45}, "b": {"x": 0.9, "y": 0.1}}
  /// for first in "ab":
  ///     for second in "xy":
  ///         both = begin[first] * then[first][second]
  ///         print(first + second, f"{both:.2f}")
  /// ```
  const double begin[] = {0.6, 0.4}, then[][2] = {{0.55, 0.45}, {0.9, 0.1}};
  for (const int first : {0, 1}) {
    for (const int second : {0, 1}) {
      const std::string name{"ab"[first], "xy"[second]};
      print(name, etude::format(etude::tensor(begin[first] * then[first][second]), ".2f"));
    }
  }

  //%% beams | Beams
  cell("beams", "Beams");
  /// Not all sequences can be tried, but a few can be followed at once. This is *beam search*: at
  /// each step every *beam* is continued with its best tokens, and of all these the best few are
  /// kept. One beam is greedy. The output shows, for the second prompt, the sequence and the sum
  /// of the logarithms of its probabilities: more beams find more probable sequences. For
  /// translation that is wanted; for a story, the most probable text is a dull one.
  ///
  /// ```python
  /// @torch.no_grad()
  /// def by_beams(ids, count, width):
  ///     beams = [(0.0, ids)]
  ///     for _ in range(count):
  ///         longer = []
  ///         for score, one in beams:
  ///             logp = torch.log_softmax(model(one)[0, -1], dim=-1)
  ///             for value, token in zip(*logp.topk(width)):
  ///                 more = torch.cat([one, token.view(1, 1)], dim=1)
  ///                 longer.append((score + value.item(), more))
  ///         beams = sorted(longer, key=lambda beam: -beam[0])[:width]
  ///     return beams[0]
  ///
  /// for width in (1, 2, 8):
  ///     score, best = by_beams(prompt[1:], 8, width)
  ///     print(width, best.tolist(), f"{score:.3f}")
  /// ```
  const auto log_probability = [&](const Tensor& ids) {
    const etude::NoGradGuard no_grad;
    const Tensor all = etude::log_softmax(model(ids.narrow(1, 0, ids.size(1) - 1)), -1);
    const Tensor of_each = all.gather(-1, ids.narrow(1, 1, ids.size(1) - 1).unsqueeze(-1));
    return of_each.index({0, Slice(2, None)}).sum();
  };
  for (const int64_t width : {1, 2, 8}) {
    const Tensor best =
        nn::generate(model, prompt.narrow(0, 1, 1), nn::GenerateOptions(8).beams(width));
    print(width, etude::tolist(best), etude::format(log_probability(best), ".3f"));
  }

  //%% exercise1 | How many words top p keeps
  cell("exercise1", "How many words top p keeps");
  /// Top p with 0.9 keeps the best words until their shares add up to 0.9, and always the first.
  /// Count by hand, from the probabilities `p` of the five words, how many that are, and store
  /// the number in `kept`.
  {
    int64_t kept = 0;
    //%% answer
    /// The probabilities of the better words, added up before each word, are 0, 0.51, 0.81, 0.93
    /// and 0.997: three of them are below 0.9.
    ///
    /// ```python
    /// before = p.cumsum(-1) - p
    /// kept = (before < 0.9).sum().item()
    /// print(kept)
    /// ```
    kept = ((p.cumsum(-1) - p) < 0.9).sum().item<int64_t>();
    //%% end answer
    const Tensor left = nn::keep_top_p(logits, 0.9) > -1e30;
    expect(left.sum().item<int64_t>() == kept, "as many words are left as keep_top_p leaves");
    print(kept);
  }

  //%% exercise2 | Greedy, as a temperature
  cell("exercise2", "Greedy, as a temperature");
  /// No temperature is exactly greedy, but a low one has the same effect. Find a temperature at
  /// which the best of the five words has a probability of at least 0.999, and the softmax is
  /// still free of `nan`. Store the probabilities in `cold`.
  {
    Tensor cold;
    //%% answer
    /// The best two logits are 0.5 apart. At 0.05 they are 10 apart, and $e^{-10}$ is 0.00005.
    ///
    /// ```python
    /// cold = torch.softmax(logits / 0.05, dim=-1)
    /// print(cold.argmax().item(), (cold.max() >= 0.999).item())
    /// ```
    cold = etude::softmax(logits / 0.05, -1);
    //%% end answer
    expect(cold.defined() && cold.sizes() == logits.sizes(), "cold has a number for each word");
    expect(etude::allclose(cold.sum(), etude::ones({})), "the numbers of cold add up to one");
    print(cold.argmax().item<int64_t>(), cold.max().item<float>() >= 0.999f);
  }

  //%% exercise3 | Two beams on the garden path
  cell("exercise3", "Two beams on the garden path");
  /// Follow both beginnings of the garden path: fill `score` with the logarithms of the
  /// probabilities of the four sequences, a row per beginning (*a*, *b*) and a column per end
  /// (*x*, *y*). Add logarithms where you would multiply probabilities.
  {
    const Tensor first = etude::tensor({0.6f, 0.4f}).log();                     // [2]
    const Tensor second = etude::tensor({{0.55f, 0.45f}, {0.9f, 0.1f}}).log();  // [2, 2]
    Tensor score;
    //%% answer
    /// The beginning's logarithm goes to both ends of its row: a column beside a matrix.
    ///
    /// ```python
    /// first = torch.tensor([0.6, 0.4]).log()
    /// second = torch.tensor([[0.55, 0.45], [0.9, 0.1]]).log()
    /// score = first.unsqueeze(1) + second
    /// print(score)
    /// print("ab"[score.max(dim=1).values.argmax()])
    /// ```
    score = first.unsqueeze(1) + second;
    //%% end answer
    expect(score.defined() && score.dim() == 2, "score is a matrix");
    expect(etude::allclose(score.exp().sum(), etude::ones({})),
           "the probabilities of the four sequences add up to one");
    print(score);
    print(std::string(1, "ab"[score.amax(1).argmax().item<int64_t>()]));
  }

  //%% summary
  /// 1. A model gives logits; what is made of them is another decision, made outside of it.
  /// 2. A temperature divides the logits: below 1 the best gains, above 1 all become alike.
  /// 3. Top k keeps a number of words, top p a share of probability; both forbid the rest.
  /// 4. Keys and values of what was read need not be computed twice: that is the cache.
  /// 5. The most probable token at each place does not make the most probable text: beams look
  ///    further.
  //%% references
  /// 1. A. Holtzman et al., [The Curious Case of Neural Text
  ///    Degeneration](https://arxiv.org/abs/1904.09751), 2019, section 3.1: top p
  /// 2. A. Fan et al., [Hierarchical Neural Story Generation](https://arxiv.org/abs/1805.04833),
  ///    2018, section 5: top k
  /// 3. N. S. Keskar et al., [CTRL: A Conditional Transformer Language
  ///    Model](https://arxiv.org/abs/1909.05858), 2019, section 4.1: the penalty
  /// 4. A. Radford et al., [Language Models are Unsupervised Multitask
  ///    Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf),
  ///    2019: GPT-2
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
