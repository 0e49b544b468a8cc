// The switch between oneDNN and the plain kernels.
#include "etude/onednn/backend.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace etude;

TEST_SUITE("backend") {
  TEST_CASE("oneDNN is used from the start if the library was built with it, and says its version") {
    CHECK(onednn::enabled() == onednn::available());
    const std::string version = onednn::version();
    if (onednn::available()) CHECK(version.rfind("oneDNN ", 0) == 0);
    else CHECK(version == "none");
  }

  TEST_CASE("it is switched off and on, and never on where it is absent") {
    onednn::set_enabled(false);
    CHECK_FALSE(onednn::enabled());
    CHECK_FALSE(onednn::multiplies_bfloat16());
    onednn::set_enabled(true);
    CHECK(onednn::enabled() == onednn::available());
  }

  TEST_CASE("a guard switches it for its scope and restores what was before, past exceptions too") {
    {
      const onednn::EnabledGuard off(false);
      CHECK_FALSE(onednn::enabled());
      {
        const onednn::EnabledGuard on(true);
        CHECK(onednn::enabled() == onednn::available());
      }
      CHECK_FALSE(onednn::enabled());
      try {
        const onednn::EnabledGuard on(true);
        throw std::runtime_error("stop");
      } catch (const std::runtime_error&) {
      }
      CHECK_FALSE(onednn::enabled());
    }
    CHECK(onednn::enabled() == onednn::available());
  }
}
