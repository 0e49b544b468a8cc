#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/error.h"

using namespace etude;

TEST_SUITE("array_ref") {
  TEST_CASE("sizes stand as a list inside messages") {
    CHECK(str("sizes ", IntArrayRef({2, 3}), " and ", IntArrayRef()) == "sizes [2, 3] and []");
  }

  TEST_CASE("a reference sees the elements of a vector, an array, a list or a single number") {
    const std::vector<int64_t> v = {1, 2, 3};
    const int64_t array[] = {1, 2, 3};
    CHECK(IntArrayRef(v).data() == v.data());
    CHECK(IntArrayRef(v) == IntArrayRef(array));
    CHECK(IntArrayRef(v) == v);
    CHECK(v != IntArrayRef(v.data(), v.data() + 2));
    CHECK(IntArrayRef(v).slice(1, 2).vec() == std::vector<int64_t>{2, 3});
    const int64_t one = 7;
    CHECK(IntArrayRef(one).size() == 1);
    CHECK(IntArrayRef(one).front() == 7);
    CHECK(IntArrayRef(v).back() == 3);
    CHECK(IntArrayRef().empty());
  }
}
