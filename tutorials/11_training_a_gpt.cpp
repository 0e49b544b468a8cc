/// # Training a GPT
///
/// - You will be able to: write a GPT from its parts and train it; say what its loss should be before learning; see when learning turns into remembering
/// - You need: [the transformer block](10_transformer_block.cpp), [autograd](07_autograd.cpp)
/// - Minutes: 60
/// - Result: continued
///
/// A language model is asked one thing only: which character comes next? Everything else follows
/// from doing this well. Here a GPT [1] of 27,000 weights learns five couplets of doggerel,
/// character by character, in a second or two, with all parts of a real training run: batches,
/// the loss against what it should be before any learning, AdamW, a learning rate that warms up
/// and then falls, gradients that are clipped, and a text set aside to see when learning turns
/// into remembering.
///
/// ```diagram From characters to the loss
/// ids: characters [16, 32]
/// e: (wte + wpe) [16, 32, 32]
/// b: (block 0, block 1) [16, 32, 32]
/// n: (norm) [16, 32, 32]
/// l: (times wte) [16, 32, 25] | t: next characters [16, 32]
/// c: (cross entropy)
/// ids -> e -> b -> n -> l -> c
/// t -> c
/// ```
///
/// The model is a small GPT-2, written here from the parts of lessons 8 to 10, in C++ and in
/// Python, with the names of the published checkpoints. Etude has the same model as `nn::GPT`, and
/// [one cell](#same) shows that it is the same. From the same seed all three have the same
/// weights, and the first steps agree in every digit shown. Further on, the rounding of every
/// step adds up, and the comparison allows for it. In a page you can
/// [watch a GPT learn](../docs/live/train.cpp) a text of your own.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% attention | Attention that does not look ahead
/// The first class is a linear layer whose weight is stored the other way round, `[inputs,
/// outputs]`. GPT-2 calls it `Conv1D`.
///
/// The second puts [lesson 8](08_attention.cpp) and [lesson 9](09_heads_and_masks.cpp) together:
/// one product makes queries, keys and values; `view` and `transpose` cut them into heads; the
/// mask hides what is ahead; the heads are put side by side and mixed.
///
/// ```python
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
/// ```
class Conv1DImpl : public nn::Module {
 public:
  Conv1DImpl(int64_t inputs, int64_t outputs)
      : weight(register_parameter("weight", etude::empty({inputs, outputs}))),
        bias(register_parameter("bias", etude::zeros({outputs}))) {}

  Tensor forward(const Tensor& x) { return etude::matmul(x, weight) + bias; }

  Tensor weight, bias;
};
ETUDE_MODULE(Conv1D);

class AttentionImpl : public nn::Module {
 public:
  AttentionImpl(int64_t width, int64_t heads_)
      : heads(heads_),
        c_attn(register_module("c_attn", Conv1D(width, 3 * width))),
        c_proj(register_module("c_proj", Conv1D(width, width))) {}

  Tensor forward(const Tensor& x) {  // [n, t, width]
    const int64_t n = x.size(0), t = x.size(1), width = x.size(2);
    const std::vector<Tensor> qkv = c_attn(x).chunk(3, -1);
    const auto by_head = [&](const Tensor& part) {
      return part.view({n, t, heads, width / heads}).transpose(1, 2);
    };
    const Tensor q = by_head(qkv[0]), k = by_head(qkv[1]), v = by_head(qkv[2]);
    const Tensor ahead = etude::ones({t, t}, etude::kBool).triu(1);
    Tensor scores = etude::matmul(q, k.transpose(-2, -1)) /
                    std::sqrt(static_cast<double>(q.size(-1)));  // [n, heads, t, t]
    scores = scores.masked_fill(ahead, -std::numeric_limits<double>::infinity());
    const Tensor y = etude::matmul(etude::softmax(scores, -1), v);
    return c_proj(y.transpose(1, 2).reshape({n, t, width}));
  }

  int64_t heads;
  Conv1D c_attn, c_proj;
};
ETUDE_MODULE(Attention);

//%% block | A block, norms first
/// This is the block of [lesson 10](10_transformer_block.cpp) with the norms first. Between its
/// linear layers GPT-2 has GELU [2], a function like ReLU without the corner: a number just below
/// zero still has a gradient.
///
/// ```python
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
/// ```
class MLPImpl : public nn::Module {
 public:
  explicit MLPImpl(int64_t width)
      : c_fc(register_module("c_fc", Conv1D(width, 4 * width))),
        c_proj(register_module("c_proj", Conv1D(4 * width, width))) {}

  Tensor forward(const Tensor& x) { return c_proj(etude::gelu(c_fc(x), "tanh")); }

  Conv1D c_fc, c_proj;
};
ETUDE_MODULE(MLP);

class BlockImpl : public nn::Module {
 public:
  BlockImpl(int64_t width, int64_t heads)
      : ln_1(register_module("ln_1", nn::LayerNorm(nn::LayerNormOptions({width})))),
        attn(register_module("attn", Attention(width, heads))),
        ln_2(register_module("ln_2", nn::LayerNorm(nn::LayerNormOptions({width})))),
        mlp(register_module("mlp", MLP(width))) {}

  Tensor forward(const Tensor& in) {
    const Tensor x = in + attn(ln_1(in));
    return x + mlp(ln_2(x));
  }

  nn::LayerNorm ln_1;
  Attention attn;
  nn::LayerNorm ln_2;
  MLP mlp;
};
ETUDE_MODULE(Block);

//%% model | The model
/// A *GPT* is a transformer that predicts what comes next. A character and its place have a
/// vector each, a row of a table: `Embedding` looks up the rows of given numbers. Their sum goes
/// through the blocks and one more norm. The last product uses the embedding of the characters
/// again [3]: the vector that stands for a character on its way in stands for it on its way out,
/// too.
///
/// `reset` draws weights of standard deviation 0.02. Each block adds to its input twice, after
/// attention and after the MLP, so $L$ blocks add $2L$ times. To keep the sum from growing with
/// the number of blocks, the layers before these additions get smaller weights, of standard
/// deviation $0.02 / \sqrt{2L}$ [1].
///
/// ```python
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
class GPTImpl : public nn::Module {
 public:
  GPTImpl(int64_t vocab_size, int64_t context, int64_t width, int64_t layers, int64_t heads)
      : wte(register_module("wte", nn::Embedding(vocab_size, width))),
        wpe(register_module("wpe", nn::Embedding(context, width))),
        h(register_module("h", nn::ModuleList())),
        ln_f(register_module("ln_f", nn::LayerNorm(nn::LayerNormOptions({width})))) {
    for (int64_t i = 0; i < layers; ++i) h->push_back(Block(width, heads));
  }

  void reset() {
    nn::init::normal_(wte->weight, 0, 0.02);
    nn::init::normal_(wpe->weight, 0, 0.02);
    const double into_sum = 0.02 / std::sqrt(2 * static_cast<double>(h->size()));
    for (size_t i = 0; i < h->size(); ++i) {
      auto& block = h->at<BlockImpl>(i);
      nn::init::normal_(block.attn->c_attn->weight, 0, 0.02);
      nn::init::normal_(block.attn->c_proj->weight, 0, into_sum);
      nn::init::normal_(block.mlp->c_fc->weight, 0, 0.02);
      nn::init::normal_(block.mlp->c_proj->weight, 0, into_sum);
    }
  }

  Tensor forward(const Tensor& ids) {                       // [n, t]
    Tensor x = wte(ids) + wpe(etude::arange(ids.size(1)));  // [n, t, width]
    for (size_t i = 0; i < h->size(); ++i) x = h->at<BlockImpl>(i).forward(x);
    return etude::matmul(ln_f(x), wte->weight.t());  // [n, t, vocab_size]
  }

  nn::Embedding wte, wpe;
  nn::ModuleList h;
  nn::LayerNorm ln_f;
};
ETUDE_MODULE(GPT);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "11_training_a_gpt");
  cell("imports", "What is needed");
  cell("attention", "Attention that does not look ahead");
  cell("block", "A block, norms first");
  cell("model", "The model");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  //%% text | A text
  cell("text", "A text");
  /// There are ten lines to learn from, the first of them about a dog that we know, and two
  /// lines that are set aside: nearly the same words in another order; only *strong* is new.
  /// Every character is a token; its id is its place among all characters that occur.
  ///
  /// ```python
  /// text = ("the dog saw itself in a pool of light, "
  ///         "the door was red, the soup was white.\n"
  ///         "the day was long, the road was steep, "
  ///         "the wind was cold, the snow was deep.\n"
  ///         "the door was low, the lamp was dim, "
  ///         "the cup was filled up to the brim.\n"
  ///         "the soup was hot, the bread was brown, "
  ///         "the cat came in and sat right down.\n"
  ///         "the fire was red, the night was black, "
  ///         "the road went on, the wind came back.\n")
  /// aside = ("the soup was cold, the night was long, "
  ///          "the cat was red, the wind was strong.\n")
  /// letters = sorted(set(text))
  ///
  /// def encode(words):
  ///     return torch.tensor([letters.index(c) for c in words])
  ///
  /// def decode(ids):
  ///     return "".join(letters[i] for i in ids)
  ///
  /// ids, aside_ids = encode(text), encode(aside)
  /// print(len(text), "characters,", len(letters), "different ones")
  /// print(ids[:10])
  /// print(decode(ids[:10]))
  /// ```
  const std::string text =
      "the dog saw itself in a pool of light, "
      "the door was red, the soup was white.\n"
      "the day was long, the road was steep, "
      "the wind was cold, the snow was deep.\n"
      "the door was low, the lamp was dim, "
      "the cup was filled up to the brim.\n"
      "the soup was hot, the bread was brown, "
      "the cat came in and sat right down.\n"
      "the fire was red, the night was black, "
      "the road went on, the wind came back.\n";
  const std::string aside =
      "the soup was cold, the night was long, "
      "the cat was red, the wind was strong.\n";
  const std::set<char> sorted(text.begin(), text.end());
  const std::string letters(sorted.begin(), sorted.end());
  const auto encode = [&](const std::string& words) {
    std::vector<int64_t> places;
    for (const char c : words) places.push_back(static_cast<int64_t>(letters.find(c)));
    return etude::tensor(places, etude::kLong);
  };
  const auto decode = [&](const Tensor& numbers) {
    std::string words;
    for (int64_t i = 0; i < numbers.size(0); ++i)
      words += letters[static_cast<size_t>(numbers[i].item<int64_t>())];
    return words;
  };
  const Tensor ids = encode(text), aside_ids = encode(aside);
  print(text.size(), "characters,", letters.size(), "different ones");
  print(ids.index({Slice(None, 10)}));
  print(decode(ids.index({Slice(None, 10)})));

  //%% counting | What counting achieves
  cell("counting", "What counting achieves");
  /// First compute cheap baselines. The loss is the mean of $-\ln p$ of the right character. It
  /// is measured in *nats*: a nat is the unit of a natural logarithm. This loss is called
  /// the *cross entropy*, and $e$ to its power the *perplexity*. A model that knows nothing about a
  /// text of $V$ different characters has loss $\ln V$, and perplexity $V$. One that knows the
  /// share $p_c$ of each character $c$ has as its loss the *entropy* of these shares,
  /// $-\sum_c p_c \ln p_c$. One that knows what follows each character, from a table of pairs,
  /// has a smaller loss again. A model that ends up above the last number has learned less than a
  /// table.
  ///
  /// ```python
  /// V = len(letters)
  /// pairs = torch.zeros(V, V)
  /// for a, b in zip(ids[:-1], ids[1:]):
  ///     pairs[a, b] += 1
  /// singles = pairs.sum(0) / pairs.sum()
  /// follow = pairs / pairs.sum(1, keepdim=True)
  /// print(f"{math.log(V):.4f}")
  /// print(f"{-(singles * singles.log()).sum():.4f}")
  /// print(f"{F.nll_loss(follow[ids[:-1]].log(), ids[1:]):.4f}")
  /// ```
  const auto V = static_cast<int64_t>(letters.size());
  const Tensor before = ids.index({Slice(None, -1)}), after = ids.index({Slice(1, None)});
  Tensor pairs = etude::zeros({V, V});
  pairs.index_put_({before, after}, etude::ones(before.sizes()), /*accumulate=*/true);
  const Tensor singles = pairs.sum(0) / pairs.sum();
  const Tensor follow = pairs / pairs.sum(1, true);
  print(etude::format(etude::tensor(std::log(static_cast<double>(V))), ".4f"));
  print(etude::format(-(singles * singles.log()).sum(), ".4f"));
  print(etude::format(F::nll_loss(follow.index({before}).log(), after), ".4f"));

  //%% batch | A batch
  cell("batch", "A batch");
  /// The model sees 32 characters and predicts, at each of them, the next one: the targets are
  /// the same text one place further. One window gives 32 questions, thanks to the mask that
  /// keeps each question from seeing its answer. Sixteen windows at random places will be a
  /// batch; here are two.
  ///
  /// ```picture questions The questions of a window
  /// The beginning of a window, with one row for each question: the characters that the model may
  /// see, and beside them the character that comes next.
  /// ```
  ///
  /// ```python
  /// context = 32
  ///
  /// def batch_at(starts):
  ///     places = starts.unsqueeze(1) + torch.arange(context)
  ///     return ids[places], ids[places + 1]
  ///
  /// x, y = batch_at(torch.tensor([0, 100]))
  /// print(x.shape)
  /// print(decode(x[0]))
  /// print(decode(y[0]))
  /// ```
  const int64_t context = 32;
  const auto batch_at = [&](const Tensor& starts) {
    const Tensor places = starts.unsqueeze(1) + etude::arange(context);
    return std::make_pair(ids.index({places}), ids.index({places + 1}));
  };
  const auto [x, y] = batch_at(etude::tensor({0, 100}));
  print(x.sizes());  // [2, 32]
  print(decode(x[0]));
  print(decode(y[0]));

  //%% first_loss | The loss before learning
  cell("first_loss", "The loss before learning");
  /// Two blocks of width 32 with four heads. A new model should know nothing: all characters are
  /// about equally probable, and the loss is near $\ln 25 = 3.219$. It is the first thing to look
  /// at in any training. A larger number says that the first weights are too large and the model
  /// is confidently wrong; a smaller one, that it sees the answers.
  ///
  /// The output shows the number of weights, the loss of the two windows, the probabilities of
  /// the first three right characters, and the loss once more, from the probabilities.
  ///
  /// ```python
  /// model = GPT(V, context, 32, 2, 4)
  /// torch.manual_seed(0)
  /// model.reset()
  /// print(sum(p.numel() for p in model.parameters()))
  ///
  /// def loss_of(x, y):
  ///     return F.cross_entropy(model(x).flatten(0, 1), y.flatten())
  ///
  /// loss = loss_of(x, y)
  /// print(loss)
  /// p = torch.softmax(model(x), dim=-1)
  /// at_targets = p.gather(-1, y.unsqueeze(-1))
  /// print(at_targets[0, :3].detach().squeeze(1))
  /// print(-at_targets.log().mean().detach())
  /// ```
  GPT model(V, context, 32, 2, 4);
  etude::manual_seed(0);
  model->reset();
  int64_t weights = 0;
  for (const Tensor& p : model->parameters()) weights += p.numel();
  print(weights);

  const auto loss_of = [&](const Tensor& input, const Tensor& target) {
    return F::cross_entropy(model(input).flatten(0, 1), target.flatten());
  };
  const Tensor loss = loss_of(x, y);
  print(loss);
  const Tensor at_targets = etude::softmax(model(x), -1).gather(-1, y.unsqueeze(-1));
  print(at_targets[0].index({Slice(None, 3)}).detach().squeeze(1));
  print(-at_targets.log().mean().detach());

  //%% same | The same as the library's GPT
  cell("same", "The same as the library's GPT");
  /// `nn::GPT` is Etude's own GPT. Four facts say that ours is the same: its state has the same
  /// names, those of the published checkpoints; from the same seed it has the same weights; for
  /// the same characters it has the same loss; and on the way back it has the same gradients.
  /// PyTorch has no GPT. Its side prints what its own classes give: how many tensors there are,
  /// the names in the first block, and the lengths of three gradients.
  ///
  /// ```python
  /// names = list(model.state_dict())
  /// print(len(names))
  /// for name in names:
  ///     if name.startswith("h.0."):
  ///         print(name)
  /// loss.backward()
  /// for name in ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias"):
  ///     gradient = dict(model.named_parameters())[name].grad
  ///     print(name, f"{gradient.norm():.4f}")
  /// ```
  nn::GPT library(
      nn::GPTOptions(V).context(context).d_model(32).layers(2).heads(4).dropout(0.0));
  etude::manual_seed(0);
  library->reset_parameters();
  const auto state = library->state_dict();
  expect(model->state_dict().keys() == state.keys(), "both have the same names");
  for (const auto& item : model->state_dict())
    expect(etude::equal(item.value(), state[item.key()]), "both have the same weights");
  print(state.size());
  for (const std::string& name : state.keys()) {
    if (name.rfind("h.0.", 0) == 0) print(name);
  }

  const Tensor library_loss = F::cross_entropy(library(x).flatten(0, 1), y.flatten());
  expect(etude::allclose(loss, library_loss), "both have the same loss");
  loss.backward();
  library_loss.backward();
  const auto ours = model->named_parameters(), theirs = library->named_parameters();
  for (const auto& item : ours)
    expect(etude::allclose(item.value().grad(), theirs[item.key()].grad(), 1e-4, 1e-6),
           "both have the same gradients");
  for (const std::string name : {"wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias"})
    print(name, etude::format(theirs[name].grad().norm(), ".4f"));

  //%% clipping | Gradients that are clipped
  cell("clipping", "Gradients that are clipped");
  /// All gradients together are one long vector. Now and then a batch gives a vector that is far
  /// longer than those before it. Clipping [4] shortens the vector to a given length and keeps
  /// its direction; a shorter one stays as it is. The output shows the length before, and again
  /// after clipping to 1. What this does to the steps depends on the optimizer, see
  /// [below](#outlier).
  ///
  /// ```python
  /// def length():
  ///     return math.sqrt(sum(p.grad.pow(2).sum().item()
  ///                          for p in model.parameters()))
  ///
  /// print(f"{length():.3f}")
  /// asked = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
  /// print(f"{asked:.3f} {length():.3f}")
  /// ```
  const auto length = [&] {
    double squares = 0;
    for (const Tensor& p : model->parameters()) squares += p.grad().pow(2).sum().item<float>();
    return etude::format(etude::tensor(std::sqrt(squares)), ".3f");
  };
  print(length());
  const double asked = nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  print(etude::format(etude::tensor(asked), ".3f"), length());

  //%% schedule | A learning rate that rises and falls
  cell("schedule", "A learning rate that rises and falls");
  /// The *optimizer* changes the weights after each backward pass. This one, AdamW [5], divides
  /// the running mean of each gradient by the root of the running mean of its square, as told
  /// [below](#outlier). In the first steps these means are made of few gradients and say little.
  /// So the *learning rate*, the factor of each step, begins small and rises over twenty steps,
  /// the *warm-up*. Towards the end large steps only jump around the minimum, so it falls along a
  /// cosine [6], to a twentieth. The rule by which it changes is called a *schedule*.
  ///
  /// ```python
  /// steps, warm_up = 320, 20
  ///
  /// def factor(step):
  ///     if step < warm_up:
  ///         return (step + 1) / warm_up
  ///     part = (step - warm_up) / (steps - warm_up)
  ///     return 0.05 + 0.95 * (1 + math.cos(math.pi * part)) / 2
  ///
  /// optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
  /// schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
  /// print([round(0.01 * factor(step), 5)
  ///        for step in (0, 10, 19, 50, 170, 319)])
  /// print(optimizer.param_groups[0]["lr"])
  /// ```
  const int64_t steps = parameter("steps", 320, 40, 640), warm_up = 20;
  const double rate = parameter("rate", 0.01, 0.0001, 0.05);
  const auto factor = [&](int64_t step) {
    if (step < warm_up) return static_cast<double>(step + 1) / static_cast<double>(warm_up);
    const double part =
        static_cast<double>(step - warm_up) / static_cast<double>(steps - warm_up);
    return 0.05 + 0.95 * (1 + std::cos(3.14159265358979323846 * part)) / 2;
  };
  etude::optim::AdamW optimizer(model->parameters(), etude::optim::AdamWOptions(rate));
  etude::optim::LambdaLR schedule(optimizer, factor);
  std::vector<double> rates;
  for (const int64_t step : {0, 10, 19, 50, 170, 319})
    rates.push_back(std::round(rate * factor(step) * 1e5) / 1e5);
  print(etude::tolist(etude::tensor(rates, etude::kDouble)));
  print(optimizer.param_groups()[0].options().get_lr());

  //%% outlier | What clipping does to AdamW
  cell("outlier", "What clipping does to AdamW");
  /// In plain gradient descent (SGD) a gradient twice as long makes a step twice as long. In
  /// AdamW it does not: the running mean of each gradient is divided by the root of the running
  /// mean of its square,
  ///
  /// $$\text{step} = \text{lr} \cdot \frac{\bar{g}}{\sqrt{\overline{g^2}} + \varepsilon}$$
  ///
  /// so a factor that is the same at all times cancels. Below is the last step of a single
  /// weight after two hundred gradients of 1, and after two hundred of 100: both are 0.01, the
  /// learning rate.
  ///
  /// What does not cancel is an outlier, for it is long *in comparison with those before*. The
  /// mean of the squares forgets a thousandth of itself per step, so one gradient of 100 among
  /// those of 1 stays in it for a long time. The third line is the step a hundred gradients
  /// later: a seventh of what it should be. The fourth is the same with every gradient clipped
  /// to at most 1. Clipping bounds what a single batch can do to the running means.
  ///
  /// ```python
  /// def last_step(gradients):
  ///     w = nn.Parameter(torch.zeros(1))
  ///     adamw = torch.optim.AdamW([w], lr=0.01, weight_decay=0.0)
  ///     for g in gradients:
  ///         before = w.detach().clone()
  ///         w.grad = torch.full((1,), g)
  ///         adamw.step()
  ///     return f"{(before - w.detach()).item():.4f}"
  ///
  /// print("always 1:", last_step([1.0] * 200))
  /// print("always 100:", last_step([100.0] * 200))
  /// outlier = [1.0] * 99 + [100.0] + [1.0] * 100
  /// print("once 100:", last_step(outlier))
  /// print("clipped:", last_step([min(g, 1.0) for g in outlier]))
  /// ```
  const auto last_step = [](const std::vector<double>& gradients) {
    const Tensor w = etude::zeros({1}).requires_grad_();
    etude::optim::AdamW adamw({w}, etude::optim::AdamWOptions(0.01).weight_decay(0));
    Tensor step;
    for (const double g : gradients) {
      const Tensor start = w.detach().clone();
      w.mutable_grad() = etude::full({1}, g);
      adamw.step();
      step = start - w.detach();
    }
    return etude::format(step[0], ".4f");
  };
  std::vector<double> outlier(200, 1.0), clipped = outlier;
  outlier[99] = 100;
  for (size_t i = 0; i < outlier.size(); ++i) clipped[i] = std::min(outlier[i], 1.0);
  print("always 1:", last_step(std::vector<double>(200, 1.0)));
  print("always 100:", last_step(std::vector<double>(200, 100.0)));
  print("once 100:", last_step(outlier));
  print("clipped:", last_step(clipped));

  //%% first_steps | The first steps
  cell("first_steps", "The first steps");
  /// Each step draws a batch, computes the loss, clears the old gradients, goes back, clips,
  /// changes the weights, and changes the learning rate. Below are the losses of the first five
  /// steps, each with the length of the gradient. Up to this point every digit agrees.
  ///
  /// ```python
  /// def step():
  ///     x, y = batch_at(torch.randint(0, len(ids) - context, (16,)))
  ///     loss = loss_of(x, y)
  ///     optimizer.zero_grad()
  ///     loss.backward()
  ///     norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
  ///     optimizer.step()
  ///     schedule.step()
  ///     return loss.item(), float(norm)
  ///
  /// torch.manual_seed(0)
  /// losses = []
  /// for _ in range(5):
  ///     value, norm = step()
  ///     losses.append(value)
  ///     print(f"{value:.4f} {norm:.3f}")
  /// ```
  const auto one_step = [&] {
    const auto [input, target] = batch_at(etude::randint(0, ids.size(0) - context, {16}));
    const Tensor now = loss_of(input, target);
    optimizer.zero_grad();
    now.backward();
    const double norm = nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
    schedule.step();
    return std::make_pair(now.detach(), norm);
  };
  etude::manual_seed(0);
  std::vector<double> losses;
  for (int i = 0; i < 5; ++i) {
    const auto [value, norm] = one_step();
    losses.push_back(value.item<float>());
    print(etude::format(value, ".4f"), etude::format(etude::tensor(norm), ".3f"));
  }

  //%% training | Training
  cell("training", "Training", Compare::within(0.1));
  /// Now come the other 315 steps. Every 35 steps the loss of the batch is printed and, beside
  /// it, that of the text set aside, in windows of the same length. Both fall below the loss of
  /// the table of pairs. Then they part. Each of these numbers is compared to within 0.1.
  ///
  /// ```python
  /// windows = aside_ids.unfold(0, context + 1, 11)
  ///
  /// @torch.no_grad()
  /// def loss_aside():
  ///     return loss_of(windows[:, :-1], windows[:, 1:]).item()
  ///
  /// aside_losses = []
  /// while len(losses) < steps:
  ///     losses.append(step()[0])
  ///     if len(losses) % 35 == 5:
  ///         print(f"{len(losses)} steps:",
  ///               f"{losses[-1]:.2f} {loss_aside():.2f}")
  /// ```
  const Tensor windows = aside_ids.unfold(0, context + 1, 11);
  const auto loss_aside = [&] {
    const etude::NoGradGuard no_grad;
    return loss_of(windows.index({Slice(), Slice(None, -1)}),
                   windows.index({Slice(), Slice(1, None)}));
  };
  std::vector<double> aside_losses(losses.size(), std::nan(""));
  while (losses.size() < static_cast<size_t>(steps)) {
    const Tensor value = one_step().first;
    losses.push_back(value.item<float>());
    const Tensor other = loss_aside();
    aside_losses.push_back(other.item<float>());
    if (losses.size() % 35 == 5)
      print(losses.size(), "steps:", etude::format(value, ".2f"), etude::format(other, ".2f"));
  }

  //%% curve | The curve
  cell("curve", "The curve");
  /// The loss of the batches falls to nearly nothing: the model knows the text by heart. The loss
  /// of the text set aside falls with it at first, while the model learns what words are and how
  /// lines are built, which is true of both texts. After about a hundred steps it turns: what is
  /// learned from then on is which word comes after which in *these* lines, and that is wrong
  /// elsewhere. This is called *overfitting*. The usual answer is to stop where the second curve
  /// is lowest; the better answer is more text.
  ///
  /// ![Loss over training steps: both curves fall from 3.2; that of the training text goes on to
  /// 0.2, that of the text set aside turns up after about a hundred steps](curve.svg)
  ///
  /// Change `rate` in [the schedule](#schedule): with a hundredth of it, 320 steps are too few to
  /// learn by heart, and neither curve turns.
  LinePlot plot;
  plot.title = "Loss over the steps";
  plot.description =
      "Both begin at ln 25 = 3.2. The training loss falls to 0.2, the other turns up.";
  plot.x_label = "step";
  plot.y_label = "cross entropy in nats";
  for (size_t i = 0; i < losses.size(); ++i) plot.x.push_back(static_cast<double>(i));
  plot.series = {{"text that is learned", losses}, {"text set aside", aside_losses}};
  figure("curve.svg", draw(plot));

  //%% continued | What it says
  cell("continued", "What it says");
  /// The model is given "the dog" and takes the most probable character again and again. It goes
  /// on as the text does: the dog saw itself. A model of this size cannot do more than that with
  /// 376 characters; how to draw from one that can is the subject of
  /// [the next lesson](12_sampling.cpp).
  ///
  /// ```python
  /// told = encode("the dog")
  /// with torch.no_grad():
  ///     for _ in range(68):
  ///         logits = model(told[-context:].unsqueeze(0))
  ///         told = torch.cat([told, logits[0, -1:].argmax(-1)])
  /// print(decode(told))
  /// ```
  const std::string prompt = parameter("prompt", "the dog");
  expect(prompt.find_first_not_of(letters) == std::string::npos,
         "the prompt has no other characters than the text");
  Tensor told = encode(prompt);  // [7]
  {
    const etude::NoGradGuard no_grad;
    for (int i = 0; i < 68; ++i) {
      const int64_t from = std::max<int64_t>(told.size(0) - context, 0);
      const Tensor logits = model(told.index({Slice(from, None)}).unsqueeze(0));
      told = etude::cat({told, logits[0][-1].argmax(-1, /*keepdim=*/true)});
    }
  }
  print(decode(told));

  //%% exercise1 | The first loss of GPT-2
  cell("exercise1", "The first loss of GPT-2");
  /// GPT-2 chooses among 50,257 tokens. What should its loss be before it has learned anything?
  /// Put it into `answer`, in nats.
  {
    double answer = 0;
    //%% answer
    /// All tokens are about equally probable, so the right one has $p = 1 / 50257$ and costs
    /// $\ln 50257$.
    ///
    /// ```python
    /// answer = math.log(50257)
    /// print(f"{answer:.4f}")
    /// ```
    answer = std::log(50257.0);
    //%% end answer
    const Tensor undecided = etude::zeros({1, 50257});
    const Tensor measured = F::cross_entropy(undecided, etude::tensor({0}, etude::kLong));
    expect(std::abs(answer - measured.item<double>()) < 1e-3,
           "logits that are all alike have this loss");
    print(etude::format(etude::tensor(answer), ".4f"));
  }

  //%% exercise2 | A loss that is too good
  cell("exercise2", "A loss that is too good");
  /// With the batch below the loss falls to nearly nothing, and yet the model cannot write a word.
  /// Find out what the model is asked, and put what it should be asked into `target`.
  {
    const Tensor windows_at =
        etude::tensor({0, 100}).unsqueeze(1) + etude::arange(context);  // [2, 32]
    const Tensor input = ids.index({windows_at});
    Tensor target = ids.index({windows_at});
    //%% answer
    /// The targets were the inputs: all the model had to learn was to copy the character that it
    /// sees.
    ///
    /// ```python
    /// windows_at = (torch.tensor([0, 100]).unsqueeze(1)
    ///               + torch.arange(context))
    /// target = ids[windows_at + 1]
    /// print(decode(target[0]))
    /// ```
    target = ids.index({windows_at + 1});
    //%% end answer
    expect(!etude::equal(target, input), "the model is not asked for what it sees");
    expect(etude::equal(target.index({Slice(), Slice(None, -1)}),
                        input.index({Slice(), Slice(1, None)})),
           "at each place it is asked for the character that comes next");
    print(decode(target[0]));
  }

  //%% exercise3 | A batch in two halves
  cell("exercise3", "A batch in two halves");
  /// A batch of sixteen windows does not fit into memory, eight do. Call `backward` once for each
  /// half, such that the sum of both gradients is the gradient of the whole batch. In the loop
  /// `part` and `next` are half a batch, and you can call `loss_of`.
  {
    const auto [sixteen, following] = batch_at(etude::arange(16) * 20);  // [16, 32] each
    optimizer.zero_grad();
    loss_of(sixteen, following).backward();
    const Tensor whole = model->wte->weight.grad().clone();
    optimizer.zero_grad();
    for (const int64_t half : {0, 1}) {
      const Tensor part = sixteen.narrow(0, 8 * half, 8);
      const Tensor next = following.narrow(0, 8 * half, 8);
      //%% answer
      /// Gradients add up until they are cleared. The loss is a mean over the batch, so the mean
      /// of each half counts half.
      ///
      /// ```python
      /// sixteen, following = batch_at(torch.arange(16) * 20)
      /// optimizer.zero_grad()
      /// loss_of(sixteen, following).backward()
      /// whole = model.wte.weight.grad.clone()
      /// optimizer.zero_grad()
      /// for half in (0, 1):
      ///     part = sixteen[8 * half:8 * half + 8]
      ///     next = following[8 * half:8 * half + 8]
      ///     (loss_of(part, next) / 2).backward()
      /// print(torch.allclose(model.wte.weight.grad, whole, atol=1e-6))
      /// ```
      (loss_of(part, next) / 2).backward();
      //%% end answer
    }
    const Tensor sum = model->wte->weight.grad();
    expect(sum.defined() && sum.abs().sum().item<double>() > 0, "there is a gradient");
    const bool same = etude::allclose(sum, whole, 1e-4, 1e-6);
    expect(same, "both halves together have the gradient of the whole batch");
    print(same);
  }

  //%% summary
  /// 1. A GPT is two embeddings, a stack of blocks that do not look ahead, a norm, and the embedding again.
  /// 2. Its loss is $-\ln p$ of the next character, and before learning it is the logarithm of the number of different characters.
  /// 3. A step draws a batch, goes forwards and backwards, clips the gradient and changes the weights; the learning rate first rises, then falls.
  /// 4. AdamW forgets the scale of gradients that is always the same; clipping keeps a single outlier out of its memory.
  /// 5. When the loss of the text set aside turns up, learning has become remembering.

  //%% references
  /// 1. A. Radford et al., [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), 2019, section 2.3
  /// 2. D. Hendrycks and K. Gimpel, [Gaussian Error Linear Units](https://arxiv.org/abs/1606.08415), 2016, section 2
  /// 3. O. Press and L. Wolf, [Using the Output Embedding to Improve Language Models](https://arxiv.org/abs/1608.05859), 2017, section 3
  /// 4. R. Pascanu et al., [On the Difficulty of Training Recurrent Neural Networks](https://arxiv.org/abs/1211.5063), 2013, section 3.2
  /// 5. I. Loshchilov and F. Hutter, [Decoupled Weight Decay Regularization](https://arxiv.org/abs/1711.05101), 2019, section 2
  /// 6. I. Loshchilov and F. Hutter, [SGDR: Stochastic Gradient Descent with Warm Restarts](https://arxiv.org/abs/1608.03983), 2017, section 3
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
