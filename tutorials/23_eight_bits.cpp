/// # Eight bits
///
/// - You will be able to: store a matrix in eight bits per weight and compute with it; say
///   beforehand how large the error will be; say what an outlier spoils, and how groups contain it
/// - You need: [what a model costs](20_cost.cpp), [training a GPT](11_training_a_gpt.cpp)
/// - Minutes: 35
/// - Result: where
///
/// A model that writes reads every weight for every token, and waits for the memory while it does.
/// A weight in half as many bytes is read in half the time. It need not be exact, since a product
/// sums over many weights, and small errors of both signs mostly cancel. So weights are learned in
/// 32 bits and used in eight or fewer: a whole number from -127 to 127, and a *scale* that many
/// weights share. This is called *quantization*.
///
/// Everything depends on which weights share a scale: all of a matrix, those of a row, or 32
/// neighbours. This lesson tries the three, predicts the error, measures it, and then asks a
/// trained model whether it notices. At the end *the dog saw itself* is written from eight bits.
///
/// ```diagram Thirty-two weights, there and back
/// w: weights [32]
/// s: (largest / 127) [1]
/// q: (w / scale, rounded) [32]
/// b: bytes [34]
/// r: (times scale) [32]
/// w -> s -> q -> b -> r ; w -> q
/// ```

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// PyTorch and Etude have a type for whole numbers of eight bits. Here they stay in tensors of
/// floats, where they can be looked at and multiplied like all others.
///
/// ```python
/// import copy
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
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
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "23_eight_bits");
  cell("imports", "What is needed");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  //%% time | Bytes are time
  cell("time", "Bytes are time");
  /// Llama 3 in its smallest form [1] has these matrices in each of 32 layers: queries and output
  /// `[4096, 4096]`, keys and values `[1024, 4096]`, and three of `[14336, 4096]` in its MLP. Then
  /// there are two tables for 128,256 tokens, and norms of 4,096. A token needs one row of the
  /// first table, and every number of all the rest.
  ///
  /// The machine of [lesson 20](20_cost.cpp#token) computes 204 GFLOP and reads 32.1 GB per
  /// second. The output shows the number of weights, and the milliseconds for the FLOP of a
  /// token. Then, for each number of bits per weight: gigabytes, milliseconds to read them, and
  /// tokens per second at most. In all four cases computing takes less time than reading. So the
  /// bytes alone set the pace, and half the bits write twice as fast.
  ///
  /// ```python
  /// d, V = 4096, 128256
  /// layer = 2 * d * d + 2 * 1024 * d + 3 * 14336 * d + 2 * d
  /// N = 2 * V * d + 32 * layer + d
  /// read = N - V * d
  /// print(N, f"{1e3 * 2 * read / 204e9:.0f}")
  /// for bits in (32, 16, 8.5, 4.5):
  ///     seconds = read * bits / 8 / 32.1e9
  ///     print(f"{bits:.1f} {N * bits / 8e9:.1f}",
  ///           f"{1e3 * seconds:.0f} {1 / seconds:.1f}")
  /// ```
  const auto formatted = [](double v, const char* spec) {
    return etude::format(etude::tensor(v, etude::kDouble), spec);
  };
  const int64_t d = 4096, V = 128256;
  const int64_t layer = 2 * d * d + 2 * 1024 * d + 3 * 14336 * d + 2 * d;
  const int64_t N = 2 * V * d + 32 * layer + d;
  const auto read = static_cast<double>(N - V * d);
  print(N, formatted(1e3 * 2 * read / 204e9, ".0f"));
  for (const double bits : {32.0, 16.0, 8.5, 4.5}) {
    const double seconds = read * bits / 8 / 32.1e9;
    print(formatted(bits, ".1f"), formatted(static_cast<double>(N) * bits / 8e9, ".1f"),
          formatted(1e3 * seconds, ".0f"), formatted(1 / seconds, ".1f"));
  }

  //%% scale | Four weights and a scale
  cell("scale", "Four weights and a scale");
  /// Eight bits hold 256 whole numbers. The 255 from -127 to 127 are used, as many on each side of
  /// zero. The scale $s$ is the size of a step between them, and it is chosen so that the largest
  /// magnitude becomes 127:
  ///
  /// $$s = \frac{\max_i |w_i|}{127} \qquad q_i = \text{round}(w_i / s) \qquad w_i \approx q_i s$$
  ///
  /// The function takes `group` neighbours at a time, and other numbers of bits, for later. A group
  /// of zeros has the scale 0. The `clamp` keeps it from dividing 0 by 0.
  ///
  /// The output shows the scale, the whole numbers, and the weights that come back. None is off
  /// by more than half a step.
  ///
  /// ```python
  /// def quantize(w, group, bits=8):
  ///     most = 2 ** (bits - 1) - 1  # 127 for eight bits
  ///     parts = w.reshape(-1, group)
  ///     scales = parts.abs().amax(1, keepdim=True) / most
  ///     values = (parts / scales.clamp(min=1e-30)).round()
  ///     return values, scales
  ///
  /// def restore(values, scales, shape):
  ///     return (values * scales).view(shape)
  ///
  /// four = torch.tensor([0.314, -0.846, 0.02, 1.27])
  /// values, scales = quantize(four, 4)
  /// print(scales)
  /// print(values)
  /// print(restore(values, scales, [4]))
  /// ```
  const auto quantize = [](const Tensor& w, int64_t group, int64_t bits = 8) {
    const double most = std::pow(2.0, static_cast<double>(bits - 1)) - 1;  // 127 for eight bits
    const Tensor parts = w.reshape({-1, group});                           // [groups, group]
    const Tensor scales = parts.abs().amax(1, /*keepdim=*/true) / most;    // [groups, 1]
    const Tensor values = (parts / scales.clamp(1e-30)).round();
    return std::make_pair(values, scales);
  };
  const auto restore = [](const Tensor& values, const Tensor& scales,
                          const etude::IntArrayRef& shape) {
    return (values * scales).view(shape);
  };
  {
    const Tensor four = etude::tensor({0.314, -0.846, 0.02, 1.27});
    const auto [values, scales] = quantize(four, 4);
    print(scales);
    print(values);
    print(restore(values, scales, {4}));
  }

  //%% error | How large the error is
  cell("error", "How large the error is");
  /// Between two steps the error goes from $-s/2$ to $s/2$. Weights are spread over many steps, so
  /// every value in between is about as frequent [2]. Then the mean of its square is
  ///
  /// $$\frac{1}{s} \int_{-s/2}^{s/2} e^2 \, de = \frac{s^2}{12}$$
  ///
  /// and its root, the *rms* error, is $s / \sqrt{12}$: 29 % of a step. A bit more halves the step
  /// and the error.
  ///
  /// A matrix of 64 rows and 64 columns, normal with deviation 0.1, gets one scale. The output
  /// shows, for 8, 7, 6, 5 and 4 bits: the step, the error by this formula, and the error
  /// measured.
  ///
  /// ```python
  /// def rms(t):
  ///     return t.pow(2).mean().sqrt()
  ///
  /// torch.manual_seed(0)
  /// w = torch.randn(64, 64) * 0.1
  /// for bits in (8, 7, 6, 5, 4):
  ///     values, step = quantize(w, w.numel(), bits)
  ///     error = restore(values, step, w.shape) - w
  ///     print(bits, f"{step.item():.5f}",
  ///           f"{step.item() / math.sqrt(12):.5f} {rms(error):.5f}")
  /// ```
  const auto rms = [](const Tensor& t) { return t.pow(2).mean().sqrt(); };
  etude::manual_seed(0);
  const Tensor w = etude::randn({64, 64}) * 0.1;
  for (const int64_t bits : {8, 7, 6, 5, 4}) {
    const auto [values, step] = quantize(w, w.numel(), bits);
    const Tensor error = restore(values, step, w.sizes()) - w;
    const Tensor theory = step[0][0] / std::sqrt(12.0);
    print(bits, etude::format(step[0][0], ".5f"), etude::format(theory, ".5f"),
          etude::format(rms(error), ".5f"));
  }

  //%% saw | A saw
  cell("saw", "A saw");
  /// The picture shows the error over the weight, with four bits so that the steps can be seen.
  /// All weights share the scale 1/7.
  ///
  /// ![Error over the weight: a saw of fifteen teeth between -0.07 and 0.07, zero at each multiple
  /// of 1/7](saw.svg)
  LinePlot saw;
  saw.title = "The error of a weight in four bits";
  saw.description = "A saw: zero at the multiples of 1/7, at most half of a seventh.";
  saw.x_label = "weight";
  saw.y_label = "value that comes back - weight";
  const Tensor line = etude::arange(-350, 351) / 350.0;
  const auto [line_values, line_scale] = quantize(line, line.numel(), 4);
  saw.x = values_of(line);
  saw.series = {{"error", values_of(restore(line_values, line_scale, line.sizes()) - line)}};
  figure("saw.svg", draw(saw));

  //%% outlier | One outlier
  cell("outlier", "One outlier");
  /// Now a single weight of the 4,096, in row 20, becomes 5: an *outlier*, fifty times the
  /// deviation. It decides the scale, and the others have to live with it: of 255 whole numbers a
  /// few in the middle are left for them.
  ///
  /// The output shows, without and with the outlier: the step, the rms error of all the other
  /// weights, how many different whole numbers occur, and the share of weights that became 0.
  ///
  /// ```python
  /// spoiled = w.clone()
  /// spoiled[20, 40] = 5.0
  /// others = torch.ones(64, 64, dtype=torch.bool)
  /// others[20, 40] = False
  /// for matrix in (w, spoiled):
  ///     values, step = quantize(matrix, matrix.numel())
  ///     error = restore(values, step, w.shape) - matrix
  ///     print(f"{step.item():.5f} {rms(error[others]):.5f}",
  ///           len(set(values.flatten().tolist())),
  ///           f"{(values == 0).float().mean():.3f}")
  /// ```
  const Tensor spoiled = w.clone();
  spoiled.index_put_({20, 40}, parameter("outlier", 5.0, 0.1, 50.0));
  const Tensor others = etude::ones({64, 64}, etude::kBool);
  others.index_put_({20, 40}, false);
  for (const Tensor& matrix : {w, spoiled}) {
    const auto [values, step] = quantize(matrix, matrix.numel());
    const Tensor error = restore(values, step, w.sizes()) - matrix;
    const std::vector<double> all = values_of(values);
    print(etude::format(step[0][0], ".5f"), etude::format(rms(error.index({others})), ".5f"),
          std::set<double>(all.begin(), all.end()).size(),
          etude::format((values == 0).to(etude::kFloat).mean(), ".3f"));
  }

  //%% forms | Who shares a scale
  cell("forms", "Who shares a scale");
  /// The cure is to share less. With a scale per row the outlier spoils its own row, and 63 rows
  /// never hear of it [3]. With a scale for each *group* of 32 neighbours in a row it spoils 31
  /// weights. Even without an outlier smaller groups are better, since the largest of few weights
  /// is smaller than the largest of many.
  ///
  /// The output shows, for each of the three: the number of scales, the error by the formula,
  /// with the mean of all $s^2$ in it, the error measured, and the same two for the matrix with
  /// the outlier.
  ///
  /// ```python
  /// def group_size(form, matrix):
  ///     return {"matrix": matrix.numel(), "row": matrix.shape[1],
  ///             "group": 32}[form]
  ///
  /// for form in ("matrix", "row", "group"):
  ///     line = []
  ///     for matrix in (w, spoiled):
  ///         values, scales = quantize(matrix, group_size(form, matrix))
  ///         error = restore(values, scales, w.shape) - matrix
  ///         line.append(f"{rms(scales) / math.sqrt(12):.5f}")
  ///         line.append(f"{rms(error):.5f}")
  ///     print(form, len(scales), *line)
  /// ```
  const std::vector<std::string> forms{"matrix", "row", "group"};
  const auto group_size = [](const std::string& form, const Tensor& matrix) {
    return form == "matrix" ? matrix.numel() : form == "row" ? matrix.size(1) : int64_t{32};
  };
  for (const std::string& form : forms) {
    std::string numbers;
    int64_t count = 0;
    for (const Tensor& matrix : {w, spoiled}) {
      const auto [values, scales] = quantize(matrix, group_size(form, matrix));
      const Tensor error = restore(values, scales, w.sizes()) - matrix;
      count = scales.size(0);
      numbers += " " + etude::format(rms(scales) / std::sqrt(12.0), ".5f") + " " +
                 etude::format(rms(error), ".5f");
    }
    print(form, count, numbers.substr(1));
  }

  //%% where | Where the error is
  cell("where", "Where the error is");
  /// The pictures show the magnitude of the error in rows 16 to 24 of the matrix with the
  /// outlier, in the same colours for all three. One weight is large in each of them, and what it
  /// spoils is the whole matrix, row 20, or half of row 20.
  ///
  /// ![Three maps of nine rows and 64 columns: with one scale all of it is bright, with a scale per
  /// row one row is, with a scale per group the right half of this row](where.svg)
  Subplots maps;
  maps.title = "The magnitude of the error beside an outlier";
  maps.description =
      "One scale: errors everywhere. A scale per row: in one row. A scale per group: in half of "
      "this row.";
  maps.columns = 1;
  const std::vector<std::string> titles{"one scale", "a scale per row",
                                        "a scale per group of 32"};
  for (size_t i = 0; i < forms.size(); ++i) {
    const auto [values, scales] = quantize(spoiled, group_size(forms[i], spoiled));
    const Tensor error = (restore(values, scales, w.sizes()) - spoiled).abs();
    HeatMap map;
    map.title = titles[i];
    map.x_label = "column";
    map.y_label = "row";
    map.rows = 9;
    map.columns = 64;
    map.values = values_of(error.narrow(0, 16, 9));
    for (int row = 16; row < 25; ++row) map.row_names.push_back(std::to_string(row));
    map.colours = Colours::sequential;
    map.range = {0.0, spoiled.abs().max().item<double>() / 254};
    maps.plots.emplace_back(map);
  }
  figure("where.svg", draw(maps));

  //%% bytes | Thirty-four bytes
  cell("bytes", "Thirty-four bytes");
  /// Groups of 32 are what the library ggml calls *q8_0* [4]. It stores a group as a scale in half
  /// precision, two bytes, and 32 bytes for the whole numbers. That makes $34 \cdot 8 / 32 = 8.5$
  /// bits per weight. A negative number is written as 256 more, so -1 is `ff`.
  ///
  /// Below are the bytes of the first group of our matrix. The first two are the scale, with the
  /// lower byte first. Then come the number of bytes, and the bits per weight.
  ///
  /// ```python
  /// values, scales = quantize(w, 32)
  /// stored = scales[0].half().numpy().tobytes()
  /// stored += values[0].to(torch.int8).numpy().tobytes()
  /// print(stored.hex(" ", 2))
  /// print(len(stored), len(stored) * 8 / 32)
  /// ```
  const auto [group_values, group_scales] = quantize(w, 32);
  {
    std::string hex;
    size_t count = 0;
    const auto store = [&](uint8_t byte) {
      const char* digits = "0123456789abcdef";
      if (count > 0 && count % 2 == 0) hex += ' ';
      hex += digits[byte / 16];
      hex += digits[byte % 16];
      ++count;
    };
    const auto half = group_scales[0].to(etude::kHalf).item<etude::Half>();
    uint8_t halves[2];
    std::memcpy(halves, &half, sizeof halves);
    for (const uint8_t byte : halves) store(byte);
    for (const double v : values_of(group_values[0]))
      store(static_cast<uint8_t>(static_cast<int>(v)));
    print(hex);
    print(count, static_cast<double>(count) * 8 / 32);
  }

  //%% product | The error of a product
  cell("product", "The error of a product");
  /// Nobody looks at weights. What counts is $y_o = \sum_i x_i w_{oi}$, a sum over a row. With
  /// errors $e_{oi}$ that are independent of $x$ and of each other, the squares add up:
  ///
  /// $$\sum_i x_i e_{oi} \approx \sqrt{\sum_i x_i^2} \cdot \frac{s}{\sqrt{12}}
  /// \qquad y_o \approx \sqrt{\sum_i x_i^2} \cdot \sigma$$
  ///
  /// with $\sigma$ for the deviation of the weights. Both grow with the root of the width, and
  /// the root cancels in their ratio. So a wide layer is no worse than a narrow one. The output
  /// shows, for a width of 64, 256 and 1,024, and groups of 32: the relative error of the
  /// weights, and that of the product.
  ///
  /// ```python
  /// for width in (64, 256, 1024):
  ///     matrix = torch.randn(width, width) * 0.1
  ///     x = torch.randn(16, width)
  ///     error = restore(*quantize(matrix, 32), matrix.shape) - matrix
  ///     print(width, f"{rms(error) / rms(matrix):.4f}",
  ///           f"{rms(x @ error.T) / rms(x @ matrix.T):.4f}")
  /// ```
  for (const int64_t width : {64, 256, 1024}) {
    const Tensor matrix = etude::randn({width, width}) * 0.1;
    const Tensor x = etude::randn({16, width});
    const auto [values, scales] = quantize(matrix, 32);
    const Tensor error = restore(values, scales, matrix.sizes()) - matrix;
    print(width, etude::format(rms(error) / rms(matrix), ".4f"),
          etude::format(rms(x.matmul(error.t())) / rms(x.matmul(matrix.t())), ".4f"));
  }

  //%% apart | The scale stands outside
  cell("apart", "The scale stands outside");
  /// A program that first restored the matrix, wrote it to memory and read it again would be slower
  /// than one with plain weights. It need not do that. All weights of a group have the same scale,
  /// so it stands before their sum, and the whole numbers are used as they are read:
  ///
  /// $$y_o = \sum_g s_{og} \sum_{i \in g} x_i q_{oi}$$
  ///
  /// The output shows how many whole numbers there are, how many scales, and whether both ways
  /// agree.
  ///
  /// ```python
  /// x = torch.randn(3, 64)
  /// q, s = values.view(64, 2, 32), scales.view(64, 2)
  /// y = torch.zeros(3, 64)
  /// for g in range(2):
  ///     part = x[:, 32 * g:32 * (g + 1)]
  ///     y = y + part @ q[:, g].T * s[:, g]
  /// whole = x @ restore(values, scales, w.shape).T
  /// print(q.numel(), s.numel())
  /// print(torch.allclose(y, whole, atol=1e-6))
  /// ```
  {
    const Tensor x = etude::randn({3, 64});
    const Tensor q = group_values.view({64, 2, 32}), s = group_scales.view({64, 2});
    Tensor y = etude::zeros({3, 64});
    for (int64_t g = 0; g < 2; ++g) {
      const Tensor part = x.narrow(1, 32 * g, 32);
      y = y + part.matmul(q.select(1, g).t()) * s.select(1, g);
    }
    const Tensor whole = x.matmul(restore(group_values, group_scales, w.sizes()).t());
    print(q.numel(), s.numel());
    print(etude::allclose(y, whole, 1e-5, 1e-6));
  }

  //%% training | A model to try it on
  cell("training", "A model to try it on", Compare::within(0.1));
  /// The text and the model are those of [lesson 11](11_training_a_gpt.cpp), with one block of
  /// width 64. In C++ it is `nn::GPT`. It learns in 32 bits. The output shows the number of its
  /// weights, the share of them that stands in matrices, and the loss over all windows of the
  /// text, compared to within 0.1.
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
  /// letters = sorted(set(text))
  /// ids = torch.tensor([letters.index(c) for c in text])
  /// context, steps = 32, 300
  ///
  /// def loss_at(model, starts):
  ///     at = starts.unsqueeze(1) + torch.arange(context)
  ///     return F.cross_entropy(model(ids[at]).flatten(0, 1),
  ///                            ids[at + 1].flatten())
  ///
  /// @torch.no_grad()
  /// def loss_of(model):
  ///     return loss_at(model, torch.arange(len(ids) - context)).item()
  ///
  /// model = GPT(len(letters), context, 64, 1, 4)
  /// torch.manual_seed(0)
  /// model.reset()
  /// optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
  /// schedule = torch.optim.lr_scheduler.LambdaLR(
  ///     optimizer, lambda step: min((step + 1) / 20,
  ///                                 1, 2 - 2 * step / steps))
  /// for _ in range(steps):
  ///     loss = loss_at(model, torch.randint(0, len(ids) - context,
  ///                                         (16,)))
  ///     optimizer.zero_grad()
  ///     loss.backward()
  ///     nn.utils.clip_grad_norm_(model.parameters(), 1.0)
  ///     optimizer.step()
  ///     schedule.step()
  /// sizes = [(p.dim(), p.numel()) for p in model.parameters()]
  /// total = sum(n for _, n in sizes)
  /// print(total, f"{sum(n for dim, n in sizes if dim == 2) / total:.3f}")
  /// print(f"{loss_of(model):.2f}")
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
  const std::set<char> sorted(text.begin(), text.end());
  const std::string letters(sorted.begin(), sorted.end());
  std::vector<int64_t> places;
  for (const char c : text) places.push_back(static_cast<int64_t>(letters.find(c)));
  const Tensor ids = etude::tensor(places);
  const int64_t context = 32, steps = 300;

  const auto loss_at = [&](nn::GPT& of, const Tensor& starts) {
    const Tensor at = starts.unsqueeze(1) + etude::arange(context);
    return F::cross_entropy(of(ids.index({at})).flatten(0, 1), ids.index({at + 1}).flatten());
  };
  const auto loss_of = [&](nn::GPT& of) {
    const etude::NoGradGuard no_grad;
    return loss_at(of, etude::arange(ids.size(0) - context)).item<double>();
  };

  nn::GPT model(nn::GPTOptions(static_cast<int64_t>(letters.size()))
                    .context(context)
                    .d_model(64)
                    .layers(1)
                    .heads(4)
                    .dropout(0.0));
  etude::manual_seed(0);
  model->reset_parameters();
  etude::optim::AdamW optimizer(model->parameters(), etude::optim::AdamWOptions(0.01));
  etude::optim::LambdaLR schedule(optimizer, [&](int64_t step) {
    return std::min({static_cast<double>(step + 1) / 20, 1.0,
                     2 - 2 * static_cast<double>(step) / static_cast<double>(steps)});
  });
  for (int64_t i = 0; i < steps; ++i) {
    const Tensor loss = loss_at(model, etude::randint(0, ids.size(0) - context, {16}));
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
    schedule.step();
  }
  int64_t total = 0, in_matrices = 0;
  for (const Tensor& p : model->parameters()) {
    total += p.numel();
    if (p.dim() == 2) in_matrices += p.numel();
  }
  const double float_loss = loss_of(model);
  print(total, formatted(static_cast<double>(in_matrices) / static_cast<double>(total), ".3f"));
  print(formatted(float_loss, ".2f"));

  //%% loss | What it costs the model
  cell("loss", "What it costs the model", Compare::within(0.05));
  /// All matrices of the model are replaced by what comes back from eight bits. The few biases and
  /// norms stay as they are. GPT-2 stores its layers as `[inputs, outputs]`, so they are turned
  /// first: the weights of a group belong to the same output.
  ///
  /// The output shows the loss in 32 bits, then in eight for each of the three, compared to
  /// within 0.05. The model does not notice. In training it has lived with far greater
  /// disturbances than an error of half a per cent. The parameter `bits` sets a smaller number of
  /// bits.
  ///
  /// ```python
  /// def quantized(model, form, bits=8):
  ///     other = copy.deepcopy(model)
  ///     for name, p in other.named_parameters():
  ///         if p.dim() == 2:
  ///             turned = name.startswith("h.")
  ///             w = p.data.T if turned else p.data
  ///             values, scales = quantize(w, group_size(form, w), bits)
  ///             w = restore(values, scales, w.shape)
  ///             p.data.copy_(w.T if turned else w)
  ///     return other
  ///
  /// print("float32", f"{loss_of(model):.3f}")
  /// for form in ("matrix", "row", "group"):
  ///     print(form, f"{loss_of(quantized(model, form)):.3f}")
  /// ```
  const auto quantized = [&](nn::GPT& of, const std::string& form, int64_t bits = 8) {
    const etude::NoGradGuard no_grad;
    nn::GPT other(std::dynamic_pointer_cast<nn::GPTImpl>(of->clone()));
    for (const auto& item : other->named_parameters()) {
      const Tensor& p = item.value();
      if (p.dim() != 2) continue;
      const bool turned = item.key().rfind("h.", 0) == 0;
      const Tensor matrix = turned ? p.t() : p;
      const auto [values, scales] = quantize(matrix, group_size(form, matrix), bits);
      matrix.copy_(restore(values, scales, matrix.sizes()));
    }
    return other;
  };
  const int64_t chosen = parameter("bits", 8, 2, 8);
  print("float32", formatted(float_loss, ".3f"));
  for (const std::string& form : forms) {
    nn::GPT other = quantized(model, form, chosen);
    print(form, formatted(loss_of(other), ".3f"));
  }

  //%% says | What it says
  cell("says", "What it says");
  /// The model of 32 bits and the one of eight bits in groups of 32 both continue "the dog" with
  /// the most probable character again and again. Each of the 68 characters is the same.
  ///
  /// ```python
  /// @torch.no_grad()
  /// def told_by(model):
  ///     told = ids[:7]
  ///     for _ in range(68):
  ///         logits = model(told[-context:].unsqueeze(0))
  ///         told = torch.cat([told, logits[0, -1:].argmax(-1)])
  ///     return "".join(letters[i] for i in told)
  ///
  /// print(told_by(model))
  /// print(told_by(quantized(model, "group")))
  /// ```
  const auto told_by = [&](nn::GPT& of) {
    const etude::NoGradGuard no_grad;
    Tensor told = ids.narrow(0, 0, 7);
    for (int i = 0; i < 68; ++i) {
      const int64_t from = std::max<int64_t>(told.size(0) - context, 0);
      const Tensor logits = of(told.index({Slice(from, None)}).unsqueeze(0));
      told = etude::cat({told, logits[0][-1].argmax(-1, /*keepdim=*/true)});
    }
    std::string words;
    for (int64_t i = 0; i < told.size(0); ++i)
      words += letters[static_cast<size_t>(told[i].item<int64_t>())];
    return words;
  };
  print(told_by(model));
  nn::GPT in_groups = quantized(model, "group", chosen);
  print(told_by(in_groups));

  //%% channel | A model with an outlier
  cell("channel", "A model with an outlier", Compare::within(0.3));
  /// Then why are there groups? Because large models are not as tame. A few of their channels
  /// carry numbers many times as large as all others [3]. Our model can be given such a channel
  /// without a change of what it computes: the norm before the MLP divides channel 40 by 512, and
  /// the first layer of the MLP multiplies its weights for channel 40 by 512. This is a power of
  /// two, so nothing is rounded, and in float32 the loss is the same to the last digit.
  ///
  /// Now each row of this matrix has an outlier. So a scale per row helps less than before, and a
  /// scale per group more, since half of each row is as it was. The output shows the three
  /// losses, compared to within 0.3. With one scale the model is worse than one that knows
  /// nothing, whose loss is $\ln 25 = 3.22$.
  ///
  /// ```python
  /// tricky = copy.deepcopy(model)
  /// with torch.no_grad():
  ///     block = tricky.h[0]
  ///     block.ln_2.weight[40] /= 512
  ///     block.ln_2.bias[40] /= 512
  ///     block.mlp.c_fc.weight[40] *= 512
  /// print(loss_of(tricky) == loss_of(model))
  /// for form in ("matrix", "row", "group"):
  ///     print(form, f"{loss_of(quantized(tricky, form)):.2f}")
  /// ```
  nn::GPT tricky(std::dynamic_pointer_cast<nn::GPTImpl>(model->clone()));
  {
    const etude::NoGradGuard no_grad;
    const auto parameters = tricky->named_parameters();
    parameters["h.0.ln_2.weight"][40].div_(512);
    parameters["h.0.ln_2.bias"][40].div_(512);
    parameters["h.0.mlp.c_fc.weight"][40].mul_(512);
  }
  print(loss_of(tricky) == float_loss);
  for (const std::string& form : forms) {
    nn::GPT other = quantized(tricky, form);
    print(form, formatted(loss_of(other), ".2f"));
  }

  //%% exercise1 | Groups of other sizes
  cell("exercise1", "Groups of other sizes");
  /// Smaller groups have smaller errors and more scales. How many bits does a weight take in groups
  /// of `group`, with its own eight and its share of a scale of 16 bits? Put it into `per_weight`.
  /// Beside it stands the error.
  {
    for (const int64_t group : {8, 16, 32, 64}) {
      double per_weight = 0;
      //%% answer
      /// From 64 to 32 the error falls by a tenth for a quarter of a bit, and from 16 to 8 by a sixth
      /// for a whole bit. A whole bit more per weight would have halved it.
      ///
      /// ```python
      /// for group in (8, 16, 32, 64):
      ///     error = restore(*quantize(w, group), w.shape) - w
      ///     print(group, 8 + 16 / group, f"{rms(error):.5f}")
      /// ```
      per_weight = 8 + 16.0 / static_cast<double>(group);
      //%% end answer
      expect(per_weight > 8, "there is more to store than the eight bits");
      expect((per_weight - 8) * static_cast<double>(group) == 16,
             "the shares of a group add up to the 16 bits of its scale");
      const auto [values, scales] = quantize(w, group);
      const Tensor error = restore(values, scales, w.sizes()) - w;
      print(group, per_weight, etude::format(rms(error), ".5f"));
    }
  }

  //%% exercise2 | A scale in half precision
  cell("exercise2", "A scale in half precision");
  /// A scale in half precision has eleven digits of base two. Round `scales` to it, as a tensor
  /// of floats, in `in_half`. The output shows the relative error of our matrix times 1, 0.01,
  /// 0.0001 and 0.000001, first with exact scales. What happens to small weights?
  {
    for (const double factor : {1.0, 0.01, 0.0001, 0.000001}) {
      const Tensor small = w * factor;
      const auto [values, scales] = quantize(small, 32);
      Tensor in_half;
      //%% answer
      /// Eleven digits are enough: they change a value by at most 1/2048 of itself, much less than
      /// half a step. But numbers below 0.00006 lose digits in half precision, and below 0.00000003
      /// they are 0. The scales of small weights are that small, and with them the weights are lost.
      /// Formats for such weights have a factor for the whole matrix, too.
      ///
      /// ```python
      /// for factor in (1, 0.01, 0.0001, 0.000001):
      ///     small = w * factor
      ///     values, scales = quantize(small, 32)
      ///     in_half = scales.half().float()
      ///     errors = [restore(values, s, w.shape) - small
      ///               for s in (scales, in_half)]
      ///     print(*(f"{rms(e) / rms(small):.4f}" for e in errors))
      /// ```
      in_half = scales.to(etude::kHalf).to(etude::kFloat);
      //%% end answer
      expect(in_half.defined() && in_half.sizes() == scales.sizes(), "each scale is rounded");
      expect(!etude::equal(in_half, scales), "rounding changes the scales");
      expect(etude::allclose(in_half, scales, 1.0 / 2048, 3e-8), "they change by little");
      std::string line_of_errors;
      for (const Tensor& s : {scales, in_half}) {
        const Tensor error = restore(values, s, w.sizes()) - small;
        line_of_errors += " " + etude::format(rms(error) / rms(small), ".4f");
      }
      print(line_of_errors.substr(1));
    }
  }

  //%% exercise3 | Where few bits break it
  cell("exercise3", "Where few bits break it");
  /// `rise(form, bits)` says by how much the loss of the trained model rises with so many bits. Find
  /// the fewest with which it rises by no more than 0.02, for a scale per matrix and a scale per
  /// group. The search begins with eight, which are enough, and ends with two.
  {
    const auto rise = [&](const std::string& form, int64_t bits) {
      nn::GPT other = quantized(model, form, bits);
      return loss_of(other) - float_loss;
    };
    for (const std::string form : {"matrix", "group"}) {
      int64_t fewest = 0;
      //%% answer
      /// Four bits are enough in groups, with 4.5 bits per weight, and not with one scale. Large
      /// models are used with about as many bits [5]. With three bits in groups this one still
      /// writes its line about the dog, but its loss grows by nearly half, and with two it
      /// stammers.
      ///
      /// ```python
      /// def rise(form, bits):
      ///     return loss_of(quantized(model, form, bits)) - loss_of(model)
      ///
      /// for form in ("matrix", "group"):
      ///     fewest = 8
      ///     while fewest > 2 and rise(form, fewest - 1) <= 0.02:
      ///         fewest -= 1
      ///     print(form, fewest)
      /// ```
      fewest = 8;
      while (fewest > 2 && rise(form, fewest - 1) <= 0.02) --fewest;
      //%% end answer
      expect(fewest >= 2 && fewest <= 8, "it is a number of bits from two to eight");
      expect(rise(form, fewest) <= 0.02, "so many bits are enough");
      expect(fewest == 2 || rise(form, fewest - 1) > 0.02, "one bit less is not");
      print(form, fewest);
    }
  }

  //%% summary
  /// 1. Writing a token reads every weight once, so fewer bits per weight mean more tokens per
  ///    second.
  /// 2. A weight becomes a whole number times a scale, which is the largest magnitude over 127.
  /// 3. The rms error is the scale over $\sqrt{12}$, and the relative error of a product is that of
  ///    the weights, however wide the layer is.
  /// 4. An outlier spoils all that share its scale, so a scale belongs to a row or, better, to a
  ///    group of 32.
  /// 5. In groups of 32 a weight takes 8.5 bits, and a trained model does not notice; four bits are
  ///    enough in groups, and three are not.
  //%% references
  /// 1. A. Grattafiori et al., [The Llama 3 Herd of Models](https://arxiv.org/abs/2407.21783), 2024,
  ///    table 3
  /// 2. W. R. Bennett, [Spectra of Quantized
  ///    Signals](https://doi.org/10.1002/j.1538-7305.1948.tb01340.x), Bell System Technical Journal
  ///    27, 1948
  /// 3. T. Dettmers et al., [LLM.int8(): 8-bit Matrix Multiplication for Transformers at
  ///    Scale](https://arxiv.org/abs/2208.07339), 2022, sections 3 and 4
  /// 4. G. Gerganov et al., [ggml](https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h),
  ///    `block_q8_0`
  /// 5. T. Dettmers and L. Zettlemoyer, [The case for 4-bit precision: k-bit Inference Scaling
  ///    Laws](https://arxiv.org/abs/2212.09720), 2022
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
