// examples/generate with a small model of transformers, and the texts with which transformers continues it: tests/golden/generate.
#include <doctest/doctest.h>
#include <etude/etude.h>

#include <string>
#include <vector>

#include "example_program.h"
#include "support/has.h"
#include "support/recorded_data.h"

namespace {

using etude::has, etude::ExampleRun;

using Words = std::vector<std::string>;

TEST_SUITE("generate") {
  namespace {

  const std::string kFolder = ETUDE_GOLDEN_DIR "/generate";

  ExampleRun generate(const Words& words) { return etude::run_example("generate", words); }

  // With lines for stdin.
  ExampleRun chat(const std::string& lines, const std::string& options = "") {
    return etude::run_program(
        {"/bin/sh", "-c",
         "printf '" + lines + "' | '" ETUDE_EXAMPLES "/generate' '" + kFolder + "' --chat " + options});
  }

  etude::Recorded expected() { return etude::Recorded::parse(etude::read_bytes(kFolder + "/expected.json")); }

  // A copy of the model, with `to` in place of the first `from` in the file `name`.
  struct Copy {
    Copy(const std::string& name, const std::string& from, const std::string& to) {
      for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"})
        etude::write_bytes(folder / file, etude::read_bytes(kFolder + "/" + file));
      std::string text = etude::read_bytes(folder / name);
      const size_t at = text.find(from);
      REQUIRE(at != std::string::npos);
      etude::write_bytes(folder / name, text.replace(at, from.size(), to));
    }
    etude::TemporaryFolder folder;
  };

  }  // namespace

  TEST_CASE("continues prompts as transformers does, to the token that ends a text") {
    for (const auto& [prompt, text] : expected()["continued"].items()) {
      CAPTURE(prompt);
      const std::string line = prompt + text.get<std::string>() + "\n";
      const ExampleRun run = generate({kFolder, prompt});
      CHECK(run.code == 0);
      CHECK(run.out == line);
      CHECK(has(run.err, "18528 weights loaded in "));
      CHECK(has(run.err, " tokens per second\n"));
      CHECK(generate({kFolder + "/model.safetensors", prompt}).out == line);
      CHECK(generate({kFolder, prompt, "--eight-bits"}).out == line);
      CHECK(generate({kFolder, prompt, "--threads", "2"}).out == line);
    }
  }

  TEST_CASE("ends before a stop text, and after --max-tokens") {
    CHECK(generate({kFolder, "the dog", "--stop", "soup", "--stop", "light"}).out ==
          "the dog saw itself in a pool of \n");
    CHECK(generate({"--stop", "of li", kFolder, "the dog"}).out == "the dog saw itself in a pool \n");
    CHECK(generate({kFolder, "the dog", "--max-tokens", "1"}).out == "the dog saw\n");
    CHECK(has(generate({kFolder, "the dog", "--max-tokens", "1"}).err, ", wrote 0.0 tokens per second\n"));
  }

  TEST_CASE("draws with a temperature, the same from the same seed") {
    const auto draw = [](const Words& more) {
      Words words = {kFolder, "the", "--temperature", "3"};
      words.insert(words.end(), more.begin(), more.end());
      return generate(words).out;
    };
    CHECK(draw({}) == draw({"--seed", "1"}));
    CHECK(draw({}) != draw({"--seed", "2"}));
    const std::string best = generate({kFolder, "the"}).out;
    CHECK(draw({}) != best);
    CHECK(draw({"--top-k", "1"}) == best);
    CHECK(draw({"--top-p", "0.000001"}) == best);
  }

  TEST_CASE("answers line by line, and remembers what was said") {
    const etude::Recorded answers = expected()["answers"];
    const ExampleRun run = chat("who saw itself?\\nwhere?");
    CHECK(run.code == 0);
    CHECK(run.out == answers[0].get<std::string>() + "\n" + answers[1].get<std::string>() + "\n");
    CHECK(chat("who saw itself?\\n", "--max-tokens 1").out == "the\n");
    CHECK(chat("").out == "");
    // These are more than the 128 tokens of its context, so it drops the first lines.
    std::string lines;
    for (int i = 0; i < 12; ++i) lines += "who saw itself?\\n";
    CHECK(chat(lines).code == 0);
  }

  TEST_CASE("Ctrl-C ends a text, and a conversation") {
    const Copy endless("tokenizer_config.json", "\"eos_token\": \"<|endoftext|>\"",
                       "\"eos_token\": \"<|im_end|>\"");
    const ExampleRun run =
        etude::run_example("generate", {endless.folder.path(), "the dog", "--max-tokens", "1000000"},
                           "weights loaded", {SIGINT});
    CHECK(run.code == 130);
    CHECK(run.out.rfind("the dog", 0) == 0);
    CHECK(run.out.back() == '\n');
    CHECK(has(run.err, " tokens per second\n"));

    const std::string lines = endless.folder / "lines";
    const std::string command = "mkfifo '" + lines + "'; exec '" ETUDE_EXAMPLES "/generate' '" + kFolder +
                                "' --chat <>'" + lines + "'";
    const ExampleRun talk = etude::run_program({"/bin/sh", "-c", command}, "weights loaded",
                                               [](pid_t child) { kill(child, SIGINT); });
    CHECK(talk.code == 130);
    CHECK(talk.out == "");
    CHECK(has(talk.err, " tokens per second\n"));
  }

  TEST_CASE("says in a sentence what makes no sense, with code 2") {
    const auto refuses = [](const Words& words, const std::string& sentence) {
      CAPTURE(sentence);
      const ExampleRun run = generate(words);
      CHECK(run.code == 2);
      CHECK(run.out == "");
      CHECK(has(run.err, "generate: " + sentence));
      return run.err;
    };
    refuses({}, "MODEL is required");
    CHECK(has(refuses({kFolder, "--temprature", "1"}, ""), "Did you mean --temperature?"));
    refuses({kFolder, "a", "b"}, "The following argument was not expected: b");
    refuses({kFolder, "a", "--max-tokens", "0"}, "--max-tokens: ");
    refuses({kFolder, "a", "--top-p", "0"}, "--top-p: ");
    refuses({kFolder, "a", "--top-k", "3"}, "--top-k and --top-p choose what is drawn from");
    refuses({kFolder, "a", "--stop", ""}, "--stop: a text is empty");
    refuses({kFolder, "a", "--chat"}, "--chat reads from the terminal: it takes no PROMPT");
    refuses({kFolder}, "the prompt is empty, and the tokenizer has no token that begins a text");
    std::string text;
    for (int i = 0; i < 129; ++i) text += "\n";
    refuses({kFolder, text}, "the prompt has 129 tokens, and the model reads at most 128\n");
    CHECK(generate({kFolder, text.substr(1), "--max-tokens", "1"}).code == 0);
  }

  TEST_CASE("says which file is missing, cut or of another model, with code 3") {
    const auto fails = [](const Words& words, const std::string& sentence) {
      CAPTURE(sentence);
      const ExampleRun run = generate(words);
      CHECK(run.code == 3);
      CHECK(run.out == "");
      CHECK(has(run.err, sentence));
    };
    fails({"/no/such", "a"}, "generate: /no/such: No such file or directory\n");
    const etude::TemporaryFolder empty;
    fails({empty.path(), "a"}, "generate: " + empty / "config.json" + ": No such file or directory\n");
    fails({kFolder, "a", "--tokenizer", empty.path()},
          "generate: " + empty.path() + ": has no file of a tokenizer");

    const std::string weights = etude::read_bytes(kFolder + "/model.safetensors");
    const Copy cut("model.safetensors", weights, weights.substr(0, 50000));
    fails({cut.folder.path(), "a"}, "generate: " + cut.folder / "model.safetensors" + ": ");

    const Copy other("config.json", "\"vocab_size\": 288", "\"vocab_size\": 287");
    fails({other.folder.path(), "a"}, "size mismatch for model.embed_tokens.weight");
    const auto own = etude::text::BytePairTokenizer::train(etude::read_bytes(kFolder + "/make_generate.py"),
                                                           400, {"<|end|>"});
    own.save(empty / "own.json");
    fails({kFolder, "the dog<|end|>", "--tokenizer", empty / "own.json"},
          "generate: the tokenizer has the id " + std::to_string(own.vocab_size() - 1) +
              ", and the model has 288 tokens\nhint: --tokenizer names another file\n");
  }
}

}  // namespace
