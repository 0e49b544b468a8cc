#include "etude/optim/adamw.h"

#include <doctest/doctest.h>

#include "framework/optim/recorded.h"
#include "support/refusal.h"

using namespace etude;
using optim::AdamW;
using optim::AdamWOptions;
using optim::AdamWParamState;

TEST_SUITE("AdamW") {
  TEST_CASE("takes PyTorch's steps with every option and remembers what PyTorch remembers") {
    const std::map<std::string, AdamWOptions> variants = {
        {"plain", AdamWOptions()},
        {"lr", AdamWOptions(0.05)},
        {"betas", AdamWOptions(0.01).betas({0.5, 0.98}).eps(1e-9)},
        {"no decay", AdamWOptions(0.01).weight_decay(0)},
        {"amsgrad", AdamWOptions(0.02).amsgrad(true)},
        {"all", AdamWOptions(0.02).betas({0.8, 0.9}).eps(1e-3).weight_decay(0.2).amsgrad(true)},
    };
    recorded::check_steps<AdamW>("AdamW", variants, [](optim::OptimizerParamState& s) {
      auto& state = dynamic_cast<AdamWParamState&>(s);
      CHECK(state.step() == 30);
      return std::map<std::string, Tensor>{{"exp_avg", state.exp_avg()},
                                           {"exp_avg_sq", state.exp_avg_sq()},
                                           {"max_exp_avg_sq", state.max_exp_avg_sq()}};
    });
  }

  TEST_CASE("the weight decays without the gradient") {
    const Tensor p = etude::tensor({1.0, -2.0}).requires_grad_();
    AdamW optimizer({p}, AdamWOptions(0.5).weight_decay(0.25));
    p.mutable_grad() = etude::zeros({2});
    optimizer.step();
    CHECK(p.equal(etude::tensor({0.875, -1.75})));
  }

  TEST_CASE("the options are LibTorch's, with their defaults") {
    AdamWOptions options;
    CHECK(options.lr() == 1e-3);
    CHECK(options.betas() == std::make_tuple(0.9, 0.999));
    CHECK(options.eps() == 1e-8);
    CHECK(options.weight_decay() == 1e-2);
    CHECK_FALSE(options.amsgrad());
    options.set_lr(0.5);
    CHECK(options.get_lr() == 0.5);
  }

  TEST_CASE("options can be compared") {
    CHECK(AdamWOptions(0.1) == AdamWOptions(0.1));
    CHECK_FALSE(AdamWOptions(0.1) == AdamWOptions(0.2));
    CHECK_FALSE(AdamWOptions(0.1) == AdamWOptions(0.1).betas({0.9, 0.99}));
    CHECK_FALSE(AdamWOptions(0.1) == AdamWOptions(0.1).eps(1));
    CHECK_FALSE(AdamWOptions(0.1) == AdamWOptions(0.1).weight_decay(1));
    CHECK_FALSE(AdamWOptions(0.1) == AdamWOptions(0.1).amsgrad(true));
  }

  TEST_CASE("states can be compared") {
    auto state = [] { return AdamWParamState().exp_avg(etude::ones({2})).exp_avg_sq(etude::ones({2})); };
    CHECK(state() == state());
    CHECK_FALSE(state() == state().step(1));
    CHECK_FALSE(state() == state().exp_avg(etude::zeros({2})));
    CHECK_FALSE(state() == state().exp_avg_sq(etude::zeros({2})));
    CHECK_FALSE(state().max_exp_avg_sq(etude::ones({2})) == state().max_exp_avg_sq(etude::zeros({2})));
  }

  TEST_CASE("amsgrad remembers the largest average, also a nan") {
    const Tensor p = etude::zeros({2}).requires_grad_();
    AdamW optimizer({p}, AdamWOptions(0.1).amsgrad(true));
    p.mutable_grad() = etude::tensor({2.0, 1.0}).to(kFloat);
    optimizer.step();
    p.mutable_grad() = etude::tensor({0.0, std::nan("")}).to(kFloat);
    optimizer.step();
    p.mutable_grad() = etude::zeros({2});
    optimizer.step();
    const Tensor largest =
        dynamic_cast<AdamWParamState&>(*optimizer.state().begin()->second).max_exp_avg_sq();
    CHECK(largest[0].item<float>() == doctest::Approx(0.004));
    CHECK(largest[1].isnan().item<bool>());
    CHECK(p[1].isnan().item<bool>());
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK(refusal_text([&] { AdamW(p, -1.0); }) == "Invalid learning rate: -1");
    CHECK(refusal_text([&] { AdamW(p, std::nan("")); }) == "Invalid learning rate: nan");
    CHECK(refusal_text([&] { AdamW(p, AdamWOptions().eps(-1)); }) == "Invalid epsilon value: -1");
    CHECK(refusal_text([&] {
            AdamW(p, AdamWOptions().betas({1.0, 0.9}));
          }) == "Invalid beta parameter at index 0: 1");
    CHECK(refusal_text([&] {
            AdamW(p, AdamWOptions().betas({0.9, -0.5}));
          }) == "Invalid beta parameter at index 1: -0.5");
    CHECK(refusal_text([&] { AdamW(p, AdamWOptions().weight_decay(-1)); }) ==
          "Invalid weight_decay value: -1");
    CHECK(refusal_text([&] { AdamW(p, AdamWOptions(-1).eps(-1).weight_decay(-1)); }) ==
          "Invalid learning rate: -1");
  }
}
