#include "etude/dropout.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::Dropout;
using nn::DropoutOptions;

TEST_SUITE("Dropout") {
  TEST_CASE("drops about p of the elements and keeps the expectation") {
    Dropout drop(0.3);
    manual_seed(0);
    const Tensor y = drop(etude::ones({100000}));
    CHECK((y == 0).sum().item<int64_t>() == doctest::Approx(30000).epsilon(0.02));
    CHECK(y.mean().item<float>() == doctest::Approx(1).epsilon(0.02));
    CHECK(y.max().item<float>() == doctest::Approx(1 / 0.7));
  }

  TEST_CASE("in evaluation, returns its very input") {
    Dropout drop;
    drop->eval();
    const Tensor x = etude::ones({3});
    CHECK(drop(x).is_same(x));
  }

  TEST_CASE("writes into its input if told to") {
    Dropout drop(DropoutOptions(0.5).inplace(true));
    const Tensor x = etude::ones({100});
    const Tensor y = drop(x);
    CHECK(y.is_same(x));
    CHECK((x == 0).any().item<bool>());
  }

  TEST_CASE("refuses what is no probability") {
    CHECK(refusal_text([] { Dropout(1.5); }) == "dropout probability has to be between 0 and 1, but got 1.5");
    CHECK(refusal_text([] { Dropout(-0.5); }) ==
          "dropout probability has to be between 0 and 1, but got -0.5");
    CHECK_THROWS_AS(Dropout(std::nan("")), Error);
  }
}
