#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "example_program.h"
#include "support/has.h"
#include "toy_gpt.h"

namespace {

using etude::has, etude::ExampleRun;

using Words = std::vector<std::string>;

struct Toy : etude::ToyGPT {
  ExampleRun run(const std::string& out, const Words& more, const std::string& stop_at = "",
                 const std::vector<int>& signals = {SIGINT}) const {
    return etude::run_example("char_gpt", words(out, more), stop_at, signals);
  }
};

TEST_SUITE("char_gpt") {
  TEST_CASE("explains its options") {
    const ExampleRun help = etude::run_example("char_gpt", {"--help"});
    CHECK(help.code == 0);
    for (const char* option : {"--text FILE", "--resume", "--sample N", "--prompt", "--temperature",
                               "--top-k", "--steps N=2000"}) {
      CAPTURE(option);
      CHECK(has(help.out, option));
    }
  }

  TEST_CASE("refuses what makes no sense with code 2, before anything is written") {
    const Toy toy;
    const std::vector<Words> wrong = {{"--stpes", "3"},    {"--steps", "0"},       {"--heads", "3"},
                                      {"--prompt", "Zoo"}, {"--temperature", "0"}, {"--top-k", "-1"},
                                      {"--sample", "x"},   {"--context", "100000"}};
    for (const Words& words : wrong) {
      CAPTURE(words[0]);
      const ExampleRun run = toy.run("out", words);
      CHECK(run.code == 2);
      CHECK(run.out == "");
      CHECK(has(run.err, "char_gpt: "));
    }
    CHECK(has(toy.run("out", wrong[0]).err, "Did you mean --steps?"));
    CHECK(toy.folder.count() == 1);
  }

  TEST_CASE("says which file is missing or not what it should be, with code 3") {
    const Toy toy;
    const ExampleRun no_text = toy.run("out", {"--text", "/no/such/text"});
    CHECK(no_text.code == 2);  // --text twice
    const ExampleRun missing = etude::run_example("char_gpt", {"--text", "/no/such/text"});
    CHECK(missing.code == 3);
    CHECK(has(missing.err, "/no/such/text: No such file"));

    const ExampleRun no_checkpoint = toy.run("out", {"--resume"});
    CHECK(no_checkpoint.code == 3);
    CHECK(has(no_checkpoint.err, toy.folder / "out/checkpoint.safetensors"));
    CHECK(has(no_checkpoint.err, "hint: --resume"));

    etude::write_bytes(toy.folder / "out/checkpoint.safetensors", "nothing of the kind");
    CHECK(toy.run("out", {"--resume"}).code == 3);

    toy.run("out", {"--steps", "1"});
    etude::write_bytes(toy.folder / "text", toy.file("text") + "12+");
    const ExampleRun other_text = toy.run("out", {"--steps", "2", "--resume"});
    CHECK(other_text.code == 3);
    CHECK(has(other_text.err, "belongs to another run\n  characters of the text: "));
  }

  TEST_CASE("one seed gives one output, whatever the number of threads") {
    const Toy toy;
    const ExampleRun run = toy.run("out", {"--steps", "20", "--threads", "1"});
    CHECK(has(run.out, "loss of counted pairs: "));
    CHECK(has(run.out, "\nexpected loss between "));
    CHECK(toy.run("two", {"--steps", "20", "--threads", "2"}).out == run.out);
    CHECK(toy.file("two/checkpoint.safetensors") == toy.file("out/checkpoint.safetensors"));
    CHECK(toy.file("two/loss.svg") == toy.file("out/loss.svg"));
    CHECK(toy.file("two/attention.svg") == toy.file("out/attention.svg"));
    CHECK(toy.run("out", {"--steps", "20", "--seed", "2"}).out != run.out);
  }

  TEST_CASE("learns more than pairs of characters tell") {
    const Toy toy;
    const ExampleRun run = toy.run("out", {"--steps", "400", "--lr", "0.02", "--prompt", "12+"});
    CAPTURE(run.out);
    CHECK(run.code == 0);
    CHECK(std::regex_search(run.out, std::regex("\n12\\+\\d+=\\d+\n\\d+\\+\\d+=\\d+\n")));
    CHECK(has(run.out, ": reached\n"));
    const ExampleRun begun = toy.run("out", {"--steps", "1"});
    CHECK(begun.code == 0);
    CHECK(has(begun.out, ": not yet, with 1 of the usual 2000 steps\n"));
  }

  TEST_CASE("after Ctrl-C it goes on as if it had not been stopped") {
    const Toy toy;
    const Words words = {"--steps", "200"};
    const ExampleRun whole = toy.run("whole", words);
    const ExampleRun stopped = toy.run("out", words, "step  20/200");
    CHECK(stopped.code == 130);
    CHECK(has(stopped.err, "stopped after step "));
    CHECK_FALSE(has(stopped.err, "step 200/200"));
    CHECK(has(stopped.err, " --resume\n"));
    CHECK(has(whole.out, stopped.out));

    const ExampleRun resumed = toy.run("out", {"--steps", "200", "--resume"});
    CHECK(resumed.out == whole.out);
    CHECK(resumed.code == whole.code);
    for (const char* file : {"/checkpoint.safetensors", "/loss.svg", "/attention.svg"}) {
      CAPTURE(file);
      CHECK(toy.file(std::string("out") + file) == toy.file(std::string("whole") + file));
    }
  }

  TEST_CASE("loses nothing of what it has saved, and saves when the terminal is closed") {
    const Toy toy;
    const Words words = {"--steps", "100", "--save-every", "3"};
    const ExampleRun whole = toy.run("whole", words);
    Words resumed = words;
    resumed.emplace_back("--resume");
    for (const auto& signals : std::vector<std::vector<int>>{{SIGKILL}, {SIGHUP}, {SIGINT, SIGINT}}) {
      CAPTURE(signals[0]);
      const ExampleRun stopped = toy.run("out", words, "step  20/100", signals);
      CHECK(stopped.code == (signals[0] == SIGKILL ? -1 : 130));
      CHECK(toy.run("out", resumed).out == whole.out);
      CHECK(toy.file("out/loss.svg") == toy.file("whole/loss.svg"));
    }
  }

  TEST_CASE("ends with code 3 soon after its folder is gone") {
    const Toy toy;
    Words words = toy.words("out", {"--steps", "3000", "--save-every", "3"});
    words.insert(words.begin(), std::string(ETUDE_EXAMPLES) + "/char_gpt");
    const ExampleRun run = etude::run_program(words, "/3000  loss", [&](pid_t) {
      std::filesystem::rename(toy.folder / "out", toy.folder / "elsewhere");
    });
    CHECK(run.code == 3);
    CHECK(has(run.err, "out/checkpoint.safetensors: the folder cannot be opened"));
    CHECK_FALSE(has(run.err, "not saved"));
    CHECK_FALSE(has(run.err, "step 3000/3000"));
  }

  TEST_CASE("does not write into the folder of a run that has not ended") {
    const Toy toy;
    Words words = toy.words("out", {"--steps", "3000", "--save-every", "3"});
    words.insert(words.begin(), std::string(ETUDE_EXAMPLES) + "/char_gpt");
    ExampleRun second;
    pid_t id = 0;
    const ExampleRun first = etude::run_program(words, "/3000  loss", [&](pid_t child) {
      id = child;
      second = toy.run("out", {"--steps", "1", "--resume"});
      kill(child, SIGINT);
    });
    CHECK(second.code == 3);
    CHECK(has(second.err,
              "/out: another run, process " + std::to_string(id) +
                  ", writes its files here\nhint: wait until it ends, or choose another folder: --out"));
    CHECK(first.code == 130);
    CHECK(toy.run("out", {"--steps", "1", "--resume"}).code == 0);
  }

  TEST_CASE("goes on with the model and the learning rate that it began with, and says so") {
    const Toy toy;
    toy.run("out", {"--steps", "2", "--lr", "0.02"});
    const ExampleRun wrong = etude::run_example(
        "char_gpt", {"--text", toy.folder / "text", "--out", toy.folder / "out", "--layers", "1", "--heads",
                     "4", "--width", "16", "--context", "32", "--resume"});
    CHECK(wrong.code == 3);
    CHECK(has(wrong.err,
              "belongs to another run\n  --heads: 2 then, 4 now\n  --context: 16 then, 32 now\nhint: "));
    const ExampleRun other = toy.run("out", {"--steps", "3", "--lr", "0.01", "--seed", "5", "--resume"});
    CHECK(has(other.err, "--lr 0.01 is for new runs; this one goes on with the 0.02 of its checkpoint\n"));
    CHECK(has(other.err, "--seed 5 is for new runs; this one goes on with the 1 of its checkpoint\n"));
    const ExampleRun silent = toy.run("out", {"--steps", "4", "--resume"});
    CHECK_FALSE(has(silent.err, "is for new runs"));
  }

  TEST_CASE("writes with a complete checkpoint without training, and another seed writes something else") {
    const Toy toy;
    const ExampleRun run = toy.run("out", {"--steps", "20"});
    const std::string checkpoint = toy.file("out/checkpoint.safetensors");
    const ExampleRun again = toy.run("out", {"--steps", "20", "--resume"});
    CHECK(again.out == run.out);
    CHECK_FALSE(has(again.err, "step"));
    CHECK(toy.run("out", {"--steps", "20", "--resume", "--seed", "2"}).out != run.out);
    CHECK(toy.file("out/checkpoint.safetensors") == checkpoint);
    CHECK_FALSE(has(toy.run("out", {"--steps", "20", "--resume", "--sample", "0"}).out, "----"));
  }
}

}  // namespace
