// Differences from LibTorch in the utilities for gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "etude/framework.h"

using namespace etude;

TEST_SUITE("utilities for gradients, beyond LibTorch") {
  TEST_CASE("a parameter that is listed twice is clipped once") {
    const Tensor w = ones({4}, requires_grad());
    w.mutable_grad() = full({4}, 2.);
    CHECK(nn::utils::clip_grad_norm_({w, w}, 1.0) == doctest::Approx(4));
    CHECK(allclose(w.grad(), full({4}, 0.5)));
  }

  TEST_CASE("a prefix is taken away from the names that have it, as in Python") {
    OrderedDict<std::string, Tensor> state = {
        {"module.fc.weight", ones({1})}, {"step", zeros({1})}, {"module.", ones({2})}};
    const Tensor weight = state["module.fc.weight"];
    nn::utils::consume_prefix_in_state_dict_if_present(state, "module.");
    CHECK(state.keys() == std::vector<std::string>{"fc.weight", "step", ""});
    CHECK(state["fc.weight"].is_same(weight));
    OrderedDict<std::string, Tensor> twice = {{"w", ones({1})}, {"module.w", zeros({1})}};
    CHECK_THROWS_AS(nn::utils::consume_prefix_in_state_dict_if_present(twice, "module."), Error);
    CHECK(twice.keys() == std::vector<std::string>{"w", "module.w"});
  }

  TEST_CASE("names behind a prefix are hinted at by load_state_dict, and the hint cures it") {
    struct One : nn::Module {
      Tensor weight = register_parameter("weight", etude::rand({2}));
    };
    One model, other;
    OrderedDict<std::string, Tensor> state;
    for (const auto& item : model.state_dict()) state.insert("_orig_mod." + item.key(), item.value());
    std::string text;
    try {
      other.load_state_dict(state);
    } catch (const Error& e) {
      text = e.msg();
    }
    CHECK(
        text.find("\nhint: \"_orig_mod.weight\" is there: nn::utils::consume_prefix_in_state_dict_if_present("
                  "state_dict, \"_orig_mod.\") takes the prefix away") != std::string::npos);
    nn::utils::consume_prefix_in_state_dict_if_present(state, "_orig_mod.");
    other.load_state_dict(state);
    CHECK(other.weight.equal(model.weight));
  }
}
