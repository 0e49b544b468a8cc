// ExpandingArray: from one value, from lists, and its error for lists of another length.
#include "etude/core/expanding_array.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("ExpandingArray") {
  TEST_CASE("one value counts for all, and a list for itself") {
    const ExpandingArray<3> one = 7, list = {1, 2, 3}, vector = std::vector<int64_t>{4, 5, 6};
    CHECK(*one == std::array<int64_t, 3>{7, 7, 7});
    CHECK(*list == std::array<int64_t, 3>{1, 2, 3});
    CHECK(IntArrayRef(vector) == IntArrayRef({4, 5, 6}));
    CHECK(ExpandingArray<1>({3})->at(0) == 3);
    CHECK((*ExpandingArray<2, double>(0.5))[1] == 0.5);
    CHECK(*ExpandingArray<2>(std::array<int64_t, 2>{1, 2}) == std::array<int64_t, 2>{1, 2});
  }

  TEST_CASE("its values can be written, and it is printed as a list") {
    ExpandingArray<2> a = 1;
    (*a)[1] = 5;
    a->front() = 4;
    CHECK(str(a) == "[4, 5]");
    CHECK(str(ExpandingArray<1>(3)) == "3");
    CHECK(a.size() == 2);
  }

  TEST_CASE("refuses a list of another length") {
    const std::vector<int64_t> three = {1, 2, 3};
    CHECK(refusal_text([&] { ExpandingArray<2>{three}; }) == "Expected 2 values, but instead got 3");
  }
}
