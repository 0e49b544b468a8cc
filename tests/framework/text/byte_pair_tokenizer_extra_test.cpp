#include "etude/text/byte_pair_tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/golden.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using text::BytePairTokenizer;

TEST_SUITE("byte_pair_tokenizer") {
  namespace {

  using Ids = std::vector<int64_t>;

  const std::string kFile = "{\"etude_tokenizer\":\"byte_pair\",\"version\":1";

  std::string wrong_with(const std::string& merges, const std::string& special_tokens = "[]") {
    const TemporaryFolder folder;
    const std::string path = folder / "t.json";
    write_bytes(path, kFile + ",\"merges\":" + merges + ",\"special_tokens\":" + special_tokens + "}");
    const std::string text = refusal_text([&] { BytePairTokenizer::load(path); });
    return text.empty() ? text : text.substr(path.size() + 2);
  }

  }  // namespace

  TEST_CASE("rules and ids are those of a naive program in Python") {
    const auto golden = golden_json("text/byte_pairs.json");
    const std::string text = golden["text"];
    const TemporaryFolder folder;
    for (const auto& run : golden["runs"]) {
      CAPTURE(run["vocab_size"].get<int>());
      const auto t = BytePairTokenizer::train(text, run["vocab_size"].get<int64_t>());
      t.save(folder / "t.json");
      CHECK(Recorded::parse(read_bytes(folder / "t.json"))["merges"] == run["rules"]);
      CHECK(t.vocab_size() == static_cast<int64_t>(256 + run["rules"].size()));
      CHECK(t.encode(text) == run["ids"].get<Ids>());
      CHECK(t.encode(run["other"].get<std::string>()) == run["other_ids"].get<Ids>());
      const auto loaded = BytePairTokenizer::load(folder / "t.json");
      CHECK(loaded.encode(text) == run["ids"].get<Ids>());
      CHECK(loaded.decode(run["ids"].get<Ids>()) == text);
    }
  }

  TEST_CASE("all code points and any bytes come back as they were") {
    const std::string text = golden_json("text/byte_pairs.json")["text"];
    const auto t = BytePairTokenizer::train(text, 400, {"<|end|>"});
    std::string all;
    for (uint32_t code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 61) {
      if (code < 0x80) {
        all += static_cast<char>(code);
        continue;
      }
      std::string c;
      for (uint32_t rest = code; c.empty() || rest > 0; rest >>= 6)
        c.insert(0, 1, static_cast<char>(0x80 | (rest & 0x3f)));
      all += c;  // not always UTF-8
    }
    CHECK(t.decode(t.encode(all)) == all);
    std::mt19937 random(6);
    for (int round = 0; round < 200; ++round) {
      std::string bytes(random() % 200, ' ');
      for (char& c : bytes) c = static_cast<char>(random() % 3 ? random() : " the'\n"[random() % 6]);
      CHECK(t.decode(t.encode(bytes)) == bytes);
      const auto own = BytePairTokenizer::train(bytes, 300);
      CHECK(own.decode(own.encode(bytes)) == bytes);
    }
  }

  TEST_CASE("special tokens have ids behind the others and separate the text") {
    const std::string end = "<|end|>", endless = "<|end|>less";
    const auto t = BytePairTokenizer::train("abab<|end|>abab", 300, {end, endless});
    CHECK(t.vocab_size() == 256 + 2 + 2);  // ab, abab
    CHECK(t.special_token(end) == 258);
    CHECK(t.encode("ab<|end|>abab<|end|>less<|end|") ==
          Ids{256, 258, 257, 259, '<', '|', 'e', 'n', 'd', '|'});
    CHECK(t.decode({256, 258, 257, 259}) == "ab<|end|>abab<|end|>less");
    CHECK(t.encode_ordinary("ab<|end|>") == Ids{256, '<', '|', 'e', 'n', 'd', '|', '>'});
    CHECK(t.encode("<|end|><|end|>") == Ids{258, 258});
    const TemporaryFolder folder;
    t.save(folder / "t.json");
    const auto loaded = BytePairTokenizer::load(folder / "t.json");
    CHECK(loaded.special_token(endless) == 259);
    CHECK(loaded.encode("ab<|end|>less") == Ids{256, 259});
    CHECK(refusal([&] { t.special_token("<|x|>"); }) ==
          "ValueError: special_token: \"<|x|>\" is none of the 2 special tokens");
  }

  TEST_CASE("a vocabulary holds the bytes at least, and ends when nothing is twice") {
    CHECK(BytePairTokenizer::train("", 256).vocab_size() == 256);
    CHECK(BytePairTokenizer::train("", 1000).encode("ab") == Ids{'a', 'b'});
    CHECK(refusal([] { BytePairTokenizer::train("a", 256, {"<s>"}); }) ==
          "ValueError: train: a vocabulary of 256 tokens can't be, 256 bytes and 1 special tokens are 257 "
          "already");
    CHECK_FALSE(refusal([] { BytePairTokenizer::train("a", int64_t{1} << 40); }).empty());
    CHECK(refusal([] { BytePairTokenizer::train("a", 300, {""}); }) ==
          "ValueError: train: a special token is empty");
    CHECK(refusal([] {
            BytePairTokenizer::train("a", 300, {"<s>", "<s>"});
          }) == "ValueError: train: the special token \"<s>\" is there twice");
    CHECK(refusal([] { BytePairTokenizer::train("a", 300, {"\xff"}); }) ==
          "ValueError: train: special token 0 is not UTF-8");
    CHECK(refusal([] { BytePairTokenizer::train("a", 300, {"a b"}); }) ==
          "ValueError: train: the special token \"a b\" has a blank");
    const auto t = BytePairTokenizer::train("a", 256);
    CHECK(refusal([&] { t.decode({256}); }) ==
          "IndexError: decode: the id 256 is outside of the vocabulary of 256 tokens");
    CHECK_FALSE(refusal([&] { t.decode({-1}); }).empty());
  }

  TEST_CASE("files that can't be are refused") {
    CHECK(wrong_with("[[97,98],[256,256]]", "[\"<s>\"]").empty());
    CHECK(wrong_with("[[97,256]]") == "[97,256] among its \"merges\" has a token that is not there yet");
    CHECK(wrong_with("[[97,98],[97,98]]") == "[97,98] among its \"merges\" is there twice");
    for (const char* pair :
         {"[97]", "[97,98,99]", "97", "[-1,97]", "[97,1.5]", "[97,\"b\"]", "[4294967393,98]"})
      CHECK(wrong_with(std::string("[") + pair + "]") ==
            std::string(pair) + " among its \"merges\" is not two ids of tokens");
    CHECK(wrong_with("{}") == "its entry \"merges\" is an object, which it can't be");
    CHECK(wrong_with("[]", "[1]") == "1 among its \"special_tokens\" is not a text");
    CHECK(wrong_with("[]", "[\"\"]") == "a special token is empty");
    std::string doubling = "[[97,97]";
    for (int i = 256; i < 270; ++i) doubling += ",[" + std::to_string(i) + "," + std::to_string(i) + "]";
    CHECK(wrong_with(doubling + "]") ==
          "[267,267] among its \"merges\" makes a token of more than 4096 bytes");
  }
}
