#include <doctest/doctest.h>
#include <etude/etude.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "example_program.h"
#include "support/has.h"

namespace {

using etude::has, etude::ExampleRun;
namespace nn = etude::nn;

using Words = std::vector<std::string>;

// A folder of a small Llama with random weights, and what it says by the functions of the library.
struct TinyModel {
  TinyModel() {
    nn::save_pretrained(model, &tokenizer, folder / "tiny");
    model->eval();
  }

  std::string continued(const std::string& prompt, int64_t tokens) {
    const std::vector<int64_t> ids = tokenizer.encode(prompt);
    return tokenizer.decode(
        nn::generate(model, etude::tensor(ids).unsqueeze(0), nn::GenerateOptions(tokens)));
  }
  ExampleRun run(Words words) const {
    words.insert(words.begin(), folder / "tiny");
    return etude::run_example("generate", words);
  }

  etude::TemporaryFolder folder;
  etude::text::PretrainedTokenizer tokenizer = etude::text::PretrainedTokenizer::from(
      etude::text::BytePairTokenizer::train("the dog saw the moon, the moon saw the dog", 264));
  nn::GPT model{nn::GPTOptions(tokenizer.vocab_size())
                    .d_model(16)
                    .layers(2)
                    .heads(4)
                    .kv_heads(2)
                    .rms_norm(true)
                    .swiglu(true)
                    .bias(false)
                    .context(64)
                    .positions(nn::RotaryPositions(nn::RotaryPositionsOptions(4).max_length(64)).ptr())};
};

TEST_SUITE("generate") {
  TEST_CASE("writes the prompt and what the model continues it with") {
    TinyModel tiny;
    const ExampleRun run = tiny.run({"the dog", "--max-tokens", "20"});
    CHECK(run.code == 0);
    CHECK(run.out == tiny.continued("the dog", 20) + "\n");
    CHECK(has(run.err, ", 20 written in "));
  }

  TEST_CASE("ends before a text that is named, or at the most tokens") {
    TinyModel tiny;
    const std::string text = tiny.continued("the dog", 12), rest = text.substr(7), stop = rest.substr(4, 3);
    CHECK(tiny.run({"the dog", "--max-tokens", "12", "--stop", stop}).out ==
          "the dog" + rest.substr(0, rest.find(stop)) + "\n");
    CHECK(tiny.run({"the dog", "--max-tokens", "1"}).out == tiny.continued("the dog", 1) + "\n");
  }

  TEST_CASE("draws the same text again from the same seed") {
    TinyModel tiny;
    const auto drawn = [&](const std::string& seed) {
      return tiny.run({"the", "--temperature", "2", "--max-tokens", "16", "--seed", seed}).out;
    };
    CHECK(drawn("3") == drawn("3"));
    CHECK(drawn("3") != drawn("4"));
  }

  TEST_CASE("says what is wrong in a sentence, and by its code") {
    TinyModel tiny;
    CHECK(etude::run_example("generate", {}).code == 2);
    CHECK(tiny.run({"x", "--temprature", "1"}).code == 2);
    const ExampleRun missing = etude::run_example("generate", {tiny.folder / "none", "x"});
    CHECK(missing.code == 3);
    CHECK(has(missing.err, "none: No such file or directory"));
    const ExampleRun too_long = tiny.run({std::string(200, '.')});
    CHECK(too_long.code == 2);
    CHECK(has(too_long.err, "the prompt has 200 tokens, and the model reads at most 64"));
    const ExampleRun empty = tiny.run({});
    CHECK(empty.code == 2);
    CHECK(has(empty.err, "the prompt is empty"));

    const std::string weights = tiny.folder / "tiny" + "/model.safetensors";
    std::filesystem::resize_file(weights, std::filesystem::file_size(weights) / 2);
    const ExampleRun cut = tiny.run({"x"});
    CHECK(cut.code == 3);
    CHECK(has(cut.err, "model.safetensors: "));
    std::filesystem::remove(tiny.folder / "tiny" + "/tokenizer.json");
    CHECK(has(tiny.run({"x"}).err, "generate: "));
  }
}

}  // namespace
