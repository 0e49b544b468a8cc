#include "etude/text/tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "etude/framework.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/word_tokenizer.h"
#include "support/full_disk.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text;

TEST_SUITE("tokenizer") {
  namespace {

  const std::string kText = "The cat sat on the mat; the cat's hat \xc3\xa9\xff.\n";

  std::vector<std::shared_ptr<Tokenizer>> every_kind() {
    return {std::make_shared<CharacterTokenizer>(CharacterTokenizer::train(kText)),
            std::make_shared<WordTokenizer>(WordTokenizer::train(kText)),
            std::make_shared<BytePairTokenizer>(BytePairTokenizer::train(kText, 280, {"<|end|>"}))};
  }

  }  // namespace

  TEST_CASE("a file says which tokenizer it is") {
    const TemporaryFolder folder;
    for (const auto& t : every_kind()) {
      t->save(folder / "t.json");
      const auto loaded = load_tokenizer(folder / "t.json");
      const Tokenizer& a = *t;
      const Tokenizer& b = *loaded;
      CHECK(typeid(a) == typeid(b));
      CHECK(loaded->encode(kText) == t->encode(kText));
      CHECK(loaded->decode(t->encode(kText)) == t->decode(t->encode(kText)));
      CHECK(loaded->vocab_size() == t->vocab_size());
    }
    write_bytes(folder / "t.json", "{\"etude_tokenizer\":\"syllable\",\"version\":1}");
    CHECK(refusal_text([&] { load_tokenizer(folder / "t.json"); }) ==
          (folder / "t.json") + ": is a tokenizer of an unknown kind, \"syllable\"");
    write_bytes(folder / "t.json", "{\"etude_tokenizer\":\"word\",\"version\":1}");
    CHECK(refusal_text([&] { CharacterTokenizer::load(folder / "t.json"); }) ==
          (folder / "t.json") + ": is a tokenizer of the kind \"word\" and not \"character\"");
  }

  TEST_CASE("a tensor of ids is decoded as its list is, in any integer type and stride") {
    for (const auto& tokenizer : every_kind()) {
      const std::vector<int64_t> ids = tokenizer->encode("the cat sat");
      const std::string text = tokenizer->decode(ids);
      const Tensor row = tensor(ids);
      CHECK(tokenizer->decode(row) == text);
      CHECK(tokenizer->decode(row.unsqueeze(0)) == text);
      CHECK(tokenizer->decode(row.to(kInt)) == text);
      CHECK(tokenizer->decode(stack({row, row.flip(0)}, 1).select(1, 0)) == text);
      CHECK(tokenizer->decode(row[0]) == tokenizer->decode(std::vector<int64_t>{ids[0]}));
      CHECK(tokenizer->decode(row.narrow(0, 0, 0)).empty());
      CHECK(tokenizer->decode(row.narrow(0, 0, 0).unsqueeze(0)).empty());
    }
  }

  TEST_CASE("a tensor of several texts, or of no ids, is refused") {
    for (const auto& tokenizer : every_kind()) {
      const std::string several = refusal_lines([&] { tokenizer->decode(zeros({2, 3}, kLong)); });
      CHECK(several.find("decode: expected the ids of one text, [n] or [1, n], but got [2, 3]\nhint: ") !=
            std::string::npos);
      CHECK(refusal([&] {
              tokenizer->decode(zeros({2, 0}, kLong));
            }).find("but got [2, 0]") != std::string::npos);
      CHECK(refusal([&] { tokenizer->decode(zeros({3})); }) ==
            "Error: decode: expected ids of an integer type, but got Float");
      CHECK(refusal([&] { tokenizer->decode(zeros({3}, kBool)); }).find("but got Bool") != std::string::npos);
      CHECK(refusal([&] { tokenizer->decode(full({1}, 100000, kLong)); }).rfind("IndexError", 0) == 0);
    }
  }

  TEST_CASE("ids that come one by one give the text of all, and no cut character") {
    const auto streamed = [](const Tokenizer& tokenizer, const std::vector<int64_t>& ids) {
      DecodeStream stream(tokenizer);
      std::vector<std::string> texts;
      for (const int64_t id : ids) texts.push_back(stream.step(id));
      return texts;
    };
    for (const auto& tokenizer : every_kind()) {
      const std::vector<int64_t> ids = tokenizer->encode("the cat");
      std::string text;
      for (const std::string& part : streamed(*tokenizer, ids)) text += part;
      CHECK(text == tokenizer->decode(ids));
    }
    using Texts = std::vector<std::string>;
    const auto bytes = BytePairTokenizer::train("", 256);
    DecodeStream stream(bytes);
    CHECK(refusal([&] { stream.step(256); }).rfind("IndexError", 0) == 0);
    CHECK(stream.step('a') == "a");
    CHECK(streamed(bytes, bytes.encode("\xf0\x9f\x99\x82!")) == Texts{"", "", "", "\xf0\x9f\x99\x82", "!"});
    CHECK(streamed(bytes, bytes.encode("a\xe2\x82\xc3\xa9\xff")) ==
          Texts{"a", "", "", "\xe2\x82", "\xc3\xa9", "\xff"});
    const auto words = WordTokenizer::train("a b, c");
    CHECK(streamed(words, words.encode("a b, c")) == Texts{"a", " b", ",", " c"});
  }

  TEST_CASE("a save that fails leaves the old file") {
    const TemporaryFolder folder;
    for (const auto& t : every_kind()) {
      write_bytes(folder / "t.json", "old");
      std::string said;
      {
        const FullDisk disk(64);
        said = refusal([&] { t->save(folder / "t.json"); });
      }
      CHECK(said == "Error: " + (folder / "t.json") + ": cannot be written: File too large");
      CHECK(read_bytes(folder / "t.json") == "old");
      CHECK(folder.count() == 1);
    }
  }

  TEST_CASE("spoiled files are refused or work") {
    const TemporaryFolder folder;
    std::mt19937 random(7);
    for (const auto& t : every_kind()) {
      t->save(folder / "t.json");
      const std::string good = read_bytes(folder / "t.json");
      int refused = 0;
      for (int round = 0; round < 300; ++round) {
        const auto anywhere = [&](size_t size) { return random() % size; };
        write_bytes(folder / "t.json", mutated(good, random, "[]{},:\"0123456789-.eE", anywhere));
        try {
          const auto loaded = load_tokenizer(folder / "t.json");
          for (int64_t id = 0; id < loaded->vocab_size(); ++id) loaded->decode({id});
          loaded->encode(kText);
        } catch (const Error&) {
          ++refused;
        }
      }
      CHECK(refused > 30);
    }
  }
}
