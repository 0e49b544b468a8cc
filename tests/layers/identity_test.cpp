#include "etude/identity.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;

TEST_SUITE("Identity") {
  TEST_CASE("returns its input and has no parameters") {
    nn::Identity identity;
    const Tensor x = etude::ones({2});
    CHECK(identity(x).is_same(x));
    CHECK(identity->parameters().empty());
    CHECK(identity->buffers().empty());
    CHECK(identity->clone()->as<nn::Identity>() != nullptr);
  }
}
