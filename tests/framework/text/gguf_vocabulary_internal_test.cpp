// Tokenizers in GGUF files: llama.cpp says how it encodes texts with them (golden/text/make_gguf.py).
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "etude/io/gguf.h"
#include "etude/ops/ops.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/pretrained_tokenizer.h"
#include "support/mutated_bytes.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using text::PretrainedTokenizer;

TEST_SUITE("tokenizers in GGUF files") {
  namespace {

  using Metadata = OrderedDict<std::string, IValue>;

  const std::string recorded_folder = std::string(ETUDE_GOLDEN_DIR) + "/text/";

  const nlohmann::json& recorded_ids() {
    static const nlohmann::json all = nlohmann::json::parse(std::ifstream(recorded_folder + "gguf.json"));
    return all;
  }

  Metadata metadata_of(const std::string& name) { return load_gguf(recorded_folder + name).metadata; }

  PretrainedTokenizer tokenizer_of(const Metadata& metadata) {
    const TemporaryFolder folder;
    save_gguf(folder / "x.gguf", OrderedDict<std::string, QuantizedWeight>(), metadata);
    return PretrainedTokenizer::load(folder / "x.gguf");
  }

  std::string refusal_of(const Metadata& metadata) {
    const std::string text = refusal_text([&] { tokenizer_of(metadata); });
    return text.substr(text.find("x.gguf: ") + 8);
  }

  Metadata without(Metadata metadata, const std::string& key) {
    metadata.erase("tokenizer.ggml." + key);
    return metadata;
  }

  Metadata with(Metadata metadata, const std::string& key, IValue value) {
    if (metadata.contains("tokenizer.ggml." + key)) metadata = without(std::move(metadata), key);
    metadata.insert("tokenizer.ggml." + key, std::move(value));
    return metadata;
  }

  /// The metadata of a tokenizer, as add_gguf_vocabulary writes them.
  Metadata written(const PretrainedTokenizer& tokenizer, int64_t vocab_size) {
    Metadata metadata;
    text::detail::add_gguf_vocabulary(metadata, tokenizer, vocab_size);
    return metadata;
  }

  void check_ids(const PretrainedTokenizer& tokenizer, const nlohmann::json& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string text = recorded_ids()["texts"][i];
      CAPTURE(text);
      CHECK(tokenizer.encode(text) == ids[i].get<std::vector<int64_t>>());
    }
  }

  }  // namespace

  TEST_CASE("encode as llama.cpp does, from its files and from ours") {
    for (const auto& [pattern, ids] : recorded_ids()["bytes"].items()) {
      CAPTURE(pattern);
      const auto tokenizer = tokenizer_of(with(metadata_of("bytes.gguf"), "pre", pattern));
      check_ids(tokenizer, ids);
      check_ids(tokenizer_of(written(tokenizer, tokenizer.vocab_size() + 5)), ids);
    }
    const auto tokenizer = PretrainedTokenizer::load(recorded_folder + "scores.gguf");
    check_ids(tokenizer, recorded_ids()["scores"]);
    check_ids(tokenizer_of(written(tokenizer, tokenizer.vocab_size())), recorded_ids()["scores"]);
    CHECK(tokenizer.decode(tokenizer.encode("the thing \xf0\x9f\x8e\xb9")) == "the thing \xf0\x9f\x8e\xb9");
  }

  TEST_CASE("have the metadata that llama.cpp's package wrote") {
    for (const char* name : {"bytes.gguf", "scores.gguf"}) {
      CAPTURE(name);
      const Metadata golden = metadata_of(name);
      const auto tokenizer = PretrainedTokenizer::load(recorded_folder + name);
      const Metadata own = written(tokenizer, tokenizer.vocab_size());
      for (const auto& item : golden) {
        if (item.key().rfind("tokenizer.", 0) != 0) continue;
        CAPTURE(item.key());
        REQUIRE(own.contains(item.key()));
        const IValue &a = item.value(), &b = own[item.key()];
        if (a.isString()) CHECK(a.toStringRef() == b.toStringRef());
        else if (a.isInt()) CHECK(a.toInt() == b.toInt());
        else if (a.isBool()) CHECK(a.toBool() == b.toBool());
        else if (a.isIntList()) CHECK(a.toIntVector() == b.toIntVector());
        else if (a.isDoubleList()) CHECK(a.toDoubleVector() == b.toDoubleVector());
        else CHECK(a.to<std::vector<std::string>>() == b.to<std::vector<std::string>>());
      }
    }
  }

  TEST_CASE("know what begins and ends a text") {
    const Metadata scores = metadata_of("scores.gguf"), bytes = metadata_of("bytes.gguf");
    const auto plain = tokenizer_of(scores);
    CHECK(plain.bos_token() == 1);
    CHECK(plain.eos_token() == 2);
    const std::vector<int64_t> ids = plain.encode("the thing");
    std::vector<int64_t> prompt = ids;
    prompt.insert(prompt.begin(), 1);
    CHECK(plain.encode_prompt("the thing") == prompt);
    CHECK(tokenizer_of(with(scores, "add_bos_token", false)).encode_prompt("the thing") == ids);
    prompt.push_back(2);
    const auto both = tokenizer_of(with(scores, "add_eos_token", true));
    CHECK(both.encode_prompt("the thing") == prompt);
    CHECK(tokenizer_of(written(both, both.vocab_size())).encode_prompt("the thing") == prompt);
    // If the file does not say, llama.cpp begins with a token for Llama 3, and without one for GPT-2.
    const Metadata silent = without(bytes, "add_bos_token");
    CHECK(tokenizer_of(silent).encode_prompt("x").size() == 1);
    CHECK(tokenizer_of(with(silent, "pre", "llama-bpe")).encode_prompt("x").size() == 2);
    CHECK_FALSE(tokenizer_of(without(bytes, "eos_token_id")).eos_token());
    // Without the blank in front, the first word is another token.
    CHECK(tokenizer_of(with(scores, "add_space_prefix", false)).encode("the") != plain.encode("the"));
    CHECK(tokenizer_of(with(scores, "add_space_prefix", false)).encode(" the") == plain.encode("the"));
  }

  // Llama 2's tokenizer.json has merges where its tokenizer.model has scores.
  TEST_CASE("get scores from merges") {
    const auto tokenizer = PretrainedTokenizer::load(recorded_folder + "scores.gguf");
    text::detail::PretrainedVocabulary v = tokenizer.vocabulary();
    for (const auto& [pair, rule] : text::detail::ranked_merges(v)) v.merges.push_back(pair);
    v.scores.clear();
    check_ids(tokenizer_of(written(PretrainedTokenizer(v), tokenizer.vocab_size())),
              recorded_ids()["scores"]);
  }

  TEST_CASE("are refused if they are not known, or do not fit together") {
    const Metadata scores = metadata_of("scores.gguf"), bytes = metadata_of("bytes.gguf");
    CHECK(refusal_of(without(bytes, "model")) ==
          "has a tokenizer of the kind \"none\", which is not known here");
    CHECK(refusal_of(with(bytes, "model", "bert")) ==
          "has a tokenizer of the kind \"bert\", which is not known here");
    CHECK(refusal_of(with(bytes, "model", 3)) ==
          "the metadata \"tokenizer.ggml.model\": Expected another type but got Int");
    CHECK(refusal_of(without(bytes, "pre")) == "splits texts as \"\", which is not known here");
    CHECK(refusal_of(with(bytes, "pre", "falcon")) == "splits texts as \"falcon\", which is not known here");
    CHECK(refusal_of(with(bytes, "token_type", std::vector<int64_t>{1})) == "has 363 tokens and 1 types");
    CHECK(refusal_of(without(scores, "scores")) == "has no scores of its tokens");
    CHECK(refusal_of(with(scores, "scores", std::vector<double>{1})) == "has tokens without a score");
    CHECK(refusal_of(with(bytes, "merges", std::vector<std::string>{"a b c"})).find("is not two tokens") !=
          std::string::npos);
    CHECK(refusal_of(with(bytes, "merges", std::vector<std::string>{"a none"})).find("out of vocabulary") !=
          std::string::npos);
    CHECK(refusal_of(with(bytes, "bos_token_id", 363)).find("can't have a token 363") != std::string::npos);
    CHECK(refusal_of(without(bytes, "tokens")) == "has 0 tokens and 363 types");
  }

  TEST_CASE("are refused where llama.cpp has none like them") {
    const auto refused = [](const text::Tokenizer& tokenizer, int64_t vocab_size) {
      Metadata metadata;
      return refusal([&] { text::detail::add_gguf_vocabulary(metadata, tokenizer, vocab_size); });
    };
    const auto tokenizer = PretrainedTokenizer::load(recorded_folder + "bytes.gguf");
    CHECK(refused(tokenizer, 363) == "");
    CHECK(refused(tokenizer, 362) == "ValueError: save_gguf: 363 tokens are too many for a model with 362");
    CHECK(refused(text::CharacterTokenizer::train("abc"), 3) ==
          "ValueError: save_gguf: a tokenizer has to have byte pairs");
    text::detail::PretrainedVocabulary v = tokenizer.vocabulary();
    v.before = {1, 2};
    CHECK(refused(PretrainedTokenizer(v), 363) ==
          "ValueError: save_gguf: llama.cpp puts at most one token before and after a text");
    v = tokenizer.vocabulary();
    v.pattern = etude::detail::PiecePattern::kCl100k;
    CHECK(refused(PretrainedTokenizer(v), 363)
              .rfind("ValueError: save_gguf: llama.cpp does not split texts as ", 0) == 0);
  }

  TEST_CASE("of BytePairTokenizer keep their ids") {
    const auto own =
        text::BytePairTokenizer::train("the theory of the thing, the thin thing", 270, {"<end>"});
    Metadata metadata;
    text::detail::add_gguf_vocabulary(metadata, own, own.vocab_size());
    const auto back = tokenizer_of(metadata);
    for (const std::string text : {"the thing", "another theory<end>", "\xf0\x9f\x8e\xb9 and 12"})
      CHECK(back.encode(text) == own.encode(text));
  }

  TEST_CASE("with changed bytes give a tokenizer or an error") {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const char* name : {"bytes.gguf", "scores.gguf"}) {
      const std::string whole = read_bytes(recorded_folder + name);
      for (int i = 0; i < 300; ++i) {
        write_bytes(folder / "x.gguf",
                    mutated(whole, random, "\1\2\3 ab", [&](size_t size) { return random() % size; }));
        try {
          text::Tokenizer::from_file(folder / "x.gguf")->encode("the thing is <s> there");
          ++read;
        } catch (const Error& e) {
          REQUIRE(e.msg().rfind(folder / "x.gguf", 0) == 0);
          ++refused;
        }
      }
    }
    CHECK(read > 50);
    CHECK(refused > 100);
  }
}
