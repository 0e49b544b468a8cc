// A range on which LibTorch does not terminate.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("random_integers, beyond LibTorch") {
  TEST_CASE("the largest integer as the lower end of floats is refused") {
    CHECK(
        refusal(
            [] { etude::zeros({3}).random_(std::numeric_limits<int64_t>::max(), optional<int64_t>()); }) ==
        "Error: random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
        "but got from=9223372036854775807 > to_inc=16777216");
  }
}
