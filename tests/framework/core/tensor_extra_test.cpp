// How tensors differ from LibTorch's: one message for undefined tensors, the CPU only, pointers to const and a
// limit on dims.
#include "etude/core/tensor.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensor, beyond LibTorch") {
  TEST_CASE("an undefined tensor says so, whatever it is asked") {
    Tensor none;
    CHECK_FALSE(none.defined());
    CHECK(none.use_count() == 0);
    const std::string sentence =
        "Error: Expected a proper Tensor but got None (or an undefined Tensor in C++)";
    CHECK(refusal([&] { none.sizes(); }) == sentence);
    CHECK(refusal([&] { none.dim(); }) == sentence);
    CHECK(refusal([&] { none.item<float>(); }) == sentence);
    CHECK(refusal([&] { none.data_ptr<float>(); }) == sentence);
    CHECK(refusal([&] { none + 1; }) == sentence);
    CHECK(refusal([&] { etude::zeros({2}) + none; }) == sentence);
    CHECK(refusal([&] { none.clone(); }) == sentence);
    CHECK(refusal([&] { none.view({1}); }) == sentence);
    CHECK(refusal([&] { none.add_(1); }) == sentence);
    CHECK(refusal([&] { etude::zeros({2}).copy_(none); }) == sentence);
    CHECK(refusal([&] { none[0]; }) == sentence);
    CHECK(refusal([&] { none.to(kFloat); }) == sentence);
    CHECK(refusal([&] { matmul(none, none); }) == sentence);
    CHECK(refusal([&] { none.sum(); }) == sentence);
    none = etude::zeros({1});
    CHECK(none.defined());
    none.reset();
    CHECK_FALSE(none.defined());
  }

  TEST_CASE("const_data_ptr is the first element, as what it is") {
    const Tensor x = etude::arange(6, kLong);
    CHECK(x.const_data_ptr<int64_t>() == x.data_ptr());
    CHECK(x.slice(0, 2).const_data_ptr() == x.const_data_ptr<int64_t>() + 2);
    CHECK_THROWS_AS(x.const_data_ptr<float>(), Error);
  }

  TEST_CASE("mutable_data_ptr is the first element, to write to") {
    const Tensor x = etude::arange(6, kLong);
    x.slice(0, 2).mutable_data_ptr<int64_t>()[1] = 30;
    CHECK(x.equal(etude::tensor({0, 1, 2, 30, 4, 5})));
    CHECK(x.mutable_data_ptr() == x.data_ptr());
    CHECK_THROWS_AS(x.mutable_data_ptr<float>(), Error);
  }

  TEST_CASE("a tensor stays in the memory of the CPU") {
    const Tensor x = etude::ones({2, 3}, TensorOptions().pinned_memory(true));
    CHECK_FALSE(x.is_pinned());
    CHECK(x.pin_memory().is_same(x));
    CHECK_THROWS_WITH_AS(x.cuda(),
                         "PyTorch is not linked with support for cuda devices\nreceived a tensor of size "
                         "[2, 3]\nhint: Etude runs on the CPU only; remove the call of cuda(), or write "
                         "to(kCPU)",
                         Error);
  }

  TEST_CASE("devices other than the CPU are refused by name") {
    CHECK_THROWS_WITH_AS(etude::zeros({1}, kCUDA), doctest::Contains("CPU only"), Error);
    CHECK_THROWS_WITH_AS(etude::zeros({1}).to(Device(kCUDA, 0), kFloat), doctest::Contains("CPU only"),
                         Error);
  }

  TEST_CASE("a tensor has at most eight dims") {
    const std::vector<int64_t> eight(8, 1), nine(9, 1);
    CHECK(etude::zeros(eight).dim() == 8);
    CHECK(refusal([&] { etude::zeros(nine); }) == "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] { etude::zeros(eight).unsqueeze(0); }) ==
          "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] { etude::zeros({1}).expand(nine); }) ==
          "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] { etude::zeros({1}).view(nine); }) ==
          "Error: tensors of more than 8 dims are not supported");
    CHECK(refusal([&] {
            stack({etude::zeros(eight), etude::zeros(eight)});
          }) == "Error: tensors of more than 8 dims are not supported");
  }
}
