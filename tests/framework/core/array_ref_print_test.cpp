// How sizes print, compared with Python.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "etude/core/array_ref.h"

using namespace etude;

TEST_SUITE("array_ref, printed") {
  namespace {

  std::string streamed(IntArrayRef sizes) {
    std::ostringstream out;
    out << sizes;
    return out.str();
  }

  }  // namespace

  TEST_CASE("sizes print as Python's torch.Size") {
    CHECK(streamed({}) == "torch.Size([])");
    CHECK(streamed({3}) == "torch.Size([3])");
    CHECK(streamed({2, 10}) == "torch.Size([2, 10])");
  }
}
