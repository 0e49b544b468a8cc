// What the engine frees and when, counted in the insides of tensors, and nodes made by hand.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"
#include "support/leaf.h"
#include "support/names_of.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("engine, inside") {
  TEST_CASE("backward frees what an op saved as soon as it has used it") {
    const Tensor x = leaf({1.0, 2.0});
    Tensor a = x * 2;
    const Tensor b = a.exp();
    const Tensor c = b * b;
    CHECK(names_of(b) == 4);  // b, exp's output, both factors of the product
    uint32_t when_exp_is_reached = 0;
    a.register_hook([&](const Tensor&) {
      when_exp_is_reached = names_of(b);
      return Tensor();
    });
    c.sum().backward();
    CHECK(when_exp_is_reached == 1);
    CHECK(names_of(b) == 1);
  }

  TEST_CASE("a gradient of the wrong sizes names the function that returned it") {
    const Tensor x = leaf({1.0, 2.0});
    const Tensor y = autograd::detail::record("FakeBackward0", {x}, x.detach().clone(),
                                              [](const Tensor&) { return etude::zeros({3}, kDouble); });
    CHECK(refusal([&] { y.sum().backward(); }) ==
          "Error: Function FakeBackward0 returned an invalid gradient at index 0 - got [3] but expected "
          "shape compatible with [2]");
  }

  TEST_CASE("an exception in a backward reaches the caller and leaves the engine usable") {
    const Tensor x = leaf({1.0});
    const Tensor y = autograd::detail::record("FakeBackward0", {x}, x.detach().clone(),
                                              [](const Tensor&) -> Tensor { throw Error("stop"); });
    CHECK(refusal([&] { (y * 2).backward(); }) == "Error: stop");
    CHECK(GradMode::is_enabled());
    CHECK(autograd::detail::current_node() == nullptr);
    (x * 2).backward();
    CHECK(x.grad().item<double>() == 2);
  }

  TEST_CASE("a backward may call backward itself") {
    const Tensor x = leaf({2.0}), inner = leaf({3.0});
    const Tensor y =
        autograd::detail::record("FakeBackward0", {x}, x.detach().clone(), [&](const Tensor& dy) {
          const EnableGradGuard on;
          (inner * inner).backward();
          return dy * inner.grad();
        });
    (y * 1).backward();
    CHECK(x.grad().item<double>() == 6);
  }
}
