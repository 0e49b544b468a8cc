/// # Input embedding: token plus position
///
/// - You will be able to: build the first part of a transformer from three modules; say what a shift of position does to a pair of columns; say which rows of an embedding learn
/// - You need: [the whole table at once](02_vectorised.cpp)
/// - Minutes: 50
/// - Result: sentence
///
/// What goes into the first layer of a transformer is the sum of two vectors: one says which
/// word it is, and one says where it stands.
///
/// ```diagram The input embedding as a stack of modules
/// ids: 3, 0, 2, 1 [1, 4]
/// emb: (token embedding)
/// tok: token vectors [1, 4, 4] | pe: positions [1, 4, 4]
/// add: (add)
/// z: input of layer one [1, 4, 4]
/// ids -> emb -> tok -> add -> z
/// pe -> add
/// ```
///
/// In the formula of the paper [1], $x_i$ is the vector of the word at place $i$ and $p_i$ the
/// encoding of the place:
///
/// $$z_i = x_i + p_i$$
///
/// The public notebook [2] that is redone here builds this sum as a small stack of modules and
/// explains why sines and cosines are a good choice for the positions. First comes its stack,
/// with the sentence of the course. Then its explanations are turned into numbers: many speeds
/// are many scales, a shift is a rotation, and the dot product of two encodings depends on
/// nothing but their distance.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% In07 | What is needed
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// ```
#include <etude/etude.h>

#include <cmath>
#include <string>
#include <vector>

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% In08 | Token and position
/// `TokenEmbedding` wraps a learned table with a row per token of the vocabulary. It does little,
/// but it gives the weight its place in the model's state: `embedding.weight`.
///
/// ```python
/// class TokenEmbedding(nn.Module):
///     def __init__(self, vocab_size, d_model):
///         super().__init__()
///         self.embedding = nn.Embedding(vocab_size, d_model)
///
///     def forward(self, x):
///         return self.embedding(x)
/// ```
class TokenEmbeddingImpl : public nn::Module {
 public:
  TokenEmbeddingImpl(int64_t vocab_size, int64_t d_model)
      : embedding(register_module("embedding", nn::Embedding(vocab_size, d_model))) {}

  // [batch, sequence] -> [batch, sequence, d_model]
  Tensor forward(const Tensor& x) { return embedding(x); }

  nn::Embedding embedding;
};
ETUDE_MODULE(TokenEmbedding);

/// `PositionalEncoding` is the layer of [the whole table at once](02_vectorised.cpp): batch
/// first, a persistent buffer, no dropout.
///
/// In the notebook a comment calls the columns `0::2` odd and the columns `1::2` even. Counted
/// from zero, as the code counts, it is the other way round: see [odd and even](#odd_and_even).
///
/// ```python
/// class PositionalEncoding(nn.Module):
///     def __init__(self, d_model, max_len=5000):
///         super().__init__()
///         pe = torch.zeros(max_len, d_model)
///         position = torch.arange(0, max_len).unsqueeze(1).float()
///         div_term = torch.exp(torch.arange(0, d_model, 2).float()
///                              * (-math.log(10000.0) / d_model))
///         pe[:, 0::2] = torch.sin(position * div_term)
///         pe[:, 1::2] = torch.cos(position * div_term)
///         self.register_buffer("pe", pe.unsqueeze(0))
///
///     def forward(self, x):
///         return x + self.pe[:, :x.size(1)].to(x.device)
/// ```
class PositionalEncodingImpl : public nn::Module {
 public:
  explicit PositionalEncodingImpl(int64_t d_model, int64_t max_len = 5000) {
    const double width = static_cast<double>(d_model);
    Tensor table = etude::zeros({max_len, d_model});
    const Tensor position = etude::arange(0, max_len).unsqueeze(1).to(etude::kFloat);
    const Tensor two_i = etude::arange(0, d_model, 2).to(etude::kFloat);
    const Tensor div_term = etude::exp(two_i * (-std::log(10000.0) / width));
    table.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * div_term));
    table.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * div_term));
    pe = register_buffer("pe", table.unsqueeze(0));
  }

  Tensor forward(const Tensor& x) {
    return x + pe.index({Slice(), Slice(None, x.size(1))}).to(x.device());
  }

  Tensor pe;  // [1, max_len, d_model]
};
ETUDE_MODULE(PositionalEncoding);

//%% In11 | The stack
/// Two modules inside a third. `register_module` puts each into the tree under a name, and the
/// names joined by dots are those of the state dict.
///
/// ```python
/// class InputEmbedding(nn.Module):
///     def __init__(self, vocab_size, d_model, max_len=5000):
///         super().__init__()
///         self.token_embedding = TokenEmbedding(vocab_size, d_model)
///         self.pos_encoding = PositionalEncoding(d_model, max_len)
///
///     def forward(self, x):
///         x = self.token_embedding(x)
///         x = self.pos_encoding(x)
///         return x
/// ```
class InputEmbeddingImpl : public nn::Module {
 public:
  InputEmbeddingImpl(int64_t vocab_size, int64_t d_model, int64_t max_len = 5000)
      : token_embedding(register_module("token_embedding", TokenEmbedding(vocab_size, d_model))),
        pos_encoding(register_module("pos_encoding", PositionalEncoding(d_model, max_len))) {}

  Tensor forward(const Tensor& ids) {
    const Tensor x = token_embedding(ids);  // [batch, sequence] -> [batch, sequence, d_model]
    return pos_encoding(x);                 // the same shape
  }

  TokenEmbedding token_embedding;
  PositionalEncoding pos_encoding;
};
ETUDE_MODULE(InputEmbedding);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "05_input_embedding");
  cell("In07", "What is needed");
  cell("In08", "Token and position");
  cell("In11", "The stack");

  //%% sentence | The dog saw itself
  cell("sentence", "The dog saw itself");
  /// The sentence of the course in a stack that is small enough to read: an embedding of five
  /// rows, four numbers wide, seeded with 0. The ids 3, 0, 2, 1 go in and four vectors come out,
  /// the same as in [lesson 1](01_loops.cpp#sentence_vectors), where they were made from loops.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// small = InputEmbedding(5, 4, max_len=6)
  /// sentence = torch.tensor([[3, 0, 2, 1]])
  /// print(small(sentence))
  /// ```
  etude::manual_seed(0);
  InputEmbedding small(5, 4, 6);
  const Tensor sentence = etude::tensor({{3, 0, 2, 1}});  // [1, 4]
  print(small(sentence));                                 // [1, 4, 4]

  //%% In09 | The exponents, one step at a time
  cell("In09", "The exponents, one step at a time");
  /// The speeds are $10000^{-2i/d}$, computed by `exp`. The notebook prints how the argument of
  /// `exp` comes about, for a width of 32: the even numbers, then times $-\ln 10000$, then the
  /// same divided by 32. In the notebook a comment calls the last line the paper's encoding
  /// function. It is the logarithm of the paper's speeds. Why they are so many and so different
  /// is the subject of [many scales side by side](#wavelengths).
  ///
  /// The first number of the second line is $0 \cdot (-9.21)$, a zero with a minus sign, and is
  /// printed with it.
  ///
  /// ```python
  /// print(torch.arange(0, 32, 2).float())
  /// print(torch.arange(0, 32, 2).float() * (-math.log(10000.0)))
  /// print(torch.arange(0, 32, 2).float() * (-math.log(10000.0) / 32))
  /// ```
  print(etude::arange(0, 32, 2).to(etude::kFloat));
  print(etude::arange(0, 32, 2).to(etude::kFloat) * (-std::log(10000.0)));
  print(etude::arange(0, 32, 2).to(etude::kFloat) * (-std::log(10000.0) / 32));

  //%% In10 | What a slice keeps
  cell("In10", "What a slice keeps");
  /// Dimensions that are not mentioned at the end of an index are kept whole, so `[:, :3]` and
  /// `[:, :3, :]` are the same: the first three positions. `[:, :, :3]` is all positions and the
  /// first three numbers of each. The layer's `forward` wants the former.
  ///
  /// ```python
  /// pe_test = torch.zeros((1, 5000, 512))
  /// print(pe_test[:, :3].shape)
  /// print(pe_test[:, :3, :].shape)
  /// print(pe_test[:, :, :3].shape)
  /// del pe_test
  /// ```
  Tensor pe_test = etude::zeros({1, 5000, 512});
  print(pe_test.index({Slice(), Slice(None, 3)}).sizes());
  print(pe_test.index({Slice(), Slice(None, 3), Slice()}).sizes());
  print(pe_test.index({Slice(), Slice(), Slice(None, 3)}).sizes());
  pe_test.reset();

  //%% In12 | Ids in, vectors out
  cell("In12", "Ids in, vectors out");
  /// The notebook's own test: two sequences of ten random ids become two sequences of ten vectors.
  /// It sets no seed, and the shapes do not need one.
  ///
  /// ```python
  /// vocab_size = 1000
  /// d_model = 512
  /// seq_len = 10
  /// batch_size = 2
  /// input_ids = torch.randint(0, vocab_size, (batch_size, seq_len))
  /// embedder = InputEmbedding(vocab_size, d_model, max_len=seq_len)
  /// out = embedder(input_ids)
  /// print("Input IDs shape:", input_ids.shape)
  /// print("Output embedding shape:", out.shape)
  /// ```
  const int64_t vocab_size = parameter("vocab_size", 1000, 1, 10000);
  const int64_t d_model = parameter("d_model", 512, 2, 1024, 2);
  const int64_t seq_len = parameter("seq_len", 10, 1, 100);
  const int64_t batch_size = parameter("batch_size", 2, 1, 16);
  const Tensor input_ids = etude::randint(0, vocab_size, {batch_size, seq_len});  // [2, 10]
  InputEmbedding embedder(vocab_size, d_model, seq_len);
  const Tensor out = embedder(input_ids);  // [2, 10, 512]
  print("Input IDs shape:", input_ids.sizes());
  print("Output embedding shape:", out.sizes());

  //%% tree | The tree of modules
  cell("tree", "The tree of modules");
  /// A module prints as the tree that it is. The names in parentheses, joined by dots, are the
  /// names of the state.
  ///
  /// ```python
  /// print(embedder)
  /// print(list(embedder.state_dict()))
  /// ```
  print(embedder);
  print(python_list(embedder->state_dict().keys()));

  //%% sum | The same token in two places
  cell("sum", "The same token in two places");
  /// Token 1 at the positions 0 and 2, token 2 between. The first and the last row come from the
  /// same row of the embedding and are different. The library's `InputEmbedding` draws its weight
  /// from the same seed in the same way, so it has to return the same; the last line of the code
  /// states that.
  ///
  /// The second print takes the tokens away again and leaves the table. Where that has 0.9999,
  /// it says 1.0000: beside the larger number in the sum, 32 bits have no room for the last digits
  /// of the smaller one.
  ///
  /// ```python
  /// ids = torch.tensor([[1, 2, 1]])
  /// print(small(ids))
  /// print(small(ids) - small.token_embedding(ids))
  /// ```
  const Tensor ids = etude::tensor({{1, 2, 1}});  // [1, 3]
  print(small(ids));
  print(small(ids) - small->token_embedding(ids));

  etude::manual_seed(0);
  nn::InputEmbedding library(nn::InputEmbeddingOptions(5, 4, nn::kBatchFirst).max_len(6));
  expect_equal(small(ids), library(ids));

  //%% same_names | The same names in the library
  cell("same_names", "The same names in the library");
  /// The state of the notebook's stack loads into the library's strictly: every name and every
  /// size matches, none is left over.
  ///
  /// ```python
  /// print(list(small.state_dict()))
  /// print(small.load_state_dict(small.state_dict()))
  /// ```
  print(python_list(library->state_dict().keys()));
  print(library->load_state_dict(small->state_dict()));

  //%% gradient | What learns and what does not
  cell("gradient", "What learns and what does not");
  /// The gradient says how a number of the embedding moves a result. For the sum of all outputs it
  /// counts how often a row was used: row 1 twice, row 2 once, the others never. Rows that a text
  /// does not use learn nothing from it. The table of positions is not among the parameters, and
  /// no gradient goes into it. [Lesson 7](07_autograd.cpp) says where gradients come from.
  ///
  /// ```python
  /// small(ids).sum().backward()
  /// print(small.token_embedding.embedding.weight.grad)
  /// print([name for name, _ in small.named_parameters()])
  /// ```
  small(ids).sum().backward();
  print(small->token_embedding->embedding->weight.grad());
  print(python_list(small->named_parameters().keys()));

  //%% scaled | What the paper does besides
  cell("scaled", "What the paper does besides");
  /// Section 3.4 of the paper [1] multiplies the token's vector by $\sqrt{d_{model}}$ before the
  /// sum. The paper gives no reason; one is that the positions then do not drown it. The
  /// notebook leaves this out. PyTorch's embedding begins with numbers as large as those of the
  /// positions, so one can do without. In the library it is the option `scale`.
  ///
  /// ```python
  /// print(small.token_embedding(ids) * math.sqrt(4)
  ///       + small.pos_encoding.pe[:, :3])
  /// ```
  etude::manual_seed(0);
  nn::InputEmbedding scaled(
      nn::InputEmbeddingOptions(5, 4, nn::kBatchFirst).max_len(6).scale(true));
  print(scaled(ids));

  //%% wavelengths | Many scales side by side
  cell("wavelengths", "Many scales side by side");
  /// Why so many columns? The 512 numbers of the notebook's width are 256 pairs, and 256 speeds.
  /// The fastest pair turns once in $2\pi$ positions. The paper speaks of wavelengths up to
  /// $10000 \cdot 2\pi \approx 62832$; the slowest pair there really is belongs to $2i = 510$,
  /// and needs $2\pi \cdot 10000^{510/512}$ positions for a turn. The last line counts the pairs
  /// of the 256 that complete a turn in less than 512 positions.
  ///
  /// The cells that follow use a table of 100 positions that is 32 wide.
  ///
  /// ```python
  /// table = PositionalEncoding(32, 100).pe[0]
  /// div_term = torch.exp(torch.arange(0, 512, 2).float()
  ///                      * (-math.log(10000.0) / 512))
  /// wavelength = 2 * math.pi / div_term
  /// print(wavelength[0], wavelength[-1].round())
  /// print((wavelength < 512).sum().item())
  /// ```
  const double pi = std::acos(-1.0);
  const Tensor table = PositionalEncoding(32, 100)->pe[0];  // [100, 32]
  expect_equal(table, nn::sinusoidal_table(100, 32));
  const Tensor div_term =
      etude::exp(etude::arange(0, 512, 2).to(etude::kFloat) * (-std::log(10000.0) / 512));
  const Tensor wavelength = 2 * pi / div_term;
  print(wavelength[0], wavelength[-1].round());
  print((wavelength < 512).sum().item<int64_t>());

  //%% near_and_far | Near and far
  cell("near_and_far", "Near and far");
  /// The notebook speaks of positions at several scales. What that means can be measured. Here
  /// is how far a pair moves on its circle when the position moves by 1, by 10 and by 90: a row
  /// for each of these distances, and a column for a fast pair, a middle one and a slow one.
  ///
  /// The fast pair has made a large step after one position. It tells neighbours apart, which is
  /// local. But it comes round again and again: to it, 90 positions are no more than 10. The slow
  /// pair hardly moves between neighbours, and its steps go on growing. It tells the beginning
  /// of a text from its end, which is global. No pair does both. All together do.
  ///
  /// ```python
  /// for distance in (1, 10, 90):
  ///     moved = table[distance] - table[0]
  ///     print(torch.stack([moved[i:i + 2].norm() for i in (0, 10, 20)]))
  /// ```
  for (const int64_t distance : {1, 10, 90}) {
    const Tensor moved = table[distance] - table[0];
    std::vector<Tensor> steps;
    for (const int64_t i : {0, 10, 20}) steps.push_back(moved.index({Slice(i, i + 2)}).norm());
    print(etude::stack(steps));
  }

  //%% rotation | A shift is a rotation
  cell("rotation", "A shift is a rotation");
  /// Take one pair at position $p$ as a point $(\sin p\omega, \cos p\omega)$ on the circle. The
  /// addition formulas say where it is $k$ positions later:
  ///
  /// $$\begin{pmatrix} \sin (p+k)\omega \\ \cos (p+k)\omega \end{pmatrix} =
  /// \begin{pmatrix} \cos k\omega & \sin k\omega \\ -\sin k\omega & \cos k\omega \end{pmatrix}
  /// \begin{pmatrix} \sin p\omega \\ \cos p\omega \end{pmatrix}$$
  ///
  /// The matrix does not contain $p$. One and the same rotation leads from any position to the
  /// one $k$ further on, which a model can learn as a linear map. Here it is for $k = 5$ and the
  /// columns 6 and 7, applied to 95 positions at once.
  ///
  /// ```python
  /// k, omega = 5, 10000 ** (-6 / 32)
  /// turn = torch.tensor([[math.cos(k * omega), math.sin(k * omega)],
  ///                      [-math.sin(k * omega), math.cos(k * omega)]])
  /// print(turn)
  /// here, there = table[:-k, 6:8], table[k:, 6:8]
  /// print(torch.allclose(here @ turn.T, there, atol=1e-5))
  /// ```
  const int64_t k = parameter("shift", 5, 1, 50);
  const double by = static_cast<double>(k) * std::pow(10000.0, -6.0 / 32);
  const Tensor turn =  // [2, 2]
      etude::tensor({{std::cos(by), std::sin(by)}, {-std::sin(by), std::cos(by)}});
  print(turn);
  const Tensor here = table.index({Slice(None, -k), Slice(6, 8)});  // [95, 2]
  const Tensor there = table.index({Slice(k, None), Slice(6, 8)});  // [95, 2]
  print(etude::allclose(etude::matmul(here, turn.t()), there, 1e-5, 1e-5));

  //%% every_pair | All pairs at once
  cell("every_pair", "All pairs at once");
  /// The rotation by $k$ needs $\sin k\omega_i$ and $\cos k\omega_i$ for every pair: that is row
  /// $k$ of the table. So the table contains its own shifts, and the 16 rotations are a few
  /// products of columns.
  ///
  /// ```python
  /// sin_k, cos_k = table[k, 0::2], table[k, 1::2]
  /// sin_p, cos_p = table[:-k, 0::2], table[:-k, 1::2]
  /// sin_pk = sin_p * cos_k + cos_p * sin_k
  /// cos_pk = cos_p * cos_k - sin_p * sin_k
  /// print(torch.allclose(sin_pk, table[k:, 0::2], atol=1e-5))
  /// print(torch.allclose(cos_pk, table[k:, 1::2], atol=1e-5))
  /// ```
  const Slice even(0, None, 2), odd(1, None, 2);
  const Tensor sin_k = table.index({k, even}), cos_k = table.index({k, odd});
  const Tensor sin_p = table.index({Slice(None, -k), even});
  const Tensor cos_p = table.index({Slice(None, -k), odd});
  const Tensor sin_pk = sin_p * cos_k + cos_p * sin_k;
  const Tensor cos_pk = cos_p * cos_k - sin_p * sin_k;
  print(etude::allclose(sin_pk, table.index({Slice(k, None), even}), 1e-5, 1e-5));
  print(etude::allclose(cos_pk, table.index({Slice(k, None), odd}), 1e-5, 1e-5));

  //%% distance | The dot product depends on the distance alone
  cell("distance", "The dot product depends on the distance alone");
  /// From $\cos a \cos b + \sin a \sin b = \cos(a - b)$ follows, summed over the pairs,
  ///
  /// $$PE_p \cdot PE_q = \sum_{i=0}^{d/2-1} \cos\big((p - q)\,\omega_i\big)$$
  ///
  /// The positions themselves have dropped out. Each of the first three lines starts from
  /// another position, 0, 10 and 50, and takes the dot product with itself and its next five
  /// neighbours: the same six numbers. The first is $d/2 = 16$, the squared length of every
  /// encoding. The last line confirms the formula for the whole matrix of 100 by 100 positions.
  ///
  /// ```python
  /// moments = torch.arange(100.0)
  /// speeds = torch.exp(torch.arange(0, 32, 2).float()
  ///                    * (-math.log(10000.0) / 32))
  /// for p in (0, 10, 50):
  ///     print(torch.round((table[p:p + 6] @ table[p]) * 100) / 100)
  /// apart = moments.unsqueeze(1) - moments
  /// formula = torch.cos(apart.unsqueeze(2) * speeds).sum(2)
  /// print(torch.allclose(table @ table.T, formula, atol=1e-4))
  /// ```
  const Tensor moments = etude::arange(100, etude::kFloat);
  const Tensor speeds =
      etude::exp(etude::arange(0, 32, 2).to(etude::kFloat) * (-std::log(10000.0) / 32));
  for (const int64_t p : {0, 10, 50}) {
    const Tensor neighbours = table.index({Slice(p, p + 6)});
    print(etude::round(etude::matmul(neighbours, table[p]) * 100) / 100);
  }
  const Tensor apart = moments.unsqueeze(1) - moments;                    // [100, 100]
  const Tensor similarity = etude::matmul(table, table.t());              // [100, 100]
  const Tensor formula = etude::cos(apart.unsqueeze(2) * speeds).sum(2);  // [100, 100]
  print(etude::allclose(similarity, formula, 1e-5, 1e-4));

  //%% distance_plot | The distance as a picture
  cell("distance_plot", "The distance as a picture");
  /// The dot products of position 50 and of position 20 with all others, over the distance.
  /// Where both curves exist they lie on each other: the distance determines the dot product.
  ///
  /// The dot product does not determine the distance. The curves are symmetric, so it does not
  /// say on which side a token is. And they fall in waves, so it does not say how far away it is
  /// either. The output lists all distances below 50 whose dot product is within 0.2 of 9.9, eight
  /// of them, from 9 to 44, and then these dot products. Roughly, a large dot product means a small
  /// distance: here every dot product above 12.5 is at most 2 positions away.
  ///
  /// A model is not bound to this one number. It can weigh the pairs, and each pair has a cosine
  /// of its own; all sixteen together determine the distance.
  ///
  /// ![Dot products of encodings over the distance: two curves that coincide, highest at
  /// zero](distance.svg)
  ///
  /// And the whole matrix: what depends on the distance only is constant along every diagonal.
  ///
  /// ![Dot products of all pairs of 100 positions; every diagonal has one
  /// colour](similarity.svg)
  ///
  /// ```python
  /// from_0 = (table @ table.T)[0, :50]
  /// alike = ((from_0 - 9.9).abs() < 0.2).nonzero().squeeze(1)
  /// print(alike)
  /// print(torch.round(from_0[alike] * 100) / 100)
  /// print((from_0 > 12.5).nonzero().squeeze(1))
  /// ```
  const Tensor from_0 = similarity[0].index({Slice(None, 50)});
  const Tensor alike = ((from_0 - 9.9).abs() < 0.2).nonzero().squeeze(1);
  print(alike);
  print(etude::round(from_0.index({alike}) * 100) / 100);
  print((from_0 > 12.5).nonzero().squeeze(1));

  LinePlot plot;
  plot.title = "Dot product with the encoding of another position";
  plot.description =
      "Width 32. The curves from positions 50 and 20 coincide; at distance 0 both are 16.";
  plot.x_label = "distance";
  plot.y_label = "dot product";
  plot.series = {{"from position 50", {}}, {"from position 20", {}}};
  const std::vector<double> values = values_of(similarity);
  for (int distance = -50; distance < 50; ++distance) {
    plot.x.push_back(distance);
    for (size_t s = 0; s < 2; ++s) {
      const int from = s == 0 ? 50 : 20, to = from + distance;
      plot.series[s].y.push_back(to < 0 ? std::nan("")
                                        : values[static_cast<size_t>(from * 100 + to)]);
    }
  }
  figure("distance.svg", draw(plot));

  HeatMap map;
  map.title = "Dot products of encodings";
  map.description =
      "100 by 100 positions, width 32: a bright diagonal, and bands parallel to it.";
  map.x_label = "position";
  map.y_label = "position";
  map.rows = map.columns = 100;
  map.values = values;
  map.colours = Colours::sequential;
  figure("similarity.svg", draw(map));

  //%% absolute_and_relative | Where, and how far apart
  cell("absolute_and_relative", "Where, and how far apart");
  /// The paper gives this reason for its encoding ([1], section 3.5): "Since our model contains
  /// no recurrence and no convolution, in order for the model to make use of the order of the
  /// sequence, we must inject some information about the relative or absolute position of the
  /// tokens in the sequence."
  ///
  /// The notebook [2] quotes the end of this sentence. It says that the sines give both, and reads
  /// the two words as [local and global](#near_and_far). That is another question. This is what the
  /// two words say as they stand.
  ///
  /// Absolute: every place has a vector that no other place has. The distance of the nearest two
  /// of the 100 rows is printed first. It is 1.17, and the length of a row is 4, so no two are
  /// near. Relative: the distance between two rows depends only on how far apart they stand,
  /// since
  ///
  /// $$\begin{aligned} |PE_p - PE_q|^2 &= |PE_p|^2 + |PE_q|^2 - 2\, PE_p \cdot PE_q
  /// \\ &= d - 2\, PE_p \cdot PE_q. \end{aligned}$$
  ///
  /// The second line confirms it for all pairs of positions. A vector that is learned for each
  /// place has the first property and need not have the second.
  ///
  /// ```python
  /// distances = (table.unsqueeze(1) - table).norm(dim=2)
  /// print(distances[~torch.eye(100, dtype=torch.bool)].min())
  /// print(torch.allclose(distances ** 2, 32 - 2 * formula, atol=1e-4))
  /// ```
  const Tensor distances = (table.unsqueeze(1) - table).norm(2, 2);  // [100, 100]
  print(distances.index({etude::eye(100, etude::kBool).logical_not()}).min());
  print(etude::allclose(distances.pow(2), 32 - 2 * formula, 1e-5, 1e-4));

  //%% too_long | What breaks: a sequence longer than the table
  cell("too_long", "What breaks: a sequence longer than the table");
  /// The small stack has a table of six positions, so seven ids fail: not at the door, but in the
  /// sum, two modules deep, with a message that names neither ids nor positions.
  ///
  /// ```python
  /// try:
  ///     small(torch.tensor([[0, 1, 2, 3, 4, 3, 2]]))
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  try {
    small(etude::tensor({{0, 1, 2, 3, 4, 3, 2}}));
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% unknown_id | What breaks: a word without a row
  cell("unknown_id", "What breaks: a word without a row");
  /// The embedding has the rows 0 to 4. A negative id is no row either: where an index counts
  /// from the end, an id does not. And an id has to be an integer.
  ///
  /// ```python
  /// for wrong in (torch.tensor([[3, 0, 2, 5]]), torch.tensor([[3, 0, 2, -1]]),
  ///               torch.tensor([[3.0, 0.0, 2.0, 1.0]])):
  ///     try:
  ///         small(wrong)
  ///     except (IndexError, RuntimeError) as error:
  ///         print(str(error).split(";")[0])
  /// ```
  for (const Tensor& wrong : {etude::tensor({{3, 0, 2, 5}}), etude::tensor({{3, 0, 2, -1}}),
                              sentence.to(etude::kFloat)}) {
    try {
      small(wrong);
    } catch (const etude::Error& error) {
      const std::string message = first_line(error.what());
      print(message.substr(0, message.find(';')));
    }
  }

  //%% orthogonal | Aside: sine and cosine are orthogonal
  cell("orthogonal", "Aside: sine and cosine are orthogonal");
  /// The notebook begins its explanation here. Functions have an inner product too, an integral in
  /// place of the sum:
  ///
  /// $$\langle f, g \rangle = \int_0^{2\pi} f(x)\, g(x)\, dx$$
  ///
  /// For sine and cosine it is zero, because $\sin x \cos x = \tfrac12 \sin 2x$ runs through
  /// whole periods. The same holds between waves of different whole speeds, and each wave with
  /// itself gives $\pi$. Here are the four functions $\sin x$, $\cos x$, $\sin 2x$, $\cos 2x$ at
  /// a thousand points, and all sixteen inner products at once as one matrix product, in units
  /// of $\pi$.
  ///
  /// ```python
  /// step = 2 * math.pi / 1000
  /// x = torch.arange(1000, dtype=torch.float64) * step
  /// waves = torch.stack(
  ///     [x.sin(), x.cos(), (2 * x).sin(), (2 * x).cos()])
  /// products = waves @ waves.T * step / math.pi
  /// print(products.round().abs())
  /// identity = torch.eye(4, dtype=torch.float64)
  /// print(torch.allclose(products, identity, atol=1e-12))
  /// ```
  const double step = 2 * pi / 1000;
  const Tensor x = etude::arange(1000, etude::kDouble) * step;
  const Tensor waves = etude::stack({x.sin(), x.cos(), (2 * x).sin(), (2 * x).cos()});
  const Tensor products = etude::matmul(waves, waves.t()) * step / pi;
  print(products.round().abs());
  print(etude::allclose(products, etude::eye(4, etude::kDouble), 1e-5, 1e-12));

  //%% not_orthogonal | Aside: over a part of a period they are not
  cell("not_orthogonal", "Aside: over a part of a period they are not");
  /// The notebook concludes that the two carry no redundant information. That needs the whole
  /// period. Over a quarter of it the inner product is $\tfrac12$, and a sentence is far shorter
  /// than a period of the slow pairs. The second line is the cosine of the angle between the two
  /// columns of a pair over 100 positions of a table of width 32, for the fastest pair and for
  /// the slowest: the first two columns are practically orthogonal, the last two are only 30
  /// degrees apart.
  ///
  /// ```python
  /// print((x.sin() * x.cos())[:250].sum() * step)
  /// cosine = lambda a, b: (a * b).sum() / (a.norm() * b.norm())
  /// print(cosine(table[:, 0], table[:, 1]),
  ///       cosine(table[:, 30], table[:, 31]))
  /// ```
  print((x.sin() * x.cos()).index({Slice(None, 250)}).sum() * step);
  const auto cosine = [](const Tensor& a, const Tensor& b) {
    return (a * b).sum() / (a.norm() * b.norm());
  };
  print(cosine(table.select(1, 0), table.select(1, 1)),
        cosine(table.select(1, 30), table.select(1, 31)));

  //%% fourier | Aside: the same as a Fourier transform
  cell("fourier", "Aside: the same as a Fourier transform");
  /// The notebook calls the table a Fourier encoding. The Fourier transform measures how much of
  /// each wave is in a signal. At the speed $\omega$ it is
  ///
  /// $$\hat{s}(\omega) = \sum_t s_t\, e^{-i \omega t} = \sum_t s_t \cos \omega t - i \sum_t s_t
  /// \sin \omega t$$
  ///
  /// Let the signal be a single spike: 1 at position $p$ and 0 everywhere else. Then one term of
  /// each sum remains, $\cos \omega p$ and $\sin \omega p$. These are the two numbers of a pair.
  /// So the encoding of a position is the transform of a spike there, taken at sixteen speeds.
  ///
  /// Below both sums are taken over a spike at position 30, and compared with row 30. The
  /// speeds are not those of a usual Fourier series, which are 1, 2, 3 and so on times the
  /// slowest. Each of these is 1.78 times as slow as the one before, so that a few of them cover
  /// many scales.
  ///
  /// ```python
  /// spike = (moments == 30).float()
  /// angles = moments.unsqueeze(1) * speeds
  /// print(torch.allclose(spike @ angles.cos(), table[30, 1::2], atol=1e-5))
  /// print(torch.allclose(spike @ angles.sin(), table[30, 0::2], atol=1e-5))
  /// print(speeds[0] / speeds[1])
  /// ```
  const Tensor spike = (moments == 30).to(etude::kFloat);
  const Tensor angles = moments.unsqueeze(1) * speeds;
  const auto same = [&](const Tensor& sums, const Slice& columns) {
    return etude::allclose(sums, table.index({30, columns}), 1e-5, 1e-5);
  };
  print(same(etude::matmul(spike, angles.cos()), odd));
  print(same(etude::matmul(spike, angles.sin()), even));
  print(speeds[0] / speeds[1]);

  //%% odd_and_even | Aside: odd and even
  cell("odd_and_even", "Aside: odd and even");
  /// Which columns are which: `0::2` are the even ones, and the sines go there.
  ///
  /// ```python
  /// columns = torch.arange(8)
  /// print(columns[0::2])
  /// print(columns[1::2])
  /// ```
  const Tensor columns = etude::arange(8);
  print(columns.index({even}));
  print(columns.index({odd}));

  //%% views | Aside: a slice is a view
  cell("views", "Aside: a slice is a view");
  /// None of these slices copies numbers. Each is a tensor of its own with the sizes that were
  /// asked for, over the memory of the table: writing a 7 into the first number of the second
  /// slice changes the table.
  ///
  /// The strides stay those of the table, so rows of the second slice lie 512 elements apart
  /// although three are used.
  ///
  /// ```python
  /// whole = torch.zeros(1, 5000, 512)
  /// first_numbers = whole[:, :, :3]
  /// print(first_numbers.stride(), first_numbers.is_contiguous())
  /// first_numbers[0, 0, 0] = 7
  /// print(whole[0, 0, 0])
  /// ```
  const Tensor whole = etude::zeros({1, 5000, 512});
  const Tensor first_numbers = whole.index({Slice(), Slice(), Slice(None, 3)});
  print(python_tuple(first_numbers.strides()), first_numbers.is_contiguous());
  first_numbers.index({0, 0, 0}) = 7;
  print(whole.index({0, 0, 0}));

  //%% odd_width | Aside: what an odd width does
  cell("odd_width", "Aside: what an odd width does");
  /// The fifth original fails as the second, the third and the fourth do: three cosines for two
  /// columns.
  ///
  /// ```python
  /// try:
  ///     InputEmbedding(5, 5, max_len=4)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  try {
    InputEmbedding(5, 5, 4);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% odd_width_done_right | Aside: an odd width, done right
  cell("odd_width_done_right", "Aside: an odd width, done right");
  /// The library's stack with a width of five, seeded; in PyTorch the same sum by hand, with one
  /// cosine fewer.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// weight = nn.Embedding(5, 5).weight
  /// angle = torch.arange(3.0).unsqueeze(1) * torch.exp(
  ///     torch.arange(0, 5, 2) * (-math.log(10000.0) / 5))
  /// pe = torch.zeros(3, 5)
  /// pe[:, 0::2] = torch.sin(angle)
  /// pe[:, 1::2] = torch.cos(angle[:, :5 // 2])
  /// print(pe)
  /// print((weight[ids] + pe).detach())
  /// ```
  etude::manual_seed(0);
  nn::InputEmbedding odd_stack(nn::InputEmbeddingOptions(5, 5, nn::kBatchFirst).max_len(4));
  print(nn::sinusoidal_table(3, 5));
  print(odd_stack(ids).detach());

  //%% exercise1 | Which rows learn?
  cell("exercise1", "Which rows learn?");
  /// The text is *the dog saw the dog*, ids 3, 0, 2, 3, 0, and the loss is the sum of all
  /// outputs. The gradient of the embedding has four equal columns of five numbers, one per row
  /// of the table. Predict such a column as `column`.
  {
    const Tensor text = etude::tensor({{3, 0, 2, 3, 0}});
    Tensor column;
    //%% answer
    /// *Dog* and *the* come twice, *saw* once, *itself* and the spare row never.
    ///
    /// ```python
    /// column = torch.tensor([2.0, 0.0, 1.0, 2.0, 0.0])
    /// print(column)
    /// ```
    column = etude::tensor({2.0f, 0.0f, 1.0f, 2.0f, 0.0f});
    //%% end answer
    const Tensor weight = small->token_embedding->embedding->weight;
    const Tensor gradient = etude::autograd::grad({small(text).sum()}, {weight})[0];  // [5, 4]
    expect(column.defined() && column.numel() == 5, "there is a number for each of five rows");
    expect(etude::allclose(gradient.select(1, 0), column),
           "each row counts how often it is used");
    print(column);
  }

  //%% exercise2 | Turn the places
  cell("exercise2", "Turn the places");
  /// `places` holds the first pair of columns, of speed 1, for the positions 0 to 3. Find the
  /// matrix `forward_two`, `[2, 2]`, that leads each position to the one two further on, so that
  /// `matmul(places, forward_two.t())` are the positions 2 to 5.
  {
    const Tensor pairs = small->pos_encoding->pe[0].index({Slice(), Slice(None, 2)});  // [6, 2]
    const Tensor places = pairs.index({Slice(None, 4)});                               // [4, 2]
    Tensor forward_two;
    //%% answer
    /// A shift by 2 at speed 1 is the rotation by $k\omega = 2$, with the matrix from
    /// [the rotation](#rotation).
    ///
    /// ```python
    /// forward_two = torch.tensor([[math.cos(2), math.sin(2)],
    ///                             [-math.sin(2), math.cos(2)]])
    /// print(forward_two)
    /// ```
    forward_two =
        etude::tensor({{std::cos(2.0f), std::sin(2.0f)}, {-std::sin(2.0f), std::cos(2.0f)}});
    //%% end answer
    expect(forward_two.defined() && forward_two.numel() == 4, "the matrix has four numbers");
    const Tensor turned = etude::matmul(places, forward_two.t());  // [4, 2]
    expect(etude::allclose(turned, pairs.index({Slice(2, None)}), 1e-5, 1e-5),
           "each position is led two further on");
    print(forward_two);
  }

  //%% exercise3 | A text in two pieces
  cell("exercise3", "A text in two pieces");
  /// A sentence arrives in pieces, first *the dog* and then *saw itself*. The stack always begins
  /// at position 0, so the second piece would get the wrong places. Complete the function: it
  /// embeds `piece`, whose first word stands at position `start`.
  {
    const auto embed_from = [&](const Tensor& piece, int64_t start) {
      const int64_t end = start + piece.size(1);
      Tensor vectors = small(piece);  // right for start 0 only
      //%% answer
      /// The parts of the stack are members, and the slice of the table begins at `start`.
      ///
      /// ```python
      /// def embed_from(piece, start):
      ///     end = start + piece.size(1)
      ///     positions = small.pos_encoding.pe[:, start:end]
      ///     return small.token_embedding(piece) + positions
      /// print(embed_from(sentence[:, 2:], 2).detach())
      /// ```
      const Tensor positions = small->pos_encoding->pe.index({Slice(), Slice(start, end)});
      vectors = small->token_embedding(piece) + positions;
      //%% end answer
      expect(vectors.size(1) == end - start, "there is a vector for every word of the piece");
      return vectors;
    };
    const Tensor second = embed_from(sentence.index({Slice(), Slice(2, None)}), 2);  // [1, 2, 4]
    expect(etude::equal(second, small(sentence).index({Slice(), Slice(2, None)})),
           "saw and itself get what they get in the whole sentence");
    print(second.detach());
  }

  //%% summary
  /// 1. The input of a transformer is the row of the word plus the row of the place.
  /// 2. Rows of the embedding learn from the texts that use them; the table of places never learns.
  /// 3. Fast pairs tell neighbours apart, slow pairs tell the beginning from the end.
  /// 4. A shift of position turns each pair by an angle that does not depend on where one begins.
  /// 5. The dot product of two encodings depends on their distance alone, but does not tell it.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.4 and 3.5
  /// 2. A public notebook in Chinese, *Token Embedding + Positional Encoding*: the cells `In07` to `In12`. Its address is not known; it quotes [section 3.5 of the paper](https://arxiv.org/abs/1706.03762)
  /// 3. PyTorch, [torch.nn.Embedding](https://pytorch.org/docs/1.13/generated/torch.nn.Embedding.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
