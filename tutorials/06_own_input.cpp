/// # Your own text
///
/// - You will be able to: turn a text file into ids and vectors; say what happens to a word that the vocabulary does not know
/// - You need: [the input embedding](05_input_embedding.cpp)
/// - Minutes: 25
/// - Result: same_token
///
/// A text is cut into tokens, the tokens get numbers, and the numbers become vectors that know
/// what they are and where they stand. These are the steps of the earlier lessons, with real
/// input: any text file in UTF-8.
///
/// ```diagram From a file to the input of a model
/// file: bytes of a file
/// cut: (words and characters)
/// tokens: tokens [length]
/// look: (vocabulary)
/// ids: ids [1, length]
/// embed: (input embedding)
/// z: vectors [1, length, 64]
/// ```
///
/// The text below is [a short sample](support/sample.txt) from the folder of the lessons, and
/// PyTorch was given the same one. To use a text of your own:
///
///     build/release/tutorials/06_own_input --text README.md
///
/// The last cells look at what the positions of *your* text have in common. An empty file works,
/// and so does a very long one: the vocabulary is made from the whole text, and the pictures from
/// its first 128 tokens.

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
  /// A file is a row of bytes. In UTF-8 a character takes one to four of them [1]. A file that is
  /// not UTF-8 is refused, and the message names the first byte that does not fit.
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
  /// The unit of a sequence is a token. Here a token is a word, or a single character that
  /// belongs to no word, such as a comma. White space separates tokens and is dropped. Chinese,
  /// Japanese and Korean characters are a token each. Language models cut words further, into
  /// pieces that occur often [2]. For the positions this makes no difference.
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
  /// tokens that have no number of their own; a text with more than 50,000 different tokens would
  /// need it.
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

  //%% sentence | Four words of ours
  cell("sentence", "Four words of ours");
  /// Here is *the dog saw itself* by the same rules. Its numbers are 1, 2, 3, 4. In the earlier
  /// lessons they were 3, 0, 2, 1, because there the words were numbered alphabetically. Both are
  /// right. The number of a word means nothing by itself, as long as the model is always used
  /// with the vocabulary that it was trained with.
  ///
  /// ```python
  /// words = re.findall(f"[{word}]+|[^\\s{word}]", "the dog saw itself")
  /// four = ["<unk>"] + list(dict.fromkeys(words))
  /// number_of = {token: i for i, token in enumerate(four)}
  /// print(torch.tensor([[number_of[token] for token in words]]))
  /// ```
  const std::vector<std::string_view> words = split_tokens("the dog saw itself");
  const Vocabulary four(words);
  std::vector<int64_t> word_ids;
  for (const std::string_view word : words) word_ids.push_back(four.id(word));
  print(etude::tensor(word_ids).unsqueeze(0));  // [1, 4]

  //%% ids | The text as numbers
  cell("ids", "The text as numbers");
  /// These are the first 128 tokens as ids, in a batch of one: `[1, sequence]`. Equal tokens have
  /// equal ids.
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
  const Tensor ids = etude::tensor(numbers).unsqueeze(0);  // [1, length]
  print(ids.sizes());
  print(ids.index({Slice(), Slice(None, 16)}));

  //%% embedding | Token plus position
  cell("embedding", "Token plus position");
  /// The library's `InputEmbedding` has a row per id and a table for 128 positions, both 64
  /// numbers wide. Each id becomes the sum of its token's row and its position's row [3].
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
  const Tensor vectors = embedder(ids).detach();  // [1, length, 64]
  print(embedder);
  print("ids:", ids.sizes());
  print("vectors:", vectors.sizes());

  //%% same_token | A token that comes twice
  cell("same_token", "A token that comes twice");
  /// Which token is the first to occur for the second time? The output shows its two places, and
  /// whether its two vectors are equal, before and after the positions are added.
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
  /// The picture has a line for each position of the text, up to 128, and 64 columns. The table
  /// is the same for every text; how much of it is used depends on the length.
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
  /// Here are the dot products between the encodings of some positions, rounded to hundredths.
  /// The diagonal holds $d/2 = 32$. The further apart two positions are, the smaller the number
  /// is, though with ripples. The picture shows all positions of the text.
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
  /// These are the dot products of the sums, which a transformer receives as its input. Bright
  /// dots off the diagonal are tokens that occur again. Close to the diagonal, neighbouring
  /// positions are alike. Before any training the tokens' vectors are random, so apart from that
  /// they have nothing in common.
  ///
  /// ![Dot products between the input vectors of the text; repeated tokens are bright
  /// dots](inputs.svg)
  ///
  /// ```python
  /// print((vectors[0] @ vectors[0].T).shape)
  /// ```
  const Tensor inputs = etude::matmul(vectors[0], vectors[0].t());  // [length, length]
  print(inputs.sizes());

  map.title = "Dot products of input vectors";
  map.description =
      "Token plus position: a bright diagonal, and bright dots where a token comes again.";
  map.values = values_of(inputs);
  figure("inputs.svg", draw(map));

  //%% unknown | What breaks: words without a number
  cell("unknown", "What breaks: words without a number");
  /// Nothing fails when a word is not in the vocabulary, but something is lost. Here only two
  /// words may have a number. *Saw* and *itself* both become 0, `<unk>`, so they get the same row
  /// of the embedding, and nothing leads back to the words.
  ///
  /// It also fails silently when ids of one vocabulary meet the embedding of another: the rows
  /// exist, but they belong to other words.
  ///
  /// ```python
  /// two = ["<unk>"] + list(dict.fromkeys(words))[:2]
  /// short = {token: i for i, token in enumerate(two)}
  /// print(torch.tensor([short.get(token, 0) for token in words]))
  /// print(*[two[short.get(token, 0)] for token in words])
  /// ```
  const Vocabulary two(words, 2);
  std::vector<int64_t> known;
  std::string back;
  for (const std::string_view word : words) {
    known.push_back(two.id(word));
    back += (back.empty() ? "" : " ") + visible(two.token(known.back()));
  }
  print(etude::tensor(known));
  print(back);

  //%% exercise1 | How many tokens?
  cell("exercise1", "How many tokens?");
  /// Into how many tokens is `Don't stop!` cut? Count by the rules of [tokens](#tokens) and set
  /// `count` before you run it.
  {
    size_t count = 0;
    //%% answer
    /// The apostrophe and the exclamation mark belong to no word: `Don`, `'`, `t`, `stop`, `!`.
    ///
    /// ```python
    /// count = 5
    /// print(count, *re.findall(f"[{word}]+|[^\\s{word}]", "Don't stop!"))
    /// ```
    count = 5;
    //%% end answer
    const std::vector<std::string_view> cut = split_tokens("Don't stop!");
    expect(count == cut.size(), "the text is cut into this number of tokens");
    std::string all;
    for (const std::string_view token : cut) all += " " + visible(token);
    print(std::to_string(count) + all);
  }

  //%% exercise2 | A word it has never seen
  cell("exercise2", "A word it has never seen");
  /// Turn *the cat saw the dog* into ids with the vocabulary `four` of
  /// [our sentence](#sentence) and collect them in `cat_ids`. *Cat* is not in it. The tokens are
  /// in `text_with_cat`.
  {
    const std::vector<std::string_view> text_with_cat = split_tokens("the cat saw the dog");
    std::vector<int64_t> cat_ids;
    //%% answer
    /// `id` gives 0 for a word that has no number, as `get(token, 0)` does in Python.
    ///
    /// ```python
    /// cat_ids = [number_of.get(token, 0) for token in "the cat saw the dog".split()]
    /// print(torch.tensor(cat_ids))
    /// ```
    for (const std::string_view token : text_with_cat) cat_ids.push_back(four.id(token));
    //%% end answer
    expect(cat_ids.size() == 5, "every token has an id");
    expect(cat_ids[0] == cat_ids[3] && cat_ids[1] == 0, "equal words are equal, cat is unknown");
    print(etude::tensor(cat_ids));
  }

  //%% exercise3 | Read the vectors back
  cell("exercise3", "Read the vectors back");
  /// `input`, `[4, 64]`, is what a model would get for *the dog saw itself*. Recover the ids from
  /// it: `places`, `[4, 64]`, and `rows`, `[5, 64]`, are the table and the embedding that were
  /// added. Put them into `recovered`, a tensor of four integers. A hint: `a.unsqueeze(1) - b` is
  /// every row of `a` minus every row of `b`, and `argmin(1)` finds the smallest of each row.
  {
    etude::manual_seed(1);
    nn::InputEmbedding reader(
        nn::InputEmbeddingOptions(four.size(), 64, nn::kBatchFirst).max_len(4));
    const Tensor input = reader(etude::tensor(word_ids).unsqueeze(0))[0].detach();
    const Tensor places = reader->pos_encoding->pe[0];
    const Tensor rows = reader->token_embedding->embedding->weight.detach();
    Tensor recovered;
    //%% answer
    /// When the places are subtracted, the rows of the embedding are left, and each is nearest to
    /// itself.
    ///
    /// ```python
    /// torch.manual_seed(1)
    /// reader = InputEmbedding(len(four), 64, max_len=4)
    /// input = reader(torch.tensor([[1, 2, 3, 4]]))[0]
    /// rows, places = reader.token_embedding.embedding.weight, reader.pos_encoding.pe[0]
    /// apart = ((input - places).unsqueeze(1) - rows).abs().sum(2)
    /// recovered = apart.argmin(1)
    /// print(recovered)
    /// print(*[four[i] for i in recovered.tolist()])
    /// ```
    const Tensor apart = ((input - places).unsqueeze(1) - rows).abs().sum(2);  // [4, 5]
    recovered = apart.argmin(1);
    //%% end answer
    expect(recovered.defined() && recovered.numel() == 4, "there are four ids");
    expect(etude::equal(recovered, etude::tensor(word_ids)), "they are those of the words");
    print(recovered);
    std::string read;
    for (int64_t i = 0; i < 4; ++i) {
      read += (i > 0 ? " " : "") + visible(four.token(recovered[i].item<int64_t>()));
    }
    print(read);
  }

  //%% summary
  /// 1. Text becomes tokens, tokens become ids, ids become vectors, and positions are added.
  /// 2. The numbering of a vocabulary means nothing, but it has to stay the same.
  /// 3. Tokens without a number share the id 0, and what they were is lost.
  /// 4. A token that comes twice has one row in the embedding and two vectors in the input.
  /// 5. Before training, the inputs are alike only where tokens repeat or positions are near.
  //%% references
  /// 1. F. Yergeau, [UTF-8, a transformation format of ISO 10646](https://www.rfc-editor.org/rfc/rfc3629), RFC 3629, 2003
  /// 2. R. Sennrich, B. Haddow, A. Birch, [Neural Machine Translation of Rare Words with Subword Units](https://arxiv.org/abs/1508.07909), 2016, section 3.2
  /// 3. A. Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762), 2017, sections 3.4 and 3.5
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
