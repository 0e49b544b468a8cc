// What the engine refuses in Python's words, where LibTorch has others.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("engine, beyond LibTorch") {
  TEST_CASE("a gradient of other sizes than its tensor's is told with both") {
    const Tensor x = etude::ones({2}, TensorOptions(kDouble).requires_grad(true));
    CHECK(refusal([&] { (x * 2).backward(etude::ones({3}, kDouble)); }) ==
          "Error: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape "
          "of torch.Size([2]).");
  }
}
