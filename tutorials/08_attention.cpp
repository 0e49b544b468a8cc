/// # Attention by hand
///
/// - You will be able to: compute the attention of four words by hand; say why scores are divided by $\sqrt{d}$; show what a word loses without a residual
/// - You need: products of matrices; what a derivative is, for the way back
/// - Minutes: 45
/// - Result: weights_plot
///
/// A word alone says little. *Itself* means nothing without the dog that it points to. So each
/// word of a sentence should be able to fetch something from the other words that matter to it,
/// and which words matter should be learned. Attention is the simplest machine that does this:
/// every word asks a question, every word offers an answer, and what fits best is mixed in.
///
/// Earlier networks read a sentence word after word, and one row of numbers had to hold all that
/// they had read. The longer the sentence was, the more of it they lost [3]. With attention each
/// word reaches every other word in one step, and all words are computed at the same time. It is
/// called *self-attention* where the words of a sentence look at words of the same sentence.
///
/// ```picture one_step From word to word
/// A network that reads word after word keeps one state, and the first word reaches the last one
/// only through every state between them. With attention each word reaches each word directly.
/// ```
///
/// ```diagram The way of four words through attention
/// x: the dog saw itself [4, 4]
/// q: (x W_Q) [4, 4] | k: (x W_K) [4, 4] | v: (x W_V) [4, 4]
/// s: (q k^T / 2) [4, 4]
/// p: (softmax) [4, 4]
/// o: (p v) [4, 4]
/// y: (x + o) [4, 4]
/// x -> q ; x -> k ; x -> v
/// q -> s -> p -> o -> y ; k -> s ; v -> o
/// x -> y
/// ```
///
/// Queries, keys and values are matrices $Q$, $K$ and $V$ with one row of $d$ numbers per word,
/// and all of attention is one formula, the *scaled dot-product attention* of Vaswani et al. [1]:
///
/// $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\Big(\frac{Q
/// K^\top}{\sqrt{d}}\Big)\, V$$
///
/// Softmax turns the numbers of a row into positive weights that add up to one. Here all of it is
/// computed for four words with readable numbers: first the parts of the formula, from the inside
/// outwards, then the way back. In the end one line of the library does the same.
///
/// The numbers are in tensors, which are grids of any number of dims. A comment beside the code
/// gives the shape: `[4, 4]` is four rows of four.

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
  /// *The dog saw itself.* In a trained model a word is some hundred numbers that nobody chose:
  /// what the [input embedding](05_input_embedding.cpp) or the layer before gives. Here it is
  /// four numbers with names: how much of an article, of a thing, of an action and of a pointer
  /// it is. *The*, *dog* and *saw* are each one of these. *Itself* is a pointer, and half a
  /// thing.
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
                                  {0.0f, 0.5f, 0.0f, 1.0f}});  // [4, 4]
  print(x);

  //%% queries | What each word asks and offers
  cell("queries", "What each word asks and offers");
  /// Three matrices turn each word into three vectors:
  ///
  /// $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
  ///
  /// the *query*, what it looks for; the *key*, by which it is found; and the *value*, what it
  /// hands over when it is found. They differ because asking, offering and giving differ: a
  /// pointer looks for a thing, and is not one.
  ///
  /// The three names come from databases, which look for the key that is equal to a query and
  /// hand out its value. Attention is a soft lookup: no key has to be equal, and it hands out all
  /// values, each with a weight that says how well its key fits. The same three matrices serve a
  /// sentence of any length.
  ///
  /// In a model the matrices are learned. Here they are set by hand. $W_Q$ has a row for each
  /// kind of word, which says what this kind looks for: an article looks for a thing, a thing for
  /// an action, an action for a thing, and a pointer for a thing. $W_K$ changes nothing: a word
  /// is found by what it is. $W_V$ lets only things and actions pass. An article and a pointer
  /// help to find a word, and have nothing to hand over.
  ///
  /// The factor 4 is the emphasis of the question. The next cell computes how well each query
  /// fits each key. This number is the *score*: 4 where the two fit, and 0 where they do
  /// not. *Itself* is half a thing, so a word that looks for a thing finds it with the score 2. And
  /// half a thing looks for an action with half the emphasis, so the score of *itself* with *saw*
  /// is 2, too. In the softmax each score, divided by $\sqrt{4}$, becomes an exponent of $e$. So
  /// what fits gets $e^2 = 7.4$ times the weight of what does not. With a factor of 1 it would
  /// get $e^{0.5} = 1.6$ times the weight, and all words would look alike. A trained model finds
  /// the emphasis by itself, as the size of its weights.
  ///
  /// ```python
  /// w_q = 4 * torch.tensor([[0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 0.0, 1.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0]])
  /// w_k = torch.eye(4)
  /// w_v = torch.tensor([[0.0, 0.0, 0.0, 0.0],
  ///                     [0.0, 1.0, 0.0, 0.0],
  ///                     [0.0, 0.0, 1.0, 0.0],
  ///                     [0.0, 0.0, 0.0, 0.0]])
  /// q, k, v = x @ w_q, x @ w_k, x @ w_v
  /// print(q)
  /// print(k)
  /// print(v)
  /// ```
  const double emphasis = parameter("emphasis", 4.0, 0.0, 8.0);
  const Tensor w_q = emphasis * etude::tensor({{0.0f, 1.0f, 0.0f, 0.0f},
                                               {0.0f, 0.0f, 1.0f, 0.0f},
                                               {0.0f, 1.0f, 0.0f, 0.0f},
                                               {0.0f, 1.0f, 0.0f, 0.0f}});
  const Tensor w_k = etude::eye(4);
  const Tensor w_v = etude::tensor({{0.0f, 0.0f, 0.0f, 0.0f},
                                    {0.0f, 1.0f, 0.0f, 0.0f},
                                    {0.0f, 0.0f, 1.0f, 0.0f},
                                    {0.0f, 0.0f, 0.0f, 0.0f}});
  const Tensor q = etude::matmul(x, w_q);  // [4, 4]
  const Tensor k = etude::matmul(x, w_k);  // [4, 4]
  const Tensor v = etude::matmul(x, w_v);  // [4, 4]
  print(q);
  print(k);
  print(v);

  //%% scores | Scores
  cell("scores", "Scores");
  /// The dot product says how well a query and a key fit: it is large where both are large in the
  /// same places. There are other measures, such as a small network that is given both vectors
  /// [3]. The dot product costs less, and one matrix product computes it for all pairs at once,
  ///
  /// $$S = Q K^\top \qquad S_{ij} = \sum_c Q_{ic} K_{jc}$$
  ///
  /// with a row for each word that asks and a column for each word that is asked. First a loop
  /// computes one number, for which *itself* asks *dog*. Then comes the matrix.
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
  const Tensor scores = etude::matmul(q, k.t());  // [4, 4]: asks, is asked
  print(scores);

  //%% variance | Why the scores are scaled
  cell("variance", "Why the scores are scaled");
  /// A dot product is a sum of $d$ products. The *variance* of random numbers says how far they
  /// spread: it is the mean of their squared distances from their mean. Let all numbers be random
  /// and *independent*, that is, none tells anything about another one. Let their mean be 0 and
  /// their variance 1. Then each product has mean 0 and variance 1, too, and the variance of the
  /// sum is $d$:
  ///
  /// $$\operatorname{Var}\Big(\sum_{c=1}^{d} q_c k_c\Big) = \sum_{c=1}^{d}
  /// \operatorname{Var}(q_c k_c) = d$$
  ///
  /// A wider model would have larger scores for no reason but its width. The root of the variance
  /// is the *standard deviation*, about the size of a typical score. Here it is $\sqrt{d}$, and
  /// dividing by it brings the variance back to 1; this is the argument of the paper, in a
  /// footnote of section 3.2.1 [1]. Below, the variance is measured on 2000 random pairs per
  /// width:
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
  /// This is what breaks without the scale. The softmax turns scores into weights, and the
  /// derivative of a weight by its own score is $p(1 - p)$: zero where $p$ is 0 or 1. Below are
  /// four scores, then the same times 4 and times 16. The weights turn into a choice of one, the
  /// derivatives vanish, and a wrong choice can no longer be unlearned.
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
  /// The picture shows the weights of the same four scores over the factor. At 0 each weight is a
  /// quarter, and the mixture is a mean. Further to the right, the largest score takes more and
  /// more, until one word alone is looked up. Dividing by $\sqrt{d}$ keeps a new model on the
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
  /// The weights of a word have to be positive and to add up to one, so that the mixture stays in
  /// the range of what is mixed. The softmax of each row does this:
  ///
  /// $$P_{ij} = \frac{e^{S_{ij} / \sqrt{d}}}{\sum_l e^{S_{il} / \sqrt{d}}}$$
  ///
  /// *Itself* puts most of its weight on *dog*, and so does *the*, since an article looks for a
  /// thing. *Dog* looks for an action. In the first row *dog* has indeed $e^2 = 7.4$ times the
  /// weight of *the*. Each row adds up to one; the columns need not: *dog* is popular.
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
  const Tensor weights = powers / powers.sum(1, true);  // [4, 4], each row adds up to one
  print(weights);
  print(weights.sum(1));
  print(etude::allclose(weights, etude::softmax(scaled, 1)));

  //%% overflow | The largest is taken away first
  cell("overflow", "The largest is taken away first");
  /// Written as above, the softmax breaks: $e^{100}$ is too large for 32 bits, and infinity over
  /// infinity is not a number. But its result stays the same when the same number is subtracted
  /// from every score of a row, since that cancels in the fraction. So the library subtracts the
  /// largest score first, and then no power is larger than 1.
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
  /// Here is the matrix of weights as a picture, which is the usual way to look into a model.
  /// Each row shows where its word gets its information from. Such a picture is a hint and no
  /// proof: a large weight on a value of small numbers changes little.
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
  map.range = {{0, 1}};
  figure("weights.svg", draw(map));

  //%% mixture | The weighted sum
  cell("mixture", "The weighted sum");
  /// What a word receives is the sum of all values, each with its weight:
  ///
  /// $$O = P V \qquad O_i = \sum_j P_{ij} V_j$$
  ///
  /// A loop over the words computes it for *itself*; then one product computes it for all words.
  /// The last line takes the second number of *itself*, how much of a thing it has received, and
  /// splits it into what each word has given.
  ///
  /// *Itself* was half a thing. It has received 0.63 of a thing: 0.53 from *dog* and 0.1 from its
  /// own half. It has found out what it points to.
  ///
  /// Change `emphasis` [above](#queries): at 0 every weight is a quarter, and the larger it is, the
  /// more *itself* takes from *dog*.
  ///
  /// ```picture one_word Q, K and V of one word
  /// Three products turn the last word into a query, a key and a value. The query is multiplied
  /// with the keys of all four words, the softmax of these scores gives their weights, and the
  /// values, each with its weight, add up to what the word gets.
  /// ```
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
  const Tensor output = etude::matmul(weights, v);  // [4, 4]
  print(output);
  print(weights[3] * v.select(1, 1));

  //%% keys_and_values | Found by one thing, giving another
  cell("keys_and_values", "Found by one thing, giving another");
  /// Why are values not simply the keys? Because what makes a word easy to find is not what
  /// others need of it. Below is what *itself* would receive if every word handed over its key,
  /// and what it does receive. With the keys, 0.07 of an article and 0.20 of its own pointer would
  /// arrive, which it did not ask for: *the* and *itself* have 0.27 of the weights. With the
  /// values, only things and actions arrive.
  ///
  /// ```python
  /// print((weights @ k)[3])
  /// print((weights @ v)[3])
  /// ```
  print(etude::matmul(weights, k)[3]);
  print(etude::matmul(weights, v)[3]);

  //%% residual | What a word was
  cell("residual", "What a word was");
  /// One thing is missing. Below are *dog* as it was, what it receives, and the sum of both. It
  /// looks for an action, so it receives 0.71 of an action and 0.14 of a thing: taken alone, $O$
  /// says that a dog is an action. In the same way *the* is no longer an article and *itself* no
  /// longer a pointer. A word that does not ask for itself is lost.
  ///
  /// In the sum nothing is lost: *dog* is a thing, and one that saw. *Itself*, in the last row of
  /// all sums, is a pointer and knows what it points to. So a transformer never uses $O$ alone
  /// but always $X + O$. The sum is called a *residual connection* [2], and every
  /// [block](10_transformer_block.cpp) has two of them.
  ///
  /// ```python
  /// print(x[1])
  /// print(output[1])
  /// print(x[1] + output[1])
  /// print(x + output)
  /// ```
  print(x[1]);
  print(output[1]);
  print(x[1] + output[1]);
  print(x + output);  // [4, 4]

  //%% order | The order does not matter
  cell("order", "The order does not matter");
  /// There is one thing that attention cannot do. Nothing above says which word comes first, and
  /// a sum has no order: with the words in another order, every word receives the same as before.
  /// *The dog saw itself* and *itself saw the dog* are the same to attention. This is why models
  /// add [positions](05_input_embedding.cpp) to the words.
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
  /// Learning needs a number that says how wrong a result is, the *loss*, and makes it smaller.
  /// Suppose *itself* should receive as much of a thing as it can. Then the loss is $-O_{ij}$,
  /// where $i$ is the row of *itself* and $j$ the column of things. A bar stands for a gradient:
  /// each number of $\bar{V}$ says how fast the loss grows with the number of $V$ in the same
  /// place. The products give
  ///
  /// $$\bar{V} = P^\top \bar{O} \qquad \bar{P} = \bar{O} V^\top$$
  ///
  /// and the softmax, whose weights share one sum, gives each score what its weight gained above
  /// the average:
  ///
  /// $$\bar{S}_{ij} = \frac{P_{ij}}{\sqrt{d}} \Big(\bar{P}_{ij} - \sum_l P_{il}
  /// \bar{P}_{il}\Big)$$
  ///
  /// The output shows $\bar{S}$ and $\bar{V}$. Only the last row of scores has a gradient. It is
  /// negative for *dog*: a larger score there lowers the loss. It is positive for *the* and
  /// *saw*, which have no thing to give, and the row adds up to zero, since weight is only moved
  /// from one word to another. The half thing of *itself* is just below the average, and its
  /// score matters little.
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
  /// The gradients of queries and keys follow from $S = Q K^\top$. They are $\bar{Q} = \bar{S} K$
  /// and $\bar{K} = \bar{S}^\top Q$. [Autograd](07_autograd.cpp) finds the gradients of $Q$, $K$
  /// and $V$ without being told any of these formulas.
  ///
  /// `requires_grad_` marks the tensors that shall have a gradient. `backward` goes back from the
  /// loss to them, and then each has its gradient in `grad`. How this works is a lesson of its
  /// own; here it is enough that it does.
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
  /// Can the question be learned? At first let a pointer ask for nothing: its row of $W_Q$ is
  /// zero. Then only the half thing in *itself* asks, for an action, and *saw* gets the most
  /// weight. *Gradient descent* on the same loss changes that. The loop below makes forty-one
  /// updates, small steps against the gradient: each subtracts the gradient times 2 from $W_Q$,
  /// so that the loss falls. An update is no part of the loss, so nothing of it is recorded for
  /// `backward`: this is what `no_grad` says. The output shows the weights of *itself* on the
  /// four words before the first update, after 20 and after 40, and in the end, after the last
  /// one, what a pointer has learned to ask for: a thing.
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
  const int64_t steps = parameter("steps", 40, 20, 400, 20);
  const double rate = parameter("rate", 2.0, 0.1, 10.0);
  for (int64_t step = 0; step <= steps; ++step) {
    const Tensor p = etude::softmax(etude::matmul(etude::matmul(x, learned), k.t()) / 2, 1);
    if (step % 20 == 0) print(step, p[3].detach());
    const Tensor loss = -etude::matmul(p, v)[3][1];
    learned.mutable_grad().reset();
    loss.backward();
    const etude::NoGradGuard no_grad;
    learned -= rate * learned.grad();
  }
  print(learned.detach()[3]);

  //%% functional | In one line
  cell("functional", "In one line");
  /// Etude's `scaled_dot_product_attention` does all of it: scores, scale, softmax, sum. It takes
  /// any dims before the last two, so that many sentences go through it at once. The name is that
  /// of PyTorch 2. PyTorch 1.13 has no public function for it, so its side spells out the four
  /// steps.
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
  /// `MultiheadAttention` owns the three matrices. They are stacked in `in_proj_weight`,
  /// `[12, 4]`, each transposed, since the module multiplies by the transpose of what it holds. A
  /// fourth, `out_proj`, follows the sum; here it does nothing. With one head and our matrices
  /// the module gives our output and our weights. [The next lesson](09_heads_and_masks.cpp) says
  /// what more heads are for.
  ///
  /// ```python
  /// mha = nn.MultiheadAttention(4, 1, bias=False)
  /// with torch.no_grad():
  ///     mha.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_v.T]))
  ///     mha.out_proj.weight.copy_(torch.eye(4))
  /// sequence = x.unsqueeze(1)  # words, sentences, width
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
  const Tensor sequence = x.unsqueeze(1);  // [4, 1, 4]: words, sentences, width
  const auto [y, p] = mha(sequence, sequence, sequence);
  print(y.squeeze(1).detach());
  print(etude::allclose(p[0], weights, 1e-5, 1e-6));
  expect_close(y.squeeze(1), output, 1e-6);

  //%% exercise1 | Without the scale
  cell("exercise1", "Without the scale");
  /// How much weight does *itself* put on each word if its scores are not divided by
  /// $\sqrt{4}$? First guess what becomes of the 0.53 that *dog* has with the scale. Then put the
  /// four weights into `answer`, `[4]`.
  {
    Tensor answer;
    //%% answer
    /// This is the same softmax of the same row, without the division. *Dog* now has $e^4 = 55$
    /// times the weight of *the* and $e^2$ times that of *itself*: the choice is nearly made.
    ///
    /// ```python
    /// answer = torch.softmax(scores[3], dim=0)
    /// print(answer)
    /// ```
    answer = etude::softmax(scores[3], 0);
    //%% end answer
    expect(answer.defined() && answer.dim() == 1, "answer holds one weight per word");
    expect(std::abs(answer.sum().item<double>() - 1) < 1e-6, "the weights add up to one");
    const double apart = (scores[3][1] - scores[3][3]).item<double>();
    expect(std::abs((answer[1] / answer[3]).log().item<double>() - apart) < 1e-5,
           "dog has e to the difference of their scores times the weight of itself");
    print(answer);
  }

  //%% exercise2 | A mixture that is not one
  cell("exercise2", "A mixture that is not one");
  /// The line below was meant to compute what the words receive. It raises no error, its shape
  /// `[4, 4]` is right, and its numbers are wrong: some words receive too much, others too
  /// little. Find out which sums are one and which ones should be, and put the right mixture into
  /// `received`.
  {
    Tensor received = etude::matmul(etude::softmax(scaled, 0), v);
    //%% answer
    /// The softmax went down the columns: for each word that *is asked*, the weights added up to
    /// one. It has to go along the rows, over the words that are asked.
    ///
    /// ```python
    /// received = torch.softmax(scaled, dim=1) @ v
    /// print(received)
    /// ```
    received = etude::matmul(etude::softmax(scaled, 1), v);
    //%% end answer
    expect(etude::allclose(received, output), "every word receives what it received above");
    print(received);
  }

  //%% exercise3 | The gradient of a popular word
  cell("exercise3", "The gradient of a popular word");
  /// Now let the loss be the sum of all sixteen numbers of $O$. Write down the gradient of $V$,
  /// `[4, 4]`, without autograd, from `weights` and one more tensor, into `answer`. Which word
  /// has the largest gradient, and why?
  {
    const Tensor leaf = v.clone().requires_grad_();
    etude::matmul(weights, leaf).sum().backward();
    Tensor answer;
    //%% answer
    /// $\bar{V} = P^\top \bar{O}$ with ones for $\bar{O}$. Each row is the sum of a column of $P$:
    /// *dog* is asked the most, so its value has the largest say in the loss.
    ///
    /// ```python
    /// answer = weights.T @ torch.ones(4, 4)
    /// print(answer)
    /// ```
    answer = etude::matmul(weights.t(), etude::ones({4, 4}));
    //%% end answer
    expect(answer.defined() && answer.dim() == 2, "answer is a matrix");
    expect(etude::allclose(answer, leaf.grad()), "autograd finds the same gradient");
    print(answer);
  }

  //%% summary
  /// 1. Attention is $\operatorname{softmax}(Q K^\top / \sqrt{d})\, V$: each word mixes the values of all words, weighted by how well its query fits their keys.
  /// 2. Queries, keys and values are three products of the same words, since asking, being found and giving are three different things.
  /// 3. Scores are divided by $\sqrt{d}$ so that their size does not depend on the width and the softmax can still learn.
  /// 4. The residual $X + O$ keeps what a word was; $O$ alone loses it.
  /// 5. Attention does not see the order of words, and its way back is four products and one formula for the softmax.

  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, section 3.2.1: the formula and its scale
  /// 2. K. He et al., [Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385), 2016, section 3: sums that carry the input past a layer
  /// 3. D. Bahdanau et al., [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473), 2014, sections 1 and 3: what long sentences lose in one row of numbers, and learned weights over their words, before there were transformers
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
