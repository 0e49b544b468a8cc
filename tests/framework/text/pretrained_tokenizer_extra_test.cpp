// Against the packages tokenizers, tiktoken and sentencepiece, recorded by tests/golden/text/make_pretrained.py.
#include "etude/text/pretrained_tokenizer.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "support/golden.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text;

TEST_SUITE("pretrained_tokenizer") {
  namespace {

  using Ids = std::vector<int64_t>;

  std::string golden_vocabulary(const std::string& name) {
    return std::string(ETUDE_GOLDEN_DIR) + "/text/pretrained/" + name;
  }

  // The text with U+FFFD for what is not UTF-8, in the runs that Unicode recommends; enough for cut characters.
  std::string as_utf8(const std::string& bytes) {
    std::string text;
    for (size_t at = 0; at < bytes.size();) {
      const auto first = static_cast<uint8_t>(bytes[at]);
      const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      bool good = first < 0x80 || first >= 0xc2;
      for (size_t i = 1; i < size; ++i)
        good = good && at + i < bytes.size() && (bytes[at + i] & 0xc0) == 0x80;
      text += good ? bytes.substr(at, size) : "\xef\xbf\xbd";
      at += good ? size : 1;
    }
    return text;
  }

  void check_cases(const PretrainedTokenizer& t, const Recorded& texts, const Recorded& cases) {
    REQUIRE(cases.size() == texts.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(i);
      const std::string text = texts[i];
      const Recorded expected = cases[i];
      CHECK(t.encode_ordinary(text) == expected["ordinary"].get<Ids>());
      if (!expected.contains("ids")) continue;
      CHECK(t.encode(text) == expected["ids"].get<Ids>());
      const Ids prompt = t.encode_prompt(text);
      CHECK(prompt == expected["prompt"].get<Ids>());
      CHECK(as_utf8(t.decode(prompt)) == std::string(expected["text"]));
      CHECK(as_utf8(t.decode(prompt, true)) == std::string(expected["plain"]));
    }
  }

  }  // namespace

  TEST_CASE("ids and texts are those of other programs, also after saving") {
    const Recorded golden = golden_json("text/pretrained/cases.json");
    CHECK(golden["files"].size() == 18);
    const TemporaryFolder folder;
    for (const auto& [name, cases] : golden["files"].items()) {
      CAPTURE(name);
      const auto t = PretrainedTokenizer::load(golden_vocabulary(name));
      check_cases(t, golden["texts"], cases);
      t.save(folder / "tokenizer.json");
      const auto loaded = PretrainedTokenizer::load(folder / "tokenizer.json");
      CHECK(loaded.vocab_size() == t.vocab_size());
      const bool has_prefix =
          name == "plain.model" || name == "tokenizer.bin";  // ends of parts are not written
      if (!has_prefix) check_cases(loaded, golden["texts"], cases);
    }
  }

  // ETUDE_TOKENIZERS is a folder with the vocabularies that golden/text/public.json names.
  TEST_CASE("public vocabularies give the recorded ids" *
            doctest::skip(std::getenv("ETUDE_TOKENIZERS") == nullptr)) {
    const std::string folder = std::getenv("ETUDE_TOKENIZERS");
    const Recorded texts = golden_json("text/pretrained/cases.json")["texts"];
    for (const auto& [name, all_ids] : golden_json("text/public.json").items()) {
      CAPTURE(name);
      const auto t = Tokenizer::from_file(folder + "/" + name);
      for (size_t i = 0; i < texts.size(); ++i)
        CHECK(t->encode(std::string(texts[i])) == all_ids[i].get<Ids>());
    }
  }

  TEST_CASE("tokens have names, and some begin or end a text") {
    const auto t = PretrainedTokenizer::load(golden_vocabulary("llama2.json"));
    CHECK(t.vocab_size() == 400);
    CHECK(t.token_to_id("\u2581the") == t.encode("the")[0]);
    CHECK(t.id_to_token(t.encode("the")[0]) == "\u2581the");
    CHECK(t.id_to_token(3) == "<0x00>");
    CHECK(t.decode({3}) == std::string(1, '\0'));
    CHECK(t.token_to_id("no such token") == std::nullopt);
    CHECK(t.bos_token() == 1);
    CHECK(t.eos_token() == std::nullopt);
    const auto ranks = PretrainedTokenizer::load(golden_vocabulary("tokenizer.bin"));
    CHECK(ranks.bos_token() == 1);
    CHECK(ranks.eos_token() == 2);
    CHECK(refusal([&] { t.decode({400}); }) ==
          "IndexError: decode: the id 400 is outside of the vocabulary of 400 tokens");
    CHECK(refusal([&] { t.id_to_token(-1); }).find("IndexError") == 0);
  }

  TEST_CASE("any bytes come back as they were") {
    std::mt19937 random(3);
    for (const char* name :
         {"gpt2.json", "llama3.json", "o200k.json", "llama2.json", "tiny.cl100k.tiktoken"}) {
      CAPTURE(name);
      const auto t = PretrainedTokenizer::load(golden_vocabulary(name));
      for (int round = 0; round < 100; ++round) {
        std::string bytes(random() % 100, ' ');
        for (char& c : bytes) c = static_cast<char>(random() % 3 ? random() : " the'\n"[random() % 6]);
        CHECK(t.decode(t.encode_ordinary(bytes)) == bytes);
      }
    }
  }

  TEST_CASE("a long text without ends of words is encoded in reasonable time") {
    const auto t = PretrainedTokenizer::load(golden_vocabulary("llama2.json"));
    const std::string text(1 << 20, 'a');
    CHECK(t.decode(t.encode(text)) == text);
  }

  TEST_CASE("a tokenizer of one's own is written for other programs") {
    const std::string text = golden_json("text/byte_pairs.json")["text"];
    const auto own = BytePairTokenizer::train(text, 330, {"<|end|>"});
    const TemporaryFolder folder;
    PretrainedTokenizer::from(own).save(folder.path());
    CHECK(folder.count() == 2);
    const auto loaded = Tokenizer::from_file(folder.path());
    CHECK(loaded->encode(text + "<|end|> the") == own.encode(text + "<|end|> the"));
    CHECK(loaded->vocab_size() == own.vocab_size());
    const Recorded file = Recorded::parse(read_bytes(folder / "tokenizer.json"));
    CHECK(file["model"]["vocab"]["\u0120"].get<int64_t>() == ' ');
    CHECK(file["added_tokens"][0]["content"] == "<|end|>");
    CHECK(file["pre_tokenizer"]["type"] == "ByteLevel");
    write_bytes(folder / "twice.json",
                "{\"etude_tokenizer\":\"byte_pair\",\"version\":1,\"special_tokens\":[],"
                "\"merges\":[[97,98],[98,99],[97,257],[256,99]]}");
    const auto twice = BytePairTokenizer::load(folder / "twice.json");
    CHECK(refusal([&] { PretrainedTokenizer::from(twice); }) ==
          "Error: BytePairTokenizer: has the token \"abc\" twice, as 258 and as 259");
    CHECK(refusal_text([&] { PretrainedTokenizer::load(folder / "twice.json"); }) ==
          (folder / "twice.json") + ": is a tokenizer of a kind of its own, not of another program");
  }

  TEST_CASE("a tokenizer of characters is written as the package tokenizers writes it") {
    const Recorded golden = golden_json("text/characters.json");
    const auto own = CharacterTokenizer::train(std::string(golden["text"]));
    const TemporaryFolder folder;
    PretrainedTokenizer::from(own).save(folder.path());
    const Recorded file = Recorded::parse(read_bytes(folder / "tokenizer.json")), expected = golden["file"];
    for (const char* part : {"added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder"})
      CHECK(file[part] == expected[part]);
    for (const char* part : {"type", "unk_token", "byte_fallback", "vocab", "merges"})
      CHECK(file["model"][part] == expected["model"][part]);
    const auto loaded = PretrainedTokenizer::load(folder.path());
    CHECK(loaded.encode(std::string(golden["text"])) == own.encode(std::string(golden["text"])));
    const Recorded cases = golden["cases"];
    for (size_t i = 0; i < cases.size(); ++i) {
      const Recorded recorded = cases[i];
      const Ids ids = loaded.encode(std::string(recorded["text"]));
      CHECK(ids == recorded["ids"].get<Ids>());
      CHECK(loaded.decode(ids) == std::string(recorded["decoded"]));
    }
    CHECK(refusal([] { PretrainedTokenizer::from(CharacterTokenizer::train("a \u2581")); }) ==
          "Error: CharacterTokenizer: has the token \"\u2581\" twice, as 0 and as 2");
    CHECK(refusal([] { PretrainedTokenizer::from(CharacterTokenizer::train("a\xff")); }) ==
          "Error: CharacterTokenizer: has a token that is not UTF-8, or of more than 4096 bytes");
  }

  TEST_CASE("a folder says what begins and ends a text") {
    const TemporaryFolder folder;
    write_bytes(folder / "tokenizer.json", read_bytes(golden_vocabulary("llama3.json")));
    CHECK(PretrainedTokenizer::load(folder.path()).bos_token() == 330);
    write_bytes(folder / "tokenizer_config.json",
                "{\"bos_token\":\"a\",\"eos_token\":{\"content\":\"<|end|>\"}}");
    const auto t = PretrainedTokenizer::load(folder.path());
    CHECK(t.bos_token() == t.token_to_id("a"));
    CHECK(t.eos_token() == 330);
    const TemporaryFolder other;
    t.save(other.path());
    CHECK(PretrainedTokenizer::load(other.path()).eos_token() == 330);
    const TemporaryFolder empty;
    CHECK(refusal_text([&] { Tokenizer::from_file(empty.path()); }) ==
          empty.path() + ": has no file of a tokenizer");
  }

  TEST_CASE("spoiled files are refused or work") {
    const TemporaryFolder folder;
    std::mt19937 random(7);
    for (const char* name : {"qwen2.json", "flags.json", "llama2.json", "symbols.model", "tokenizer.bin",
                             "tiny.cl100k.tiktoken"}) {
      const std::string good = read_bytes(golden_vocabulary(name));
      const bool is_json = std::string(name).find("json") != std::string::npos;
      int refused = 0;
      for (int round = 0; round < 100; ++round) {
        const auto anywhere = [&](size_t size) { return random() % size; };
        write_bytes(folder / name,
                    mutated(good, random,
                            is_json ? "[]{},:\"0123456789-.eE" : std::string("\0\x0a\xff 9=", 6), anywhere));
        try {
          const auto t = Tokenizer::from_file(folder / name);
          for (int64_t id = 0; id < t->vocab_size(); ++id) t->decode({id});
          for (const int64_t id : t->encode("the <tool> \xff e\u0301x <|end|>\n"))
            CHECK((id >= 0 && id < t->vocab_size()));
        } catch (const Error&) {
          ++refused;
        }
      }
      CAPTURE(name);
      CHECK(refused > 3);
    }
  }
}
