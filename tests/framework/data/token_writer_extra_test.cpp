#include <doctest/doctest.h>

#include <string>

#include "etude/data/tokens.h"
#include "etude/ops/ops.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/pretrained_tokenizer.h"
#include "etude/text/word_tokenizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using data::Tokens;
using data::TokenWriter;
using data::write_tokens;

TEST_SUITE("token_writer") {
  namespace {

  /// A million and a half bytes with all kinds of blanks.
  std::string long_text() {
    const std::string lines[] = {
        "It's the   end, they've said;\n\n", "\xe4\xb8\xad\xe6\x96\x87\xe3\x80\x80\xe5\xad\x97 \n ",
        "<|end|> 12345\t\t x\xff\xfe \xc2\xa0 y\n", " wordswithoutablank_and_more\r\n"};
    std::string text;
    for (size_t i = 0; text.size() < 1500000; ++i) text += lines[i * i % 7 % 4];
    return text;
  }

  /// An id for each byte; records the texts that it encodes.
  struct Bytes : text::Tokenizer {
    mutable std::vector<std::string> texts;
    std::vector<int64_t> encode(std::string_view text) const override {
      texts.emplace_back(text);
      std::vector<int64_t> ids;
      for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
      return ids;
    }
    std::string decode(ArrayRef<int64_t>) const override { return {}; }
    int64_t vocab_size() const override { return 256; }
    void save(const std::string&) const override {}
  };

  }  // namespace

  TEST_CASE("a long text is encoded in parts of at most a MiB, each but the first from a blank on") {
    const TemporaryFolder folder;
    const std::string text = long_text();
    write_bytes(folder / "text", text);
    const Bytes tokenizer;
    write_tokens(folder / "tokens", folder / "text", tokenizer);
    REQUIRE(tokenizer.texts.size() == 2);
    CHECK(tokenizer.texts[0].size() <= size_t{1} << 20);
    CHECK(tokenizer.texts[1][0] == ' ');
    CHECK(tokenizer.texts[0] + tokenizer.texts[1] == text);
  }

  TEST_CASE("a long text in parts gives the tokens of the whole") {
    const TemporaryFolder folder;
    const std::string text = long_text();
    write_bytes(folder / "text", text);
    const auto check = [&](const text::Tokenizer& tokenizer) {
      const std::vector<int64_t> expected = tokenizer.encode(text);
      CHECK(write_tokens(folder / "tokens", folder / "text", tokenizer) ==
            static_cast<int64_t>(expected.size()));
      const Tokens tokens = Tokens::open(folder / "tokens");
      CHECK(same(tokens.slice(0, tokens.size()), tensor(expected)));
    };
    check(text::BytePairTokenizer::train(text, 500, {"<|end|>"}));
    check(text::CharacterTokenizer::train(text));
    check(text::WordTokenizer::train(text));
    CHECK(folder.count() == 2);
  }

  TEST_CASE("a tokenizer that begins a text with a blank gets the whole text") {
    const TemporaryFolder folder;
    const std::string text = long_text();
    write_bytes(folder / "text", text);
    const auto tokenizer =
        text::PretrainedTokenizer::load(std::string(ETUDE_GOLDEN_DIR) + "/text/pretrained/llama2.json");
    write_tokens(folder / "tokens", folder / "text", tokenizer);
    const Tokens tokens = Tokens::open(folder / "tokens");
    CHECK(same(tokens.slice(0, tokens.size()), tensor(tokenizer.encode(text))));
  }

  TEST_CASE("a part does not end among blanks") {
    const TemporaryFolder folder;
    const auto tokenizer = text::BytePairTokenizer::train("  \n  ", 257);  // two blanks are a token
    std::string words = "x";
    while (words.size() < (size_t{1} << 20) - 1) words += " x";
    words += "   y";  // a part would reach to the second of these blanks
    write_bytes(folder / "text", words);
    write_tokens(folder / "tokens", folder / "text", tokenizer);
    const Tokens tokens = Tokens::open(folder / "tokens");
    CHECK(same(tokens.slice(0, tokens.size()), tensor(tokenizer.encode(words))));
  }

  TEST_CASE("a long text without a blank is one part") {
    const TemporaryFolder folder;
    std::string text((size_t{1} << 20) + 100, 'a');  // more than is read at once
    text += " bcd";
    write_bytes(folder / "text", text);
    const auto tokenizer = text::WordTokenizer::train(text);
    const std::vector<int64_t> expected = tokenizer.encode(text);
    CHECK(write_tokens(folder / "tokens", folder / "text", tokenizer) ==
          static_cast<int64_t>(expected.size()));
    const Tokens tokens = Tokens::open(folder / "tokens");
    CHECK(same(tokens.slice(0, tokens.size()), tensor(expected)));
    write_bytes(folder / "text", "");
    CHECK(write_tokens(folder / "tokens", folder / "text", tokenizer) == 0);
    CHECK(Tokens::open(folder / "tokens").size() == 0);
  }

  TEST_CASE("without commit there is no file, and an old one stays") {
    const TemporaryFolder folder;
    {
      TokenWriter writer(folder / "t", 10);
      writer.write({1, 2, 3});
      CHECK(writer.size() == 3);
      CHECK(refusal([&] {
              writer.write({4, 10});
            }) == "IndexError: TokenWriter: the id 10 is outside of the vocabulary of 10 tokens");
      CHECK_FALSE(refusal([&] { writer.write({-1}); }).empty());
      CHECK(writer.size() == 3);
    }
    CHECK(folder.count() == 0);
    CHECK_FALSE(refusal([&] { TokenWriter(folder / "t", 0); }).empty());
    CHECK_FALSE(refusal([&] { TokenWriter(folder / "t", int64_t{1} << 33); }).empty());
    TokenWriter writer(folder / "t", int64_t{1} << 32);
    writer.write({4294967295});
    TokenWriter moved = std::move(writer);
    CHECK(refusal([&] { writer.write({1}); }) ==
          "Error: TokenWriter: it was moved from, and what it wrote belongs to another one now");
    CHECK_FALSE(refusal([&] { writer.size(); }).empty());
    CHECK_FALSE(refusal([&] { writer.commit(); }).empty());
    moved.commit();
    CHECK(refusal([&] { moved.write({1}); }) == "Error: TokenWriter: nothing is written after commit()");
    CHECK(same(Tokens::open(folder / "t").slice(0, 1), tensor({4294967295})));
  }
}
