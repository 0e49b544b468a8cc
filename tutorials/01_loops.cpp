/// # Positional encoding, one number at a time
///
/// - You will be able to: compute any number of the table of positions by hand; say what is added to a word and why
/// - You need: sine and cosine; a little Python or C++
/// - Minutes: 30
/// - Result: sentence_vectors
///
/// A transformer looks at all words of a sentence at once and, left alone, would not know which
/// came first. So every position gets a vector of its own, and that vector is added to the
/// word's [1].
///
/// ```diagram From four words to four vectors
/// words: the dog saw itself [4]
/// ids: 3, 0, 2, 1 [1, 4] | places: 0, 1, 2, 3 [4]
/// pick: (pick a row) | waves: (sine and cosine)
/// token: what it is [1, 4, 4] | place: where it stands [1, 4, 4]
/// sum: (add)
/// z: what the model gets [1, 4, 4]
/// words -> ids -> pick -> token -> sum -> z
/// words -> places -> waves -> place -> sum
/// ```
///
/// This lesson redoes in C++ a public notebook [2] that computes these vectors in the plainest
/// way there is: two nested loops, a sine and a cosine. Cells named `In05`, `In08` and so on are
/// the notebook's, with its numbers; what they print is what PyTorch prints, byte for byte. The
/// other cells are additions that look closer at what happened.
///
/// One sentence runs through all lessons: **the dog saw itself**. The vectors that its four words
/// get here come back in the lessons that follow. The next one,
/// [the whole table at once](02_vectorised.cpp), replaces the loops by three lines.

#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% In01 | What is needed
/// One header brings tensors, modules and layers. The names are those of PyTorch's C++ interface
/// with `etude` in place of `torch`, and `print` writes what Python's `print` would write.
///
/// ```python
/// import math
/// import torch
/// import torch.nn as nn
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% In07 | The layer
/// Each position $pos$ gets $d_{model}$ numbers, in pairs. Pair $i$ is the point on the unit
/// circle at the angle $pos \cdot \omega_i$, and the pairs turn at different speeds:
///
/// $$PE_{(pos,\,2i)} = \sin\left(\frac{pos}{10000^{2i/d_{model}}}\right) \qquad
/// PE_{(pos,\,2i+1)} = \cos\left(\frac{pos}{10000^{2i/d_{model}}}\right)$$
///
/// So the speed is $\omega_i = 1 / 10000^{2i/d_{model}}$, in radians per position.
///
/// The loop variable `i` below runs over the even columns, so it already is the formula's $2i$.
///
/// The table is made once, in the constructor. `unsqueeze(0)` puts a dimension of size one in
/// front of it, to be stretched over the sequences of a batch. `register_buffer` makes it part
/// of the layer's state: it is saved with the model and follows it in conversions, but no
/// optimizer will change it, for it is not a parameter.
///
/// `forward` returns the first rows, as many as the sequence is long. It uses nothing of `x` but
/// its length.
///
/// ```python
/// class PositionalEncoding(nn.Module):
///     def __init__(self, d_model, context_size=512):
///         super().__init__()
///         pe = torch.zeros(context_size, d_model)
///         for pos in range(context_size):
///             for i in range(0, d_model, 2):
///                 angle = pos / (10000 ** (i / d_model))
///                 pe[pos, i] = math.sin(angle)
///                 pe[pos, i + 1] = math.cos(angle)
///         self.register_buffer("pe", pe.unsqueeze(0))
///
///     def forward(self, x):
///         return self.pe[:, :x.size(1)]
/// ```
class PositionalEncodingImpl : public nn::Module {
 public:
  PositionalEncodingImpl(int64_t d_model, int64_t context_size = 512) {
    Tensor table = etude::zeros({context_size, d_model});
    for (int64_t pos = 0; pos < context_size; ++pos) {
      for (int64_t i = 0; i < d_model; i += 2) {
        const double exponent = static_cast<double>(i) / static_cast<double>(d_model);
        const double angle = static_cast<double>(pos) / std::pow(10000.0, exponent);
        table.index_put_({pos, i}, std::sin(angle));
        table.index_put_({pos, i + 1}, std::cos(angle));
      }
    }
    pe = register_buffer("pe", table.unsqueeze(0));
  }

  Tensor forward(const Tensor& x) { return pe.index({Slice(), Slice(None, x.size(1))}); }

  Tensor pe;  // [1, context_size, d_model]
};
ETUDE_MODULE(PositionalEncoding);

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "01_loops");
  cell("In01", "What is needed");
  cell("In07", "The layer");

  //%% In05 | Three sizes
  cell("In05", "Three sizes");
  /// One sequence of five tokens, four numbers for each: small enough to print everything.
  ///
  /// ```python
  /// batch_size = 1
  /// d_model = 4
  /// context_size = 5
  /// ```
  const int64_t batch_size = 1;
  const int64_t d_model = 4;
  const int64_t context_size = 5;

  //%% sentence | Four words, four ids
  cell("sentence", "Four words, four ids");
  /// A model computes with numbers, so every word of its vocabulary gets one, its *id*. Here the
  /// words are numbered in alphabetical order, and the sentence becomes the ids 3, 0, 2, 1. They
  /// are a batch of one sentence, so their shape is `[1, 4]`.
  ///
  /// ```python
  /// words = ["the", "dog", "saw", "itself"]
  /// vocabulary = sorted(words)
  /// for i, word in enumerate(vocabulary):
  ///     print(i, word)
  /// ids = torch.tensor([[vocabulary.index(word) for word in words]])
  /// print(ids)
  /// ```
  const std::vector<std::string> words{"the", "dog", "saw", "itself"};
  std::vector<std::string> vocabulary = words;
  std::sort(vocabulary.begin(), vocabulary.end());
  for (size_t i = 0; i < vocabulary.size(); ++i) print(i, vocabulary[i]);
  std::vector<int64_t> numbers;
  for (const std::string& word : words) {
    const auto found = std::find(vocabulary.begin(), vocabulary.end(), word);
    numbers.push_back(found - vocabulary.begin());
  }
  const Tensor ids = etude::tensor(numbers).unsqueeze(0);  // [1, 4]
  print(ids);

  //%% one_number | One number by hand
  cell("one_number", "One number by hand");
  /// Position 1, column 2: the angle is $1 / 10000^{2/4} = 0.01$. Python and C++ compute its
  /// sine in 64 bits, and the table keeps 32 of them. The second line is the number after it was
  /// stored. It agrees with the first in seven digits, and more than that 32 bits cannot
  /// promise.
  ///
  /// ```python
  /// angle = 1 / 10000 ** (2 / d_model)
  /// print(math.sin(angle))
  /// print(torch.tensor(math.sin(angle)).item())
  /// ```
  const int64_t place = parameter("position", 1, 0, 100);
  const double base = parameter("base", 10000.0, 2.0, 1000000.0);
  const double angle = static_cast<double>(place) / std::pow(base, 2.0 / d_model);
  print(std::sin(angle));
  print(etude::tensor(std::sin(angle)).item<float>());

  //%% In08 | Five positions, encoded
  cell("In08", "Five positions, encoded");
  /// `manual_seed(0)` starts the stream of random numbers that PyTorch draws for this seed, so
  /// `randint` picks the same five tokens.
  ///
  /// Read the table by columns. The first pair, columns 0 and 1, advances one radian per
  /// position. The second pair is a hundred times slower: at the fifth position, number 4, its
  /// sine has come to 0.04 and its cosine has hardly left 1. Fast pairs tell neighbours apart,
  /// slow ones tell the beginning of a text from its end.
  ///
  /// The last line of the code prints nothing. It compares the table with the library's own, up
  /// to the rounding of 32 bits, and would spoil this cell if they differed.
  ///
  /// ```python
  /// pe = PositionalEncoding(d_model, context_size)
  /// torch.random.manual_seed(0)
  /// x = torch.randint(context_size, (batch_size, context_size))
  /// y = pe(x)
  /// print(x)
  /// print(y)
  /// ```
  PositionalEncoding pe(d_model, context_size);
  etude::manual_seed(0);
  const Tensor x = etude::randint(context_size, {batch_size, context_size});  // [1, 5]
  const Tensor y = pe(x);                                                     // [1, 5, 4]
  print(x);
  print(y);
  expect_close(y[0], nn::sinusoidal_table(context_size, d_model), 1.2e-7 * context_size);

  //%% buffer | State without training
  cell("buffer", "State without training");
  /// The buffer is in the state dict, so a saved model brings its table along. There is nothing
  /// to train here, and nothing asks for a gradient.
  ///
  /// ```python
  /// print(list(pe.state_dict()))
  /// print(len(list(pe.parameters())))
  /// print(pe.pe.requires_grad)
  /// ```
  print(python_list(pe->state_dict().keys()));
  print(pe->parameters().size());
  print(pe->pe.requires_grad());

  //%% In09 | Token embedding
  cell("In09", "Token embedding");
  /// `Embedding` is a table too, one row per token, but its numbers are learned; they begin as
  /// random ones from a normal distribution. Looking up the ids 4, 4, 3, 0, 3 picks those rows.
  /// Rows 0 and 1 of the result are the same, and so are rows 2 and 4: the embedding knows the
  /// token and not its place.
  ///
  /// The result was computed from something trainable. `grad_fn` at the end names the step that
  /// a backward pass would undo first.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// embedding = nn.Embedding(context_size, d_model)
  /// embedding(x)
  /// ```
  etude::manual_seed(0);
  nn::Embedding embedding(context_size, d_model);
  print(embedding(x));

  //%% In10 | Token plus position
  cell("In10", "Token plus position");
  /// Both have the shape `[1, 5, 4]`, so the sum goes element by element:
  ///
  /// $$z_{pos} = \mathrm{embedding}(x_{pos}) + PE_{pos}$$
  ///
  /// ```python
  /// embedding(x) + pe(x)
  /// ```
  print(embedding(x) + pe(x));
  expect_close(pe(x)[0], nn::sinusoidal_table(context_size, d_model), 1.2e-7 * context_size);

  //%% same_token | The same token in two places
  cell("same_token", "The same token in two places");
  /// This is what it was for. Positions 0 and 1 hold the same token, number 4. Before the sum
  /// nothing could tell them apart; after it they are different vectors.
  ///
  /// ```python
  /// before, after = embedding(x), embedding(x) + pe(x)
  /// print(torch.equal(before[0, 0], before[0, 1]))
  /// print(torch.equal(after[0, 0], after[0, 1]))
  /// ```
  const Tensor before = embedding(x), after = embedding(x) + pe(x);
  print(etude::equal(before[0][0], before[0][1]));
  print(etude::equal(after[0][0], after[0][1]));

  //%% sentence_vectors | The sentence as the model gets it
  cell("sentence_vectors", "The sentence as the model gets it");
  /// Now the four words. The embedding above has five rows: rows 0 to 3 are those of the words,
  /// row 4 is to spare. *The* has the id 3 and stands at position 0, so it gets row 3 of the
  /// embedding, which begins with 1.3894, plus $(0, 1, 0, 1)$.
  ///
  /// [Lesson 4](04_step_by_step.cpp), [lesson 5](05_input_embedding.cpp) and [lesson
  /// 7](07_autograd.cpp) draw the same five rows from the same seed, so their numbers are these.
  ///
  /// ```python
  /// sentence = embedding(ids) + pe(ids)
  /// for word, vector in zip(words, sentence[0].detach()):
  ///     print(word, vector)
  /// ```
  const Tensor sentence = embedding(ids) + pe(ids);  // [1, 4, 4]
  for (int64_t i = 0; i < 4; ++i) print(words[static_cast<size_t>(i)], sentence[0][i].detach());

  //%% too_long | What breaks: a sequence longer than the table
  cell("too_long", "What breaks: a sequence longer than the table");
  /// A slice that asks for more than there is gets what there is: seven positions were wanted,
  /// five came back, and the layer said nothing. Only the sum notices, and its message speaks of
  /// tensors `a` and `b` rather than of a context that is too short. The
  /// library's `PositionalEncoding` checks the length in `forward`.
  ///
  /// ```python
  /// longer = torch.zeros(1, 7, dtype=torch.long)
  /// print(pe(longer).shape)
  /// try:
  ///     embedding(longer) + pe(longer)
  /// except RuntimeError as error:
  ///     print("RuntimeError:", error)
  /// ```
  const Tensor longer = etude::zeros({1, 7}, etude::kLong);
  print(pe(longer).sizes());
  try {
    embedding(longer) + pe(longer);
  } catch (const etude::Error& error) {
    print("RuntimeError:", first_line(error.what()));
  }

  //%% unknown_word | What breaks: a word without a row
  cell("unknown_word", "What breaks: a word without a row");
  /// Five rows have the numbers 0 to 4. An id of 5 means a sixth row, and there is none to pick.
  /// This time the error comes at once. A usual cause is a vocabulary that has grown since the
  /// model was made.
  ///
  /// ```python
  /// try:
  ///     embedding(torch.tensor([[3, 0, 2, 5]]))
  /// except IndexError as error:
  ///     print("IndexError:", error)
  /// ```
  try {
    embedding(etude::tensor({{3, 0, 2, 5}}));
  } catch (const etude::IndexError& error) {
    print("IndexError:", first_line(error.what()));
  }

  //%% batch_dimension | Aside: what unsqueeze did
  cell("batch_dimension", "Aside: what unsqueeze did");
  /// A tensor is a piece of memory and a way to walk through it. The strides say how many
  /// elements lie between one index and the next: in the table, the next row is 4 elements away
  /// and the next column 1.
  ///
  /// `unsqueeze(0)` adds an index that is always 0, so its stride is never used. No number is
  /// moved: both tensors begin at the same address. A tensor that looks at another one's memory
  /// is called a view.
  ///
  /// ```python
  /// table = pe.pe[0]
  /// print(table.shape, table.stride())
  /// print(pe.pe.shape, pe.pe.stride())
  /// print(table.data_ptr() == pe.pe.data_ptr())
  /// ```
  const Tensor table = pe->pe[0];  // [5, 4]
  print(table.sizes(), python_tuple(table.strides()));
  print(pe->pe.sizes(), python_tuple(pe->pe.strides()));
  print(table.data_ptr() == pe->pe.data_ptr());

  //%% odd_width | Aside: what an odd width does
  cell("odd_width", "Aside: what an odd width does");
  /// Nothing in the formula asks for an even $d_{model}$, but the loop does: with five columns
  /// the last sine goes to column 4 and its cosine to column 5, which does not exist.
  ///
  /// ```python
  /// try:
  ///     PositionalEncoding(5, 4)
  /// except IndexError as error:
  ///     print("IndexError:", error)
  /// ```
  try {
    PositionalEncoding odd(5, 4);
  } catch (const etude::IndexError& error) {
    print("IndexError:", first_line(error.what()));
  }

  //%% odd_width_done_right | Aside: an odd width, done right
  cell("odd_width_done_right", "Aside: an odd width, done right");
  /// The last pair simply has no room for its cosine. In Python one `if` is missing; the
  /// library's table leaves the cosine out by itself.
  ///
  /// The smallest magnitude that is not zero is more than a thousand times smaller than the
  /// largest, which is where PyTorch's printing changes to scientific notation.
  ///
  /// ```python
  /// table = torch.zeros(4, 5)
  /// for pos in range(4):
  ///     for i in range(0, 5, 2):
  ///         table[pos, i] = math.sin(pos / 10000 ** (i / 5))
  ///         if i + 1 < 5:
  ///             table[pos, i + 1] = math.cos(pos / 10000 ** (i / 5))
  /// print(table)
  /// ```
  print(nn::sinusoidal_table(4, 5));

  //%% exercise1 | One entry by hand
  cell("exercise1", "One entry by hand", Compare::within(1e-6));
  /// *Itself* stands at position 3. Compute the number in row 3, column 2 of a table of width 4
  /// from the formula, without looking into the table, and store it in `entry`.
  {
    double entry = 0;
    //%% answer
    /// Column 2 begins the second pair, so $2i = 2$, and the angle is $3 / 10000^{2/4} = 0.03$.
    ///
    /// ```python
    /// entry = math.sin(3 / 10000 ** (2 / 4))
    /// print(entry)
    /// ```
    entry = std::sin(3 / std::pow(10000.0, 2.0 / 4));
    //%% end answer
    const double stored = pe->pe[0][3][2].item<double>();
    expect(std::abs(entry - stored) < 1e-6, "the table holds this number, up to its rounding");
    print(entry);
  }

  //%% exercise2 | Repair a speed
  cell("exercise2", "Repair a speed");
  /// The loop below fills row 1 of a table of width 4. It was written by somebody who read $2i$
  /// in the formula and forgot that the loop already counts 0, 2: the second pair comes out a
  /// hundred times too slow. Give `exponent` the right value.
  {
    Tensor row = etude::zeros({4});
    for (const int i : {0, 2}) {
      double exponent = 2.0 * i / 4;
      //%% answer
      /// `i` runs over the even columns, so it already is the formula's $2i$.
      ///
      /// ```python
      /// row = torch.zeros(4)
      /// for i in (0, 2):
      ///     exponent = i / 4
      ///     row[i] = math.sin(1 / 10000 ** exponent)
      ///     row[i + 1] = math.cos(1 / 10000 ** exponent)
      /// print(row)
      /// ```
      exponent = i / 4.0;
      //%% end answer
      row.index_put_({i}, std::sin(1 / std::pow(10000.0, exponent)));
      row.index_put_({i + 1}, std::cos(1 / std::pow(10000.0, exponent)));
    }
    expect(etude::allclose(row, pe->pe[0][1]), "row 1 is that of the table");
    print(row);
  }

  //%% exercise3 | Where did the dog stand?
  cell("exercise3", "Where did the dog stand?");
  /// In some sentence the word *dog*, id 0, became the vector `seen`, shown here to four digits.
  /// Find its position: which row of the table, added to row 0 of the embedding, comes nearest?
  /// `argmin` of a tensor is the index of its smallest element.
  {
    const Tensor seen = etude::tensor({-1.8826f, -1.8060f, -0.2106f, 0.5653f});
    int64_t position = 0;
    //%% answer
    /// Taking the word away leaves the encoding, and its distance to every row of the table is
    /// a row of five sums. So the sum of token and position has lost neither of them.
    ///
    /// ```python
    /// seen = torch.tensor([-1.8826, -1.8060, -0.2106, 0.5653])
    /// rest = seen - embedding.weight[0]
    /// position = (pe.pe[0] - rest).abs().sum(1).argmin().item()
    /// print(position)
    /// ```
    const Tensor rest = seen - embedding->weight[0];
    position = (pe->pe[0] - rest).abs().sum(1).argmin().item<int64_t>();
    //%% end answer
    const Tensor there = embedding->weight[0] + pe->pe[0][position];
    expect(etude::allclose(there, seen, 1e-3, 1e-3), "dog at this position is the vector seen");
    print(position);
  }

  //%% summary
  /// 1. A model gets ids, and an embedding turns each id into a vector that says what the word is.
  /// 2. Every position has a vector too, made of sines and cosines, that says where the word stands.
  /// 3. The columns go in pairs, and each pair turns at a speed of its own, from one radian per position down to nearly nothing.
  /// 4. The two vectors are added, so equal words at different places become different vectors.
  /// 5. A slice does not complain when a sequence is longer than the table; the sum does, and an unknown id does at once.
  //%% references
  /// 1. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, section 3.5
  /// 2. Shota Suzuki, [positional_encoding](https://github.com/shota-suzuki-1228/positional_encoding), the public notebook in Japanese that is redone here: its cells `In05` to `In10`
  /// 3. PyTorch, [torch.nn.Embedding](https://pytorch.org/docs/1.13/generated/torch.nn.Embedding.html)
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
