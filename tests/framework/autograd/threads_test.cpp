// What threads may share while gradients are recorded, as in docs/threads.md. tests/threads/run runs the same cases
// under a sanitizer, which also detects rare races.
#include <doctest/doctest.h>

#include <atomic>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/autograd/grad_mode.h"
#include "etude/ops/ops.h"
#include "support/on_threads.h"

using namespace etude;
using autograd::variable_list;

TEST_SUITE("threads in autograd") {
  namespace {

  struct Tripled : autograd::Function<Tripled> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
      ctx->save_for_backward({x});
      return x * 3;
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list dy) {
      return {etude::where(ctx->get_saved_variables()[0] > 0, dy[0] * 3, dy[0])};
    }
  };

  Tensor leaf_of_ones(IntArrayRef sizes) { return etude::ones(sizes, TensorOptions().requires_grad(true)); }

  }  // namespace

  TEST_CASE("threads that run forward and backward on the same parameters lose nothing of the gradients") {
    const Tensor weight = leaf_of_ones({3, 4}), bias = leaf_of_ones({3});
    const int steps = 300;
    on_threads(3, [&](int) {
      const Tensor x = etude::ones({2, 4});
      for (int i = 0; i < steps; ++i) (x.matmul(weight.t()) + bias).sum().backward();
    });
    CHECK(equal(weight.grad(), etude::full({3, 4}, 2.0 * 3 * steps)));
    CHECK(equal(bias.grad(), etude::full({3}, 2.0 * 3 * steps)));
  }

  TEST_CASE("nor do those that are the first to use a leaf") {
    for (int round = 0; round < 200; ++round) {
      const Tensor x = leaf_of_ones({2}), view = x.view({2, 1});
      on_threads(2, [&](int) { (x * 2 + view.view({2})).sum().backward(); });
      REQUIRE(equal(x.grad(), etude::full({2}, 6.0)));
    }
  }

  TEST_CASE("the part of a graph that threads share is walked by all of them if it is retained") {
    const Tensor x = leaf_of_ones({8}), y = Tripled::apply(x * x).exp().log();
    on_threads(2, [&](int) {
      for (int i = 0; i < 50; ++i) y.sum().backward({}, /*retain_graph=*/true);
    });
    CHECK(x.grad().allclose(etude::full({8}, 600.0)));
  }

  TEST_CASE("gradients that are returned and not accumulated are each thread's own") {
    const Tensor x = leaf_of_ones({4});
    on_threads(3, [&](int i) {
      for (int step = 0; step < 50; ++step) {
        const Tensor y = (x * (i + 1) * x).sum();
        const Tensor g = autograd::grad({y}, {x}, {}, {}, /*create_graph=*/true)[0];
        const Tensor second = autograd::grad({g.sum()}, {x})[0];
        if (!equal(g.detach(), etude::full({4}, 2.0 * (i + 1)))) throw std::runtime_error("first");
        if (!equal(second, etude::full({4}, 2.0 * (i + 1)))) throw std::runtime_error("second");
      }
    });
    CHECK_FALSE(x.grad().defined());
  }

  TEST_CASE("a view whose base was written to is found anew by each") {
    for (int round = 0; round < 50; ++round) {
      const Tensor x = leaf_of_ones({4});
      Tensor y = x * 1;
      const Tensor view = y.view({2, 2});
      y.mul_(3);
      std::atomic<int> wrong{0};
      on_threads(2, [&](int) {
        const Tensor g = autograd::grad({(view * 2).sum()}, {x}, {}, /*retain_graph=*/true)[0];
        if (!equal(g, etude::full({4}, 6.0))) ++wrong;
      });
      REQUIRE(wrong == 0);
    }
  }

  TEST_CASE("threads write into parts of one tensor, and into its gradient while nothing runs backward") {
    const Tensor whole = etude::zeros({2, 100});
    on_threads(2, [&](int i) {
      const Tensor part = whole[i];
      for (int step = 0; step < 100; ++step) part.add_(i + 1);
    });
    CHECK(equal(whole, etude::tensor({{100.0}, {200.0}}).expand({2, 100})));
    CHECK(whole._version() == 200);
  }

  TEST_CASE("whether gradients are recorded is each thread's own") {
    const NoGradGuard off;
    const Tensor x = leaf_of_ones({2});
    on_threads(2, [&](int i) {
      for (int step = 0; step < 50; ++step) {
        const AutoGradMode mode(i == 0);
        if ((x * 2).requires_grad() != (i == 0)) throw std::runtime_error("mixed up");
      }
    });
    CHECK_FALSE((x * 2).requires_grad());
  }

  TEST_CASE("a backward whose leaf is dropped meanwhile ends well") {
    for (int round = 0; round < 200; ++round) {
      Tensor x = leaf_of_ones({2});
      const Tensor loss = (x * 2).sum(), other = leaf_of_ones({2}), both = (x * other).sum() + loss;
      Tensor mine = std::move(x);
      on_threads(2, [&](int i) {
        if (i == 0) mine.reset();
        else both.backward();
      });
      REQUIRE(equal(other.grad(), etude::ones({2})));
    }
  }

  TEST_CASE("a tensor that retains its gradient may be dropped while its graph is walked") {
    for (int round = 0; round < 200; ++round) {
      const Tensor x = leaf_of_ones({2});
      Tensor y = x * 2;
      y.retain_grad();
      const Tensor loss = (y * y).sum();
      on_threads(2, [&](int i) {
        if (i == 0) y.reset();
        else loss.backward();
      });
      REQUIRE(equal(x.grad(), etude::full({2}, 8.0)));
    }
  }
}
