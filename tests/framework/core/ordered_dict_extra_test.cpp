// Errors of OrderedDict that LibTorch does not have.
#include <doctest/doctest.h>

#include <string>

#include "etude/core/ordered_dict.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("OrderedDict, beyond LibTorch") {
  TEST_CASE("refuses a key that stands twice in a list") {
    using Dict = OrderedDict<std::string, int>;
    CHECK(refusal([] { Dict({{"a", 1}, {"a", 2}}); }) == "Error: Key 'a' already defined");
  }
}
