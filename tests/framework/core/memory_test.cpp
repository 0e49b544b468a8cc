#include "etude/core/memory.h"

#include <doctest/doctest.h>

#include <utility>

TEST_CASE("make_unique makes one value, or an array of zeros") {
  const auto pair = etude::make_unique<std::pair<int, char>>(3, 'x');
  CHECK(pair->first == 3);
  CHECK(pair->second == 'x');
  const auto array = etude::make_unique<int[]>(3);
  array[0] = 7;
  CHECK(array[0] + array[1] + array[2] == 7);
}
