/// # What a model costs
///
/// - You will be able to: count weights, operations and bytes of a GPT on paper; say whether a
///   product waits for the processor or for the memory
/// - You need: [training a GPT](11_training_a_gpt.cpp), [drawing from a model](12_sampling.cpp)
/// - Minutes: 50
/// - Result: shares
///
/// How long will the training take, and does it fit into memory? Both can be said before a line
/// of code has run, since a model is a list of matrix products, and a product of known size has a
/// known cost. This lesson counts three things: *weights*, *FLOP* (floating-point operations, a
/// product and a sum being two), and *bytes*. The toy is the GPT of [lesson
/// 11](11_training_a_gpt.cpp); GPT-2 [1] stands beside it on paper.
///
/// Every formula here is checked. On PyTorch's side the profiler counts the operations of every
/// product that is really done, and the graph is asked which bytes it keeps. Both sides print the
/// same numbers.
///
/// ```diagram A block's multiplications per token, t tokens, width d
/// x: a token's vector [d]
/// qkv: (query, key, value) [3 d d]
/// scores: (scores) [t d]
/// mix: (mix of values) [t d]
/// out: (output layer) [d d]
/// up: (wider) [4 d d]
/// down: (and back) [4 d d]
/// ```

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% model | The model
/// This is a small GPT-2, as in lesson 11, for one sequence of $t$ ids. In C++ it is `nn::GPT`.
///
/// ```python
/// import math
/// import time
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
/// from torch.profiler import ProfilerActivity, profile
///
/// class Block(nn.Module):
///     def __init__(self, d, heads, device):
///         super().__init__()
///         self.heads = heads
///         self.ln_1 = nn.LayerNorm(d, device=device)
///         self.qkv = nn.Linear(d, 3 * d, device=device)
///         self.out = nn.Linear(d, d, device=device)
///         self.ln_2 = nn.LayerNorm(d, device=device)
///         self.up = nn.Linear(d, 4 * d, device=device)
///         self.down = nn.Linear(4 * d, d, device=device)
///
///     def forward(self, x):
///         t, d = x.shape
///         q, k, v = (part.view(t, self.heads, -1).transpose(0, 1)
///                    for part in self.qkv(self.ln_1(x)).chunk(3, -1))
///         scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
///         later = torch.ones(t, t, dtype=torch.bool).triu(1)
///         p = torch.softmax(scores.masked_fill(later, -math.inf), -1)
///         x = x + self.out((p @ v).transpose(0, 1).reshape(t, d))
///         y = F.gelu(self.up(self.ln_2(x)), approximate="tanh")
///         return x + self.down(y)
///
/// class GPT(nn.Module):
///     def __init__(self, V, context, d, layers, heads, device=None):
///         super().__init__()
///         self.wte = nn.Embedding(V, d, device=device)
///         self.wpe = nn.Embedding(context, d, device=device)
///         self.h = nn.ModuleList(Block(d, heads, device)
///                                for _ in range(layers))
///         self.ln_f = nn.LayerNorm(d, device=device)
///
///     def forward(self, ids):
///         x = self.wte(ids) + self.wpe(torch.arange(len(ids)))
///         for block in self.h:
///             x = block(x)
///         return self.ln_f(x) @ self.wte.weight.T
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::print, etude::Tensor;

/// `Sizes` holds what decides the cost of a GPT.
struct Sizes {
  int64_t vocabulary, context, d, layers, heads;
};

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "20_cost");
  cell("model", "The model");

  etude::set_num_threads(1);

  //%% weights | The weights
  cell("weights", "The weights");
  /// A block has matrices of $3d^2$, $d^2$, $4d^2$ and $4d^2$ weights, biases of $3d$, $d$, $4d$ and
  /// $d$, and two norms of $2d$: together $12d^2 + 13d$. Add the tables for $V$ tokens and $T$
  /// places, and the last norm:
  ///
  /// $$N = V d + T d + L (12 d^2 + 13 d) + 2 d$$
  ///
  /// The weights of the toy are counted. Those of GPT-2 come from the formula in C++; PyTorch
  /// counts its tensors too, on the device `meta`, where tensors have sizes and no numbers.
  ///
  /// ```python
  /// def count(model):
  ///     return sum(p.numel() for p in model.parameters())
  ///
  /// torch.manual_seed(0)
  /// toy = GPT(25, 32, 32, 2, 4)
  /// print(count(toy), count(GPT(50257, 1024, 768, 12, 12, "meta")))
  /// ```
  const Sizes small{25, 32, 32, 2, 4}, gpt2{50257, 1024, 768, 12, 12};
  const auto weights = [](const Sizes& s) {
    return (s.vocabulary + s.context + 2) * s.d + s.layers * (12 * s.d * s.d + 13 * s.d);
  };
  nn::GPT toy(nn::GPTOptions(25).context(32).d_model(32).layers(2).heads(4).dropout(0.0));
  int64_t counted = 0;
  for (const Tensor& p : toy->parameters()) counted += p.numel();
  expect(counted == weights(small), "the formula counts every weight");
  print(counted, weights(gpt2));

  //%% product | A product
  cell("product", "A product");
  /// A product of `[m, k]` and `[k, n]` has $m n$ results, each of $k$ products and as many sums:
  /// $2 m n k$ FLOP. The queries of the four words of *the dog saw itself*, vectors of width 4,
  /// cost 128 FLOP. Sums of vectors, norms and GELU are left out from here on: each costs a few
  /// FLOP per number, where a product costs $2k$.
  ///
  /// ```python
  /// def products(f):
  ///     with profile(activities=[ProfilerActivity.CPU],
  ///                  with_flops=True, record_shapes=True) as p:
  ///         f()
  ///     names = {"aten::mm", "aten::bmm", "aten::addmm"}
  ///     return [([tuple(s) for s in e.input_shapes if len(s) > 1],
  ///              e.flops) for e in p.events() if e.name in names]
  ///
  /// words, w_q = torch.ones(4, 4), torch.ones(4, 4)
  /// (sizes, flop), = products(lambda: words @ w_q)
  /// print(*sizes, flop)
  /// ```
  struct Product {
    Tensor a, b;
    int64_t flop;
  };
  std::vector<Product> products;
  const auto multiply = [&](const Tensor& x, const Tensor& y) {
    products.push_back({x, y, 2 * x.numel() * y.size(-1)});
    return x.matmul(y);
  };
  const auto show = [](const Product& p) {
    print(python_tuple(p.a.sizes()), python_tuple(p.b.sizes()), p.flop);
  };
  multiply(etude::ones({4, 4}), etude::ones({4, 4}));
  show(products[0]);

  //%% forward | All products of a model
  cell("forward", "All products of a model");
  /// The toy reads 32 characters. In C++ its forward pass is spelled out, with products that are
  /// counted, and gives what `nn::GPT` gives. The output shows the products of the first block,
  /// the last product of all, and the sum of FLOP.
  ///
  /// ```python
  /// ids = torch.arange(32) % 25
  /// done = products(lambda: toy(ids))
  /// for sizes, flop in done[:6] + done[-1:]:
  ///     print(*sizes, flop)
  /// forward = sum(flop for _, flop in done)
  /// print(len(done), "products,", forward, "FLOP")
  /// ```
  const auto parameters = toy->named_parameters();
  const auto counted_forward = [&](const Tensor& ids) {
    const auto linear = [&](const Tensor& x, const std::string& name) {
      return multiply(x, parameters[name + ".weight"]) + parameters[name + ".bias"];
    };
    const auto norm = [&](const Tensor& x, const std::string& name) {
      return F::layer_norm(x, F::LayerNormFuncOptions({x.size(-1)})
                                  .weight(parameters[name + ".weight"])
                                  .bias(parameters[name + ".bias"]));
    };
    const int64_t t = ids.size(0);
    const Tensor& table = parameters["wte.weight"];
    Tensor x = table.index({ids}) + parameters["wpe.weight"].narrow(0, 0, t);
    for (int64_t i = 0; i < small.layers; ++i) {
      const std::string h = "h." + std::to_string(i) + ".";
      std::vector<Tensor> qkv;
      for (const Tensor& part : linear(norm(x, h + "ln_1"), h + "attn.c_attn").chunk(3, -1))
        qkv.push_back(part.view({t, small.heads, -1}).transpose(0, 1));
      const Tensor scores = multiply(qkv[0], qkv[1].transpose(1, 2)) / std::sqrt(8.0);
      const Tensor later = etude::ones({t, t}, etude::kBool).triu(1);
      const Tensor p = etude::softmax(scores.masked_fill(later, -INFINITY), -1);
      const Tensor mix = multiply(p, qkv[2]).transpose(0, 1).reshape({t, -1});
      x = x + linear(mix, h + "attn.c_proj");
      const Tensor up = linear(norm(x, h + "ln_2"), h + "mlp.c_fc");
      x = x + linear(F::gelu(up, F::GELUFuncOptions().approximate("tanh")), h + "mlp.c_proj");
    }
    return multiply(norm(x, "ln_f"), table.t());
  };
  etude::manual_seed(0);
  toy->reset_parameters();
  const Tensor ids = etude::arange(32).remainder(25);
  products.clear();
  const Tensor logits = counted_forward(ids);
  expect_close(logits, toy(ids.unsqueeze(0))[0], 1e-5);
  for (size_t i = 0; i < 6; ++i) show(products[i]);
  show(products.back());
  int64_t forward = 0;
  for (const Product& p : products) forward += p.flop;
  print(products.size(), "products,", forward, "FLOP");

  //%% backward | The way back
  cell("backward", "The way back");
  /// A product $C = A B$ has two on the way back, $\bar C B^T$ for the slope of $A$ and $A^T \bar
  /// C$ for that of $B$. Both are as large as the product itself. So a step costs three times the
  /// forward pass, and the profiler finds exactly that.
  ///
  /// ```python
  /// loss = F.cross_entropy(toy(ids), ids)
  /// back = sum(flop for _, flop in products(lambda: loss.backward()))
  /// print(back, back / forward)
  /// ```
  int64_t back = 0;
  for (const auto& [x, y, flop] : products) {
    const Tensor slope = x.matmul(y);        // as large as the slope of the result
    back += 2 * slope.numel() * y.size(-2);  // the slope of x
    back += 2 * x.numel() * slope.size(-1);  // the slope of y
  }
  print(back, static_cast<double>(back) / static_cast<double>(forward));

  //%% six | Six times weights times tokens
  cell("six", "Six times weights times tokens");
  /// Each weight of a matrix is multiplied once per token: $2N$ FLOP forward and $6N$ with the way
  /// back. Over $D$ tokens that is $C \approx 6 N D$, the rule of Kaplan et al. [2]. It leaves out
  /// the scores and the mix, which have no weights: $4 t d$ FLOP per token and layer, growing with
  /// the length $t$. (PyTorch's products and those of most simple programs compute what the mask
  /// then hides; without that it would be half.)
  ///
  /// The output shows the FLOP of a training step per token, and how many times $6N$ that is: for
  /// the toy, and for GPT-2 with 128, 1,024 and 8,192 tokens.
  ///
  /// ```python
  /// def step_flop(V, t, d, layers):
  ///     return 3 * (layers * (24 * d * d + 4 * t * d) + 2 * V * d)
  ///
  /// assert step_flop(25, 32, 32, 2) * 32 == forward + back
  /// N = count(toy)
  /// print(step_flop(25, 32, 32, 2),
  ///       f"{step_flop(25, 32, 32, 2) / (6 * N):.3f}")
  /// N = 124439808
  /// for t in (128, 1024, 8192):
  ///     flop = step_flop(50257, t, 768, 12)
  ///     print(t, flop, f"{flop / (6 * N):.3f}")
  /// ```
  const auto step_flop = [](const Sizes& s, int64_t t) {
    return 3 * (s.layers * (24 * s.d * s.d + 4 * t * s.d) + 2 * s.vocabulary * s.d);
  };
  const auto formatted = [](double v, const char* spec) {
    return etude::format(etude::tensor(v, etude::kDouble), spec);
  };
  const auto times_six = [&](const Sizes& s, int64_t t) {
    return formatted(
        static_cast<double>(step_flop(s, t)) / (6 * static_cast<double>(weights(s))), ".3f");
  };
  expect(step_flop(small, 32) * 32 == forward + back, "the formula counts every product");
  print(step_flop(small, 32), times_six(small, 32));
  for (const int64_t t : {128, 1024, 8192}) print(t, step_flop(gpt2, t), times_six(gpt2, t));

  //%% shares | What attention costs
  cell("shares", "What attention costs");
  /// Of a block's $24 d^2 + 4 t d$ FLOP per token, scores and mix are $t / (6 d + t)$. At $t = 6d$
  /// they are half. GPT-2, of width 768, is at 18 % with its 1,024 tokens. A wide model reads long
  /// texts at little extra cost, a narrow one does not.
  ///
  /// ![Share of scores and mix in a block over the length: it rises from nearly 0 to nearly 1;
  /// width 128 reaches one half at 768 tokens, width 768 at 4608, width 4096 at
  /// 24576](shares.svg)
  LinePlot plot;
  plot.title = "Share of scores and mix in the FLOP of a block";
  plot.description = "One half is reached at six times the width.";
  plot.x_label = "tokens";
  plot.y_label = "share";
  plot.x_scale = Scale::powers_of_two;
  for (int64_t t = 64; t <= 131072; t *= 2) plot.x.push_back(static_cast<double>(t));
  for (const int d : {128, 768, 4096}) {
    plot.series.push_back({"width " + std::to_string(d), {}});
    for (const double t : plot.x) plot.series.back().y.push_back(t / (6 * d + t));
  }
  figure("shares.svg", draw(plot));

  //%% days | From FLOP to days
  cell("days", "From FLOP to days");
  /// Hoffmann et al. [3] found that for a given amount of computing a model does best if it
  /// reads about twenty tokens per weight. For GPT-2 that makes 2.5 billion tokens. Take a small
  /// machine of two processors that does 204 GFLOP per second at best, and reads 32.1 GB per
  /// second. The output shows the FLOP and the days, if half of that best is reached.
  ///
  /// ```python
  /// D = 20 * N
  /// C = 6 * N * D
  /// peak, bandwidth = 204e9, 32.1e9
  /// print(f"{C:.2e} {C / (peak / 2) / 86400:.0f}")
  /// ```
  const double N = static_cast<double>(weights(gpt2)), D = 20 * N, C = 6 * N * D;
  const double peak = 204e9, bandwidth = 32.1e9;
  print(formatted(C, ".2e"), formatted(C / (peak / 2) / 86400, ".0f"));

  //%% memory | The bytes of a step
  cell("memory", "The bytes of a step");
  /// In float32 a weight takes four bytes, its slope four, and AdamW's two means eight: 16 per
  /// weight, whatever the batch. In addition there are the *activations*, which the forward pass
  /// leaves for the way back: per token and layer $16 d$ numbers and $a t$ of attention weights
  /// for $a$ heads, then $2d + V$ at the end. (The 16: input and output of both norms, query,
  /// key, value, mix, and $4d$ before and after GELU.)
  ///
  /// On PyTorch's side a hook sees each tensor that the graph keeps. It counts matrices of
  /// float32 that are not weights. The same is computed for GPT-2 with one sequence of 1,024
  /// tokens, in MB: weights, all that belongs to weights, activations.
  ///
  /// ```python
  /// kept = {}
  /// weights = {p.storage().data_ptr() for p in toy.parameters()}
  ///
  /// def keep(t):
  ///     place = t.storage().data_ptr()
  ///     if place not in weights and t.dtype == torch.float32:
  ///         kept[place] = t
  ///     return t
  ///
  /// with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
  ///     loss = F.cross_entropy(toy(ids), ids)
  /// print(16 * count(toy), sum(4 * t.storage().size()
  ///                            for t in kept.values()
  ///                            if t.storage().size() > 32))
  ///
  /// def activation_bytes(V, t, d, layers, heads):
  ///     return 4 * t * (layers * (16 * d + heads * t) + 2 * d + V)
  ///
  /// print(f"{4 * N / 1e6:.0f} {16 * N / 1e6:.0f}",
  ///       f"{activation_bytes(50257, 1024, 768, 12, 12) / 1e6:.0f}")
  /// ```
  const auto activation_bytes = [](const Sizes& s, int64_t t) {
    return 4 * t * (s.layers * (16 * s.d + s.heads * t) + 2 * s.d + s.vocabulary);
  };
  print(16 * weights(small), activation_bytes(small, 32));
  print(formatted(4 * N / 1e6, ".0f"), formatted(16 * N / 1e6, ".0f"),
        formatted(static_cast<double>(activation_bytes(gpt2, 1024)) / 1e6, ".0f"));

  //%% token | The cost of a token
  cell("token", "The cost of a token");
  /// Drawing a token takes one forward pass of one token, about $2N$ FLOP, if keys and values of
  /// the others are [kept](12_sampling.cpp): $2 L d$ numbers per token of the text. But for so
  /// little work all weights and the whole cache have to be read from memory.
  ///
  /// The output shows, for GPT-2 behind 1,024 tokens: the bytes of the cache; the FLOP of a
  /// token; the least milliseconds for these FLOP; and the least milliseconds for reading these
  /// bytes. The memory sets the pace.
  ///
  /// ```python
  /// cache = 2 * 12 * 768 * 1024 * 4
  /// token_flop = step_flop(50257, 1024, 768, 12) // 3
  /// print(cache, token_flop)
  /// print(f"{1e3 * token_flop / peak:.1f}",
  ///       f"{1e3 * (4 * N + cache) / bandwidth:.1f}")
  /// ```
  const int64_t cache = 2 * gpt2.layers * gpt2.d * gpt2.context * 4;
  const int64_t token_flop = step_flop(gpt2, 1024) / 3;
  print(cache, token_flop);
  print(formatted(1e3 * static_cast<double>(token_flop) / peak, ".1f"),
        formatted(1e3 * (4 * N + static_cast<double>(cache)) / bandwidth, ".1f"));

  //%% intensity | FLOP per byte
  cell("intensity", "FLOP per byte");
  /// The *arithmetic intensity* of a product is its FLOP over the bytes that it has to read and
  /// write at least once: $2mnk / (4(mk + kn + mn))$. With $P$ for the machine's FLOP per second and
  /// $B$ for its bytes per second, it can reach at most
  ///
  /// $$\min(P,\; B \cdot \text{intensity})$$
  ///
  /// the *roofline* of Williams et al. [4]. The two meet at $P / B$, here 6.4 FLOP per byte. The
  /// output shows, for $m$ tokens at once through GPT-2's `[768, 3072]`: the intensity, and the
  /// share of $P$ that can be reached. One token reaches 8 %; a batch reads the same weights for
  /// all of its tokens.
  ///
  /// ```python
  /// def intensity(m, k, n):
  ///     return 2 * m * n * k / (4 * (m * k + k * n + m * n))
  ///
  /// print(f"{peak / bandwidth:.2f}")
  /// for m in (1, 4, 16, 64, 1024):
  ///     i = intensity(m, 768, 3072)
  ///     print(m, f"{i:.2f} {min(1, i * bandwidth / peak):.2f}")
  /// ```
  const auto intensity = [](double m, double k, double n) {
    return 2 * m * n * k / (4 * (m * k + k * n + m * n));
  };
  print(formatted(peak / bandwidth, ".2f"));
  for (const int m : {1, 4, 16, 64, 1024}) {
    const double i = intensity(m, 768, 3072);
    print(m, formatted(i, ".2f"), formatted(std::min(1.0, i * bandwidth / peak), ".2f"));
  }

  //%% roofline | The roof
  cell("roofline", "The roof");
  /// Left of 6.4 FLOP per byte the memory sets the pace, and more FLOP per byte help. Right of it
  /// the processor does.
  ///
  /// ![GFLOP per second over the intensity: a line that rises to 204 at 6.4 FLOP per byte and is
  /// level from there](roofline.svg)
  LinePlot roof;
  roof.title = "The roofline of a machine with 204 GFLOP/s and 32 GB/s";
  roof.description =
      "Left of 6.4 FLOP per byte the memory sets the pace, right of it the processor.";
  roof.x_label = "FLOP per byte";
  roof.y_label = "GFLOP per second at most";
  roof.x_scale = Scale::powers_of_two;
  roof.series = {{"memory and processor", {}}, {"processor alone", {}}};
  for (int step = 0; step <= 40; ++step) {
    roof.x.push_back(std::pow(2.0, step / 4.0 - 2));
    roof.series[0].y.push_back(std::min(peak, bandwidth * roof.x.back()) / 1e9);
    roof.series[1].y.push_back(peak / 1e9);
  }
  figure("roofline.svg", draw(roof));

  //%% measured | Measured
  cell("measured", "Measured", Compare::layout());
  /// Here the same product is measured with one token and with 256, on your machine:
  /// microseconds, and GFLOP per second, the best of five. These numbers differ from run to run,
  /// so only their layout is compared. With one token the processor mostly waits.
  ///
  /// Small models have a third limit: each operation costs a microsecond or so to be called, which
  /// no count of FLOP shows.
  ///
  /// ```python
  /// torch.set_num_threads(1)
  ///
  /// def best_of_five(f):
  ///     times = []
  ///     for _ in range(5):
  ///         begin = time.perf_counter()
  ///         f()
  ///         times.append(time.perf_counter() - begin)
  ///     return min(times)
  ///
  /// w_up = torch.ones(768, 3072)
  /// for m in (1, 256):
  ///     x = torch.ones(m, 768)
  ///     seconds = best_of_five(lambda: x @ w_up)
  ///     print(m, f"{1e6 * seconds:.1f}",
  ///           f"{2 * m * 768 * 3072 / seconds / 1e9:.1f}")
  /// ```
  const auto best_of_five = [](const std::function<void()>& f) {
    using Clock = std::chrono::steady_clock;
    double best = INFINITY;
    for (int i = 0; i < 5; ++i) {
      const Clock::time_point begin = Clock::now();
      f();
      best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
  };
  const Tensor w_up = etude::ones({768, 3072});
  for (const int m : {1, 256}) {
    const Tensor x = etude::ones({m, 768});
    const double seconds = best_of_five([&] { x.matmul(w_up); });
    print(m, formatted(1e6 * seconds, ".1f"),
          formatted(2.0 * m * 768 * 3072 / seconds / 1e9, ".1f"));
  }

  //%% exercise1 | The MLP of four words
  cell("exercise1", "The MLP of four words");
  /// *The dog saw itself* goes through the two linear layers of a block of width 4, whose inner
  /// width is 16. How many FLOP are their products, forward and backward together?
  {
    int64_t flop = 0;
    //%% answer
    /// There are two products of $2 \cdot 4 \cdot 4 \cdot 16$, and both are counted three times.
    ///
    /// ```python
    /// net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
    /// x = torch.ones(4, 4, requires_grad=True)
    /// done = products(lambda: net(x).sum().backward())
    /// print(sum(flop for _, flop in done))
    /// ```
    flop = 3 * 2 * (2 * 4 * 4 * 16);
    //%% end answer
    products.clear();
    multiply(multiply(etude::ones({4, 4}), etude::ones({4, 16})), etude::ones({16, 4}));
    expect(flop == 3 * (products[0].flop + products[1].flop),
           "three times what the two products of the forward pass cost");
    print(flop);
  }

  //%% exercise2 | A cache with fewer heads
  cell("exercise2", "A cache with fewer heads");
  /// Llama 3 with 8 billion weights [5] has 32 layers and 32 heads of size 128, but only 8 heads
  /// of keys and values, each shared by four queries. Its numbers are kept in 16 bits. How many
  /// bytes are the keys and values of 8,192 tokens? Set `shared` to the bytes with 8 heads of
  /// keys and values, and `single` to those with 32.
  {
    int64_t shared = 0, single = 0;
    //%% answer
    /// Multiply two (keys and values) by layers, tokens, heads, size, and two bytes. That is one
    /// gibibyte in place of four.
    ///
    /// ```python
    /// def cache_bytes(heads):
    ///     k = torch.empty(32, 8192, heads, 128, dtype=torch.float16,
    ///                     device="meta")
    ///     return 2 * k.numel() * k.element_size()
    ///
    /// print(cache_bytes(8), cache_bytes(32))
    /// ```
    shared = int64_t{2} * 32 * 8192 * 8 * 128 * 2;
    single = int64_t{2} * 32 * 8192 * 32 * 128 * 2;
    //%% end answer
    expect(single == 4 * shared && shared > 0, "a quarter of the heads, a quarter of the bytes");
    expect(shared % (1 << 30) == 0, "it is a power of two: a whole number of gibibytes");
    print(shared, single);
  }

  //%% exercise3 | Enough tokens at once
  cell("exercise3", "Enough tokens at once");
  /// Find the smallest number of tokens `m` for which the product with GPT-2's `[768, 3072]` no
  /// longer waits for the memory of this machine, $P / B = 6.36$. Use `intensity`, `peak` and
  /// `bandwidth`.
  {
    int m = 0;
    //%% answer
    /// As long as $m$ is small beside 768 the intensity is about $m / 2$: each weight, four bytes,
    /// is used for $2m$ FLOP.
    ///
    /// ```python
    /// m = 1
    /// while intensity(m, 768, 3072) < peak / bandwidth:
    ///     m += 1
    /// print(m)
    /// ```
    m = 1;
    while (intensity(m, 768, 3072) < peak / bandwidth) ++m;
    //%% end answer
    expect(m > 0 && intensity(m, 768, 3072) >= peak / bandwidth, "m tokens are enough");
    expect(intensity(m - 1, 768, 3072) < peak / bandwidth, "one token less is not");
    print(m);
  }

  //%% summary
  /// 1. A product of `[m, k]` and `[k, n]` costs $2mnk$ FLOP, and twice that again on the way back.
  /// 2. Training costs about $6N$ FLOP per token; scores and mix come on top, as much as all else
  ///    in a block when the text is six times as long as the model is wide.
  /// 3. Weights, slopes and AdamW take 16 bytes per weight, and the activations grow with the
  ///    tokens.
  /// 4. Drawing a token reads all weights and the whole cache for $2N$ FLOP, so the memory sets the
  ///    pace.
  /// 5. FLOP per byte tell which of the two limits holds, and more tokens at once raise them.
  //%% references
  /// 1. A. Radford et al., [Language Models are Unsupervised Multitask
  ///    Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf),
  ///    2019, section 2.3
  /// 2. J. Kaplan et al., [Scaling Laws for Neural Language
  ///    Models](https://arxiv.org/abs/2001.08361), 2020, section 2.1
  /// 3. J. Hoffmann et al., [Training Compute-Optimal Large Language
  ///    Models](https://arxiv.org/abs/2203.15556), 2022, section 3.4
  /// 4. S. Williams, A. Waterman and D. Patterson, [Roofline](https://doi.org/10.1145/1498765.1498785),
  ///    Communications of the ACM, 2009
  /// 5. A. Grattafiori et al., [The Llama 3 Herd of Models](https://arxiv.org/abs/2407.21783), 2024,
  ///    table 3
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
