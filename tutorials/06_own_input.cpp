/// # Your own text
///
/// The same steps once more, with real input: any text file in UTF-8. Below it is
/// [a short sample](support/sample.txt) that lies beside the tutorials, the one that
/// PyTorch was given too.
///
///     build/release/tutorials/06_own_input --text README.md
///
/// The text is cut into tokens, the tokens get numbers, and the numbers become vectors that know
/// what they are and where they stand. The last cells look at what the positions of *your* text
/// have in common. An empty file works, and so does a very long one: the vocabulary is made from
/// all of it, the pictures from its first 128 tokens.

#include "support/files.h"
#include "support/svg.h"
#include "support/tensors.h"
#include "support/text.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// ```python
/// import math
/// import re
/// import torch
/// import torch.nn as nn
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nn = etude::nn;
using namespace etude::indexing;  // Slice, None
using etude::print, etude::Tensor;

//%% end

int main(int argc, char** argv) try {
  std::string file;
  Tutorial tutorial(argc, argv, "06_own_input",
                    {{"--text", "FILE",
                      "A text file in UTF-8 (default: the sample that was recorded, "
                      "tutorials/support/sample.txt)",
                      &file}});
  const std::filesystem::path path =
      !file.empty() ? std::filesystem::path(file) : source_file("tutorials/support/sample.txt");
  cell("imports", "What is needed");

  //%% text | The text
  cell("text", "The text");
  /// A file is a row of bytes. Read as UTF-8, one to four of them make a character. A file that
  /// is not UTF-8 is refused, with the offset of the first byte that does not fit.
  ///
  /// ```python
  /// text = open(path, encoding="utf-8-sig", newline="").read()
  /// print("bytes:", len(text.encode("utf-8")))
  /// print("characters:", len(text))
  /// ```
  const std::string text = read_text(path);
  print("bytes:", text.size());
  print("characters:", count_characters(text));

  //%% tokens | Tokens
  cell("tokens", "Tokens");
  /// The unit of a sequence is a token. Here: a word, or a single character that belongs to no
  /// word, such as a comma. White space separates tokens and is dropped. Scripts that are
  /// written without blanks give one token per character. Language models cut words further,
  /// into pieces that occur often; for positions it makes no difference.
  ///
  /// ```python
  /// word = ("A-Za-z0-9_\u00aa\u00b5\u00ba\u00c0-\u00d6"
  ///         "\u00d8-\u00f6\u00f8-\u167f\u1681-\u1fff")
  /// tokens = re.findall(f"[{word}]+|[^\\s{word}]", text)
  /// print("tokens:", len(tokens))
  /// print(*tokens[:16], sep=" | ")
  /// ```
  const std::vector<std::string_view> tokens = split_tokens(text);
  print("tokens:", tokens.size());
  std::string shown;
  for (size_t i = 0; i < std::min<size_t>(tokens.size(), 16); ++i) {
    shown += (i > 0 ? " | " : "") + visible(tokens[i]);
  }
  print(shown);

  //%% vocabulary | The vocabulary
  cell("vocabulary", "The vocabulary");
  /// Every different token gets a number, in the order of first appearance. Number 0 is kept for
  /// tokens that have none; a text with more than 50,000 different ones would need it.
  ///
  /// ```python
  /// vocabulary = ["<unk>"] + list(dict.fromkeys(tokens))[:50000]
  /// number = {token: i for i, token in enumerate(vocabulary)}
  /// print("different tokens:", len(vocabulary) - 1)
  /// for i in range(min(len(vocabulary), 8)):
  ///     print(i, vocabulary[i])
  /// ```
  const Vocabulary vocabulary(tokens);
  print("different tokens:", vocabulary.size() - 1);
  for (int64_t i = 0; i < std::min<int64_t>(vocabulary.size(), 8); ++i) {
    print(i, visible(vocabulary.token(i)));
  }

  //%% ids | The text as numbers
  cell("ids", "The text as numbers");
  /// The first 128 tokens as ids, in a batch of one: `[1, sequence]`. Equal tokens have equal
  /// ids.
  ///
  /// ```python
  /// ids = [number.get(token, 0) for token in tokens[:128]]
  /// ids = torch.tensor(ids, dtype=torch.int64).unsqueeze(0)
  /// print(ids.shape)
  /// print(ids[:, :16])
  /// ```
  const size_t length = std::min<size_t>(tokens.size(), 128);
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < length; ++i) numbers.push_back(vocabulary.id(tokens[i]));
  const Tensor ids = etude::tensor(numbers).unsqueeze(0);
  print(ids.sizes());
  print(ids.index({Slice(), Slice(None, 16)}));

  //%% embedding | Token plus position
  cell("embedding", "Token plus position");
  /// The library's `InputEmbedding`, with a row per id and a table for 128 positions, 64 numbers
  /// wide. Each id becomes a vector that holds the sum of its token's row and its position's.
  ///
  /// ```python hidden
  /// class TokenEmbedding(nn.Module):
  ///     def __init__(self, vocab_size, d_model):
  ///         super().__init__()
  ///         self.embedding = nn.Embedding(vocab_size, d_model)
  ///
  ///     def forward(self, x):
  ///         return self.embedding(x)
  ///
  /// class PositionalEncoding(nn.Module):
  ///     def __init__(self, d_model, max_len):
  ///         super().__init__()
  ///         angle = torch.arange(float(max_len)).unsqueeze(1) * torch.exp(
  ///             torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
  ///         self.register_buffer("pe", torch.stack([angle.sin(), angle.cos()],
  ///         2).flatten(1).unsqueeze(0))
  ///
  ///     def forward(self, x):
  ///         return x + self.pe[:, :x.size(1)]
  ///
  /// class InputEmbedding(nn.Module):
  ///     def __init__(self, vocab_size, d_model, max_len):
  ///         super().__init__()
  ///         self.token_embedding = TokenEmbedding(vocab_size, d_model)
  ///         self.pos_encoding = PositionalEncoding(d_model, max_len)
  ///
  ///     def forward(self, x):
  ///         return self.pos_encoding(self.token_embedding(x))
  /// ```
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// embedder = InputEmbedding(len(vocabulary), 64, max_len=128)
  /// vectors = embedder(ids).detach()
  /// print(embedder)
  /// print("ids:", ids.shape)
  /// print("vectors:", vectors.shape)
  /// ```
  etude::manual_seed(0);
  nn::InputEmbedding embedder(
      nn::InputEmbeddingOptions(vocabulary.size(), 64, nn::kBatchFirst).max_len(128));
  const Tensor vectors = embedder(ids).detach();
  print(embedder);
  print("ids:", ids.sizes());
  print("vectors:", vectors.sizes());

  //%% same_token | A token that comes twice
  cell("same_token", "A token that comes twice");
  /// The first token of the text that has been there before: where it stands, and whether its
  /// two vectors are equal, before and after the positions are added.
  ///
  /// ```python
  /// first = {}
  /// again = next((i for i, token in enumerate(tokens[:128])
  ///               if first.setdefault(token, i) != i), None)
  /// if again is None:
  ///     print("no token comes twice")
  /// else:
  ///     once = first[tokens[again]]
  ///     rows, sums = embedder.token_embedding(ids)[0], vectors[0]
  ///     print(tokens[again], "at", once, "and", again)
  ///     print("equal as tokens:", torch.equal(rows[once], rows[again]))
  ///     print("equal as input:", torch.equal(sums[once], sums[again]))
  /// ```
  std::unordered_map<std::string_view, size_t> first;
  size_t again = 0;
  while (again < length && first.emplace(tokens[again], again).second) ++again;
  if (again == length) {
    print("no token comes twice");
  } else {
    const auto once = static_cast<int64_t>(first[tokens[again]]),
               twice = static_cast<int64_t>(again);
    const Tensor rows = embedder->token_embedding(ids);
    print(visible(tokens[again]), "at", once, "and", twice);
    print("equal as tokens:", etude::equal(rows[0][once], rows[0][twice]));
    print("equal as input:", etude::equal(vectors[0][once], vectors[0][twice]));
  }

  //%% table | The positions of this text
  cell("table", "The positions of this text");
  /// One line for each position that the text has, up to 128, and 64 columns. The table is the
  /// same for every text; how much of it is used depends on the length.
  ///
  /// ![The encoding of the text's positions as a heat map, 64 dimensions wide](table.svg)
  ///
  /// ```python
  /// table = embedder.pos_encoding.pe[0, :ids.size(1)]
  /// print(table.shape)
  /// ```
  const Tensor table = embedder->pos_encoding->pe[0].index({Slice(None, ids.size(1))});
  print(table.sizes());

  HeatMap map;
  map.title = "Encoding of the positions of the text";
  map.description =
      "Values between -1 and 1, in columns that are fast on the left and slow on the right.";
  map.x_label = "dimension";
  map.y_label = "position";
  map.rows = table.size(0);
  map.columns = table.size(1);
  map.values = values_of(table);
  figure("table.svg", draw(map));

  //%% similarity | How alike the positions are
  cell("similarity", "How alike the positions are");
  /// Dot products between the encodings of some positions, rounded to hundredths. On the
  /// diagonal is $d/2 = 32$, and the further apart, the smaller, though not without ripples. The
  /// picture has all positions of the text.
  ///
  /// ![Dot products between the encodings of all positions of the text](positions.svg)
  ///
  /// ```python
  /// some = [p for p in (0, 1, 3, 10, 30, 100) if p < len(table)]
  /// some = torch.tensor(some, dtype=torch.int64)
  /// print(some)
  /// print(torch.round((table[some] @ table[some].T) * 100) / 100)
  /// ```
  std::vector<int64_t> wanted;
  for (const int64_t p : {0, 1, 3, 10, 30, 100}) {
    if (p < table.size(0)) wanted.push_back(p);
  }
  const Tensor some = etude::tensor(wanted);
  const Tensor chosen = table.index_select(0, some);
  print(some);
  print(etude::round(etude::matmul(chosen, chosen.t()) * 100) / 100);

  map.title = "Dot products of positions";
  map.description =
      "Brightest on the diagonal; every diagonal has one value, for it stands for one distance.";
  map.x_label = "position";
  map.rows = map.columns = table.size(0);
  map.values = values_of(etude::matmul(table, table.t()));
  map.colours = Colours::sequential;
  figure("positions.svg", draw(map));

  //%% inputs | How alike the inputs are
  cell("inputs", "How alike the inputs are");
  /// The same for the sums, which is what a transformer receives. Bright dots off the diagonal
  /// are tokens that come again; around the diagonal the likeness of neighbouring positions
  /// shines through. Before any training the tokens' vectors are random, so apart from that they
  /// have nothing in common.
  ///
  /// ![Dot products between the input vectors of the text; repeated tokens are bright
  /// dots](inputs.svg)
  ///
  /// ```python
  /// print((vectors[0] @ vectors[0].T).shape)
  /// ```
  const Tensor inputs = etude::matmul(vectors[0], vectors[0].t());
  print(inputs.sizes());

  map.title = "Dot products of input vectors";
  map.description =
      "Token plus position: a bright diagonal, and bright dots where a token comes again.";
  map.values = values_of(inputs);
  figure("inputs.svg", draw(map));

  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
