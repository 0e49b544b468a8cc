#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "etude/text/pretrained_tokenizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text;

TEST_SUITE("vocabulary_files") {
  namespace {

  const std::string kVocab = "{\"a\":0,\"b\":1,\"ab\":2,\"<|endoftext|>\":3}";
  const std::string kRanks = "YQ== 0\nYg== 1\nYWI= 2\n";  // a, b, ab

  std::string llama2c_token(float score, const std::string& text) {
    std::string record(8, '\0');
    const auto size = static_cast<int32_t>(text.size());
    std::memcpy(record.data(), &score, 4);
    std::memcpy(&record[4], &size, 4);
    return record + text;
  }

  }  // namespace

  TEST_CASE(
      "a vocabulary and its merges are read from the folder or either file, under both pairs of names") {
    const TemporaryFolder folder;
    write_bytes(folder / "encoder.json", kVocab);
    CHECK(refusal_text([&] { Tokenizer::from_file(folder.path()); }) ==
          (folder / "encoder.json") + ": has no merges.txt or vocab.bpe beside it");
    write_bytes(folder / "vocab.bpe", "#version: 0.2\r\na b\r\n\r\n");
    for (const std::string& path : {folder.path(), folder / "encoder.json", folder / "vocab.bpe"}) {
      const auto t = PretrainedTokenizer::load(path);
      CHECK(t.encode("aba<|endoftext|>") == std::vector<int64_t>{2, 0, 3});
      CHECK(t.eos_token() == 3);
    }
    write_bytes(folder / "tokenizer_config.json", "{\"tokenizer_class\":\"CLIPTokenizer\"}");
    CHECK(refusal_text([&] { Tokenizer::from_file(folder.path()); }) ==
          (folder / "encoder.json") + ": is for a CLIPTokenizer, which is not known here");
    write_bytes(folder / "tokenizer_config.json", "{\"tokenizer_class\":3}");
    CHECK(refusal_text([&] { Tokenizer::from_file(folder.path()); }) ==
          (folder / "encoder.json") + ": is for a 3, which is not known here");
    for (const char* settings : {"[]", "5", "null"}) {
      write_bytes(folder / "tokenizer_config.json", settings);
      CHECK(refusal_text([&] { Tokenizer::from_file(folder.path()); }) ==
            (folder / "tokenizer_config.json") + ": is not an object");
    }
    write_bytes(folder / "tokenizer_config.json", "{}");
    write_bytes(folder / "encoder.json", "{\"a\":0,\"b\":\"x\"}");
    CHECK(refusal_text([&] { Tokenizer::from_file(folder.path()); }) ==
          (folder / "encoder.json") + ": \"x\" is not an id of a token");
  }

  TEST_CASE("a file of a few bytes is none of these") {
    const TemporaryFolder folder;
    for (const char* bytes : {"x", "abcdefg", "abcdefgh"}) {
      write_bytes(folder / "short", bytes);
      CHECK(refusal_text([&] { Tokenizer::from_file(folder / "short"); }) ==
            (folder / "short") + ": is not a file of a tokenizer");
    }
  }

  TEST_CASE("ranks of tiktoken are split as their name says") {
    const TemporaryFolder folder;
    for (const char* name :
         {"my.cl100k.tiktoken", "gpt2.tiktoken", "r50k_base", "p50k", "o200k", "llama3.model"}) {
      write_bytes(folder / name, kRanks);
      CHECK(Tokenizer::from_file(folder / name)->encode("abba") == std::vector<int64_t>{2, 1, 0});
    }
    write_bytes(folder / "other.tiktoken", kRanks);
    CHECK(refusal_text([&] { Tokenizer::from_file(folder / "other.tiktoken"); }) ==
          (folder / "other.tiktoken") +
              ": has 3 ranks of tiktoken, and neither these nor its name say how it splits a text");
    for (const char* line : {"YQ==", "Y?== 3", "YQ== x", "YQ== 99999999999", " 3", "== 3"}) {
      write_bytes(folder / "gpt2", kRanks + line + "\n");
      CHECK(refusal_text([&] { Tokenizer::from_file(folder / "gpt2"); }) ==
            (folder / "gpt2") + ": line 4 is not a token in base64 and its rank");
    }
    write_bytes(folder / "gpt2", kRanks + "Yw== 2\n");
    CHECK(refusal_text([&] { Tokenizer::from_file(folder / "gpt2"); }).find("are both 2") !=
          std::string::npos);
  }

  TEST_CASE("as many ranks as a known vocabulary has are split as its are, and have its special tokens") {
    const TemporaryFolder folder;
    const auto ranks = [&](int count) {
      constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      std::string text;
      for (int i = 0; i < count; ++i)
        text += std::string{digits[i % 64], digits[i / 64 % 64], digits[i / 4096 % 64], 'A', ' '} +
                std::to_string(i) + "\n";
      write_bytes(folder / "x", text);
      return PretrainedTokenizer::load(folder / "x");
    };
    CHECK(ranks(50256).token_to_id("<|endoftext|>") == 50256);
    const auto cl100k = ranks(100256);
    CHECK(cl100k.eos_token() == 100257);
    CHECK(cl100k.token_to_id("<|fim_prefix|>") == 100258);
    CHECK(cl100k.token_to_id("<|fim_suffix|>") == 100260);
    CHECK(cl100k.encode("<|endofprompt|>") == std::vector<int64_t>{100276});
    const auto llama3 = ranks(128000);
    CHECK(llama3.vocab_size() == 128256);
    CHECK(llama3.bos_token() == 128000);
    CHECK(llama3.eos_token() == 128001);
    CHECK(llama3.token_to_id("<|eot_id|>") == 128009);
    CHECK(llama3.token_to_id("<|end_header_id|>") == 128007);
    CHECK(llama3.token_to_id("<|reserved_special_token_250|>") == 128255);
    CHECK(llama3.encode_prompt("") == std::vector<int64_t>{128000});
  }

  TEST_CASE("llama2.c's files are checked against their size") {
    const TemporaryFolder folder;
    std::string file = std::string("\x06\0\0\0", 4) + llama2c_token(0, "<unk>") +
                       llama2c_token(0, "\n<s>\n") + llama2c_token(0, "\n</s>\n");
    const auto wrong = [&](const std::string& bytes) {
      write_bytes(folder / "tokenizer.bin", bytes);
      const std::string text = refusal_text([&] { Tokenizer::from_file(folder.path()); });
      return text.empty() ? text : text.substr((folder / "tokenizer.bin").size() + 2);
    };
    CHECK(wrong(file) == "has 3 tokens, too few for the bytes");
    CHECK(wrong(file + "abc") == "ends inside of token 3");
    CHECK(wrong(file + llama2c_token(0, "abcd").substr(0, 10)) ==
          "token 3 of 4 bytes can't be among the last 2");
    std::string negative = llama2c_token(0, "");
    negative[7] = '\xff';
    CHECK(wrong(file + negative).find("can't be among the last 0") != std::string::npos);
    for (int byte = 0; byte < 256; ++byte) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", byte);
      file += llama2c_token(0, name);
    }
    CHECK(wrong(file).empty());
    CHECK(wrong(file + llama2c_token(0, " ") + llama2c_token(0, "a") + llama2c_token(-1, " a")).empty());
    const auto t = PretrainedTokenizer::load(folder.path());
    CHECK(t.encode_prompt("a a\n") == std::vector<int64_t>{1, 261, 261, 13});
    CHECK(t.decode({1, 261, 261, 13}, true) == "a a\n");
  }

  TEST_CASE("a model of sentencepiece puts no token before a text if its settings say so") {
    const TemporaryFolder folder;
    write_bytes(folder / "tokenizer.model",
                read_bytes(std::string(ETUDE_GOLDEN_DIR) + "/text/pretrained/symbols.model"));
    const std::vector<int64_t> ids = PretrainedTokenizer::load(folder.path()).encode("the");
    for (const bool adds : {true, false}) {
      write_bytes(folder / "tokenizer_config.json",
                  std::string("{\"add_bos_token\":") + (adds ? "true" : "false") + "}");
      const auto t = PretrainedTokenizer::load(folder.path());
      std::vector<int64_t> prompt = adds ? std::vector<int64_t>{1} : std::vector<int64_t>();
      prompt.insert(prompt.end(), ids.begin(), ids.end());
      CHECK(t.encode_prompt("the") == prompt);
      CHECK(t.bos_token() == 1);
    }
  }

  TEST_CASE("what is not a file of a tokenizer is refused") {
    const TemporaryFolder folder;
    for (const char* bytes : {"{}", "[]", "[1]", "{\"a\":{}}", "some text\n",
                              "\x7f"
                              "ELF",
                              "3 4\n"}) {
      write_bytes(folder / "x", bytes);
      CHECK(refusal_text([&] { Tokenizer::from_file(folder / "x"); }) ==
            (folder / "x") + ": is not a file of a tokenizer");
    }
    write_bytes(folder / "x", "");
    CHECK(refusal_text([&] { Tokenizer::from_file(folder / "x"); }) ==
          (folder / "x") + ": is not JSON at byte 1");
    CHECK_FALSE(refusal_text([&] { Tokenizer::from_file(folder / "none"); }).empty());
  }
}
