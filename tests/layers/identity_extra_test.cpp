// The print and the state of Identity, as in Python.
#include "etude/identity.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;

TEST_SUITE("Identity, beyond LibTorch") {
  TEST_CASE("has no state") {
    nn::Identity identity;
    CHECK(identity->state_dict().is_empty());
    CHECK(golden::text(identity) == "Identity()");
  }
}
