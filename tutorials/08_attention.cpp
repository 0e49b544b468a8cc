/// # Attention by hand
///
/// A word alone says little. *Itself* means nothing without the dog that it points to. So each
/// word of a sentence should be able to fetch something from the others, from those that matter
/// to it, and which these are should be learned. Attention is the simplest machine that does
/// this: every word asks a question, every word offers an answer, and what fits best is mixed
/// in.
///
/// Here it is done with four words and numbers that can be read. First the parts: questions and
/// offers, scores, their scale, weights, the mixture. Then backwards. In the end three lines of
/// the library do the same.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// ```
#include <etude/etude.h>

#include <cmath>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "08_attention");
  cell("imports", "What is needed");

  //%% words | Four words
  cell("words", "Four words");
  /// *The dog saw itself.* In a trained model a word is some hundred numbers that nobody chose.
  /// Here it is four with names: how much of an article, a thing, an action, a pointer it is.
  /// *The*, *dog* and *saw* are one each; *itself* is a pointer and half a thing.
  ///
  /// ```python
  /// words = ["the", "dog", "saw", "itself"]
  /// x = torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                   [0.0, 1.0, 0.0, 0.0],
  ///                   [0.0, 0.0, 1.0, 0.0],
  ///                   [0.0, 0.5, 0.0, 1.0]])
  /// print(x)
  /// ```
  const std::vector<std::string> words{"the", "dog", "saw", "itself"};
  const Tensor x = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                  {0.0f, 1.0f, 0.0f, 0.0f},
                                  {0.0f, 0.0f, 1.0f, 0.0f},
                                  {0.0f, 0.5f, 0.0f, 1.0f}});
  print(x);

  //%% queries | What each word asks and offers
  cell("queries", "What each word asks and offers");
  /// Three matrices turn each word into three vectors:
  ///
  /// $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
  ///
  /// the *query*, what it looks for; the *key*, by which it is found; and the *value*, what it
  /// hands over when it is found. They differ because asking and offering differ: a pointer
  /// looks for a thing, and is not one.
  ///
  /// The matrices would be learned. Here they are set: rows of $W_Q$ are what an article, a
  /// thing, an action and a pointer look for, which is a thing, an action, a thing and a thing.
  /// Keys and values are the words as they are.
  ///
  /// ```python
  /// w_q = 4 * torch.tensor([[0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 0.0, 1.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0]])
  /// w_k = torch.eye(4)
  /// w_v = torch.eye(4)
  /// q, k, v = x @ w_q, x @ w_k, x @ w_v
  /// print(q)
  /// ```
  const Tensor w_q = 4 * etude::tensor({{0.0f, 1.0f, 0.0f, 0.0f},
                                        {0.0f, 0.0f, 1.0f, 0.0f},
                                        {0.0f, 1.0f, 0.0f, 0.0f},
                                        {0.0f, 1.0f, 0.0f, 0.0f}});
  const Tensor w_k = etude::eye(4);
  const Tensor w_v = etude::eye(4);
  const Tensor q = etude::matmul(x, w_q), k = etude::matmul(x, w_k), v = etude::matmul(x, w_v);
  print(q);

  //%% scores | Scores
  cell("scores", "Scores");
  /// How well a question and an offer fit is their dot product, large where both are large in
  /// the same places. All pairs at once are one matrix product,
  ///
  /// $$S = Q K^\top \qquad S_{ij} = \sum_c Q_{ic} K_{jc}$$
  ///
  /// with a row per word that asks and a column per word that is asked. One number first, by a
  /// loop: *itself* asks *dog*. Then the matrix.
  ///
  /// ```python
  /// print(sum(q[3, c].item() * k[1, c].item() for c in range(4)))
  /// scores = q @ k.T
  /// print(scores)
  /// ```
  double itself_asks_dog = 0;
  for (int64_t c = 0; c < 4; ++c)
    itself_asks_dog += q[3][c].item<float>() * k[1][c].item<float>();
  print(itself_asks_dog);
  const Tensor scores = etude::matmul(q, k.t());
  print(scores);

  //%% variance | Why the scores are scaled
  cell("variance", "Why the scores are scaled");
  /// A dot product is a sum of $d$ products. If the numbers are random with mean 0 and variance
  /// 1, so is each product, and the variance of the sum is $d$:
  ///
  /// $$\operatorname{Var}\Big(\sum_{c=1}^{d} q_c k_c\Big) = \sum_{c=1}^{d}
  /// \operatorname{Var}(q_c k_c) = d$$
  ///
  /// A wider model would have larger scores for no reason but its width. Dividing by the
  /// standard deviation $\sqrt{d}$ brings the variance back to 1. Measured on 2000 random pairs
  /// per width:
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// for d in (4, 16, 64, 256):
  ///     a, b = torch.randn(2000, d), torch.randn(2000, d)
  ///     s = (a * b).sum(1)
  ///     print(d, s.var(), (s / math.sqrt(d)).var())
  /// ```
  etude::manual_seed(0);
  for (const int64_t d : {4, 16, 64, 256}) {
    const Tensor a = etude::randn({2000, d}), b = etude::randn({2000, d});
    const Tensor s = (a * b).sum(1);
    print(d, s.var(), (s / std::sqrt(static_cast<double>(d))).var());
  }

  //%% saturation | What large scores do
  cell("saturation", "What large scores do");
  /// Why are large scores bad? The softmax makes weights of them, and its derivative for one
  /// score is $p(1 - p)$: nothing where $p$ is 0 or 1. Four scores, then the same times 4 and
  /// times 16. The weights turn into a choice of one, and the derivatives vanish: the choice can
  /// no longer be unlearned.
  ///
  /// ```python
  /// some = torch.tensor([1.0, 2.0, 0.0, -1.0])
  /// for by in (1, 4, 16):
  ///     p = torch.softmax(some * by, dim=0)
  ///     print(by, "largest weight", f"{p.max():.4f}",
  ///           "largest derivative", f"{(p * (1 - p)).max():.4f}")
  /// ```
  const Tensor some = etude::tensor({1.0f, 2.0f, 0.0f, -1.0f});
  for (const int by : {1, 4, 16}) {
    const Tensor p = etude::softmax(some * by, 0);
    print(by, "largest weight", etude::format(p.max(), ".4f"), "largest derivative",
          etude::format((p * (1 - p)).max(), ".4f"));
  }

  //%% saturation_plot | From even to one
  cell("saturation_plot", "From even to one");
  /// The weights of the same four scores over the factor. At 0 all are a quarter; the further to
  /// the right, the more the largest takes. Dividing by $\sqrt{d}$ keeps a new model at the
  /// left, where every weight still moves.
  ///
  /// ![Softmax weights of four scores over a factor: they begin at one quarter, one line rises
  /// to one](saturation.svg)
  LinePlot plot;
  plot.title = "Weights of the scores 1, 2, 0, -1 times a factor";
  plot.description =
      "All begin at 0.25. The weight of score 2 rises to 1, the others fall to 0.";
  plot.x_label = "factor";
  plot.y_label = "weight";
  plot.series = {{"score 2", {}}, {"score 1", {}}, {"score 0", {}}, {"score -1", {}}};
  for (int i = 0; i <= 60; ++i) {
    plot.x.push_back(i / 10.0);
    const std::vector<double> p = values_of(etude::softmax(some * (i / 10.0), 0));
    const size_t place[] = {1, 0, 2, 3};
    for (size_t s = 0; s < 4; ++s) plot.series[s].y.push_back(p[place[s]]);
  }
  figure("saturation.svg", draw(plot));

  //%% softmax | From scores to weights
  cell("softmax", "From scores to weights");
  /// The weights of a word are to be positive and to add up to one, so that the mixture stays in
  /// the range of what is mixed. The softmax of each row does it:
  ///
  /// $$P_{ij} = \frac{e^{S_{ij} / \sqrt{d}}}{\sum_l e^{S_{il} / \sqrt{d}}}$$
  ///
  /// The row of *itself* puts most on *dog*. The row of *the* does too: an article looks for a
  /// thing. *Dog* looks for an action. Each row adds up to one, the columns need not: *dog* is
  /// popular.
  ///
  /// ```python
  /// scaled = scores / math.sqrt(4)
  /// powers = torch.exp(scaled)
  /// weights = powers / powers.sum(1, keepdim=True)
  /// print(weights)
  /// print(weights.sum(1))
  /// print(torch.allclose(weights, torch.softmax(scaled, dim=1)))
  /// ```
  const Tensor scaled = scores / std::sqrt(4.0);
  const Tensor powers = etude::exp(scaled);
  const Tensor weights = powers / powers.sum(1, true);
  print(weights);
  print(weights.sum(1));
  print(etude::allclose(weights, etude::softmax(scaled, 1)));

  //%% overflow | The largest is taken away first
  cell("overflow", "The largest is taken away first");
  /// $e^{100}$ is too large for 32 bits: infinity over infinity is not a number. Softmax does
  /// not change when the same number is taken from every score of a row, since it cancels in the
  /// fraction. So the largest is taken away, and then no power is larger than 1.
  ///
  /// ```python
  /// large = torch.tensor([100.0, 99.0, 97.0])
  /// print(torch.exp(large) / torch.exp(large).sum())
  /// shifted = torch.exp(large - large.max())
  /// print(shifted / shifted.sum())
  /// print(torch.softmax(large, dim=0))
  /// ```
  const Tensor large = etude::tensor({100.0f, 99.0f, 97.0f});
  print(etude::exp(large) / etude::exp(large).sum());
  const Tensor shifted = etude::exp(large - large.max());
  print(shifted / shifted.sum());
  print(etude::softmax(large, 0));

  //%% weights_plot | Who looks at whom
  cell("weights_plot", "Who looks at whom");
  /// The matrix of weights as a picture, the usual way to look into a model: in each row, where
  /// this word gets its information from.
  ///
  /// ![Weights of attention, four words by four: the, saw and itself look at dog, dog looks at
  /// saw](weights.svg)
  HeatMap map;
  map.title = "Weights of attention";
  map.description = "The, saw and itself look mostly at dog; dog looks mostly at saw.";
  map.x_label = "is asked";
  map.y_label = "asks";
  map.rows = map.columns = 4;
  map.row_names = map.column_names = words;
  map.values = values_of(weights);
  map.colours = Colours::sequential;
  figure("weights.svg", draw(map));

  //%% mixture | The weighted sum
  cell("mixture", "The weighted sum");
  /// What a word receives is the sum of all values, each with its weight:
  ///
  /// $$O = P V \qquad O_i = \sum_j P_{ij} V_j$$
  ///
  /// For *itself* once by a loop over the words, then all at once. The last line takes its
  /// second number, how much of a thing it is, apart: what each word has given to it.
  ///
  /// *Itself* was half a thing and a whole pointer, $(0, 0.5, 0, 1)$. Its thing has become 0.63,
  /// now its largest number, and its pointer 0.2. Of the 0.63, 0.53 come from *dog* and 0.1 from
  /// *itself*: what it was counts only with the weight that it gives to itself. In a
  /// [block](10_transformer_block.cpp) the word as it was is added to what it receives.
  ///
  /// ```python
  /// row = torch.zeros(4)
  /// for j in range(4):
  ///     row += weights[3, j] * v[j]
  /// print(row)
  /// output = weights @ v
  /// print(output)
  /// print(weights[3] * v[:, 1])
  /// ```
  Tensor row = etude::zeros({4});
  for (int64_t j = 0; j < 4; ++j) row += weights[3][j] * v[j];
  print(row);
  const Tensor output = etude::matmul(weights, v);
  print(output);
  print(weights[3] * v.select(1, 1));

  //%% order | The order does not matter
  cell("order", "The order does not matter");
  /// Nothing above says which word comes first. With the words in another order, every word
  /// receives the same as before: a sum has no order. *The dog saw itself* and *itself saw the
  /// dog* are the same to attention. This is why models add
  /// [positions](05_input_embedding.cpp) to the words.
  ///
  /// ```python
  /// other = torch.tensor([3, 2, 0, 1])
  /// moved = torch.softmax(q[other] @ k[other].T / 2, dim=1) @ v[other]
  /// print(torch.allclose(moved, output[other]))
  /// ```
  const Tensor other = etude::tensor({3, 2, 0, 1});
  const Tensor moved =
      etude::matmul(etude::softmax(etude::matmul(q.index({other}), k.index({other}).t()) / 2, 1),
                    v.index({other}));
  print(etude::allclose(moved, output.index({other})));

  //%% backward | Backwards, by hand
  cell("backward", "Backwards, by hand");
  /// Let *itself* be rewarded for what it has of a thing: the loss is $-O_{ij}$ in the row of
  /// *itself* and the column of things. With a bar for the gradient of the loss, the products
  /// give
  ///
  /// $$\bar{V} = P^\top \bar{O} \qquad \bar{P} = \bar{O} V^\top$$
  ///
  /// and the softmax, whose weights share one sum, gives each score what its weight gained above
  /// the average:
  ///
  /// $$\bar{S}_{ij} = \frac{P_{ij}}{\sqrt{d}} \Big(\bar{P}_{ij} - \sum_l P_{il}
  /// \bar{P}_{il}\Big)$$
  ///
  /// Printed are $\bar{S}$ and $\bar{V}$. Only the last row of scores has a gradient. It is
  /// negative for *dog*: a larger score there lowers the loss. It is positive for the others,
  /// and the row adds up to nothing, since weight is only moved from one word to another.
  ///
  /// ```python
  /// d_output = torch.zeros(4, 4)
  /// d_output[3, 1] = -1
  /// d_v = weights.T @ d_output
  /// d_weights = d_output @ v.T
  /// mean = (weights * d_weights).sum(1, keepdim=True)
  /// d_scores = weights * (d_weights - mean) / 2
  /// print(d_scores)
  /// print(d_v)
  /// ```
  Tensor d_output = etude::zeros({4, 4});
  d_output[3][1] = -1;
  const Tensor d_v = etude::matmul(weights.t(), d_output);
  const Tensor d_weights = etude::matmul(d_output, v.t());
  const Tensor mean = (weights * d_weights).sum(1, true);
  const Tensor d_scores = weights * (d_weights - mean) / 2;
  print(d_scores);
  print(d_v);

  //%% autograd | Backwards, by the graph
  cell("autograd", "Backwards, by the graph");
  /// From $S = Q K^\top$ follow the gradients of queries and keys, $\bar{Q} = \bar{S} K$ and
  /// $\bar{K} = \bar{S}^\top Q$. [Autograd](07_autograd.cpp) finds all three without being told
  /// any of these formulas.
  ///
  /// ```python
  /// leaves = [t.clone().requires_grad_() for t in (q, k, v)]
  /// p = torch.softmax(leaves[0] @ leaves[1].T / 2, dim=1)
  /// result = p @ leaves[2]
  /// (-result[3, 1]).backward()
  /// print(torch.allclose(leaves[0].grad, d_scores @ k, atol=1e-7))
  /// print(torch.allclose(leaves[1].grad, d_scores.T @ q, atol=1e-7))
  /// print(torch.allclose(leaves[2].grad, d_v, atol=1e-7))
  /// print(leaves[0].grad[3])
  /// ```
  const Tensor lq = q.clone().requires_grad_(), lk = k.clone().requires_grad_(),
               lv = v.clone().requires_grad_();
  const Tensor result = etude::matmul(etude::softmax(etude::matmul(lq, lk.t()) / 2, 1), lv);
  (-result[3][1]).backward();
  print(etude::allclose(lq.grad(), etude::matmul(d_scores, k), 1e-5, 1e-7));
  print(etude::allclose(lk.grad(), etude::matmul(d_scores.t(), q), 1e-5, 1e-7));
  print(etude::allclose(lv.grad(), d_v, 1e-5, 1e-7));
  print(lq.grad()[3]);

  //%% learning | Learning to look
  cell("learning", "Learning to look");
  /// Can the question be learned? Let a pointer ask nothing at first: its row of $W_Q$ is zero.
  /// Then only the half thing in *itself* asks, for an action, and *saw* gets the most weight. A
  /// few steps of descent on the same loss change that row. Printed are the weights of *itself*
  /// on the four words and, in the end, what a pointer has learned to ask for: a thing.
  ///
  /// ```python
  /// start = w_q.clone()
  /// start[3] = 0
  /// learned = start.requires_grad_()
  /// for step in range(41):
  ///     p = torch.softmax(x @ learned @ k.T / 2, dim=1)
  ///     if step % 20 == 0:
  ///         print(step, p[3].detach())
  ///     loss = -(p @ v)[3, 1]
  ///     learned.grad = None
  ///     loss.backward()
  ///     with torch.no_grad():
  ///         learned -= 2 * learned.grad
  /// print(learned.detach()[3])
  /// ```
  Tensor learned = w_q.clone();
  learned[3] = 0;
  learned.requires_grad_();
  for (int step = 0; step <= 40; ++step) {
    const Tensor p = etude::softmax(etude::matmul(etude::matmul(x, learned), k.t()) / 2, 1);
    if (step % 20 == 0) print(step, p[3].detach());
    const Tensor loss = -etude::matmul(p, v)[3][1];
    learned.mutable_grad().reset();
    loss.backward();
    const etude::NoGradGuard no_grad;
    learned -= 2 * learned.grad();
  }
  print(learned.detach()[3]);

  //%% functional | In one line
  cell("functional", "In one line");
  /// Etude's `scaled_dot_product_attention` does all of it: scores, scale, softmax, sum. It
  /// takes any dims before the last two, so that batches and heads go through it at once. The
  /// name is that of PyTorch 2. PyTorch 1.13 has no public function for it, and here its side
  /// spells the four steps out.
  ///
  /// ```python
  /// def attend(q, k, v):
  ///     scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
  ///     return torch.softmax(scores, dim=-1) @ v
  ///
  /// print(attend(q, k, v))
  /// ```
  const Tensor by_function = F::scaled_dot_product_attention(q, k, v);
  print(by_function);
  expect_close(by_function, output, 1e-6);

  //%% module | As a module with one head
  cell("module", "As a module with one head");
  /// `MultiheadAttention` owns the three matrices, one below the other in `in_proj_weight`, each
  /// transposed, as a linear layer holds its weight. A fourth, `out_proj`, follows the sum; here
  /// it does nothing. With one head and our matrices it gives our output, and on request our
  /// weights. What more heads are for is the subject of [the next page](09_heads_and_masks.cpp).
  ///
  /// ```python
  /// mha = nn.MultiheadAttention(4, 1, bias=False)
  /// with torch.no_grad():
  ///     mha.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_v.T]))
  ///     mha.out_proj.weight.copy_(torch.eye(4))
  /// sequence = x.unsqueeze(1)  # [words, sentences, width]
  /// y, p = mha(sequence, sequence, sequence)
  /// print(y.squeeze(1).detach())
  /// print(torch.allclose(p[0], weights, atol=1e-6))
  /// ```
  nn::MultiheadAttention mha(nn::MultiheadAttentionOptions(4, 1).bias(false));
  {
    const etude::NoGradGuard no_grad;
    mha->in_proj_weight.copy_(etude::cat({w_q.t(), w_k.t(), w_v.t()}));
    mha->out_proj->weight.copy_(etude::eye(4));
  }
  const Tensor sequence = x.unsqueeze(1);  // [words, sentences, width]
  const auto [y, p] = mha(sequence, sequence, sequence);
  print(y.squeeze(1).detach());
  print(etude::allclose(p[0], weights, 1e-5, 1e-6));
  expect_close(y.squeeze(1), output, 1e-6);

  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
