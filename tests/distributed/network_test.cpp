// Processes on hosts with a network between them that loses packets, and at last all of them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "examples/toy_gpt.h"
#include "support/has.h"
#include "support/shell.h"

namespace {

using etude::has, etude::ShellRun;

constexpr int kSkipped = 77;  // for network.py and CTest

ShellRun char_gpt(const std::string& launcher, const etude::ToyGPT& toy, const std::string& out,
                  const std::vector<std::string>& more) {
  std::string command = launcher + etude::quoted(ETUDE_EXAMPLES "/char_gpt");
  for (const std::string& word : toy.words(out, more)) command += " " + etude::quoted(word);
  return etude::shell(command);
}

ShellRun on_two_hosts(const std::string& network, const etude::ToyGPT& toy, const std::string& out,
                      const std::vector<std::string>& more) {
  ShellRun run = char_gpt(ETUDE_NETWORK " " + network + " -- " ETUDE_MPI_RUN " --one ", toy, out, more);
  if (run.code != kSkipped) return run;
  std::cerr << run.output;
  std::filesystem::remove_all(toy.folder.path());
  std::_Exit(kSkipped);
}

TEST_CASE("a network that is slow and loses packets changes no bit of the checkpoint") {
  const etude::ToyGPT toy;
  char_gpt("", toy, "one", {"--steps", "10"});
  const ShellRun run = on_two_hosts("--delay 1 --loss 0.01", toy, "two", {"--steps", "10"});
  CAPTURE(run.output);
  CHECK(run.code == 0);
  CHECK_FALSE(has(run.output, " 0 lost"));
  CHECK(toy.file("two/checkpoint.safetensors") == toy.file("one/checkpoint.safetensors"));
}

TEST_CASE("a network that goes down ends the processes, which go on from the last checkpoint on one host") {
  const etude::ToyGPT toy;
  const std::vector<std::string> words = {"--steps", "300", "--save-every", "5", "--timeout", "2"};
  char_gpt("", toy, "one", words);
  const ShellRun run = on_two_hosts("--delay 1 --down-after 2000", toy, "two", words);
  CAPTURE(run.output);
  CHECK(run.code == 1);
  CHECK(has(run.output,
            "rank 0 of 2: allreduce timed out after 2 s: rank 1 does not answer\nnetwork.py: the "
            "programs have ended on all hosts\n"));
  std::vector<std::string> resumed = words;
  resumed.emplace_back("--resume");
  CHECK(char_gpt(ETUDE_MPI_RUN " 2 ", toy, "two", resumed).code == 0);
  CHECK(toy.file("two/checkpoint.safetensors") == toy.file("one/checkpoint.safetensors"));
}

}  // namespace
