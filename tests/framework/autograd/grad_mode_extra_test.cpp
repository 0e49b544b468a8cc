// A guard that LibTorch does not have.
#include <doctest/doctest.h>

#include "etude/autograd/grad_mode.h"

using namespace etude;

TEST_SUITE("grad mode, beyond LibTorch") {
  TEST_CASE("EnableGradGuard turns recording on for its scope and restores what it found") {
    const NoGradGuard off;
    {
      const EnableGradGuard on;
      CHECK(GradMode::is_enabled());
    }
    CHECK_FALSE(GradMode::is_enabled());
  }
}
