// The print of Functional, and its error for an empty function.
#include "etude/functional.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Functional;

TEST_SUITE("Functional, beyond LibTorch") {
  TEST_CASE("prints as a module without anything") {
    CHECK(golden::text(Functional(relu)) == "Functional()");
  }

  TEST_CASE("refuses an empty function") {
    CHECK_THROWS_WITH_AS(Functional(std::function<Tensor(Tensor)>()), "Functional: the function is empty",
                         ValueError);
  }
}
