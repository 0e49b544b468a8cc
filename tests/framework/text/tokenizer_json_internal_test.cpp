#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/pretrained_tokenizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text::detail;
using nlohmann::json;

TEST_SUITE("tokenizer_json") {
  namespace {

  json golden_tokenizer(const std::string& name) {
    return json::parse(read_bytes(std::string(ETUDE_GOLDEN_DIR) + "/text/pretrained/" + name + ".json"));
  }

  // The error of a file in which one value is replaced; empty if there is none.
  std::string wrong_with(const std::string& name, const char* place, const json& value) {
    json file = golden_tokenizer(name);
    file[json::json_pointer(place)] = value;
    return refusal_text([&] { text::PretrainedTokenizer{read_tokenizer_json("file", file)}; });
  }

  }  // namespace

  TEST_CASE("what is written is what was read") {
    for (const char* name :
         {"gpt2", "smollm2", "qwen2", "o200k", "tekken", "llama2", "gemma", "first", "always"}) {
      CAPTURE(name);
      json file = golden_tokenizer(name);
      const json written = tokenizer_json(read_tokenizer_json("file", file));
      CHECK(written["added_tokens"] == file["added_tokens"]);
      CHECK(written["model"]["merges"].size() == file["model"]["merges"].size());
      CHECK(written["model"]["fuse_unk"] == file["model"]["fuse_unk"]);
      CHECK(tokenizer_json(read_tokenizer_json("file", written)) == written);
      if (std::string(name) == "llama2") {
        CHECK(written["normalizer"] == file["normalizer"]);
        CHECK(written["decoder"] == file["decoder"]);
        CHECK(written["model"]["vocab"] == file["model"]["vocab"]);
      } else if (std::string(name) != "gemma") {  // which has a step without effect
        CHECK(written["pre_tokenizer"] == file["pre_tokenizer"]);
      }
    }
  }

  TEST_CASE("parts that are not known are refused with their text") {
    CHECK(wrong_with("gpt2", "/model/dropout", nullptr).empty());
    CHECK(wrong_with("gpt2", "/model/dropout", 0.0).empty());
    CHECK(wrong_with("gpt2", "/model/dropout", 0.1) == "file: its dropout is 0.1, which is not known here");
    CHECK(wrong_with("gpt2", "/model/end_of_word_suffix", "</w>") ==
          "file: its end_of_word_suffix is \"</w>\", which is not known here");
    CHECK(wrong_with("gpt2", "/model/type", "Unigram") ==
          "file: its model is \"Unigram\", which is not known here");
    CHECK(wrong_with("llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "\\w+").find("\"\\\\w+\"") !=
          std::string::npos);
    CHECK(wrong_with("llama3", "/pre_tokenizer/pretokenizers/0/behavior", "Removed")
              .find("its pre_tokenizer is ") != std::string::npos);
    CHECK(wrong_with("gpt2", "/normalizer", {{"type", "Lowercase"}}) ==
          "file: its normalizer is [{\"type\":\"Lowercase\"}], which is not known here");
    CHECK(wrong_with("llama2", "/normalizer", nullptr).find("its normalizer is []") != std::string::npos);
    CHECK(wrong_with("gpt2", "/decoder", nullptr) == "file: its decoder is [], which is not known here");
    CHECK(wrong_with("llama2", "/decoder", {{"type", "ByteLevel"}}).find("its decoder is ") !=
          std::string::npos);
    CHECK(wrong_with("llama2", "/post_processor/single", json::array()).find("its post_processor is ") !=
          std::string::npos);
    CHECK(wrong_with("llama2", "/decoder/decoders/3/start", 2).find("its decoder is ") != std::string::npos);
    CHECK(wrong_with("first", "/pre_tokenizer/split", true).find("its pre_tokenizer is ") !=
          std::string::npos);
    CHECK(wrong_with("llama2", "/post_processor/type", "BertProcessing").find("its post_processor is ") !=
          std::string::npos);
  }

  TEST_CASE("malformed files are refused") {
    const std::string other = "file: is not a tokenizer.json of the package tokenizers: ";
    CHECK(wrong_with("gpt2", "/model/merges", nullptr).empty());  // none
    CHECK(wrong_with("gpt2", "/model/merges", json{"a"}) == "file: \"a\" among its merges is not two tokens");
    CHECK(wrong_with("gpt2", "/model/merges", json{"a zz"}) == "file: Token `zz` out of vocabulary");
    CHECK(wrong_with("gpt2", "/model/merges", json{"! !"}) == "file: Token `!!` out of vocabulary");
    CHECK(wrong_with("gpt2", "/model/merges", json{{"a"}}).rfind(other, 0) == 0);
    CHECK(wrong_with("gpt2", "/model/vocab", json::array()).rfind(other, 0) == 0);
    CHECK(wrong_with("gpt2", "/model/vocab/!", 1.5) ==
          "file: its id of a token is 1.5, which is not known here");
    CHECK(wrong_with("gpt2", "/model/vocab/!", 1 << 30).find("can't have the id 1073741824") !=
          std::string::npos);
    CHECK(wrong_with("gpt2", "/model/vocab/!", 1).find("are both 1") != std::string::npos);
    CHECK(wrong_with("gpt2", "/model/unk_token", "zz").rfind(other, 0) == 0);
    CHECK(wrong_with("gpt2", "/added_tokens/0/id", -1).find("can't have a token -1") != std::string::npos);
    CHECK(wrong_with("gpt2", "/added_tokens/0/id", 1e30).find("its id of a token is 1e+30") !=
          std::string::npos);
    CHECK(wrong_with("gpt2", "/added_tokens/0/content", 3).rfind(other, 0) == 0);
    CHECK(wrong_with("gpt2", "/added_tokens/0/content", "!") ==
          "file: has the token \"!\" twice, as 0 and as 330");
    CHECK(wrong_with("llama2", "/post_processor/special_tokens", json::object()).rfind(other, 0) == 0);
    CHECK(wrong_with("llama2", "/post_processor/special_tokens/<s>/ids/0", 4000)
              .find("can't have a token 4000") != std::string::npos);
  }
}
