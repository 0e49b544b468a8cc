// The check of ids that all ops with an index share.
#include "etude/ops/detail/indexed.h"

#include <doctest/doctest.h>

#include "etude/core/error.h"
#include "etude/framework.h"

using namespace etude;

TEST_SUITE("indexed") {
  TEST_CASE("ids are counted from the start, and one that names nothing is refused") {
    const auto refuse = [](int64_t id, int64_t p) { throw IndexError(str(id, " at ", p)); };
    const Tensor ids = tensor({0, -1, 2});
    CHECK(equal(detail::checked_ids(ids, 3, /*from_the_end=*/true, refuse), tensor({0, 2, 2})));
    CHECK(equal(ids, tensor({0, -1, 2})));
    CHECK_THROWS_WITH_AS(detail::checked_ids(ids, 3, /*from_the_end=*/false, refuse), "-1 at 1", IndexError);
    CHECK_THROWS_WITH_AS(detail::checked_ids(ids, 2, /*from_the_end=*/true, refuse), "2 at 2", IndexError);
  }
}
