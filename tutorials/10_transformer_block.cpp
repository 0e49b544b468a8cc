/// # A transformer block
///
/// - You will be able to: build a block from attention, norms, sums and linear layers; count its parameters; say what changes when the norms go first
/// - You need: [heads and masks](09_heads_and_masks.cpp), derivatives of products
/// - Minutes: 50
/// - Result: flow_plot
///
/// [Attention](09_heads_and_masks.cpp) moves information between words. A transformer needs
/// three more things to be trained when it is deep: a layer norm that keeps the numbers in
/// range, a sum that lets input and gradient pass by, and two linear layers that work on what
/// was fetched. Together they are a block, and a transformer is a stack of blocks [1].
///
/// ```diagram A block with the norms first
/// x: words [4, 1, 4]
/// n: (norm) [4, 1, 4]
/// a: (attention) [4, 1, 4]
/// y: (words + attention) [4, 1, 4]
/// m: (norm) [4, 1, 4]
/// u: (linear, relu) [4, 1, 16]
/// f: (linear) [4, 1, 4]
/// z: (sum + linear) [4, 1, 4]
/// x -> n -> a -> y -> m -> u -> f -> z
/// x -> y ; y -> z
/// ```
///
/// Each part is built by hand first. The whole then agrees with `TransformerEncoderLayer` from
/// the same seed, with the norms after the sums as in the paper, or before them as in most
/// models since. The last cells stack blocks, count their parameters and watch the gradient on
/// its way down.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% Block | A block by hand
/// A module can own other modules: `register_module` gives each part its name. In C++ the class is
/// `BlockImpl`, and `ETUDE_MODULE` makes `Block` of it, which is passed around as a Python object
/// is. The part `Linear` computes $x W^\top + b$, and `relu` puts 0 in place of what is negative.
///
/// The parts have the names of the library's layer and are made in its order, so that the same
/// seed gives the same weights. `forward` is the whole definition. With attention $A$, the linear
/// layers $F$ and the norms $N$ it computes $z$ in one of two ways, the first with the norms last
/// and the second with the norms first:
///
/// $$\begin{aligned} y &= N_1(x + A(x)) \\ z &= N_2(y + F(y)) \end{aligned} \qquad
/// \begin{aligned} y &= x + A(N_1(x)) \\ z &= y + F(N_2(y)) \end{aligned}$$
///
/// ```python
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// class Block(nn.Module):
///     def __init__(self, d_model, heads, inner, norm_first=False):
///         super().__init__()
///         self.norm_first = norm_first
///         self.self_attn = nn.MultiheadAttention(d_model, heads)
///         self.linear1 = nn.Linear(d_model, inner)
///         self.linear2 = nn.Linear(inner, d_model)
///         self.norm1 = nn.LayerNorm(d_model)
///         self.norm2 = nn.LayerNorm(d_model)
///
///     def attend(self, x):
///         return self.self_attn(x, x, x, need_weights=False)[0]
///
///     def feed_forward(self, x):
///         return self.linear2(torch.relu(self.linear1(x)))
///
///     def forward(self, x):
///         if self.norm_first:
///             x = x + self.attend(self.norm1(x))
///             return x + self.feed_forward(self.norm2(x))
///         x = self.norm1(x + self.attend(x))
///         return self.norm2(x + self.feed_forward(x))
/// ```
#include <etude/etude.h>

#include <string>
#include <vector>

namespace nn = etude::nn;
using etude::print, etude::Tensor;

class BlockImpl : public nn::Module {
 public:
  BlockImpl(int64_t d_model, int64_t heads, int64_t inner, bool norm_first_ = false)
      : norm_first(norm_first_),
        self_attn(register_module("self_attn", nn::MultiheadAttention(d_model, heads))),
        linear1(register_module("linear1", nn::Linear(d_model, inner))),
        linear2(register_module("linear2", nn::Linear(inner, d_model))),
        norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({d_model})))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({d_model})))) {}

  Tensor attend(const Tensor& x) { return std::get<0>(self_attn(x, x, x, Tensor(), false)); }

  Tensor feed_forward(const Tensor& x) { return linear2(etude::relu(linear1(x))); }

  Tensor forward(Tensor x) {
    if (norm_first) {
      x = x + attend(norm1(x));
      return x + feed_forward(norm2(x));
    }
    x = norm1(x + attend(x));
    return norm2(x + feed_forward(x));
  }

  bool norm_first;
  nn::MultiheadAttention self_attn;
  nn::Linear linear1, linear2;
  nn::LayerNorm norm1, norm2;
};
ETUDE_MODULE(Block);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "10_transformer_block");
  cell("Block", "A block by hand");

  //%% layer_norm | The layer norm
  cell("layer_norm", "The layer norm");
  /// Each word is brought to mean 0 and variance 1 over its own numbers [2]. Then it is scaled by
  /// a weight and shifted by a bias, which are learned and are 1 and 0 at first:
  ///
  /// $$N(x)_c = \frac{x_c - \mu}{\sqrt{\sigma^2 + \varepsilon}}\, w_c + b_c \qquad \mu = \frac1d
  /// \sum_c x_c \qquad \sigma^2 = \frac1d \sum_c (x_c - \mu)^2$$
  ///
  /// Each word is normed alone. A norm over all words of a batch would make the result of a word
  /// depend on other sentences and on the padding, and training would differ from use.
  ///
  /// The sum of squares is divided by $d$ and not by $d - 1$. Below is *itself*, half a thing and
  /// a whole pointer as in [attention by hand](08_attention.cpp), and the same ten times as large:
  /// after the norm the two are the same.
  ///
  /// ```picture normed_words Two words before and after the norm
  /// The numbers of two words as bars, the second ten times as tall as the first. After the norm the bars
  /// of both are the same: two stand above zero and two below it.
  /// ```
  ///
  /// ```python
  /// two = torch.tensor([[0.0, 0.5, 0.0, 1.0], [0.0, 5.0, 0.0, 10.0]])
  /// mean = two.mean(dim=1, keepdim=True)
  /// variance = (two - mean).pow(2).mean(dim=1, keepdim=True)
  /// by_hand = (two - mean) / torch.sqrt(variance + 1e-5)
  /// print(mean.squeeze(1), variance.squeeze(1))
  /// print(by_hand)
  /// print(torch.allclose(by_hand, F.layer_norm(two, (4,)), atol=1e-6))
  /// ```
  const Tensor two =
      etude::tensor({{0.0f, 0.5f, 0.0f, 1.0f}, {0.0f, 5.0f, 0.0f, 10.0f}});  // [2, 4]
  const Tensor mean = two.mean(1, true);                                     // [2, 1]
  const Tensor variance = (two - mean).pow(2).mean(1, true);
  const Tensor by_hand = (two - mean) / etude::sqrt(variance + 1e-5);
  print(mean.squeeze(1), variance.squeeze(1));
  print(by_hand);
  print(etude::allclose(by_hand, etude::layer_norm(two, {4}), 1e-5, 1e-6));

  //%% eps | What the small number is for
  cell("eps", "What the small number is for");
  /// This is what breaks without it: a word whose numbers are all equal has variance 0, and the
  /// norm would be $0/0$. With $\varepsilon$ the word becomes zero. In the same way $\varepsilon$
  /// limits how much noise is amplified: differences of a thousandth stay small, as the second
  /// row shows.
  ///
  /// ```python
  /// flat = torch.tensor([[5.0, 5.0, 5.0, 5.0],
  ///                      [0.0, 0.001, 0.0, 0.001]])
  /// print((flat - flat.mean(1, keepdim=True))
  ///       / flat.std(1, unbiased=False, keepdim=True))
  /// print(F.layer_norm(flat, (4,)))
  /// ```
  const Tensor flat = etude::tensor({{5.0f, 5.0f, 5.0f, 5.0f}, {0.0f, 0.001f, 0.0f, 0.001f}});
  print((flat - flat.mean(1, true)) / flat.std(1, false, true));
  print(etude::layer_norm(flat, {4}));

  //%% norm_gradient | Where the norm is blind
  cell("norm_gradient", "Where the norm is blind");
  /// The norm does not see a constant that is added to all numbers, nor a factor that multiplies
  /// them all. So its gradient has no part in these two directions: its numbers add up to zero,
  /// and so do their products with the centred input, but for rounding and $\varepsilon$. The
  /// input of a norm gains nothing by growing, and the word that is ten times as large has a
  /// gradient a tenth as large.
  ///
  /// ```python
  /// leaf = two.clone().requires_grad_()
  /// r = torch.tensor([1.0, -2.0, 0.5, 3.0])
  /// (F.layer_norm(leaf, (4,)) * r).sum().backward()
  /// print(leaf.grad)
  /// print((leaf.grad.sum(1).abs() < 1e-5).tolist())
  /// print(((leaf.grad * (two - mean)).sum(1).abs() < 1e-3).tolist())
  /// ```
  const Tensor leaf = two.clone().requires_grad_();
  (etude::layer_norm(leaf, {4}) * etude::tensor({1.0f, -2.0f, 0.5f, 3.0f})).sum().backward();
  print(leaf.grad());
  print(etude::tolist(leaf.grad().sum(1).abs() < 1e-5));
  print(etude::tolist((leaf.grad() * (two - mean)).sum(1).abs() < 1e-3));

  //%% feed_forward | The linear layers
  cell("feed_forward", "The linear layers");
  /// After the attention each word is processed alone: by a linear layer to a larger width,
  /// usually four times as wide, a function that is not linear, and a linear layer back. Without
  /// the function in between, the two layers would be one. Most of a block's weights are in these
  /// layers.
  ///
  /// The words are *the dog saw itself* from [attention by hand](08_attention.cpp). To see that
  /// each is processed alone, reverse their order: the results are the same, in the new order.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// block = Block(4, 2, 16)
  /// x = torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                   [0.0, 1.0, 0.0, 0.0],
  ///                   [0.0, 0.0, 1.0, 0.0],
  ///                   [0.0, 0.5, 0.0, 1.0]]).unsqueeze(1)
  /// inside = torch.relu(block.linear1(x))
  /// print(inside.shape, (inside == 0).sum().item(),
  ///       "of", inside.numel(), "are zero")
  /// forth = block.feed_forward(x)
  /// moved = block.feed_forward(x.flip(0))
  /// print(torch.allclose(moved, forth.flip(0), atol=1e-6))
  /// ```
  const int64_t inner = parameter("inner", 16, 4, 32);
  etude::manual_seed(0);
  Block block(4, 2, inner);
  const Tensor x = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                  {0.0f, 1.0f, 0.0f, 0.0f},
                                  {0.0f, 0.0f, 1.0f, 0.0f},
                                  {0.0f, 0.5f, 0.0f, 1.0f}})
                       .unsqueeze(1);                    // [4, 1, 4]
  const Tensor inside = etude::relu(block->linear1(x));  // [4, 1, inner]
  print(inside.sizes(), (inside == 0).sum().item<int64_t>(), "of", inside.numel(), "are zero");
  const Tensor moved = block->feed_forward(x.flip(0));
  print(etude::allclose(moved, block->feed_forward(x).flip(0), 1e-5, 1e-6));

  //%% residual | The sum
  cell("residual", "The sum");
  /// A block computes a *change* of its input, $x + f(x)$ [3]. In [attention by
  /// hand](08_attention.cpp) we saw that a word is lost without the sum. There is a second
  /// reason. In a model that begins with small weights, as in [lesson
  /// 11](11_training_a_gpt.cpp), $f$ is small and the block does nearly nothing, which is a good
  /// place to begin: a deep stack of nearly nothing still passes its input on. And the gradient
  /// has a path of its own,
  ///
  /// $$\frac{\partial (x + f(x))}{\partial x} = 1 + f'(x)$$
  ///
  /// so that twenty blocks multiply numbers near 1, where without the sum they would multiply
  /// small ones. Here are twenty layers $\tanh(W x)$ with and without the sum, and the size of
  /// the gradient that arrives at the first input. Without the sum, next to nothing arrives.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// layers = [torch.randn(8, 8) * 0.2 for _ in range(20)]
  /// for keep in (0, 1):
  ///     first = torch.ones(8, requires_grad=True)
  ///     h = first
  ///     for w in layers:
  ///         h = keep * h + torch.tanh(w @ h)
  ///     h.sum().backward()
  ///     print("with the sum" if keep else "without",
  ///           f"{first.grad.norm():.2e}")
  /// ```
  etude::manual_seed(0);
  std::vector<Tensor> layers;
  const int64_t depth = parameter("layers", 20, 1, 100);
  const double scale = parameter("scale", 0.2, 0.05, 1.0);
  for (int64_t i = 0; i < depth; ++i) layers.push_back(etude::randn({8, 8}) * scale);
  for (const int keep : {0, 1}) {
    const Tensor first = etude::ones({8}).requires_grad_();
    Tensor h = first;
    for (const Tensor& w : layers) h = keep * h + etude::tanh(etude::matmul(w, h));
    h.sum().backward();
    print(keep == 1 ? "with the sum" : "without", etude::format(first.grad().norm(), ".2e"));
  }

  //%% same | The same as the library's layer
  cell("same", "The same as the library's layer");
  /// The state of a module is the list of its tensors by name. That of our block loads into the
  /// library's layer: all names are the same. From the same seed it has the same weights to begin
  /// with, and so it gives the same output.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// layer = nn.TransformerEncoderLayer(
  ///     4, 2, dim_feedforward=16, dropout=0.0)
  /// print(list(layer.state_dict()) == list(block.state_dict()))
  /// print(layer.load_state_dict(block.state_dict()))
  /// print(layer(x).squeeze(1).detach())
  /// print(torch.allclose(block(x), layer(x), atol=1e-6))
  /// ```
  etude::manual_seed(0);
  const auto options =
      nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(inner).dropout(0.0);
  nn::TransformerEncoderLayer layer(options);
  expect_equal(layer->linear1->weight, block->linear1->weight);
  print(layer->state_dict().keys() == block->state_dict().keys());
  print(layer->load_state_dict(block->state_dict()));
  print(layer(x).squeeze(1).detach());
  print(etude::allclose(block(x), layer(x), 1e-5, 1e-6));

  //%% norm_first | Norms first
  cell("norm_first", "Norms first");
  /// Here are the same weights, with the norms before attention and before the linear layers. The
  /// difference is in what the sums carry. With the norms last each word leaves the block with
  /// variance 1. With the norms first nothing ever touches the sum: it runs from the first block
  /// to the last and collects what each adds, and a stack needs one more norm at its end.
  ///
  /// The output shows the variances of the four words: as they go in, as they come out with the
  /// norms last, and as they come out with the norms first.
  ///
  /// ```picture residual_stream The sum on its way through a block
  /// A line runs straight down through a block, and attention and feed forward add to it from the side.
  /// With the norms first they stand in the branches and the line is never interrupted; with the norms
  /// last each norm stands on the line itself.
  /// ```
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// first = nn.TransformerEncoderLayer(
  ///     4, 2, 16, dropout=0.0, norm_first=True)
  /// block.norm_first = True
  /// print(torch.allclose(block(x), first(x), atol=1e-6))
  /// for y in (x, layer(x), first(x)):
  ///     print(y.detach().var(dim=2, unbiased=False).squeeze(1))
  /// ```
  etude::manual_seed(0);
  auto first_options = options;
  nn::TransformerEncoderLayer first(first_options.norm_first(true));
  block->norm_first = true;
  print(etude::allclose(block(x), first(x), 1e-5, 1e-6));
  for (const Tensor& y : {x, layer(x), first(x)}) print(y.detach().var({2}, false).squeeze(1));

  //%% dropout | Dropout in three places
  cell("dropout", "Dropout in three places");
  /// In training a block sets numbers to zero at random [4]: attention weights, numbers between
  /// the linear layers, and numbers of what is added to the sum. A model that may lose any number
  /// cannot rely on a single one, and learns less of its training data by heart. A
  /// number is lost with the probability $p$, and what stays is divided by $1 - p$, so that sums
  /// keep their size on average. The same seed removes the same
  /// numbers. Each call draws anew, so the two rows below differ. `eval` turns dropout off;
  /// whoever forgets it gets a different answer each time.
  ///
  /// ```python
  /// torch.manual_seed(1)
  /// dropping = nn.TransformerEncoderLayer(4, 2, 16, dropout=0.5)
  /// dropping.load_state_dict(layer.state_dict())
  /// print(dropping(x)[0].detach())
  /// print(dropping(x)[0].detach())
  /// dropping.eval()
  /// print(torch.allclose(dropping(x), layer(x), atol=1e-6))
  /// ```
  etude::manual_seed(1);
  auto dropping_options = options;
  nn::TransformerEncoderLayer dropping(
      dropping_options.dropout(parameter("dropout", 0.5, 0.0, 0.9)));
  dropping->load_state_dict(layer->state_dict());
  print(dropping(x)[0].detach());
  print(dropping(x)[0].detach());
  dropping->eval();
  print(etude::allclose(dropping(x), layer(x), 1e-5, 1e-6));

  //%% stack | A stack, and what it copies
  cell("stack", "A stack, and what it copies");
  /// `TransformerEncoder` copies the layer that it is given. The copies begin with *equal*
  /// weights and share none: they differ from the first step on. Equal first weights are not what
  /// you want, so models draw all matrices anew, in one loop.
  ///
  /// ```python
  /// encoder = nn.TransformerEncoder(layer, 3)
  /// a = encoder.layers[0].linear1.weight
  /// b = encoder.layers[1].linear1.weight
  /// print(torch.equal(a, b), a is b,
  ///       torch.equal(a, layer.linear1.weight))
  /// torch.manual_seed(2)
  /// for p in encoder.parameters():
  ///     if p.dim() > 1:
  ///         nn.init.xavier_uniform_(p)
  /// print(torch.equal(a, b), torch.equal(a, layer.linear1.weight))
  /// print(encoder(x)[0].detach())
  /// ```
  nn::TransformerEncoder encoder(layer, 3);
  const Tensor a = encoder->layers->at<nn::TransformerEncoderLayerImpl>(0).linear1->weight;
  const Tensor b = encoder->layers->at<nn::TransformerEncoderLayerImpl>(1).linear1->weight;
  print(etude::equal(a, b), a.is_same(b), etude::equal(a, layer->linear1->weight));
  etude::manual_seed(2);
  for (const Tensor& p : encoder->parameters()) {
    if (p.dim() > 1) nn::init::xavier_uniform_(p);
  }
  print(etude::equal(a, b), etude::equal(a, layer->linear1->weight));
  print(encoder(x)[0].detach());

  //%% count | Counting parameters
  cell("count", "Counting parameters");
  /// With width $d$ and inner width $f$, attention has $4d^2 + 4d$, the linear layers
  /// $2df + f + d$, the two norms $4d$. With $f = 4d$ the matrices have $12 d^2$ weights, a third
  /// of them in attention. Here they are counted for the block of this lesson, for the paper's
  /// base model, and for a stack of six of the latter:
  ///
  /// ```picture block_tree A block as a tree of shapes
  /// Below the block stand its norms, its attention and its linear layers, each with its parameters and
  /// with what comes out of it, drawn to scale. What comes out has the shape of the input again and
  /// again; only inside is it cut into heads, or wider.
  /// ```
  ///
  /// Change `inner` in [the linear layers](#feed_forward): they grow with it, and attention and norms
  /// stay as they are.
  ///
  /// ```python
  /// def count(module):
  ///     return sum(p.numel() for p in module.parameters())
  ///
  /// base = nn.TransformerEncoderLayer(512, 8, 2048)
  /// for module, d, f in ((layer, 4, 16), (base, 512, 2048)):
  ///     attention, linear = 4 * d * d + 4 * d, 2 * d * f + f + d
  ///     print(count(module), attention + linear + 4 * d,
  ///           attention, linear)
  /// print(6 * count(base))
  /// ```
  const auto count = [](const nn::Module& module) {
    int64_t total = 0;
    for (const Tensor& p : module.parameters()) total += p.numel();
    return total;
  };
  nn::TransformerEncoderLayer base(
      nn::TransformerEncoderLayerOptions(512, 8).dim_feedforward(2048));
  const auto compare = [&](const nn::TransformerEncoderLayer& module, int64_t d, int64_t f) {
    const int64_t attention = 4 * d * d + 4 * d, linear = 2 * d * f + f + d;
    print(count(*module), attention + linear + 4 * d, attention, linear);
  };
  compare(layer, 4, inner);
  compare(base, 512, 2048);
  print(6 * count(*base));

  //%% flow | The gradient on its way down
  cell("flow", "The gradient on its way down");
  /// Here are twelve blocks with random weights, once with the norms last and once with the norms
  /// first. The loss is $\sum y_c r_c$ with random $r$. The output shows the size of the gradient
  /// of `linear1` in the first, the middle and the last block.
  ///
  /// With the norms last, every norm rescales the sum and the gradient with it: the gradient is
  /// large, it jumps from block to block, and the last blocks get more than the first. With the
  /// norms first the sum carries the gradient past every block. It changes slowly and is largest
  /// at the first block, where the contributions of all blocks above have come together. Large
  /// gradients at the output are one reason why the arrangement of the paper needs a warm-up of
  /// its learning rate [5], and why most deep models have the norms first.
  ///
  /// ```python
  /// def gradients(norm_first):
  ///     torch.manual_seed(0)
  ///     one = nn.TransformerEncoderLayer(
  ///         32, 4, 64, dropout=0.0, norm_first=norm_first)
  ///     stack = nn.TransformerEncoder(one, 12, norm=nn.LayerNorm(32))
  ///     for p in stack.parameters():
  ///         if p.dim() > 1:
  ///             nn.init.xavier_uniform_(p)
  ///     x, r = torch.randn(10, 2, 32), torch.randn(10, 2, 32)
  ///     (stack(x) * r).sum().backward()
  ///     return [block.linear1.weight.grad.norm()
  ///             for block in stack.layers]
  ///
  /// last, first = gradients(False), gradients(True)
  /// for name, sizes in (("norms last ", last), ("norms first", first)):
  ///     print(name, " ".join(f"{sizes[i]:.2f}" for i in (0, 5, 11)))
  /// ```
  const auto gradients = [](bool norm_first) {
    etude::manual_seed(0);
    nn::TransformerEncoderLayer one(
        nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(64).dropout(0.0).norm_first(
            norm_first));
    nn::TransformerEncoder stack(nn::TransformerEncoderOptions(one, 12).norm(
        nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({32})))));
    for (const Tensor& p : stack->parameters()) {
      if (p.dim() > 1) nn::init::xavier_uniform_(p);
    }
    const Tensor in = etude::randn({10, 2, 32}), r = etude::randn({10, 2, 32});
    (stack(in) * r).sum().backward();
    std::vector<Tensor> sizes;
    for (size_t i = 0; i < 12; ++i) {
      const auto& at = stack->layers->at<nn::TransformerEncoderLayerImpl>(i);
      sizes.push_back(at.linear1->weight.grad().norm());
    }
    return sizes;
  };
  const std::vector<Tensor> norms_last = gradients(false), norms_first = gradients(true);
  const auto show = [](const char* name, const std::vector<Tensor>& sizes) {
    print(name, etude::format(sizes[0], ".2f"), etude::format(sizes[5], ".2f"),
          etude::format(sizes[11], ".2f"));
  };
  show("norms last ", norms_last);
  show("norms first", norms_first);

  //%% flow_plot | The same for all twelve
  cell("flow_plot", "The same for all twelve");
  /// ![Sizes of gradients in twelve blocks: with the norms last they grow towards the last
  /// block, with the norms first they do not](flow.svg)
  LinePlot plot;
  plot.title = "Size of the gradient of linear1 in each of twelve blocks";
  plot.description =
      "With the norms last it jumps and rises; with the norms first it falls slowly.";
  plot.x_label = "block";
  plot.y_label = "norm of the gradient";
  plot.series = {{"norms last", {}}, {"norms first", {}}};
  for (size_t i = 0; i < 12; ++i) {
    plot.x.push_back(static_cast<double>(i));
    plot.series[0].y.push_back(norms_last[i].item<float>());
    plot.series[1].y.push_back(norms_first[i].item<float>());
  }
  figure("flow.svg", draw(plot));

  //%% exercise1 | A block of GPT-2
  cell("exercise1", "A block of GPT-2");
  /// The smallest GPT-2 has width 768 and an inner width of four times 768. How many parameters
  /// has one of its blocks? Work it out with the formulas of [the counting](#count), put it into
  /// `answer`, and let the library's layer check it.
  {
    int64_t answer = 0;
    //%% answer
    /// With $f = 4d$, attention has $4d^2 + 4d$ parameters, the two linear layers have
    /// $8d^2 + 5d$, and the two norms have $4d$. Together they are $12d^2 + 13d$.
    ///
    /// ```python
    /// answer = 12 * 768 * 768 + 13 * 768
    /// print(answer)
    /// ```
    answer = 12 * 768 * 768 + 13 * 768;
    //%% end answer
    expect(answer > 12 * 768 * 768, "the matrices alone have twelve times the square of 768");
    const nn::TransformerEncoderLayer large(
        nn::TransformerEncoderLayerOptions(768, 12).dim_feedforward(4 * 768));
    expect(answer == count(*large), "the library's layer of this width has as many");
    print(answer);
  }

  //%% exercise2 | A sum of the wrong thing
  cell("exercise2", "A sum of the wrong thing");
  /// This is meant to be the first half of a block with the norms first. It runs and could even
  /// be trained, but it is not what `first` computes: the sum does not carry the word as it was.
  /// Put the right sum into `y`.
  {
    const auto forward = [&](const Tensor& in) {
      const Tensor normed = block->norm1(in);
      Tensor y = normed + block->attend(normed);
      //%% answer
      /// What is added to the change has to be the input itself. Otherwise each block norms the
      /// sum, and the path past the block is gone.
      ///
      /// ```python
      /// y = x + block.attend(block.norm1(x))
      /// y = y + block.feed_forward(block.norm2(y))
      /// print(y.squeeze(1).detach())
      /// ```
      y = in + block->attend(normed);
      //%% end answer
      return y + block->feed_forward(block->norm2(y));
    };
    expect(etude::allclose(forward(x), first(x), 1e-5, 1e-6),
           "every word leaves the block as it leaves the library's layer");
    print(forward(x).squeeze(1).detach());
  }

  //%% exercise3 | Two linear layers that are one
  cell("exercise3", "Two linear layers that are one");
  /// Leave out the function between `linear1` and `linear2`. Then one linear layer with a weight
  /// of `[4, 4]` and a bias of `[4]` computes the same. Find both, `weight` and `bias`, from the
  /// weights and biases of the two layers of `block`.
  {
    const etude::NoGradGuard no_grad;
    Tensor weight, bias;
    //%% answer
    /// $W_2 (W_1 x + b_1) + b_2 = (W_2 W_1) x + (W_2 b_1 + b_2)$: the sixteen numbers in between
    /// have added nothing.
    ///
    /// ```python
    /// one, other = block.linear1, block.linear2
    /// weight = (other.weight @ one.weight).detach()
    /// bias = (other.weight @ one.bias + other.bias).detach()
    /// print(weight)
    /// print(bias)
    /// ```
    const nn::Linear one = block->linear1, other = block->linear2;
    weight = etude::matmul(other->weight, one->weight);
    bias = etude::matmul(other->weight, one->bias) + other->bias;
    //%% end answer
    expect(weight.defined() && bias.defined(), "weight and bias are there");
    const Tensor both = block->linear2(block->linear1(x));
    expect(etude::allclose(nn::functional::linear(x, weight, bias), both, 1e-5, 1e-6),
           "the one layer gives every word what the two layers give it");
    print(weight);
    print(bias);
  }

  //%% summary
  /// 1. A block is attention and two linear layers, each with a norm and a sum around it.
  /// 2. The layer norm brings each word to mean 0 and variance 1; a small number keeps it from dividing by zero.
  /// 3. The sums pass the word on as it was, and give the gradient a path past every block.
  /// 4. The linear layers work on each word alone and hold two thirds of the weights; without the function between them they would be one.
  /// 5. With the norms last the gradient jumps from block to block; with the norms first it changes slowly, and one more norm ends the stack.

  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.1 and 3.3
  /// 2. J. L. Ba et al., [Layer Normalization](https://arxiv.org/abs/1607.06450), 2016, section 3
  /// 3. K. He et al., [Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385), 2016, section 3
  /// 4. N. Srivastava et al., [Dropout: A Simple Way to Prevent Neural Networks from Overfitting](https://jmlr.org/papers/v15/srivastava14a.html), 2014, section 4
  /// 5. R. Xiong et al., [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745), 2020, section 3
  /// 6. PyTorch, [TransformerEncoderLayer](https://pytorch.org/docs/1.13/generated/torch.nn.TransformerEncoderLayer.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
