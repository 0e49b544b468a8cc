#include "etude/core/device.h"

#include <doctest/doctest.h>

#include <sstream>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("device") {
  TEST_CASE("the CPU is named by type or by text, with the index 0 or none") {
    CHECK((Device(kCPU).type() == kCPU));
    CHECK(Device(kCPU).index() == -1);
    CHECK_FALSE(Device("cpu").has_index());
    CHECK(Device("cpu:0").index() == 0);
    CHECK((Device("cpu:0") == Device(kCPU, 0)));
    CHECK((Device("cpu:0") != Device("cpu")));
    CHECK(Device("cpu").is_cpu());
    CHECK_FALSE(Device("cpu").is_cuda());
  }

  TEST_CASE("a device prints as it is written") {
    std::ostringstream out;
    out << Device(kCPU) << ' ' << Device("cpu:0") << ' ' << kCPU << ' ' << Device(kCPU, 0).str();
    CHECK(out.str() == "cpu cpu:0 cpu cpu:0");
  }

  TEST_CASE("texts that name no device are refused") {
    CHECK(refusal([] { Device d(""); }) == "Error: Device string must not be empty");
    for (const char* s : {"cuda:", "cpu::1", ":1", "3", "??", "cpu:-1", "cpu:00", "cpu:a", " cpu", "cpu:01"})
      CHECK(refusal([&] { Device d{std::string(s)}; }) ==
            std::string("Error: Invalid device string: '") + s + "'");
    CHECK(
        refusal([] { Device d("cud:1"); }) ==
        "Error: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, " +
            newer("maia, xla, lazy, vulkan, mps, meta, hpu, mtia", "ort, xla, lazy, vulkan, mps, meta, hpu") +
            ", privateuseone device type at start of device string: cud");
    CHECK(refusal([] { Device d("cpu:999999999999"); }) ==
          "Error: Could not parse device index '999999999999' in device string 'cpu:999999999999'");
  }

  TEST_CASE("indices that no device has are refused") {
    CHECK(refusal([] { Device d(kCPU, 1); }).find("CPU device index must be -1 or zero, got 1") !=
          std::string::npos);
    CHECK(refusal([] { Device d(kCPU, -2); }).find("Device index must be -1 or non-negative, got -2") !=
          std::string::npos);
  }

  TEST_CASE("options keep a device, and a tensor lives on the CPU") {
    CHECK(TensorOptions("cpu:0").device().index() == 0);
    CHECK(TensorOptions({kCPU, 0}).device().index() == 0);
    CHECK(TensorOptions(kInt).device(kCPU, 0).device().index() == 0);
    CHECK(TensorOptions(kInt).device("cpu:0").device().index() == 0);
    CHECK_FALSE(TensorOptions("cpu:0").device(optional<Device>()).has_device());
    CHECK_FALSE(TensorOptions(kInt).has_device());
    CHECK((TensorOptions(Device("cpu")).dtype(kInt).dtype() == kInt));
    const Tensor x = etude::zeros({1}, TensorOptions("cpu:0"));
    CHECK((x.device() == Device(kCPU)));
    CHECK(equal(x.to(Device("cpu:0")), x));
    CHECK(equal(x.to({kCPU, 0}), x));
    CHECK(x.get_device() == -1);
  }

  TEST_CASE("a tensor can be asked whether it is elsewhere") {
    const Device here = etude::ones({1}).device();
    CHECK(here == kCPU);
    CHECK_FALSE(here == kCUDA);
    CHECK(here != kCUDA);
    CHECK_FALSE(Device("cpu:0") == kCPU);
    CHECK_FALSE(etude::ones({1}).is_pinned());
  }

  TEST_CASE("a program chooses a device, and a tensor cannot go where there is none") {
    const Device device(etude::cuda::is_available() ? kCUDA : kCPU);
    CHECK(etude::ones({1}).to(device).is_cpu());
    CHECK(refusal([] {
            etude::ones({2, 3}).cuda();
          }) == "Error: PyTorch is not linked with support for cuda devices");
  }
}
