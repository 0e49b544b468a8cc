/// # Three planted bugs
///
/// - You will be able to: find a layer that is not trained; see in the numbers of one op that a
///   softmax runs over the wrong dim; find where the first `nan` comes from
/// - You need: [attention](08_attention.cpp), [masks](09_heads_and_masks.cpp)
/// - Minutes: 40
/// - Result: counts
///
/// A wrong model rarely stops. It trains, the loss falls a little, and nobody knows that a layer
/// never learned. So look at a model before you trust it: what belongs to it, what each op makes
/// of its input, and where the first bad number appears. PyTorch has hooks for this [1]; Etude
/// has them too, and four functions that ask the usual questions.
///
/// ```diagram A small reader
/// ids: the dog saw itself [1, 4]
/// e: (embedding) [1, 4, 4] | mask: mask [4, 4]
/// a: (attention) [1, 4, 4]
/// s: (sum) [1, 4, 4]
/// h: (head) [1, 4, 4]
/// loss: loss
/// ids -> e -> a -> s -> h -> loss
/// mask -> a ; e -> s
/// ```

#include "support/expressions.h"
#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% reader | A model with three bugs
/// This model reads *the dog saw itself* and says for each word which one comes next. One of its
/// lines is wrong, and the next cell calls it with two wrong arguments, in both languages alike.
/// Read both cells, and try to find the three bugs before you go on.
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// class Attention(nn.Module):
///     def __init__(self, dim):
///         super().__init__()
///         self.query = nn.Linear(4, 4)
///         self.key = nn.Linear(4, 4)
///         self.value = nn.Linear(4, 4)
///         self.dim = dim
///
///     def forward(self, x, mask):
///         scores = self.query(x) @ self.key(x).transpose(1, 2) / 2
///         scores = scores.masked_fill(mask, -math.inf)
///         return torch.softmax(scores, self.dim) @ self.value(x)
///
/// class Reader(nn.Module):
///     def __init__(self, dim):
///         super().__init__()
///         self.embedding = nn.Embedding(4, 4)
///         self.attention = Attention(dim)
///         self.heads = [nn.Linear(4, 4)]
///
///     def forward(self, ids, mask):
///         x = self.embedding(ids)
///         return self.heads[0](x + self.attention(x, mask))
///
/// def mask_of(words, first):
///     return torch.ones(words, words, dtype=torch.bool).triu(first)
/// ```
#include <etude/etude.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;

struct AttentionImpl : nn::Module {
  explicit AttentionImpl(int64_t dim_of_softmax) : dim(dim_of_softmax) {
    query = register_module("query", nn::Linear(4, 4));
    key = register_module("key", nn::Linear(4, 4));
    value = register_module("value", nn::Linear(4, 4));
  }
  Tensor forward(const Tensor& x, const Tensor& mask) {
    const Tensor q = query(x), k = key(x);
    const Tensor scores = etude::matmul(q, k.transpose(1, 2)) / 2;  // [1, 4, 4]
    const Tensor allowed = scores.masked_fill(mask, -INFINITY);
    return etude::matmul(etude::softmax(allowed, dim), value(x));
  }
  nn::Linear query = nullptr, key = nullptr, value = nullptr;
  int64_t dim;
};
ETUDE_MODULE(Attention);

struct ReaderImpl : nn::Module {
  explicit ReaderImpl(int64_t dim) {
    embedding = register_module("embedding", nn::Embedding(4, 4));
    attention = register_module("attention", Attention(dim));
    heads = {nn::Linear(4, 4)};
  }
  Tensor forward(const Tensor& ids, const Tensor& mask) {
    const Tensor x = embedding(ids);  // [1, 4, 4]
    return heads[0](x + attention(x, mask));
  }
  nn::Embedding embedding = nullptr;
  Attention attention = nullptr;
  std::vector<nn::Linear> heads;
};
ETUDE_MODULE(Reader);

Tensor mask_of(int64_t words, int64_t first) {
  return etude::ones({words, words}, etude::kBool).triu(first);
}

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "19_planted_bugs");
  cell("reader", "A model with three bugs");

  //%% runs | It runs
  cell("runs", "It runs");
  /// Nothing complains: the output has the right shape, and a loss comes out. It is not even a
  /// number, but a training loop that prints a line per thousand steps shows this late.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// model = Reader(dim=0)
  /// ids = torch.tensor([[3, 0, 2, 1]])   # the dog saw itself
  /// following = torch.tensor([0, 2, 1, 3])
  /// output = model(ids, mask_of(4, 0))
  /// print(output.shape)
  /// print(F.cross_entropy(output[0], following))
  /// ```
  etude::manual_seed(0);
  Reader model(0);
  const Tensor ids = etude::tensor({3, 0, 2, 1}).unsqueeze(0);  // the dog saw itself: [1, 4]
  const Tensor following = etude::tensor({0, 2, 1, 3});
  const Tensor output = model(ids, mask_of(4, 0));
  print(output.sizes());
  print(F::cross_entropy(output[0], following));

  //%% counts | What belongs to the model
  cell("counts", "What belongs to the model");
  /// First question: what would an optimizer train? `etude::summary(model, ids, mask)` runs the
  /// model once and lists its modules with shapes, parameters, FLOP and memory. Here only the
  /// paths and parameters of its rows are printed.
  ///
  /// The head is missing. It stands in a plain list, of which the module knows nothing: its
  /// weights are not among `parameters()`, not in a checkpoint, and never trained. `summary`
  /// has a row for it all the same, since it ran: its path is `?`. Etude
  /// also warns on the error stream that a linear layer in `Reader` is not registered.
  ///
  /// ```python
  /// def parameters_by_path(model):
  ///     for name, module in model.named_modules():
  ///         own = module.parameters(recurse=False)
  ///         print(repr(name), type(module).__name__, sum(p.numel() for p in own))
  ///
  /// parameters_by_path(model)
  /// print(sum(p.numel() for p in model.parameters()))
  /// ```
  const auto parameters_by_path = [](const etude::Summary& summary) {
    for (const etude::SummaryRow& row : summary.rows)
      if (row.path != "?") print("'" + row.path + "'", row.type, row.parameters);
    return summary.parameters;
  };
  const int64_t all = parameters_by_path(etude::summary(model, ids, mask_of(4, 0)));
  print(all);

  //%% registered | The first bug, mended
  cell("registered", "The first bug, mended");
  /// `register_module` makes the head a part of the model, in Python `nn.ModuleList` or a plain
  /// attribute. The count is right now: 4 x 4 for the embedding, 20 for each of four linear
  /// layers.
  ///
  /// ```python
  /// model.head = model.heads[0]
  /// print(sum(p.numel() for p in model.parameters()))
  /// ```
  model->register_module("head", model->heads[0]);
  print(etude::summary(model, ids, mask_of(4, 0)).parameters);

  //%% explained | What each op does
  cell("explained", "What each op does");
  /// Second question: what does each op make of its input? `etude::explain(true)`, or the
  /// variable `ETUDE_EXPLAIN=1` before the program's name, writes a line per op: shapes, view or
  /// copy, which kernel, the module's path, time and FLOP, and the least, mean and largest
  /// number. Here you see what the line of the softmax says of its result, with a mask that
  /// forbids nothing.
  ///
  /// All weights are 1. A softmax over four words has the mean 1/4, whatever the scores are,
  /// since each row adds up to one. A mean of 1 says that each sum has a single number: the
  /// softmax ran over `dim` 0, the batch, which has one sentence.
  ///
  /// ```python
  /// def explain_softmax(dim):
  ///     x = model.embedding(ids)
  ///     a = model.attention
  ///     scores = a.query(x) @ a.key(x).transpose(1, 2) / 2
  ///     p = torch.softmax(scores, dim)
  ///     print("softmax", list(p.shape), f"min {p.min():.4f}",
  ///           f"mean {p.mean():.4f} max {p.max():.4f}")
  ///
  /// explain_softmax(0)
  /// ```
  const Tensor nothing = etude::zeros({4, 4}, etude::kBool);
  const auto explain_softmax = [&](Reader& reader) {
    std::ostringstream lines;
    etude::explain(lines);
    reader(ids, nothing);
    etude::explain(false);
    const auto part = find_groups(
        "aten::softmax.*-> float32 (\\[[^\\]]*\\]).*min (\\S+) mean (\\S+) max (\\S+)",
        lines.str());
    if (part.empty()) return;
    const auto number = [&](size_t i) {
      return etude::format(etude::tensor(std::stod(part[i])), ".4f");
    };
    print("softmax", part[0], "min " + number(1), "mean " + number(2) + " max " + number(3));
  };
  explain_softmax(model);

  //%% over_words | The second bug, mended
  cell("over_words", "The second bug, mended");
  /// Over the last dim the mean is a quarter, and the weights differ.
  ///
  /// ```python
  /// model.attention.dim = -1
  /// explain_softmax(-1)
  /// ```
  model->attention->dim = -1;
  explain_softmax(model);

  //%% trapped | Where the first nan is
  cell("trapped", "Where the first nan is");
  /// Third question: where does the `nan` come from? With the mask of the model the first word's
  /// numbers of the output are `nan`, and it could have come from anywhere.
  /// `etude::trap_nan(true)`, or `ETUDE_NAN_TRAP=1`, makes the first op throw whose result holds
  /// a `nan` while its input holds none. The error names the op, its numbers, and the module's
  /// path. Here is the module that it names; in Python a hook on every module finds the first.
  ///
  /// ```python
  /// def first_nan(model, *inputs):
  ///     found = []
  ///     def look(name):
  ///         return lambda module, given, result: (
  ///             found.append(name) if result.isnan().any() else None)
  ///     hooks = [module.register_forward_hook(look(name))
  ///              for name, module in model.named_modules() if name]
  ///     model(*inputs)
  ///     for hook in hooks:
  ///         hook.remove()
  ///     return found[0] if found else "nowhere"
  ///
  /// print(first_nan(model, ids, mask_of(4, 0)))
  /// print(mask_of(4, 0)[0])
  /// ```
  const auto first_nan = [&](Reader& reader, const Tensor& mask) -> std::string {
    etude::trap_nan(true);
    std::string text;
    try {
      reader(ids, mask);
    } catch (const etude::Error& error) {
      text = error.what();
    }
    etude::trap_nan(false);
    const auto place = find_groups("\\nin (\\S+) \\(", text);
    return place.empty() ? "nowhere" : place[0];
  };
  print(first_nan(model, mask_of(4, 0)));
  print(mask_of(4, 0)[0]);

  //%% one_later | The third bug, mended
  cell("one_later", "The third bug, mended");
  /// The first row of the mask forbids everything: `triu(0)` begins at the diagonal, so that a
  /// word may not even look at itself, and the first word looks nowhere. Its scores are all
  /// $-\infty$, and the softmax divides nothing by nothing. With `triu(1)` only what comes later
  /// is forbidden.
  ///
  /// ```python
  /// print(first_nan(model, ids, mask_of(4, 1)))
  /// print(F.cross_entropy(model(ids, mask_of(4, 1))[0], following))
  /// ```
  print(first_nan(model, mask_of(4, 1)));
  print(F::cross_entropy(model(ids, mask_of(4, 1))[0], following));

  //%% path | An error says where
  cell("path", "An error says where");
  /// A wrong shape stops the program, with PyTorch's sentence. In a model of a hundred layers one
  /// would like to know which. Etude's error goes on with what was received, a hint, and the path
  /// of the module: *in attention.query (Linear) of Reader*.
  ///
  /// ```python
  /// try:
  ///     model.attention(torch.ones(1, 4, 5), mask_of(4, 1))
  /// except RuntimeError as error:
  ///     print(str(error).splitlines()[0])
  /// ```
  std::string said;
  try {
    model->attention(etude::ones({1, 4, 5}), mask_of(4, 1));
  } catch (const etude::Error& error) {
    said = error.what();
  }
  print(first_line(said));
  expect(said.find("in attention.query (Linear) of Reader") != std::string::npos,
         "the error names the module");

  //%% graph | The graph as a picture
  cell("graph", "The graph as a picture");
  /// `etude::draw(loss, model->named_parameters())` draws what backward will walk. Each leaf is a
  /// parameter with its name: one that is not there gets no gradient. A part that was detached
  /// by mistake would be missing together with all above it.
  ///
  /// ![The graph of the loss: parameters at the top, the loss at the bottom](graph.svg)
  const Tensor loss = F::cross_entropy(model(ids, mask_of(4, 1))[0], following);
  figure("graph.svg", etude::draw(loss, model->named_parameters()).svg());

  //%% exercise1 | Which weights does nobody train?
  cell("exercise1", "Which weights does nobody train?");
  /// Somebody forgot to mend the first bug in another model. Count how many numbers of `other`
  /// run in its forward and are not among its parameters. Store the number in `lost`.
  {
    etude::manual_seed(1);
    Reader other(-1);
    int64_t lost = 0;
    //%% answer
    /// The head has a weight of 4 x 4 and a bias of 4.
    ///
    /// ```python
    /// torch.manual_seed(1)
    /// other = Reader(-1)
    /// lost = sum(p.numel() for p in other.heads[0].parameters())
    /// print(lost)
    /// ```
    for (const Tensor& p : other->heads[0]->parameters()) lost += p.numel();
    //%% end answer
    int64_t known = 0;
    for (const Tensor& p : other->parameters()) known += p.numel();
    expect(known + lost == 96, "with them the model has 96 numbers");
    print(lost);
  }

  //%% exercise2 | The mean of a softmax
  cell("exercise2", "The mean of a softmax");
  /// A softmax of scores `[2, 8, 16, 32]`, queries before keys, runs over the keys. Which mean
  /// does its line show? Store it in `mean`.
  {
    double mean = 0;
    //%% answer
    /// Each row of 32 adds up to one.
    ///
    /// ```python
    /// mean = 1 / 32
    /// print(mean)
    /// ```
    mean = 1.0 / 32;
    //%% end answer
    const Tensor p = etude::softmax(etude::zeros({2, 8, 16, 32}), -1);
    expect(p.mean().item<double>() == mean, "a softmax of zeros has this mean");
    print(mean);
  }

  //%% exercise3 | A trap of one's own
  cell("exercise3", "A trap of one's own");
  /// Write `first`: the index of the first tensor of a list that holds a `nan`, or -1. It is
  /// what a trap does after each op.
  {
    const std::vector<Tensor> results{etude::ones({2}), etude::ones({2}) / 0,
                                      etude::zeros({2}) / 0, etude::zeros({3})};
    const auto first = [](const std::vector<Tensor>& list) -> int64_t {
      //%% answer
      /// An infinity is not a `nan`: 1 / 0 gives none, 0 / 0 gives one.
      ///
      /// ```python
      /// results = [torch.ones(2), torch.ones(2) / 0, torch.zeros(2) / 0, torch.zeros(3)]
      /// print(next((i for i, t in enumerate(results) if t.isnan().any()), -1))
      /// ```
      for (size_t i = 0; i < list.size(); ++i)
        if (etude::isnan(list[i]).any().item<bool>()) return static_cast<int64_t>(i);
      //%% end answer
      return -1;
    };
    expect(first({etude::ones({2})}) == -1, "a list without a nan gives -1");
    expect(first(results) != 1, "an infinity is no nan");
    print(first(results));
  }

  //%% summary
  /// 1. What is not registered is not trained, not saved, and not counted: look at the summary.
  /// 2. A softmax over $n$ numbers has the mean $1 / n$: the mean tells over which dim it ran.
  /// 3. The first `nan` tells more than the last: trap it where it is made.
  /// 4. A row that may look nowhere divides nothing by nothing.
  /// 5. Shapes, counts and means are known before the first step: ask for them before training.
  //%% references
  /// 1. PyTorch, [Module.register_forward_hook](https://pytorch.org/docs/1.13/generated/torch.nn.Module.html),
  ///    version 1.13
  /// 2. A. Karpathy, [A Recipe for Training Neural Networks](https://karpathy.github.io/2019/04/25/recipe/), 2019
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
