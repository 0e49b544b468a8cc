// Against the package tokenizers, recorded by tests/golden/text/make_tokenizers.py: models whose merges cross all borders
// of pieces, so that a border in a wrong place shows.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "etude/text/pretrained_tokenizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using namespace etude::text;

TEST_SUITE("pretrained_tokenizer golden") {
  namespace {

  using Json = nlohmann::json;
  using RecordedIds = std::vector<int64_t>;

  Json recorded_tokenizers() {
    return Json::parse(read_bytes(std::string(ETUDE_GOLDEN_DIR) + "/text/tokenizers.json"));
  }

  // A case as tokenizer.json.
  Json recorded_file(const Json& golden, const Json& recorded) {
    Json file = recorded["file"];
    file["model"] = golden["models"][recorded["model"].get<std::string>()];
    file["model"].update(recorded["flags"]);
    return file;
  }

  PretrainedTokenizer loaded_from(const Json& file) {
    const TemporaryFolder folder;
    write_bytes(folder / "tokenizer.json", file.dump());
    return PretrainedTokenizer::load(folder.path());
  }

  std::string wrong_in(Json file, const std::string& place, const Json& value) {
    file[Json::json_pointer(place)] = value;
    return refusal_text([&] { loaded_from(file); });
  }

  bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
  }

  void check_recorded(const PretrainedTokenizer& t, const Json& texts, const Json& recorded) {
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string text = texts[i], place = std::to_string(i);
      CAPTURE(text);
      const auto ids = recorded["ids"][i].get<RecordedIds>();
      CHECK(t.encode(text) == ids);
      CHECK(t.decode(ids) == recorded["decoded"].value(place, text));
    }
    const auto prompt = recorded["prompt"].get<RecordedIds>();
    CHECK(t.encode_prompt("the x") == prompt);
    CHECK(t.decode(prompt, true) == recorded["plain"].get<std::string>());
  }

  }  // namespace

  TEST_CASE("every kind of steps gives the ids and texts of tokenizers, also after saving") {
    const Json golden = recorded_tokenizers();
    CHECK(golden["cases"].size() > 20);
    for (const Json& recorded : golden["cases"]) {
      CAPTURE(recorded["name"].get<std::string>());
      const auto t = loaded_from(recorded_file(golden, recorded));
      check_recorded(t, golden["texts"], recorded);
      const TemporaryFolder folder;
      t.save(folder.path());
      check_recorded(PretrainedTokenizer::load(folder.path()), golden["texts"], recorded);
    }
  }

  TEST_CASE("texts have the form C that tokenizers gives them") {
    const Json golden = recorded_tokenizers();
    for (const Json& recorded : golden["cases"]) {
      if (recorded["name"] != "cl100k form c") continue;
      Json file = recorded_file(golden, recorded);
      file["added_tokens"] = Json::array();
      file["post_processor"] = nullptr;
      const auto t = loaded_from(file);
      CHECK(golden["accents"].size() == 150);
      for (const Json& pair : golden["accents"])
        CHECK(t.decode(t.encode(std::string(pair[0]))) == pair[1].get<std::string>());
    }
  }

  TEST_CASE("tokens have their ids") {
    const Json golden = recorded_tokenizers();
    for (const Json& recorded : {golden["cases"][3], golden["cases"].back()}) {
      const Json file = recorded_file(golden, recorded);
      const auto t = loaded_from(file);
      for (const auto& [token, id] : file["model"]["vocab"].items()) {
        CHECK(t.token_to_id(token) == id.get<int64_t>());
        CHECK(t.id_to_token(id) == token);
      }
      for (const Json& token : file["added_tokens"]) {
        CHECK(t.token_to_id(token["content"]) == token["id"].get<int64_t>());
        CHECK(t.id_to_token(token["id"]) == token["content"].get<std::string>());
      }
    }
  }

  TEST_CASE("what is not known is refused with its text") {
    const Json golden = recorded_tokenizers();
    const Json gpt2 = recorded_file(golden, golden["cases"][0]);
    CHECK(
        says(wrong_in(gpt2, "/model/type", "Unigram"), "its model is \"Unigram\", which is not known here"));
    CHECK(says(wrong_in(gpt2, "/model/type", "WordPiece"), "its model is \"WordPiece\""));
    CHECK(says(wrong_in(gpt2, "/model/dropout", 0.5), "its dropout is 0.5"));
    CHECK(says(wrong_in(gpt2, "/model/end_of_word_suffix", "</w>"), "its end_of_word_suffix is \"</w>\""));
    CHECK(says(wrong_in(gpt2, "/model/merges/0", "a nosuchtoken"), "Token `nosuchtoken` out of vocabulary"));
    CHECK(says(wrong_in(gpt2, "/model/vocab/!", 1 << 30), "can't have the id 1073741824"));
    CHECK(says(wrong_in(gpt2, "/model/vocab/!", -1), "can't have the id -1"));
    CHECK(says(wrong_in(gpt2, "/model/vocab/!", 7), "are both 7"));
    CHECK(says(wrong_in(gpt2, "/added_tokens/0/id", int64_t{1} << 40), "1099511627776"));
    CHECK(says(wrong_in(gpt2, "/normalizer", {{"type", "NFKC"}}), "its normalizer is [{\"type\":\"NFKC\"}]"));
    CHECK(says(wrong_in(gpt2, "/pre_tokenizer", {{"type", "Whitespace"}}), "Whitespace"));
    CHECK(says(wrong_in(gpt2, "/decoder", {{"type", "WordPiece"}}), "WordPiece"));
    CHECK(says(wrong_in(gpt2, "/post_processor", {{"type", "BertProcessing"}}), "BertProcessing"));
    const Json split = {
        {"type", "Split"}, {"pattern", {{"Regex", "[a-c]+"}}}, {"behavior", "Isolated"}, {"invert", false}};
    CHECK(says(wrong_in(gpt2, "/pre_tokenizer", split), "[a-c]+"));
  }

  TEST_CASE("a part of another type or a cut file is refused") {
    const Json golden = recorded_tokenizers();
    const Json file = recorded_file(golden, golden["cases"][3]);
    for (const char* place :
         {"/model", "/model/vocab", "/model/merges", "/model/vocab/!", "/model/merges/0", "/added_tokens",
          "/added_tokens/0", "/added_tokens/0/id", "/added_tokens/0/content", "/pre_tokenizer",
          "/post_processor", "/post_processor/single", "/decoder"}) {
      CAPTURE(place);
      for (const Json& value : std::initializer_list<Json>{1.5, true, "x", Json::array({1}), {{"x", 1}}}) {
        if (file[Json::json_pointer(place)].type() == value.type()) continue;
        CHECK(says(wrong_in(file, place, value), "tokenizer.json"));
      }
    }
    const std::string bytes = file.dump();
    const TemporaryFolder folder;
    for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 60) {
      write_bytes(folder / "tokenizer.json", bytes.substr(0, size));
      CHECK(says(refusal_text([&] { PretrainedTokenizer::load(folder.path()); }), "tokenizer.json"));
    }
  }
}
