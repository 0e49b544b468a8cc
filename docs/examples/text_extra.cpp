#include "support/example.h"

#include <fstream>

/// # Text
///
/// From text to ids of tokens and back, and files of tokens that may be larger than memory.

/// - Errors: `encode: 'o' (U+006F) at byte 1 is none of the 3 characters of the vocabulary` where it was not in the text
///   of `train`
/// - PyTorch: none
EXAMPLE(etude::text::CharacterTokenizer) {
  const auto tokenizer = etude::text::CharacterTokenizer::train("banana");
  print(tokenizer.vocab_size(), etude::Join(" ", tokenizer.encode("nab")));
  print(tokenizer.decode(tokenizer.encode("nab")));
  print(examples::message_of([&] { tokenizer.encode("box"); }));
}

/// Words that it does not know become the id 0.
///
/// - Errors: `train: vocab_size -1 and min_count 1 can't be less than 0` where one of them is
/// - PyTorch: none
EXAMPLE(etude::text::WordTokenizer) {
  const auto options = etude::text::WordTokenizerOptions().lower_case(true);
  const auto tokenizer = etude::text::WordTokenizer::train("The cat sees the dog.", options);
  const std::vector<int64_t> ids = tokenizer.encode("The dog sees the bird.");
  print(tokenizer.vocab_size(), etude::Join(" ", ids));
  print(tokenizer.decode(ids));
}

/// Pairs that are often neighbours become one token; a special token is one, too.
///
/// - Errors: `train: a vocabulary of 10 tokens can't be, 256 bytes and 0 special tokens are 256 already` where it is smaller;
///   `special_token: "<end>" is none of the 0 special tokens`; `decode: the id 4 is outside of the vocabulary of 1 tokens`
/// - PyTorch: none
EXAMPLE(etude::text::BytePairTokenizer) {
  const auto tokenizer = etude::text::BytePairTokenizer::train("low low lower lowest", 260, {"<end>"});
  const std::vector<int64_t> ids = tokenizer.encode("lowest<end>");
  print(tokenizer.vocab_size(), etude::Join(" ", ids));
  print(tokenizer.decode(ids), tokenizer.special_token("<end>"));
  print(tokenizer.encode_ordinary("<end>").size());
}

/// The methods that all tokenizers have. A saved tokenizer is loaded with the class that it had.
///
/// - Errors: `no-such-file: cannot be opened: No such file or directory`, `PATH: is not JSON at byte 1` and alike;
///   `decode: expected the ids of one text, [n] or [1, n], but got [2, 3]`
/// - PyTorch: none
EXAMPLE(etude::text::Tokenizer, etude::text::load_tokenizer) {
  const auto file = etude::make_tempfile();
  etude::text::CharacterTokenizer::train("abc").save(file.name);
  const std::unique_ptr<etude::text::Tokenizer> tokenizer = etude::text::load_tokenizer(file.name);
  print(tokenizer->vocab_size(), tokenizer->decode({2, 0, 1}), tokenizer->decode(etude::tensor({{2, 0, 1}})));
}

/// One's own byte pairs as a tokenizer that other programs can read.
///
/// - Errors: `decode: the id 99 is outside of the vocabulary of 9 tokens` and alike; `PATH: is not JSON at byte 1` where a file is malformed
/// - PyTorch: the package tokenizers, `Tokenizer.from_file`
EXAMPLE(etude::text::PretrainedTokenizer) {
  const auto tokenizer = etude::text::PretrainedTokenizer::from(
      etude::text::BytePairTokenizer::train("the dog saw the moon", 260, {"<end>"}));
  print(tokenizer.vocab_size(), tokenizer.decode(tokenizer.encode("the moon<end>")));
  print(*tokenizer.token_to_id("<end>"), tokenizer.encode("<end>").size());
}

/// A conversation as a model expects it, and its answer as it comes.
///
/// - Errors: `chat_prompt: there are no messages` and alike
/// - PyTorch: transformers' apply_chat_template, and tokenizers' DecodeStream
EXAMPLE(etude::text::chat_prompt, etude::text::ChatFormat, etude::text::ChatMessage,
        etude::text::DecodeStream) {
  print(etude::text::chat_prompt(etude::text::ChatFormat::ChatML, {{"user", "Who saw the moon?"}}));
  const auto tokenizer = etude::text::PretrainedTokenizer::from(
      etude::text::BytePairTokenizer::train("the dog saw the moon", 260, {"<end>"}));
  etude::text::DecodeStream stream(tokenizer);
  for (const int64_t id : tokenizer.encode("é")) print('[' + stream.step(id) + ']');  // of two bytes
  print(examples::message_of([] { etude::text::chat_prompt(etude::text::ChatFormat::ChatML, {}); }));
}

/// - Shapes: data [batch_size, length], target [batch_size, length]
/// - Units: elements
/// - Errors: `Tokens: there are no 4 tokens from 0 on among 1` where they are too few;
///   `random_windows: windows of 4 tokens need more than that many, but there are 1`;
///   `PATH: has 0 bytes, too few for a file of tokens` from `open`
/// - PyTorch: none
EXAMPLE(etude::data::Tokens) {
  const etude::data::Tokens tokens(std::vector<int64_t>{5, 6, 7, 8, 9});
  print(tokens.size(), tokens.slice(1, 3));
  const etude::data::Example<> window = tokens.window(0, 3);
  print(window.data, window.target);
  print(tokens.random_windows(2, 3).data.sizes());
}

/// - Units: elements
/// - Errors: `TokenWriter: the id 4 is outside of the vocabulary of 3 tokens` where it is too large;
///   `TokenWriter: a vocabulary of 0 tokens can't be written`
/// - PyTorch: none
EXAMPLE(etude::data::TokenWriter) {
  const auto file = etude::make_tempfile();
  etude::data::TokenWriter writer(file.name, /*vocab_size=*/100);
  writer.write({1, 2, 3});
  writer.write({4});
  writer.commit();
  print(writer.size(), etude::data::Tokens::open(file.name).slice(0, 4));
}

/// - Units: elements
/// - Errors: `no-such-file: cannot be opened: No such file or directory` where there is no text; those of the tokenizer
/// - PyTorch: none
EXAMPLE(etude::data::write_tokens) {
  const auto text = etude::make_tempfile(), file = etude::make_tempfile();
  std::ofstream(text.name) << "abcab";
  print(etude::data::write_tokens(file.name, text.name, etude::text::CharacterTokenizer::train("abc")));
  print(etude::data::Tokens::open(file.name).slice(0, 5));
}

/// - Shapes: data [length], target [length]
/// - Units: elements
/// - Errors: `TokenWindows: windows of 0 tokens, 0 apart, can't be` where length is not positive;
///   `TokenWindows: there is no window 7 among 2`
/// - PyTorch: none
EXAMPLE(etude::data::datasets::TokenWindows) {
  const etude::data::Tokens tokens(etude::arange(10));
  etude::data::datasets::TokenWindows windows(tokens, /*length=*/4, /*stride=*/2);
  print(windows.size().value(), windows.get(1).data, windows.get(1).target);
}
