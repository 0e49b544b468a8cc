#include "etude/optim/adagrad.h"

#include <doctest/doctest.h>

#include "framework/optim/recorded.h"
#include "support/refusal.h"

using namespace etude;
using optim::Adagrad;
using optim::AdagradOptions;
using optim::AdagradParamState;

TEST_SUITE("Adagrad") {
  TEST_CASE("takes PyTorch's steps with every option and remembers what PyTorch remembers") {
    const std::map<std::string, AdagradOptions> variants = {
        {"plain", AdagradOptions()},
        {"lr", AdagradOptions(0.3)},
        {"lr_decay", AdagradOptions(0.1).lr_decay(0.1)},
        {"decay", AdagradOptions(0.1).weight_decay(0.1)},
        {"start", AdagradOptions(0.1).initial_accumulator_value(0.5)},
        {"all",
         AdagradOptions(0.2).lr_decay(0.05).weight_decay(0.2).initial_accumulator_value(0.1).eps(1e-3)},
    };
    recorded::check_steps<Adagrad>("Adagrad", variants, [](optim::OptimizerParamState& s) {
      auto& state = dynamic_cast<AdagradParamState&>(s);
      CHECK(state.step() == 30);
      return std::map<std::string, Tensor>{{"sum", state.sum()}};
    });
  }

  TEST_CASE("two steps by hand") {
    const Tensor p = etude::tensor({1.0}).requires_grad_();
    Adagrad optimizer({p}, AdagradOptions(0.1).lr_decay(1));
    p.mutable_grad() = etude::tensor({3.0});
    optimizer.step();
    CHECK(p.item<float>() == doctest::Approx(1 - 0.1));
    p.mutable_grad() = etude::tensor({-4.0});
    optimizer.step();
    CHECK(p.item<float>() == doctest::Approx(0.9 + 0.05 * 4 / 5));
  }

  TEST_CASE("remembers its parameters from the start") {
    const Tensor p = etude::ones({2, 3}, kDouble).requires_grad_();
    Adagrad optimizer({p}, AdagradOptions().initial_accumulator_value(0.25));
    REQUIRE(optimizer.state().size() == 1);
    const auto& state = dynamic_cast<AdagradParamState&>(*optimizer.state().begin()->second);
    CHECK(state.step() == 0);
    CHECK(state.sum().equal(etude::full({2, 3}, 0.25, kDouble)));
  }

  TEST_CASE("the options are LibTorch's, with their defaults") {
    AdagradOptions options;
    CHECK(options.lr() == 1e-2);
    CHECK(options.lr_decay() == 0);
    CHECK(options.weight_decay() == 0);
    CHECK(options.initial_accumulator_value() == 0);
    CHECK(options.eps() == 1e-10);
    options.set_lr(0.5);
    CHECK(options.get_lr() == 0.5);
  }

  TEST_CASE("options can be compared") {
    CHECK(AdagradOptions(0.1) == AdagradOptions(0.1));
    CHECK_FALSE(AdagradOptions(0.1) == AdagradOptions(0.2));
    CHECK_FALSE(AdagradOptions(0.1) == AdagradOptions(0.1).lr_decay(1));
    CHECK_FALSE(AdagradOptions(0.1) == AdagradOptions(0.1).weight_decay(1));
    CHECK_FALSE(AdagradOptions(0.1) == AdagradOptions(0.1).initial_accumulator_value(1));
    CHECK_FALSE(AdagradOptions(0.1) == AdagradOptions(0.1).eps(1));
  }

  TEST_CASE("states can be compared") {
    auto state = [] { return AdagradParamState().sum(etude::ones({2})); };
    CHECK(state() == state());
    CHECK_FALSE(state() == state().step(1));
    CHECK_FALSE(state() == state().sum(etude::zeros({2})));
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK(refusal_text([&] { Adagrad(p, -1.0); }) == "Invalid learning rate: -1");
    CHECK(refusal_text([&] { Adagrad(p, AdagradOptions().lr_decay(-1)); }) == "Invalid lr_decay value: -1");
    CHECK(refusal_text([&] { Adagrad(p, AdagradOptions().weight_decay(-1)); }) ==
          "Invalid weight_decay value: -1");
    CHECK(refusal_text([&] { Adagrad(p, AdagradOptions().initial_accumulator_value(-1).eps(-1)); }) ==
          "Invalid initial_accumulator_value value: -1");
    CHECK(refusal_text([&] { Adagrad(p, AdagradOptions().eps(-1)); }) == "Invalid epsilon value: -1");
  }
}
