#include "etude/dropout.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Dropout;
using nn::DropoutOptions;

TEST_SUITE("Dropout") {
  TEST_CASE("gives PyTorch's bits for a seed, in both modes, and draws as many numbers") {
    for (const auto& row : golden::layers().at("dropout")) {
      const auto p = row.at("p").get<double>();
      CAPTURE(p);
      manual_seed(11);
      Dropout drop(p);
      const Tensor x = golden::ramp({3, 7}).requires_grad_();
      const Tensor y = drop(x);
      y.sum().backward();
      CHECK(golden::same(y, row.at("y")));
      CHECK(golden::same(x.grad(), row.at("dx")));
      drop->eval();
      CHECK(golden::same(drop(x), row.at("eval")));
      CHECK(rand({1}).item<float>() == row.at("next").get<float>());
    }
  }

  TEST_CASE("drops about p of the elements and keeps the expectation") {
    Dropout drop(0.3);
    manual_seed(0);
    const Tensor y = drop(ones({100000}));
    CHECK((y == 0).sum().item<int64_t>() == doctest::Approx(30000).epsilon(0.02));
    CHECK(y.mean().item<float>() == doctest::Approx(1).epsilon(0.02));
    CHECK(y.max().item<float>() == doctest::Approx(1 / 0.7));
  }

  TEST_CASE("in evaluation, returns its very input") {
    Dropout drop;
    drop->eval();
    const Tensor x = ones({3});
    CHECK(drop(x).is_same(x));
  }

  TEST_CASE("writes into its input if told to") {
    Dropout drop(DropoutOptions(0.5).inplace(true));
    const Tensor x = ones({100});
    const Tensor y = drop(x);
    CHECK(y.is_same(x));
    CHECK((x == 0).any().item<bool>());
    CHECK(golden::text(drop) == "Dropout(p=0.5, inplace=True)");
  }

  TEST_CASE("refuses what is no probability") {
    const char* hint = "\nhint: p is the share of elements that is dropped; 0.1 keeps nine of ten";
    CHECK_THROWS_WITH_AS(
        Dropout(1.5),
        ("dropout probability has to be between 0 and 1, but got 1.5" + std::string(hint)).c_str(),
        ValueError);
    CHECK_THROWS_WITH(
        Dropout(-0.5),
        ("dropout probability has to be between 0 and 1, but got -0.5" + std::string(hint)).c_str());
    CHECK_THROWS_AS(Dropout(std::nan("")), ValueError);
  }
}
