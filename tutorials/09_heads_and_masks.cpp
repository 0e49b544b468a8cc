/// # Many heads and masks
///
/// - You will be able to: cut a width into heads and put it together again without mixing words; mask what a word must not see; find out why a row is `nan`
/// - You need: [attention by hand](08_attention.cpp)
/// - Minutes: 50
/// - Result: heads_plot
///
/// One row of attention weights adds up to one. A word that needs two things, its article and its
/// verb, gets half of each, mixed beyond separation. So the width is cut into *heads*. Each head
/// attends by itself with weights of its own, and the results are put side by side. The numbers
/// of parameters and of multiplications stay the same; only the number of attention weights
/// grows.
///
/// ```diagram One sentence, two heads
/// x: the dog saw itself [4, 1, 4]
/// qkv: (in_proj, then cut) [4, 1, 12] | m: mask [4, 4]
/// a: (head 0: attention) [1, 4, 2] | b: (head 1: attention) [1, 4, 2]
/// j: (side by side) [4, 1, 4]
/// o: (out_proj) [4, 1, 4]
/// x -> qkv ; qkv -> a ; qkv -> b
/// m -> a ; m -> b
/// a -> j ; b -> j ; j -> o
/// ```
///
/// Also, not every word may be seen. Padding is not a word, and a model that predicts the next
/// word must not look at it. A *mask* takes columns out of the softmax.
///
/// The sentence and its numbers are those of [attention by hand](08_attention.cpp). This lesson
/// builds both ideas with `view` and `transpose`, compares every step with `MultiheadAttention`,
/// and shows where masks go wrong.

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

  //%% one_head | Two wishes and one row
  cell("one_head", "Two wishes and one row");
  /// These are the four words of the lesson before: how much of an article, a thing, an action
  /// and a pointer each is. Now a thing looks for two kinds, its article and its action, and an
  /// action looks for a thing and a pointer. The keys say the same as the words, with the numbers
  /// in another order: thing and action, then article and pointer. In this lesson the values are
  /// the keys, so that you see where each number comes from.
  ///
  /// With one head *dog* finds both, and they have to share its row: neither gets half. What
  /// arrives is one mixture, and nothing in it says which part came from which wish.
  ///
  /// ```python
  /// words = ["the", "dog", "saw", "itself"]
  /// sentence = torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                          [0.0, 1.0, 0.0, 0.0],
  ///                          [0.0, 0.0, 1.0, 0.0],
  ///                          [0.0, 0.5, 0.0, 1.0]])
  /// w_q = 4 * torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                         [0.0, 1.0, 1.0, 0.0],
  ///                         [1.0, 0.0, 0.0, 1.0],
  ///                         [1.0, 0.0, 0.0, 0.0]])
  /// w_k = torch.tensor([[0.0, 0.0, 1.0, 0.0],
  ///                     [1.0, 0.0, 0.0, 0.0],
  ///                     [0.0, 1.0, 0.0, 0.0],
  ///                     [0.0, 0.0, 0.0, 1.0]])
  /// q, k = sentence @ w_q, sentence @ w_k
  /// one_head = torch.softmax(q @ k.T / math.sqrt(4), dim=1)
  /// print(one_head[1])
  /// ```
  const std::vector<std::string> words{"the", "dog", "saw", "itself"};
  const Tensor sentence = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                         {0.0f, 1.0f, 0.0f, 0.0f},
                                         {0.0f, 0.0f, 1.0f, 0.0f},
                                         {0.0f, 0.5f, 0.0f, 1.0f}});  // [4, 4]
  const double emphasis = parameter("emphasis", 4.0, 0.0, 8.0);
  const Tensor w_q = emphasis * etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                               {0.0f, 1.0f, 1.0f, 0.0f},
                                               {1.0f, 0.0f, 0.0f, 1.0f},
                                               {1.0f, 0.0f, 0.0f, 0.0f}});
  const Tensor w_k = etude::tensor({{0.0f, 0.0f, 1.0f, 0.0f},
                                    {1.0f, 0.0f, 0.0f, 0.0f},
                                    {0.0f, 1.0f, 0.0f, 0.0f},
                                    {0.0f, 0.0f, 0.0f, 1.0f}});
  const Tensor one_head = etude::softmax(
      etude::matmul(etude::matmul(sentence, w_q), etude::matmul(sentence, w_k).t()) /
          std::sqrt(4.0),
      1);  // [4, 4]
  print(one_head[1]);

  //%% module | The module and its parameters
  cell("module", "The module and its parameters");
  /// A module is an object that owns the parameters of a layer. This one is `MultiheadAttention`
  /// [1] with two heads for words of width 4: each head has 2 of these numbers. The module has
  /// four matrices: one each for queries, keys and values, and one that mixes the heads in the
  /// end. The first three have the same input and are stacked, so that one product computes all
  /// three.
  ///
  /// A new module draws its matrices. Here ours take their place, each transposed, and the last
  /// one brings the numbers back into the order of the words: article, thing, action, pointer.
  ///
  /// ```python
  /// mha = nn.MultiheadAttention(4, 2)
  /// for name, parameter in mha.named_parameters():
  ///     print(name, tuple(parameter.shape))
  /// with torch.no_grad():
  ///     mha.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_k.T]))
  ///     mha.out_proj.weight.copy_(w_k)
  /// ```
  nn::MultiheadAttention mha(4, 2);
  for (const auto& parameter : mha->named_parameters())
    print(parameter.key(), python_tuple(parameter.value().sizes()));
  {
    const etude::NoGradGuard no_grad;
    mha->in_proj_weight.copy_(etude::cat({w_q.t(), w_k.t(), w_k.t()}));
    mha->out_proj->weight.copy_(w_k);
  }

  //%% projection | Queries, keys and values at once
  cell("projection", "Queries, keys and values at once");
  /// The sentence is a batch of one, in the order *words, batch, width* that this module expects
  /// by default: `unsqueeze(1)` puts a dim of size 1 between the two that there are. The product
  /// gives 12 numbers per word, and `chunk` cuts them into three times 4. Each third is what a
  /// product with its third of the matrix gives.
  ///
  /// ```python
  /// x = sentence.unsqueeze(1)
  /// together = x @ mha.in_proj_weight.T + mha.in_proj_bias
  /// q, k, v = together.detach().chunk(3, dim=-1)
  /// print(together.shape, q.shape)
  /// weight, bias = mha.in_proj_weight, mha.in_proj_bias
  /// alone = F.linear(x, weight[4:8], bias[4:8])
  /// print(torch.allclose(k, alone))
  /// ```
  const Tensor x = sentence.unsqueeze(1);  // [4, 1, 4]
  const Tensor together = etude::matmul(x, mha->in_proj_weight.t()) + mha->in_proj_bias;
  const std::vector<Tensor> qkv = together.detach().chunk(3, -1);
  const Tensor q = qkv[0], k = qkv[1], v = qkv[2];  // [4, 1, 4] each
  print(together.sizes(), q.sizes());
  const Tensor alone = F::linear(x, mha->in_proj_weight.index({Slice(4, 8)}),
                                 mha->in_proj_bias.index({Slice(4, 8)}));
  print(etude::allclose(k, alone));

  //%% split | Cutting the width into heads
  cell("split", "Cutting the width into heads");
  /// The cut is easiest to see on numbers that say where they are: four words of width 4,
  /// numbered consecutively. `view` writes the width as *heads, width of a head*: nothing moves.
  /// `transpose` brings the heads to the front, so that what follows is a stack of small
  /// matrices, one per head. Head 0 has the first two numbers of every word.
  ///
  /// Nothing moves here either. The strides of a tensor say how far apart the neighbours along
  /// each dim lie in memory, and `transpose` exchanges two of them, as the last line shows.
  ///
  /// ```python
  /// numbers = torch.arange(16).view(4, 4)
  /// heads = numbers.view(4, 2, 2).transpose(0, 1)
  /// print(numbers)
  /// print(heads)
  /// print(numbers.stride(), heads.stride(), heads.is_contiguous())
  /// ```
  const Tensor numbers = etude::arange(16).view({4, 4});
  const Tensor heads = numbers.view({4, 2, 2}).transpose(0, 1);  // [2, 4, 2]
  print(numbers);
  print(heads);
  print(python_tuple(numbers.strides()), python_tuple(heads.strides()), heads.is_contiguous());

  //%% wrong_split | The cut that looks right
  cell("wrong_split", "The cut that looks right");
  /// This mistake is silent. The shape should be `[2, 4, 2]`, and `view` gives it at once. But a
  /// view reads the numbers in their order, and so "head 0" gets all of the first two words and
  /// nothing of the others. No error is raised, and the model even learns something. A shape
  /// that fits says nothing about its meaning. [Another lesson](04_step_by_step.cpp) makes the
  /// same mistake with the table of positions.
  ///
  /// ```picture cut_into_heads The right cut and the wrong one
  /// A grid of four words with four numbers each. With view and transpose, the first head has the
  /// first two numbers of every word and the second the last two. With view alone, the first head has
  /// all numbers of the first two words.
  /// ```
  ///
  /// ```python
  /// print(numbers.view(2, 4, 2)[0])
  /// ```
  print(numbers.view({2, 4, 2})[0]);

  //%% weights | Each head has its own weights
  cell("weights", "Each head has its own weights");
  /// Now the real queries and keys are cut, with the batch in front: batch, heads, words, width
  /// of a head. A matrix product works on the last two dims and repeats itself over all dims
  /// before them, so the [attention](08_attention.cpp) of one head is already that of many. The
  /// scale is that of a head, $\sqrt{2}$. It is smaller than $\sqrt{4}$, so the same factor 4
  /// asks with more emphasis.
  ///
  /// Head 0 asks for things and actions, as one head did in the lesson before; head 1 for
  /// articles and pointers. *Dog* now gives *saw* 0.85 in head 0 and *the* 0.85 in head 1, where
  /// one head had 0.44 for each. A word that looks for nothing in a head, like *the* in head 1,
  /// takes a quarter of each.
  ///
  /// ```python
  /// def by_head(t):  # [words, batch, 4] -> [batch, heads, words, 2]
  ///     words, batch, width = t.shape
  ///     return t.view(words, batch, 2, width // 2).permute(1, 2, 0, 3)
  ///
  /// scores = by_head(q) @ by_head(k).transpose(-2, -1) / math.sqrt(2)
  /// weights = torch.softmax(scores, dim=-1)
  /// print(weights.shape)
  /// print(weights)
  /// ```
  const auto by_head = [](const Tensor& t) {  // [words, batch, 4] -> [batch, heads, words, 2]
    return t.view({t.size(0), t.size(1), 2, t.size(2) / 2}).permute({1, 2, 0, 3});
  };
  const Tensor scores = etude::matmul(by_head(q), by_head(k).transpose(-2, -1)) / std::sqrt(2.0);
  const Tensor weights = etude::softmax(scores, -1);  // [1, 2, 4, 4]
  print(weights.sizes());
  print(weights);

  //%% heads_plot | Two heads, two opinions
  cell("heads_plot", "Two heads, two opinions");
  /// The picture shows the weights of both heads side by side. In trained models some heads
  /// differ as clearly: one looks at the word before, another from an object to its verb, another
  /// from *itself* to what it stands for [4].
  ///
  /// ![Weights of two heads for the four words: in head 0 dog looks at saw, in head 1 dog looks
  /// at the](heads.svg)
  Subplots both;
  both.title = "Weights of two heads";
  both.description = "Head 0 finds things and actions, head 1 articles and pointers.";
  for (const int64_t head : {0, 1}) {
    HeatMap map;
    map.title = "Head " + std::to_string(head);
    map.x_label = "is asked";
    map.y_label = "asks";
    map.rows = map.columns = 4;
    map.row_names = map.column_names = words;
    map.values = values_of(weights[0][head]);
    map.colours = Colours::sequential;
    map.range = {{0, 1}};
    both.plots.emplace_back(map);
  }
  figure("heads.svg", draw(both));

  //%% join | Putting the heads side by side
  cell("join", "Putting the heads side by side");
  /// Now the way back: the heads move behind the words, and the last two dims become one. This
  /// time the numbers lie in memory in another order than the one in which they are read, and
  /// `view` refuses. `reshape` copies them into a new order. It is the only copy in the whole
  /// computation.
  ///
  /// ```python
  /// mixed = weights @ by_head(v)  # [batch, heads, words, 2]
  /// try:
  ///     mixed.permute(2, 0, 1, 3).view(4, 1, 4)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", str(error).split(" (")[0])
  /// joined = mixed.permute(2, 0, 1, 3).reshape(4, 1, 4)
  /// print(joined.shape)
  /// ```
  const Tensor mixed = etude::matmul(weights, by_head(v));  // [1, 2, 4, 2]
  try {
    mixed.permute({2, 0, 1, 3}).view({4, 1, 4});
  } catch (const etude::Error& error) {
    const std::string text = error.what();
    print("RuntimeError:", text.substr(0, text.find(" (")));
  }
  const Tensor joined = mixed.permute({2, 0, 1, 3}).reshape({4, 1, 4});
  print(joined.sizes());

  //%% output | And mixing them
  cell("output", "And mixing them");
  /// The heads stand side by side and know nothing of each other. A last product, `out_proj`,
  /// lets each output take from all of them. This is what the module gives: *dog*, in the second
  /// row, has received most of an article and most of an action.
  ///
  /// Change `emphasis` [above](#one_head): the larger it is, the nearer *dog* comes to half of each
  /// with one head, and to all of each with two.
  ///
  /// ```picture two_heads The width in two heads
  /// Queries, keys and values are cut in the middle of their width. Each half has attention weights of
  /// its own, the results stand side by side again, and a last product mixes them.
  /// ```
  ///
  /// ```python
  /// last = mha.out_proj
  /// output = F.linear(joined, last.weight, last.bias).detach()
  /// print(output.squeeze(1))
  /// expected, _ = mha(x, x, x)
  /// print(torch.allclose(output, expected, atol=1e-6))
  /// ```
  const Tensor output =
      F::linear(joined, mha->out_proj->weight, mha->out_proj->bias).detach();  // [4, 1, 4]
  print(output.squeeze(1));
  const Tensor expected = std::get<0>(mha(x, x, x));
  print(etude::allclose(output, expected, 1e-5, 1e-6));

  //%% parameters | What heads cost
  cell("parameters", "What heads cost");
  /// Two things stay the same. The matrices are as large for one head as for eight, since the
  /// heads share the width: $4 d^2$ weights and $4 d$ biases. And a score is a sum of $d / h$
  /// products where there were $d$, so all $h L^2$ scores of $L$ words need $L^2 d$
  /// multiplications, whatever $h$ is; the weighted sums need as many.
  ///
  /// One thing grows: there are $h L^2$ scores, and as many weights. The softmax has $h$ times as
  /// many powers to compute, and weights that are kept, to look at or for the way back, need $h$
  /// times the memory, four bytes each. The output shows, for four words of width 4: heads,
  /// parameters, multiplications for scores and sums, weights, and the bytes of the weights.
  ///
  /// With four words this is nothing. With the 12 heads and 1024 words of the small GPT-2 it is
  /// $12 \cdot 1024^2 \cdot 4$ bytes, 48 MiB per layer and text, where one head has 4 MiB. So
  /// good kernels keep no weights [2]: Etude's kernel computes a few rows of them at a time,
  /// computes them again on the way back, and keeps two numbers per row.
  ///
  /// ```python
  /// for count in (1, 2, 4):
  ///     module = nn.MultiheadAttention(4, count)
  ///     total = sum(p.numel() for p in module.parameters())
  ///     _, each = module(x, x, x, average_attn_weights=False)
  ///     multiplications = 2 * each.numel() * (4 // count)
  ///     print(count, total, multiplications, each.numel(),
  ///           each.numel() * each.element_size())
  /// ```
  for (const int count : {1, 2, 4}) {
    nn::MultiheadAttention module(4, count);
    int64_t total = 0;
    for (const Tensor& p : module->parameters()) total += p.numel();
    const auto result = module->forward(x, x, x, {}, true, {}, false);
    const Tensor each = std::get<1>(result);  // [batch, heads, words, words]
    const int64_t multiplications = 2 * each.numel() * (4 / count);
    print(count, total, multiplications, each.numel(),
          each.numel() * static_cast<int64_t>(each.element_size()));
  }

  //%% need_weights | Asking for the weights
  cell("need_weights", "Asking for the weights");
  /// The module returns the weights beside the output: averaged over the heads, or of each head,
  /// or not at all. The average is easy to draw and hides what heads are for. Ask for those of
  /// each head when you look into a model.
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

  //%% causal | Not looking ahead
  cell("causal", "Not looking ahead");
  /// A model that predicts the next word must not see it [1]. The mask is true where a word may
  /// *not* look: above the diagonal. There the score becomes $-\infty$, its power is exactly 0,
  /// and the others share the row. The first word sees only its own place: weight 1. In head 0,
  /// printed here, *dog* looked for *saw* and no longer finds it: the two words that it may see
  /// get half each.
  ///
  /// The mask comes before the softmax. If weights were set to zero after it, the rows would no
  /// longer add up to one. Each row could be divided by its new sum, and would then have the same
  /// weights as here, but the mask has them in one step.
  ///
  /// ```picture behind_the_mask The weights without the mask and with it
  /// On the left are the weights of one head, where every word looks at every word. In the middle is
  /// the mask, which is minus infinity above the diagonal. On the right, the weights are zero there,
  /// and the others of each row are larger.
  /// ```
  ///
  /// ```python
  /// ahead = torch.ones(4, 4, dtype=torch.bool).triu(1)
  /// print(ahead)
  /// masked = scores.masked_fill(ahead, -math.inf)
  /// causal = torch.softmax(masked, dim=-1)
  /// print(causal[0, 0])
  /// _, by_module = mha(x, x, x, attn_mask=ahead,
  ///                    average_attn_weights=False)
  /// print(torch.allclose(causal, by_module, atol=1e-6))
  /// ```
  const Tensor ahead = etude::ones({4, 4}, etude::kBool).triu(1);
  print(ahead);
  const Tensor causal = etude::softmax(scores.masked_fill(ahead, -infinity), -1);
  print(causal[0][0]);
  const Tensor by_module = std::get<1>(mha->forward(x, x, x, {}, true, ahead, false));
  print(etude::allclose(causal, by_module, 1e-5, 1e-6));

  //%% causal_test | A test for it
  cell("causal_test", "A test for it");
  /// A model that sees the future has a wonderful loss and is worthless. The test is simple:
  /// change the last word, *itself*, and see which outputs change. With the mask only the last
  /// one does; without it, all of them do.
  ///
  /// ```python
  /// changed = x.clone()
  /// changed[3] += 1
  /// for mask in (ahead, None):
  ///     before, _ = mha(x, x, x, attn_mask=mask)
  ///     after, _ = mha(changed, changed, changed, attn_mask=mask)
  ///     print((before - after).abs().amax(dim=(1, 2)) > 1e-6)
  /// ```
  const Tensor changed = x.clone();
  changed[3] += 1;
  for (const Tensor& mask : {ahead, Tensor()}) {
    const Tensor before = std::get<0>(mha->forward(x, x, x, {}, true, mask));
    const Tensor after = std::get<0>(mha->forward(changed, changed, changed, {}, true, mask));
    print((before - after).abs().amax({1, 2}) > 1e-6);
  }

  //%% float_mask | Masks of numbers
  cell("float_mask", "Masks of numbers");
  /// A mask of floats is added to the scores. With 0 and $-\infty$ it does the same as a mask of
  /// bools. Other numbers express a preference: here each step of distance costs 1, and every
  /// word prefers itself and its neighbours. Some models get their positions from nothing else
  /// [3].
  ///
  /// ```python
  /// as_floats = torch.zeros(4, 4).masked_fill(ahead, -math.inf)
  /// print(as_floats)
  /// same, _ = mha(x, x, x, attn_mask=as_floats)
  /// print(torch.equal(same, mha(x, x, x, attn_mask=ahead)[0]))
  /// place = torch.arange(4.0)
  /// far = -(place.unsqueeze(1) - place).abs()
  /// _, near = mha(x, x, x, attn_mask=far)
  /// print(near[0].detach())
  /// ```
  const Tensor as_floats = etude::zeros({4, 4}).masked_fill(ahead, -infinity);
  print(as_floats);
  const Tensor same = std::get<0>(mha->forward(x, x, x, {}, true, as_floats));
  print(etude::equal(same, std::get<0>(mha->forward(x, x, x, {}, true, ahead))));
  const Tensor place = etude::arange(4, etude::kFloat);
  const Tensor far = -(place.unsqueeze(1) - place).abs();
  const Tensor near = std::get<1>(mha->forward(x, x, x, {}, true, far));
  print(near[0].detach());

  //%% padding | Padding is no word
  cell("padding", "Padding is no word");
  /// Sentences of different lengths fit into one tensor if the short ones are filled up. No word
  /// may look at the filling. `key_padding_mask` is true at the words that are padding, one row
  /// per sentence. The second sentence here is *the dog*, and its columns 2 and 3 are zero.
  ///
  /// Its outputs are those of *the dog* alone, whatever the padding holds: 100, for example. The
  /// padding's own rows are computed all the same. They mean nothing, and the loss has to leave
  /// them out.
  ///
  /// ```python
  /// the_dog = x[:2]
  /// short = torch.cat([the_dog, torch.full((2, 1, 4), 100.0)])
  /// batch = torch.cat([x, short], dim=1)
  /// padding = torch.tensor([[False, False, False, False],
  ///                         [False, False, True, True]])
  /// out, w = mha(batch, batch, batch, key_padding_mask=padding)
  /// print(w[1, :2].detach())
  /// alone, _ = mha(the_dog, the_dog, the_dog)
  /// print(torch.allclose(out[:2, 1:], alone, atol=1e-6))
  /// print(torch.allclose(out[:, :1], mha(x, x, x)[0], atol=1e-6))
  /// ```
  const Tensor the_dog = x.index({Slice(None, 2)});                            // [2, 1, 4]
  const Tensor filled = etude::cat({the_dog, etude::full({2, 1, 4}, 100.0)});  // [4, 1, 4]
  const Tensor batch = etude::cat({x, filled}, 1);                             // [4, 2, 4]
  const Tensor padding =
      etude::tensor({{false, false, false, false}, {false, false, true, true}});
  const auto [out, w] = mha(batch, batch, batch, padding);
  print(w[1].index({Slice(None, 2)}).detach());
  print(etude::allclose(out.index({Slice(None, 2), Slice(1, None)}),
                        std::get<0>(mha(the_dog, the_dog, the_dog)), 1e-5, 1e-6));
  print(etude::allclose(out.index({Slice(), Slice(None, 1)}), std::get<0>(mha(x, x, x)), 1e-5,
                        1e-6));

  //%% both_masks | Both at once
  cell("both_masks", "Both at once");
  /// The two masks say different things: one says which word may look where, the other which
  /// words are there at all. A word is seen if both masks allow it. The output shows the two
  /// words of the second sentence, averaged over the heads.
  ///
  /// ```python
  /// _, w = mha(batch, batch, batch,
  ///            key_padding_mask=padding, attn_mask=ahead)
  /// print(w[1, :2].detach())
  /// ```
  const Tensor combined = std::get<1>(mha->forward(batch, batch, batch, padding, true, ahead));
  print(combined[1].index({Slice(None, 2)}).detach());

  //%% nowhere | A word that may look nowhere
  cell("nowhere", "A word that may look nowhere");
  /// This is where masks break. In a sentence of padding alone, or with padding on the
  /// *left* together with the causal mask, a row has no column left. All its scores are
  /// $-\infty$, the sum of powers is 0, and $0/0$ is not a number. PyTorch returns `nan`, and so
  /// does Etude. It is the honest answer, and a dangerous one: the loss below leaves the bad rows
  /// out, and still a gradient is `nan`.
  ///
  /// ```python
  /// left = torch.tensor([[True, True, False, False]])
  /// bad, w = mha(x, x, x, key_padding_mask=left, attn_mask=ahead)
  /// print(w[0].detach())
  /// print(bad.isnan().any(dim=2).squeeze(1))
  /// mha.zero_grad()
  /// bad[2:].sum().backward()
  /// print(mha.in_proj_weight.grad.isnan().any())
  /// ```
  const Tensor left = etude::tensor({{true, true, false, false}});
  const auto [bad, bad_weights] = mha->forward(x, x, x, left, true, ahead);
  print(bad_weights[0].detach());
  print(bad.isnan().any(2).squeeze(1));
  mha->zero_grad();
  bad.index({Slice(2, None)}).sum().backward();
  print(mha->in_proj_weight.grad().isnan().any());

  //%% finite | Two ways out
  cell("finite", "Two ways out");
  /// Pad on the right: then each row sees at least the first word of its sentence. Or use a large
  /// negative number in place of infinity. In a row where anything may be seen, the power of what
  /// is hidden is still exactly 0. In a row where nothing may, all scores are equally bad, the
  /// row is an even mixture of everything, and there is no `nan`. That row means nothing either
  /// way.
  ///
  /// ```python
  /// hidden = ahead | left
  /// finite = torch.zeros(4, 4).masked_fill(hidden, -1e9)
  /// good, w = mha(x, x, x, attn_mask=finite)
  /// print(w[0].detach())
  /// print(torch.equal(good[2:], bad[2:]))
  /// ```
  const Tensor hidden = ahead.logical_or(left);
  const Tensor finite = etude::zeros({4, 4}).masked_fill(hidden, -1e9);
  const auto [good, good_weights] = mha->forward(x, x, x, {}, true, finite);
  print(good_weights[0].detach());
  print(etude::equal(good.index({Slice(2, None)}), bad.index({Slice(2, None)})));

  //%% conventions | True has two meanings
  cell("conventions", "True has two meanings");
  /// A trap to know: for `MultiheadAttention`, true means *may not look*. For the function
  /// `scaled_dot_product_attention`, which is public from PyTorch 2 on, true means *may look*.
  /// Given the module's mask, the function lets every word see only the future, and the last
  /// word nothing: its row is zeros here, and not `nan`. PyTorch 1.13 has no public function of
  /// this name, so its side spells out what the function does.
  ///
  /// ```python
  /// def attend(mask):
  ///     unseen = scores.masked_fill(~mask, -math.inf)
  ///     weights = torch.softmax(unseen, dim=-1)
  ///     return weights.masked_fill(~mask, 0) @ by_head(v)
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

  //%% exercise1 | Four heads
  cell("exercise1", "Four heads");
  /// The numbers of three words of width 12, `wide`, `[3, 12]`, are consecutive. Cut them for
  /// four heads: heads first, then words, then the numbers of a head. Put the result into
  /// `answer`. Which three numbers of the first word does head 1 see?
  {
    const Tensor wide = etude::arange(36).view({3, 12});
    Tensor answer;
    //%% answer
    /// First the width is written as four times three, then words and heads change places. Head 1
    /// sees the numbers 3, 4 and 5 of the first word.
    ///
    /// ```python
    /// wide = torch.arange(36).view(3, 12)
    /// answer = wide.view(3, 4, 3).transpose(0, 1)
    /// print(answer.shape)
    /// print(answer[1])
    /// ```
    answer = wide.view({3, 4, 3}).transpose(0, 1);
    //%% end answer
    expect(answer.defined() && answer.dim() == 3, "answer has three dims");
    expect(etude::equal(answer[1][0], wide[0].index({Slice(3, 6)})),
           "head 1 sees the numbers 3, 4 and 5 of the first word");
    expect(etude::equal(answer[1][2], wide[2].index({Slice(3, 6)})),
           "head 1 sees the numbers at the same places of the last word");
    print(answer.sizes());
    print(answer[1]);
  }

  //%% exercise2 | A mask that hides too much
  cell("exercise2", "A mask that hides too much");
  /// This mask was meant to hide the words ahead, and yet the first row of weights is `nan`. Find
  /// out what it hides that it should not, and put the right one into `mask`.
  {
    Tensor mask = etude::ones({4, 4}, etude::kBool).triu();
    //%% answer
    /// `triu()` keeps the diagonal: no word saw itself, and the first saw nothing at all. The
    /// hidden words have to begin one place to the right of the diagonal.
    ///
    /// ```python
    /// mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
    /// repaired = torch.softmax(
    ///     scores.masked_fill(mask, -math.inf), dim=-1)
    /// print(repaired[0, 1])
    /// ```
    mask = etude::ones({4, 4}, etude::kBool).triu(1);
    //%% end answer
    const Tensor repaired = etude::softmax(scores.masked_fill(mask, -infinity), -1);
    expect(!repaired.isnan().any().item<bool>(), "no row is nan");
    expect(etude::allclose(repaired, causal), "the weights are those of the causal mask");
    print(repaired[0][1]);
  }

  //%% exercise3 | A window
  cell("exercise3", "A window");
  /// Long texts become affordable if every word looks only a little way back. Make a mask
  /// `hidden_words`, `[4, 4]`, true where a word may not look, with which each word sees itself and the
  /// one word before it, and nothing else.
  {
    Tensor hidden_words;
    //%% answer
    /// The mask hides what lies ahead, and what lies two places or more behind.
    ///
    /// ```python
    /// behind = torch.ones(4, 4, dtype=torch.bool).tril(-2)
    /// hidden_words = ahead | behind
    /// window = torch.softmax(
    ///     scores.masked_fill(hidden_words, -math.inf), dim=-1)
    /// print(window[0, 0])
    /// ```
    hidden_words = ahead.logical_or(etude::ones({4, 4}, etude::kBool).tril(-2));
    //%% end answer
    expect(hidden_words.defined(), "there is a mask");
    const Tensor window = etude::softmax(scores.masked_fill(hidden_words, -infinity), -1);
    const Tensor seen = (window[0][0] > 0).sum(1);
    expect(etude::equal(seen, etude::tensor({1, 2, 2, 2}, etude::kLong)),
           "the first word sees one word, the others two");
    expect(etude::equal(window.triu(1), etude::zeros_like(window)), "nobody sees what is ahead");
    print(window[0][0]);
  }

  //%% summary
  /// 1. Heads share the width: each has its own queries, keys and values of $d / h$ numbers, its own row that adds up to one, and its own scale $\sqrt{d / h}$.
  /// 2. `view` to heads, then `transpose`: a `view` to the final shape fits and mixes the words.
  /// 3. A mask gives a score $-\infty$ before the softmax, so that the weight is exactly 0.
  /// 4. The causal mask hides what is ahead, the padding mask hides what is no word; test the first by changing the last word.
  /// 5. A row in which everything is hidden is `nan`, and through the gradient it spoils the whole model.

  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.2.2 on heads and 3.2.3 on masks
  /// 2. T. Dao et al., [FlashAttention](https://arxiv.org/abs/2205.14135), 2022, section 3: attention that never stores its weights
  /// 3. O. Press et al., [Train Short, Test Long: Attention with Linear Biases](https://arxiv.org/abs/2108.12409), 2022, section 3: distance as a number added to the scores
  /// 4. K. Clark et al., [What Does BERT Look At?](https://arxiv.org/abs/1906.04341), 2019, sections 3 and 4: what single heads find
  /// 5. PyTorch, [MultiheadAttention](https://pytorch.org/docs/1.13/generated/torch.nn.MultiheadAttention.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
