// The guarantees of support/seed.h for every test program.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "etude/core/generator.h"
#include "etude/ops/ops.h"
#include "support/shell.h"

using namespace etude;

TEST_SUITE("Test programs") {
  namespace {

  // The first random number for the seed of this program.
  double first_number() {
    const char* seed = std::getenv("ETUDE_TEST_SEED");
    Generator stream = default_generator().clone();
    stream.set_current_seed(seed ? std::strtoull(seed, nullptr, 10) : 0);
    return rand({1}, stream).item<double>();
  }

  ShellRun run_of(const std::string& test_case, const std::string& arguments) {
    return shell(quoted(ETUDE_BINARY_DIR "/test_architecture") +
                 " --no-skip --test-case=" + quoted(test_case) + " " + arguments);
  }

  }  // namespace

  TEST_CASE("each path through a test case starts from the seed") {
    CHECK(rand({1}).item<double>() == first_number());
    const double second = rand({1}).item<double>();
    CHECK(second != first_number());
    SUBCASE("one") { rand({3}); }
    SUBCASE("another") { rand({5}); }
  }

  TEST_CASE("is started by the next one" * doctest::skip()) { CHECK(rand({1}).item<double>() == 2); }

  constexpr int kThrows = __LINE__ + 3;
  TEST_CASE("throws for the next one" * doctest::skip()) {
    CHECK(rand({2}).numel() == 2);
    CHECK(rand({2}).item<double>() == 2);
  }

  TEST_CASE("an exception is reported with the last assertion before it") {
    const ShellRun run = run_of("throws for the next one", "");
    CHECK(run.code == 1);
    const std::string place = "test_program_test.cpp:" + std::to_string(kThrows) + "\n";
    CHECK(run.output.find("[place] the last assertion before the exception: ") != std::string::npos);
    CHECK(run.output.find(place) != std::string::npos);
  }

  TEST_CASE("a failure says which seed repeats it, and the seed is taken from the command line") {
    const ShellRun fixed = run_of("is started by the next one", "--seed 7");
    CHECK(fixed.code == 1);
    CHECK(fixed.output.find("[seed] to repeat: --seed 7\n") != std::string::npos);
    CHECK(run_of("each path through a test case starts from the seed", "--seed=7").code == 0);
    const ShellRun shuffled = run_of("is started by the next one", "--seed 0 -ob=rand -rs=3");
    CHECK(shuffled.output.find("[seed] order of --order-by=rand --rand-seed=3\n") != std::string::npos);
    CHECK(shuffled.output.find("[seed] to repeat: --seed 0 --order-by=rand --rand-seed=3\n") !=
          std::string::npos);
  }
}
