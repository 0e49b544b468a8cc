/// # Positions beyond sines
///
/// - You will be able to: derive learned, rotary, ALiBi and T5 positions and compute them by hand; say which of them hold on texts longer than those of the training
/// - You need: [attention](08_attention.cpp), [sines as positions](05_input_embedding.cpp)
/// - Minutes: 50
/// - Result: lengths_plot
///
/// Attention does not know which word comes first. The paper of the transformer adds sines to the
/// words [1], and that was not the last answer. A position can enter in three places: it is added
/// to the word, it turns queries and keys, or it is added to the scores. Each of the five kinds
/// here uses one of these places, and they differ most on texts that are longer than any text of
/// the training.
///
/// ```diagram Three places where a position can enter
/// x: words [4, 4]
/// add: (add sines or rows) [4, 4]
/// q: (x W_Q) [4, 4] | k: (x W_K) [4, 4]
/// tq: (turn: rotary) [4, 4] | tk: (turn: rotary) [4, 4]
/// s: (q k^T / 2) [4, 4]
/// bias: (add ALiBi or T5) [4, 4]
/// p: (softmax) [4, 4]
/// x -> add
/// add -> q -> tq -> s ; add -> k -> tk -> s
/// s -> bias -> p
/// ```
///
/// First each kind is applied to *the dog saw itself*, with numbers that can be checked by hand.
/// Then a small model learns with each of them to find the thing that was named last, in
/// sequences of 16 words, and is asked about sequences of up to 128.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% reader | A model for all kinds
/// The model has one layer of causal attention with four heads, between an embedding and a linear
/// layer. Where a position can enter, it calls `embed`, `turn` and `bias`. Each kind changes one
/// of the three; in C++ the kinds are those of the library, `nn::Positions`, and below each of
/// them is compared with what is computed by hand.
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// class Positions(nn.Module):
///     def embed(self, x):
///         return x
///
///     def turn(self, x):
///         return x
///
///     def bias(self, n):
///         return 0.0
///
/// class Reader(nn.Module):
///     def __init__(self, positions):
///         super().__init__()
///         self.positions = positions
///         self.words = nn.Embedding(16, 32)
///         self.attn = nn.Linear(32, 96)
///         self.proj = nn.Linear(32, 32)
///         self.head = nn.Linear(32, 16)
///
///     def forward(self, ids):
///         n = ids.shape[1]
///         x = self.positions.embed(self.words(ids))
///         q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2)
///                    for part in self.attn(x).chunk(3, dim=-1))
///         q, k = self.positions.turn(q), self.positions.turn(k)
///         scores = q @ k.transpose(-2, -1) / math.sqrt(8)
///         scores = scores + self.positions.bias(n)
///         ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
///         scores = scores.masked_fill(ahead, -math.inf)
///         y = torch.softmax(scores, dim=-1) @ v
///         return self.head(x + self.proj(y.transpose(1, 2).flatten(2)))
/// ```
#include <etude/etude.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

class ReaderImpl : public nn::Module {
 public:
  explicit ReaderImpl(std::shared_ptr<nn::Positions> positions_)
      : positions(std::move(positions_)),
        words(register_module("words", nn::Embedding(16, 32))),
        attn(register_module("attn", nn::Linear(32, 96))),
        proj(register_module("proj", nn::Linear(32, 32))),
        head(register_module("head", nn::Linear(32, 16))) {
    register_module<nn::Module>("positions", positions);
  }

  Tensor forward(const Tensor& ids) {
    const int64_t n = ids.size(1);
    const Tensor x = positions->embed(words(ids), 0);  // [batch, n, 32]
    std::vector<Tensor> qkv;
    for (const Tensor& part : attn(x).chunk(3, -1))
      qkv.push_back(part.unflatten(-1, {4, 8}).transpose(1, 2));  // [batch, heads, n, 8]
    const Tensor q = positions->turn(qkv[0], 0), k = positions->turn(qkv[1], 0);
    Tensor scores = etude::matmul(q, k.transpose(-2, -1)) / std::sqrt(8.0);
    const Tensor bias = positions->bias(n, n);
    if (bias.defined()) scores = scores + bias;
    const Tensor ahead = etude::ones({n, n}, etude::kBool).triu(1);
    scores = scores.masked_fill(ahead, -std::numeric_limits<double>::infinity());
    const Tensor y = etude::matmul(etude::softmax(scores, -1), qkv[2]);
    return head(x + proj(y.transpose(1, 2).flatten(2)));
  }

  std::shared_ptr<nn::Positions> positions;
  nn::Embedding words;
  nn::Linear attn, proj, head;
};
ETUDE_MODULE(Reader);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "16_positions");
  cell("reader", "A model for all kinds");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  //%% sines | Added: sines
  cell("sines", "Added: sines");
  /// The words and $W_Q$ are those of [the attention page](08_attention.cpp). Row $m$ of the
  /// table of sines is added to the word at position $m$. Pair $i$ of the row turns with the
  /// speed $\theta_i = 10000^{-2i/d}$:
  ///
  /// $$p_m = (\sin m\theta_0,\ \cos m\theta_0,\ \sin m\theta_1,\ \cos m\theta_1) \qquad \theta_0 =
  /// 1 \quad \theta_1 = 0.01$$
  ///
  /// The score of two words then has four parts, and only the first is about the words alone:
  ///
  /// $$\begin{aligned} & (x_m + p_m)\, W\, (x_n + p_n)^\top \\ & \quad =
  /// x_m W x_n^\top + x_m W p_n^\top \\ & \qquad {} + p_m W x_n^\top + p_m W p_n^\top \end{aligned}$$
  ///
  /// $p_m \cdot p_n$ would depend on the distance alone, but there is a $W$ in between. So the
  /// same sentence has other scores at position 50. The output shows the table and the scores of
  /// *itself* with the four words, at the beginning of a text and from position 50 on.
  ///
  /// ```python
  /// x = torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                   [0.0, 1.0, 0.0, 0.0],
  ///                   [0.0, 0.0, 1.0, 0.0],
  ///                   [0.0, 0.5, 0.0, 1.0]])
  /// w_q = 4 * torch.tensor([[0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 0.0, 1.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0]])
  ///
  /// def speeds(d):
  ///     i = torch.arange(0, d, 2, dtype=torch.float64)
  ///     return torch.exp(i * (-math.log(10000.0) / d))
  ///
  /// def sines(n, d):
  ///     angle = torch.arange(n).double().unsqueeze(1) * speeds(d)
  ///     waves = torch.stack([angle.sin(), angle.cos()], dim=-1)
  ///     return waves.flatten(-2).float()
  ///
  /// def scores_at(first):
  ///     placed = x + sines(first + 4, 4)[first:]
  ///     return placed @ w_q @ placed.T / 2
  ///
  /// print(sines(4, 4))
  /// print(scores_at(0)[3])
  /// print(scores_at(50)[3])
  /// ```
  const Tensor x = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                  {0.0f, 1.0f, 0.0f, 0.0f},
                                  {0.0f, 0.0f, 1.0f, 0.0f},
                                  {0.0f, 0.5f, 0.0f, 1.0f}});
  const Tensor w_q = 4 * etude::tensor({{0.0f, 1.0f, 0.0f, 0.0f},
                                        {0.0f, 0.0f, 1.0f, 0.0f},
                                        {0.0f, 1.0f, 0.0f, 0.0f},
                                        {0.0f, 1.0f, 0.0f, 0.0f}});

  const auto speeds = [](int64_t d) {
    const Tensor i = etude::arange(0, d, 2, etude::kDouble);
    return etude::exp(i * (-std::log(10000.0) / static_cast<double>(d)));
  };
  const auto sines = [&](int64_t n, int64_t d) {
    const Tensor angle = etude::arange(n).to(etude::kDouble).unsqueeze(1) * speeds(d);
    const Tensor waves = etude::stack({angle.sin(), angle.cos()}, -1);
    return waves.flatten(-2).to(etude::kFloat);
  };
  const auto scores_at = [&](int64_t first) {
    const Tensor placed = x + sines(first + 4, 4).slice(0, first);
    return etude::matmul(etude::matmul(placed, w_q), placed.t()) / 2;
  };

  print(sines(4, 4));
  print(scores_at(0)[3]);
  const int64_t first_at = parameter("first_position", 50, 0, 1000);
  print(scores_at(first_at)[3]);
  expect_close(nn::SinusoidalPositions(4)->embed(x, first_at),
               x + sines(first_at + 4, 4).slice(0, first_at), 1e-4);

  //%% learned | Added: a row for each place
  cell("learned", "Added: a row for each place");
  /// Why should the table be sines? It can be learned like the words: an embedding with the
  /// position as its id, as in BERT and GPT-2. It is simple and works equally well, up to its
  /// last row. Beyond it there is nothing, and a row that was there but never occurred in
  /// training is noise. Here is a table for four positions, and the sentence with a fifth word.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// rows = nn.Embedding(4, 4)
  /// print(x + rows(torch.arange(4)).detach())
  /// try:
  ///     rows(torch.arange(5))
  /// except IndexError as error:
  ///     print("IndexError:", error)
  /// ```
  etude::manual_seed(0);
  nn::Embedding rows(4, 4);
  print(x + rows(etude::arange(4)).detach());
  try {
    rows(etude::arange(5));
  } catch (const etude::IndexError& error) {
    print("IndexError:", first_line(error.what()));
  }

  //%% turning | Turned: one pair of numbers
  cell("turning", "Turned: one pair of numbers");
  /// We want a score that depends on the words and on their *distance*. Jianlin Su and others
  /// asked which function of word and position gives it, and found: turn the pair by an angle
  /// that grows with the position [2].
  ///
  /// $$R_m = \begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta
  /// \end{pmatrix} \qquad (R_m q) \cdot (R_n k) = q^\top R_m^\top R_n\, k = q^\top R_{n-m}\, k$$
  ///
  /// Turning back by $m$ and on by $n$ is turning by $n - m$: the positions themselves have
  /// dropped out, whatever $q$ and $k$ are. [Sines](05_input_embedding.cpp) turn as well, but
  /// they are added; here the word itself is turned. A query $(1, 0)$ and a key $(0, 1)$ at
  /// $\theta = 1$, twice with the distance 2 and once with 3:
  ///
  /// ```python
  /// def turn_pair(a, b, angle):
  ///     c, s = math.cos(angle), math.sin(angle)
  ///     return a * c - b * s, a * s + b * c
  ///
  /// for m, n in ((3, 1), (53, 51), (4, 1)):
  ///     q, k = turn_pair(1, 0, m), turn_pair(0, 1, n)
  ///     print(m, n, f"{q[0] * k[0] + q[1] * k[1]:.4f}")
  /// ```
  const auto turn_pair = [](double a, double b, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return std::make_pair(a * c - b * s, a * s + b * c);
  };
  for (const auto& [m, n] :
       {std::make_pair(3, 1), std::make_pair(53, 51), std::make_pair(4, 1)}) {
    const auto q = turn_pair(1, 0, m), k = turn_pair(0, 1, n);
    const double score = q.first * k.first + q.second * k.second;
    print(m, n, etude::format(etude::tensor(score), ".4f"));
  }

  //%% rotary | Turned: all pairs
  cell("rotary", "Turned: all pairs");
  /// A head of width $d$ has $d/2$ pairs, each with its own speed, the same speeds as those of
  /// the sines. Queries and keys are turned, values are not: where a word was found should not
  /// change what it says. There is nothing to learn.
  ///
  /// The output shows the turned queries, of which the one at position 0 has remained as it was,
  /// and the scores of *itself* from position 0 on and from 50 on: now they are equal.
  ///
  /// ```python
  /// def turn(x, first=0):
  ///     n, d = x.shape[-2:]
  ///     at = torch.arange(first, first + n, dtype=torch.float64)
  ///     angle = at.unsqueeze(1) * speeds(d)
  ///     c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
  ///     a, b = x[..., 0::2], x[..., 1::2]
  ///     turned = torch.stack([a * c - b * s, a * s + b * c], dim=-1)
  ///     return turned.flatten(-2)
  ///
  /// q, k = x @ w_q, x
  /// print(turn(q))
  /// for first in (0, 50):
  ///     print((turn(q, first) @ turn(k, first).T / 2)[3])
  /// ```
  const auto turn = [&](const Tensor& of, int64_t first = 0) {
    const Tensor at = etude::arange(first, first + of.size(-2), etude::kDouble);
    const Tensor angle = at.unsqueeze(1) * speeds(of.size(-1));
    const Tensor c = angle.cos().to(of.scalar_type()), s = angle.sin().to(of.scalar_type());
    const Tensor a = of.slice(-1, 0, None, 2), b = of.slice(-1, 1, None, 2);
    return etude::stack({a * c - b * s, a * s + b * c}, -1).flatten(-2);
  };

  const Tensor q = etude::matmul(x, w_q), k = x;
  print(turn(q));
  for (const int64_t first : {0, 50})
    print((etude::matmul(turn(q, first), turn(k, first).t()) / 2)[3]);
  nn::RotaryPositions neighbours(4, nn::RotaryPairs::Interleaved);
  expect_close(neighbours->turn(q, 50), turn(q, 50), 1e-6);

  //%% pairs | Which numbers are a pair
  cell("pairs", "Which numbers are a pair");
  /// The paper turns neighbours, the numbers 0 and 1, 2 and 3, and so on. GPT-NeoX, and the
  /// files of Llama that `transformers` writes, turn the first half with the second, 0 and 2, 1
  /// and 3, since halves are quicker to cut. For a model that is trained it makes no difference:
  /// the columns have another order, and $W_Q$ and $W_K$ learn them in that order. For a model
  /// that is *loaded* it does: with the wrong pairs it talks nonsense, and no shape shows the
  /// mistake. `nn::RotaryPairs` names the two.
  ///
  /// ```python
  /// def turn_halves(x, first=0):
  ///     order = torch.arange(x.shape[-1]).view(2, -1).T.flatten()
  ///     back = order.argsort()
  ///     return turn(x[..., order], first)[..., back]
  ///
  /// print(turn_halves(q)[3])
  /// print(turn(q)[3])
  /// ```
  nn::RotaryPositions halves(4, nn::RotaryPairs::Half);
  print(halves->turn(q, 0)[3]);
  print(neighbours->turn(q, 0)[3]);

  //%% rotary_plot | What distance does to a turned score
  cell("rotary_plot", "What distance does to a turned score");
  /// The picture shows the score of a query and a key that are all ones, over the distance. It is
  /// a mean of cosines, $\frac{2}{d} \sum_i \cos (m - n)\theta_i$, the same curve as that of the
  /// sines. A wide head has many speeds, and its score falls slowly, in small waves. A narrow one
  /// swings, and at some distances two words fit nearly as well as at distance 0. Nothing holds
  /// the score down at distances that a model has never seen.
  ///
  /// ![Score of two equal words over the distance: it begins at 1 and falls in waves, higher ones
  /// for the narrow head](rotary.svg)
  LinePlot waves;
  waves.title = "Score of two equal words over their distance";
  waves.description = "Both curves begin at 1 and fall in waves; the narrow head swings more.";
  waves.x_label = "distance";
  waves.y_label = "score";
  const int64_t small = parameter("narrow", 8, 2, 64, 2);
  waves.series = {{"head of width " + std::to_string(small), {}}, {"head of width 64", {}}};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t d = i == 0 ? small : 64;
    const Tensor all = turn(etude::ones({128, d}));
    waves.series[i].y = values_of(etude::matmul(all, all[0]) / d);
  }
  for (int distance = 0; distance < 128; ++distance) waves.x.push_back(distance);
  figure("rotary.svg", draw(waves));

  //%% alibi | Added to the score: a slope
  cell("alibi", "Added to the score: a slope");
  /// Ofir Press and others leave words, queries and keys alone and take something from the score
  /// for each step of distance [3]. They call it *attention with linear biases*, ALiBi:
  ///
  /// $$S_{mn} = \frac{q_m \cdot k_n}{\sqrt d} - s_h\, (m - n) \qquad s_h = 2^{-8h/H} \quad h = 1,
  /// \dots, H$$
  ///
  /// The slopes $s_h$ are fixed, one for each head. A head with a steep slope sees the last few
  /// words, one with a flat slope nearly all. Nothing is learned, and a distance that was never
  /// seen is only a little worse than one that was. What comes later is hidden by the causal
  /// mask; the library leaves zeros there.
  ///
  /// The output shows the biases of two heads for our four words. The last line has the weights
  /// of *itself* for the slope 1/2, if all words fit equally well: each is $e^{1/2}$ times the
  /// one before.
  ///
  /// ```python
  /// def slopes(heads):
  ///     return torch.tensor([2.0 ** (-8 * h / heads)
  ///                          for h in range(1, heads + 1)])
  ///
  /// def alibi(heads, n):
  ///     at = torch.arange(n)
  ///     distance = (at.unsqueeze(1) - at).clamp(min=0)
  ///     return -slopes(heads).view(-1, 1, 1) * distance
  ///
  /// print(alibi(2, 4) + 0.0)
  /// print(torch.softmax(-0.5 * torch.tensor([3.0, 2, 1, 0]), dim=0))
  /// ```
  const auto slopes = [](int64_t heads) {
    std::vector<double> all;
    for (int64_t h = 1; h <= heads; ++h)
      all.push_back(std::pow(2.0, -8.0 * static_cast<double>(h) / static_cast<double>(heads)));
    return etude::tensor(all);
  };
  const auto alibi = [&](int64_t heads, int64_t n) {
    const Tensor at = etude::arange(n);
    const Tensor distance = (at.unsqueeze(1) - at).clamp_min(0);
    return -slopes(heads).view({-1, 1, 1}) * distance;
  };

  print(alibi(2, 4) + 0.0);
  print(etude::softmax(-0.5 * etude::tensor({3.0f, 2.0f, 1.0f, 0.0f}), 0));
  expect_equal(nn::ALiBiPositions(8)->bias(16, 16), alibi(8, 16));

  //%% peak | What a slope cannot do
  cell("peak", "What a slope cannot do");
  /// A slope always prefers the nearer of two equal words. So no head of ALiBi can look for *the
  /// word two back*, whatever it is. A rotary head can: its query is the key turned back by two
  /// places, and fits best there. Take eight equal words. The output shows the weights of the
  /// last one on all of them, first rotary with a head of width 32, then ALiBi with the slope
  /// 1/2.
  ///
  /// ```python
  /// same = torch.ones(8, 32)
  /// key = turn(same)
  /// query = turn(same)[5]  # 7 - 2: turned on by 7, back by 2
  /// rotary_row = torch.softmax(key @ query, dim=0)
  /// alibi_row = torch.softmax(-0.5 * torch.arange(7.0, -1, -1), dim=0)
  /// for row in (rotary_row, alibi_row):
  ///     print(" ".join(f"{v:.3f}" for v in row))
  /// ```
  const auto row_of = [](const Tensor& row, const std::string& spec) {
    std::string joined;
    for (int64_t i = 0; i < row.size(0); ++i)
      joined += (i > 0 ? " " : "") + etude::format(row[i], spec);
    return joined;
  };
  const Tensor key = turn(etude::ones({8, 32}));
  const Tensor query = key[5];  // 7 - 2: turned on by 7, back by 2
  print(row_of(etude::softmax(etude::matmul(key, query), 0), ".3f"));
  print(row_of(etude::softmax(-0.5 * etude::arange(7.0, -1.0, -1.0), 0), ".3f"));

  //%% buckets | Added to the score: buckets
  cell("buckets", "Added to the score: buckets");
  /// T5 learns what a distance is worth: each head has a number for it that is added to the
  /// score [4]. One number for each distance would be the learned table again, with an end. So
  /// large distances share numbers. There are $B$ *buckets*. Near distances $n$ have one
  /// each, $b(n) = n$. From $e = B/2$ on the number of the bucket grows as the logarithm of the
  /// distance, so buckets become wider and wider, up to a largest distance $L$:
  ///
  /// $$b(n) = \min\Big(B - 1,\ e + \Big\lfloor \frac{\ln (n/e)}{\ln (L/e)} (B - e)
  /// \Big\rfloor\Big)$$
  ///
  /// Whether a word is 3 or 4 back matters; whether 60 or 61, hardly. The buckets of the
  /// distances 0 to 20 for $B = 8$ and $L = 16$:
  ///
  /// ```python
  /// def bucket(distance, buckets, longest):
  ///     exact = buckets // 2
  ///     part = (torch.log(distance.clamp(min=1).float() / exact)
  ///             / math.log(longest / exact))
  ///     far = exact + (part * (buckets - exact)).long()
  ///     far = far.clamp(max=buckets - 1)
  ///     return torch.where(distance < exact, distance, far)
  ///
  /// print(bucket(torch.arange(21), 8, 16).tolist())
  /// ```
  const auto bucket = [](const Tensor& distance, int64_t buckets, int64_t longest) {
    const int64_t exact = buckets / 2;
    const double whole = std::log(static_cast<double>(longest) / static_cast<double>(exact));
    const Tensor part = etude::log(distance.clamp_min(1).to(etude::kFloat) / exact) / whole;
    const Tensor far = exact + (part * (buckets - exact)).to(etude::kLong);
    return etude::where(distance < exact, distance, far.clamp_max(buckets - 1));
  };
  print(etude::tolist(bucket(etude::arange(21), 8, 16)));

  //%% t5 | What T5 adds
  cell("t5", "What T5 adds");
  /// The table has a row for each bucket and a column for each head. Here the table is set by
  /// hand, for one head: the word itself is worth 0, the one before 1, the one before that 2, and
  /// all that are further away -1. This head looks two words back, which a slope cannot do. C++
  /// prints what the library adds.
  ///
  /// ```python
  /// worth = torch.tensor([0.0, 1, 2, -1, -1, -1, -1, -1]).view(8, 1)
  ///
  /// def t5(worth, n):
  ///     at = torch.arange(n)
  ///     distance = (at.unsqueeze(1) - at).clamp(min=0)
  ///     return worth[bucket(distance, 8, 16)].permute(2, 0, 1)
  ///
  /// print(t5(worth, 4))
  /// ```
  const Tensor worth = etude::tensor({0.0f, 1.0f, 2.0f, -1.0f, -1.0f, -1.0f, -1.0f, -1.0f});
  nn::T5Positions one_head(nn::T5PositionsOptions(1).buckets(8).max_distance(16));
  {
    const etude::NoGradGuard no_grad;
    one_head->weight.copy_(worth.view({8, 1}));
  }
  print(one_head->bias(4, 4).detach());
  const Tensor at = etude::arange(40), distance = (at.unsqueeze(1) - at).clamp_min(0);
  expect_equal(one_head->bias(40, 40)[0], worth.index({bucket(distance, 8, 16)}));

  //%% task | What was named last
  cell("task", "What was named last");
  /// *The dog saw the cat wash itself.* Who is washed? The one that was named last. That is a
  /// question of positions, and one that short and long texts have in common. So this is the
  /// task: random words, of which four are things, and at every word the answer is the thing
  /// that was named last. The first word is always a thing.
  ///
  /// ```python
  /// names = ("dog cat bird fish the a saw chased heard liked "
  ///          "and then by near old itself").split()
  ///
  /// def draw(count, n):
  ///     ids = torch.randint(16, (count, n))
  ///     ids[:, 0] %= 4
  ///     place = torch.where(ids < 4, torch.arange(n), 0)
  ///     earlier = torch.ones(n, n, dtype=torch.int64).tril()
  ///     last = (place.unsqueeze(1) * earlier).amax(dim=-1)
  ///     return ids, ids.gather(1, last)
  ///
  /// torch.manual_seed(0)
  /// ids, answers = draw(1, 10)
  /// print(*(names[i] for i in ids[0]))
  /// print(*(names[i] for i in answers[0]))
  /// ```
  const std::vector<std::string> names{"dog", "cat",    "bird",  "fish",  "the", "a",
                                       "saw", "chased", "heard", "liked", "and", "then",
                                       "by",  "near",   "old",   "itself"};
  const auto draw_words = [](int64_t count, int64_t n) {
    const Tensor ids = etude::randint(16, {count, n});
    ids.select(1, 0).remainder_(4);
    const Tensor place = etude::where(ids < 4, etude::arange(n), 0);
    const Tensor earlier = etude::ones({n, n}, etude::kLong).tril();
    const Tensor last = (place.unsqueeze(1) * earlier).amax(-1);
    return std::make_pair(ids, ids.gather(1, last));
  };
  const auto in_words = [&](const Tensor& of) {
    std::string joined;
    for (int64_t i = 0; i < of.size(0); ++i)
      joined += (i > 0 ? " " : "") + names[static_cast<size_t>(of[i].item<int64_t>())];
    return joined;
  };

  etude::manual_seed(0);
  const auto [ids, answers] = draw_words(1, 10);
  print(in_words(ids[0]));
  print(in_words(answers[0]));

  //%% kinds | Six kinds
  cell("kinds", "Six kinds");
  /// There are five kinds, and as the sixth none at all. The sines are a table that does not
  /// learn. The learned table has rows for 128 positions, of which the training will use 16. The
  /// buckets of T5 end at the distance 16, so that all of them occur in training. Everything is
  /// computed in 64 bits: then two programs that round differently still agree in every digit
  /// printed after 400 steps.
  ///
  /// The output shows how many numbers each kind has to learn, and the loss of the new model. A
  /// model that knows nothing has loss $\ln 16 = 2.77$. On these ten words, whose answers are
  /// only *dog* and *fish*, the new models happen to have less.
  ///
  /// ```python
  /// class Sines(Positions):
  ///     def embed(self, x):
  ///         return x + sines(x.shape[1], 32).double()
  ///
  /// class Learned(Positions):
  ///     def __init__(self):
  ///         super().__init__()
  ///         self.weight = nn.Parameter(torch.empty(128, 32))
  ///         nn.init.normal_(self.weight, 0, 0.02)
  ///
  ///     def embed(self, x):
  ///         return x + self.weight[:x.shape[1]]
  ///
  /// class Rotary(Positions):
  ///     def turn(self, x):
  ///         return turn(x)
  ///
  /// class ALiBi(Positions):
  ///     def bias(self, n):
  ///         return alibi(4, n)
  ///
  /// class T5(Positions):
  ///     def __init__(self):
  ///         super().__init__()
  ///         self.weight = nn.Parameter(torch.empty(8, 4))
  ///         nn.init.normal_(self.weight)
  ///
  ///     def bias(self, n):
  ///         return t5(self.weight, n)
  ///
  /// kinds = {"none": Positions, "sines": Sines, "learned": Learned,
  ///          "rotary": Rotary, "ALiBi": ALiBi, "T5": T5}
  ///
  /// def make(name):
  ///     torch.manual_seed(0)
  ///     positions = kinds[name]()
  ///     torch.manual_seed(1)
  ///     return Reader(positions).double()
  ///
  /// def loss_of(model, ids, answers):
  ///     return F.cross_entropy(model(ids).flatten(0, 1),
  ///                            answers.flatten())
  ///
  /// for name in kinds:
  ///     model = make(name)
  ///     count = sum(p.numel() for p in model.positions.parameters())
  ///     print(name, count, f"{loss_of(model, ids, answers):.4f}")
  /// ```
  const std::vector<std::string> kinds{"none", "sines", "learned", "rotary", "ALiBi", "T5"};
  const auto positions_of = [&](const std::string& name) -> std::shared_ptr<nn::Positions> {
    if (name == "learned") return nn::LearnedPositions(128, 32).ptr();
    if (name == "sines") {
      nn::LearnedPositions table(128, 32);
      table->weight.requires_grad_(false).copy_(sines(128, 32));
      return table.ptr();
    }
    if (name == "rotary") return nn::RotaryPositions(8, nn::RotaryPairs::Interleaved).ptr();
    if (name == "ALiBi") return nn::ALiBiPositions(4).ptr();
    if (name == "T5")
      return nn::T5Positions(nn::T5PositionsOptions(4).buckets(8).max_distance(16)).ptr();
    return nn::NoPositions().ptr();
  };
  const auto make = [&](const std::string& name) {
    etude::manual_seed(0);
    const std::shared_ptr<nn::Positions> positions = positions_of(name);
    etude::manual_seed(1);
    Reader model(positions);
    model->to(etude::kDouble);
    return model;
  };
  const auto loss_of = [](Reader& model, const Tensor& of, const Tensor& right) {
    return F::cross_entropy(model(of).flatten(0, 1), right.flatten());
  };

  for (const std::string& name : kinds) {
    Reader model = make(name);
    int64_t count = 0;
    for (const Tensor& p : model->positions->parameters())
      count += p.requires_grad() ? p.numel() : 0;
    print(name, count, etude::format(loss_of(model, ids, answers).detach(), ".4f"));
  }

  //%% training | Trained with 16 words
  cell("training", "Trained with 16 words");
  /// Each kind has the same first weights, the same 400 batches of 32 sequences, and AdamW. Then
  /// it reads new sequences of 16, 24, 32, 64 and 128 words. The output shows the loss of the
  /// last eight words of each, so that all have a long text before them.
  ///
  /// ```python
  /// lengths = (16, 24, 32, 64, 128)
  /// models = {}
  /// for name in kinds:
  ///     model = models[name] = make(name)
  ///     adamw = torch.optim.AdamW(model.parameters(), lr=0.01,
  ///                               weight_decay=0.0)
  ///     torch.manual_seed(2)
  ///     for step in range(400):
  ///         loss = loss_of(model, *draw(32, 16))
  ///         adamw.zero_grad()
  ///         loss.backward()
  ///         adamw.step()
  ///
  ///     torch.manual_seed(3)
  ///     row = []
  ///     for n in lengths:
  ///         ids, answers = draw(32, n)
  ///         with torch.no_grad():
  ///             logits = model(ids)[:, -8:]
  ///         row.append(F.cross_entropy(logits.flatten(0, 1),
  ///                                    answers[:, -8:].flatten()))
  ///     print(f"{name:8}", " ".join(f"{v:5.2f}" for v in row))
  /// ```
  const int64_t steps = parameter("steps", 400, 10, 600);
  const std::vector<int64_t> lengths{16, 24, 32, 64, 128};
  std::vector<Reader> models;  // one for each kind
  std::vector<Series> curves;
  for (const std::string& name : kinds) {
    Reader model = make(name);
    etude::optim::AdamW adamw(model->parameters(),
                              etude::optim::AdamWOptions(0.01).weight_decay(0));
    etude::manual_seed(2);
    for (int64_t step = 0; step < steps; ++step) {
      const auto [words, right] = draw_words(32, 16);
      const Tensor loss = loss_of(model, words, right);
      adamw.zero_grad();
      loss.backward();
      adamw.step();
    }

    etude::manual_seed(3);
    std::vector<Tensor> row;
    for (const int64_t n : lengths) {
      const auto [words, right] = draw_words(32, n);
      const etude::NoGradGuard no_grad;
      const Tensor logits = model(words).slice(1, -8);
      row.push_back(F::cross_entropy(logits.flatten(0, 1), right.slice(1, -8).flatten()));
    }
    models.push_back(model);
    curves.push_back({name, values_of(etude::stack(row))});
    print(name + std::string(8 - name.size(), ' '), row_of(etude::stack(row), "5.2f"));
  }

  //%% lengths_plot | Longer than anything before
  cell("lengths_plot", "Longer than anything before");
  /// The table above as a picture. At 16 words, the length of the training, all kinds but *none*
  /// know the answer, or nearly. Without positions a model can count things, and guess.
  ///
  /// Then they part. *Learned* rows and *sines* fail at once: each position beyond 16 is a vector
  /// that was never there, and the model is not merely ignorant, which would cost 1.39 for four
  /// things, but sure of something wrong. *Rotary* holds up to twice the length. Further away its
  /// slow pairs reach angles that no training has shown, and it is as lost as the others. *ALiBi*
  /// and *T5* go on nearly as before: a large distance is more of the same to the one, and to the
  /// other a bucket that it knows.
  ///
  /// It is one small task, and one that suits a preference for what is near. For a question
  /// about the word two back, ALiBi would come last.
  ///
  /// ![Loss over the length of the text, six lines: all but none are near zero at 16; sines and
  /// learned rise at once, rotary after 32, ALiBi and T5 stay low](lengths.svg)
  LinePlot plot;
  plot.title = "Trained with 16 words, asked about more";
  plot.description =
      "At 16 words all but none have a loss near 0. Sines and learned rise at once, rotary "
      "after "
      "32 words. ALiBi and T5 stay below 1 up to 128.";
  plot.x_label = "words";
  plot.y_label = "cross entropy in nats";
  plot.x_scale = Scale::powers_of_two;
  for (const int64_t n : lengths) plot.x.push_back(static_cast<double>(n));
  plot.series = curves;
  figure("lengths.svg", draw(plot));

  //%% learned_buckets | What T5 has learned
  cell("learned_buckets", "What T5 has learned");
  /// T5 began with random numbers in its table. Here they are after the training, a line for
  /// each head, from the bucket of the word itself to that of all distances from 12 on. From the
  /// second or third bucket on they fall, by and large: T5 has found a slope by itself. The word
  /// itself needs no attention, since the sum passes it on anyway.
  ///
  /// But the last bucket is one number for everything that is far away. Nothing says which of a
  /// hundred words in it is nearer, and together they weigh more with each word that is added.
  /// So the loss of T5 rises in the end, and that of ALiBi hardly does.
  ///
  /// ```python
  /// table = models["T5"].positions.weight.detach()
  /// for head in table.T:
  ///     print(" ".join(f"{v:5.2f}" for v in head))
  /// ```
  const Tensor table = models.back()->positions->named_parameters()["weight"].detach();
  for (int64_t head = 0; head < 4; ++head) print(row_of(table.select(1, head), "5.2f"));

  //%% exercise1 | What a slope takes
  cell("exercise1", "What a slope takes");
  /// A model with ALiBi has 8 heads. How much is subtracted from the score of a word five places
  /// back in its third head? Give the number, without the library.
  {
    double answer = 0;
    //%% answer
    /// The slopes of 8 heads are $1/2, 1/4, 1/8, \dots$, and five times an eighth is 0.625.
    ///
    /// ```python
    /// answer = 5 * 2 ** -3
    /// print(answer, -alibi(8, 6)[2, 5, 0])
    /// ```
    answer = 5 * std::pow(2.0, -3);
    //%% end answer
    const Tensor library = -nn::ALiBiPositions(8)->bias(6, 6)[2][5][0];
    expect(answer > 0, "something is taken");
    expect(answer == library.item<double>(), "it is as much as the library takes");
    print(answer, library);
  }

  //%% exercise2 | Turned keys that are kept
  cell("exercise2", "Turned keys that are kept");
  /// While a text is generated, keys are kept and not computed again. `kept` holds the turned
  /// keys of *the dog saw*. Now *itself* comes, the word at position 3, with the query `q_new`
  /// and the key `k_new`, both `[1, 4]` and not turned. Compute its scores with all four words,
  /// `[1, 4]`.
  {
    const Tensor kept = turn(k.slice(0, 0, 3));
    const Tensor q_new = q.slice(0, 3), k_new = k.slice(0, 3);
    Tensor answer;
    //%% answer
    /// Both are turned by their own position, which `turn` is told as its second argument. The
    /// kept keys stay as they are: they were turned by theirs.
    ///
    /// ```python
    /// kept = turn(k[:3])
    /// keys = torch.cat([kept, turn(k[3:], 3)])
    /// answer = turn(q[3:], 3) @ keys.T / 2
    /// print(answer)
    /// ```
    const Tensor keys = etude::cat({kept, turn(k_new, 3)});
    answer = etude::matmul(turn(q_new, 3), keys.t()) / 2;
    //%% end answer
    expect(answer.defined() && answer.sizes() == etude::IntArrayRef({1, 4}),
           "there is one row with four scores");
    const Tensor whole = etude::matmul(turn(q), turn(k).t()) / 2;
    expect(etude::allclose(answer, whole.slice(0, 3), 1e-5, 1e-5),
           "they are those of the whole sentence");
    print(answer);
  }

  //%% exercise3 | Buckets for both sides
  cell("exercise3", "Buckets for both sides");
  /// An encoder sees what comes later too. T5 then gives the first 8 of 16 buckets to the word
  /// itself and those before it, and the other 8 to those after it. `ahead` says how many places
  /// a key is after the query, negative for those before. Compute the bucket of each, with the
  /// largest distance 16.
  {
    const Tensor ahead = etude::arange(-20, 21);
    Tensor answer;
    //%% answer
    /// Each side has a row of buckets as before, by the size of the distance; the later side
    /// begins 8 buckets further on.
    ///
    /// ```python
    /// ahead = torch.arange(-20, 21)
    /// answer = bucket(ahead.abs(), 8, 16) + 8 * (ahead > 0)
    /// print(answer)
    /// ```
    answer = bucket(ahead.abs(), 8, 16) + 8 * (ahead > 0).to(etude::kLong);
    //%% end answer
    expect(answer.defined() && answer.numel() == 41, "there is a bucket for each distance");
    expect(answer.max().item<int64_t>() == 15, "the last bucket is 15");
    nn::T5Positions both(
        nn::T5PositionsOptions(1).buckets(16).max_distance(16).bidirectional(true));
    const Tensor row = both->weight.index({answer, 0});
    expect(etude::equal(row, both->bias(41, 41)[0][20]), "the buckets are those of the library");
    print(answer);
  }

  //%% summary
  /// 1. A position is added to the word, turns queries and keys, or is added to the scores.
  /// 2. A learned table ends with its last row, and rows without training are noise.
  /// 3. Rotary positions turn pairs of numbers, so that scores depend on distances alone.
  /// 4. ALiBi takes a slope times the distance from the score; T5 learns a number per bucket.
  /// 5. Beyond the trained length, those kinds hold for which nothing new happens there.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, section 3.5
  /// 2. J. Su et al., [RoFormer: Enhanced Transformer with Rotary Position Embedding](https://arxiv.org/abs/2104.09864), 2021, section 3
  /// 3. O. Press, N. A. Smith, M. Lewis, [Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation](https://arxiv.org/abs/2108.12409), 2022, section 3
  /// 4. C. Raffel et al., [Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer](https://arxiv.org/abs/1910.10683), 2019, section 2.1
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
