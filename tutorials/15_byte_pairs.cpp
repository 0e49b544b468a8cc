/// # Byte pairs
///
/// - You will be able to: build a vocabulary by merging pairs; encode and decode any text with it; say why a model stumbles over blanks and numbers
/// - You need: [training a GPT](11_training_a_gpt.cpp), dictionaries and lists
/// - Minutes: 40
/// - Result: growth
///
/// A model reads numbers, so text has to become ids. With an id per character a short sentence
/// is long, and every step of the model is spent on a single letter. With an id per word the
/// vocabulary never ends, and a new word has no id. In between lies a simple idea: begin with
/// the bytes, look for the two neighbours that occur together most often, make them one, and
/// begin again. What is frequent becomes short. What is rare stays in pieces, and nothing is
/// unknown.
///
/// Philip Gage published this in 1994 to compress files [1]. Rico Sennrich and others used it in
/// 2016 to cut words for translation [2], and GPT-2 took it back to bytes [3]. Today's language
/// models begin with it or with a relative of it.
///
/// ```diagram From a text to ids and back
/// t: the dog saw itself
/// c: (cut into pieces) [4]
/// b: (as bytes) [18]
/// m: (merge by rank)
/// i: ids [10]
/// d: (look up, join)
/// u: the dog saw itself
/// ```
///
/// The lesson begins with the counting and the merging, on a line of verse. Then come the
/// vocabulary that results, new text in it, and the way back. In the end we see what it costs,
/// and where it breaks.

#include "support/expressions.h"
#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// Plain Python is enough here, and lists of numbers in C++. Etude's own tokenizer has to find
/// the same ids in the end.
///
/// ```python
/// import re
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using etude::print;
using Ids = std::vector<int64_t>;
using Pair = std::pair<int64_t, int64_t>;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "15_byte_pairs");
  cell("imports", "What is needed");

  //%% bytes | Text is bytes already
  cell("bytes", "Text is bytes already");
  /// In a file each character is one byte or several, numbers from 0 to 255. These are the first
  /// 256 ids. The sentence of [the attention page](08_attention.cpp) has 18 of them. 116 is *t*,
  /// 32 is the blank.
  ///
  /// ```python
  /// def to_bytes(text):
  ///     return list(text.encode())
  ///
  /// sentence = "the dog saw itself"
  /// print(len(to_bytes(sentence)))
  /// print(to_bytes(sentence))
  /// ```
  const auto to_bytes = [](const std::string& text) {
    Ids ids;
    for (const char c : text) ids.push_back(static_cast<uint8_t>(c));
    return ids;
  };
  const auto list = [](const Ids& ids) { return etude::tolist(etude::tensor(ids)); };

  const std::string sentence = "the dog saw itself";
  print(to_bytes(sentence).size());
  print(list(to_bytes(sentence)));

  //%% counting | Counting pairs
  cell("counting", "Counting pairs");
  /// Which two ids stand side by side most often? In our sentence no pair occurs twice: four
  /// words teach nothing. So here is the second couplet of [the page on
  /// training](11_training_a_gpt.cpp) with its most frequent pairs.
  ///
  /// One pair occurs five times, the blank and *w*. But six pairs occur four times. There has to
  /// be a rule for *ties*, or two programs learn different vocabularies from one text. Our rule
  /// is this: of pairs that are equally frequent, the one with the smaller first id comes first,
  /// then the one with the smaller second id. The blank is 32, *a* is 97, *w* is 119.
  ///
  /// ```python
  /// def count_pairs(pieces):
  ///     counts = {}
  ///     for ids in pieces:
  ///         for pair in zip(ids, ids[1:]):
  ///             counts[pair] = counts.get(pair, 0) + 1
  ///     return counts
  ///
  /// line = ("the day was long, the road was steep, "
  ///         "the wind was cold, the snow was deep.\n")
  /// print(max(count_pairs([to_bytes(sentence)]).values()))
  /// counts = count_pairs([to_bytes(line)])
  /// ordered = sorted(counts, key=lambda pair: (-counts[pair], pair))
  /// for pair in ordered[:7]:
  ///     print(counts[pair], pair, repr(bytes(pair).decode()))
  /// ```
  const auto count_pairs = [](const std::vector<Ids>& pieces) {
    std::map<Pair, int64_t> counts;  // in the order of its pairs
    for (const Ids& ids : pieces) {
      for (size_t i = 0; i + 1 < ids.size(); ++i) ++counts[{ids[i], ids[i + 1]}];
    }
    return counts;
  };
  // The first of the most frequent ones: of equals that with the smaller ids.
  const auto most_frequent = [](const std::map<Pair, int64_t>& counts) {
    return *std::max_element(counts.begin(), counts.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
  };

  const std::string line =
      "the day was long, the road was steep, "
      "the wind was cold, the snow was deep.\n";
  print(most_frequent(count_pairs({to_bytes(sentence)})).second);
  std::map<Pair, int64_t> counts = count_pairs({to_bytes(line)});
  for (int i = 0; i < 7; ++i) {
    const auto [pair, count] = most_frequent(counts);
    const std::string characters{static_cast<char>(pair.first), static_cast<char>(pair.second)};
    print(count, python_tuple({pair.first, pair.second}), "'" + characters + "'");
    counts.erase(pair);
  }

  //%% merging | Merging a pair
  cell("merging", "Merging a pair");
  /// The most frequent pair gets the next free id, 256, and the text is written with it, from
  /// left to right. Where occurrences overlap the left one wins: of *aaaaa* two pairs are merged
  /// and one *a* remains.
  ///
  /// ```python
  /// def merge(ids, pair, new):
  ///     merged, i = [], 0
  ///     while i < len(ids):
  ///         fits = tuple(ids[i:i + 2]) == pair
  ///         merged.append(new if fits else ids[i])
  ///         i += 2 if fits else 1
  ///     return merged
  ///
  /// ids = to_bytes(line)
  /// shorter = merge(ids, (32, 119), 256)
  /// print(len(ids), len(shorter))
  /// print(shorter[:12])
  /// print(merge(to_bytes("aaaaa"), (97, 97), 256))
  /// ```
  const auto merge = [](const Ids& ids, const Pair& pair, int64_t new_id) {
    Ids merged;
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool fits = i + 1 < ids.size() && ids[i] == pair.first && ids[i + 1] == pair.second;
      merged.push_back(fits ? new_id : ids[i]);
      if (fits) ++i;
    }
    return merged;
  };

  const Ids ids = to_bytes(line), shorter = merge(ids, {32, 119}, 256);
  print(ids.size(), shorter.size());
  print(list(Ids(shorter.begin(), shorter.begin() + 12)));
  print(list(merge(to_bytes("aaaaa"), {97, 97}, 256)));

  //%% learning | Again and again
  cell("learning", "Again and again");
  /// Now the same is done again and again. One of the two ids may be a token that was made
  /// before: this is how tokens grow. The list of merged pairs is all that is kept. The learning
  /// ends when no pair occurs twice, since a token for a single place saves nothing.
  ///
  /// The text is four couplets of the page on training, and a fifth about the dog. Here are the
  /// first nine tokens that it gives, between bars.
  ///
  /// ```python
  /// text = ("the day was long, the road was steep, "
  ///         "the wind was cold, the snow was deep.\n"
  ///         "the door was low, the lamp was dim, "
  ///         "the cup was filled up to the brim.\n"
  ///         "the soup was hot, the bread was brown, "
  ///         "the cat came in and sat right down.\n"
  ///         "the fire was red, the night was black, "
  ///         "the road went on, the wind came back.\n"
  ///         "the dog saw the moon, the moon saw the dog, "
  ///         "the dog saw itself in the pond by the log.\n")
  ///
  /// def learn(pieces, most):
  ///     merges = []
  ///     while len(merges) < most:
  ///         counts = count_pairs(pieces)
  ///         best = min(counts, key=lambda pair: (-counts[pair], pair))
  ///         if counts[best] < 2:
  ///             break
  ///         new = 256 + len(merges)
  ///         pieces = [merge(ids, best, new) for ids in pieces]
  ///         merges.append(best)
  ///     return merges
  ///
  /// def tokens_of(merges):
  ///     tokens = [bytes([i]) for i in range(256)]
  ///     for left, right in merges:
  ///         tokens.append(tokens[left] + tokens[right])
  ///     return tokens
  ///
  /// uncut = learn([to_bytes(text)], 9)
  /// made = tokens_of(uncut)[256:]
  /// print("|".join(token.decode() for token in made))
  /// ```
  const std::string text =
      "the day was long, the road was steep, "
      "the wind was cold, the snow was deep.\n"
      "the door was low, the lamp was dim, "
      "the cup was filled up to the brim.\n"
      "the soup was hot, the bread was brown, "
      "the cat came in and sat right down.\n"
      "the fire was red, the night was black, "
      "the road went on, the wind came back.\n"
      "the dog saw the moon, the moon saw the dog, "
      "the dog saw itself in the pond by the log.\n";

  const auto learn = [&](std::vector<Ids> pieces, size_t most) {
    std::vector<Pair> merges;
    while (merges.size() < most) {
      const auto [best, count] = most_frequent(count_pairs(pieces));
      if (count < 2) break;
      const auto new_id = static_cast<int64_t>(256 + merges.size());
      for (Ids& piece : pieces) piece = merge(piece, best, new_id);
      merges.push_back(best);
    }
    return merges;
  };
  const auto tokens_of = [](const std::vector<Pair>& merges) {
    std::vector<std::string> tokens;
    for (int i = 0; i < 256; ++i) tokens.emplace_back(1, static_cast<char>(i));
    for (const auto& [left, right] : merges)
      tokens.push_back(tokens[static_cast<size_t>(left)] + tokens[static_cast<size_t>(right)]);
    return tokens;
  };
  const auto with_bars = [](const std::vector<std::string>& parts) {
    std::string joined;
    for (const std::string& part : parts) joined += (joined.empty() ? "" : "|") + part;
    return joined;
  };

  std::vector<std::string> made = tokens_of(learn({to_bytes(text)}, 9));
  made.erase(made.begin(), made.begin() + 256);
  print(with_bars(made));

  //%% cutting | Cut first, then merge
  cell("cutting", "Cut first, then merge");
  /// Look at the longest of them: they glue words together, with commas and blanks. They save
  /// bytes, and that was all they were asked for. But a model should not find a second *the*
  /// that has a comma in it, nor a third with the *was* before it, and learn the word three
  /// times.
  ///
  /// So GPT-2 cuts the text first, and merges only inside the pieces. A piece is a word with the
  /// blank before it, a number with its blank, a run of other characters, or blanks. English
  /// endings such as *'s* are pieces too. A regular expression says it; here every byte above
  /// 127 counts as a letter, where the original asks Unicode.
  ///
  /// ```python
  /// PIECE = re.compile(rb"'(?:s|t|re|ve|m|ll|d)"
  ///                    rb"| ?[a-zA-Z\x80-\xff]+"
  ///                    rb"| ?[0-9]+"
  ///                    rb"| ?[^\sa-zA-Z0-9\x80-\xff]+"
  ///                    rb"|\s+(?!\S)|\s+")
  ///
  /// def cut(text):
  ///     return PIECE.findall(text.encode())
  ///
  /// def with_bars(parts):
  ///     return "|".join(part.decode() for part in parts)
  ///
  /// print(with_bars(cut(sentence)))
  /// print(with_bars(cut("It's 1 dog,   2 cats!")))
  /// ```
  const std::string piece =
      "'(?:s|t|re|ve|m|ll|d)"
      "| ?[a-zA-Z\\x80-\\xff]+"
      "| ?[0-9]+"
      "| ?[^\\sa-zA-Z0-9\\x80-\\xff]+"
      "|\\s+(?!\\S)|\\s+";
  const auto cut = [&](const std::string& of) { return find_all(piece, of); };

  print(with_bars(cut(sentence)));
  print(with_bars(cut("It's 1 dog,   2 cats!")));

  //%% vocabulary | The vocabulary
  cell("vocabulary", "The vocabulary");
  /// Now the vocabulary: 256 bytes, and a token for each merge. Each line below is a merge, with
  /// the pair's ids. First parts of words appear, then words, and each word with its blank in
  /// front: *the* at the beginning of a line and *the* after a blank are two tokens. The place
  /// of a merge in the list is its *rank*.
  ///
  /// ```picture token_trees Two tokens, and the merges that made them
  /// Two trees with bytes at the bottom and a token at the top. One token grows letter by letter to the
  /// left; of the other, two pairs are merged first, and then the two pairs with each other.
  /// ```
  ///
  /// ```python
  /// def learn_text(text, most):
  ///     return learn([list(piece) for piece in cut(text)], most)
  ///
  /// merges = learn_text(text, 1000)
  /// tokens = tokens_of(merges)
  /// print(len(merges), "merges,", len(tokens), "tokens")
  /// for rank in (0, 1, 2, 3, 4, 5, 6, 7, 20, 30, 40):
  ///     left, right = merges[rank]
  ///     print(256 + rank, (left, right),
  ///           f"[{tokens[left].decode()}] + [{tokens[right].decode()}]")
  /// ```
  const auto learn_text = [&](const std::string& of, size_t most) {
    std::vector<Ids> pieces;
    for (const std::string& one : cut(of)) pieces.push_back(to_bytes(one));
    return learn(pieces, most);
  };

  const std::vector<Pair> merges = learn_text(text, 1000);
  const std::vector<std::string> tokens = tokens_of(merges);
  print(merges.size(), "merges,", tokens.size(), "tokens");
  for (const size_t rank : {0, 1, 2, 3, 4, 5, 6, 7, 20, 30, 40}) {
    const auto [left, right] = merges[rank];
    print(256 + rank, python_tuple({left, right}),
          "[" + tokens[static_cast<size_t>(left)] + "] + [" +
              tokens[static_cast<size_t>(right)] + "]");
  }

  //%% encoding | New text, by ranks
  cell("encoding", "New text, by ranks");
  /// To encode means to do again what was done while learning, in the same order. Among all
  /// neighbours in a piece for which there is a merge, the one with the *lowest rank* is merged,
  /// until none is left. What is merged first was more frequent. Pieces do not see each other,
  /// so each word can be encoded once and remembered.
  ///
  /// The word *roadway* is new. Step by step:
  ///
  /// ```python
  /// def encode_piece(ids, merges, show=False):
  ///     ranks = {pair: rank for rank, pair in enumerate(merges)}
  ///     while True:
  ///         if show:
  ///             print(with_bars(tokens[i] for i in ids))
  ///         known = [ranks[pair] for pair in zip(ids, ids[1:])
  ///                  if pair in ranks]
  ///         if not known:
  ///             return ids
  ///         ids = merge(ids, merges[min(known)], 256 + min(known))
  ///
  /// def encode(text, merges=merges):
  ///     return [i for piece in cut(text)
  ///             for i in encode_piece(list(piece), merges)]
  ///
  /// encode_piece(to_bytes(" roadway"), merges, show=True)
  /// print(encode(sentence))
  /// ```
  const auto bars_of = [&](const Ids& of) {
    std::vector<std::string> parts;
    for (const int64_t id : of) parts.push_back(tokens[static_cast<size_t>(id)]);
    return with_bars(parts);
  };
  const auto encode_piece = [&](Ids of, const std::vector<Pair>& with, bool show = false) {
    std::map<Pair, size_t> ranks;
    for (size_t rank = 0; rank < with.size(); ++rank) ranks[with[rank]] = rank;
    while (true) {
      if (show) print(bars_of(of));
      size_t lowest = with.size();
      for (size_t i = 0; i + 1 < of.size(); ++i) {
        const auto found = ranks.find({of[i], of[i + 1]});
        if (found != ranks.end()) lowest = std::min(lowest, found->second);
      }
      if (lowest == with.size()) return of;
      of = merge(of, with[lowest], static_cast<int64_t>(256 + lowest));
    }
  };
  const auto encode_with = [&](const std::vector<Pair>& with, const std::string& of) {
    Ids all;
    for (const std::string& one : cut(of)) {
      const Ids part = encode_piece(to_bytes(one), with);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  const auto encode = [&](const std::string& of) { return encode_with(merges, of); };

  encode_piece(to_bytes(" roadway"), merges, /*show=*/true);
  print(list(encode(sentence)));

  //%% decoding | And back
  cell("decoding", "And back");
  /// The way back needs no merges: each id stands for its bytes, and they are joined. Encoding
  /// and decoding give every text back as it was, blanks and all.
  ///
  /// ```python
  /// def decode(ids):
  ///     return b"".join(tokens[i] for i in ids)
  ///
  /// print(decode(encode(sentence)).decode())
  /// print(decode(encode(text)) == text.encode())
  /// ```
  const auto decode = [&](const Ids& of) {
    std::string joined;
    for (const int64_t id : of) joined += tokens[static_cast<size_t>(id)];
    return joined;
  };

  print(decode(encode(sentence)));
  print(decode(encode(text)) == text);

  //%% growth | The sentence while the vocabulary grows
  cell("growth", "The sentence while the vocabulary grows");
  /// Now everything at once: the sentence after the first merges, and after all of them. *the*
  /// is one token after two merges. *dog* and *saw* have become one token each. *itself* occurs
  /// once in the text, and stays in pieces: nothing is unknown, but what is rare is long.
  ///
  /// ```python
  /// for most in (0, 2, 8, 16, 24, len(merges)):
  ///     ids = encode(sentence, merges[:most])
  ///     print(f"{most:2} merges, {len(ids):2} tokens:",
  ///           with_bars(tokens[i] for i in ids))
  /// ```
  const auto first_merges = [&](size_t most) {
    return std::vector<Pair>(merges.begin(), merges.begin() + static_cast<std::ptrdiff_t>(most));
  };
  const auto in_two = [](size_t number) {
    return (number < 10 ? " " : "") + std::to_string(number);
  };
  for (const size_t most :
       {size_t{0}, size_t{2}, size_t{8}, size_t{16}, size_t{24}, merges.size()}) {
    const Ids now = encode_with(first_merges(most), sentence);
    print(in_two(most), "merges,", in_two(now.size()), "tokens:", bars_of(now));
  }

  //%% library | The library's tokenizer
  cell("library", "The library's tokenizer");
  /// `BytePairTokenizer` does all of this. It counts each different word once, with the number
  /// of times that it occurs, and after a merge it looks only at the neighbours of what was
  /// merged. That makes no difference to the result: the same tokens, and the same ids for each
  /// text, to the last one. C++ compares all of them here and prints the library's ids; Python
  /// prints its own.
  ///
  /// ```python
  /// aside = ("the soup was cold, the night was long, "
  ///          "the cat was red, the wind was strong.\n")
  /// print(len(tokens))
  /// print(encode(aside))
  /// ```
  const std::string aside =
      "the soup was cold, the night was long, "
      "the cat was red, the wind was strong.\n";
  const auto library = etude::text::BytePairTokenizer::train(text, /*vocab_size=*/1000);
  print(library.vocab_size());
  print(list(library.encode(aside)));
  for (size_t i = 0; i < tokens.size(); ++i)
    expect(library.decode({static_cast<int64_t>(i)}) == tokens[i],
           "each token is the library's");
  for (const std::string& of :
       {sentence, line, text, aside, std::string("Two new dogs, 20 cats!")})
    expect(library.encode(of) == encode(of), "the library has the same ids for each text");

  //%% trade_off | Short texts or a small vocabulary
  cell("trade_off", "Short texts or a small vocabulary");
  /// How large should the vocabulary be? With each merge texts become shorter, which saves work
  /// in every layer, and attention saves most, since it compares all pairs of tokens. But each
  /// token has a row in the embedding and one in the output layer, and these rows have to be
  /// learned from fewer and fewer examples.
  ///
  /// Below are the number of tokens, the length of the text, the length of two lines that were
  /// not learned from, and how many numbers an embedding of width 64 has.
  ///
  /// ```python
  /// for most in (0, 10, 20, 30, len(merges)):
  ///     some = merges[:most]
  ///     print(256 + most, len(encode(text, some)),
  ///           len(encode(aside, some)), (256 + most) * 64)
  /// ```
  for (const size_t most : {size_t{0}, size_t{10}, size_t{20}, size_t{30}, merges.size()}) {
    const std::vector<Pair> some = first_merges(most);
    print(256 + most, encode_with(some, text).size(), encode_with(some, aside).size(),
          (256 + most) * 64);
  }

  //%% trade_off_plot | Less and less is gained
  cell("trade_off_plot", "Less and less is gained");
  /// Tokens per 100 bytes over the number of merges. The first merges save most, since they are
  /// the most frequent; the last ones save two tokens each. The text set aside is made of
  /// frequent words too and gains as much at first. From the twenty-fourth merge on most of what
  /// is merged occurs in the learned text alone.
  ///
  /// GPT-2 went on to 50,000 merges of a large text, which with the bytes and one special token
  /// makes 50,257 ids [3]. At its width of 768 that is an embedding of 38.6 million numbers,
  /// nearly a third of the smallest model.
  ///
  /// ![Tokens per 100 bytes over the number of merges: both curves fall from 100, the text that
  /// was learned from ends lowest](trade_off.svg)
  LinePlot plot;
  plot.title = "Tokens per 100 bytes over the merges";
  plot.description =
      "Both curves begin at 100 and fall quickly, then slowly. The text that was learned from "
      "ends below the text set aside.";
  plot.x_label = "merges";
  plot.y_label = "tokens per 100 bytes";
  plot.series = {{"text set aside", {}}, {"text that is learned", {}}};
  for (size_t most = 0; most <= merges.size(); ++most) {
    plot.x.push_back(static_cast<double>(most));
    for (size_t i = 0; i < 2; ++i) {
      const std::string& of = i == 0 ? aside : text;
      const size_t length = encode_with(first_merges(most), of).size();
      plot.series[i].y.push_back(100.0 * static_cast<double>(length) /
                                 static_cast<double>(of.size()));
    }
  }
  figure("trade_off.svg", draw(plot));

  //%% utf8 | Nothing is unknown
  cell("utf8", "Nothing is unknown");
  /// A vocabulary of characters has no id for one that it has not seen, and Unicode has more
  /// than a hundred thousand. With bytes there is always a way. UTF-8 writes a character of
  /// ASCII as one byte and each other as two to four, all of them above 127. So *dög* and 犬 have
  /// ids, and come back. But they are long: without merges of their own a Chinese or Greek text
  /// costs two or three times as many tokens as it has characters.
  ///
  /// ```python
  /// for c in "oö犬🐕":
  ///     print(c, encode(c))
  /// print(decode(encode("the dög saw 犬")).decode())
  /// ```
  for (const std::string c : {"o", "ö", "犬", "🐕"}) print(c, list(encode(c)));
  print(decode(encode("the dög saw 犬")));

  //%% half | Half a character
  cell("half", "Half a character");
  /// A model draws one token after the other, and a token may end in the middle of a character.
  /// What has arrived by then is not text yet. The first byte of a character tells how many
  /// belong to it: below 128 it is alone, from 192 on there are two, from 224 on three, from 240
  /// on four; those from 128 to 191 continue one. A program that shows a text while it is drawn
  /// keeps the last bytes back until their character is whole.
  ///
  /// Is there half a character at the end, after 1, 2, 3, ... bytes of "ö犬!"?
  ///
  /// ```python
  /// def ends_in_half(data):
  ///     for back in range(1, min(len(data), 4) + 1):
  ///         byte = data[-back]
  ///         if byte < 128:
  ///             return False
  ///         if byte >= 192:
  ///             size = 2 + (byte >= 224) + (byte >= 240)
  ///             return back < size
  ///     return False
  ///
  /// data = "ö犬!".encode()
  /// print([ends_in_half(data[:n]) for n in range(1, len(data) + 1)])
  /// ```
  const auto ends_in_half = [](const std::string& data) {
    for (size_t back = 1; back <= std::min<size_t>(data.size(), 4); ++back) {
      const auto byte = static_cast<uint8_t>(data[data.size() - back]);
      if (byte < 128) return false;
      if (byte >= 192) return back < 2u + (byte >= 224) + (byte >= 240);
    }
    return false;
  };
  const std::string data = "ö犬!";
  std::vector<uint8_t> halves;
  for (size_t n = 1; n <= data.size(); ++n) halves.push_back(ends_in_half(data.substr(0, n)));
  print(etude::tolist(etude::tensor(halves).to(etude::kBool)));

  //%% blanks | One word, many tokens
  cell("blanks", "One word, many tokens");
  /// To us it is one word. To the model *dog* at the beginning of a text, *dog* after a blank,
  /// *Dog* with a capital and *dogs* have four different rows of ids: `dog` with a blank is one
  /// token, and without one it is three. What it has learned about one it has to learn again for
  /// the others. The last line is a trap for those who write prompts: a blank at the end takes
  /// away the blank of the next word. After *the* and a lone blank the model is to continue with
  /// *dog* without its blank, which it has hardly ever seen.
  ///
  /// ```python
  /// for some in ("dog", " dog", " Dog", " dogs", "the dog", "the "):
  ///     ids = encode(some)
  ///     print(with_bars(tokens[i] for i in ids), ids)
  /// ```
  for (const std::string some : {"dog", " dog", " Dog", " dogs", "the dog", "the "}) {
    const Ids now = encode(some);
    print(bars_of(now), list(now));
  }

  //%% numbers | Numbers in odd pieces
  cell("numbers", "Numbers in odd pieces");
  /// Numbers are merged as words are, by how often their digits stand together. Here sixty
  /// merges are learned from the squares up to 399 · 399. Neighbours on the number line are then
  /// cut in different places, and the same digit has a different weight in each token. Adding
  /// two such numbers is harder than it need be. Later models cut every digit, or three at a
  /// time, before they merge.
  ///
  /// ```python
  /// squares = " ".join(str(n * n) for n in range(1, 400))
  /// by_squares = learn_text(squares, 60)
  /// parts = tokens_of(by_squares)
  /// for n in range(2024, 2030):
  ///     ids = encode(f" {n}", by_squares)
  ///     print(with_bars(parts[i] for i in ids))
  /// ```
  std::string squares;
  for (int n = 1; n < 400; ++n) squares += (n > 1 ? " " : "") + std::to_string(n * n);
  const std::vector<Pair> by_squares = learn_text(squares, 60);
  const std::vector<std::string> parts = tokens_of(by_squares);
  for (int n = 2024; n < 2030; ++n) {
    std::vector<std::string> cut_number;
    for (const int64_t id : encode_with(by_squares, " " + std::to_string(n)))
      cut_number.push_back(parts[static_cast<size_t>(id)]);
    print(with_bars(cut_number));
  }

  //%% exercise1 | Learn four merges by hand
  cell("exercise1", "Learn four merges by hand");
  /// Which are the first four merges of the text `low lower lowest`, cut into pieces? Write the
  /// pairs of ids as a list. The bytes are blank 32, e 101, l 108, o 111, r 114, s 115, t 116,
  /// w 119. Mind the ties.
  {
    std::vector<Pair> answer;
    //%% answer
    /// *lo* and *ow* occur three times; *lo* has the smaller ids. Then *lo* + *w* occurs three
    /// times. Now the blank + *low* and *low* + *e* occur twice each, and 32 is smaller than
    /// 257.
    ///
    /// ```python
    /// answer = [(108, 111), (256, 119), (32, 257), (258, 101)]
    /// print(answer == learn_text("low lower lowest", 4))
    /// print(with_bars(tokens_of(answer)[256:]))
    /// ```
    answer = {{108, 111}, {256, 119}, {32, 257}, {258, 101}};
    //%% end answer
    expect(answer.size() == 4, "there are four merges");
    expect(answer[0].first == 108 || answer[0].first == 111,
           "the first merge is that of a pair that occurs three times");
    print(answer == learn_text("low lower lowest", 4));
    std::vector<std::string> four = tokens_of(answer);
    four.erase(four.begin(), four.begin() + 256);
    print(with_bars(four));
  }

  //%% exercise2 | Repair an encoder
  cell("exercise2", "Repair an encoder");
  /// This encoder works on one piece. Of the pairs of neighbours that have a merge it takes the
  /// first one from the left, and it cuts *seed* into `s|ee|d`. The library cuts it into
  /// `s|e|ed`. Set `better` so that it says whether `pair` has to be merged before `best`.
  /// `ranks` maps pairs to their ranks, and a pair (-1, -1) stands for none.
  {
    std::map<Pair, size_t> ranks;
    for (size_t rank = 0; rank < merges.size(); ++rank) ranks[merges[rank]] = rank;

    const auto choose = [&](const std::vector<Pair>& known) {
      Pair best{-1, -1};
      for (const Pair& pair : known) {
        bool better = best.first < 0;
        //%% answer
        /// *ed* was merged before *ee* while learning, so its rank is lower, wherever it stands.
        ///
        /// ```python
        /// ranks = {pair: rank for rank, pair in enumerate(merges)}
        ///
        /// def choose(known):
        ///     best = (-1, -1)
        ///     for pair in known:
        ///         if best[0] < 0 or ranks[pair] < ranks[best]:
        ///             best = pair
        ///     return best
        ///
        /// ids = to_bytes("seed")
        /// while True:
        ///     pair = choose([pair for pair in zip(ids, ids[1:])
        ///                    if pair in ranks])
        ///     if pair[0] < 0:
        ///         break
        ///     ids = merge(ids, pair, 256 + ranks[pair])
        /// print(with_bars(tokens[i] for i in ids))
        /// ```
        better = best.first < 0 || ranks.at(pair) < ranks.at(best);
        //%% end answer
        if (better) best = pair;
      }
      return best;
    };

    Ids seed = to_bytes("seed");
    while (true) {
      std::vector<Pair> known;
      for (size_t i = 0; i + 1 < seed.size(); ++i) {
        if (ranks.count({seed[i], seed[i + 1]}) > 0) known.emplace_back(seed[i], seed[i + 1]);
      }
      const Pair pair = choose(known);
      if (pair.first < 0) break;
      seed = merge(seed, pair, static_cast<int64_t>(256 + ranks.at(pair)));
    }
    print(bars_of(seed));
    expect(seed == library.encode("seed"), "seed has the ids that the library gives it");
  }

  //%% exercise3 | A token that ends a text
  cell("exercise3", "A token that ends a text");
  /// Models learn from many texts, one after the other, with a *special token* between them: an
  /// id of its own after all others, never cut and never merged. Encode `both`, where `<|end|>`
  /// stands for the id `end_id`, and everything else is ordinary text.
  {
    const std::string mark = "<|end|>", both = "the dog saw<|end|>the moon";
    const auto end_id = static_cast<int64_t>(tokens.size());
    Ids answer;
    //%% answer
    /// Cut at the mark first, encode what lies between as always, and put the id in its place. A
    /// mark that came from a reader must not become the special token: it has to be encoded as
    /// text, or whoever types it ends the text.
    ///
    /// ```python
    /// end_id = len(tokens)
    /// answer = []
    /// for part in "the dog saw<|end|>the moon".split("<|end|>"):
    ///     answer += encode(part) + [end_id]
    /// answer.pop()
    /// print(answer)
    /// ```
    for (size_t at = 0; at <= both.size();) {
      const size_t end = std::min(both.find(mark, at), both.size());
      const Ids part = encode(both.substr(at, end - at));
      answer.insert(answer.end(), part.begin(), part.end());
      if (end < both.size()) answer.push_back(end_id);
      at = end + mark.size();
    }
    //%% end answer
    expect(std::count(answer.begin(), answer.end(), end_id) == 1,
           "the special token is there once");
    const auto with_mark = etude::text::BytePairTokenizer::train(text, 1000, {mark});
    expect(answer == with_mark.encode(both), "the ids are those of the library");
    print(list(answer));
  }

  //%% summary
  /// 1. A vocabulary is learned by merging the most frequent pair of neighbours, again and again.
  /// 2. Ties need a rule, or one text gives two vocabularies.
  /// 3. New text is encoded by the merges in the order in which they were learned.
  /// 4. It begins with bytes, so no text is unknown, but rare ones become long.
  /// 5. Words with and without a blank are different tokens, and numbers are cut anywhere.
  //%% references
  /// 1. P. Gage, [A New Algorithm for Data Compression](https://dl.acm.org/doi/10.5555/177910.177914), The C Users Journal 12(2), 1994
  /// 2. R. Sennrich, B. Haddow, A. Birch, [Neural Machine Translation of Rare Words with Subword Units](https://arxiv.org/abs/1508.07909), 2016, section 3.2
  /// 3. A. Radford et al., [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), 2019, section 2.2
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
