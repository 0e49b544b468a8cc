/// # Positional encoding, step by step
///
/// - You will be able to: build the table line by line; find a layer that adds the same position everywhere, and repair it
/// - You need: [the whole table at once](02_vectorised.cpp); [the sequence first](03_annotated_page.cpp)
/// - Minutes: 40
/// - Result: wrong_slice
///
/// A layer can run, give numbers, and be wrong. The one of this lesson is fed with batches in
/// the place where it expects positions, and the encoding that was to tell the positions apart
/// adds the same vector to all of them.
///
/// ```diagram The slice that takes the wrong size
/// x: two sentences [2, 3, 4] | pe: table [5, 1, 4]
/// wrong: (a row per sentence) | right: (a row per word)
/// w: positions 0, 1 [2, 1, 4] | r: positions 0, 1, 2 [3, 1, 4]
/// turn: (swap two dims) [1, 3, 4]
/// x -> wrong -> w ; x -> right -> r
/// pe -> wrong ; pe -> right
/// r -> turn
/// ```
///
/// The public notebook [2] that is redone here shows the finished layer at work on a sentence of
/// 47 tokens and then takes its constructor apart, line by line, with everything printed. Both
/// are here in the notebook's order; the formula is that of the paper [1].
///
/// The mistake is easy to make and hard to see, and its traces are in the notebook's own output.
/// The later cells show how to find it, and what else deserves a second look: a table that is
/// not part of the layer's state, and a dropout that is still on.

#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% In01 | The layer
/// The table is built as in [the whole table at once](02_vectorised.cpp) and then turned:
/// `unsqueeze(0)` makes it `[1, max_len, d_model]`, `transpose(0, 1)` swaps the first two
/// dimensions, which gives `[max_len, 1, d_model]`.
///
/// `forward` takes as many rows as `x` has entries in dimension 0. So dimension 0 of `x` has to be
/// the position. And `self.pe` is an ordinary attribute: there is no `register_buffer`. Keep both
/// in mind.
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// from torch import LongTensor
///
/// class PositionalEncoding(nn.Module):
///     def __init__(self, d_model, dropout=0.1, max_len=5000):
///         super().__init__()
///         self.dropout = nn.Dropout(p=dropout)
///         pe = torch.zeros(max_len, d_model)
///         position = torch.arange(0, max_len, dtype=torch.float)
///         position = position.unsqueeze(1)
///         div_term = torch.exp(torch.arange(0, d_model, 2).float()
///                              * (-math.log(10000.0) / d_model))
///         pe[:, 0::2] = torch.sin(position * div_term)
///         pe[:, 1::2] = torch.cos(position * div_term)
///         self.pe = pe.unsqueeze(0).transpose(0, 1)
///
///     def forward(self, x):
///         x = x + self.pe[:x.size(0), :]
///         return self.dropout(x)
/// ```
#include <etude/etude.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

class PositionalEncodingImpl : public nn::Module {
 public:
  explicit PositionalEncodingImpl(int64_t d_model, double p = 0.1, int64_t max_len = 5000)
      : dropout(register_module("dropout", nn::Dropout(p))) {
    const double width = static_cast<double>(d_model);
    Tensor table = etude::zeros({max_len, d_model});
    const Tensor position = etude::arange(0, max_len, etude::kFloat).unsqueeze(1);
    const Tensor two_i = etude::arange(0, d_model, 2).to(etude::kFloat);
    const Tensor div_term = etude::exp(two_i * (-std::log(10000.0) / width));
    table.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * div_term));
    table.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * div_term));
    pe = table.unsqueeze(0).transpose(0, 1);
  }

  Tensor forward(const Tensor& x) {
    return dropout(x + pe.index({Slice(None, x.size(0)), Slice()}));
  }

  Tensor pe;  // [max_len, 1, d_model]
  nn::Dropout dropout;
};
ETUDE_MODULE(PositionalEncoding);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "04_step_by_step");
  cell("In01", "The layer");

  //%% In02 | The layer at work
  cell("In02", "The layer at work", Compare::layout());
  /// A sentence of twelve tokens, filled up to 47 with the padding token 1. The notebook sets no
  /// seed, so it prints other numbers at every run, and so does this cell: `seed` draws a fresh
  /// one from the operating system. What can be compared is the form: a summary of the first and
  /// last three rows and columns, and a `grad_fn` that names the last step, the multiplication
  /// in dropout. So the numbers shown are one run's, and yours are others.
  ///
  /// Look at the last three rows, wherever nothing was dropped: they are the padding token at
  /// three different places.
  ///
  /// ```python
  /// torch.seed()
  /// input_embedding = nn.Embedding(4376, 512)
  /// pos_encoding = PositionalEncoding(512)
  /// words = [2, 1819, 1547, 1698, 230, 3869,
  ///          2661, 3596, 3744, 1341, 3155, 3]
  /// input_tensor = LongTensor([words + [1] * 35])
  /// embedded_tensor = input_embedding(input_tensor)
  /// output = pos_encoding(embedded_tensor)
  /// output
  /// ```
  etude::default_generator().seed();
  nn::Embedding input_embedding(4376, 512);
  PositionalEncoding pos_encoding(512);
  const Tensor words =
      etude::tensor({2, 1819, 1547, 1698, 230, 3869, 2661, 3596, 3744, 1341, 3155, 3});
  const Tensor padding_ids = etude::ones({35}, etude::kLong);
  const Tensor input_tensor = etude::cat({words, padding_ids}).unsqueeze(0);  // [1, 47]
  const Tensor embedded_tensor = input_embedding(input_tensor);               // [1, 47, 512]
  const Tensor output = pos_encoding(embedded_tensor);                        // [1, 47, 512]
  print(output);

  //%% In02_seed0 | The same with a seed
  cell("In02_seed0", "The same with a seed");
  /// After `manual_seed(0)` the embedding and the dropout draw what PyTorch draws, and the print
  /// agrees to the byte. A negative number that was dropped shows as `-0.0000`: it was
  /// multiplied by zero, and zero keeps the sign.
  ///
  /// Rows 44 to 46, the last three, show it again: the same padding token three times, the same
  /// numbers three times.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// input_embedding = nn.Embedding(4376, 512)
  /// pos_encoding = PositionalEncoding(512)
  /// pos_encoding(input_embedding(input_tensor))
  /// ```
  etude::manual_seed(0);
  input_embedding = nn::Embedding(4376, 512);
  pos_encoding = PositionalEncoding(512);
  print(pos_encoding(input_embedding(input_tensor)));
  expect_equal(pos_encoding->pe.squeeze(1), nn::sinusoidal_table(5000, 512));

  //%% In06 | Two sizes for the steps
  cell("In06", "Two sizes for the steps");
  /// From here on the notebook repeats the constructor by hand, with a table small enough to
  /// read.
  ///
  /// ```python
  /// max_len = 5
  /// d_model = 8
  /// ```
  const int64_t max_len = parameter("max_len", 5, 1, 50);
  const int64_t d_model = parameter("d_model", 8, 2, 64, 2);

  //%% In07 | An empty table
  cell("In07", "An empty table");
  /// One row per position, one column per number of its encoding. All numbers are whole, so
  /// the print leaves out the digits after the point.
  ///
  /// ```python
  /// pe = torch.zeros(max_len, d_model)
  /// print(pe)
  /// ```
  Tensor pe = etude::zeros({max_len, d_model});
  print(pe);

  //%% In08 | Positions, as a column
  cell("In08", "Positions, as a column");
  /// `arange` makes the row 0 to 4, as floats. `unsqueeze(1)` adds a dimension of size one at the
  /// end and so makes it a column, `[5, 1]`, whose five rows can meet the four speeds of the next
  /// step.
  ///
  /// ```python
  /// position = torch.arange(0, max_len, dtype=torch.float)
  /// position = position.unsqueeze(1)
  /// print(position)
  /// ```
  const Tensor position = etude::arange(0, max_len, etude::kFloat).unsqueeze(1);  // [5, 1]
  print(position);

  //%% In09 | One speed per pair of columns
  cell("In09", "One speed per pair of columns");
  /// Four pairs of columns, four speeds, each ten times slower than the one before:
  ///
  /// $$\omega_i = 10000^{-2i/8} = 10^{-i}$$
  ///
  /// Read `1.0000e-01` as $1.0000 \cdot 10^{-1}$. Why these numbers are printed in this way is
  /// [an aside](#scientific).
  ///
  /// ```python
  /// div_term = torch.exp(torch.arange(0, d_model, 2).float()
  ///                      * (-math.log(10000.0) / d_model))
  /// print(div_term)
  /// ```
  const Tensor two_i = etude::arange(0, d_model, 2).to(etude::kFloat);
  const Tensor div_term =
      etude::exp(two_i * (-std::log(10000.0) / static_cast<double>(d_model)));  // [4]
  print(div_term);

  //%% In10 | Sines and cosines into the table
  cell("In10", "Sines and cosines into the table");
  /// Column times row gives the angles, 5 by 4, and each fills half of the columns: `0::2` are
  /// the columns 0, 2, 4, 6, where the sines go, and `1::2` the ones between for the cosines.
  /// Row 0 is the same for every width: sine 0, cosine 1.
  ///
  /// ```python
  /// pe[:, 0::2] = torch.sin(position * div_term)
  /// pe[:, 1::2] = torch.cos(position * div_term)
  /// print(pe)
  /// ```
  pe.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * div_term));
  pe.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * div_term));
  print(pe);
  expect_equal(pe, nn::sinusoidal_table(max_len, d_model));

  //%% In11 | A dimension for the batch
  cell("In11", "A dimension for the batch");
  /// First `[1, 5, 8]`, one block of five rows: the form for batch-first data. Then, with the
  /// dimensions 0 and 1 swapped, `[5, 1, 8]`, five blocks of one row: the form for
  /// sequence-first data. This second form is what the layer keeps.
  ///
  /// ```python
  /// pe = pe.unsqueeze(0)
  /// print(pe)
  /// print()
  /// pe = pe.transpose(0, 1)
  /// print(pe)
  /// ```
  pe = pe.unsqueeze(0);
  print(pe);
  print();
  pe = pe.transpose(0, 1);
  print(pe);
  expect_equal(pe.squeeze(1), nn::sinusoidal_table(max_len, d_model));

  //%% sentence | The same steps on four words
  cell("sentence", "The same steps on four words");
  /// *The dog saw itself*: four positions, and a width of 4 as in the lessons before. Two speeds
  /// are left, and the table has the rows of [lesson 2](02_vectorised.cpp#sentence).
  ///
  /// The vectors of the words are rows 3, 0, 2, 1 of an embedding of five rows, drawn with the
  /// seed 0: the same numbers as in [lesson 1](01_loops.cpp#sentence_vectors).
  ///
  /// ```python
  /// column = torch.arange(0, 4, dtype=torch.float).unsqueeze(1)
  /// speeds = torch.exp(torch.arange(0, 4, 2).float()
  ///                    * (-math.log(10000.0) / 4))
  /// rows = torch.zeros(4, 4)
  /// rows[:, 0::2] = torch.sin(column * speeds)
  /// rows[:, 1::2] = torch.cos(column * speeds)
  /// print(speeds)
  /// print(rows)
  /// torch.manual_seed(0)
  /// five = nn.Embedding(5, 4)
  /// tokens = five(LongTensor([[3, 0, 2, 1]])).detach()
  /// print(tokens)
  /// ```
  const Tensor column = etude::arange(0, 4, etude::kFloat).unsqueeze(1);  // [4, 1]
  const Tensor twos = etude::arange(0, 4, 2).to(etude::kFloat);           // [2]
  const Tensor speeds = etude::exp(twos * (-std::log(10000.0) / 4));      // [2]
  Tensor rows = etude::zeros({4, 4});
  rows.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(column * speeds));
  rows.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(column * speeds));
  print(speeds);
  print(rows);
  etude::manual_seed(0);
  nn::Embedding five(5, 4);
  const Tensor tokens = five(etude::tensor({{3, 0, 2, 1}})).detach();  // [1, 4, 4]
  print(tokens);

  //%% wrong_slice | What breaks: the slice by the size of the batch
  cell("wrong_slice", "What breaks: the slice by the size of the batch");
  /// Now the mistake, in a size that can be read. Two sequences of three positions go in, batch
  /// first, all zeros, and dropout is off. `x.size(0)` is 2, the number of sequences, so the
  /// slice is `[2, 1, 4]`, and the dimension of size one is stretched over the positions.
  /// Sequence 0 receives the encoding of position 0 three times, sequence 1 that of position 1.
  ///
  /// The notebook has a batch of one, so it adds position 0 everywhere: $(0, 1, 0, 1, \dots)$, a
  /// constant.
  ///
  /// ```python
  /// model = PositionalEncoding(4, max_len=5)
  /// model.eval()
  /// x = torch.zeros(2, 3, 4)
  /// print(model(x))
  /// ```
  PositionalEncoding model(4, 0.1, 5);
  model->eval();
  const Tensor x = etude::zeros({2, 3, 4});  // two sequences of three positions
  print(model(x));
  expect_equal(model(x).select(1, 2), nn::sinusoidal_table(2, 4));

  //%% right_slice | The right slice
  cell("right_slice", "The right slice");
  /// Batch-first data asks for the first `x.size(1)` rows along dimension 1. The library's layer
  /// has to be told which dimension is the sequence, and does this for `kBatchFirst`.
  ///
  /// ```python
  /// print(x + model.pe[:x.size(1)].transpose(0, 1))
  /// ```
  nn::PositionalEncoding layer(
      nn::PositionalEncodingOptions(4, nn::kBatchFirst).max_len(5).dropout(0.1));
  layer->eval();
  print(layer(x));
  expect_equal(layer(x), x + model->pe.index({Slice(None, x.size(1))}).transpose(0, 1));

  //%% order_test | A test that finds it
  cell("order_test", "A test that finds it");
  /// An encoding of positions has one duty: *the dog saw itself* read backwards must not give the
  /// same vectors in reverse. With the notebook's layer it does, with the right one it does not.
  /// This test needs no numbers from anywhere and would have failed on the first day.
  ///
  /// ```python
  /// right = lambda x: x + model.pe[:x.size(1)].transpose(0, 1)
  /// print(torch.equal(model(tokens.flip(1)), model(tokens).flip(1)))
  /// print(torch.equal(right(tokens.flip(1)), right(tokens).flip(1)))
  /// ```
  print(etude::equal(model(tokens.flip({1})), model(tokens).flip({1})));
  print(etude::equal(layer(tokens.flip({1})), layer(tokens).flip({1})));

  //%% In02_facts | The mistake in the notebook's own output
  cell("In02_facts", "The mistake in the notebook's own output");
  /// Back to the 47 tokens of [the layer at work](#In02). Its numbers change from run to run, and
  /// can be checked all the same. Dropout with $p = 0.1$ sets an element to zero or multiplies it
  /// by $1/0.9$, so every output is one of
  ///
  /// $$0\,,\qquad \frac{e + PE_0}{0.9}$$
  ///
  /// with $e$ the embedding and, for **all** 47 positions, the encoding of position 0. That is
  /// the second line: the table's first row alone explains the whole output. The third counts
  /// the zeros: 10 % of the 24064 elements are expected, and 280 more or fewer are allowed, which
  /// is six standard deviations. The last compares the 35 padding rows before dropout. They are
  /// identical, although each stands at another place.
  ///
  /// ```python
  /// kept = (embedded_tensor + pos_encoding.pe[0]) * (1 / 0.9)
  /// zeros = (output == 0).sum().item()
  /// print(output.shape)
  /// print(((output == kept) | (output == 0)).all().item())
  /// print(abs(zeros - 0.1 * output.numel()) < 280)
  /// print(torch.equal(kept[:, 12:], kept[:, 12:13].expand(1, 35, 512)))
  /// ```
  const Tensor kept = (embedded_tensor + pos_encoding->pe[0]) * (1 / 0.9);
  const int64_t zeros = (output == 0).sum().item<int64_t>();
  print(output.sizes());
  print(((output == kept) | (output == 0)).all().item<bool>());
  print(std::abs(static_cast<double>(zeros) - 0.1 * static_cast<double>(output.numel())) < 280);
  const Tensor padding = kept.index({Slice(), Slice(12, None)});
  print(etude::equal(padding, padding.index({Slice(), Slice(0, 1)}).expand({1, 35, 512})));

  //%% too_many | What breaks in the end: too many sequences
  cell("too_many", "What breaks in the end: too many sequences");
  /// The layer never looks at the length of the sequences: seven positions pass a table of five.
  /// It looks at the size of the batch: six sequences fail. The message speaks of dimension 0,
  /// and a reader will search the data for the mistake, not the layer.
  ///
  /// ```python
  /// print(model(torch.zeros(2, 7, 4)).shape)
  /// try:
  ///     model(torch.zeros(6, 3, 4))
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  print(model(etude::zeros({2, 7, 4})).sizes());
  try {
    model(etude::zeros({6, 3, 4}));
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% integers | What breaks: ids that are no rows
  cell("integers", "What breaks: ids that are no rows");
  /// The notebook remarks that an embedding takes integers and nothing else, which is why it
  /// writes `LongTensor`. An id is not a quantity: it is the number of a row, and there is no
  /// row 2.5. So a tensor of floats is refused, even if all its numbers are whole. Integers of 64
  /// and of 32 bits are taken. An integer may still name a row that is not there: the table has
  /// 4376 of them, 0 to 4375.
  ///
  /// ```python
  /// for ids in (torch.tensor([2, 1819]), torch.tensor([2.0, 1819.0]),
  ///             torch.tensor([4376])):
  ///     try:
  ///         print(input_embedding(ids).shape)
  ///     except (RuntimeError, IndexError) as error:
  ///         print(str(error).split(";")[0])
  /// ```
  for (const Tensor& ids :
       {etude::tensor({2, 1819}), etude::tensor({2.0f, 1819.0f}), etude::tensor({4376})}) {
    try {
      print(input_embedding(ids).sizes());
    } catch (const etude::Error& error) {
      const std::string sentence = first_line(error.what());
      print(sentence.substr(0, sentence.find(';')));
    }
  }

  //%% not_a_buffer | What breaks: a table that is not a buffer
  cell("not_a_buffer", "What breaks: a table that is not a buffer");
  /// A tensor that is only an attribute is invisible to the module. The table is neither in the
  /// state dict nor among the buffers, and when the layer is converted to 64 bits, the table
  /// stays behind. On a machine with a GPU the same omission leaves the table on the CPU, and
  /// the sum fails.
  ///
  /// The library's layer keeps its table as the buffer `pe`, as the last two printed lines show.
  ///
  /// ```python
  /// print(list(model.state_dict()), list(dict(model.named_buffers())))
  /// model.to(torch.float64)
  /// print(model.pe.dtype)
  /// layer = nn.Module()
  /// layer.register_buffer("pe", model.pe)
  /// layer.to(torch.float64)
  /// print(list(layer.state_dict()), list(dict(layer.named_buffers())))
  /// print(layer.pe.dtype)
  /// ```
  print(python_list(model->state_dict().keys()), python_list(model->named_buffers().keys()));
  model->to(etude::kDouble);
  print(model->pe.dtype());
  layer->to(etude::kDouble);
  print(python_list(layer->state_dict().keys()), python_list(layer->named_buffers().keys()));
  print(layer->pe.dtype());

  //%% still_training | What breaks: a dropout that is still on
  cell("still_training", "What breaks: a dropout that is still on");
  /// A new module is in training mode, and the notebook never calls `eval`. So about a tenth of
  /// its output are zeros that dropout made, and calling the layer twice gives two results.
  ///
  /// ```python
  /// fresh = PositionalEncoding(512)
  /// zeros = torch.zeros(1, 47, 512)
  /// torch.manual_seed(0)
  /// print(torch.equal(fresh(zeros), fresh(zeros)))
  /// fresh.eval()
  /// print(torch.equal(fresh(zeros), fresh(zeros)))
  /// ```
  PositionalEncoding fresh(512);
  const Tensor nothing = etude::zeros({1, 47, 512});
  etude::manual_seed(0);
  print(etude::equal(fresh(nothing), fresh(nothing)));
  fresh->eval();
  print(etude::equal(fresh(nothing), fresh(nothing)));

  //%% scientific | Aside: why the print turned scientific
  cell("scientific", "Aside: why the print turned scientific");
  /// The speeds of [`In09`](#In09) are printed with powers of ten. Print changes to this notation
  /// when the largest magnitude is *more than* a thousand times the smallest that is not zero.
  /// With $1$ and $0.001$ the ratio would be a thousand exactly, and the print would read
  /// `[1.0000, 0.1000, 0.0100, 0.0010]`. But the smallest is not $0.001$. In 32 bits the
  /// exponent comes out a little too low, and so does the power, by a part in ten million. That
  /// is enough.
  ///
  /// ```python
  /// print(div_term.min().item())
  /// print(div_term.max().item() / div_term.min().item())
  /// ```
  print(div_term.min().item<float>());
  print(div_term.max().item().toDouble() / div_term.min().item().toDouble());

  //%% strides | Aside: what transpose did
  cell("strides", "Aside: what transpose did");
  /// Nothing was moved. `transpose` swaps two sizes and, with them, two strides: a step to the
  /// next position is 8 elements, a step along the dimension of size one would be 40 and is
  /// never taken. A single `unsqueeze(1)` gives the same numbers in the same places.
  ///
  /// ```python
  /// print(pe.shape, pe.stride())
  /// print(pe.is_contiguous())
  /// print(torch.equal(pe, pe.squeeze(1).unsqueeze(1)))
  /// ```
  print(pe.sizes(), python_tuple(pe.strides()));
  print(pe.is_contiguous());
  print(etude::equal(pe, pe.squeeze(1).unsqueeze(1)));

  //%% odd_width | Aside: what an odd width does
  cell("odd_width", "Aside: what an odd width does");
  /// Three even columns, two odd ones, and three cosines.
  ///
  /// ```python
  /// try:
  ///     PositionalEncoding(5, max_len=4)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  try {
    PositionalEncoding(5, 0.1, 4);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% odd_width_done_right | Aside: an odd width, done right
  cell("odd_width_done_right", "Aside: an odd width, done right");
  /// One cosine fewer. The library's layer does so for every odd width.
  ///
  /// ```python
  /// angle = torch.arange(4.0).unsqueeze(1) * torch.exp(
  ///     torch.arange(0, 5, 2) * (-math.log(10000.0) / 5))
  /// pe = torch.zeros(4, 5)
  /// pe[:, 0::2] = torch.sin(angle)
  /// pe[:, 1::2] = torch.cos(angle[:, :5 // 2])
  /// print(pe)
  /// ```
  nn::PositionalEncoding odd(nn::PositionalEncodingOptions(5, nn::kBatchFirst).max_len(4));
  print(odd(etude::zeros({1, 4, 5}))[0]);

  //%% exercise1 | What does saw receive?
  cell("exercise1", "What does saw receive?");
  /// `tokens`, `[1, 4, 4]`, goes through the notebook's layer with dropout off. *Saw* stands at
  /// position 2. Which four numbers does the layer add to its vector? Put your prediction into
  /// `added`.
  {
    PositionalEncoding wrong(4, 0.1, 5);
    wrong->eval();
    Tensor added;
    //%% answer
    /// The batch has one sequence, so the slice is row 0 of the table, and every position
    /// receives it.
    ///
    /// ```python
    /// added = torch.tensor([0.0, 1.0, 0.0, 1.0])
    /// print(added)
    /// ```
    added = etude::tensor({0.0f, 1.0f, 0.0f, 1.0f});
    //%% end answer
    expect(added.defined() && added.numel() == 4, "a position is four numbers");
    expect(etude::allclose(tokens[0][2] + added, wrong(tokens)[0][2]), "the layer adds these");
    print(added);
  }

  //%% exercise2 | Repair the slice
  cell("exercise2", "Repair the slice");
  /// The function below is the notebook's `forward` with the table of five positions. Give
  /// `positions` another value, so that every sequence of a batch receives the positions 0, 1,
  /// 2 and so on. The shape has to be `[1, sequence, 4]`.
  {
    PositionalEncoding wrong(4, 0.1, 5);
    const auto forward = [&](const Tensor& batch) {
      Tensor positions = wrong->pe.index({Slice(None, batch.size(0))});  // [batch, 1, 4]
      //%% answer
      /// The length of a sequence is the size of dimension 1, and the rows have to lie along
      /// dimension 1 too.
      ///
      /// ```python
      /// wrong = PositionalEncoding(4, max_len=5)
      /// def forward(batch):
      ///     positions = wrong.pe[:batch.size(1)].transpose(0, 1)
      ///     return batch + positions
      /// print(forward(torch.zeros(2, 3, 4)))
      /// ```
      positions = wrong->pe.index({Slice(None, batch.size(1))}).transpose(0, 1);
      //%% end answer
      return batch + positions;
    };
    const Tensor result = forward(etude::zeros({2, 3, 4}));
    expect(etude::equal(result[0], result[1]), "both sequences receive the same positions");
    expect(!etude::equal(result[0][0], result[0][1]), "two positions of a sequence differ");
    print(result);
  }

  //%% exercise3 | Another test that finds it
  cell("exercise3", "Another test that finds it");
  /// What a sentence becomes must not depend on its place in the batch. Make a test of this: put
  /// `tokens` into a batch twice, call `candidate` on it, and set `depends` to whether the two
  /// results differ. The notebook's layer has to be caught, the library's has to pass.
  {
    const auto depends_on_batch = [&](auto& candidate) {
      candidate->eval();
      bool depends = false;
      //%% answer
      /// Sequence 0 of the notebook's layer receives position 0 and sequence 1 position 1, so
      /// equal sentences come out unequal.
      ///
      /// ```python
      /// def depends_on_batch(candidate):
      ///     out = candidate(torch.cat([tokens, tokens]))
      ///     return not torch.equal(out[0], out[1])
      /// wrong = PositionalEncoding(4, max_len=5).eval()
      /// print(depends_on_batch(wrong), depends_on_batch(right))
      /// ```
      const Tensor out = candidate(etude::cat({tokens, tokens}));  // [2, 4, 4]
      depends = !etude::equal(out[0], out[1]);
      //%% end answer
      return depends;
    };
    PositionalEncoding wrong(4, 0.1, 5);
    nn::PositionalEncoding right(
        nn::PositionalEncodingOptions(4, nn::kBatchFirst).max_len(5).dropout(0.1));
    const bool caught = depends_on_batch(wrong), blamed = depends_on_batch(right);
    expect(caught, "the test catches the notebook's layer");
    expect(!blamed, "the test lets the right layer pass");
    print(caught, blamed);
  }

  //%% summary
  /// 1. The constructor is five steps: an empty table, a column of positions, speeds, sines and cosines, a dimension for the batch.
  /// 2. A table of shape `[max_len, 1, d_model]` and `x.size(0)` belong to data with the sequence first.
  /// 3. Fed with the batch first, the layer adds to every position of a sequence the encoding of the sequence's place in the batch, without an error.
  /// 4. Two tests find it with no numbers from anywhere: read the sentence backwards, or put it into the batch twice.
  /// 5. A tensor that is only an attribute is not saved and not converted, and a new layer is in training mode.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.5 and 5.4
  /// 2. ysb06, [ai-port-backend](https://github.com/ysb06/ai-port-backend), `trans_chat/reference_notebook/positional_encoding.ipynb`, the public notebook in Korean that is redone here: its cells `In01`, `In02` and `In06` to `In11`
  /// 3. PyTorch, [Module.register_buffer](https://pytorch.org/docs/1.13/generated/torch.nn.Module.html#torch.nn.Module.register_buffer)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
