/// # Many processes
///
/// - You will be able to: share a training among processes and keep every bit of the result; say
///   what is sent, and from which number of processes on it no longer pays
/// - You need: [training a GPT](11_training_a_gpt.cpp)
/// - Minutes: 75
/// - Result: speed_up
///
/// A training that is too slow for one processor is shared by several. The usual way is *data
/// parallelism*: every process has a copy of the weights and a part of the batch, computes the
/// gradient of its part, and all of them add their gradients. Then every copy takes the same
/// step.
///
/// ```diagram A step that four workers share
/// batch: one batch, 8 parts [32]
/// w0: (parts 0-1) | w1: (parts 2-3) | w2: (parts 4-5) | w3: (parts 6-7)
/// g0: gradient [544] | g1: gradient [544] | g2: gradient [544] | g3: gradient [544]
/// all: (all-reduce)
/// sum: the same sum for all [544]
/// step: (the same step)
/// batch -> w0 -> g0 -> all ; batch -> w1 -> g1 -> all
/// batch -> w2 -> g2 -> all ; batch -> w3 -> g3 -> all
/// all -> sum -> step
/// ```
///
/// The questions are what is added, in which order, and why the order matters; what is sent, and
/// how much of that time can be hidden; what becomes of dropout and of the optimizer. In this
/// lesson the processes are loops, called *workers*, so that nothing has to be installed. The
/// last lines are those of a real program.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// The model predicts the next character from the last one, with two linear layers. Its gradient
/// is one long vector here, all parameters one after the other: that is how it travels.
///
/// ```python
/// import math
/// import threading
/// from datetime import timedelta
/// import torch
/// import torch.distributed as dist
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// def new_model():
///     torch.manual_seed(0)
///     return nn.Sequential(nn.Embedding(16, 8), nn.Linear(8, 16),
///                          nn.Tanh(), nn.Linear(16, 16))
///
/// def flat_gradient(model):
///     return torch.cat([p.grad.flatten()
///                       for p in model.parameters()])
///
/// def gradient(model, x, y):
///     model.zero_grad()
///     F.cross_entropy(model(x), y).backward()
///     return flat_gradient(model)
///
/// def set_gradient(model, flat):
///     sizes = [p.numel() for p in model.parameters()]
///     for p, part in zip(model.parameters(), flat.split(sizes)):
///         p.grad = part.view_as(p)
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
namespace optim = etude::optim;
using etude::print, etude::Tensor;

nn::Sequential new_model() {
  etude::manual_seed(0);
  return nn::Sequential{nn::Embedding(16, 8), nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 16)};
}

Tensor flat_gradient(nn::Sequential& model) {
  std::vector<Tensor> parts;
  for (const Tensor& p : model->parameters()) parts.push_back(p.grad().flatten());
  return etude::cat(parts);
}

Tensor gradient(nn::Sequential& model, const Tensor& x, const Tensor& y) {
  model->zero_grad();
  F::cross_entropy(model->forward(x), y).backward();
  return flat_gradient(model);
}

void set_gradient(nn::Sequential& model, const Tensor& flat) {
  int64_t begin = 0;
  for (Tensor& p : model->parameters()) {
    p.mutable_grad() = flat.narrow(0, begin, p.numel()).view_as(p);
    begin += p.numel();
  }
}

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "14_many_processes");
  cell("imports", "What is needed");

  //%% batch | A batch
  cell("batch", "A batch");
  /// One line of the doggerel of [the GPT](11_training_a_gpt.cpp), with 16 different characters.
  /// The batch is its first 32 characters; the targets are the characters that follow.
  ///
  /// ```python
  /// text = "the cat came in and sat right down."
  /// letters = sorted(set(text))
  /// ids = torch.tensor([letters.index(c) for c in text])
  /// x, y = ids[:32], ids[1:33]
  /// print(len(letters), "letters")
  /// print(x[:8])
  /// print(y[:8])
  /// ```
  const std::string text = "the cat came in and sat right down.";
  const std::set<char> sorted(text.begin(), text.end());
  const std::string letters(sorted.begin(), sorted.end());
  std::vector<int64_t> places;
  for (const char c : text) places.push_back(static_cast<int64_t>(letters.find(c)));
  const Tensor ids = etude::tensor(places, etude::kLong);
  const Tensor x = ids.narrow(0, 0, 32), y = ids.narrow(0, 1, 32);
  print(letters.size(), "letters");
  print(x.narrow(0, 0, 8));
  print(y.narrow(0, 0, 8));

  //%% whole | Its loss and its gradient
  cell("whole", "Its loss and its gradient");
  /// The loss is the mean over the 32 characters, so the gradient is a mean too, of 544 numbers.
  /// The output shows the last four of them, which belong to the last bias.
  ///
  /// ```python
  /// model = new_model()
  /// print(F.cross_entropy(model(x), y).detach())
  /// whole = gradient(model, x, y)
  /// print(whole.shape)
  /// print(whole[-4:])
  /// ```
  nn::Sequential model = new_model();
  print(F::cross_entropy(model->forward(x), y).detach());
  const Tensor whole = gradient(model, x, y);
  print(whole.sizes());
  print(whole.narrow(0, 540, 4));

  //%% halves | Two halves
  cell("halves", "Two halves");
  /// A mean of 32 is the mean of two means of 16. With $g_i$ for the gradient of the loss at one
  /// character:
  ///
  /// $$g = \frac{1}{2} \Bigl( \frac{1}{16} \sum_{i=1}^{16} g_i + \frac{1}{16} \sum_{i=17}^{32}
  /// g_i \Bigr)$$
  ///
  /// So two workers, each with half of the batch, have to send one vector each. The two
  /// gradients differ much; their mean is that of the whole batch. All of data parallelism is in
  /// this line.
  ///
  /// ```python
  /// first = gradient(model, x[:16], y[:16])
  /// second = gradient(model, x[16:], y[16:])
  /// mean = (first + second) / 2
  /// print(first[-4:])
  /// print(second[-4:])
  /// print(mean[-4:])
  /// print(torch.allclose(mean, whole, atol=1e-6))
  /// ```
  const Tensor first = gradient(model, x.narrow(0, 0, 16), y.narrow(0, 0, 16));
  const Tensor second = gradient(model, x.narrow(0, 16, 16), y.narrow(0, 16, 16));
  const Tensor mean = (first + second) / 2;
  print(first.narrow(0, 540, 4));
  print(second.narrow(0, 540, 4));
  print(mean.narrow(0, 540, 4));
  print(etude::allclose(mean, whole, 1e-5, 1e-6));

  //%% unequal | Parts of different sizes
  cell("unequal", "Parts of different sizes");
  /// With 24 and 8 characters the plain mean is wrong: each of the eight counts as much as three
  /// of the others. There is no warning. Each part needs its share as a weight, $24/32$ and
  /// $8/32$.
  ///
  /// It happens unnoticed: with sequences of different lengths, whose padding does not count, or
  /// with a last batch that is not full. The safe way is to add *sums* of losses, and to divide
  /// by the number of tokens of all processes.
  ///
  /// ```python
  /// large = gradient(model, x[:24], y[:24])
  /// small = gradient(model, x[24:], y[24:])
  /// plain = (large + small) / 2
  /// weighted = large * 24 / 32 + small * 8 / 32
  /// print(f"{(plain - whole).abs().max():.4f}")
  /// print(torch.allclose(plain, whole, atol=1e-6),
  ///       torch.allclose(weighted, whole, atol=1e-6))
  /// ```
  const Tensor large = gradient(model, x.narrow(0, 0, 24), y.narrow(0, 0, 24));
  const Tensor small = gradient(model, x.narrow(0, 24, 8), y.narrow(0, 24, 8));
  const Tensor plain = (large + small) / 2;
  const Tensor weighted = large * 24 / 32 + small * 8 / 32;
  print(etude::format((plain - whole).abs().max(), ".4f"));
  print(etude::allclose(plain, whole, 1e-5, 1e-6), etude::allclose(weighted, whole, 1e-5, 1e-6));

  //%% three | Three numbers
  cell("three", "Three numbers");
  /// `allclose`, and not `equal`: a sum of floating-point numbers depends on its order. A float32
  /// has 24 binary digits. $2^{24} + 1$ needs 25 and is rounded back to $2^{24}$; so added one
  /// after the other, both ones are lost. Added to each other first, they are 2, which is not
  /// lost.
  ///
  /// ```python
  /// a, b = torch.tensor(16777216.0), torch.tensor(1.0)
  /// print(((a + b) + b).item(), (a + (b + b)).item())
  /// ```
  const Tensor a = etude::tensor(16777216.0f), b = etude::tensor(1.0f);
  print(((a + b) + b).item<float>(), (a + (b + b)).item<float>());

  //%% two_orders | Two orders
  cell("two_orders", "Two orders");
  /// Take eight parts of four characters, and their gradients. They can be added one after the
  /// other, or in pairs and then pairs of pairs, as in a tree:
  ///
  /// $$((g_0 + g_1) + g_2) + g_3 + \dots$$
  ///
  /// $$((g_0 + g_1) + (g_2 + g_3)) + \dots$$
  ///
  /// The sums are not equal. They differ by less than a ten-millionth. Neither is wrong: each is
  /// as near to the sum in float64.
  ///
  /// ```python
  /// def one_after_other(parts):
  ///     total = parts[0]
  ///     for part in parts[1:]:
  ///         total = total + part
  ///     return total
  ///
  /// def tree(parts):
  ///     while len(parts) > 1:
  ///         parts = [a + b for a, b in zip(parts[::2], parts[1::2])]
  ///     return parts[0]
  ///
  /// def gradients(model):
  ///     return [gradient(model, x[i:i + 4], y[i:i + 4]) / 8
  ///             for i in range(0, 32, 4)]
  ///
  /// parts = gradients(model)
  /// one, other = one_after_other(parts), tree(parts)
  /// exact = tree([part.double() for part in parts])
  /// print(torch.equal(one, other))
  /// for difference in (one - other, one - exact, other - exact):
  ///     print(0 < difference.abs().max().item() < 1e-7)
  /// ```
  using Parts = std::vector<Tensor>;
  const auto one_after_other = [](const Parts& parts) {
    Tensor total = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) total = total + parts[i];
    return total;
  };
  const auto tree = [](Parts parts) {
    while (parts.size() > 1) {
      Parts sums;
      for (size_t i = 0; i < parts.size(); i += 2) sums.push_back(parts[i] + parts[i + 1]);
      parts = sums;
    }
    return parts[0];
  };
  const auto gradients = [&](nn::Sequential& of) {
    Parts result;
    for (int64_t i = 0; i < 32; i += 4)
      result.push_back(gradient(of, x.narrow(0, i, 4), y.narrow(0, i, 4)) / 8);
    return result;
  };
  const Parts parts = gradients(model);
  const Tensor one = one_after_other(parts), other = tree(parts);
  Parts doubles;
  for (const Tensor& part : parts) doubles.push_back(part.to(etude::kDouble));
  const Tensor exact = tree(doubles);
  print(etude::equal(one, other));
  for (const Tensor& difference : {one - other, one - exact, other - exact}) {
    const double largest = difference.abs().max().to(etude::kDouble).item<double>();
    print(0 < largest && largest < 1e-7);
  }

  //%% drift | What becomes of the difference
  cell("drift", "What becomes of the difference", Compare::within(1.0));
  /// Two runs begin with the same weights, one with each order. The output shows the power of ten
  /// of the largest difference between their weights, after so many steps of AdamW. The noise of
  /// a last digit grows, and since it is noise, Etude's may differ from PyTorch's by one power.
  ///
  /// The model learns equally well either way. What is lost is a test: a run with four workers
  /// and one with two are never equal, and a mistake that costs a little hides in what is taken
  /// for rounding.
  ///
  /// ```python
  /// def train(add, steps):
  ///     m = new_model()
  ///     optimizer = torch.optim.AdamW(m.parameters(), lr=0.01)
  ///     weights = []
  ///     for _ in range(steps):
  ///         set_gradient(m, add(gradients(m)))
  ///         optimizer.step()
  ///         flat = nn.utils.parameters_to_vector(m.parameters())
  ///         weights.append(flat.detach().clone())
  ///     return torch.stack(weights)
  ///
  /// difference = train(one_after_other, 200) - train(tree, 200)
  /// drift = difference.abs().amax(dim=1).log10()
  /// for step in (10, 50, 100, 200):
  ///     print(step, "steps:", f"{drift[step - 1]:.1f}")
  /// ```
  const auto train = [&](const auto& add, int steps) {
    nn::Sequential m = new_model();
    optim::AdamW optimizer(m->parameters(), optim::AdamWOptions(0.01));
    std::vector<Tensor> weights;
    for (int step = 0; step < steps; ++step) {
      set_gradient(m, add(gradients(m)));
      optimizer.step();
      weights.push_back(nn::utils::parameters_to_vector(m->parameters()).detach().clone());
    }
    return etude::stack(weights);
  };
  const Tensor difference = train(one_after_other, 200) - train(tree, 200);
  const Tensor drift = difference.abs().amax({1}).log() / std::log(10.0);
  for (const int step : {10, 50, 100, 200})
    print(step, "steps:", etude::format(drift[step - 1], ".1f"));

  //%% fixed_order | An order that the data fix
  cell("fixed_order", "An order that the data fix");
  /// The number of *parts* is chosen once, here eight, and does not depend on the number of
  /// workers. Each worker has neighbouring parts and adds them as a tree; the workers' sums are
  /// added as a tree too. Together it is the same tree, wherever it is cut. (Both numbers are
  /// powers of two; three workers would cut it elsewhere.) Here it is for one, two and four
  /// workers, with the numbers of the parts. What one worker adds is in square brackets:
  ///
  /// ```text
  /// 1  [((0+1)+(2+3))+((4+5)+(6+7))]
  /// 2  [(0+1)+(2+3)]+[(4+5)+(6+7)]
  /// 4  ([0+1]+[2+3])+([4+5]+[6+7])
  /// ```
  ///
  /// Each line of the output shows the number of workers, whether the sum has the bits of one
  /// worker's sum, and whether it would have them if the gradients were added one after the
  /// other. Eight workers have one part each, and the order is again that of one worker.
  ///
  /// ```python
  /// def by_workers(parts, workers, add):
  ///     share = len(parts) // workers
  ///     return add([add(parts[w * share:(w + 1) * share])
  ///                 for w in range(workers)])
  ///
  /// for workers in (1, 2, 4, 8):
  ///     print(workers,
  ///           torch.equal(by_workers(parts, workers, tree), other),
  ///           torch.equal(by_workers(parts, workers, one_after_other),
  ///                       one))
  /// ```
  const auto by_workers = [](const Parts& all, size_t workers, const auto& add) {
    const auto share = static_cast<Parts::difference_type>(all.size() / workers);
    Parts sums;
    for (auto begin = all.begin(); begin != all.end(); begin += share)
      sums.push_back(add(Parts(begin, begin + share)));
    return add(sums);
  };
  for (const int workers : {1, 2, 4, 8}) {
    const auto count = static_cast<size_t>(workers);
    print(workers, etude::equal(by_workers(parts, count, tree), other),
          etude::equal(by_workers(parts, count, one_after_other), one));
  }

  //%% equal_runs | Equal runs
  cell("equal_runs", "Equal runs");
  /// Here are twenty steps of training, and the weights in the end. With the tree a run is the
  /// same for one, two, four and eight workers, bit for bit. This can be tested, and a run can go
  /// on with a different number of workers from the one that it began with.
  ///
  /// ```python
  /// def after_twenty(workers, add):
  ///     return train(lambda parts: by_workers(parts, workers, add),
  ///                  20)[-1]
  ///
  /// for workers in (2, 4, 8):
  ///     print(workers, *[torch.equal(after_twenty(workers, add),
  ///                                  after_twenty(1, add))
  ///                      for add in (tree, one_after_other)])
  /// ```
  const auto after_twenty = [&](size_t workers, const auto& add) {
    return train([&](const Parts& all) { return by_workers(all, workers, add); }, 20)[19];
  };
  for (const int workers : {2, 4, 8}) {
    const auto count = static_cast<size_t>(workers);
    print(workers, etude::equal(after_twenty(count, tree), after_twenty(1, tree)),
          etude::equal(after_twenty(count, one_after_other), after_twenty(1, one_after_other)));
  }

  //%% to_one | Everything to one
  cell("to_one", "Everything to one");
  /// Now to what is sent. *All-reduce* is the name of the task: everyone has a vector, and
  /// everyone wants the sum. The simplest way: worker 0 receives all vectors, adds, and sends the
  /// sum back. It works, but everything goes through one wire.
  ///
  /// The output shows the bytes through the wire of worker 0, in both directions, for $n$
  /// workers: $2 (n - 1) S$ for vectors of $S = 2176$ bytes. With twice the workers this takes
  /// twice the time and more.
  ///
  /// ```python
  /// S = 4 * whole.numel()
  /// for n in (2, 4, 8, 16):
  ///     print(n, 2 * (n - 1) * S)
  /// ```
  const int64_t S = 4 * whole.numel();
  for (const int n : {2, 4, 8, 16}) print(n, 2 * (n - 1) * S);

  //%% reduce_scatter | Each adds a piece
  cell("reduce_scatter", "Each adds a piece");
  /// It is better if all of them add. The vector is cut into as many pieces as there are workers.
  /// Worker $w$ receives piece $w$ from all others and adds that piece alone. This is
  /// *reduce-scatter*: now the sum exists, and each worker has one piece of it.
  ///
  /// Here four workers have two parts each. `pieces[v, w]` is what worker $v$ sends to worker
  /// $w$. The first piece of the sum is that of the whole sum, bit for bit: each number is still
  /// added in the order of the tree.
  ///
  /// ```python
  /// held = torch.stack([tree(parts[i:i + 2]) for i in (0, 2, 4, 6)])
  /// pieces = held.view(4, 4, 136)
  /// sums = [tree(list(pieces[:, w])) for w in range(4)]
  /// print(pieces.shape, sums[0].shape)
  /// print(torch.equal(sums[0], other[:136]))
  /// ```
  Parts of_workers;
  for (size_t i = 0; i < 8; i += 2) of_workers.push_back(tree({parts[i], parts[i + 1]}));
  const Tensor held = etude::stack(of_workers);
  const Tensor pieces = held.view({4, 4, 136});
  Parts sums;
  for (int64_t w = 0; w < 4; ++w) sums.push_back(tree(pieces.select(1, w).unbind(0)));
  print(pieces.sizes(), sums[0].sizes());
  print(etude::equal(sums[0], other.narrow(0, 0, 136)));

  //%% all_gather | And all collect them
  cell("all_gather", "And all collect them");
  /// Then every worker sends its piece of the sum to all others. This is *all-gather*: now
  /// everyone has the whole. In each half a worker sends $n - 1$ pieces of $S/n$ bytes and
  /// receives as many:
  ///
  /// $$2 \, \frac{n - 1}{n} \, S$$
  ///
  /// That is less than $2 S$ however many workers there are, and no all-reduce can do with less,
  /// as Patarasuk and Yuan showed [1].
  ///
  /// ```python
  /// collected = torch.cat(sums)
  /// print(torch.equal(collected, other))
  /// for n in (2, 4, 8, 16):
  ///     print(n, 2 * (n - 1) * S // n)
  /// ```
  const Tensor collected = etude::cat(sums);
  print(etude::equal(collected, other));
  for (const int n : {2, 4, 8, 16}) print(n, 2 * (n - 1) * S / n);

  //%% ring | In a ring
  cell("ring", "In a ring");
  /// Their algorithm arranges the workers in a ring. Each piece goes round from neighbour to
  /// neighbour, and each adds its own numbers to it, so that all wires are busy all the time.
  /// Piece $w$ begins at worker $w + 1$ and is complete at worker $w$: every piece is added in a
  /// different order, and that order changes with $n$.
  ///
  /// In C++ the ring is done by hand. On the PyTorch side four workers, threads here, really
  /// send: by gloo, the library that it uses on CPUs. Both are near the tree, and not
  /// equal to it.
  ///
  /// ```python
  /// store, received = dist.HashStore(), list(held.clone())
  ///
  /// def worker(rank):
  ///     group = dist.ProcessGroupGloo(store, rank, 4,
  ///                                   timedelta(seconds=60))
  ///     group.allreduce([received[rank]]).wait()
  ///
  /// threads = [threading.Thread(target=worker, args=(rank,))
  ///            for rank in range(4)]
  /// for thread in threads:
  ///     thread.start()
  /// for thread in threads:
  ///     thread.join()
  /// print(torch.equal(received[0], other),
  ///       torch.allclose(received[0], other, atol=1e-6))
  /// ```
  Parts around;
  for (int64_t w = 0; w < 4; ++w) {
    Tensor piece = pieces[(w + 1) % 4][w];
    for (int64_t hop = 2; hop <= 4; ++hop) piece = piece + pieces[(w + hop) % 4][w];
    around.push_back(piece);
  }
  const Tensor received = etude::cat(around);
  print(etude::equal(received, other), etude::allclose(received, other, 1e-5, 1e-6));

  //%% ready | The last layer is ready first
  cell("ready", "The last layer is ready first");
  /// Backward goes from the loss to the input, so the gradients of the last layer are complete
  /// while those of the first are not yet begun. A hook on each weight says when.
  ///
  /// ```python
  /// for name, p in model.named_parameters():
  ///     if name.endswith("weight"):
  ///         p.register_hook(
  ///             lambda g, name=name: print(name, "is ready"))
  /// _ = gradient(model, x, y)
  /// ```
  for (const auto& item : model->named_parameters()) {
    const std::string name = item.key();
    if (name.find("weight") == std::string::npos) continue;
    item.value().register_hook([name](const Tensor& g) {
      print(name, "is ready");
      return g;
    });
  }
  gradient(model, x, y);

  //%% buckets | Buckets
  cell("buckets", "Buckets");
  /// So sending can begin long before backward ends. A message for every tensor would be too
  /// many, since each costs some time however small it is. So neighbours go into one *bucket*,
  /// from the last to the first, until it is full: 25 MB in PyTorch's `DistributedDataParallel`
  /// [2], 1,100 bytes here. When a bucket has all of its gradients, its all-reduce begins.
  ///
  /// ```python
  /// buckets, filled = [[]], 0
  /// for name, p in reversed(list(model.named_parameters())):
  ///     if filled + 4 * p.numel() > 1100:
  ///         buckets.append([])
  ///         filled = 0
  ///     buckets[-1].append(name)
  ///     filled += 4 * p.numel()
  /// for bucket in buckets:
  ///     print(bucket)
  /// ```
  std::vector<std::vector<std::string>> buckets(1);
  int64_t filled = 0;
  const auto named = model->named_parameters();
  for (size_t i = named.size(); i-- > 0;) {
    const int64_t size = 4 * named[i].value().numel();
    if (filled + size > 1100) {
      buckets.emplace_back();
      filled = 0;
    }
    buckets.back().push_back(named[i].key());
    filled += size;
  }
  for (const auto& bucket : buckets) print(python_list(bucket));

  //%% overlap | Sending while computing
  cell("overlap", "Sending while computing");
  /// Here is a model of the time: four layers, one bucket each. A layer takes 1 ms forwards and 2
  /// ms backwards. Its bucket takes some time on the wire, one bucket after the other. Without
  /// overlap the sending begins when backward has ended. With overlap a bucket leaves when it is
  /// ready and the wire is free; only the last one has to be waited for.
  ///
  /// Each line shows the time of a bucket, of a step without overlap, and of a step with overlap.
  /// If a bucket takes longer than the backward of its layer, the wire is what the step waits
  /// for.
  ///
  /// ```python
  /// layers, forward, backward = 4, 1, 2
  ///
  /// def step_time(send, overlap):
  ///     now, wire_free = layers * forward, 0
  ///     computed = now + layers * backward
  ///     for i in range(layers):
  ///         now += backward
  ///         ready = now if overlap else computed
  ///         wire_free = max(ready, wire_free) + send
  ///     return wire_free
  ///
  /// for send in (1, 2, 3, 4):
  ///     print(send, step_time(send, False), step_time(send, True))
  /// ```
  const int layers = 4, forward = 1, backward = 2;
  using Interval = std::pair<int, int>;
  const auto sendings = [&](int send, bool overlap) {  // of the last layer's bucket first
    int now = layers * forward, wire_free = 0;
    const int computed = now + layers * backward;
    std::vector<Interval> result;
    for (int i = 0; i < layers; ++i) {
      now += backward;
      const int begin = std::max(overlap ? now : computed, wire_free);
      wire_free = begin + send;
      result.emplace_back(begin, wire_free);
    }
    return result;
  };
  for (const int send : {1, 2, 3, 4})
    print(send, sendings(send, false).back().second, sendings(send, true).back().second);

  //%% time_line | The same as a picture
  cell("time_line", "The same as a picture");
  /// The pictures are for buckets of 2 ms. The colour is the layer: forward goes from 1 to 4,
  /// backward and the wire from 4 to 1. Grey is idle.
  ///
  /// ![Without overlap: the processor computes for 12 ms, then the wire sends for 8
  /// ms](after.svg)
  ///
  /// ![With overlap: the wire sends layer 4 while the processor goes back through layer 3, and
  /// so on; only layer 1 is sent after the end](overlap.svg)
  const auto time_line = [&](bool overlap, const std::string& title,
                             const std::string& description) {
    HeatMap map;
    map.title = title;
    map.description = description;
    map.x_label = "milliseconds";
    map.y_label = "";
    map.rows = 2;
    map.columns = 20;
    map.values.assign(40, std::numeric_limits<double>::quiet_NaN());
    map.row_names = {"CPU", "wire"};
    map.colours = Colours::sequential;
    const auto fill = [&](int row, int begin, int end, int layer) {
      for (int at = begin; at < end; ++at)
        map.values[static_cast<size_t>(20 * row + at)] = layer;
    };
    for (int i = 0; i < layers; ++i) {
      fill(0, i * forward, (i + 1) * forward, i + 1);
      const int begin = layers * forward + i * backward;
      fill(0, begin, begin + backward, layers - i);
      const auto [from, to] = sendings(2, overlap)[static_cast<size_t>(i)];
      fill(1, from, to, layers - i);
    }
    return draw(map);
  };
  figure("after.svg", time_line(false, "Computing, then sending: 20 ms",
                                "The wire is idle for 12 ms, then the processor for 8."));
  figure("overlap.svg", time_line(true, "Sending while computing: 14 ms",
                                  "The wire begins after 6 ms and ends 2 ms after backward."));

  //%% dropout | Randomness that belongs to the data
  cell("dropout", "Randomness that belongs to the data");
  /// Equal sums are not enough if the model drops numbers at random. A generator per worker,
  /// seeded by the worker, gives different masks for a different number of workers. So the
  /// generator is seeded anew for every part, by what belongs to the data: the step and the part.
  /// Etude draws such seeds from a generator that is at the same place in all processes; here the
  /// seed counts the parts of all steps.
  ///
  /// Each line shows the number of workers, and whether the masks of the four parts are those of
  /// one worker, first seeded by worker and then by part.
  ///
  /// ```python
  /// def masks(workers, by_part, step=7):
  ///     result = []
  ///     for part in range(4):
  ///         worker, first_of = divmod(part, 4 // workers)
  ///         if by_part:
  ///             torch.manual_seed(4 * step + part)
  ///         elif first_of == 0:
  ///             torch.manual_seed(worker)
  ///         result.append(F.dropout(torch.ones(6), 0.5))
  ///     return torch.stack(result)
  ///
  /// print(masks(1, True))
  /// for workers in (2, 4):
  ///     print(workers,
  ///           torch.equal(masks(workers, False), masks(1, False)),
  ///           torch.equal(masks(workers, True), masks(1, True)))
  /// ```
  const auto masks = [](int workers, bool by_part, int step = 7) {
    Parts result;
    const int share = 4 / workers;
    for (int part = 0; part < 4; ++part) {
      if (by_part) etude::manual_seed(static_cast<uint64_t>(4 * step + part));
      else if (part % share == 0) etude::manual_seed(static_cast<uint64_t>(part / share));
      result.push_back(F::dropout(etude::ones({6}), F::DropoutFuncOptions().p(0.5)));
    }
    return etude::stack(result);
  };
  print(masks(1, true));
  for (const int workers : {2, 4}) {
    print(workers, etude::equal(masks(workers, false), masks(1, false)),
          etude::equal(masks(workers, true), masks(1, true)));
  }

  //%% accumulation | Several parts on one worker
  cell("accumulation", "Several parts on one worker");
  /// `backward` adds to the gradients that are there. So one worker can go through several parts,
  /// each small enough for its memory, and take one step: *gradient accumulation*. It is the same
  /// sum as that of several workers. Nothing is sent before the last part; PyTorch's word
  /// for this is `no_sync`.
  ///
  /// What `backward` adds, it adds one after the other: the sum has the bits of that order, and
  /// not of the tree. If you want the tree, keep the gradients of the parts and add them
  /// yourself; of $2^k$ parts at most $k + 1$ sums are held at a time.
  ///
  /// ```python
  /// model = new_model()
  /// for i in range(0, 32, 4):
  ///     loss = F.cross_entropy(model(x[i:i + 4]), y[i:i + 4])
  ///     (loss / 8).backward()
  /// accumulated = flat_gradient(model)
  /// print(torch.equal(accumulated, one),
  ///       torch.equal(accumulated, other))
  /// ```
  model = new_model();
  for (int64_t i = 0; i < 32; i += 4)
    (F::cross_entropy(model->forward(x.narrow(0, i, 4)), y.narrow(0, i, 4)) / 8).backward();
  const Tensor accumulated = flat_gradient(model);
  print(etude::equal(accumulated, one), etude::equal(accumulated, other));

  //%% state | What every worker keeps
  cell("state", "What every worker keeps");
  /// AdamW remembers two numbers for each weight, the means of its gradient and of the square of
  /// its gradient. That is twice the size of the weights, and every worker has the same ones. Here
  /// they are counted after a step:
  ///
  /// ```python
  /// def state_bytes(optimizer):
  ///     return sum(4 * (kept["exp_avg"].numel()
  ///                     + kept["exp_avg_sq"].numel())
  ///                for kept in optimizer.state.values())
  ///
  /// optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
  /// optimizer.step()
  /// print(S, "bytes of weights,", state_bytes(optimizer), "of state")
  /// ```
  const auto state_bytes = [](const optim::AdamW& of) {
    int64_t bytes = 0;
    for (const auto& item : of.state()) {
      const auto& kept = static_cast<const optim::AdamWParamState&>(*item.second);
      bytes += 4 * (kept.exp_avg().numel() + kept.exp_avg_sq().numel());
    }
    return bytes;
  };
  optim::AdamW optimizer(model->parameters(), optim::AdamWOptions(0.01));
  optimizer.step();
  print(S, "bytes of weights,", state_bytes(optimizer), "of state");

  //%% sharding | Each keeps a piece of it
  cell("sharding", "Each keeps a piece of it");
  /// After reduce-scatter a worker has one piece of the gradient. That is all it needs to step
  /// that piece of the weights, and for that it needs one piece of the state. Then all-gather
  /// collects *weights* in place of gradients. As many bytes are sent as before, and each worker
  /// has $1/n$ of the state. This is ZeRO [3]; it goes on to keep gradients and weights in
  /// pieces, too.
  ///
  /// AdamW treats every number by itself, so the weights after ten steps are those of the whole
  /// optimizer, bit for bit. (Clipping does not: it needs the length of the whole gradient, and
  /// so one more sum over all workers.)
  ///
  /// ```python
  /// m = new_model()
  /// flat = nn.utils.parameters_to_vector(m.parameters()).detach()
  /// shards = [piece.clone().requires_grad_()
  ///           for piece in flat.chunk(4)]
  /// optimizers = [torch.optim.AdamW([shard], lr=0.01)
  ///               for shard in shards]
  /// for _ in range(10):
  ///     summed = tree(gradients(m))            # reduce-scatter
  ///     for shard, piece, o in zip(shards, summed.chunk(4),
  ///                                optimizers):
  ///         shard.grad = piece.clone()
  ///         o.step()
  ///     together = torch.cat(shards).detach()  # all-gather
  ///     nn.utils.vector_to_parameters(together, m.parameters())
  /// print(torch.equal(together, train(tree, 10)[-1]))
  /// print([state_bytes(o) for o in optimizers])
  /// ```
  nn::Sequential m = new_model();
  Parts shards;
  std::vector<optim::AdamW> optimizers;
  for (const Tensor& piece :
       nn::utils::parameters_to_vector(m->parameters()).detach().chunk(4)) {
    shards.push_back(piece.clone().requires_grad_());
    optimizers.emplace_back(std::vector<Tensor>{shards.back()}, optim::AdamWOptions(0.01));
  }
  Tensor together;
  for (int step = 0; step < 10; ++step) {
    const Parts summed = tree(gradients(m)).chunk(4);  // reduce-scatter
    for (size_t w = 0; w < 4; ++w) {
      shards[w].mutable_grad() = summed[w].clone();
      optimizers[w].step();
    }
    together = etude::cat(shards).detach();  // all-gather
    nn::utils::vector_to_parameters(together, m->parameters());
  }
  print(etude::equal(together, train(tree, 10)[9]));
  std::vector<int64_t> state_of_each;
  for (const optim::AdamW& o : optimizers) state_of_each.push_back(state_bytes(o));
  print(etude::tolist(etude::tensor(state_of_each, etude::kLong)));

  //%% time | The time of a step
  cell("time", "The time of a step");
  /// A step of $n$ workers computes for $C/n$. A ring sends $2(n - 1)$ messages one after the
  /// other, each with a latency $L$, and $S/n$ bytes in each, by a wire of $B$ bytes per second:
  ///
  /// $$T(n) = \frac{C}{n} + 2 (n - 1) \Bigl( L + \frac{S}{n B} \Bigr)$$
  ///
  /// Take GPT-2, 124 million weights, 498 MB of gradients; a batch that takes one processor 24 s;
  /// and 1 Gbit/s. The output shows $n$, the seconds of computing and of sending, and the
  /// efficiency $T(1) / (n \, T(n))$. The last column answers another question: what is the
  /// efficiency if each worker keeps a batch of 24 s, so that the batch grows with $n$?
  ///
  /// ```python
  /// C, L, gpt2, gigabit = 24.0, 5e-5, 4 * 124439808.0, 1.25e8
  ///
  /// def sending(n, size, bandwidth):
  ///     return 2 * (n - 1) * (L + size / (n * bandwidth))
  ///
  /// for n in (1, 2, 4, 8, 16, 64):
  ///     send = sending(n, gpt2, gigabit)
  ///     efficiency = C / (n * (C / n + send))
  ///     print(n, f"{C / n:.2f} {send:.2f}",
  ///           f"{efficiency:.2f} {C / (C + send):.2f}")
  /// ```
  const double C = 24, L = 5e-5, gpt2 = 4 * 124439808.0, gigabit = 1.25e8;
  const auto sending = [&](double n, double size, double bandwidth) {
    return 2 * (n - 1) * (L + size / (n * bandwidth));
  };
  const auto two_digits = [](double v) {
    return etude::format(etude::tensor(v, etude::kDouble), ".2f");
  };
  for (const int n : {1, 2, 4, 8, 16, 64}) {
    const double send = sending(n, gpt2, gigabit), efficiency = C / (n * (C / n + send));
    print(n, two_digits(C / n), two_digits(send), two_digits(efficiency),
          two_digits(C / (C + send)));
  }

  //%% pays | When it pays
  cell("pays", "When it pays");
  /// The output shows the first $n$ at which sending takes half of a step or more: for GPT-2 with
  /// 1 Gbit/s and with 10, and for the model of this page, whose step takes 100 µs. Without
  /// latency it is where $n - 1 = C B / 2 S$. The small model loses with two workers already:
  /// 2176 bytes are sent in no time, but every message has its latency.
  ///
  /// What helps is more computing per byte: a larger batch, several parts per worker and step. A
  /// larger batch asks for a larger learning rate, in proportion, after a warm-up [4], and at some
  /// size it no longer learns faster.
  ///
  /// ```python
  /// def half_at(compute, size, bandwidth):
  ///     n = 2
  ///     while sending(n, size, bandwidth) < compute / n:
  ///         n += 1
  ///     return n
  ///
  /// print(half_at(C, gpt2, gigabit), half_at(C, gpt2, 10 * gigabit))
  /// print(half_at(1e-4, S, gigabit))
  /// ```
  const auto half_at = [&](double compute, double size, double bandwidth) {
    int n = 2;
    while (sending(n, size, bandwidth) < compute / n) ++n;
    return n;
  };
  print(half_at(C, gpt2, gigabit), half_at(C, gpt2, 10 * gigabit));
  print(half_at(1e-4, static_cast<double>(S), gigabit));

  //%% speed_up | How many times as fast
  cell("speed_up", "How many times as fast");
  /// ![Times as fast as one worker, over the number of workers: with 1 Gbit/s it stays below 3,
  /// with 10 Gbit/s it rises to 20, with 100 Gbit/s to 52](speed_up.svg)
  LinePlot plot;
  plot.title = "Times as fast as one worker";
  plot.description = "The slower the wire, the sooner more workers are of no use.";
  plot.x_label = "workers";
  plot.y_label = "times as fast";
  for (int n = 1; n <= 64; ++n) plot.x.push_back(n);
  for (const int times : {100, 10, 1}) {
    plot.series.push_back({std::to_string(times) + " Gbit/s", {}});
    for (const double n : plot.x)
      plot.series.back().y.push_back(C / (C / n + sending(n, gpt2, times * gigabit)));
  }
  figure("speed_up.svg", draw(plot));

  //%% program | The real thing
  cell("program", "The real thing");
  /// A program for several processes is the program for one with a few more lines. All processes
  /// run it, from the same seed. The group is how they reach each other, here by MPI:
  ///
  /// ```cpp
  /// namespace dist = etude::distributed;
  /// using namespace nn::parallel;
  ///
  /// auto group = dist::ProcessGroupMPI::createProcessGroupMPI();
  /// DistributedDataParallel ddp(
  ///     model, group, DistributedDataParallelOptions().parts(8));
  ///
  /// optimizer.zero_grad();
  /// Tensor loss = ddp.mean_loss(
  ///     {x, y}, [&](const std::vector<Tensor>& part) {
  ///       return F::cross_entropy(model->forward(part[0]), part[1]);
  ///     });
  /// optimizer.step();
  /// ```
  ///
  /// `mean_loss` cuts the batch into eight parts and takes those of this process, forwards and
  /// backwards, each with random numbers of its own and the weight of its size. Buckets are sent
  /// during the last backward and added in the order of the tree. So one, two, four and eight
  /// processes give the same bits. To see it, `examples/run --processes 4 char_gpt`.
  ///
  /// `dist::ZeroRedundancyOptimizer<optim::AdamW>` in place of `AdamW` keeps the state in pieces,
  /// which are whole parameters there. They are sent after the all-reduce, so that half as many
  /// bytes are sent in addition: simpler than above, but not free.

  //%% exercise1 | A tree that is cut elsewhere
  cell("exercise1", "A tree that is cut elsewhere");
  /// One worker has the parts 0 to 2, another the parts 3 to 7. A node of the tree now lies across
  /// the cut. Fill `from_first` and `from_second` with what each has to send, two vectors each,
  /// so that the last line adds them in the order of the tree.
  {
    const Parts first_has(parts.begin(), parts.begin() + 3);
    const Parts second_has(parts.begin() + 3, parts.end());
    Parts from_first, from_second;
    //%% answer
    /// Whole branches are added before they are sent; $g_2$ and $g_3$ belong to one branch but to
    /// different workers, so they are sent as they are.
    ///
    /// ```python
    /// from_first = [parts[0] + parts[1], parts[2]]
    /// from_second = [parts[3], tree(parts[4:])]
    /// middle = from_first[1] + from_second[0]
    /// added = (from_first[0] + middle) + from_second[1]
    /// print(torch.equal(added, other))
    /// ```
    from_first = {first_has[0] + first_has[1], first_has[2]};
    from_second = {second_has[0], tree({second_has.begin() + 1, second_has.end()})};
    //%% end answer
    expect(from_first.size() == 2 && from_second.size() == 2, "each sends two vectors");
    const Tensor middle = from_first[1] + from_second[0];
    const Tensor added = (from_first[0] + middle) + from_second[1];
    expect(etude::equal(added, other), "the sum has the bits of the tree");
    print(etude::equal(added, other));
  }

  //%% exercise2 | Fewer messages
  cell("exercise2", "Fewer messages");
  /// In the model of time above a bucket of one layer takes 2 ms. Now every message costs `cost`
  /// ms more, whatever its size, and a bucket holds the gradients of `per_bucket` layers. Compute
  /// when the last bucket has arrived, with overlap; the first line has the time without. From which
  /// cost on are two buckets of two layers better than four of one?
  {
    const auto arrived = [&](int per_bucket, int cost) {
      int end = layers * (forward + backward) + layers / per_bucket * (cost + 2 * per_bucket);
      //%% answer
      /// A bucket is ready when the last of its layers is. At 1 ms both take 18 ms, at 2 ms two
      /// buckets are better.
      ///
      /// ```python
      /// def arrived(per_bucket, cost):
      ///     end = 0
      ///     for done in range(per_bucket, layers + 1, per_bucket):
      ///         ready = layers * forward + done * backward
      ///         end = max(ready, end) + cost + 2 * per_bucket
      ///     return end
      ///
      /// for cost in (0, 1, 2):
      ///     print(cost, arrived(1, cost), arrived(2, cost))
      /// ```
      end = 0;
      for (int done = per_bucket; done <= layers; done += per_bucket) {
        const int ready = layers * forward + done * backward;
        end = std::max(ready, end) + cost + 2 * per_bucket;
      }
      //%% end answer
      return end;
    };
    expect(arrived(1, 0) == 14, "four buckets that cost nothing more take 14 ms, as above");
    expect(arrived(4, 0) == 20, "one bucket of all layers hides nothing");
    for (const int cost : {0, 1, 2}) print(cost, arrived(1, cost), arrived(2, cost));
  }

  //%% exercise3 | Clip what is in pieces
  cell("exercise3", "Clip what is in pieces");
  /// Each of four workers has a piece of the gradient, and the whole is to be shortened to the
  /// length 0.1 before the step. Compute `length`, the length of the whole gradient, from what
  /// each worker can compute alone and one sum over all. The weights after ten steps are compared
  /// with those of a worker that clips the whole.
  ///
  /// ```python
  /// m = new_model()
  /// o = torch.optim.AdamW(m.parameters(), lr=0.01)
  /// for _ in range(10):
  ///     set_gradient(m, tree(gradients(m)))
  ///     nn.utils.clip_grad_norm_(m.parameters(), 0.1)
  ///     o.step()
  /// clipped = nn.utils.parameters_to_vector(m.parameters()).detach()
  /// ```
  {
    nn::Sequential whole_one = new_model(), in_pieces = new_model();
    optim::AdamW whole_optimizer(whole_one->parameters(), optim::AdamWOptions(0.01));
    for (int step = 0; step < 10; ++step) {
      set_gradient(whole_one, tree(gradients(whole_one)));
      nn::utils::clip_grad_norm_(whole_one->parameters(), 0.1);
      whole_optimizer.step();
    }
    const Tensor clipped = nn::utils::parameters_to_vector(whole_one->parameters()).detach();

    const Tensor start = nn::utils::parameters_to_vector(in_pieces->parameters()).detach();
    Parts kept;
    std::vector<optim::AdamW> steppers;
    for (const Tensor& piece : start.chunk(4)) {
      kept.push_back(piece.clone().requires_grad_());
      steppers.emplace_back(std::vector<Tensor>{kept.back()}, optim::AdamWOptions(0.01));
    }
    for (int step = 0; step < 10; ++step) {
      const Parts summed = tree(gradients(in_pieces)).chunk(4);  // one piece per worker, [136]
      double length = 0;
      //%% answer
      /// The squares of the numbers add up over the pieces, so each worker sends one number.
      ///
      /// ```python
      /// m = new_model()
      /// flat = nn.utils.parameters_to_vector(m.parameters()).detach()
      /// kept = [piece.clone().requires_grad_()
      ///         for piece in flat.chunk(4)]
      /// steppers = [torch.optim.AdamW([piece], lr=0.01)
      ///             for piece in kept]
      /// for _ in range(10):
      ///     summed = tree(gradients(m)).chunk(4)
      ///     length = math.sqrt(sum(piece.pow(2).sum().item()
      ///                            for piece in summed))
      ///     for piece, grad, o in zip(kept, summed, steppers):
      ///         piece.grad = grad * min(1, 0.1 / (length + 1e-6))
      ///         o.step()
      ///     nn.utils.vector_to_parameters(torch.cat(kept).detach(),
      ///                                   m.parameters())
      /// print(torch.allclose(torch.cat(kept), clipped, atol=1e-6))
      /// ```
      double squares = 0;
      for (const Tensor& piece : summed) squares += piece.pow(2).sum().item<float>();
      length = std::sqrt(squares);
      //%% end answer
      for (size_t w = 0; w < 4; ++w) {
        kept[w].mutable_grad() = summed[w] * std::min(1.0, 0.1 / (length + 1e-6));
        steppers[w].step();
      }
      nn::utils::vector_to_parameters(etude::cat(kept).detach(), in_pieces->parameters());
    }
    const bool equal = etude::allclose(etude::cat(kept), clipped, 1e-5, 1e-6);
    expect(equal, "the weights are those of a worker that clips the whole gradient");
    print(equal);
  }

  //%% summary
  /// 1. The mean of the parts' gradients is the gradient of the batch, if each part counts by its
  ///    size.
  /// 2. A sum has the same bits for any number of workers if the data fix its order.
  /// 3. All-reduce sends $2 S (n - 1) / n$ bytes per worker, a part of them while backward goes
  ///    on.
  /// 4. What is random belongs to the step and the part, not to the worker.
  /// 5. It pays while computing $C / n$ takes longer than sending.
  //%% references
  /// 1. P. Patarasuk and X. Yuan, [Bandwidth Optimal All-reduce Algorithms for Clusters of
  ///    Workstations](https://doi.org/10.1016/j.jpdc.2008.09.002), 2009
  /// 2. S. Li et al., [PyTorch Distributed: Experiences on Accelerating Data Parallel
  ///    Training](https://arxiv.org/abs/2006.15704), 2020, section 3.2
  /// 3. S. Rajbhandari et al., [ZeRO: Memory Optimizations Toward Training Trillion Parameter
  ///    Models](https://arxiv.org/abs/1910.02054), 2020, section 5
  /// 4. P. Goyal et al., [Accurate, Large Minibatch SGD](https://arxiv.org/abs/1706.02677), 2017,
  ///    section 2
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
