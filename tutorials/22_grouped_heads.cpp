/// # Grouped heads
///
/// - You will be able to: say how many bytes a model keeps per token; let several heads of queries
///   share one head of keys and values without copying it; make grouped heads of a trained model
/// - You need: [many heads](09_heads_and_masks.cpp), [a key-value cache](12_sampling.cpp)
/// - Minutes: 35
/// - Result: cost_plot
///
/// A model that writes keeps the keys and values of all tokens before. With many heads this
/// cache becomes larger than the model, and all of it is read for each new token. Noam Shazeer
/// asked in 2019 whether each head needs keys of its own [1]. It does not: all queries can ask
/// the same keys. This is *multi-query attention*. A little is lost, so Joshua Ainslie and
/// others went half of the way back [2]: a few heads of keys and values, each for a *group* of
/// queries. Most models of today have *grouped heads*.
///
/// ```diagram Four heads of queries, two of keys and values
/// x: the dog saw itself [4, 4]
/// q0: q 0 [4, 2] | q1: q 1 [4, 2] | q2: q 2 [4, 2] | q3: q 3 [4, 2]
/// kv0: k 0, v 0 [4, 2] | kv1: k 1, v 1 [4, 2]
/// g0: (two heads) [2, 4, 2] | g1: (two heads) [2, 4, 2]
/// o: (side by side) [4, 8]
/// x -> q0 ; x -> q1 ; x -> q2 ; x -> q3
/// q0 -> kv0 ; q1 -> kv0 ; q2 -> kv1 ; q3 -> kv1
/// kv0 -> g0 ; kv1 -> g1
/// g0 -> o ; g1 -> o
/// ```
///
/// The lesson begins with the bytes. Then grouped heads are built by hand: with copies, without
/// copies, with a bug, and on the way back. In the end a small model with four heads is trained,
/// and its keys are merged.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% cost | What a token leaves behind
/// In each layer a token leaves a key and a value for each head of keys. With $L$ layers, $k$
/// such heads of width $w$, and numbers of $b$ bytes, that is
///
/// $$2\, L\, k\, w\, b$$
///
/// bytes per token. The number of queries does not matter, since queries are not kept: nobody
/// asks an old question again.
///
/// Here are five models in 16 bits. The output shows the heads of queries and of keys, the bytes
/// of a token, and the gibibytes of 8,192 tokens: with these heads, and with keys for each head
/// of queries. Llama 2 7B [3] has no groups. Falcon 7B [4] has one head of keys for all, and
/// Mistral 7B [5] and Llama 3 [6] have eight.
///
/// ```python
/// import math
/// import torch
/// import torch.nn.functional as F
///
/// models = {  # layers, heads of queries, heads of keys, width
///     "Llama 2 7B": (32, 32, 32, 128),
///     "Falcon 7B": (32, 71, 1, 64),
///     "Mistral 7B": (32, 32, 8, 128),
///     "Llama 3 8B": (32, 32, 8, 128),
///     "Llama 3 70B": (80, 64, 8, 128),
/// }
///
/// def per_token(layers, kv, width):
///     return 2 * layers * kv * width * 2
///
/// def gib(number):
///     return f"{number / 2 ** 30:.2f}"
///
/// tokens = 8192
/// for name, (layers, heads, kv, width) in models.items():
///     print(name, heads, kv, per_token(layers, kv, width),
///           gib(tokens * per_token(layers, kv, width)),
///           gib(tokens * per_token(layers, heads, width)))
/// ```
#include <etude/etude.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;
using Weights = std::map<std::string, Tensor>;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "22_grouped_heads");
  cell("cost", "What a token leaves behind");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  struct Model {
    std::string name;
    int64_t layers, heads, kv, width;
  };
  const std::vector<Model> models{{"Llama 2 7B", 32, 32, 32, 128},
                                  {"Falcon 7B", 32, 71, 1, 64},
                                  {"Mistral 7B", 32, 32, 8, 128},
                                  {"Llama 3 8B", 32, 32, 8, 128},
                                  {"Llama 3 70B", 80, 64, 8, 128}};
  const auto per_token = [](int64_t layers, int64_t kv, int64_t width) {
    return 2 * layers * kv * width * 2;
  };
  const auto formatted = [](double v, const char* spec) {
    return etude::format(etude::tensor(v, etude::kDouble), spec);
  };
  const auto gib = [](double bytes) { return bytes / std::pow(2.0, 30); };
  const int64_t tokens = parameter("tokens", 8192, 1024, 131072, 1024);
  for (const auto& [name, layers, heads, kv, width] : models) {
    const auto bytes = static_cast<double>(tokens * per_token(layers, kv, width));
    const auto own = static_cast<double>(tokens * per_token(layers, heads, width));
    print(name, heads, kv, per_token(layers, kv, width), formatted(gib(bytes), ".2f"),
          formatted(gib(own), ".2f"));
  }

  //%% cost_plot | The cache against the weights
  cell("cost_plot", "The cache against the weights");
  /// Llama 3 8B has 15 GiB of weights in 16 bits. The cache comes in addition, once for each
  /// text that is written at the same time. With 32 heads of keys it would reach the weights at
  /// 31,000 tokens, with eight at 123,000. With one head it hardly counts.
  ///
  /// And it is not only space. For each new token all weights and the whole cache are [read from
  /// memory](20_cost.cpp), and reading is what takes the time. Weights are read once for all
  /// texts of a batch, but each text has a cache of its own.
  ///
  /// ![Gibibytes of the cache over the tokens: 32 heads rise to 64, eight to 16, one to 2, and
  /// the weights are a level line at 15](cost.svg)
  const int64_t texts = parameter("texts", 1, 1, 64);
  LinePlot cost;
  cost.title = "Cache of Llama 3 8B, by heads of keys and values";
  cost.description =
      "At 131,072 tokens 32 heads need 64 GiB, eight need 16, one needs 2. The weights need 15.";
  cost.x_label = "tokens";
  cost.y_label = "GiB";
  cost.x_scale = Scale::powers_of_two;
  cost.series = {{"32 heads", {}}, {"8 heads", {}}, {"1 head", {}}, {"weights", {}}};
  for (int64_t n = 1024; n <= 131072; n *= 2) {
    cost.x.push_back(static_cast<double>(n));
    size_t i = 0;
    for (const int64_t kv : {32, 8, 1})
      cost.series[i++].y.push_back(gib(static_cast<double>(texts * n * per_token(32, kv, 128))));
    cost.series[i].y.push_back(gib(2 * 8030261248.0));
  }
  figure("cost.svg", draw(cost));

  //%% questions | The same keys, two questions
  cell("questions", "The same keys, two questions");
  /// Why can heads share their keys? Because a head is above all a *question*. In [lesson
  /// 9](09_heads_and_masks.cpp) each word was an article, a thing, an action or a pointer, and
  /// *dog* looked for its article in one head and for its action in the other. Each head had
  /// keys of its own: four numbers for a word.
  ///
  /// Here one head of keys has to be enough, two numbers for a word. The four kinds lie on a
  /// circle: articles to the right, things above, actions to the left, pointers below. A
  /// question is a direction. *Dog* asks to the right in head 0, and to the left in head 1. The
  /// output shows the keys, and whom *dog* looks at in each head.
  ///
  /// Something is lost, too. With keys of its own, a head can leave out what does not matter to
  /// it. On a common circle, to ask for articles is to turn away from actions.
  ///
  /// ```python
  /// sentence = torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                          [0.0, 1.0, 0.0, 0.0],
  ///                          [0.0, 0.0, 1.0, 0.0],
  ///                          [0.0, 0.5, 0.0, 1.0]])
  /// circle = torch.tensor([[1.0, 0.0],
  ///                        [0.0, 1.0],
  ///                        [-1.0, 0.0],
  ///                        [0.0, -1.0]])
  /// keys = sentence @ circle
  /// dog_asks = 4 * torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
  /// print(keys)
  /// print(torch.softmax(dog_asks @ keys.T / math.sqrt(2), dim=1))
  /// ```
  const Tensor sentence = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                         {0.0f, 1.0f, 0.0f, 0.0f},
                                         {0.0f, 0.0f, 1.0f, 0.0f},
                                         {0.0f, 0.5f, 0.0f, 1.0f}});
  const Tensor circle =
      etude::tensor({{1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, 0.0f}, {0.0f, -1.0f}});
  const Tensor keys = etude::matmul(sentence, circle);
  const Tensor dog_asks = 4 * etude::tensor({{1.0f, 0.0f}, {-1.0f, 0.0f}});
  print(keys);
  print(etude::softmax(etude::matmul(dog_asks, keys.t()) / std::sqrt(2.0), 1));

  //%% repeated | In groups, with copies
  cell("repeated", "In groups, with copies");
  /// Now there are four heads of queries and two of keys and values, all of width 2, with random
  /// weights. Heads 0 and 1 are group 0, heads 2 and 3 are group 1. So head $h$ has the keys
  ///
  /// $$\tilde k_h = k_{\lfloor h / g \rfloor}, \qquad g = \frac{\text{heads}}{\text{heads of
  /// keys}}$$
  ///
  /// The simplest way is to write each head of keys $g$ times, with `repeat_interleave`, and to
  /// go on as always. With as many heads of keys as of queries this is ordinary attention. With
  /// one it is Shazeer's. The output shows the shapes, and what head 1 gives.
  ///
  /// ```python
  /// kv = 2
  /// group = 4 // kv
  /// torch.manual_seed(0)
  /// w_q, w_k, w_v = (torch.randn(4, 2 * n) for n in (4, kv, kv))
  ///
  /// def by_head(x):  # [words, heads * 2] -> [heads, words, 2]
  ///     return x.view(4, -1, 2).transpose(0, 1)
  ///
  /// q, k, v = (by_head(sentence @ w) for w in (w_q, w_k, w_v))
  /// later = torch.ones(4, 4, dtype=torch.bool).triu(1)
  ///
  /// def weights_of(scores):
  ///     scores = (scores / math.sqrt(2)).masked_fill(later, -math.inf)
  ///     return torch.softmax(scores, dim=-1)
  ///
  /// def attention(q, k, v):
  ///     return weights_of(q @ k.transpose(-2, -1)) @ v
  ///
  /// each_k = k.repeat_interleave(group, 0)
  /// each_v = v.repeat_interleave(group, 0)
  /// out = attention(q, each_k, each_v)
  /// print(q.shape, k.shape, each_k.shape)
  /// print(out[1])
  /// ```
  const int64_t kv = std::stoi(parameter("kv_heads", "2", {"1", "2", "4"}));
  const int64_t group = 4 / kv;
  etude::manual_seed(0);
  const Tensor w_q = etude::randn({4, 8});
  const Tensor w_k = etude::randn({4, 2 * kv}), w_v = etude::randn({4, 2 * kv});
  const auto by_head = [](const Tensor& x) {  // [words, heads * 2] -> [heads, words, 2]
    return x.view({4, -1, 2}).transpose(0, 1);
  };
  const Tensor q = by_head(etude::matmul(sentence, w_q));
  const Tensor k = by_head(etude::matmul(sentence, w_k));
  const Tensor v = by_head(etude::matmul(sentence, w_v));
  const Tensor later = etude::ones({4, 4}, etude::kBool).triu(1);
  const auto weights_of = [&](const Tensor& scores) {
    return etude::softmax((scores / std::sqrt(2.0)).masked_fill(later, -INFINITY), -1);
  };
  const auto attention = [&](const Tensor& of_q, const Tensor& of_k, const Tensor& of_v) {
    return etude::matmul(weights_of(etude::matmul(of_q, of_k.transpose(-2, -1))), of_v);
  };

  const Tensor each_k = k.repeat_interleave(group, 0), each_v = v.repeat_interleave(group, 0);
  const Tensor out = attention(q, each_k, each_v);
  print(q.sizes(), k.sizes(), each_k.sizes());
  print(out[1]);

  //%% rows | In groups, without copies
  cell("rows", "In groups, without copies");
  /// A copy gives away what was won. The cache is small, but for each token it would be expanded
  /// again, and read in that size. There are two ways without copies.
  ///
  /// The first is to *broadcast*. Queries as `[kv, group, words, 2]`, keys as `[kv, 1, words,
  /// 2]`: the product repeats the keys along the dim of size 1. Expanded, they have a stride of
  /// 0 there: a step from head to head of the group does not move in memory. But a product may
  /// copy what it is given in this form, and PyTorch's does.
  ///
  /// The second way needs no trick. Queries of a group meet the same keys, and a product takes
  /// as many rows as one likes. So the queries of a group are written below each other, as if
  /// they were a longer text: `[kv, group * words, 2]`. Then there is one product for each head
  /// of keys.
  ///
  /// The output shows the numbers in `k` and in its copies, the strides of the expanded keys,
  /// and whether both ways give what the copies gave.
  ///
  /// ```python
  /// def broadcast(q, k, v):
  ///     by_group = q.reshape(kv, group, 4, 2)
  ///     out = attention(by_group, k.unsqueeze(1), v.unsqueeze(1))
  ///     return out.view(4, 4, 2)
  ///
  /// def in_rows(q, k, v):
  ///     rows = q.reshape(kv, group * 4, 2)
  ///     scores = (rows @ k.transpose(1, 2)).view(4, 4, 4)
  ///     weights = weights_of(scores).view(kv, group * 4, 4)
  ///     return (weights @ v).view(4, 4, 2)
  ///
  /// print(k.numel(), each_k.numel())
  /// print(k.unsqueeze(1).expand(kv, group, 4, 2).stride())
  /// print(torch.allclose(broadcast(q, k, v), out, atol=1e-6),
  ///       torch.allclose(in_rows(q, k, v), out, atol=1e-6))
  /// ```
  const auto broadcast = [&](const Tensor& of_q, const Tensor& of_k, const Tensor& of_v) {
    const Tensor by_group = of_q.reshape({kv, group, 4, 2});
    return attention(by_group, of_k.unsqueeze(1), of_v.unsqueeze(1)).view({4, 4, 2});
  };
  const auto in_rows = [&](const Tensor& of_q, const Tensor& of_k, const Tensor& of_v) {
    const Tensor rows = of_q.reshape({kv, group * 4, 2});
    const Tensor scores = etude::matmul(rows, of_k.transpose(1, 2)).view({4, 4, 4});
    const Tensor weights = weights_of(scores).view({kv, group * 4, 4});
    return etude::matmul(weights, of_v).view({4, 4, 2});
  };
  print(k.numel(), each_k.numel());
  print(python_tuple(k.unsqueeze(1).expand({kv, group, 4, 2}).strides()));
  print(etude::allclose(broadcast(q, k, v), out, 1e-5, 1e-6),
        etude::allclose(in_rows(q, k, v), out, 1e-5, 1e-6));

  //%% which | Which heads share
  cell("which", "Which heads share");
  /// Here is a bug that nobody sees. `repeat` writes the whole tensor again: key heads 0, 1, 0,
  /// 1 where `repeat_interleave` writes 0, 0, 1, 1. Then head `h` has the keys of `h % kv` in
  /// place of `h / group`. All shapes fit, and a model that is *trained* in this way learns
  /// equally well, since nothing is special about the order. But a model that is *loaded* was
  /// trained with neighbours sharing. Half of its heads get the keys of another group, and it
  /// talks nonsense.
  ///
  /// The output shows, for each of the four heads, whether it is still right. The first and the
  /// last are, so a test that looks at head 0 alone finds nothing.
  ///
  /// ```python
  /// wrong = attention(q, k.repeat(group, 1, 1), v.repeat(group, 1, 1))
  /// print([torch.allclose(wrong[h], out[h]) for h in range(4)])
  /// ```
  const Tensor wrong = attention(q, k.repeat({group, 1, 1}), v.repeat({group, 1, 1}));
  std::vector<uint8_t> right;
  for (int64_t h = 0; h < 4; ++h) right.push_back(etude::allclose(wrong[h], out[h]));
  print(etude::tolist(etude::tensor(right).to(etude::kBool)));

  //%% which_plot | Two ways to share
  cell("which_plot", "Two ways to share");
  /// The picture shows eight heads of queries and two of keys: on the left as it is meant, on
  /// the right with the bug. Half of the heads are the same.
  ///
  /// ![Two maps of eight heads of queries and two of keys: to the left the first four have key
  /// head 0, to the right every other one](which.svg)
  Subplots both;
  both.title = "Who has whose keys";
  both.description =
      "As it is meant, neighbours share a head of keys. With the bug they do not.";
  for (const bool meant : {true, false}) {
    HeatMap map;
    map.title = meant ? "h / 4" : "h % 2";
    map.x_label = "head of keys";
    map.y_label = "head of queries";
    map.rows = 8;
    map.columns = 2;
    for (int h = 0; h < 8; ++h) {
      for (int of = 0; of < 2; ++of) map.values.push_back((meant ? h / 4 : h % 2) == of);
    }
    map.colours = Colours::sequential;
    both.plots.emplace_back(map);
  }
  figure("which.svg", draw(both));

  //%% gradient | What a shared key learns
  cell("gradient", "What a shared key learns");
  /// On the way back each copy would get a slope of its own. But the copies are one thing, and
  /// what is used several times gets the sum ([autograd](07_autograd.cpp)):
  ///
  /// $$\frac{\partial \ell}{\partial k_j} = \sum_{h:\ \lfloor h / g \rfloor = j} \frac{\partial
  /// \ell}{\partial \tilde k_h}$$
  ///
  /// So a head of keys learns from all questions of its group. Where they pull in two directions
  /// it goes between them. The output shows this for the key of *dog* in group 0: the slopes of
  /// its first two copies, then the slope of the key itself. The loss is a weighted sum of all
  /// outputs.
  ///
  /// ```python
  /// c = torch.randn(4, 4, 2)
  /// copies = each_k.clone().requires_grad_()
  /// (attention(q, copies, each_v) * c).sum().backward()
  /// shared = k.clone().requires_grad_()
  /// (in_rows(q, shared, v) * c).sum().backward()
  ///
  /// print(copies.grad[:2, 1])
  /// print(shared.grad[0, 1])
  /// sums = copies.grad.view(kv, group, 4, 2).sum(1)
  /// print(torch.allclose(shared.grad, sums, atol=1e-6))
  /// ```
  const Tensor c = etude::randn({4, 4, 2});
  Tensor copies = each_k.clone().requires_grad_();
  (attention(q, copies, each_v) * c).sum().backward();
  Tensor shared = k.clone().requires_grad_();
  (in_rows(q, shared, v) * c).sum().backward();

  print(copies.grad().slice(0, 0, 2).select(1, 1));
  print(shared.grad()[0][1]);
  const Tensor sums = copies.grad().view({kv, group, 4, 2}).sum(1);
  print(etude::allclose(shared.grad(), sums, 1e-5, 1e-6));

  //%% step | One token more
  cell("step", "One token more");
  /// While a model writes there is one new query per head, and the keys come from the cache.
  /// With a head of keys for each query, that is a vector times a matrix: each key is read for
  /// one product. In a group the queries are the rows of a small matrix, and each key that is
  /// read serves all of them.
  ///
  /// In 16 bits a number of the cache has two bytes and does $2 g$ FLOP, so $g$ FLOP per byte.
  /// That is 1 without groups, 4 in Llama 3 8B and 71 in Falcon 7B, where a processor waits for
  /// memory below [six or so](20_cost.cpp).
  ///
  /// Now *itself* comes, and the keys of the other three words are kept. The output shows the
  /// shapes of the queries and of the keys, and whether the result is the one that the last word
  /// had before.
  ///
  /// ```python
  /// kept_k, kept_v = k[:, :3], v[:, :3]
  /// now_k = torch.cat([kept_k, k[:, 3:]], dim=1)
  /// now_v = torch.cat([kept_v, v[:, 3:]], dim=1)
  /// asks = q[:, 3].reshape(kv, group, 2)
  /// scores = asks @ now_k.transpose(1, 2) / math.sqrt(2)
  /// new = torch.softmax(scores, dim=-1) @ now_v
  /// print(asks.shape, now_k.shape)
  /// print(torch.allclose(new.view(4, 2), out[:, 3], atol=1e-6))
  /// ```
  const Tensor kept_k = k.slice(1, 0, 3), kept_v = v.slice(1, 0, 3);
  const Tensor now_k = etude::cat({kept_k, k.slice(1, 3)}, 1);
  const Tensor now_v = etude::cat({kept_v, v.slice(1, 3)}, 1);
  const Tensor asks = q.select(1, 3).reshape({kv, group, 2});
  const Tensor new_scores = etude::matmul(asks, now_k.transpose(1, 2)) / std::sqrt(2.0);
  const Tensor added = etude::matmul(etude::softmax(new_scores, -1), now_v);
  print(asks.sizes(), now_k.sizes());
  print(etude::allclose(added.view({4, 2}), out.select(1, 3), 1e-5, 1e-6));

  //%% trained | A model with four heads
  cell("trained", "A model with four heads");
  /// Can a model that was trained with a head of keys for each query get groups afterwards? To
  /// try it, here is one that needs all of its heads. It reads 16 random words, and for each it
  /// has to name the four words before. It has one layer of four heads,
  /// [sines](05_input_embedding.cpp) as positions, and no norm. `read` finds out from the shape
  /// of the weights how many heads of keys it has.
  ///
  /// Everything is in 64 bits, so that two programs which round differently print the same. The
  /// output shows the loss before and after; guessing has loss $\ln 16 = 2.77$. Then comes a
  /// line for each head: how much of its weight goes to the word one back, two back, three and
  /// four. The heads have divided the distances among themselves.
  ///
  /// ```python
  /// i = torch.arange(0, 32, 2, dtype=torch.float64)
  /// speeds = torch.exp(i * (-math.log(10000.0) / 32))
  /// angle = torch.arange(16).double().unsqueeze(1) * speeds
  /// places = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)
  /// hidden = torch.ones(16, 16, dtype=torch.bool).triu(1)
  ///
  /// def heads_of(t):
  ///     return t.unflatten(-1, (-1, 8)).transpose(1, 2)
  ///
  /// def look(w, x):
  ///     q, k = heads_of(x @ w["q"]), heads_of(x @ w["k"])
  ///     rows = q.reshape(len(x), k.shape[1], -1, 8)
  ///     scores = (rows @ k.transpose(2, 3)).view(len(x), 4, 16, 16)
  ///     scores = scores / math.sqrt(8)
  ///     return torch.softmax(scores.masked_fill(hidden, -math.inf), -1)
  ///
  /// def read(w, ids):
  ///     x = w["words"][ids] + places
  ///     v = heads_of(x @ w["v"])
  ///     rows = look(w, x).view(len(x), v.shape[1], -1, 16)
  ///     mixed = (rows @ v).view(len(x), 4, 16, 8)
  ///     x = x + mixed.transpose(1, 2).flatten(2) @ w["out"]
  ///     return (x @ w["answer"]).unflatten(-1, (4, 16))
  ///
  /// def loss_of(w):
  ///     ids = torch.randint(16, (16, 16))
  ///     before = torch.stack([ids.roll(j, 1) for j in (1, 2, 3, 4)], -1)
  ///     return F.cross_entropy(read(w, ids)[:, 4:].flatten(0, 2),
  ///                            before[:, 4:].flatten())
  ///
  /// def train(w, steps, seed):
  ///     w = {name: t.clone().requires_grad_() for name, t in w.items()}
  ///     adamw = torch.optim.AdamW(w.values(), lr=0.02, weight_decay=0.0)
  ///     torch.manual_seed(seed)
  ///     losses = []
  ///     for step in range(steps):
  ///         loss = loss_of(w)
  ///         adamw.zero_grad()
  ///         loss.backward()
  ///         adamw.step()
  ///         losses.append(loss.item())
  ///     return {name: t.detach() for name, t in w.items()}, losses
  ///
  /// def tested(w):
  ///     torch.manual_seed(3)
  ///     with torch.no_grad():
  ///         return f"{sum(loss_of(w) for _ in range(4)) / 4:.2f}"
  ///
  /// def show_looks(w):
  ///     torch.manual_seed(4)
  ///     x = w["words"][torch.randint(16, (16, 16))] + places
  ///     p = look(w, x)[:, :, 4:].mean(0)
  ///     for head in p:
  ///         shares = [head.diagonal(4 - j).mean() for j in (1, 2, 3, 4)]
  ///         print(" ".join(f"{share:.2f}" for share in shares))
  ///
  /// torch.manual_seed(0)
  /// first = {}
  /// for name, shape in (("answer", (32, 64)), ("k", (32, 32)),
  ///                     ("out", (32, 32)), ("q", (32, 32)),
  ///                     ("v", (32, 32)), ("words", (16, 32))):
  ///     scale = 1.0 if name == "words" else 1 / math.sqrt(32)
  ///     first[name] = torch.randn(shape).double() * scale
  /// four, _ = train(first, 600, 1)
  /// print(tested(first), tested(four))
  /// show_looks(four)
  /// ```
  const Tensor speeds =
      etude::exp(etude::arange(0, 32, 2, etude::kDouble) * (-std::log(10000.0) / 32));
  const Tensor angle = etude::arange(16).to(etude::kDouble).unsqueeze(1) * speeds;
  const Tensor places = etude::stack({angle.sin(), angle.cos()}, -1).flatten(-2);
  const Tensor hidden = etude::ones({16, 16}, etude::kBool).triu(1);

  const auto heads_of = [](const Tensor& t) {
    return t.view({t.size(0), t.size(1), -1, 8}).transpose(1, 2);
  };
  const auto look = [&](const Weights& w, const Tensor& x) {
    const Tensor of_q = heads_of(etude::matmul(x, w.at("q")));
    const Tensor of_k = heads_of(etude::matmul(x, w.at("k")));
    const Tensor rows = of_q.reshape({x.size(0), of_k.size(1), -1, 8});
    Tensor scores = etude::matmul(rows, of_k.transpose(2, 3)).view({x.size(0), 4, 16, 16});
    scores = scores / std::sqrt(8.0);
    return etude::softmax(scores.masked_fill(hidden, -INFINITY), -1);
  };
  const auto read = [&](const Weights& w, const Tensor& ids) {
    Tensor x = w.at("words").index({ids}) + places;
    const Tensor of_v = heads_of(etude::matmul(x, w.at("v")));
    const Tensor rows = look(w, x).view({x.size(0), of_v.size(1), -1, 16});
    const Tensor mixed = etude::matmul(rows, of_v).view({x.size(0), 4, 16, 8});
    x = x + etude::matmul(mixed.transpose(1, 2).flatten(2), w.at("out"));
    return etude::matmul(x, w.at("answer")).view({x.size(0), 16, 4, 16});
  };
  const auto loss_of = [&](const Weights& w) {
    const Tensor ids = etude::randint(16, {16, 16});
    const Tensor before =
        etude::stack({ids.roll(1, 1), ids.roll(2, 1), ids.roll(3, 1), ids.roll(4, 1)}, -1);
    return F::cross_entropy(read(w, ids).slice(1, 4).flatten(0, 2),
                            before.slice(1, 4).flatten());
  };
  const auto train = [&](const Weights& from, int64_t steps, uint64_t seed) {
    Weights w;
    std::vector<Tensor> all;
    for (const auto& [name, t] : from) all.push_back(w[name] = t.clone().requires_grad_());
    etude::optim::AdamW adamw(all, etude::optim::AdamWOptions(0.02).weight_decay(0));
    etude::manual_seed(seed);
    std::vector<double> losses;
    for (int64_t step = 0; step < steps; ++step) {
      const Tensor loss = loss_of(w);
      adamw.zero_grad();
      loss.backward();
      adamw.step();
      losses.push_back(loss.item<double>());
    }
    for (auto& [name, t] : w) t = t.detach();
    return std::make_pair(w, losses);
  };
  const auto tested = [&](const Weights& w) {
    etude::manual_seed(3);
    const etude::NoGradGuard no_grad;
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += loss_of(w).item<double>();
    return formatted(sum / 4, ".2f");
  };
  const auto show_looks = [&](const Weights& w) {
    etude::manual_seed(4);
    const Tensor x = w.at("words").index({etude::randint(16, {16, 16})}) + places;
    const Tensor p = look(w, x).slice(2, 4).mean(0);
    for (int64_t head = 0; head < 4; ++head) {
      std::string row;
      for (int64_t j = 1; j <= 4; ++j)
        row += (j > 1 ? " " : "") + etude::format(p[head].diagonal(4 - j).mean(), ".2f");
      print(row);
    }
  };

  etude::manual_seed(0);
  Weights first;
  for (const auto& [name, shape] :
       std::map<std::string, std::vector<int64_t>>{{"answer", {32, 64}},
                                                   {"k", {32, 32}},
                                                   {"out", {32, 32}},
                                                   {"q", {32, 32}},
                                                   {"v", {32, 32}},
                                                   {"words", {16, 32}}}) {
    const double scale = name == "words" ? 1.0 : 1 / std::sqrt(32.0);
    first[name] = etude::randn(shape).to(etude::kDouble) * scale;
  }
  const Weights four = train(first, parameter("steps", 600, 10, 800), 1).first;
  print(tested(first), tested(four));
  show_looks(four);

  //%% pooled | Fewer heads afterwards
  cell("pooled", "Fewer heads afterwards");
  /// Ainslie's recipe has two steps [2]. The first turns the heads of a group into one head: the
  /// *mean* of their weights. Two other ways are to take the first head of each group, and to
  /// draw new weights. The output of a model with pooled heads is that of four heads in which
  /// those of a group are equal, so nothing else has to change.
  ///
  /// The output shows the loss for two heads of keys and for one, in these three ways. Then
  /// follows where the heads look, for two heads of keys that are means.
  ///
  /// The result is bad. Even with the mean the model is worse than one that guesses, since no
  /// head had a reason to describe words as its neighbour does. Two keys that are right in
  /// different ways have a mean that is right in none. And yet the mean keeps more of both than
  /// the other ways.
  ///
  /// ```python
  /// def with_fewer(w, kv, way):
  ///     fewer = dict(w)
  ///     torch.manual_seed(5)
  ///     for name in ("k", "v"):
  ///         groups = w[name].view(32, kv, 4 // kv, 8)
  ///         chosen = {"mean": groups.mean(2), "first": groups[:, :, 0],
  ///                   "new": torch.randn(32, kv, 8) / math.sqrt(32)}[way]
  ///         fewer[name] = chosen.double().reshape(32, kv * 8)
  ///     return fewer
  ///
  /// for count in (2, 1):
  ///     for way in ("mean", "first", "new"):
  ///         print(count, way, tested(with_fewer(four, count, way)))
  /// show_looks(with_fewer(four, 2, "mean"))
  /// ```
  const auto with_fewer = [](const Weights& w, int64_t count, const std::string& way) {
    Weights fewer = w;
    etude::manual_seed(5);
    for (const char* name : {"k", "v"}) {
      const Tensor groups = w.at(name).view({32, count, 4 / count, 8});
      Tensor chosen = etude::randn({32, count, 8}) / std::sqrt(32.0);
      if (way == "mean") chosen = groups.mean(2);
      if (way == "first") chosen = groups.select(2, 0);
      fewer[name] = chosen.to(etude::kDouble).reshape({32, count * 8});
    }
    return fewer;
  };
  for (const int64_t count : {2, 1}) {
    for (const char* way : {"mean", "first", "new"})
      print(count, way, tested(with_fewer(four, count, way)));
  }
  show_looks(with_fewer(four, 2, "mean"));

  //%% learning | And a little learning
  cell("learning", "And a little learning");
  /// The second step is to train a little more, a few per cent of the first training. The queries
  /// get used to their new keys, and the keys to their questions. Here are 60 steps, a tenth of
  /// what the model had. The output shows the loss before and after them.
  ///
  /// ```python
  /// plans = ((2, "mean"), (2, "first"), (2, "new"), (1, "mean"))
  /// for count, way in plans:
  ///     start = with_fewer(four, count, way)
  ///     after, _ = train(start, 60, 2)
  ///     print(count, way, tested(start), tested(after))
  /// ```
  const int64_t more = parameter("more_steps", 60, 10, 200);
  const std::vector<std::pair<int64_t, std::string>> plans{
      {2, "mean"}, {2, "first"}, {2, "new"}, {1, "mean"}};
  std::vector<Series> curves;
  for (const auto& [count, way] : plans) {
    const Weights start = with_fewer(four, count, way);
    const auto [after, losses] = train(start, more, 2);
    print(count, way, tested(start), tested(after));
    curves.push_back(
        {std::to_string(count) + (count > 1 ? " heads, " : " head, ") + way, losses});
  }

  //%% learning_plot | The mean is ahead
  cell("learning_plot", "The mean is ahead");
  /// The picture shows the loss of each batch in these 60 steps. Two heads that begin with the
  /// mean are near zero after thirty, a twentieth of the first training. Two that begin with the
  /// first head of each group need twice as long, and so does one head that begins with the mean
  /// of all four. New weights are not there yet. Ainslie found the same order with T5, after 5 %
  /// of its training.
  ///
  /// ![Loss over 60 steps for four beginnings: two heads with the mean fall first, one head with
  /// the mean and two with the first head follow, new ones come last](learning.svg)
  LinePlot learning;
  learning.title = "Learning on with fewer heads of keys and values";
  learning.description =
      "Two heads that begin with the mean fall below 0.1 after thirty steps; the others later.";
  learning.x_label = "steps";
  learning.y_label = "loss";
  learning.series = curves;
  for (int64_t step = 0; step < more; ++step) learning.x.push_back(static_cast<double>(step));
  figure("learning.svg", draw(learning));

  //%% one_line | One line
  cell("one_line", "One line");
  /// A [GPT](11_training_a_gpt.cpp) of Etude gets groups by one option: `GPTOptions::kv_heads`.
  /// With `nn::GPTOptions(vocabulary).heads(32).kv_heads(8)` four heads of queries share a head
  /// of keys and values, as above: head `h` has the keys of `h / 4`. Its `c_attn` makes 32
  /// queries, 8 keys and 8 values at once, its cache keeps 8 heads, and nothing is written
  /// twice. The default, 0, means as many as heads. In a [file](21_files_of_a_model.cpp) the
  /// same number is called `num_key_value_heads`.

  //%% exercise1 | How long a text fits
  cell("exercise1", "How long a text fits");
  /// A card has 24 GiB, and Llama 3 8B is on it with 16,060,522,496 bytes of weights. How many
  /// whole tokens of cache fit into the rest? Set `answer`, with `per_token`.
  {
    int64_t answer = 0;
    //%% answer
    /// A token leaves 131,072 bytes. With 32 heads of keys a quarter as many tokens would fit.
    ///
    /// ```python
    /// rest = 24 * 2 ** 30 - 16060522496
    /// answer = rest // per_token(32, 8, 128)
    /// print(answer, rest // per_token(32, 32, 128))
    /// ```
    const int64_t rest = 24 * (int64_t{1} << 30) - 16060522496;
    answer = rest / per_token(32, 8, 128);
    //%% end answer
    const int64_t card = int64_t{24} << 30, one = per_token(32, 8, 128);
    expect(answer > 0 && answer * one + 16060522496 <= card, "they fit beside the weights");
    expect((answer + 1) * one + 16060522496 > card, "one more does not fit");
    print(answer, (card - 16060522496) / per_token(32, 32, 128));
  }

  //%% exercise2 | Repair the order
  cell("exercise2", "Repair the order");
  /// Six heads of queries have three heads of keys. Somebody wanted to save a function and wrote
  /// `expand` by hand, and now the heads have the keys 0, 1, 2, 0, 1, 2. Repair `for_each`, `[6,
  /// 4, 2]`, with `unsqueeze`, `expand` and `reshape`. Each number in `three` says in which head
  /// of keys it is.
  {
    const Tensor three = etude::arange(3).view({3, 1, 1}).expand({3, 4, 2});
    Tensor for_each = three.unsqueeze(0).expand({2, 3, 4, 2}).reshape({6, 4, 2});
    //%% answer
    /// The new dim has to stand behind that of the heads. Then the two of a group are neighbours
    /// when both dims become one.
    ///
    /// ```python
    /// three = torch.arange(3).view(3, 1, 1).expand(3, 4, 2)
    /// for_each = three.unsqueeze(1).expand(3, 2, 4, 2).reshape(6, 4, 2)
    /// print(for_each[:, 0, 0])
    /// ```
    for_each = three.unsqueeze(1).expand({3, 2, 4, 2}).reshape({6, 4, 2});
    //%% end answer
    expect(for_each.sizes() == etude::IntArrayRef({6, 4, 2}), "there are keys for six heads");
    const Tensor heads = for_each.select(2, 0).select(1, 0);
    expect(heads[0].item<int64_t>() == heads[1].item<int64_t>(),
           "heads 0 and 1 share their keys");
    expect(etude::equal(for_each, three.repeat_interleave(2, 0)), "so do all other neighbours");
    print(heads);
  }

  //%% exercise3 | Pool a Linear layer
  cell("exercise3", "Pool a Linear layer");
  /// In a file, the weight of the keys lies as that of a `Linear` layer: outputs first.
  /// `k_proj`, `[32, 16]`, has eight heads of width 4 below each other. Make two heads of them,
  /// `pooled`, `[8, 16]`, each the mean of four neighbours. Which of its rows must not be mixed?
  {
    etude::manual_seed(6);
    const Tensor k_proj = etude::randn({32, 16});
    Tensor pooled;
    //%% answer
    /// The rows of a head are its four numbers, and each may be mixed only with the same number
    /// of other heads. So the rows are written as groups, heads of a group, numbers of a head,
    /// and the mean is that over the heads.
    ///
    /// ```python
    /// torch.manual_seed(6)
    /// k_proj = torch.randn(32, 16)
    /// pooled = k_proj.view(2, 4, 4, 16).mean(1).reshape(8, 16)
    /// print(pooled.shape)
    /// print(pooled[0, :4])
    /// ```
    pooled = k_proj.view({2, 4, 4, 16}).mean(1).reshape({8, 16});
    //%% end answer
    expect(pooled.defined() && pooled.sizes() == etude::IntArrayRef({8, 16}),
           "two heads of width 4 remain");
    const Tensor number0 = (k_proj[0] + k_proj[4] + k_proj[8] + k_proj[12]) / 4;
    expect(etude::allclose(pooled[0], number0, 1e-5, 1e-6),
           "the first row is the mean of the first numbers of heads 0 to 3");
    const Tensor last = (k_proj[19] + k_proj[23] + k_proj[27] + k_proj[31]) / 4;
    expect(etude::allclose(pooled[7], last, 1e-5, 1e-6),
           "the last row is the mean of the last numbers of heads 4 to 7");
    print(pooled.sizes());
    print(pooled[0].slice(0, 0, 4));
  }

  //%% summary
  /// 1. Each token leaves $2 L k w$ numbers in the cache, and all of them are read for each new
  ///    token.
  /// 2. A head is a question, and several questions can be asked of the same keys.
  /// 3. Head $h$ shares with its neighbours, $\lfloor h / g \rfloor$; the other order fits and is
  ///    wrong.
  /// 4. Without copies the queries of a group are the rows of one product, and the slope of a
  ///    shared key is the sum over its group.
  /// 5. A trained model gets groups by the mean of its heads and a little more training.
  //%% references
  /// 1. N. Shazeer, [Fast Transformer Decoding: One Write-Head is All You
  ///    Need](https://arxiv.org/abs/1911.02150), 2019, section 3
  /// 2. J. Ainslie et al., [GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
  ///    Checkpoints](https://arxiv.org/abs/2305.13245), 2023, section 2
  /// 3. H. Touvron et al., [Llama 2: Open Foundation and Fine-Tuned Chat
  ///    Models](https://arxiv.org/abs/2307.09288), 2023, table 1
  /// 4. E. Almazrouei et al., [The Falcon Series of Open Language
  ///    Models](https://arxiv.org/abs/2311.16867), 2023
  /// 5. A. Q. Jiang et al., [Mistral 7B](https://arxiv.org/abs/2310.06825), 2023, table 1
  /// 6. A. Grattafiori et al., [The Llama 3 Herd of Models](https://arxiv.org/abs/2407.21783), 2024,
  ///    table 3
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
