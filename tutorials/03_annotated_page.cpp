/// # Fixed positional encodings, annotated
///
/// - You will be able to: read a layer that wants the sequence first; say how long a pair of columns takes for a turn; say what dropout does to the sum
/// - You need: [the whole table at once](02_vectorised.cpp)
/// - Minutes: 35
/// - Result: plot_dims_4_7
///
/// Each pair of columns is one wave drawn twice, a quarter of a turn apart, and each pair has a
/// speed of its own. This lesson builds the table once more, for data with the sequence first
/// and the batch second, and draws these waves.
///
/// ```diagram A layer that takes the sequence first
/// x: token vectors [3, 2, 4] | table: table [5, 1, 4]
/// slice: (first 3 rows) [3, 1, 4]
/// add: (stretch, add) [3, 2, 4]
/// drop: (dropout)
/// y: output [3, 2, 4]
/// x -> add ; table -> slice -> add
/// add -> drop -> y
/// ```
///
/// The original is a page of *annotated deep learning paper implementations* [2], which sets
/// code and explanation side by side and made this form of reading popular. Its layer follows
/// the paper [1] and is the one of [the whole table at once](02_vectorised.cpp) with three
/// differences: sequences come first and batches second, dropout follows the sum, and the table
/// is a buffer that is not saved.
///
/// The page ends in a plot of four columns over a hundred positions. It is drawn here too, and
/// its 400 numbers are compared with PyTorch's.

#include "support/svg.h"
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

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% get_positional_encoding | The table as a function
/// On the page the layer comes first and this function after it. C++ wants a function declared
/// before it is used. It returns
///
/// $$PE_{p,2i} = \sin\left(\frac{p}{10000^{2i/d_{model}}}\right) \qquad
/// PE_{p,2i+1} = \cos\left(\frac{p}{10000^{2i/d_{model}}}\right)$$
///
/// for all positions $p$ and all columns, counted from 0. Each line is taken apart further down.
///
/// ```python
/// def get_positional_encoding(d_model, max_len=5000):
///     encodings = torch.zeros(max_len, d_model)
///     position = torch.arange(0, max_len, dtype=torch.float32)
///     position = position.unsqueeze(1)
///     two_i = torch.arange(0, d_model, 2, dtype=torch.float32)
///     div_term = torch.exp(two_i * -(math.log(10000.0) / d_model))
///     encodings[:, 0::2] = torch.sin(position * div_term)
///     encodings[:, 1::2] = torch.cos(position * div_term)
///     return encodings.unsqueeze(1).requires_grad_(False)
/// ```
Tensor get_positional_encoding(int64_t d_model, int64_t max_len = 5000) {
  Tensor encodings = etude::zeros({max_len, d_model});
  const Tensor position = etude::arange(0, max_len, etude::kFloat).unsqueeze(1);
  const Tensor two_i = etude::arange(0, d_model, 2, etude::kFloat);
  const Tensor div_term =
      etude::exp(two_i * -(std::log(10000.0) / static_cast<double>(d_model)));
  encodings.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * div_term));
  encodings.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * div_term));
  return encodings.unsqueeze(1).requires_grad_(false);
}

//%% positional_encoding | The layer
/// The last argument of `register_buffer` says that the buffer is not persistent: it belongs to
/// the layer, and conversions reach it, but it is left out of what is saved. A table that can be
/// computed at any time need not fill a file.
///
/// `forward` takes the first `x.size(0)` rows, so **dimension 0 has to be the sequence**: `x` is
/// `[sequence, batch, d_model]`. `detach` and `requires_grad_(false)` keep gradients away from
/// the table. A buffer does not ask for any, so the two calls change nothing and only make it
/// plain.
///
/// ```python
/// class PositionalEncoding(nn.Module):
///     def __init__(self, d_model, dropout_prob, max_len=5000):
///         super().__init__()
///         self.dropout = nn.Dropout(dropout_prob)
///         self.register_buffer(
///             "positional_encodings",
///             get_positional_encoding(d_model, max_len), False)
///
///     def forward(self, x):
///         pe = self.positional_encodings[:x.shape[0]]
///         pe = pe.detach().requires_grad_(False)
///         x = x + pe
///         x = self.dropout(x)
///         return x
/// ```
class PositionalEncodingImpl : public nn::Module {
 public:
  PositionalEncodingImpl(int64_t d_model, double dropout_prob, int64_t max_len = 5000)
      : dropout(register_module("dropout", nn::Dropout(dropout_prob))) {
    positional_encodings = register_buffer("positional_encodings",
                                           get_positional_encoding(d_model, max_len), false);
  }

  Tensor forward(const Tensor& x) {
    const Tensor rows = positional_encodings.index({Slice(None, x.size(0))});
    const Tensor pe = rows.detach().requires_grad_(false);  // [sequence, 1, d_model]
    return dropout(x + pe);
  }

  Tensor positional_encodings;  // [max_len, 1, d_model]
  nn::Dropout dropout;
};
ETUDE_MODULE(PositionalEncoding);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "03_annotated_page");
  cell("imports", "What is needed");
  cell("get_positional_encoding", "The table as a function");
  cell("positional_encoding", "The layer");

  //%% encodings | An empty table
  cell("encodings", "An empty table");
  /// The page's own test uses a width of 20 and 100 positions. The table
  /// begins empty, with a row per position and a column per number of its encoding.
  ///
  /// ```python
  /// d_model, max_len = 20, 100
  /// encodings = torch.zeros(max_len, d_model)
  /// print(encodings.shape)
  /// ```
  const int64_t d_model = parameter("d_model", 20, 8, 64, 2);
  const int64_t max_len = parameter("max_len", 100, 5, 500);
  Tensor encodings = etude::zeros({max_len, d_model});  // [100, 20]
  print(encodings.sizes());

  //%% position | The positions, as a column
  cell("position", "The positions, as a column");
  /// `arange` can make floats at once. As a column, `[100, 1]`, the positions run down while the
  /// speeds of the next cells run across.
  ///
  /// ```python
  /// position = torch.arange(0, max_len, dtype=torch.float32)
  /// position = position.unsqueeze(1)
  /// print(position.shape)
  /// ```
  const Tensor position = etude::arange(0, max_len, etude::kFloat).unsqueeze(1);  // [100, 1]
  print(position.sizes());

  //%% two_i | The even columns
  cell("two_i", "The even columns");
  /// The $2i$ of the formula, one for each pair of columns.
  ///
  /// ```python
  /// two_i = torch.arange(0, d_model, 2, dtype=torch.float32)
  /// print(two_i)
  /// ```
  const Tensor two_i = etude::arange(0, d_model, 2, etude::kFloat);  // [10]
  print(two_i);

  //%% div_term | One speed per pair
  cell("div_term", "One speed per pair");
  /// The page writes $10000^{2i/d_{model}}$ above this line. That is the number by which a
  /// position is *divided*. What the line computes is its reciprocal, so that the position can
  /// be multiplied by it:
  ///
  /// $$\omega_i = 10000^{-2i/d_{model}} = e^{-2i \ln(10000) / d_{model}}$$
  ///
  /// The speeds form a geometric sequence from 1 down to $10000^{-18/20}$, each
  /// $10000^{1/10} \approx 2.5$ times slower than the one before. The last line confirms that
  /// they are the reciprocals of what the page writes.
  ///
  /// ```python
  /// div_term = torch.exp(two_i * -(math.log(10000.0) / d_model))
  /// print(div_term)
  /// powers = 10000 ** (two_i / d_model)
  /// print(torch.allclose(div_term * powers, torch.ones(10)))
  /// ```
  const Tensor div_term =
      etude::exp(two_i * -(std::log(10000.0) / static_cast<double>(d_model)));  // [10]
  print(div_term);
  print(etude::allclose(div_term * etude::pow(10000, two_i / d_model),
                        etude::ones({d_model / 2})));

  //%% sine | Sines into the even columns
  cell("sine", "Sines into the even columns");
  /// A column `[100, 1]` times a row `[10]` is stretched to `[100, 10]` angles. Their sines go
  /// to the columns 0, 2, 4, ...: the slice is a view, so the assignment writes into the table
  /// itself. The output shows columns 4 to 7 of the first three positions.
  ///
  /// $$PE_{p,2i} = \sin(p\,\omega_i)$$
  ///
  /// ```python
  /// encodings[:, 0::2] = torch.sin(position * div_term)
  /// print(encodings[:3, 4:8])
  /// ```
  encodings.index_put_({Slice(), Slice(0, None, 2)}, etude::sin(position * div_term));
  print(encodings.index({Slice(None, 3), Slice(4, 8)}));
  const Slice even(0, None, 2);
  expect_equal(encodings.index({Slice(), even}),
               nn::sinusoidal_table(max_len, d_model).index({Slice(), even}));

  //%% cosine | Cosines into the odd columns
  cell("cosine", "Cosines into the odd columns");
  /// The same angles once more, and the table is complete.
  ///
  /// $$PE_{p,2i+1} = \cos(p\,\omega_i)$$
  ///
  /// ```python
  /// encodings[:, 1::2] = torch.cos(position * div_term)
  /// print(encodings[:3, 4:8])
  /// ```
  encodings.index_put_({Slice(), Slice(1, None, 2)}, etude::cos(position * div_term));
  print(encodings.index({Slice(None, 3), Slice(4, 8)}));
  expect_equal(encodings, nn::sinusoidal_table(max_len, d_model));

  //%% batch_dimension | Room for a batch
  cell("batch_dimension", "Room for a batch");
  /// `unsqueeze(1)` opens a dimension between positions and columns: `[100, 1, 20]`. Added to
  /// `[sequence, batch, 20]` it is stretched over the batch. The strides, printed in
  /// parentheses, still step 20 numbers from position to position: no number has moved.
  ///
  /// ```python
  /// with_batch = encodings.unsqueeze(1)
  /// print(with_batch.shape, with_batch.stride())
  /// print(torch.equal(with_batch,
  ///                   get_positional_encoding(d_model, max_len)))
  /// ```
  const Tensor with_batch = encodings.unsqueeze(1);  // [100, 1, 20]
  print(with_batch.sizes(), python_tuple(with_batch.strides()));
  print(etude::equal(with_batch, get_positional_encoding(d_model, max_len)));

  //%% plot_dims_4_7 | Four columns over a hundred positions
  cell("plot_dims_4_7", "Four columns over a hundred positions", Compare::within_ulp(2));
  /// The plot of the page: dimensions 4 to 7. Each speed has two curves, a sine and a cosine, a
  /// quarter of a turn apart. Dimensions 6 and 7 take two and a half times as long for a turn.
  ///
  /// The page draws it with matplotlib [2]. These are its lines as they stand there; they are
  /// shown, and not run here. `figure` makes a canvas of 15 by 5 inches, and `plot` draws one curve
  /// for each of the four columns.
  ///
  /// ```python original
  /// def _test_positional_encoding():
  ///     import matplotlib.pyplot as plt
  ///
  ///     plt.figure(figsize=(15, 5))
  ///     pe = get_positional_encoding(20, 100)
  ///     plt.plot(np.arange(100), pe[:, 0, 4:8].numpy())
  ///     plt.legend(["dim %d" % p for p in [4, 5, 6, 7]])
  ///     plt.title("Positional encoding")
  ///     plt.show()
  ///
  ///
  /// if __name__ == '__main__':
  ///     _test_positional_encoding()
  /// ```
  ///
  /// The program draws the same curves with a `LinePlot`: its title, its legend and one series for
  /// each column. `draw` turns it into a file that any browser shows.
  ///
  /// ![Dimensions 4 to 7 over 100 positions: two sine waves, each with its
  /// cosine](plot_dims_4_7.svg)
  ///
  /// Below are the numbers behind the curves, each as the shortest decimal that gives the float
  /// back. They are compared to within 2 ulp, which is two steps from float to float, and not by
  /// bytes. The reason is the processor: the recorded sines come from PyTorch's routines for
  /// AVX2, which do not always give the float nearest to the true value. Compared by bytes, this
  /// program prints 24 of the 100 rows differently, in each of them one number, by 1 ulp. PyTorch
  /// itself prints 19 of the 100 differently when it may not use AVX2.
  ///
  /// ```python
  /// pe = get_positional_encoding(d_model, max_len)
  /// print("pos dim4 dim5 dim6 dim7")
  /// for pos in range(max_len):
  ///     print(pos, *pe[pos, 0, 4:8].numpy())
  /// ```
  const Tensor pe = get_positional_encoding(d_model, max_len);  // [100, 1, 20]
  print("pos dim4 dim5 dim6 dim7");
  for (int64_t pos = 0; pos < max_len; ++pos) {
    const float* dim = pe[pos][0].data_ptr<float>();
    print(pos, shortest(dim[4]), shortest(dim[5]), shortest(dim[6]), shortest(dim[7]));
  }
  expect_equal(pe.squeeze(1), nn::sinusoidal_table(max_len, d_model));

  LinePlot plot;
  plot.title = "Positional encoding";
  plot.description = "Dimensions 4 to 7 of the encoding of width 20 over positions 0 to 99.";
  plot.x_label = "position";
  plot.y_label = "value";
  plot.x = values_of(etude::arange(max_len));
  for (int64_t d = 4; d < 8; ++d) {
    plot.series.push_back({"dim " + std::to_string(d), values_of(pe.select(2, d))});
  }
  figure("plot_dims_4_7.svg", draw(plot));

  //%% wavelengths | How long a turn takes
  cell("wavelengths", "How long a turn takes");
  /// A pair of speed $\omega$ is back where it began after $2\pi/\omega$ positions. For
  /// dimensions 4 and 5 that is not quite 40, for 6 and 7 not quite 100, as the plot shows; the
  /// slowest pair would need 25,000 positions.
  ///
  /// ```python
  /// print(2 * math.pi / div_term[2:4])
  /// print(2 * math.pi / div_term[-1])
  /// ```
  const double pi = std::acos(-1.0);
  print(2 * pi / div_term.index({Slice(2, 4)}));
  print(2 * pi / div_term[-1]);

  //%% heat_map | The whole table as a picture
  cell("heat_map", "The whole table as a picture");
  /// One line per position, one column per dimension, red for positive and blue for negative. On
  /// the left the values alternate within a few positions, on the right they hardly move. A line
  /// is like a number of twenty digits that change smoothly, written with the fastest digit
  /// first.
  ///
  /// ![The table of 100 positions and 20 dimensions as a heat map](heat_map.svg)
  ///
  /// ```python
  /// print(pe.squeeze(1).shape)
  /// ```
  print(pe.squeeze(1).sizes());

  HeatMap map;
  map.title = "The table of sines and cosines";
  map.description =
      "Values between -1 and 1, in columns that are fast on the left and slow on the right.";
  map.x_label = "dimension";
  map.y_label = "position";
  map.rows = max_len;
  map.columns = d_model;
  map.values = values_of(pe);
  figure("heat_map.svg", draw(map));

  //%% sentence | Four words, sequence first
  cell("sentence", "Four words, sequence first");
  /// For *the dog saw itself* and a width of 4 the function gives four blocks of one row, a block
  /// per word. The rows are those of [lesson 2](02_vectorised.cpp#sentence); only the brackets
  /// have moved, from `[1, 4, 4]` to `[4, 1, 4]`. The ids 3, 0, 2, 1 stand in a column then: one
  /// row per position, one column per sentence.
  ///
  /// ```python
  /// ids = torch.tensor([[3], [0], [2], [1]])
  /// print(ids.shape)
  /// print(get_positional_encoding(4, 4))
  /// ```
  const Tensor ids = etude::tensor({{3}, {0}, {2}, {1}});  // [4, 1]
  print(ids.sizes());
  print(get_positional_encoding(4, 4));

  //%% sequence_first | Three positions, two sequences
  cell("sequence_first", "Three positions, two sequences");
  /// Zeros of shape `[3, 2, 4]` go in. The outer blocks are positions, and both rows of a block,
  /// one per sequence, receive the same encoding. `eval` switches the dropout off.
  ///
  /// ```python
  /// model = PositionalEncoding(4, 0.5, max_len=5)
  /// model.eval()
  /// x = torch.zeros(3, 2, 4)
  /// print(model(x))
  /// ```
  PositionalEncoding model(4, 0.5, 5);
  model->eval();
  const Tensor x = etude::zeros({3, 2, 4});
  print(model(x));
  expect_equal(model(x).select(1, 0), nn::sinusoidal_table(3, 4));

  //%% library_layer | The same from the library
  cell("library_layer", "The same from the library");
  /// The library's layer takes these decisions by name: where the sequence stands, how much is
  /// dropped, whether the table is saved. It gives the numbers of `sequence_first` and checks
  /// lengths against the table.
  ///
  /// ```python
  /// print(model(x)[:, 0])
  /// print(list(model.state_dict()))
  /// ```
  nn::PositionalEncoding layer(nn::PositionalEncodingOptions(4, nn::kSequenceFirst)
                                   .max_len(5)
                                   .dropout(0.5)
                                   .persistent(false));
  layer->eval();
  print(layer(x).select(1, 0));
  print(python_list(layer->state_dict().keys()));
  expect_equal(layer(x), model(x));

  //%% dropout | What dropout does in training
  cell("dropout", "What dropout does in training");
  /// In training, dropout replaces each number by zero with probability $p$ and divides the
  /// others by $1 - p$, here by one half, so that the sum stays the same on average. The seed
  /// makes it the same choice every time. It acts on the sum: what is lost is a piece of the
  /// token and of its position together.
  ///
  /// ```python
  /// model.train()
  /// torch.manual_seed(0)
  /// print(model(x + 1))
  /// ```
  model->train();
  etude::manual_seed(0);
  print(model(x + 1));

  //%% not_saved | A buffer that is not saved
  cell("not_saved", "A buffer that is not saved");
  /// The table is among the buffers and missing from the state dict. A model saved with a
  /// persistent table, such as the one of [the loops](01_loops.cpp), does not load strictly into
  /// this layer: there would be a tensor too many.
  ///
  /// ```python
  /// print([name for name, _ in model.named_buffers()])
  /// print(list(model.state_dict()))
  /// ```
  print(python_list(model->named_buffers().keys()));
  print(python_list(model->state_dict().keys()));

  //%% wrong_order | What breaks: the batch in the place of the sequence
  cell("wrong_order", "What breaks: the batch in the place of the sequence");
  /// Fed with `[batch, sequence, d_model]`, the layer takes the batch for the sequence and does
  /// not complain. Sequence 1 receives the encoding of position 1 at each of its seven
  /// positions, and that the table has only five rows is not noticed either. The page feeds its
  /// layer correctly; [step by step](04_step_by_step.cpp) does not, and shows what comes of it.
  ///
  /// ```python
  /// model.eval()
  /// out = model(torch.zeros(2, 7, 4))
  /// print(out.shape)
  /// print(out[1, 0])
  /// print(torch.equal(out[1], out[1, 0].expand(7, 4)))
  /// ```
  model->eval();
  const Tensor out = model(etude::zeros({2, 7, 4}));  // [2, 7, 4]
  print(out.sizes());
  print(out[1][0]);
  print(etude::equal(out[1], out[1][0].expand({7, 4})));
  expect_equal(out[1][0], nn::sinusoidal_table(2, 4)[1]);

  //%% too_long | What breaks: a sequence longer than the table
  cell("too_long", "What breaks: a sequence longer than the table");
  /// Seven positions in the right place, dimension 0, against five rows. The slice returns five,
  /// and the sum refuses. It is the message of [the loops](01_loops.cpp#too_long) with another
  /// dimension.
  ///
  /// ```python
  /// try:
  ///     model(torch.zeros(7, 2, 4))
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  try {
    model(etude::zeros({7, 2, 4}));
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% odd_width | Aside: what an odd width does
  cell("odd_width", "Aside: what an odd width does");
  /// As in every original: with five columns the cosine has three columns to store and room for
  /// two.
  ///
  /// ```python
  /// try:
  ///     get_positional_encoding(5, 4)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  try {
    get_positional_encoding(5, 4);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% odd_width_done_right | Aside: an odd width, done right
  cell("odd_width_done_right", "Aside: an odd width, done right");
  /// The last sine stands alone. The library's layer takes any width, here sequence first with
  /// one sequence.
  ///
  /// ```python
  /// position = torch.arange(4.0).unsqueeze(1)
  /// two_i = torch.arange(0, 5, 2)
  /// angle = position * torch.exp(two_i * -(math.log(10000.0) / 5))
  /// encodings = torch.zeros(4, 5)
  /// encodings[:, 0::2] = torch.sin(angle)
  /// encodings[:, 1::2] = torch.cos(angle[:, :5 // 2])
  /// print(encodings.unsqueeze(1))
  /// ```
  nn::PositionalEncoding odd(nn::PositionalEncodingOptions(5, nn::kSequenceFirst).max_len(4));
  print(odd(etude::zeros({4, 1, 5})));

  //%% exercise1 | How long is a turn?
  cell("exercise1", "How long is a turn?");
  /// The table is 20 wide. After how many positions are dimensions 10 and 11, the pair with
  /// $2i = 10$, back where they began? Store the number in `turn`. The constant `pi` is there.
  {
    double turn = 0;
    //%% answer
    /// The speed is $\omega = 10000^{-10/20} = 0.01$, and a turn is $2\pi/\omega$.
    ///
    /// ```python
    /// turn = 2 * math.pi * 10000 ** (10 / 20)
    /// print(round(turn))
    /// ```
    turn = 2 * pi * std::pow(10000.0, 10.0 / 20);
    //%% end answer
    const double omega = std::asin(nn::sinusoidal_table(2, 20)[1][10].item<double>());
    expect(turn > 0, "a turn takes some positions");
    expect(std::abs(turn * omega - 2 * pi) < 1e-3, "one turn is two pi, and not more");
    print(std::lround(turn));
  }

  //%% exercise2 | The batch first, please
  cell("exercise2", "The batch first, please");
  /// Two sequences of three positions come batch first, as `batch_first`, `[2, 3, 4]`. Use
  /// `model`, which is in evaluation mode, without changing it, and put its output into `result`,
  /// batch first again and with the right positions. `transpose(0, 1)` swaps the first two
  /// dimensions.
  {
    const Tensor batch_first = etude::zeros({2, 3, 4});
    Tensor result;
    //%% answer
    /// The dimensions are swapped on the way in and swapped back on the way out.
    ///
    /// ```python
    /// batch_first = torch.zeros(2, 3, 4)
    /// result = model(batch_first.transpose(0, 1)).transpose(0, 1)
    /// print(result)
    /// ```
    result = model(batch_first.transpose(0, 1)).transpose(0, 1);
    //%% end answer
    expect(result.defined() && result.size(0) == 2 && result.size(1) == 3,
           "two sequences of three positions come out");
    expect(etude::equal(result[0], result[1]), "both sequences receive the same encodings");
    print(result);
  }

  //%% exercise3 | Dropout by hand
  cell("exercise3", "Dropout by hand");
  /// `kept` has a 1 where the dropout below kept a number and a 0 where it dropped one, and
  /// $p = 0.5$. Compute from `x`, `model->positional_encodings` and `kept` what the layer gave
  /// for `x + 1`, without calling it, and put it into `by_hand`.
  {
    model->train();
    etude::manual_seed(0);
    const Tensor trained = model(x + 1);  // [3, 2, 4]
    model->eval();
    const Tensor kept = (trained != 0).to(etude::kFloat);
    Tensor by_hand;
    //%% answer
    /// The first three rows of the table are added, then each number is multiplied by 0 or by 1
    /// and divided by $1 - p$.
    ///
    /// ```python
    /// model.train()
    /// torch.manual_seed(0)
    /// trained = model(x + 1)
    /// model.eval()
    /// kept = (trained != 0).float()
    /// by_hand = (x + 1 + model.positional_encodings[:3]) * kept / 0.5
    /// print(by_hand[0])
    /// ```
    by_hand = (x + 1 + model->positional_encodings.index({Slice(None, 3)})) * kept / 0.5;
    //%% end answer
    expect(by_hand.defined() && by_hand.dim() == 3, "there is a number for every number of x");
    expect(etude::allclose(by_hand, trained), "it is what the layer gave");
    print(by_hand[0]);
  }

  //%% summary
  /// 1. A table of shape `[max_len, 1, d_model]` is for data whose first dimension is the sequence.
  /// 2. A pair of columns of speed $\omega$ needs $2\pi/\omega$ positions for a turn, from 6 to about 25,000 at a width of 20.
  /// 3. In training, dropout zeroes numbers of the sum and enlarges the others; in evaluation it does nothing.
  /// 4. A buffer that is not persistent follows the layer but is left out of the saved state.
  /// 5. Data with the batch first passes this layer without an error and with wrong positions.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.5 and 5.4
  /// 2. labml.ai, [Fixed Positional Encodings](https://nn.labml.ai/transformers/positional_encoding.html), the page that is reproduced; source in [labmlai/annotated_deep_learning_paper_implementations](https://github.com/labmlai/annotated_deep_learning_paper_implementations) (MIT licence)
  /// 3. N. Srivastava et al., [Dropout: A Simple Way to Prevent Neural Networks from Overfitting](https://jmlr.org/papers/v15/srivastava14a.html), 2014
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
