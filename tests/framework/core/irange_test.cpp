#include "etude/core/irange.h"

#include <doctest/doctest.h>

#include <vector>

using namespace etude;

TEST_SUITE("irange") {
  namespace {

  template <typename Range>
  std::vector<long> listed(const Range& range) {
    std::vector<long> result;
    for (auto i : range) result.push_back(static_cast<long>(i));
    return result;
  }

  }  // namespace

  TEST_CASE("a range counts from 0, or from begin, and leaves its end out") {
    CHECK((listed(etude::irange(3)) == std::vector<long>{0, 1, 2}));
    CHECK((listed(etude::irange(2, 5)) == std::vector<long>{2, 3, 4}));
    CHECK((listed(etude::irange(-2, 1)) == std::vector<long>{-2, -1, 0}));
    CHECK((listed(etude::irange(size_t{2})) == std::vector<long>{0, 1}));
  }

  TEST_CASE("a range whose end is not above its begin is empty") {
    CHECK(listed(etude::irange(0)).empty());
    CHECK(listed(etude::irange(-2)).empty());
    CHECK(listed(etude::irange(5, 5)).empty());
    CHECK(listed(etude::irange(5, 2)).empty());
  }

  TEST_CASE("its numbers have the type of the end") {
    for (auto i : etude::irange(0, int64_t{1})) CHECK((std::is_same_v<decltype(i), int64_t>));
    for (auto i : etude::irange(size_t{1})) CHECK((std::is_same_v<decltype(i), size_t>));
  }
}
