/// # Many heads and masks
///
/// One row of attention weights adds up to one. A word that needs two things, its article and
/// its verb, gets half of each, mixed beyond separation. So the width is cut into *heads*. Each
/// attends by itself with weights of its own, and the results are put side by side. Parameters
/// and multiplications stay as many as before; what grows is the number of attention weights.
///
/// And not every word may be seen. Padding is no word; and a model that predicts the next word
/// must not look at it. A *mask* takes columns out of the softmax. This page builds both by hand
/// with `view` and `transpose`, compares every step with `MultiheadAttention` from the same
/// seed, and shows where masks go wrong.

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

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

const double infinity = std::numeric_limits<double>::infinity();

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "09_heads_and_masks");
  cell("imports", "What is needed");

  //%% module | The module and its parameters
  cell("module", "The module and its parameters");
  /// Two heads for words of width 8: each head has 4 of them. There are four matrices: to
  /// queries, keys and values, and one that mixes the heads in the end. The first three have the
  /// same input and are kept one below the other, so that one product makes all.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// mha = nn.MultiheadAttention(8, 2)
  /// for name, parameter in mha.named_parameters():
  ///     print(name, tuple(parameter.shape))
  /// ```
  etude::manual_seed(0);
  nn::MultiheadAttention mha(8, 2);
  for (const auto& parameter : mha->named_parameters())
    print(parameter.key(), python_tuple(parameter.value().sizes()));

  //%% projection | Queries, keys and values at once
  cell("projection", "Queries, keys and values at once");
  /// A sentence of five words, a batch of one, in the order *sequence, batch, width* that this
  /// module expects by default. The product gives 24 numbers per word, and `chunk` cuts them
  /// into three times 8. Each of them is what a product with its third of the matrix gives.
  ///
  /// ```python
  /// x = torch.randn(5, 1, 8)
  /// together = x @ mha.in_proj_weight.T + mha.in_proj_bias
  /// q, k, v = together.detach().chunk(3, dim=-1)
  /// print(together.shape, q.shape)
  /// weight, bias = mha.in_proj_weight, mha.in_proj_bias
  /// alone = F.linear(x, weight[8:16], bias[8:16])
  /// print(torch.allclose(k, alone, atol=1e-6))
  /// ```
  const Tensor x = etude::randn({5, 1, 8});
  const Tensor together = etude::matmul(x, mha->in_proj_weight.t()) + mha->in_proj_bias;
  const std::vector<Tensor> qkv = together.detach().chunk(3, -1);
  const Tensor q = qkv[0], k = qkv[1], v = qkv[2];
  print(together.sizes(), q.sizes());
  const Tensor alone = F::linear(x, mha->in_proj_weight.index({Slice(8, 16)}),
                                 mha->in_proj_bias.index({Slice(8, 16)}));
  print(etude::allclose(k, alone, 1e-5, 1e-6));

  //%% split | Cutting the width into heads
  cell("split", "Cutting the width into heads");
  /// The cut shows best on numbers that say where they are: three words of width 8, numbered
  /// through. `view` writes the width as *heads, width of a head*: nothing moves. `transpose`
  /// brings the heads to the front, so that what follows is a stack of small matrices, one per
  /// head. Head 0 has the first four numbers of every word.
  ///
  /// Nothing moves here either: only the strides change places, as the last line shows.
  ///
  /// ```python
  /// numbers = torch.arange(24).view(3, 8)
  /// heads = numbers.view(3, 2, 4).transpose(0, 1)
  /// print(numbers)
  /// print(heads)
  /// print(numbers.stride(), heads.stride(), heads.is_contiguous())
  /// ```
  const Tensor numbers = etude::arange(24).view({3, 8});
  const Tensor heads = numbers.view({3, 2, 4}).transpose(0, 1);
  print(numbers);
  print(heads);
  print(python_tuple(numbers.strides()), python_tuple(heads.strides()), heads.is_contiguous());

  //%% wrong_split | The cut that looks right
  cell("wrong_split", "The cut that looks right");
  /// The wanted shape is $[2, 3, 4]$, and `view` will give it at once. But a view reads the
  /// numbers in their order, and so "head 0" gets all of the first word and half of the second.
  /// No error is raised, the model even learns something. It is the same mistake as with the
  /// [positions](04_step_by_step.cpp): a shape that fits says nothing about its meaning.
  ///
  /// ```python
  /// print(numbers.view(2, 3, 4)[0])
  /// ```
  print(numbers.view({2, 3, 4})[0]);

  //%% weights | Each head has its own weights
  cell("weights", "Each head has its own weights");
  /// The same with the real queries and keys, and the batch in front: $[\text{batch},
  /// \text{heads}, \text{words}, 4]$. A matrix product takes the last two dims and repeats
  /// itself over all before, so the [attention](08_attention.cpp) of one head is already that of
  /// many. The scale is that of a head: $\sqrt{4}$.
  ///
  /// ```python
  /// def by_head(t):  # [words, batch, 8] -> [batch, heads, words, 4]
  ///     words, batch, width = t.shape
  ///     return t.view(words, batch, 2, width // 2).permute(1, 2, 0, 3)
  ///
  /// scores = by_head(q) @ by_head(k).transpose(-2, -1) / math.sqrt(4)
  /// weights = torch.softmax(scores, dim=-1)
  /// print(weights.shape)
  /// print(weights)
  /// ```
  const auto by_head = [](const Tensor& t) {  // [words, batch, 8] -> [batch, heads, words, 4]
    return t.view({t.size(0), t.size(1), 2, t.size(2) / 2}).permute({1, 2, 0, 3});
  };
  const Tensor scores = etude::matmul(by_head(q), by_head(k).transpose(-2, -1)) / std::sqrt(4.0);
  const Tensor weights = etude::softmax(scores, -1);
  print(weights.sizes());
  print(weights);

  //%% join | Putting the heads side by side
  cell("join", "Putting the heads side by side");
  /// Back on the same way: the heads go behind the words, and the two last dims become one. This
  /// time the numbers do lie in another order than they are read, and `view` refuses. `reshape`
  /// copies them into a new order. It is the only copy of the whole.
  ///
  /// ```python
  /// mixed = weights @ by_head(v)  # [batch, heads, words, 4]
  /// try:
  ///     mixed.permute(2, 0, 1, 3).view(5, 1, 8)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", str(error).split(" (")[0])
  /// joined = mixed.permute(2, 0, 1, 3).reshape(5, 1, 8)
  /// print(joined.shape)
  /// ```
  const Tensor mixed = etude::matmul(weights, by_head(v));  // [batch, heads, words, 4]
  try {
    mixed.permute({2, 0, 1, 3}).view({5, 1, 8});
  } catch (const etude::Error& error) {
    const std::string text = error.what();
    print("RuntimeError:", text.substr(0, text.find(" (")));
  }
  const Tensor joined = mixed.permute({2, 0, 1, 3}).reshape({5, 1, 8});
  print(joined.sizes());

  //%% output | And mixing them
  cell("output", "And mixing them");
  /// The heads stand side by side and know nothing of each other. A last product, `out_proj`,
  /// lets each output take from all of them. This is what the module gives.
  ///
  /// ```python
  /// last = mha.out_proj
  /// output = F.linear(joined, last.weight, last.bias).detach()
  /// print(output.squeeze(1))
  /// expected, _ = mha(x, x, x)
  /// print(torch.allclose(output, expected, atol=1e-6))
  /// ```
  const Tensor output = F::linear(joined, mha->out_proj->weight, mha->out_proj->bias).detach();
  print(output.squeeze(1));
  const Tensor expected = std::get<0>(mha(x, x, x));
  print(etude::allclose(output, expected, 1e-5, 1e-6));

  //%% parameters | What heads cost
  cell("parameters", "What heads cost");
  /// Two things stay. The matrices are as large for one head as for eight, since the heads share
  /// the width: $4 d^2$ weights and $4 d$ biases. And a score is a sum of $d / h$ products where
  /// there were $d$, so all $h L^2$ scores of $L$ words need $L^2 d$ multiplications, whatever
  /// $h$ is; the weighted sums need as many.
  ///
  /// One thing grows: there are $h L^2$ scores, and as many weights. The softmax has $h$ times
  /// as many powers to take, and weights that are kept, to look at or for the way back, need $h$
  /// times the memory, four bytes each. Counted for five words of width 8: heads, parameters,
  /// multiplications for scores and sums, weights, and the bytes of the weights.
  ///
  /// With five words this is nothing. With the 12 heads and 1024 words of the small GPT-2 it is
  /// $12 \cdot 1024^2 \cdot 4$ bytes, 48 MiB per layer and text, where one head has 4 MiB. So
  /// good kernels keep no weights: Etude's makes a few rows of them at a time, makes them again
  /// on the way back, and keeps two numbers per row.
  ///
  /// ```python
  /// for count in (1, 2, 4, 8):
  ///     module = nn.MultiheadAttention(8, count)
  ///     total = sum(p.numel() for p in module.parameters())
  ///     _, each = module(x, x, x, average_attn_weights=False)
  ///     multiplications = 2 * each.numel() * (8 // count)
  ///     print(count, total, multiplications, each.numel(),
  ///           each.numel() * each.element_size())
  /// ```
  for (const int count : {1, 2, 4, 8}) {
    nn::MultiheadAttention module(8, count);
    int64_t total = 0;
    for (const Tensor& p : module->parameters()) total += p.numel();
    const auto result = module->forward(x, x, x, {}, true, {}, false);
    const Tensor each = std::get<1>(result);  // [batch, heads, words, words]
    const int64_t multiplications = 2 * each.numel() * (8 / count);
    print(count, total, multiplications, each.numel(),
          each.numel() * static_cast<int64_t>(each.element_size()));
  }

  //%% need_weights | Asking for the weights
  cell("need_weights", "Asking for the weights");
  /// The module returns the weights beside the output: averaged over the heads, or of each head,
  /// or not at all. The average is easy to draw, and hides what heads are for. Who looks into a
  /// model asks for each.
  ///
  /// ```python
  /// _, average = mha(x, x, x)
  /// print(average.shape,
  ///       torch.allclose(average, weights.mean(dim=1), atol=1e-6))
  /// _, each = mha(x, x, x, average_attn_weights=False)
  /// print(each.shape, torch.allclose(each, weights, atol=1e-6))
  /// _, none = mha(x, x, x, need_weights=False)
  /// print(none)
  /// ```
  const Tensor average = std::get<1>(mha(x, x, x));
  print(average.sizes(), etude::allclose(average, weights.mean(1), 1e-5, 1e-6));
  const Tensor each = std::get<1>(mha->forward(x, x, x, {}, true, {}, false));
  print(each.sizes(), etude::allclose(each, weights, 1e-5, 1e-6));
  const Tensor none = std::get<1>(mha->forward(x, x, x, {}, false));
  print(none.defined() ? "weights" : "None");

  //%% heads_plot | Two heads, two opinions
  cell("heads_plot", "Two heads, two opinions");
  /// The weights of both heads side by side. The matrices are random, and the two already look
  /// at different words.
  ///
  /// ![Weights of two heads for five words; the bright cells are in different places](heads.svg)
  HeatMap both;
  both.title = "Weights of two heads";
  both.description = "Five words ask in rows. Left half: head 0. Right half: head 1.";
  both.x_label = "word that is asked, by head 0 and by head 1";
  both.y_label = "word that asks";
  const Tensor gap = etude::full({5, 1}, std::nan(""));
  both.rows = 5;
  both.columns = 11;
  both.column_names = {"0", "1", "2", "3", "4", "", "0", "1", "2", "3", "4"};
  both.values = values_of(etude::cat({weights[0][0], gap, weights[0][1]}, 1));
  both.colours = Colours::sequential;
  figure("heads.svg", draw(both));

  //%% causal | Not looking ahead
  cell("causal", "Not looking ahead");
  /// A model that is to predict the next word must not see it. The mask is true where a word may
  /// *not* look: above the diagonal. There the score becomes $-\infty$, its power is exactly 0,
  /// and the others share the row. The first word sees only itself: weight 1.
  ///
  /// ```python
  /// ahead = torch.ones(5, 5, dtype=torch.bool).triu(1)
  /// print(ahead)
  /// masked = scores.masked_fill(ahead, -math.inf)
  /// causal = torch.softmax(masked, dim=-1)
  /// print(causal[0, 0])
  /// _, by_module = mha(x, x, x, attn_mask=ahead,
  ///                    average_attn_weights=False)
  /// print(torch.allclose(causal, by_module, atol=1e-6))
  /// ```
  const Tensor ahead = etude::ones({5, 5}, etude::kBool).triu(1);
  print(ahead);
  const Tensor causal = etude::softmax(scores.masked_fill(ahead, -infinity), -1);
  print(causal[0][0]);
  const Tensor by_module = std::get<1>(mha->forward(x, x, x, {}, true, ahead, false));
  print(etude::allclose(causal, by_module, 1e-5, 1e-6));

  //%% causal_test | A test for it
  cell("causal_test", "A test for it");
  /// A model that sees the future has a wonderful loss and is worth nothing. The test is simple:
  /// change the last word, and look which outputs change. With the mask, only the last; without,
  /// all.
  ///
  /// ```python
  /// changed = x.clone()
  /// changed[4] += 1
  /// for mask in (ahead, None):
  ///     before, _ = mha(x, x, x, attn_mask=mask)
  ///     after, _ = mha(changed, changed, changed, attn_mask=mask)
  ///     print((before - after).abs().amax(dim=(1, 2)) > 1e-6)
  /// ```
  const Tensor changed = x.clone();
  changed[4] += 1;
  for (const Tensor& mask : {ahead, Tensor()}) {
    const Tensor before = std::get<0>(mha->forward(x, x, x, {}, true, mask));
    const Tensor after = std::get<0>(mha->forward(changed, changed, changed, {}, true, mask));
    print((before - after).abs().amax({1, 2}) > 1e-6);
  }

  //%% float_mask | Masks of numbers
  cell("float_mask", "Masks of numbers");
  /// A mask of floats is added to the scores. With 0 and $-\infty$ it does what the mask of
  /// bools does. Other numbers are a preference: here each step of distance costs 1, and every
  /// word prefers itself and its neighbours. Some models know their positions from
  /// nothing else.
  ///
  /// ```python
  /// as_floats = torch.zeros(5, 5).masked_fill(ahead, -math.inf)
  /// print(as_floats)
  /// same, _ = mha(x, x, x, attn_mask=as_floats)
  /// print(torch.equal(same, mha(x, x, x, attn_mask=ahead)[0]))
  /// place = torch.arange(5.0)
  /// far = -(place.unsqueeze(1) - place).abs()
  /// _, near = mha(x, x, x, attn_mask=far)
  /// print(near[0].detach())
  /// ```
  const Tensor as_floats = etude::zeros({5, 5}).masked_fill(ahead, -infinity);
  print(as_floats);
  const Tensor same = std::get<0>(mha->forward(x, x, x, {}, true, as_floats));
  print(etude::equal(same, std::get<0>(mha->forward(x, x, x, {}, true, ahead))));
  const Tensor place = etude::arange(5, etude::kFloat);
  const Tensor far = -(place.unsqueeze(1) - place).abs();
  const Tensor near = std::get<1>(mha->forward(x, x, x, {}, true, far));
  print(near[0].detach());

  //%% padding | Padding is no word
  cell("padding", "Padding is no word");
  /// Sentences of different lengths share a tensor by filling up the short ones. The filling
  /// must not be looked at. `key_padding_mask` is true at the words that are padding, one row
  /// per sentence. The second sentence here has three words, and its columns 3 and 4 are zero.
  ///
  /// Its outputs are those of the sentence alone, whatever stands in the padding: 100, for
  /// example. The padding's own rows are computed all the same. They mean nothing, and the loss
  /// has to leave them out.
  ///
  /// ```python
  /// words = torch.randn(3, 1, 8)
  /// filling = torch.full((2, 1, 8), 100.0)
  /// short = torch.cat([words, filling])
  /// batch = torch.cat([x, short], dim=1)
  /// padding = torch.tensor([[False, False, False, False, False],
  ///                         [False, False, False, True, True]])
  /// out, w = mha(batch, batch, batch, key_padding_mask=padding)
  /// print(w[1, :3].detach())
  /// alone, _ = mha(words, words, words)
  /// print(torch.allclose(out[:3, 1:], alone, atol=1e-6))
  /// print(torch.allclose(out[:, :1], mha(x, x, x)[0], atol=1e-6))
  /// ```
  const Tensor short_one = etude::cat({etude::randn({3, 1, 8}), etude::full({2, 1, 8}, 100.0)});
  const Tensor batch = etude::cat({x, short_one}, 1);
  const Tensor padding =
      etude::tensor({{false, false, false, false, false}, {false, false, false, true, true}});
  const auto [out, w] = mha(batch, batch, batch, padding);
  print(w[1].index({Slice(None, 3)}).detach());
  const Tensor words = short_one.index({Slice(None, 3)});
  print(etude::allclose(out.index({Slice(None, 3), Slice(1, None)}),
                        std::get<0>(mha(words, words, words)), 1e-5, 1e-6));
  print(etude::allclose(out.index({Slice(), Slice(None, 1)}), std::get<0>(mha(x, x, x)), 1e-5,
                        1e-6));

  //%% both_masks | Both at once
  cell("both_masks", "Both at once");
  /// The two masks ask different things, one who may look where and the other who is there at
  /// all. A word is seen if both allow it. Printed are the three words of the second sentence,
  /// the average of their heads.
  ///
  /// ```python
  /// _, w = mha(batch, batch, batch,
  ///            key_padding_mask=padding, attn_mask=ahead)
  /// print(w[1, :3].detach())
  /// ```
  const Tensor combined = std::get<1>(mha->forward(batch, batch, batch, padding, true, ahead));
  print(combined[1].index({Slice(None, 3)}).detach());

  //%% nowhere | A word that may look nowhere
  cell("nowhere", "A word that may look nowhere");
  /// A sentence of padding alone, or padding on the *left* together with the causal mask: then a
  /// row has no column left. All its scores are $-\infty$, the sum of powers is 0, and $0/0$ is
  /// not a number. PyTorch returns `nan`, and so does Etude. It is the honest answer, and a
  /// dangerous one: a `nan` in one row of padding reaches every gradient.
  ///
  /// ```python
  /// left = torch.tensor([[True, True, False, False, False]])
  /// bad, w = mha(x, x, x, key_padding_mask=left, attn_mask=ahead)
  /// print(w[0].detach())
  /// print(bad.isnan().any(dim=2).squeeze(1))
  /// mha.zero_grad()
  /// bad[2:].sum().backward()  # the loss leaves the bad rows out
  /// print(mha.in_proj_weight.grad.isnan().any())
  /// ```
  const Tensor left = etude::tensor({{true, true, false, false, false}});
  const auto [bad, bad_weights] = mha->forward(x, x, x, left, true, ahead);
  print(bad_weights[0].detach());
  print(bad.isnan().any(2).squeeze(1));
  mha->zero_grad();
  bad.index({Slice(2, None)}).sum().backward();  // the loss leaves the bad rows out
  print(mha->in_proj_weight.grad().isnan().any());

  //%% finite | Two ways out
  cell("finite", "Two ways out");
  /// Pad on the right: then each row has at least its own first word. Or use a large negative
  /// number in place of infinity. Where anything else may be seen, its power is still exactly 0.
  /// Where nothing may, all scores are equally bad, the row is an even mixture of everything,
  /// and no `nan` comes about. The row means nothing either way.
  ///
  /// ```python
  /// hidden = ahead | left
  /// finite = torch.zeros(5, 5).masked_fill(hidden, -1e9)
  /// good, w = mha(x, x, x, attn_mask=finite)
  /// print(w[0].detach())
  /// print(torch.equal(good[2:], bad[2:]))
  /// ```
  const Tensor hidden = ahead.logical_or(left);
  const Tensor finite = etude::zeros({5, 5}).masked_fill(hidden, -1e9);
  const auto [good, good_weights] = mha->forward(x, x, x, {}, true, finite);
  print(good_weights[0].detach());
  print(etude::equal(good.index({Slice(2, None)}), bad.index({Slice(2, None)})));

  //%% conventions | True has two meanings
  cell("conventions", "True has two meanings");
  /// A trap to know: for `MultiheadAttention`, true means *may not look*. For the function
  /// `scaled_dot_product_attention`, which is public from PyTorch 2 on, true means *may look*.
  /// Given the module's mask, the function lets every word see only the future, and the last
  /// word nothing: its row is `nan`. PyTorch 1.13 has it for its own use only, so here its side
  /// spells out what the function does.
  ///
  /// ```python
  /// def attend(mask):
  ///     unseen = scores.masked_fill(~mask, -math.inf)
  ///     return torch.softmax(unseen, dim=-1) @ by_head(v)
  ///
  /// right = causal @ by_head(v)
  /// print(torch.allclose(attend(~ahead), right, atol=1e-6))
  /// print(attend(ahead)[0, 0])
  /// ```
  const auto attend = [&](const Tensor& mask) {
    return F::scaled_dot_product_attention(by_head(q), by_head(k), by_head(v), mask);
  };
  print(etude::allclose(attend(ahead.logical_not()), etude::matmul(causal, by_head(v)), 1e-5,
                        1e-6));
  print(attend(ahead)[0][0]);

  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
