#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "example_program.h"

TEST_SUITE("word_order") {
  namespace {

  using etude::ExampleRun;
  using Words = std::vector<std::string>;

  ExampleRun word_order(const Words& words) { return etude::run_example("word_order", words); }

  // The number after a label.
  double number_after(const std::string& text, const std::string& label) {
    const size_t at = text.find(label);
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(at + label.size()));
  }

  }  // namespace

  TEST_CASE("learns the order with positions and stays at chance without") {
    const ExampleRun run = word_order({"--steps", "240"});
    CAPTURE(run.out);
    CHECK(run.code == 0);
    CHECK(number_after(run.out, "accuracy with positions:") > 95);
    CHECK(number_after(run.out, "accuracy without positions:") == doctest::Approx(50).epsilon(0.02));
    CHECK(run.out.find(" step      loss  accuracy        loss  accuracy\n    1 ") != std::string::npos);
    CHECK(run.out.find("\n  240 ") != std::string::npos);
  }

  TEST_CASE("one seed gives one output, whatever the number of threads") {
    const ExampleRun run = word_order({"--steps", "5", "--seed", "3"});
    CHECK(word_order({"--steps", "5", "--seed", "3", "--threads", "1"}).out == run.out);
    CHECK(word_order({"--steps", "5", "--seed", "3", "--threads", "3"}).out == run.out);
    CHECK(word_order({"--steps", "5", "--seed", "4"}).out != run.out);
  }

  TEST_CASE("says so if it has not learnt, which is no failure of a run that was told to be short") {
    const ExampleRun run = word_order({"--steps", "1"});
    CHECK(run.code == 0);
    CHECK(run.out.find(": not yet, with 1 of the usual 300 steps\n") != std::string::npos);
  }

  TEST_CASE("explains its options") {
    const ExampleRun run = word_order({"--help"});
    CHECK(run.code == 0);
    for (const char* option : {"--help", "--seed", "--threads", "--steps", "--version", "Examples:"}) {
      CAPTURE(option);
      CHECK(run.out.find(option) != std::string::npos);
    }
  }

  TEST_CASE("refuses arguments that make no sense") {
    for (const Words& words : {Words{"--step", "3"},
                               {"--steps", "0"},
                               {"--steps", "many"},
                               {"--threads", "-1"},
                               {"--seed", "x"},
                               {"now"}}) {
      CAPTURE(words[0]);
      CHECK(word_order(words).code == 2);
    }
    CHECK(word_order({"--stpes", "3"}).err.find("Did you mean --steps?\n") != std::string::npos);
  }
}
