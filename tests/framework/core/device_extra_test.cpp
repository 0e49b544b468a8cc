// Devices that LibTorch has and Etude lacks, and messages that are internal assertions in LibTorch.
#include "etude/core/device.h"

#include <doctest/doctest.h>

#include "etude/core/options.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("device, beyond LibTorch") {
  TEST_CASE("devices that are not there are refused by name") {
    CHECK(refusal([] { Device d(kCUDA, 1); }) == "Error: Etude runs on the CPU only");
    CHECK(refusal([] { Device d("cuda:1"); }) == "Error: Etude runs on the CPU only");
    CHECK(refusal([] { Device d(kCPU, 1); }) == "Error: CPU device index must be -1 or zero, got 1");
    CHECK(refusal([] { Device d("cpu:300"); }) == "Error: CPU device index must be -1 or zero, got 300");
    CHECK(refusal([] { Device d(kCPU, -2); }) == "Error: Device index must be -1 or non-negative, got -2");
  }

  TEST_CASE("options forget a device that is nullopt") {
    CHECK_FALSE(TensorOptions("cpu:0").device(nullopt).has_device());
  }
}
