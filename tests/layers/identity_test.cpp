#include "etude/identity.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;

TEST_SUITE("Identity") {
  TEST_CASE("returns its input and has no state") {
    nn::Identity identity;
    const Tensor x = ones({2});
    CHECK(identity(x).is_same(x));
    CHECK(identity->state_dict().is_empty());
    CHECK(golden::text(identity) == "Identity()");
    CHECK(identity->clone()->as<nn::Identity>() != nullptr);
  }
}
