// The numbers that Python draws for a seed, the print of Dropout, and the type and the hint of its error.
#include "etude/dropout.h"

#include <doctest/doctest.h>

#include <string>

#include "layers/golden.h"

using namespace etude;
using nn::Dropout;
using nn::DropoutOptions;

TEST_SUITE("Dropout, beyond LibTorch") {
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
      CHECK(etude::rand({1}).item<float>() == row.at("next").get<float>());
    }
  }

  TEST_CASE("prints its options") {
    CHECK(golden::text(Dropout(DropoutOptions(0.5).inplace(true))) == "Dropout(p=0.5, inplace=True)");
  }

  TEST_CASE("refuses what is no probability") {
    const std::string hint = "\nhint: p is the share of elements that is dropped; 0.1 keeps nine of ten";
    CHECK_THROWS_WITH_AS(Dropout(1.5),
                         ("dropout probability has to be between 0 and 1, but got 1.5" + hint).c_str(),
                         ValueError);
    CHECK_THROWS_WITH(Dropout(-0.5),
                      ("dropout probability has to be between 0 and 1, but got -0.5" + hint).c_str());
    CHECK_THROWS_AS(Dropout(std::nan("")), ValueError);
  }
}
