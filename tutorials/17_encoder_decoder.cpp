/// # Encoder and decoder
///
/// - You will be able to: compute cross-attention by hand; mask padding and the future; train a translator with teacher forcing and let it write
/// - You need: [a transformer block](10_transformer_block.cpp), [masks](09_heads_and_masks.cpp)
/// - Minutes: 50
/// - Result: map
///
/// To translate is to read one text and to write another. The two have other words, another
/// order, another length. The transformer was invented for this [1]: an *encoder* reads the
/// whole source at once, a *decoder* writes the target word by word, and at each word it looks
/// back into the source. This look is *cross-attention*. Its questions come from one text, its
/// answers from the other, and nothing else about attention changes. Networks before had one
/// vector for the whole source [3], however long it was.
///
/// ```diagram From one text to another
/// src: the dog saw itself [4, 4]
/// enc: (self-attention) [4, 4] | tgt: start le chien se [4, 4]
/// ff1: (linear layers) [4, 4] | self: (causal attention) [4, 4]
/// mem: memory [4, 4] | cross: (cross-attention) [4, 4]
/// ff2: (linear layers) [4, 4]
/// out: le chien se vit
/// src -> enc -> ff1 -> mem
/// tgt -> self -> cross -> ff2 -> out
/// mem -> cross
/// ```
///
/// The lesson begins with cross-attention on two sentences of four words. Then a decoder layer is
/// built by hand, the same as that of the library. In the end a small model reads *3 may 2021*,
/// writes *2021-05-03*, and shows where it has looked. It is the little sister of the example
/// `dates`.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% decoder_layer | A decoder layer by hand
/// An encoder layer is [the block](10_transformer_block.cpp) that we know. A decoder layer has
/// three parts, each with its sum and its norm: attention of the target over itself, attention of
/// the target over the encoder's output, the *memory*, and two linear layers. The names are those
/// of the library. Tensors are `[words, sentences, width]`. The weights of the cross-attention
/// are kept, so that we can look at them.
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// import torch.nn.functional as F
///
/// class DecoderLayer(nn.Module):
///     def __init__(self, d_model, heads, inner):
///         super().__init__()
///         self.self_attn = nn.MultiheadAttention(d_model, heads)
///         self.multihead_attn = nn.MultiheadAttention(d_model, heads)
///         self.linear1 = nn.Linear(d_model, inner)
///         self.linear2 = nn.Linear(inner, d_model)
///         self.norm1 = nn.LayerNorm(d_model)
///         self.norm2 = nn.LayerNorm(d_model)
///         self.norm3 = nn.LayerNorm(d_model)
///
///     def forward(self, tgt, memory, mask=None, padding=None):
///         found, _ = self.self_attn(
///             tgt, tgt, tgt, need_weights=False, attn_mask=mask)
///         tgt = self.norm1(tgt + found)
///         found, self.weights = self.multihead_attn(
///             tgt, memory, memory, key_padding_mask=padding)
///         tgt = self.norm2(tgt + found)
///         inside = torch.relu(self.linear1(tgt))
///         return self.norm3(tgt + self.linear2(inside))
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

class DecoderLayerImpl : public nn::Module {
 public:
  DecoderLayerImpl(int64_t d_model, int64_t heads, int64_t inner)
      : self_attn(register_module("self_attn", nn::MultiheadAttention(d_model, heads))),
        multihead_attn(
            register_module("multihead_attn", nn::MultiheadAttention(d_model, heads))),
        linear1(register_module("linear1", nn::Linear(d_model, inner))),
        linear2(register_module("linear2", nn::Linear(inner, d_model))),
        norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({d_model})))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({d_model})))),
        norm3(register_module("norm3", nn::LayerNorm(nn::LayerNormOptions({d_model})))) {}

  Tensor forward(Tensor tgt, const Tensor& memory, const Tensor& mask = {},
                 const Tensor& padding = {}) {
    tgt = norm1(tgt + std::get<0>(self_attn(tgt, tgt, tgt, Tensor(), false, mask)));
    Tensor found;
    std::tie(found, weights) = multihead_attn(tgt, memory, memory, padding);
    tgt = norm2(tgt + found);
    return norm3(tgt + linear2(etude::relu(linear1(tgt))));
  }

  nn::MultiheadAttention self_attn, multihead_attn;
  nn::Linear linear1, linear2;
  nn::LayerNorm norm1, norm2, norm3;
  Tensor weights;  // of the last call: [sentences, target, source], the mean of the heads
};
ETUDE_MODULE(DecoderLayer);

//%% translator | The whole model
/// The model has one embedding for both texts, with sines for the positions, an encoder layer,
/// our decoder layer, and a linear layer that gives a logit to each token. `encode` and `decode`
/// are two methods: the source is read once, the target is written in many steps.
///
/// `ahead` is the mask of [the causal page](09_heads_and_masks.cpp), minus infinity above the
/// diagonal. Padding has the id 0.
///
/// ```python
/// PAD, START, END = 0, 1, 2
///
/// def sines(n, d):
///     i = torch.arange(0, d, 2, dtype=torch.float64)
///     speeds = torch.exp(i * (-math.log(10000.0) / d))
///     angle = torch.arange(n).double().unsqueeze(1) * speeds
///     waves = torch.stack([angle.sin(), angle.cos()], dim=-1)
///     return waves.flatten(-2)
///
/// def ahead(n):
///     return torch.full((n, n), -math.inf).triu(1)
///
/// class Translator(nn.Module):
///     def __init__(self, size):
///         super().__init__()
///         self.embedding = nn.Embedding(size, 32)
///         self.encoder = nn.TransformerEncoderLayer(
///             32, 4, dim_feedforward=128, dropout=0.0)
///         self.decoder = DecoderLayer(32, 4, 128)
///         self.head = nn.Linear(32, size)
///
///     def embed(self, ids):  # [batch, n] -> [n, batch, 32]
///         x = self.embedding(ids)
///         return (x + sines(ids.shape[1], 32).to(x)).transpose(0, 1)
///
///     def encode(self, src):
///         return self.encoder(self.embed(src),
///                             src_key_padding_mask=src == PAD)
///
///     def decode(self, tgt, memory, src, causal=True):
///         x = self.embed(tgt)
///         mask = ahead(len(x)).to(x) if causal else None
///         y = self.decoder(x, memory, mask, src == PAD)
///         return self.head(y).transpose(0, 1)  # [batch, n, size]
/// ```
constexpr int64_t kPad = 0, kStart = 1, kEnd = 2;

Tensor sines(int64_t n, int64_t d) {
  const Tensor i = etude::arange(0, d, 2, etude::kDouble);
  const Tensor speeds = etude::exp(i * (-std::log(10000.0) / static_cast<double>(d)));
  const Tensor angle = etude::arange(n).to(etude::kDouble).unsqueeze(1) * speeds;
  return etude::stack({angle.sin(), angle.cos()}, -1).flatten(-2);
}

Tensor ahead(int64_t n) {
  return etude::full({n, n}, -std::numeric_limits<double>::infinity()).triu(1);
}

class TranslatorImpl : public nn::Module {
 public:
  explicit TranslatorImpl(int64_t size)
      : embedding(register_module("embedding", nn::Embedding(size, 32))),
        encoder(register_module(
            "encoder",
            nn::TransformerEncoderLayer(
                nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(128).dropout(0.0)))),
        decoder(register_module("decoder", DecoderLayer(32, 4, 128))),
        head(register_module("head", nn::Linear(32, size))) {}

  Tensor embed(const Tensor& ids) {  // [batch, n] -> [n, batch, 32]
    const Tensor x = embedding(ids);
    return (x + sines(ids.size(1), 32).to(x.scalar_type())).transpose(0, 1);
  }

  Tensor encode(const Tensor& src) { return encoder(embed(src), Tensor(), src == kPad); }

  Tensor decode(const Tensor& tgt, const Tensor& memory, const Tensor& src, bool causal = true) {
    const Tensor x = embed(tgt);
    const Tensor mask = causal ? ahead(x.size(0)).to(x.scalar_type()) : Tensor();
    return head(decoder(x, memory, mask, src == kPad)).transpose(0, 1);  // [batch, n, size]
  }

  nn::Embedding embedding;
  nn::TransformerEncoderLayer encoder;
  DecoderLayer decoder;
  nn::Linear head;
};
ETUDE_MODULE(Translator);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "17_encoder_decoder");
  cell("decoder_layer", "A decoder layer by hand");
  cell("translator", "The whole model");

  etude::set_num_threads(1);  // the tensors are too small to be worth sharing out

  //%% two_texts | Two sentences
  cell("two_texts", "Two sentences");
  /// *The dog saw itself* is *le chien se vit* in French: first the dog, then itself, and what
  /// it did last. The source is that of [the attention page](08_attention.cpp), with its four
  /// numbers for article, thing, action and pointer.
  ///
  /// The side of the target holds what the decoder knows before each word: which kind of word was
  /// written last. At first that is nothing but the start, then an article, a thing, a pointer.
  /// In a trained model its own attention has found that out. The queries follow from it: at the
  /// start look for an article, after it for a thing, after that for a pointer, then for an
  /// action.
  ///
  /// ```python
  /// x = torch.tensor([[1.0, 0.0, 0.0, 0.0],   # the
  ///                   [0.0, 1.0, 0.0, 0.0],   # dog
  ///                   [0.0, 0.0, 1.0, 0.0],   # saw
  ///                   [0.0, 0.5, 0.0, 1.0]])  # itself
  /// y = torch.eye(4)  # start, le, chien, se
  /// w_q = 4 * torch.tensor([[1.0, 0.0, 0.0, 0.0],
  ///                         [0.0, 1.0, 0.0, 0.0],
  ///                         [0.0, 0.0, 0.0, 1.0],
  ///                         [0.0, 0.0, 1.0, 0.0]])
  /// print(y @ w_q)
  /// ```
  const Tensor x = etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},    // the
                                  {0.0f, 1.0f, 0.0f, 0.0f},    // dog
                                  {0.0f, 0.0f, 1.0f, 0.0f},    // saw
                                  {0.0f, 0.5f, 0.0f, 1.0f}});  // itself
  const Tensor y = etude::eye(4);                              // start, le, chien, se
  const Tensor w_q = 4 * etude::tensor({{1.0f, 0.0f, 0.0f, 0.0f},
                                        {0.0f, 1.0f, 0.0f, 0.0f},
                                        {0.0f, 0.0f, 0.0f, 1.0f},
                                        {0.0f, 0.0f, 1.0f, 0.0f}});
  print(etude::matmul(y, w_q));

  //%% cross | Questions from one, answers from the other
  cell("cross", "Questions from one, answers from the other");
  /// $$Q = Y W_Q \qquad K = X W_K \qquad V = X W_V \qquad O =
  /// \operatorname{softmax}\Big(\frac{Q K^\top}{\sqrt d}\Big) V$$
  ///
  /// The only difference from attention as we know it is that $Q$ comes from the target $Y$ and
  /// $K$ and $V$ from the source $X$. Keys and values are again the words as they are. The
  /// weights have a row for each word of the target and a column for each word of the source,
  /// and they need not be square: with two words of the target so far they are `[2, 4]`, and
  /// these rows do not change when more words come.
  ///
  /// ```python
  /// def cross(y, x):
  ///     scores = y @ w_q @ x.transpose(-2, -1) / math.sqrt(4)
  ///     return torch.softmax(scores, dim=-1)
  ///
  /// weights = cross(y, x)
  /// print(weights)
  /// print(weights @ x)
  /// print(torch.equal(cross(y[:2], x), weights[:2]))
  /// ```
  const auto scores_of = [&](const Tensor& target, const Tensor& source) {
    return etude::matmul(etude::matmul(target, w_q), source.transpose(-2, -1)) / std::sqrt(4.0);
  };
  const Tensor weights = etude::softmax(scores_of(y, x), -1);
  print(weights);
  print(etude::matmul(weights, x));
  print(
      etude::equal(etude::softmax(scores_of(y.slice(0, 0, 2), x), -1), weights.slice(0, 0, 2)));

  //%% cross_plot | Two orders
  cell("cross_plot", "Two orders");
  /// Before *le* the model looks at *the*, before *chien* at *dog*. Then the lines cross: *se*
  /// is found at the end of the source, and *vit* before it. Such pictures were first drawn for
  /// the model in which attention was invented, three years before the transformer [2].
  ///
  /// ![Weights of cross-attention, four rows of the target, four columns of the source: the, dog,
  /// then itself before saw](cross.svg)
  HeatMap by_hand;
  by_hand.title = "Where the next word is looked for";
  by_hand.description = "le is found at the, chien at dog, se at itself, vit at saw.";
  by_hand.x_label = "source";
  by_hand.y_label = "next word";
  by_hand.rows = by_hand.columns = 4;
  by_hand.row_names = {"le", "chien", "se", "vit"};
  by_hand.column_names = {"the", "dog", "saw", "itself"};
  by_hand.values = values_of(weights);
  by_hand.colours = Colours::sequential;
  by_hand.range = {{0, 1}};
  figure("cross.svg", draw(by_hand));

  //%% padding | Shorter sources are filled up
  cell("padding", "Shorter sources are filled up");
  /// In a batch all sources have the same length, and shorter ones are filled up with *padding*.
  /// Padding has a vector too, here a fifth of everything, and without a mask it gets weight: in
  /// the first matrix *the dog* and two paddings, which get a quarter of each row's weight. With
  /// minus infinity as their score they get nothing. The mask belongs to the source, so encoder
  /// and decoder need the same one: the encoder where the source looks at itself, the decoder
  /// where the target looks at the source.
  ///
  /// A source that is nothing but padding has no word to look at: zero divided by zero.
  ///
  /// ```python
  /// short = x.clone()
  /// short[2:] = 0.2
  /// padding = torch.tensor([False, False, True, True])
  /// print(cross(y, short)[:2])
  /// scores = y @ w_q @ short.T / math.sqrt(4)
  /// hidden = scores.masked_fill(padding, -math.inf)
  /// print(torch.softmax(hidden, dim=-1)[:2])
  /// nothing = scores.masked_fill(padding.any(), -math.inf)
  /// print(torch.softmax(nothing, dim=-1)[0])
  /// ```
  const double minus_infinity = -std::numeric_limits<double>::infinity();
  Tensor filled_up = x.clone();
  filled_up.slice(0, 2).fill_(0.2);
  const Tensor padding = etude::tensor({0, 0, 1, 1}) == 1;
  const Tensor scores = scores_of(y, filled_up);
  print(etude::softmax(scores, -1).slice(0, 0, 2));
  print(etude::softmax(scores.masked_fill(padding, minus_infinity), -1).slice(0, 0, 2));
  print(etude::softmax(scores.masked_fill(padding.any(), minus_infinity), -1)[0]);

  //%% same | The same as the library's layer
  cell("same", "The same as the library's layer");
  /// Our layer and `TransformerDecoderLayer` have the same names. With the weights of the one
  /// copied into the other they give the same output, with both masks: for a target of 3 words
  /// and a source of 5, of which the last one is padding in the second of two sentences.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// layer = DecoderLayer(8, 2, 16)
  /// library = nn.TransformerDecoderLayer(
  ///     8, 2, dim_feedforward=16, dropout=0.0)
  /// with torch.no_grad():
  ///     given = dict(layer.named_parameters())
  ///     for name, p in library.named_parameters():
  ///         p.copy_(given[name])
  /// tgt, memory = torch.randn(3, 2, 8), torch.randn(5, 2, 8)
  /// last = torch.zeros(2, 5, dtype=torch.bool)
  /// last[1, 4] = True
  /// ours = layer(tgt, memory, ahead(3), last)
  /// print(ours[:, 1].detach())
  /// theirs = library(tgt, memory, tgt_mask=ahead(3),
  ///                  memory_key_padding_mask=last)
  /// print(torch.allclose(ours, theirs, atol=1e-6))
  /// ```
  etude::manual_seed(0);
  DecoderLayer layer(8, 2, 16);
  nn::TransformerDecoderLayer library(
      nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16).dropout(0.0));
  const auto copy_weights = [](const auto& from, const auto& to) {
    const etude::NoGradGuard no_grad;
    const auto given = from.named_parameters();
    for (const auto& p : to.named_parameters()) Tensor(p.value()).copy_(given[p.key()]);
  };
  copy_weights(*layer, *library);
  const Tensor tgt = etude::randn({3, 2, 8}), memory = etude::randn({5, 2, 8});
  Tensor last = etude::zeros({2, 5}, etude::kBool);
  last[1][4] = true;
  const Tensor ours = layer(tgt, memory, ahead(3), last);
  print(ours.select(1, 1).detach());
  const Tensor theirs =
      library(tgt, memory, ahead(3), Tensor(), Tensor(), /*memory_key_padding_mask=*/last);
  print(etude::allclose(ours, theirs, 1e-5, 1e-6));

  //%% causal | No look at the future
  cell("causal", "No look at the future");
  /// The target's own attention hides the future: each word sees itself and those before. So
  /// when the last word of a target is replaced, nothing changes at the words before it. The
  /// source is different: it is there as a whole, and its fourth word, the last that is real in
  /// both sentences, changes everything.
  ///
  /// ```python
  /// def changed(a, b):
  ///     return ((a - b).abs().amax(dim=(1, 2)) > 1e-6).tolist()
  ///
  /// other_tgt, other_memory = tgt.clone(), memory.clone()
  /// other_tgt[-1] += 1
  /// other_memory[-2] += 1
  /// print(changed(layer(other_tgt, memory, ahead(3), last), ours))
  /// print(changed(layer(tgt, other_memory, ahead(3), last), ours))
  /// ```
  const auto changed = [](const Tensor& a, const Tensor& b) {
    return etude::tolist((a - b).abs().amax({1, 2}) > 1e-6);
  };
  Tensor other_tgt = tgt.clone(), other_memory = memory.clone();
  other_tgt[-1] += 1;
  other_memory[-2] += 1;
  print(changed(layer(other_tgt, memory, ahead(3), last), ours));
  print(changed(layer(tgt, other_memory, ahead(3), last), ours));

  //%% transformer | The library's transformer
  cell("transformer", "The library's transformer");
  /// `nn::Transformer` is a stack of encoder layers and a norm, and a stack of decoder layers and
  /// a norm. It has no embedding. By hand, the encoder runs once, and the memory goes into every
  /// layer of the decoder. All of them see the same memory, that of the last encoder layer.
  ///
  /// The two layers of a stack begin with equal biases and norms, so all weights are drawn anew:
  /// otherwise a layer in the wrong place might go unnoticed.
  ///
  /// ```python
  /// both = nn.Transformer(8, 2, 2, 2, dim_feedforward=16, dropout=0.0)
  /// torch.manual_seed(0)
  /// for p in both.parameters():
  ///     nn.init.normal_(p, 0, 0.5)
  /// src = torch.randn(5, 2, 8)
  /// print(both(src, tgt, tgt_mask=ahead(3))[0, 0].detach())
  ///
  /// read = src
  /// for one in both.encoder.layers:
  ///     read = one(read)
  /// read = both.encoder.norm(read)
  /// written = tgt
  /// for one in both.decoder.layers:
  ///     ours = DecoderLayer(8, 2, 16)
  ///     ours.load_state_dict(one.state_dict())
  ///     written = ours(written, read, ahead(3))
  /// written = both.decoder.norm(written)
  /// print(torch.allclose(written, both(src, tgt, tgt_mask=ahead(3)),
  ///                      atol=1e-6))
  /// ```
  nn::Transformer both(nn::TransformerOptions(8, 2, 2, 2).dim_feedforward(16).dropout(0.0));
  etude::manual_seed(0);
  for (const Tensor& p : both->parameters()) nn::init::normal_(p, 0, 0.5);
  const Tensor src = etude::randn({5, 2, 8});
  const Tensor whole = both(src, tgt, Tensor(), ahead(3));
  print(whole[0][0].detach());

  auto& encoder = both->encoder.get<nn::TransformerEncoderImpl>();
  auto& decoder = both->decoder.get<nn::TransformerDecoderImpl>();
  Tensor read = src, written = tgt;
  for (size_t i = 0; i < 2; ++i)
    read = encoder.layers->at<nn::TransformerEncoderLayerImpl>(i).forward(read);
  read = encoder.norm.forward(read);
  for (size_t i = 0; i < 2; ++i) {
    DecoderLayer one(8, 2, 16);
    copy_weights(decoder.layers->at<nn::TransformerDecoderLayerImpl>(i), *one);
    written = one(written, read, ahead(3));
  }
  written = decoder.norm.forward(written);
  print(etude::allclose(written, whole, 1e-5, 1e-6));

  //%% shift | The target, one place to the right
  cell("shift", "The target, one place to the right");
  /// What is the decoder asked in training? The whole target goes in, and at each place it has to
  /// give the word that comes next. So the input is the target moved one place to the right, with
  /// a *start* in front, and the right answer is the target with an *end* behind it. The start
  /// tells the decoder that nothing was written yet; the end lets it say that it is done. Both
  /// are cut from one row.
  ///
  /// ```python
  /// row = ["start", "le", "chien", "se", "vit", "end"]
  /// for given, wanted in zip(row[:-1], row[1:]):
  ///     print(given, "->", wanted)
  /// ```
  const std::vector<std::string> row{"start", "le", "chien", "se", "vit", "end"};
  for (size_t i = 0; i + 1 < row.size(); ++i) print(row[i], "->", row[i + 1]);

  //%% dates | Dates to translate
  cell("dates", "Dates to translate");
  /// Now a language that is learned in seconds: dates. The source is *3 may 2021*, the target
  /// *2021-05-03*. The order is reversed, the month has another name, the day may need a zero,
  /// and the years are copied digit by digit. Each character is a token.
  ///
  /// One pair of day and month in ten is kept aside: all those whose day and month, the month
  /// counted from zero, add up to a multiple of ten. Sources are filled up with padding to the
  /// length of the longest; targets all have ten characters, a start and an end.
  ///
  /// ```python
  /// months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
  /// letters = sorted(set("0123456789- " + "".join(months)))
  /// seen, unseen = [], []
  /// for day in range(1, 29):
  ///     for month in range(12):
  ///         aside = (day + month) % 10 == 0
  ///         (unseen if aside else seen).append((day, month))
  ///
  /// def encode(texts):
  ///     longest = max(len(text) for text in texts)
  ///     rows = [[letters.index(c) + 3 for c in text]
  ///             + [PAD] * (longest - len(text)) for text in texts]
  ///     return torch.tensor(rows)
  ///
  /// def decode(ids):
  ///     text = ""
  ///     for i in ids:
  ///         if i == END:
  ///             break
  ///         text += letters[i - 3] if i > END else ""
  ///     return text
  ///
  /// def draw(days, count):
  ///     which = torch.randint(len(days), (count,))
  ///     years = torch.randint(1950, 2050, (count,))
  ///     sources, targets = [], []
  ///     for i, year in zip(which, years):
  ///         day, month = days[i]
  ///         sources.append(f"{day} {months[month]} {year}")
  ///         targets.append(f"{year}-{month + 1:02}-{day:02}")
  ///     ends = torch.tensor([START, END]).repeat(count, 1)
  ///     tgt = torch.cat([ends[:, :1], encode(targets), ends[:, 1:]], 1)
  ///     return encode(sources), tgt
  ///
  /// print(len(letters) + 3, "tokens,", len(seen), "days,",
  ///       len(unseen), "aside")
  /// torch.manual_seed(0)
  /// src, tgt = draw(seen, 3)
  /// print(src)
  /// for i in range(3):
  ///     print(f"{decode(src[i]):11} -> {decode(tgt[i])}")
  /// ```
  const std::vector<std::string> months{"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  const std::string letters = " -0123456789abcdefgjlmnoprstuvy";
  using Day = std::pair<int64_t, int64_t>;  // and the month, counted from 0
  std::vector<Day> seen, unseen;
  for (int64_t day = 1; day <= 28; ++day) {
    for (int64_t month = 0; month < 12; ++month)
      ((day + month) % 10 == 0 ? unseen : seen).emplace_back(day, month);
  }

  const auto encode = [&](const std::vector<std::string>& texts) {
    size_t longest = 0;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    Tensor ids = etude::full({static_cast<int64_t>(texts.size()), static_cast<int64_t>(longest)},
                             kPad, etude::kLong);
    for (size_t i = 0; i < texts.size(); ++i) {
      for (size_t j = 0; j < texts[i].size(); ++j)
        ids[static_cast<int64_t>(i)][static_cast<int64_t>(j)] =
            static_cast<int64_t>(letters.find(texts[i][j])) + 3;
    }
    return ids;
  };
  const auto decode = [&](const Tensor& ids) {
    std::string text;
    for (int64_t i = 0; i < ids.size(0); ++i) {
      const auto id = ids[i].item<int64_t>();
      if (id == kEnd) break;
      if (id > kEnd) text += letters[static_cast<size_t>(id - 3)];
    }
    return text;
  };
  const auto two_digits = [](int64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  const auto draw_dates = [&](const std::vector<Day>& days, int64_t count) {
    const Tensor which = etude::randint(static_cast<int64_t>(days.size()), {count});
    const Tensor years = etude::randint(1950, 2050, {count});
    std::vector<std::string> sources, targets;
    for (int64_t i = 0; i < count; ++i) {
      const auto [day, month] = days[static_cast<size_t>(which[i].item<int64_t>())];
      const std::string year = std::to_string(years[i].item<int64_t>());
      sources.push_back(std::to_string(day) + " " + months[static_cast<size_t>(month)] + " " +
                        year);
      targets.push_back(year + "-" + two_digits(month + 1) + "-" + two_digits(day));
    }
    const Tensor start = etude::full({count, 1}, kStart, etude::kLong);
    const Tensor end = etude::full({count, 1}, kEnd, etude::kLong);
    return std::make_pair(encode(sources), etude::cat({start, encode(targets), end}, 1));
  };

  const auto print_dates = [&](const Tensor& sources, const Tensor& targets, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const std::string text = decode(sources[i]);
      print(text + std::string(11 - text.size(), ' '), "->", decode(targets[i]));
    }
  };

  print(letters.size() + 3, "tokens,", seen.size(), "days,", unseen.size(), "aside");
  etude::manual_seed(0);
  const auto [some_src, some_tgt] = draw_dates(seen, 3);
  print(some_src);
  print_dates(some_src, some_tgt, 3);

  //%% teacher | Teacher forcing
  cell("teacher", "Teacher forcing");
  /// In training the decoder gets the *right* target up to each place, not what it would have
  /// written itself. This is called teacher forcing. Thanks to the mask all places are computed
  /// in one pass, eleven questions at once. Below they are asked one after the other, each time
  /// with a longer beginning, and the last row of logits is that of the one pass. Everything is
  /// computed in 64 bits here, so that the numbers of two programs do not part while the model
  /// learns.
  ///
  /// The last number is the loss of the new model, a little above $\ln 34 = 3.53$, the loss of a
  /// model that knows nothing.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// model = Translator(len(letters) + 3).double()
  ///
  /// def losses_of(model, src, tgt, causal=True):  # at each place
  ///     logits = model.decode(tgt[:, :-1], model.encode(src), src, causal)
  ///     each = F.cross_entropy(logits.transpose(1, 2), tgt[:, 1:],
  ///                            reduction="none")
  ///     return each.mean(dim=0)
  ///
  /// memory = model.encode(src)
  /// at_once = model.decode(tgt[:, :-1], memory, src)
  /// one_by_one = [model.decode(tgt[:, :n], memory, src)[:, -1]
  ///               for n in range(1, 12)]
  /// print(at_once.shape)
  /// print(torch.allclose(at_once, torch.stack(one_by_one, dim=1)))
  /// print(f"{losses_of(model, src, tgt).mean():.4f}")
  /// ```
  const auto size = static_cast<int64_t>(letters.size()) + 3;
  etude::manual_seed(0);
  Translator model(size);
  model->to(etude::kDouble);
  const auto losses_of = [](Translator& of, const Tensor& source, const Tensor& target,
                            bool causal = true) {  // at each place
    const Tensor logits = of->decode(target.slice(1, 0, -1), of->encode(source), source, causal);
    const Tensor each = F::cross_entropy(logits.transpose(1, 2), target.slice(1, 1),
                                         F::CrossEntropyFuncOptions().reduction(etude::kNone));
    return each.mean(0);
  };

  const Tensor some_memory = model->encode(some_src);
  const Tensor at_once = model->decode(some_tgt.slice(1, 0, -1), some_memory, some_src);
  std::vector<Tensor> one_by_one;
  for (int64_t n = 1; n < 12; ++n)
    one_by_one.push_back(
        model->decode(some_tgt.slice(1, 0, n), some_memory, some_src).select(1, -1));
  print(at_once.sizes());
  print(etude::allclose(at_once, etude::stack(one_by_one, 1)));
  print(etude::format(losses_of(model, some_src, some_tgt).mean().detach(), ".4f"));

  //%% training | Training
  cell("training", "Training");
  /// Training takes 300 steps with 32 new dates each. The learning rate rises over the first
  /// twenty steps and falls to nothing in the end. The output shows the step, the loss, and its
  /// parts: that of the four characters of the year, of the two of the month, of the two of the
  /// day, and of the hyphens and the end.
  ///
  /// ```python
  /// def train(model, steps, causal=True):
  ///     adamw = torch.optim.AdamW(model.parameters(), lr=0.005)
  ///     torch.manual_seed(1)
  ///     losses = []
  ///     for step in range(steps):
  ///         adamw.param_groups[0]["lr"] = 0.005 * min(
  ///             (step + 1) / 20, 1 - step / steps)
  ///         each = losses_of(model, *draw(seen, 32), causal)
  ///         adamw.zero_grad()
  ///         each.mean().backward()
  ///         adamw.step()
  ///         losses.append(each.detach())
  ///     return torch.stack(losses)  # [steps, 11]
  ///
  /// losses = train(model, 300)
  /// parts = [[0, 1, 2, 3], [5, 6], [8, 9], [4, 7, 10]]
  /// for step in (0, 24, 49, 74, 99, 149, 299):
  ///     each = [losses[step].mean()]
  ///     each += [losses[step, places].mean() for places in parts]
  ///     print(f"{step + 1:3}:", " ".join(f"{v:.3f}" for v in each))
  /// ```
  const auto train = [&](Translator& of, int steps, bool causal = true) {
    etude::optim::AdamW adamw(of->parameters(), etude::optim::AdamWOptions(0.005));
    etude::manual_seed(1);
    std::vector<Tensor> found;
    for (int step = 0; step < steps; ++step) {
      adamw.param_groups()[0].options().set_lr(
          0.005 * std::min((step + 1) / 20.0, 1 - static_cast<double>(step) / steps));
      const auto [source, target] = draw_dates(seen, 32);
      const Tensor each = losses_of(of, source, target, causal);
      adamw.zero_grad();
      each.mean().backward();
      adamw.step();
      found.push_back(each.detach());
    }
    return etude::stack(found);  // [steps, 11]
  };

  const Tensor losses = train(model, 300);
  const std::vector<Tensor> parts{etude::tensor({0, 1, 2, 3}), etude::tensor({5, 6}),
                                  etude::tensor({8, 9}), etude::tensor({4, 7, 10})};
  for (const int64_t step : {0, 24, 49, 74, 99, 149, 299}) {
    std::string each = etude::format(losses[step].mean(), ".3f");
    for (const Tensor& places : parts)
      each += " " + etude::format(losses[step].index({places}).mean(), ".3f");
    print(etude::format(etude::tensor(step + 1), "3") + ":", each);
  }

  //%% curve | What is learned first
  cell("curve", "What is learned first");
  /// Here are the parts as curves. Hyphens and the end always stand in the same place; the
  /// decoder knows them without a look at the source. The year, the month and the day have to be
  /// found there, and they need the cross-attention.
  ///
  /// ![Loss of four parts over the first 150 steps: hyphens and end fall first, the other three
  /// follow within a hundred steps](curve.svg)
  LinePlot plot;
  plot.title = "Loss of the parts of a date";
  plot.description =
      "Hyphens and the end fall first, month, day and year within a hundred steps.";
  plot.x_label = "step";
  plot.y_label = "cross entropy in nats";
  for (int64_t step = 0; step < 150; ++step) plot.x.push_back(static_cast<double>(step));
  const std::vector<std::string> part_names{"year", "month", "day", "hyphens and end"};
  for (size_t i = 0; i < parts.size(); ++i)
    plot.series.push_back(
        {part_names[i], values_of(losses.slice(0, 0, 150).index({Slice(), parts[i]}).mean(1))});
  figure("curve.svg", draw(plot));

  //%% greedy | Writing
  cell("greedy", "Writing");
  /// Now nobody knows the target. The source is encoded *once*. Then the decoder begins with the
  /// start alone, and the most probable character is added to what it has written, until the end
  /// comes: eleven passes. It has to live with whatever it writes: a wrong character is read as
  /// if it were right, and teacher forcing has never shown it such a text.
  ///
  /// The output shows five dates on days that it has not seen, and how many of a hundred such
  /// dates are right.
  ///
  /// ```python
  /// @torch.no_grad()
  /// def translate(model, src):
  ///     memory = model.encode(src)
  ///     tgt = torch.full((len(src), 1), START)
  ///     for _ in range(11):
  ///         logits = model.decode(tgt, memory, src)[:, -1]
  ///         tgt = torch.cat([tgt, logits.argmax(-1, keepdim=True)], 1)
  ///     return tgt
  ///
  /// torch.manual_seed(2)
  /// new_src, new_tgt = draw(unseen, 100)
  /// made = translate(model, new_src)
  /// for i in range(5):
  ///     print(f"{decode(new_src[i]):11} -> {decode(made[i])}")
  /// print((made == new_tgt).all(dim=1).sum().item(), "of 100")
  /// ```
  const auto translate = [](Translator& of, const Tensor& source) {
    const etude::NoGradGuard no_grad;
    const Tensor known = of->encode(source);
    Tensor made = etude::full({source.size(0), 1}, kStart, etude::kLong);
    for (int i = 0; i < 11; ++i) {
      const Tensor logits = of->decode(made, known, source).select(1, -1);
      made = etude::cat({made, logits.argmax(-1, true)}, 1);
    }
    return made;
  };

  etude::manual_seed(2);
  const auto [new_src, new_tgt] = draw_dates(unseen, 100);
  const Tensor made = translate(model, new_src);
  print_dates(new_src, made, 5);
  print((made == new_tgt).all(1).sum().item<int64_t>(), "of 100");

  //%% map | Where it looks
  cell("map", "Where it looks");
  /// The picture shows the weights of the cross-attention while *3 may 2021* is translated, the
  /// mean of the four heads. A row is the character that is written next, a column a character of
  /// the source. Nobody has told the model where a year stands. It has learned to look at the end
  /// of the source first, then at the letters of the month, and at the beginning last.
  ///
  /// One row is worth a second look. The day gets a zero in front, and for this zero the model
  /// looks at the blank behind the *3*: the blank says that there is one digit and no second.
  ///
  /// The output shows where each character of the target looks most.
  ///
  /// ![Weights of cross-attention while a date is written: the digits of the year look at the end
  /// of the source, the month at its letters, the day at the beginning](map.svg)
  ///
  /// ```python
  /// one = "3 may 2021"
  /// written = translate(model, encode([one]))
  /// model.decode(written[:, :-1], model.encode(encode([one])),
  ///              encode([one]))
  /// looks = model.decoder.weights[0].detach()  # [11, 10]
  /// for i, place in enumerate(looks.argmax(dim=1)):
  ///     print(decode(written[0, i + 1:i + 2]) or "end", "<-",
  ///           one[place].replace(" ", "_"))
  /// ```
  const std::string one = "3 may 2021";
  const Tensor one_src = encode({one}), one_made = translate(model, one_src);
  model->decode(one_made.slice(1, 0, -1), model->encode(one_src), one_src);
  const Tensor looks = model->decoder->weights[0].detach();  // [11, 10]

  HeatMap map;
  map.title = "Where the model looks while it writes";
  map.description =
      "The digits of the year look at the end of the source, the month at its letters, the day "
      "at "
      "the beginning.";
  map.x_label = "is read";
  map.y_label = "is written";
  map.rows = looks.size(0);
  map.columns = looks.size(1);
  for (const char c : one) map.column_names.emplace_back(1, c == ' ' ? '_' : c);
  for (int64_t i = 0; i < map.rows; ++i) {
    const std::string c = decode(one_made[0].slice(0, i + 1, i + 2));
    map.row_names.push_back(c.empty() ? "end" : c);
    const auto place = looks[i].argmax().item<int64_t>();
    print(map.row_names.back(), "<-", map.column_names[static_cast<size_t>(place)]);
  }
  map.values = values_of(looks);
  map.colours = Colours::sequential;
  map.range = {{0, 1}};
  figure("map.svg", draw(map));

  //%% cheating | Without the mask it cheats
  cell("cheating", "Without the mask it cheats");
  /// What if the decoder may see the future in training? The right answer stands one place
  /// further on, and the model copies a part of it from there. The loss falls as it should, and
  /// nothing looks wrong. Then it has to write, there is no future, and most of the dates are
  /// wrong. So never trust a loss alone: let the model do what it was made for.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// cheat = Translator(len(letters) + 3).double()
  /// cheated = train(cheat, 200, causal=False)
  /// print(f"loss: {cheated[-1].mean():.2f}")
  /// wrong = translate(cheat, new_src)
  /// for i in range(5):
  ///     print(f"{decode(new_src[i]):11} -> {decode(wrong[i])}")
  /// print((wrong == new_tgt).all(dim=1).sum().item(), "of 100")
  /// ```
  etude::manual_seed(0);
  Translator cheat(size);
  cheat->to(etude::kDouble);
  const Tensor cheated = train(cheat, 200, /*causal=*/false);
  print("loss:", etude::format(cheated[-1].mean(), ".2f"));
  print_dates(new_src, translate(cheat, new_src), 5);
  print((translate(cheat, new_src) == new_tgt).all(1).sum().item<int64_t>(), "of 100");

  //%% exercise1 | Cut a batch in two
  cell("exercise1", "Cut a batch in two");
  /// `whole_targets` holds two targets with start 1 and end 2, the second filled up with padding 0.
  /// Turn it into what the decoder is given and what it has to answer, both `[2, 4]`.
  {
    const Tensor whole_targets = etude::tensor({{1, 7, 8, 9, 2}, {1, 7, 2, 0, 0}});
    Tensor given, wanted;
    //%% answer
    /// They are the same rows, once without their last token and once without their first. In the
    /// second row the end is given too, and the answer to it is padding, which a loss has to
    /// leave out: four answers of the first row count and two of the second.
    ///
    /// ```python
    /// whole_targets = torch.tensor([[1, 7, 8, 9, 2], [1, 7, 2, 0, 0]])
    /// given, wanted = whole_targets[:, :-1], whole_targets[:, 1:]
    /// print(given)
    /// print(wanted)
    /// print((wanted != PAD).sum(dim=1))
    /// ```
    given = whole_targets.slice(1, 0, -1);
    wanted = whole_targets.slice(1, 1);
    //%% end answer
    expect(given.defined() && wanted.defined(), "both are there");
    expect(given.size(1) == 4 && wanted.size(1) == 4, "both have four places");
    expect(etude::equal(given.slice(1, 1), wanted.slice(1, 0, -1)),
           "what is wanted at a place is given at the next one");
    print(given);
    print(wanted);
    print((wanted != kPad).sum(1));
  }

  //%% exercise2 | How probable is a whole target?
  cell("exercise2", "How probable is a whole target?");
  /// The probability of a text is the product of those of its characters, each after those
  /// before it. Compute its logarithm under our model for the source `one_src`, *3 may 2021*,
  /// and a target `[1, 12]` with start and end. One pass of the decoder is enough. The right
  /// date should be more probable than the one with day and month exchanged.
  {
    const auto with_ends = [&](const std::string& text) {
      const Tensor start = etude::full({1, 1}, kStart, etude::kLong);
      return etude::cat({start, encode({text}), etude::full({1, 1}, kEnd, etude::kLong)}, 1);
    };
    const auto log_probability = [&]([[maybe_unused]] const Tensor& target) {
      const etude::NoGradGuard no_grad;
      Tensor answer;
      //%% answer
      /// It is teacher forcing once more: the right beginnings are given, and from each row of
      /// the log softmax the entry of the character that follows is taken.
      ///
      /// ```python
      /// def log_probability(target):
      ///     src = encode([one])
      ///     logits = model.decode(target[:, :-1], model.encode(src), src)
      ///     logp = torch.log_softmax(logits, dim=-1)
      ///     return logp.gather(-1, target[:, 1:].unsqueeze(-1)).sum()
      ///
      /// for text in ("2021-05-03", "2021-03-05"):
      ///     target = torch.cat([torch.tensor([[START]]), encode([text]),
      ///                         torch.tensor([[END]])], dim=1)
      ///     print(text, f"{log_probability(target):.3f}")
      /// ```
      const Tensor logits =
          model->decode(target.slice(1, 0, -1), model->encode(one_src), one_src);
      const Tensor logp = etude::log_softmax(logits, -1);
      answer = logp.gather(-1, target.slice(1, 1).unsqueeze(-1)).sum();
      //%% end answer
      return answer;
    };

    const Tensor right = log_probability(with_ends("2021-05-03"));
    const Tensor wrong = log_probability(with_ends("2021-03-05"));
    expect(right.defined() && right.dim() == 0, "the logarithm is one number");
    expect((right > wrong).item<bool>(), "the right date is more probable");
    const Tensor mean = losses_of(model, one_src, with_ends("2021-05-03")).mean();
    expect(etude::allclose(right, -11 * mean), "it is minus eleven times the loss");
    print("2021-05-03", etude::format(right, ".3f"));
    print("2021-03-05", etude::format(wrong, ".3f"));
  }

  //%% exercise3 | Put words into its mouth
  cell("exercise3", "Put words into its mouth");
  /// A decoder goes on from whatever it is given. Let it begin with *1999-*, although the source
  /// says *3 may 2021*, and write the other characters and the end by itself: `answer` is
  /// `[1, 12]` in the end. What will the month and the day be?
  {
    const etude::NoGradGuard no_grad;
    const Tensor start = etude::full({1, 1}, kStart, etude::kLong);
    Tensor answer = etude::cat({start, encode({"1999-"})}, 1);  // [1, 6]
    //%% answer
    /// The loop is that of `translate`, begun later, with six passes to go. Month and day are
    /// those of the source: the model looks for them there, and the wrong year does not disturb
    /// it.
    ///
    /// ```python
    /// src = encode([one])
    /// answer = torch.cat([torch.tensor([[START]]), encode(["1999-"])], 1)
    /// for _ in range(6):
    ///     logits = model.decode(answer, model.encode(src), src)[:, -1]
    ///     answer = torch.cat([answer, logits.argmax(-1, keepdim=True)], 1)
    /// print(decode(answer[0]), answer.shape)
    /// ```
    const Tensor known = model->encode(one_src);
    for (int i = 0; i < 6; ++i) {
      const Tensor logits = model->decode(answer, known, one_src).select(1, -1);
      answer = etude::cat({answer, logits.argmax(-1, true)}, 1);
    }
    //%% end answer
    expect(answer.size(1) == 12, "there are twelve tokens, with start and end");
    expect(decode(answer[0]).substr(0, 5) == "1999-", "it begins with what was put in");
    print(decode(answer[0]), answer.sizes());
  }

  //%% summary
  /// 1. An encoder reads the source once; a decoder writes the target token by token.
  /// 2. In cross-attention queries come from the target, keys and values from the source.
  /// 3. Padding of the source is hidden from both, the future of the target from the target.
  /// 4. In training the right target is given, moved by one place, and all places learn at once.
  /// 5. Without the causal mask the loss still looks good, and the model cannot write.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.1 and 3.2.3
  /// 2. D. Bahdanau, K. Cho, Y. Bengio, [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473), 2014, section 5.2.1
  /// 3. I. Sutskever, O. Vinyals, Q. V. Le, [Sequence to Sequence Learning with Neural Networks](https://arxiv.org/abs/1409.3215), 2014, section 2
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
