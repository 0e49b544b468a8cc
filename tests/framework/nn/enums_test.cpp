#include "etude/nn/enums.h"

#include <doctest/doctest.h>

using namespace etude;

namespace {
using Choice = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum, enumtype::kReLU>;
}

TEST_SUITE("enums") {
  TEST_CASE("a choice becomes the number of its reduction") {
    CHECK(enumtype::reduction_get_enum(Choice(kNone)) == Reduction::None);
    CHECK(enumtype::reduction_get_enum(Choice(kMean)) == Reduction::Mean);
    CHECK(enumtype::reduction_get_enum(Choice(kSum)) == Reduction::Sum);
  }

  TEST_CASE("what is no reduction is refused by name") {
    CHECK_THROWS_WITH_AS(enumtype::reduction_get_enum(Choice(kReLU)),
                         "kReLU is not a valid value for reduction", Error);
  }

  TEST_CASE("a choice knows its name") { CHECK(enumtype::get_enum_name(Choice(kSum)) == "kSum"); }

  TEST_CASE("options take only the choices they know") {
    CHECK(std::is_constructible_v<Choice, enumtype::kMean>);
    CHECK_FALSE(std::is_constructible_v<Choice, enumtype::kFanIn>);
  }
}
