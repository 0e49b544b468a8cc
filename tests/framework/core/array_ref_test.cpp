#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/error.h"
#include "support/refusal.h"

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
    CHECK(IntArrayRef(v).slice(1) == std::vector<int64_t>{2, 3});
    CHECK(IntArrayRef(v).slice(3).empty());
    CHECK(IntArrayRef(v).at(2) == 3);
    CHECK(std::vector<int64_t>(IntArrayRef(v).rbegin(), IntArrayRef(v).rend()) ==
          std::vector<int64_t>{3, 2, 1});
    CHECK(IntArrayRef(v).cend() - IntArrayRef(v).cbegin() == 3);
  }

  TEST_CASE("what lies outside is refused") {
    const std::vector<int64_t> v = {1, 2, 3};
    CHECK(refusal([&] { IntArrayRef(v).slice(2, 5); }) ==
          "Error: ArrayRef: invalid slice, N = 2; M = 5; size = 3");
    CHECK(refusal([&] { IntArrayRef(v).at(5); }) == "Error: ArrayRef: invalid index Index = 5; Length = 3");
    CHECK(refusal([&] { IntArrayRef().front(); }) ==
          "Error: ArrayRef: attempted to access front() of empty list");
    CHECK(refusal([&] { IntArrayRef().back(); }) ==
          "Error: ArrayRef: attempted to access back() of empty list");
  }
}
