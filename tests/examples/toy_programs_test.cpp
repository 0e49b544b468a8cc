// reverse, dates, extrapolate, classify_text and look_inside as programs: a few steps of each, which learn nothing yet.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "example_program.h"
#include "support/has.h"
#include "support/trace_events.h"

namespace {

using etude::has, etude::ExampleRun, etude::TemporaryFolder;
using Words = std::vector<std::string>;

/// A program with few steps, and the files that it leaves in a folder of its own.
struct ToyProgram {
  std::string program;
  Words files;
  TemporaryFolder folder = {};

  ExampleRun run(const std::string& out, Words words, const std::string& stop_at = "") const {
    words.insert(words.end(), {"--out", folder / out});
    return etude::run_example(program, words, stop_at);
  }
  std::string file(const std::string& name) const { return etude::read_bytes(folder / name); }

  void check() const {
    CAPTURE(program);
    const ExampleRun help = etude::run_example(program, {"--help"});
    CHECK(help.code == 0);
    for (const char* option : {"--seed", "--threads", "--out", "--steps", "--resume", "Example"})
      CHECK(has(help.out, option));
    const ExampleRun wrong = run("out", {"--stpes", "2"});
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err, "Did you mean --steps?"));

    const ExampleRun one = run("one", {"--steps", "2", "--threads", "1"});
    CHECK(one.code == 0);  // nothing is learnt, and nothing expected
    CHECK(has(one.out, ": not yet, with 2 of the usual "));
    CHECK(has(one.err, "step 0/2\n"));  // before anything is done
    for (const std::string& name : files)
      CHECK(has(one.err.substr(one.err.find("files in " + folder / "one" + ":")), " " + name));
    check_the_same_when_traced(one);
  }

  // With another number of threads, and while a trace is made of two steps, the program writes the same.
  void check_the_same_when_traced(const ExampleRun& one) const {
    const ExampleRun run =
        this->run("two", {"--steps", "2", "--threads", "2", "--trace", folder / "steps.trace"});
    CHECK(run.out == one.out);
    for (const std::string& name : files) {
      CAPTURE(name);
      CHECK(file("one/" + name).size() > 500);
      CHECK(file("one/" + name) == file("two/" + name));
    }
    CHECK(has(run.err, "trace in " + folder / "steps.trace" + ": the first "));
    const etude::TraceText t(file("steps.trace"));
    std::map<std::string, int> counts;
    for (const etude::TraceEvent& e : t.events) ++counts[e.name];
    for (const char* name :
         {"ProfilerStep#1", "ProfilerStep#2", "aten::linear", "AccumulateGrad", "Optimizer.step#AdamW.step"})
      CHECK_MESSAGE(counts[name] > 0, name);
  }

  void check_resume(const std::string& steps) const {
    CAPTURE(program);
    const std::string stop_at = "step  3/" + steps;
    const Words words = {"--steps", steps, "--threads", "1"};
    const ExampleRun whole = run("whole", words);
    // On a busy machine the signal may come when the run is over.
    ExampleRun stopped = run("out", words, stop_at);
    for (int i = 0; i < 10 && stopped.code != 130; ++i) stopped = run("out", words, stop_at);
    CHECK(stopped.code == 130);
    CHECK(has(stopped.err, " --resume\n"));
    const ExampleRun resumed = run("out", {"--steps", steps, "--threads", "1", "--resume"});
    CHECK(resumed.out == whole.out);
    CHECK(resumed.code == whole.code);
    for (const std::string& name : files) CHECK(file("out/" + name) == file("whole/" + name));
  }
};

TEST_SUITE("toy programs") {
  TEST_CASE("reverse") {
    ToyProgram{"reverse", {"attention.svg", "loss.svg", "checkpoint.safetensors"}}.check();
  }
  TEST_CASE("dates") { ToyProgram{"dates", {"attention.svg", "loss.svg", "checkpoint.safetensors"}}.check(); }
  TEST_CASE("classify_text") {
    const ToyProgram toy{"classify_text", {"attention.svg", "loss.svg", "checkpoint.safetensors"}};
    toy.check();
    std::string lines;
    for (char c = 'a'; c < 'k'; ++c) lines += std::string(12, c) + "\n";
    // The same for both kinds, so that half will be wrong.
    etude::write_bytes(toy.folder / "lines", lines);
    const Words kinds = {"--file", "one=" + toy.folder / "lines", "two=" + toy.folder / "lines", "--steps",
                         "1"};
    const ExampleRun run = toy.run("own", kinds);
    CAPTURE(run.out);
    CHECK((has(run.out, "\n  one, taken for two: eeeeeeeeeeee\n") ||
           has(run.out, "\n  two, taken for one: eeeeeeeeeeee\n")));
  }
  TEST_CASE("extrapolate") {
    const ToyProgram toy{"extrapolate", {"extrapolation.svg", "alibi.safetensors", "t5.safetensors"}};
    const ExampleRun one = toy.run("one", {"--steps", "2", "--threads", "1"});
    CHECK(toy.run("two", {"--steps", "2", "--threads", "2"}).out == one.out);
    for (const std::string& name : toy.files) CHECK(toy.file("one/" + name) == toy.file("two/" + name));
    for (const char* kind : {"none ", "sinusoidal ", "learned ", "rotary ", "t5 ", "alibi "})
      CHECK(has(one.out, kind));
    CHECK(etude::run_example("extrapolate", {"--text", "/no/such/text"}).code == 3);
  }

  TEST_CASE("look_inside") {
    const ToyProgram toy{"look_inside",
                         {"look_inside.html", "loss.svg", "scores.svg", "previous_token.svg", "induction.svg",
                          "patching.svg", "checkpoint.safetensors"}};
    toy.check();
    const std::string page = toy.file("one/look_inside.html");
    for (const char* picture :
         {"loss.svg", "scores.svg", "previous_token.svg", "induction.svg", "patching.svg"})
      CHECK(has(page, toy.file(std::string("one/") + picture)));
  }
  TEST_CASE("look_inside goes on after Ctrl-C as if it had not been stopped") {
    ToyProgram{"look_inside", {"look_inside.html", "scores.svg", "checkpoint.safetensors"}}.check_resume(
        "15");
  }

  TEST_CASE("reverse goes on after Ctrl-C as if it had not been stopped") {
    ToyProgram{"reverse", {"attention.svg", "loss.svg", "checkpoint.safetensors"}}.check_resume("60");
  }

  TEST_CASE("the checkpoint of one program is refused by another") {
    const TemporaryFolder folder;
    etude::run_example("reverse", {"--steps", "1", "--out", folder / "out"});
    const ExampleRun run = etude::run_example("dates", {"--resume", "--out", folder / "out"});
    CHECK(run.code == 3);
    CHECK(has(run.err, "belongs to another run\n  the program: reverse then, dates now\nhint: "));
  }

  TEST_CASE("a picture that can't be written does not cost the checkpoint") {
    for (const char* program : {"reverse", "classify_text"}) {
      CAPTURE(program);
      const ToyProgram toy{program, {}};
      std::filesystem::create_directories(toy.folder / "out/loss.svg");
      CHECK(toy.run("out", {"--steps", "1"}).code == 3);
      CHECK(toy.file("out/checkpoint.safetensors").size() > 500);
    }
  }

  TEST_CASE("a checkpoint that can't be written is a problem with a file") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "out/checkpoint.safetensors");
    etude::write_bytes(folder / "text", std::string(300, 'a') + std::string(300, 'b'));
    const ExampleRun run =
        etude::run_example("char_gpt", {"--steps", "1", "--layers", "1", "--width", "8", "--context", "8",
                                        "--text", folder / "text", "--out", folder / "out"});
    CHECK(run.code == 3);
    CHECK(has(run.err, "out/checkpoint.safetensors: is not a regular file"));
  }

  TEST_CASE("files and texts that make no sense are refused") {
    const TemporaryFolder folder;
    CHECK(etude::run_example("classify_text", {"--file", "x"}).code == 2);
    CHECK(etude::run_example("classify_text", {"--file", "x=/no/such", "y=/no/such"}).code == 3);
    const ExampleRun umlaut = etude::run_example("dates", {"--read", "3. M\xC3\xA4rz 2021"});
    CHECK(umlaut.code == 2);
    CHECK(has(umlaut.err, "--read: dates are made of letters"));
    CHECK(etude::run_example("reverse", {"--resume", "--out", folder / "none"}).code == 3);
  }
}

}  // namespace
