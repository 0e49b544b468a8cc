// Averages of weights, which LibTorch lacks.
#include "etude/optim/ema.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "etude/training/checkpoint.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using optim::EMA;

TEST_SUITE("EMA") {
  namespace {

  struct Counting : nn::Module {
    Counting() {
      weight = register_parameter("weight", etude::ones({2}));
      mean = register_buffer("mean", etude::zeros({2}));
      count = register_buffer("count", etude::zeros({}, kLong));
    }
    Tensor weight, mean, count;
  };

  }  // namespace

  TEST_CASE("the averages are the weighted sum of all weights") {
    const Tensor w = etude::tensor({4.0, -2.0}, kDouble).requires_grad_();
    EMA ema({w}, 0.75);
    CHECK(ema.decay() == 0.75);
    CHECK(ema.averages()[0].equal(w));
    Tensor expected = w.detach().clone();
    for (int i = 1; i <= 10; ++i) {
      {
        const NoGradGuard no_grad;
        w.mul_(-0.5).add_(i);
      }
      ema.update();
      expected = expected * 0.75 + w.detach() * 0.25;
      CHECK(ema.averages()[0].allclose(expected, 1e-13, 0));
    }
    CHECK_FALSE(ema.averages()[0].requires_grad());
    CHECK(w.requires_grad());
  }

  TEST_CASE("averages of 16 bits are rounded after each op") {
    for (const ScalarType dtype : {kHalf, kBFloat16}) {
      const Tensor w = etude::tensor({4.0, -2.0, 0.1}, kDouble).to(dtype);
      EMA ema({w}, 0.75);
      Tensor expected = w.clone();
      for (int i = 1; i <= 5; ++i) {
        w.mul_(-0.5).add_(i);
        ema.update();
        const Tensor distance = (w.to(kFloat) - expected.to(kFloat)).to(dtype);
        expected = (expected.to(kFloat) + 0.25 * distance.to(kFloat)).to(dtype);
        CHECK(ema.averages()[0].equal(expected));
      }
    }
  }

  TEST_CASE("weights that stay have themselves as their average, bit for bit") {
    const Tensor w = etude::sin(etude::arange(1, 100, kDouble)).to(kFloat);
    EMA ema({w});
    for (int i = 0; i < 50; ++i) ema.update();
    CHECK(ema.averages()[0].equal(w));
  }

  TEST_CASE("buffers are averaged, and those of integers copied") {
    Counting module;
    EMA ema(module, 0.5);
    REQUIRE(ema.averages().size() == 3);
    module.mean.fill_(4);
    module.count.fill_(7);
    ema.update();
    CHECK(ema.averages()[0].equal(etude::ones({2})));
    CHECK(ema.averages()[1].equal(etude::full({2}, 2.0)));
    CHECK(ema.averages()[2].item<int64_t>() == 7);
  }

  TEST_CASE("apply puts the averages in place of the weights, restore the weights back") {
    Counting module;
    EMA ema(module, 0.5);
    {
      const NoGradGuard no_grad;
      module.weight.fill_(3);
    }
    ema.update();
    ema.apply();
    CHECK(ema.is_applied());
    CHECK(module.weight.equal(etude::full({2}, 2.0)));
    CHECK(module.weight.is_leaf());
    CHECK_THROWS_WITH_AS(ema.update(),
                         "EMA: the averages are applied\nhint: restore() the weights before update()", Error);
    CHECK_THROWS_WITH_AS(ema.apply(), "EMA: the averages are applied already", Error);
    ema.restore();
    CHECK_FALSE(ema.is_applied());
    CHECK(module.weight.equal(etude::full({2}, 3.0)));
    CHECK(ema.averages()[0].equal(etude::full({2}, 2.0)));
    CHECK_THROWS_WITH_AS(ema.restore(), "EMA: there is nothing to restore\nhint: call apply() first", Error);
  }

  TEST_CASE("tied weights have one average, and undefined ones none") {
    const Tensor w = etude::ones({1});
    EMA ema({w, w, Tensor()}, 0.5);
    CHECK(ema.averages().size() == 1);
    w.fill_(3);
    ema.update();
    ema.apply();
    CHECK(w.item<float>() == 2);
    ema.restore();
    CHECK(w.item<float>() == 3);
  }

  TEST_CASE("weights may have strides") {
    const Tensor memory = etude::zeros({3, 2}), w = memory.t();
    EMA ema({w}, 0.5);
    memory.copy_(etude::arange(6, kFloat).reshape({3, 2}));
    ema.update();
    CHECK(ema.averages()[0].equal(w / 2));
    ema.apply();
    CHECK(memory[2][1].item<float>() == 2.5f);
  }

  TEST_CASE("refuses a decay that is no share") {
    CHECK_THROWS_WITH_AS(EMA({etude::ones({1})}, 1.5), "Invalid decay: 1.5\nhint: it is between 0 and 1",
                         ValueError);
    CHECK_THROWS_AS(EMA({etude::ones({1})}, std::nan("")), ValueError);
  }

  TEST_CASE("weights that share memory get it back as it was") {
    const Tensor w = etude::zeros({2});
    EMA ema({w.detach(), w.detach()}, 0.5);
    w.fill_(8);
    ema.update();
    ema.apply();
    CHECK_FALSE(w.equal(etude::full({2}, 8.0)));
    ema.restore();
    CHECK(w.equal(etude::full({2}, 8.0)));
  }

  TEST_CASE(
      "weights come back in their own precision, and a weight that cannot be written keeps all as they are") {
    nn::Module module;
    const Tensor w = module.register_parameter("w", etude::full({1}, 0.1));
    EMA ema(module, 0.5);
    module.to(kDouble);
    {
      NoGradGuard no_grad;
      w.fill_(0.1);
    }
    ema.apply();
    ema.restore();
    CHECK(w.item<double>() == 0.1);
    const Tensor first = etude::full({1}, 8.0);
    EMA refused({first, etude::zeros({1}).expand({3})}, 0.5);
    first.fill_(4);
    CHECK_THROWS_AS(refused.apply(), Error);
    CHECK(first.item<double>() == 4);
  }

  TEST_CASE("a checkpoint with more averages is refused") {
    const TemporaryFolder folder;
    const Tensor w = etude::ones({2});
    EMA two({w, etude::ones({3})}), one({w});
    Checkpoint().add("averages", two).save(folder / "x");
    CHECK(refusal_text([&] { Checkpoint().add("averages", one).load(folder / "x"); }) ==
          "EMA: has 1 averages, and 2 were saved");
  }
}
