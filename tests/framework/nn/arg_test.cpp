#include "etude/nn/arg.h"

#include <doctest/doctest.h>

#include <string>

TEST_SUITE("ETUDE_ARG") {
  namespace {

  struct Options {
    explicit Options(int rows) : rows_(rows) {}
    ETUDE_ARG(int, rows);
    ETUDE_ARG(std::string, mode) = "fast";
  };

  }  // namespace

  TEST_CASE("sets, chains and reads options, which keep their defaults") {
    const Options options = Options(2).rows(3).mode("slow");
    CHECK(options.rows() == 3);
    CHECK(options.mode() == "slow");
    CHECK(Options(2).mode() == "fast");
  }

  TEST_CASE("lends an option for writing") {
    Options options(2);
    options.rows() += 5;
    CHECK(options.rows() == 7);
  }

  TEST_CASE("a setter works on the object itself, copying or moving the value") {
    Options options(2);
    const std::string mode = "kept";
    Options& same = options.mode(mode);
    CHECK(&same == &options);
    CHECK(options.mode() == mode);
  }
}
