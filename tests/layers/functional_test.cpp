#include "etude/functional.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Functional;

TEST_SUITE("Functional") {
  TEST_CASE("calls a function or a lambda") {
    CHECK(Functional(relu)(tensor({-1.0, 2.0})).equal(tensor({0.0, 2.0})));
    const double factor = 3;
    Functional scale([factor](Tensor x) { return x * factor; });
    CHECK(scale(ones({2})).equal(full({2}, 3.0)));
    CHECK(scale->forward(ones({2})).equal(full({2}, 3.0)));
    CHECK((*scale)(ones({2})).equal(full({2}, 3.0)));
  }

  TEST_CASE("binds further arguments") {
    Functional power([](const Tensor& x, double exponent, double factor) { return x.pow(exponent) * factor; },
                     2.0, 5.0);
    CHECK(power(tensor({3.0})).equal(tensor({45.0})));
  }

  TEST_CASE("prints as a module without anything") {
    CHECK(golden::text(Functional(relu)) == "Functional()");
  }

  TEST_CASE("refuses an empty function") {
    CHECK_THROWS_WITH_AS(Functional(std::function<Tensor(Tensor)>()), "Functional: the function is empty",
                         ValueError);
  }
}
