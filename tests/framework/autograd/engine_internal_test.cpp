// What the engine frees and when, from reference counts, and nodes made by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
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

  TEST_CASE("what is to be called after backward is called once, when the outermost one has ended") {
    const Tensor x = leaf({1.0});
    std::vector<std::string> calls;
    const auto call_after = [&](const char* name) {
      autograd::detail::call_after_backward([&calls, name](bool succeeded) {
        calls.push_back(std::string(name) + (succeeded ? "" : " failed"));
      });
    };
    const Tensor a = x * 2;
    a.register_hook([&](const Tensor&) {
      const AutoGradMode records(true);
      const Tensor y = leaf({1.0}), b = y * 3;
      b.register_hook([&](const Tensor&) {
        call_after("inner");
        return Tensor();
      });
      b.backward();
      call_after("outer");
      calls.push_back("hook");
      return Tensor();
    });
    a.sum().backward();
    using Calls = std::vector<std::string>;
    CHECK(calls == Calls{"hook", "inner", "outer"});
    (x * 2).sum().backward();
    CHECK(calls.size() == 3);
    CHECK(refusal([&] { call_after("no backward"); }) ==
          "Error: Final callbacks can only be installed during backward pass.");
  }

  TEST_CASE("what is called after a backward that failed is told so, and the exception goes on") {
    const Tensor x = leaf({1.0});
    std::vector<bool> calls;
    const Tensor a = x * 2;
    a.register_hook([&](const Tensor&) -> Tensor {
      autograd::detail::call_after_backward([&](bool succeeded) { calls.push_back(succeeded); });
      throw Error("it is enough");
    });
    CHECK(refusal([&] { a.sum().backward(); }) == "Error: it is enough");
    CHECK(calls == std::vector<bool>{false});
    (x * 2).sum().backward();
    CHECK(calls.size() == 1);
  }

  TEST_CASE(
      "what is called after backward belongs to the outermost also where inner ones are on threads of their "
      "own") {
    const Tensor x = leaf({1.0});
    int depth = 0, calls = 0;
    AnyFunction<void()> nested = [&] {
      const AutoGradMode records(true);
      const Tensor a = x * 1;
      a.register_hook([&](const Tensor&) {
        if (++depth < 130) nested();
        else autograd::detail::call_after_backward([&](bool) { calls += depth; });
        if (calls == 0) --depth;
        return Tensor();
      });
      a.backward();
    };
    nested();
    CHECK(calls == 0);  // the depth when it was called
    CHECK(depth == 0);
    CHECK(x.grad().item<double>() == 130);
  }

  TEST_CASE("a leaf whose gradient is taken gets it as soon as it is whole, once, and others as ever") {
    const Tensor x = leaf({1.0, 2.0}), w = leaf({3.0, 4.0}), other = leaf({1.0, 1.0});
    std::vector<Tensor> taken;
    std::vector<size_t> taken_before;
    autograd::detail::set_gradient_taker(w, [&](const Tensor& g) {
      taken.push_back(g);
      return true;
    });
    const auto noting = [&](const Tensor& t) {
      t.register_hook([&](const Tensor&) {
        taken_before.push_back(taken.size());
        return Tensor();
      });
      return t;
    };
    const Tensor first = noting(x * 2), second = noting(first * w), third = noting(second + w * other);
    third.sum().backward();
    CHECK(taken_before == std::vector<size_t>{0, 0, 1});
    REQUIRE(taken.size() == 1);
    CHECK(taken[0].equal(etude::tensor({3.0, 5.0}, kDouble)));
    CHECK_FALSE(w.grad().defined());
    CHECK(other.grad().equal(w.detach()));
    CHECK(x.grad().equal(w.detach() * 2));

    autograd::detail::set_gradient_taker(w, [](const Tensor&) { return false; });
    (w * 2).sum().backward();
    CHECK(w.grad().eq(2).all().item<bool>());
    autograd::detail::set_gradient_taker(w, nullptr);
    (w * 2).sum().backward();
    CHECK(w.grad().eq(4).all().item<bool>());
    CHECK_FALSE(autograd::detail::gradients_are_taken());
    CHECK(refusal([&] { autograd::detail::set_gradient_taker(first, nullptr); }) ==
          "Error: only a leaf that requires grad accumulates gradients");
  }

  TEST_CASE("a leaf whose gradient is taken gets it as early through views and copies of it") {
    const Tensor x = leaf({{1.0, 2.0}, {3.0, 4.0}}), w = leaf({{1.0, 0.0}, {2.0, 1.0}});
    int taken = 0;
    autograd::detail::set_gradient_taker(w, [&](const Tensor&) { return ++taken > 0; });
    std::vector<int> taken_before;
    Tensor y = x;
    for (int i = 0; i < 6; ++i) {
      y = y * 2;
      y.register_hook([&](const Tensor&) {
        taken_before.push_back(taken);
        return Tensor();
      });
    }
    (y.matmul(w.to(kFloat).t().to(kDouble)) + y).sum().backward();
    CHECK(taken_before == std::vector<int>(6, 1));
    CHECK(x.grad().equal(64 * (etude::ones({2, 2}, kDouble).matmul(w.detach()) + 1)));
    autograd::detail::set_gradient_taker(w, nullptr);
  }

  TEST_CASE(
      "a leaf whose gradient is taken gets it too where a part of the graph has no gradient, or is not asked "
      "for") {
    const Tensor w = leaf({3.0}), x = leaf({1.0});
    int calls = 0;
    autograd::detail::set_gradient_taker(w, [&](const Tensor&) { return ++calls > 0; });
    const Tensor none = autograd::detail::record("FakeBackward0", {w * 1}, w.detach().clone(),
                                                 [](const Tensor&) { return Tensor(); });
    (none + w * x).sum().backward();
    CHECK(calls == 1);
    const std::vector<Tensor> only_x = {x}, only_w = {w};
    (w * x).sum().backward({}, false, false, TensorList(only_x));
    CHECK(calls == 1);
    (w * x).sum().backward({}, false, false, TensorList(only_w));
    CHECK(calls == 2);
    CHECK(autograd::grad({(w * x).sum()}, {w})[0].item<double>() == 1);
    CHECK(calls == 2);
    autograd::detail::set_gradient_taker(w, nullptr);
  }
}
