#include "etude/functional.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Functional;

TEST_SUITE("Functional") {
  TEST_CASE("calls a function or a lambda") {
    CHECK(Functional(relu)(etude::tensor({-1.0, 2.0})).equal(etude::tensor({0.0, 2.0})));
    const double factor = 3;
    Functional scale([factor](Tensor x) { return x * factor; });
    CHECK(scale(etude::ones({2})).equal(etude::full({2}, 3.0)));
    CHECK(scale->forward(etude::ones({2})).equal(etude::full({2}, 3.0)));
    CHECK((*scale)(etude::ones({2})).equal(etude::full({2}, 3.0)));
  }

  TEST_CASE("binds further arguments") {
    Functional power([](const Tensor& x, double exponent, double factor) { return x.pow(exponent) * factor; },
                     2.0, 5.0);
    CHECK(power(etude::tensor({3.0})).equal(etude::tensor({45.0})));
  }
}
