#include "support/expressions.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using tutorials::find_all;
using tutorials::find_groups;

// The expected values are what Python's re says.
TEST_CASE("expressions find what Python's find") {
  using Strings = std::vector<std::string>;
  CHECK(find_all("[a-z]+|[0-9]", "ab 12, c") == Strings{"ab", "1", "2", "c"});
  CHECK(find_all("x", "ab").empty());
  CHECK(find_all("a", "").empty());
  CHECK(find_groups("(\\w+)=(\\d+)", "one a=1 b=2") == Strings{"a", "1"});
  CHECK(find_groups("a(b)?", "a") == Strings{""});
  CHECK(find_groups("(x)", "ab").empty());
}

}  // namespace
