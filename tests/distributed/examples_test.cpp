// Examples in several processes: the same output as in one, also after something has gone wrong with a process.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "examples/example_program.h"
#include "examples/toy_gpt.h"
#include "support/has.h"
#include "support/shell.h"
#include "support/trace_events.h"

namespace {

using etude::has, etude::ExampleRun;

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The lines of stderr that do not report progress.
std::string said(const ExampleRun& run) {
  std::string text;
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("step ", 0) != 0 && line.rfind("files in ", 0) != 0) text += line + "\n";
  return text;
}

struct SharedToy : etude::ToyGPT {
  // Bash code that each process runs before its script becomes the program.
  std::string first = "";

  ExampleRun run_words(int processes, const Words& words, const std::string& stop_at = "",
                       const std::function<void(pid_t)>& act = {}) {
    etude::write_program(folder / "program",
                         "#!/usr/bin/env bash\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\necho $$ >" +
                             etude::quoted(folder / "pid") + "$rank\n" + first +
                             "\nexec -a \"$ETUDE_CALLED_AS\" " ETUDE_EXAMPLES "/char_gpt \"$@\"\n");
    if (processes == 1) return etude::run_example("char_gpt", words);
    return etude::run_program(Words{ETUDE_MPI_RUN, std::to_string(processes), folder / "program"} + words,
                              stop_at, act);
  }
  ExampleRun run(int processes, const std::string& out, const Words& more, const std::string& stop_at = "",
                 const std::function<void(pid_t)>& act = {}) {
    return run_words(processes, words(out, more), stop_at, act);
  }
  pid_t process(int rank) const { return std::stoi(file("pid" + std::to_string(rank))); }
  void check_same_files(const std::string& a, const std::string& b) const {
    for (const char* name : {"/checkpoint.safetensors", "/loss.svg", "/attention.svg"}) {
      CAPTURE(std::string(name));
      CHECK(file(a + name) == file(b + name));
    }
  }
  // A stopped run continues as if it had not been stopped, in any number of processes.
  void check_goes_on(const std::string& out, const Words& more) {
    first = "";
    const ExampleRun whole = run(1, "whole", more);
    for (const int processes : {1, 2}) {
      CAPTURE(processes);
      const std::string copy = out + std::to_string(processes);
      std::filesystem::copy(folder / out, folder / copy);
      const ExampleRun resumed = run(processes, copy, more + Words{"--resume"});
      CHECK(resumed.code == 0);
      CHECK(resumed.out == whole.out);
      CHECK(said(resumed) == "");
      check_same_files(copy, "whole");
    }
  }
};

const Words kSteps = {"--steps", "600", "--save-every", "15"};
constexpr char kMiddle[] = "step  30/600";

TEST_CASE("one output, whatever the number of processes") {
  SharedToy toy;
  const Words words = {"--steps", "20"};
  const ExampleRun one = toy.run(1, "out1", words);
  CHECK(one.code == 0);
  for (const int processes : {2, 4}) {
    CAPTURE(processes);
    const std::string out = "out" + std::to_string(processes);
    const ExampleRun run = toy.run(processes, out, words);
    CHECK(run.code == 0);
    CHECK(run.out == one.out);
    toy.check_same_files(out, "out1");
    const std::regex measured("  [0-9.]+[kM]? characters/s|  0:\\d\\d (left|in all)|out\\d");
    CHECK(std::regex_replace(run.err, measured, "") == std::regex_replace(one.err, measured, ""));
  }
}

TEST_CASE("Ctrl-C saves once, and the line that is said goes on with the bytes of an uninterrupted run") {
  SharedToy toy;
  toy.run(1, "whole", kSteps);
  const ExampleRun stopped = toy.run(4, "out", kSteps, kMiddle, [](pid_t run) { kill(run, SIGINT); });
  CHECK(stopped.code == 130);
  CHECK_FALSE(has(stopped.out, "loss of the GPT"));
  std::smatch parts;
  const std::string text = said(stopped);
  CAPTURE(text);
  const std::regex lines(
      "\nstopping soon; Ctrl-C once more ends at once\n"
      "stopped after step (\\d+); to go on: (.*)\n");
  REQUIRE(std::regex_match(text, parts, lines));
  CHECK(std::stoi(parts[1]) < 600);
  for (const int processes : {1, 2}) {
    const std::string copy = "out" + std::to_string(processes);
    std::filesystem::copy(toy.folder / "out", toy.folder / copy);
    CHECK(toy.run(processes, copy, kSteps + Words{"--resume"}).code == 0);
    toy.check_same_files(copy, "whole");
  }
  const etude::ShellRun resumed = etude::shell(parts[2]);
  CAPTURE(resumed.output);
  CHECK(resumed.code == 0);
  toy.check_same_files("out", "whole");
}

TEST_CASE("what one process has begun goes on in four") {
  SharedToy toy;
  toy.run(1, "whole", kSteps);
  etude::run_example("char_gpt", toy.words("out", kSteps), kMiddle);
  CHECK(toy.run(4, "out", kSteps + Words{"--resume"}).code == 0);
  toy.check_same_files("out", "whole");
}

TEST_CASE("a process that is killed ends the others, and all go on from the last checkpoint") {
  SharedToy toy;
  const ExampleRun killed = toy.run(2, "out", kSteps, kMiddle, [&](pid_t) { kill(toy.process(1), SIGKILL); });
  CHECK(killed.code == 128 + 9);
  CHECK(said(killed) == "rank 1 of 2: killed by signal 9 (SIGKILL)\n");
  toy.check_goes_on("out", kSteps);
}

TEST_CASE(
    "a process that is stopped ends the others after --timeout, and all go on from the last checkpoint") {
  SharedToy toy;
  const ExampleRun stopped = toy.run(2, "out", kSteps + Words{"--timeout", "2"}, kMiddle,
                                     [&](pid_t) { kill(toy.process(1), SIGSTOP); });
  CHECK(stopped.code == 1);
  CHECK(said(stopped) == "rank 0 of 2: allreduce timed out after 2 s: rank 1 does not answer\n");
  toy.check_goes_on("out", kSteps);
}

TEST_CASE("a checkpoint that the first process cannot write leaves the last one as it is") {
  SharedToy toy;
  toy.run(2, "out", {"--steps", "20"});
  const std::string before = toy.file("out/checkpoint.safetensors");
  toy.first = "trap '' XFSZ";
  const ExampleRun full = toy.run(2, "out", {"--steps", "6000", "--save-every", "3000", "--resume"},
                                  "step  300/6000", [&](pid_t) {
                                    const rlimit limit = {10000, 10000};
                                    REQUIRE(prlimit(toy.process(0), RLIMIT_FSIZE, &limit, nullptr) == 0);
                                  });
  CHECK(full.code == 3);
  const std::string why = toy.folder / "out/checkpoint.safetensors: cannot be written: File too large\n";
  CHECK(said(full) == "not saved: " + why + "rank 0 of 2: " + why);
  CHECK(toy.file("out/checkpoint.safetensors") == before);
  CHECK(toy.run(1, "out", {"--steps", "20", "--resume"}).code == 0);
}

TEST_CASE("a process with another model is named, and the first parameter that differs") {
  SharedToy toy;
  toy.first = "[ $rank = 0 ] || set -- \"${@/#16/32}\"";  // --width and --context
  const ExampleRun run = toy.run(2, "out", {"--steps", "3"});
  CHECK(run.code == 1);
  CHECK(run.err.substr(0, 5) == "rank ");
  CHECK(run.err.substr(6) ==
        " of 2: rank 1 has another model: wte.weight is [13, 32] there and [13, 16] at rank 0\n");
}

TEST_CASE("wrong usage is said once") {
  SharedToy toy;
  const ExampleRun wrong = toy.run(2, "out", {"--stpes", "3"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err == etude::run_example("char_gpt", toy.words("out", {"--stpes", "3"})).err);
  const ExampleRun help = toy.run_words(4, {"--help"});
  CHECK(help.code == 0);
  CHECK(help.out == etude::run_example("char_gpt", {"--help"}).out);
  const ExampleRun parts = toy.run(3, "out", {"--parts", "8"});
  CHECK(parts.code == 1);
  CHECK(std::regex_match(
      parts.err,
      std::regex("rank \\d of 3: DistributedDataParallel: the parts must be as many as the processes.*\n"
                 "  received 8 parts for 3 processes\n  hint: 3, 6 or 12 would do\n")));
  CHECK_FALSE(std::filesystem::exists(toy.folder / "out"));
}

TEST_CASE("an example for one process says so once") {
  const ExampleRun run = etude::run_program({ETUDE_MPI_RUN, "2", ETUDE_EXAMPLES "/reverse"});
  CHECK(run.code == 2);
  CHECK(run.out == "");
  CHECK(run.err ==
        "reverse: runs in one process, and mpirun has started 2\nhint: char_gpt shares its batches between "
        "several\n");
}

// Whether a sum of gradients has begun before all of them were there.
bool overlaps(const etude::TraceText& trace, const etude::TraceEvent& step) {
  double last = 0, first_sum = step.end;
  for (const etude::TraceEvent& e : trace.events) {
    if (e.begin < step.begin || e.begin > step.end) continue;
    if (e.name == "EmbeddingBackward0") last = std::max(last, e.end);
    if (has(e.name, "allreduce(SUM) of ") && has(e.name, " Float")) {
      CHECK(e.category == "communication");
      CHECK(trace.row("thread_name", e.tid) == "communication");
      first_sum = std::min(first_sum, e.begin);
    }
  }
  CHECK(last > 0);
  CHECK(first_sum < step.end);
  return first_sum < last;
}

TEST_CASE("a trace of each process shows what is sent while gradients are computed") {
  SharedToy toy;
  const Words words = {"--steps", "10", "--width", "192", "--layers", "2", "--trace", toy.folder / "t.json"};
  const ExampleRun run = toy.run(2, "out", words);
  CHECK(run.code == 0);
  CHECK(said(run) == "trace in " + (toy.folder / "t.json") + ": the first 10 steps\n");
  int count = 0;  // one that comes first waits for the other
  for (const int rank : {0, 1}) {
    CAPTURE(rank);
    const etude::TraceText trace(toy.file(rank == 0 ? "t.json" : "t.rank1.json"));
    CHECK(trace.row("process_name", 0) == "rank " + std::to_string(rank) + " of 2");
    for (int step = 1; step <= 10; ++step)
      count += overlaps(trace, trace["ProfilerStep#" + std::to_string(step)]);
  }
  CHECK(count > 0);
}

}  // namespace
