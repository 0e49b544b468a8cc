/// # Positional encoding, the whole table at once
///
/// - You will be able to: write the table of positions as three operations on whole tensors; say which shape a product of two tensors has
/// - You need: [positional encoding, one number at a time](01_loops.cpp)
/// - Minutes: 30
/// - Result: sentence
///
/// The [loops](01_loops.cpp) of the first lesson visit every number of the table by itself. The
/// same table is three operations on whole tensors: one product, one sine, one cosine. That is
/// shorter, much faster, and the form in which the layer is found nearly everywhere.
///
/// ```diagram From a column and a row to a table
/// pos: positions [10, 1] | speed: speeds [2]
/// times: (stretch, multiply)
/// angle: angles [10, 2]
/// sin: (sine) [10, 2] | cos: (cosine) [10, 2]
/// even: columns 0, 2 | odd: columns 1, 3
/// table: table [10, 4]
/// pos -> times ; speed -> times
/// times -> angle -> sin -> even -> table
/// angle -> cos -> odd -> table
/// ```
///
/// The public notebook [2] that is redone here is a single cell, `In02`. Before it the steps are
/// taken one by one: a column of positions, a row of speeds, their product by broadcasting, and
/// the columns in which the results are stored. After it comes what happens at the edges, and a
/// comment of the notebook that does not say what its code does.

#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
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

//%% In02_class | The layer
/// All steps in one place; the formula is that of the paper [1]. The notebook calls the
/// constructor's arguments `max_pos` and `embed_dim`, in this order. Others have the width first,
/// so it is worth a look before calling one.
///
/// `forward` adds the table's first rows to `x`. They are a view of the buffer; `clone` makes a
/// copy of them and `detach` cuts it off from the history of gradients. Neither is necessary
/// here, as [an aside](#clone_detach) shows.
///
/// ```python
/// class PositionalEncoding(nn.Module):
///     def __init__(self, max_pos, embed_dim):
///         super().__init__()
///         PE = torch.zeros(max_pos, embed_dim)
///         pos = torch.arange(0, max_pos).unsqueeze(1).float()
///         multi_term = torch.arange(0, embed_dim, 2).float()
///         multi_term = torch.exp(
///             multi_term * (-math.log(10000.0) / embed_dim))
///         PE[:, 0::2] = torch.sin(pos * multi_term)
///         PE[:, 1::2] = torch.cos(pos * multi_term)
///         self.register_buffer("PE", PE.unsqueeze(0))
///
///     def forward(self, x):
///         return x + self.PE[:, :x.size(1)].clone().detach()
/// ```
class PositionalEncodingImpl : public nn::Module {
 public:
  PositionalEncodingImpl(int64_t max_pos, int64_t embed_dim) {
    const double width = static_cast<double>(embed_dim);
    Tensor table = etude::zeros({max_pos, embed_dim});
    const Tensor pos = etude::arange(0, max_pos).unsqueeze(1).to(etude::kFloat);
    Tensor multi_term = etude::arange(0, embed_dim, 2).to(etude::kFloat);
    multi_term = etude::exp(multi_term * (-std::log(10000.0) / width));
    table.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(pos * multi_term));
    table.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(pos * multi_term));
    PE = register_buffer("PE", table.unsqueeze(0));
  }

  Tensor forward(const Tensor& x) {
    return x + PE.index({Slice(), Slice(None, x.size(1))}).clone().detach();
  }

  Tensor PE;  // [1, max_pos, embed_dim]
};
ETUDE_MODULE(PositionalEncoding);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "02_vectorised");
  cell("imports", "What is needed");
  cell("In02_class", "The layer");

  //%% positions | A column of positions
  cell("positions", "A column of positions");
  /// `arange` counts: ten integers in a row. `unsqueeze(1)` puts a dimension of size one behind
  /// them and makes the row a column, still the same ten numbers in memory. They become floats,
  /// since the angles will not be whole numbers.
  ///
  /// ```python
  /// pos = torch.arange(0, 10).unsqueeze(1).float()
  /// print(pos.shape)
  /// print(pos)
  /// ```
  const Tensor pos = etude::arange(0, 10).unsqueeze(1).to(etude::kFloat);  // [10, 1]
  print(pos.sizes());
  print(pos);

  //%% speeds | A row of speeds
  cell("speeds", "A row of speeds");
  /// Each pair of columns has a speed of its own, the $\omega$ of $\sin(pos \cdot \omega)$. The
  /// notebook computes the power of 10000 as a power of $e$, in one call for the whole row:
  ///
  /// $$\omega_i = \frac{1}{10000^{2i/d}} = e^{-\frac{2i}{d} \ln 10000}$$
  ///
  /// ```python
  /// two_i = torch.arange(0, 4, 2).float()
  /// multi_term = torch.exp(two_i * (-math.log(10000.0) / 4))
  /// print(two_i)
  /// print(multi_term)
  /// ```
  const Tensor two_i = etude::arange(0, 4, 2).to(etude::kFloat);           // [2]
  const Tensor multi_term = etude::exp(two_i * (-std::log(10000.0) / 4));  // [2]
  print(two_i);
  print(multi_term);

  //%% broadcasting | Every position times every speed
  cell("broadcasting", "Every position times every speed");
  /// A column `[10, 1]` times a row `[2]`. Shapes are compared from the right, and a missing
  /// dimension counts as size one. Where two sizes differ, the one of size one is stretched: the
  /// row to ten rows, the column to two columns, `[10, 2]`. This is called broadcasting.
  /// Stretching copies nothing. The stride of a dimension says how many numbers further its next
  /// index lies; a stretched dimension has the stride 0, so all its indices lead to the same
  /// number. `expand` does by request what the product does on its own.
  ///
  /// ```python
  /// print(pos.expand(10, 2).stride(), multi_term.expand(10, 2).stride())
  /// print(pos * multi_term)
  /// ```
  print(python_tuple(pos.expand({10, 2}).strides()),
        python_tuple(multi_term.expand({10, 2}).strides()));
  print(pos * multi_term);

  //%% every_other | Every other column
  cell("every_other", "Every other column");
  /// `0::2` takes the columns 0, 2, 4 and so on, `1::2` the ones between. Such a slice is a view
  /// with larger strides: in a table of four columns, 4 elements to the next row and 2 to the
  /// next chosen column. The second slice begins one element later. Writing into the view writes
  /// into the table.
  ///
  /// ```python
  /// PE = torch.zeros(10, 4)
  /// even, odd = PE[:, 0::2], PE[:, 1::2]
  /// print(even.shape, even.stride(), even.storage_offset())
  /// print(odd.shape, odd.stride(), odd.storage_offset())
  /// PE[:, 0::2] = torch.sin(pos * multi_term)
  /// print(PE[:3])
  /// ```
  Tensor PE = etude::zeros({10, 4});
  const Tensor even = PE.index({Slice(), Slice(0, None, 2)});
  const Tensor odd = PE.index({Slice(), Slice(1, None, 2)});
  print(even.sizes(), python_tuple(even.strides()), even.storage_offset());
  print(odd.sizes(), python_tuple(odd.strides()), odd.storage_offset());
  PE.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(pos * multi_term));
  print(PE.index({Slice(None, 3)}));
  expect_equal(even, nn::sinusoidal_table(10, 4).index({Slice(), Slice(0, None, 2)}));

  //%% In02 | The notebook's cell
  cell("In02", "The notebook's cell");
  /// A table for ten positions, and two sequences of five, all zeros, so that the output is the
  /// encoding alone. The table has the shape `[1, 10, 4]`; its first five rows are added to both
  /// sequences, again by stretching the dimension of size one.
  ///
  /// The library's table comes from the same formula in the same precision, so it has to agree
  /// in every bit. The last line of the code states that, and prints only if it is not so.
  ///
  /// ```python
  /// max_pos = 10
  /// embed_dim = 4
  /// model = PositionalEncoding(max_pos, embed_dim)
  /// x = torch.zeros(2, 5, embed_dim)
  /// output = model(x)
  /// print("x:")
  /// print(x)
  /// print("PE:")
  /// print(model.PE)
  /// print("output:")
  /// print(output)
  /// ```
  const int64_t max_pos = 10;
  const int64_t embed_dim = 4;
  PositionalEncoding model(max_pos, embed_dim);
  const Tensor x = etude::zeros({2, 5, embed_dim});
  const Tensor output = model(x);  // [2, 5, 4]
  print("x:");
  print(x);
  print("PE:");
  print(model->PE);
  print("output:");
  print(output);
  expect_equal(model->PE[0], nn::sinusoidal_table(max_pos, embed_dim));

  //%% sentence | The places of four words
  cell("sentence", "The places of four words");
  /// *The dog saw itself* stands at the positions 0 to 3 and gets the first four rows. They are
  /// the rows of [the loops](01_loops.cpp#In08), of the same width 4, and have nothing to do with
  /// the words themselves: any sentence of four words gets these.
  ///
  /// ```python
  /// words = ["the", "dog", "saw", "itself"]
  /// for position, word in enumerate(words):
  ///     print(position, word, model.PE[0, position])
  /// ```
  const std::vector<std::string> words{"the", "dog", "saw", "itself"};
  for (int64_t position = 0; position < 4; ++position)
    print(position, words[static_cast<size_t>(position)], model->PE[0][position]);

  //%% library_layer | The same from the library
  cell("library_layer", "The same from the library");
  /// `PositionalEncoding` of the library is this layer, with its choices said by name.
  ///
  /// ```python
  /// print(output[1])
  /// ```
  nn::PositionalEncoding layer(
      nn::PositionalEncodingOptions(embed_dim, nn::kBatchFirst).max_len(max_pos));
  print(layer(x)[1]);
  expect_equal(layer(x), output);

  //%% loops_agree | Against the loops
  cell("loops_agree", "Against the loops");
  /// Two ways to one table should give one table. They do, up to rounding. The loops compute each
  /// angle in 64 bits and round once, at the end. Here the speed is rounded to 32 bits first, and
  /// its small error is multiplied by the position. Over 200 positions the difference stays below
  /// $2.4 \cdot 10^{-5}$, which is 200 times the distance of two neighbouring floats at 1.
  ///
  /// ```python
  /// loops = torch.zeros(200, 16)
  /// for p in range(200):
  ///     for i in range(0, 16, 2):
  ///         loops[p, i] = math.sin(p / 10000 ** (i / 16))
  ///         loops[p, i + 1] = math.cos(p / 10000 ** (i / 16))
  /// vectorised = PositionalEncoding(200, 16).PE[0]
  /// difference = (vectorised - loops).abs().max().item()
  /// print(difference > 0, difference < 2.4e-5)
  /// ```
  const int64_t count = parameter("positions", 200, 1, 200);
  const int64_t width = parameter("width", 16, 2, 64, 2);
  Tensor loops = etude::zeros({count, width});
  for (int64_t p = 0; p < count; ++p) {
    for (int64_t i = 0; i < width; i += 2) {
      const double angle =
          static_cast<double>(p) /
          std::pow(10000.0, static_cast<double>(i) / static_cast<double>(width));
      loops.index_put_({p, i}, std::sin(angle));
      loops.index_put_({p, i + 1}, std::cos(angle));
    }
  }
  const float difference =
      (PositionalEncoding(count, width)->PE[0] - loops).abs().max().item<float>();
  print(difference > 0, difference < 2.4e-5);
  expect_close(loops, nn::sinusoidal_table(count, width), 2.4e-5);

  //%% too_long | What breaks: a sequence longer than the table
  cell("too_long", "What breaks: a sequence longer than the table");
  /// Seven positions against a table of five: the slice returns five rows and the sum refuses.
  /// Against a table of a single position it does not refuse. One row can be stretched to any
  /// length, so every position receives the encoding of position 0, and nobody is told. The
  /// third line confirms it: all rows are equal. The library's layer refuses both.
  ///
  /// ```python
  /// seven = torch.zeros(2, 7, 4)
  /// try:
  ///     PositionalEncoding(5, 4)(seven)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// stretched = PositionalEncoding(1, 4)(seven)
  /// print(stretched.shape)
  /// print(torch.equal(stretched, stretched[:, :1].expand(2, 7, 4)))
  /// ```
  const Tensor seven = etude::zeros({2, 7, 4});
  try {
    PositionalEncoding(5, 4)(seven);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }
  const Tensor stretched = PositionalEncoding(1, 4)(seven);
  print(stretched.sizes());
  print(etude::equal(stretched, stretched.index({Slice(), Slice(None, 1)}).expand({2, 7, 4})));

  //%% row_not_column | What breaks: a row in the place of the column
  cell("row_not_column", "What breaks: a row in the place of the column");
  /// The column is there for a reason. Without `unsqueeze(1)` the ten positions are a row,
  /// `[10]`, and meet the two speeds, `[2]`, in the same dimension. Ten is not two and neither
  /// is one, so nothing can be stretched.
  ///
  /// Had the table as many positions as speeds, the product would run: each position would be
  /// multiplied by one speed instead of all, and nobody would be told. The second line has two
  /// positions and two speeds.
  ///
  /// ```python
  /// try:
  ///     torch.arange(0, 10).float() * multi_term
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// print((torch.arange(0, 2).float() * multi_term).shape)
  /// ```
  try {
    etude::arange(0, 10).to(etude::kFloat) * multi_term;
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }
  print((etude::arange(0, 2).to(etude::kFloat) * multi_term).sizes());

  //%% exponent | Aside: what the comment says and what the code does
  cell("exponent", "Aside: what the comment says and what the code does");
  /// In the notebook a comment above [the speeds](#speeds) explains them as
  /// $e^{2i \cdot (-\ln(10000/d))}$: the division stands inside the logarithm. The code has it
  /// outside, $-\ln(10000)/d$, and the code is right. Here are both, and for comparison the
  /// power itself:
  ///
  /// ```python
  /// # as in the comment, as in the code, as in the paper
  /// print(torch.exp(two_i * -math.log(10000.0 / 4)))
  /// print(torch.exp(two_i * (-math.log(10000.0) / 4)))
  /// print(1 / 10000 ** (two_i / 4))
  /// ```
  print(etude::exp(two_i * -std::log(10000.0 / 4)));    // as in the comment
  print(etude::exp(two_i * (-std::log(10000.0) / 4)));  // as in the code
  print(1 / etude::pow(10000, two_i / 4));              // as in the paper

  //%% clone_detach | Aside: what clone and detach are for
  cell("clone_detach", "Aside: what clone and detach are for");
  /// The slice shares its memory with the buffer, its clone has memory of its own. The sum only
  /// reads, so the copy is thrown away at once. And a buffer does not require a gradient: there
  /// is no history that `detach` could cut.
  ///
  /// ```python
  /// rows = model.PE[:, :5]
  /// print(rows.data_ptr() == model.PE.data_ptr())
  /// print(rows.clone().data_ptr() == model.PE.data_ptr())
  /// print(rows.requires_grad)
  /// ```
  const Tensor rows = model->PE.index({Slice(), Slice(None, 5)});
  print(rows.data_ptr() == model->PE.data_ptr());
  print(rows.clone().data_ptr() == model->PE.data_ptr());
  print(rows.requires_grad());

  //%% odd_width | Aside: what an odd width does
  cell("odd_width", "Aside: what an odd width does");
  /// With five columns there are three even ones and two odd ones. `multi_term` has three
  /// speeds, so the cosine gives three columns for a place that has two.
  ///
  /// A width of one is odd as well, and passes: its cosine has one column for a place that has
  /// none, and a size of one may be stretched to any size, even to zero. Nothing is stored,
  /// which happens to be right.
  ///
  /// ```python
  /// try:
  ///     PositionalEncoding(4, 5)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// print(PositionalEncoding(4, 1).PE.shape)
  /// ```
  try {
    PositionalEncoding(4, 5);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }
  print(PositionalEncoding(4, 1)->PE.sizes());

  //%% odd_width_done_right | Aside: an odd width, done right
  cell("odd_width_done_right", "Aside: an odd width, done right");
  /// The remedy is to compute as many cosines as there are columns for them:
  /// $\lfloor d/2 \rfloor$. So does the library.
  ///
  /// ```python
  /// angle = torch.arange(4.0).unsqueeze(1) * torch.exp(
  ///     torch.arange(0, 5, 2) * (-math.log(10000.0) / 5))
  /// table = torch.zeros(4, 5)
  /// table[:, 0::2] = torch.sin(angle)
  /// table[:, 1::2] = torch.cos(angle[:, :5 // 2])
  /// print(table)
  /// ```
  print(nn::sinusoidal_table(4, 5));

  //%% exercise1 | Which shape?
  cell("exercise1", "Which shape?");
  /// Four positions as a column, `[4, 1]`, are multiplied by three speeds, `[3]`. Before you run
  /// anything: which shape has the product? Put its sizes into `shape`.
  {
    const Tensor column = etude::arange(0, 4).unsqueeze(1);
    const Tensor three = etude::tensor({1, 10, 100});
    std::vector<int64_t> shape;
    //%% answer
    /// The row is stretched to four rows and the column to three columns.
    ///
    /// ```python
    /// shape = (4, 3)
    /// print(shape)
    /// ```
    shape = {4, 3};
    //%% end answer
    expect(shape.size() == 2, "the product has two dimensions");
    expect((column * three).sizes() == etude::IntArrayRef(shape), "the product has this shape");
    print(python_tuple(shape));
  }

  //%% exercise2 | Far out in the text
  cell("exercise2", "Far out in the text");
  /// A long text is read in pieces of four words, and one piece begins at position 100. Fill
  /// `piece` with the encodings of positions 100 to 103, of width 4, without computing the
  /// hundred rows before them.
  {
    Tensor piece = etude::zeros({4, 4});
    //%% answer
    /// Nothing in the formula needs position 0: the column simply begins at 100.
    ///
    /// ```python
    /// piece = torch.zeros(4, 4)
    /// angle = torch.arange(100, 104).unsqueeze(1).float() * multi_term
    /// piece[:, 0::2] = torch.sin(angle)
    /// piece[:, 1::2] = torch.cos(angle)
    /// print(piece)
    /// ```
    const Tensor far = etude::arange(100, 104).unsqueeze(1).to(etude::kFloat);  // [4, 1]
    const Tensor angle = far * multi_term;                                      // [4, 2]
    piece.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(angle));
    piece.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(angle));
    //%% end answer
    const Tensor longer = PositionalEncoding(104, 4)->PE[0];  // [104, 4]
    expect(etude::allclose(piece, longer.index({Slice(100, None)})),
           "the piece is the last four rows of a table of 104");
    print(piece);
  }

  //%% exercise3 | The table in one line
  cell("exercise3", "The table in one line");
  /// Make the table `[10, 4]` of this lesson from `pos` and `multi_term` without `zeros` and
  /// without writing into slices. `stack({a, b}, 2)` of two matrices puts each number of `a`
  /// beside the one of `b` along a new dimension 2, and `flatten(1)` joins all dimensions from 1
  /// on into one.
  {
    Tensor one_line;
    //%% answer
    /// The stack is `[10, 2, 2]`: for each position and speed its sine and its cosine. Read in
    /// order these are the four columns.
    ///
    /// ```python
    /// angle = pos * multi_term
    /// one_line = torch.stack([angle.sin(), angle.cos()], 2).flatten(1)
    /// print(one_line[:4])
    /// ```
    const Tensor angle = pos * multi_term;
    one_line = etude::stack({angle.sin(), angle.cos()}, 2).flatten(1);
    //%% end answer
    expect(one_line.defined() && one_line.dim() == 2, "the table is a matrix");
    expect(etude::equal(one_line, model->PE[0]), "it is the table of the layer, bit by bit");
    print(one_line.index({Slice(None, 4)}));
  }

  //%% summary
  /// 1. A column of positions times a row of speeds is a table of angles.
  /// 2. Broadcasting stretches a dimension of size one to the size of the other tensor and copies nothing.
  /// 3. `0::2` and `1::2` are views of the even and the odd columns, and writing into a view writes into the table.
  /// 4. The loops and the whole table agree up to the rounding of the speeds to 32 bits.
  /// 5. A table of one row fits every length, so a sequence that is too long can pass without an error.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, section 3.5
  /// 2. Rongsheng Wang, [LLM101](https://github.com/WangRongsheng/LLM101), `transformer/position_embedding.ipynb`, the public notebook in Chinese that is redone here: its one cell, `In02`
  /// 3. PyTorch, [Broadcasting semantics](https://pytorch.org/docs/1.13/notes/broadcasting.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
