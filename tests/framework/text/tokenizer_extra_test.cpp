#include "etude/text/tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

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
