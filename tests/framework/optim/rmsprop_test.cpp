#include "etude/optim/rmsprop.h"

#include <doctest/doctest.h>

#include "framework/optim/recorded.h"
#include "support/refusal.h"

using namespace etude;
using optim::RMSprop;
using optim::RMSpropOptions;
using optim::RMSpropParamState;

TEST_SUITE("RMSprop") {
  TEST_CASE("takes PyTorch's steps with every option and remembers what PyTorch remembers") {
    const std::map<std::string, RMSpropOptions> variants = {
        {"plain", RMSpropOptions()},
        {"alpha", RMSpropOptions(0.02).alpha(0.9).eps(1e-3)},
        {"decay", RMSpropOptions().weight_decay(0.1)},
        {"momentum", RMSpropOptions(0.005).momentum(0.8)},
        {"centered", RMSpropOptions().centered(true)},
        {"all", RMSpropOptions(0.003).alpha(0.8).eps(1e-2).weight_decay(0.1).momentum(0.7).centered(true)},
    };
    recorded::check_steps<RMSprop>("RMSprop", variants, [](optim::OptimizerParamState& s) {
      auto& state = dynamic_cast<RMSpropParamState&>(s);
      CHECK(state.step() == 30);
      return std::map<std::string, Tensor>{{"square_avg", state.square_avg()},
                                           {"momentum_buffer", state.momentum_buffer()},
                                           {"grad_avg", state.grad_avg()}};
    });
  }

  TEST_CASE("two steps by hand") {
    const Tensor p = etude::tensor({1.0}).requires_grad_();
    RMSprop optimizer({p}, RMSpropOptions(0.1).alpha(0.75).eps(0.5));
    p.mutable_grad() = etude::tensor({2.0});
    optimizer.step();  // v = 1
    CHECK(p.item<float>() == doctest::Approx(1 - 0.1 * 2 / 1.5));
    p.mutable_grad() = etude::tensor({-1.0});
    optimizer.step();  // v = 0.75 + 0.25
    CHECK(p.item<float>() == doctest::Approx(1 - 0.1 * 2 / 1.5 + 0.1 * 1 / 1.5));
  }

  TEST_CASE("the options are LibTorch's, with their defaults") {
    RMSpropOptions options;
    CHECK(options.lr() == 1e-2);
    CHECK(options.alpha() == 0.99);
    CHECK(options.eps() == 1e-8);
    CHECK(options.weight_decay() == 0);
    CHECK(options.momentum() == 0);
    CHECK_FALSE(options.centered());
    options.set_lr(0.5);
    CHECK(options.get_lr() == 0.5);
  }

  TEST_CASE("options can be compared") {
    CHECK(RMSpropOptions(0.1) == RMSpropOptions(0.1));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.2));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.1).alpha(1));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.1).eps(1));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.1).weight_decay(1));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.1).momentum(1));
    CHECK_FALSE(RMSpropOptions(0.1) == RMSpropOptions(0.1).centered(true));
  }

  TEST_CASE("states can be compared") {
    auto state = [] {
      return RMSpropParamState()
          .square_avg(etude::ones({2}))
          .momentum_buffer(etude::ones({2}))
          .grad_avg(etude::ones({2}));
    };
    CHECK(state() == state());
    CHECK_FALSE(state() == state().step(1));
    CHECK_FALSE(state() == state().square_avg(etude::zeros({2})));
    CHECK_FALSE(state() == state().momentum_buffer(etude::zeros({2})));
    CHECK_FALSE(state() == state().grad_avg(etude::zeros({2})));
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK(refusal_text([&] { RMSprop(p, -1.0); }) == "Invalid learning rate: -1");
    CHECK(refusal_text([&] { RMSprop(p, RMSpropOptions().eps(-1)); }) == "Invalid epsilon value: -1");
    CHECK(refusal_text([&] { RMSprop(p, RMSpropOptions().momentum(-1).alpha(-1)); }) ==
          "Invalid momentum value: -1");
    CHECK(refusal_text([&] { RMSprop(p, RMSpropOptions().weight_decay(-1).alpha(-1)); }) ==
          "Invalid weight_decay value: -1");
    CHECK(refusal_text([&] { RMSprop(p, RMSpropOptions().alpha(-1)); }) == "Invalid alpha value: -1");
  }
}
