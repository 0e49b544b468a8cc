// How random numbers are written to a tensor: in memory order, as one write, one fill at a time.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/ops/detail/random.h"
#include "support/fingerprint.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("random fills") {
  TEST_CASE("a dense tensor gets the stream in the order of its memory, and so does a view with gaps") {
    manual_seed(9);
    const Tensor stream = rand({24});
    const Tensor dense = zeros({24}), turned = dense.view({2, 3, 4}).permute({2, 0, 1});
    manual_seed(9);
    turned.uniform_();
    CHECK(same(dense, stream));
    const Tensor base = zeros({4, 12}), gaps = base.slice(1, 0, 12, 2).t();
    manual_seed(9);
    gaps.uniform_();
    CHECK(same(base.slice(1, 0, 12, 2), stream.view({4, 6})));
    CHECK(same(base.slice(1, 1, 12, 2), zeros({4, 6})));
  }

  TEST_CASE("the order of dims in memory is by stride, and of dims that do not move the shorter goes first") {
    using detail::order_in_memory;
    CHECK((order_in_memory(zeros({2, 3, 4})) == Shape{0, 1, 2}));
    CHECK((order_in_memory(zeros({2, 3, 4}).permute({2, 0, 1})) == Shape{1, 2, 0}));
    CHECK((order_in_memory(zeros({1}).expand({3, 2})) == Shape{1, 0}));
    CHECK(order_in_memory(zeros({})).size() == 0);
    const Tensor x = arange(24).view({2, 3, 4}).permute({2, 0, 1});
    CHECK(same(detail::in_order(x, order_in_memory(x)), arange(24).view({2, 3, 4})));
  }

  TEST_CASE("a copy of elements crosses strides and counts no write") {
    const Tensor to = zeros({4, 3}).t(), from = arange(12, kFloat).view({3, 4});
    detail::convert(to, from);
    CHECK(same(to, from));
    CHECK(to._version() == 0);
  }

  TEST_CASE("fills from two threads do not mix: each takes a run of the stream") {
    constexpr int64_t fills = 200, n = 64;
    manual_seed(6);
    const Tensor stream = rand({2 * fills, n});
    std::set<std::string> runs;
    for (int64_t i = 0; i < 2 * fills; ++i) runs.insert(fingerprint(stream[i]));
    CHECK(runs.size() == 2 * fills);
    manual_seed(6);
    std::vector<std::string> of_thread[2];
    const auto draw = [&](int me) {
      for (int64_t i = 0; i < fills; ++i) of_thread[me].push_back(fingerprint(rand({n})));
    };
    std::thread other(draw, 1);
    draw(0);
    other.join();
    for (const auto& found : of_thread)
      for (const std::string& run : found) CHECK(runs.erase(run) == 1);
    CHECK(runs.empty());
  }

  TEST_CASE("a fill counts as one write, a new tensor as none") {
    const Tensor x = zeros({20});
    x.uniform_().normal_().exponential_().bernoulli_(0.5).random_().random_(5).random_(2, 5).bernoulli_(
        full({20}, 0.5));
    CHECK(x._version() == 8);
    x.select(0, 3).uniform_();
    CHECK(x._version() == 9);
    empty({40}, kLong).select(0, 1).random_();
    for (const Tensor& t : {rand({3}), randn({30}), randint(3, {3}), randperm(3), normal(0, 1, {3}),
                            normal(x, 1), normal(0., x.abs()), normal(x, x.abs()), bernoulli(full({3}, 0.5)),
                            rand_like(x), randn_like(x.view({4, 5}).t())})
      CHECK(t._version() == 0);
  }

  TEST_CASE("a leaf that requires grad is refused while gradients are recorded") {
    const Tensor leaf = zeros({3}, requires_grad());
    const std::string sentence =
        "Error: a leaf Variable that requires grad is being used in an in-place operation.";
    CHECK(refusal([&] { leaf.uniform_(); }) == sentence);
    CHECK(refusal([&] { leaf.normal_(); }) == sentence);
    CHECK(refusal([&] { leaf.exponential_(); }) == sentence);
    CHECK(refusal([&] { leaf.bernoulli_(0.5); }) == sentence);
    CHECK(refusal([&] { leaf.bernoulli_(full({3}, 0.5)); }) == sentence);
    CHECK(refusal([&] { leaf.random_(); }) == sentence);
    CHECK(refusal([&] { leaf.random_(4); }) == sentence);
    CHECK(refusal([&] { leaf.random_(4, 6); }) == sentence);
    CHECK(refusal([&] { leaf.slice(0, 0, 2).uniform_(); }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(same(leaf, zeros({3})));
    const NoGradGuard no_grad;
    manual_seed(4);
    leaf.uniform_();
    manual_seed(4);
    CHECK(same(leaf, rand({3})));
    CHECK(leaf.requires_grad());
  }

  TEST_CASE("a tensor inside a graph is filled with the numbers that it would get outside") {
    const Tensor leaf = zeros({40, 2}, requires_grad());
    for (const bool strided : {false, true}) {
      const Tensor inside = leaf * 1, outside = zeros({40, 2});
      const Tensor a = strided ? inside.select(1, 1) : inside, b = strided ? outside.select(1, 1) : outside;
      manual_seed(3);
      a.normal_(1, 2);
      manual_seed(3);
      b.normal_(1, 2);
      CHECK(same(inside, outside));
      CHECK(inside._version() == 1);
      CHECK(std::string(inside.grad_fn_name()) == (strided ? "CopySlices" : "NormalBackward0"));
    }
  }
}
