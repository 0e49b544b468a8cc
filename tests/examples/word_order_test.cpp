#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

struct Run {
  int status;
  std::string output;  // of both streams
};

Run word_order(const std::string& arguments) {
  const std::string command = std::string("'") + ETUDE_EXAMPLES + "/word_order' " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  Run run;
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    run.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  REQUIRE(WIFEXITED(status));
  run.status = WEXITSTATUS(status);
  return run;
}

// The number behind a label.
double number_after(const std::string& text, const std::string& label) {
  const size_t at = text.find(label);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + label.size()));
}

}  // namespace

TEST_SUITE("word_order") {
  TEST_CASE("learns the order with positions and stays at chance without") {
    const Run run = word_order("--steps 240");
    CAPTURE(run.output);
    CHECK(run.status == 0);
    CHECK(number_after(run.output, "accuracy with positions:") > 95);
    CHECK(number_after(run.output, "accuracy without positions:") == doctest::Approx(50).epsilon(0.02));
    CHECK(run.output.find(" step      loss  accuracy        loss  accuracy\n    1 ") != std::string::npos);
    CHECK(run.output.find("\n  240 ") != std::string::npos);
  }

  TEST_CASE("one seed gives one output, whatever the number of threads") {
    const Run run = word_order("--steps 5 --seed 3");
    CHECK(word_order("--steps 5 --seed 3 --threads 1").output == run.output);
    CHECK(word_order("--steps 5 --seed 3 --threads 3").output == run.output);
    CHECK(word_order("--steps 5 --seed 4").output != run.output);
  }

  TEST_CASE("says so if it has not learnt") {
    const Run run = word_order("--steps 1");
    CHECK(run.status == 1);
    CHECK(run.output.find("The order was not learnt; it takes about 200 steps.\n") != std::string::npos);
  }

  TEST_CASE("explains its options") {
    const Run run = word_order("--help");
    CHECK(run.status == 0);
    for (const char* option : {"--help", "--seed", "--threads", "--steps", "--version", "Example: "}) {
      CAPTURE(option);
      CHECK(run.output.find(option) != std::string::npos);
    }
  }

  TEST_CASE("refuses arguments that make no sense") {
    for (const char* arguments :
         {"--step 3", "--steps 0", "--steps many", "--threads -1", "--seed x", "now"}) {
      CAPTURE(arguments);
      CHECK(word_order(arguments).status == 2);
    }
  }
}
