#include "etude/distributed/detail/tree_sum.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

namespace {

// The sum as text, and the maximum number of parts at a time.
struct Written {
  std::string sum;
  size_t most = 0;
};

Written written(int64_t n) {
  std::map<int64_t, std::string> parts;
  Written w;
  etude::distributed::detail::tree_sum(
      n,
      [&](int64_t i) {
        REQUIRE(parts.count(i) == 0);
        parts[i] = std::to_string(i);
        w.most = std::max(w.most, parts.size());
      },
      [&](int64_t a, int64_t b) {
        REQUIRE((parts.count(a) == 1 && parts.count(b) == 1));
        parts[a] = "(" + parts[a] + "+" + parts[b] + ")";
        parts.erase(b);
      });
  REQUIRE(parts.size() == (n > 0 ? 1 : 0));
  if (n > 0) w.sum = parts.at(0);
  return w;
}

TEST_SUITE("sums in a tree") {
  TEST_CASE("parts are added in the order of a balanced tree, and what is left from the right") {
    CHECK(written(0).sum == "");
    CHECK(written(1).sum == "0");
    CHECK(written(2).sum == "(0+1)");
    CHECK(written(3).sum == "((0+1)+2)");
    CHECK(written(4).sum == "((0+1)+(2+3))");
    CHECK(written(5).sum == "(((0+1)+(2+3))+4)");
    CHECK(written(6).sum == "(((0+1)+(2+3))+(4+5))");
    CHECK(written(7).sum == "(((0+1)+(2+3))+((4+5)+6))");
    CHECK(written(8).sum == "(((0+1)+(2+3))+((4+5)+(6+7)))");
    CHECK(written(11).sum == "((((0+1)+(2+3))+((4+5)+(6+7)))+((8+9)+10))");
  }

  TEST_CASE("few parts are kept at a time") {
    CHECK(written(8).most == 4);
    CHECK(written(1023).most == 10);
    CHECK(written(1024).most == 11);
  }
}

}  // namespace
