#include "etude/optim/sgd.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "framework/optim/recorded.h"
#include "layers/golden.h"
#include "support/refusal.h"
#include "support/state_key.h"

using namespace etude;
using optim::SGD;
using optim::SGDOptions;
using optim::SGDParamState;

TEST_SUITE("SGD") {
  TEST_CASE("takes PyTorch's steps with every option") {
    const std::map<std::string, SGDOptions> variants = {
        {"plain", SGDOptions(0.1)},
        {"momentum", SGDOptions(0.1).momentum(0.9)},
        {"dampening", SGDOptions(0.1).momentum(0.9).dampening(0.5)},
        {"nesterov", SGDOptions(0.1).momentum(0.8).nesterov(true)},
        {"decay", SGDOptions(0.1).weight_decay(0.1)},
        {"all", SGDOptions(0.1).momentum(0.7).dampening(0.2).weight_decay(0.05)},
    };
    const auto& expected = golden::layers().at("sgd");
    CHECK(variants.size() == expected.size());
    for (const auto& [name, options] : variants) {
      CAPTURE(name);
      const Tensor p = golden::ramp({6}).to(kDouble).requires_grad_();
      SGD sgd({p}, options);
      for (int i = 0; i < 5; ++i) {
        CAPTURE(i);
        sgd.zero_grad();
        (p - i).pow(3).sum().backward();
        sgd.step();
        CHECK(golden::close(p, expected.at(name)[static_cast<size_t>(i)], 1e-12));
      }
    }
  }

  TEST_CASE("takes PyTorch's steps in both types and remembers what PyTorch remembers") {
    const std::map<std::string, SGDOptions> variants = {
        {"plain", SGDOptions(0.1)},
        {"momentum", SGDOptions(0.1).momentum(0.9)},
        {"dampening", SGDOptions(0.1).momentum(0.9).dampening(0.5)},
        {"nesterov", SGDOptions(0.1).momentum(0.8).nesterov(true)},
        {"all", SGDOptions(0.1).momentum(0.7).dampening(0.2).weight_decay(0.05)},
    };
    recorded::check_steps<SGD>("SGD", variants, [](optim::OptimizerParamState& s) {
      return std::map<std::string, Tensor>{
          {"momentum_buffer", dynamic_cast<SGDParamState&>(s).momentum_buffer()}};
    });
  }

  TEST_CASE("one step is the learning rate times the gradient, by hand") {
    const Tensor p = etude::tensor({1.0, 2.0}).requires_grad_();
    SGD sgd({p}, /*lr=*/0.5);
    (p * etude::tensor({3.0, 4.0})).sum().backward();
    CHECK_FALSE(sgd.step().defined());
    CHECK(p.equal(etude::tensor({-0.5, 0.0})));
    CHECK(p.is_leaf());
    CHECK(p.requires_grad());
  }

  TEST_CASE("a closure is called with gradients on, and its loss returned") {
    const Tensor p = etude::ones({1}).requires_grad_();
    SGD sgd({p}, 0.25);
    NoGradGuard no_grad;
    const Tensor loss = sgd.step([&] {
      sgd.zero_grad();
      const Tensor l = (p * 2).sum();
      l.backward();
      return l;
    });
    CHECK(loss.item<float>() == 2);
    CHECK(p.item<float>() == 0.5f);
    CHECK_FALSE(GradMode::is_enabled());
  }

  TEST_CASE("parameters without a gradient stay and need no memory") {
    const Tensor used = etude::ones({1}).requires_grad_(), unused = etude::ones({1}).requires_grad_();
    SGD sgd({used, unused}, SGDOptions(0.1).momentum(0.9));
    used.sum().backward();
    sgd.step();
    CHECK(unused.item<float>() == 1);
    CHECK(sgd.state().size() == 1);
    CHECK(sgd.state().count(state_key(used)) == 1);
  }

  TEST_CASE("does not change the gradients, nor does the first momentum alias them") {
    const Tensor p = etude::ones({1}).requires_grad_();
    SGD sgd({p}, SGDOptions(0.1).momentum(0.9).weight_decay(0.5));
    p.sum().backward();
    const Tensor grad = p.grad();
    sgd.step();
    sgd.step();
    CHECK(grad.item<float>() == 1);
  }

  TEST_CASE("each group has options of its own or the optimizer's") {
    const Tensor a = etude::zeros({1}).requires_grad_(), b = etude::zeros({1}).requires_grad_();
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{a});
    groups.emplace_back(std::vector<Tensor>{b}, std::make_unique<SGDOptions>(2.0));
    SGD sgd(groups, 1.0);
    (a + b).sum().backward();
    sgd.step();
    CHECK(a.item<float>() == -1);
    CHECK(b.item<float>() == -2);
    for (auto& group : sgd.param_groups()) group.options().set_lr(10);
    sgd.step();
    CHECK(a.item<float>() == -11);
    CHECK(b.item<float>() == -12);
    CHECK(sgd.defaults().get_lr() == 1.0);
  }

  TEST_CASE("options can be compared") {
    CHECK(SGDOptions(0.1) == SGDOptions(0.1));
    CHECK_FALSE(SGDOptions(0.1) == SGDOptions(0.1).momentum(0.5));
  }

  TEST_CASE("states can be compared") {
    auto state = [](double value) { return SGDParamState().momentum_buffer(etude::full({2}, value)); };
    CHECK(state(1) == state(1));
    CHECK_FALSE(state(1) == state(2));
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK(refusal_text([&] { SGD(p, -1.0); }) == "Invalid learning rate: -1");
    CHECK(refusal_text([&] { SGD(p, SGDOptions(0.1).momentum(-1)); }) == "Invalid momentum value: -1");
    CHECK(refusal_text([&] { SGD(p, SGDOptions(0.1).weight_decay(-1)); }) ==
          "Invalid weight_decay value: -1");
    const std::string nesterov = "Nesterov momentum requires a momentum and zero dampening";
    CHECK(refusal_text([&] { SGD(p, SGDOptions(0.1).nesterov(true).momentum(0.5).dampening(0.5)); }) ==
          nesterov);
    CHECK(refusal_text([&] { SGD(p, SGDOptions(0.1).nesterov(true)); }) == nesterov);
  }
}
