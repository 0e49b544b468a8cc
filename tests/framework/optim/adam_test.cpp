#include "etude/optim/adam.h"

#include <doctest/doctest.h>

#include "framework/optim/recorded.h"
#include "support/refusal.h"

using namespace etude;
using optim::Adam;
using optim::AdamOptions;
using optim::AdamParamState;

TEST_SUITE("Adam") {
  TEST_CASE("takes PyTorch's steps with every option and remembers what PyTorch remembers") {
    const std::map<std::string, AdamOptions> variants = {
        {"plain", AdamOptions()},
        {"lr", AdamOptions(0.05)},
        {"betas", AdamOptions(0.01).betas({0.5, 0.98}).eps(1e-9)},
        {"decay", AdamOptions(0.01).weight_decay(0.1)},
        {"amsgrad", AdamOptions(0.02).amsgrad(true)},
        {"all", AdamOptions(0.02).betas({0.8, 0.9}).eps(1e-3).weight_decay(0.2).amsgrad(true)},
    };
    recorded::check_steps<Adam>("Adam", variants, [](optim::OptimizerParamState& s) {
      auto& state = dynamic_cast<AdamParamState&>(s);
      CHECK(state.step() == 30);
      return std::map<std::string, Tensor>{{"exp_avg", state.exp_avg()},
                                           {"exp_avg_sq", state.exp_avg_sq()},
                                           {"max_exp_avg_sq", state.max_exp_avg_sq()}};
    });
  }

  TEST_CASE("two steps by hand") {
    const Tensor p = etude::tensor({1.0}).requires_grad_();
    Adam optimizer({p}, AdamOptions(0.1).betas({0.5, 0.75}).eps(0));
    p.mutable_grad() = etude::tensor({2.0});
    optimizer.step();  // m = 1, v = 1, m / (1 - 0.5) = 2, v / (1 - 0.75) = 4
    CHECK(p.item<float>() == doctest::Approx(1 - 0.1 * 2 / 2));
    p.mutable_grad() = etude::tensor({-4.0});
    optimizer.step();  // m = 0.5 - 2, v = 0.75 + 4
    const double m = -1.5 / (1 - 0.25), v = 4.75 / (1 - 0.5625);
    CHECK(p.item<float>() == doctest::Approx(0.9 - 0.1 * m / std::sqrt(v)));
  }

  TEST_CASE("the options are LibTorch's, with their defaults") {
    AdamOptions options;
    CHECK(options.lr() == 1e-3);
    CHECK(options.betas() == std::make_tuple(0.9, 0.999));
    CHECK(options.eps() == 1e-8);
    CHECK(options.weight_decay() == 0);
    CHECK_FALSE(options.amsgrad());
    options.set_lr(0.5);
    CHECK(options.get_lr() == 0.5);
  }

  TEST_CASE("options can be compared") {
    CHECK(AdamOptions(0.1) == AdamOptions(0.1));
    CHECK_FALSE(AdamOptions(0.1) == AdamOptions(0.2));
    CHECK_FALSE(AdamOptions(0.1) == AdamOptions(0.1).betas({0.9, 0.99}));
    CHECK_FALSE(AdamOptions(0.1) == AdamOptions(0.1).eps(1));
    CHECK_FALSE(AdamOptions(0.1) == AdamOptions(0.1).weight_decay(1));
    CHECK_FALSE(AdamOptions(0.1) == AdamOptions(0.1).amsgrad(true));
  }

  TEST_CASE("states can be compared") {
    auto state = [] { return AdamParamState().exp_avg(etude::ones({2})).exp_avg_sq(etude::ones({2})); };
    CHECK(state() == state());
    CHECK_FALSE(state() == state().step(1));
    CHECK_FALSE(state() == state().exp_avg(etude::zeros({2})));
    CHECK_FALSE(state() == state().exp_avg_sq(etude::zeros({2})));
    CHECK_FALSE(state().max_exp_avg_sq(etude::ones({2})) == state().max_exp_avg_sq(etude::zeros({2})));
  }

  TEST_CASE("amsgrad remembers the largest average, also a nan") {
    const Tensor p = etude::zeros({2}).requires_grad_();
    Adam optimizer({p}, AdamOptions(0.1).amsgrad(true));
    p.mutable_grad() = etude::tensor({2.0, 1.0}).to(kFloat);
    optimizer.step();
    p.mutable_grad() = etude::tensor({0.0, std::nan("")}).to(kFloat);
    optimizer.step();
    p.mutable_grad() = etude::zeros({2});
    optimizer.step();
    const Tensor largest = dynamic_cast<AdamParamState&>(*optimizer.state().begin()->second).max_exp_avg_sq();
    CHECK(largest[0].item<float>() == doctest::Approx(0.004));
    CHECK(largest[1].isnan().item<bool>());
    CHECK(p[1].isnan().item<bool>());
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK(refusal_text([&] { Adam(p, -1.0); }) == "Invalid learning rate: -1");
    CHECK(refusal_text([&] { Adam(p, std::nan("")); }) == "Invalid learning rate: nan");
    CHECK(refusal_text([&] { Adam(p, AdamOptions().eps(-1)); }) == "Invalid epsilon value: -1");
    CHECK(refusal_text([&] {
            Adam(p, AdamOptions().betas({1.0, 0.9}));
          }) == "Invalid beta parameter at index 0: 1");
    CHECK(refusal_text([&] {
            Adam(p, AdamOptions().betas({0.9, -0.5}));
          }) == "Invalid beta parameter at index 1: -0.5");
    CHECK(refusal_text([&] { Adam(p, AdamOptions().weight_decay(-1)); }) == "Invalid weight_decay value: -1");
    CHECK(refusal_text([&] { Adam(p, AdamOptions(-1).eps(-1).weight_decay(-1)); }) ==
          "Invalid learning rate: -1");
  }
}
