#include "etude/autograd/grad_mode.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("grad mode") {
  TEST_CASE("recording is on at first") { CHECK(GradMode::is_enabled()); }

  TEST_CASE("nothing is recorded under NoGradGuard, and leaves keep their flag") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y;
    {
      const NoGradGuard guard;
      y = x * 2;
      CHECK(x.requires_grad());
      CHECK(etude::ones({1}, requires_grad()).requires_grad());
    }
    CHECK_FALSE(y.requires_grad());
    CHECK((x * 2).requires_grad());
  }

  TEST_CASE("guards nest, each restoring what it found") {
    {
      const NoGradGuard off;
      CHECK_FALSE(GradMode::is_enabled());
      {
        const AutoGradMode on(true);
        CHECK(GradMode::is_enabled());
        {
          const AutoGradMode again(false);
          CHECK_FALSE(GradMode::is_enabled());
        }
        CHECK(GradMode::is_enabled());
      }
      CHECK_FALSE(GradMode::is_enabled());
      const NoGradGuard twice;
      CHECK_FALSE(GradMode::is_enabled());
    }
    CHECK(GradMode::is_enabled());
  }

  TEST_CASE("an exception that passes a guard leaves the mode as it was") {
    try {
      const NoGradGuard off;
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
    }
    CHECK(GradMode::is_enabled());
    CHECK_THROWS_AS(
        [] {
          const NoGradGuard off;
          etude::zeros({2}) + etude::zeros({3});
        }(),
        Error);
    CHECK(GradMode::is_enabled());
  }

  TEST_CASE("the mode is each thread's own") {
    const NoGradGuard off;
    bool elsewhere = false;
    std::thread([&] { elsewhere = GradMode::is_enabled(); }).join();
    CHECK(elsewhere);
    GradMode::set_enabled(true);
    CHECK(GradMode::is_enabled());
    GradMode::set_enabled(false);
  }

  TEST_CASE("backward runs under NoGradGuard on a graph recorded before") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor y = (x * 3).sum();
    const NoGradGuard off;
    y.backward();
    CHECK(equal(x.grad(), etude::full({2}, 3.0)));
  }
}
