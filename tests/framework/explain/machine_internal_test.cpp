#include "etude/explain/detail/watch.h"

#include <doctest/doctest.h>

using namespace etude;

TEST_SUITE("machine") {
  TEST_CASE("a machine computes and reads something, and is measured once") {
    const detail::Machine& m = detail::machine();
    CHECK(m.flop_per_second > 1e6);
    CHECK(m.bytes_per_second > 1e6);
    CHECK(&detail::machine() == &m);
  }
}
