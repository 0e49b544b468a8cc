#include "etude/nn/init.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "layers/golden.h"
#include "support/init_fills.h"
#include "support/refusal.h"

using namespace etude;
namespace init = etude::nn::init;

TEST_SUITE("init") {
  TEST_CASE("gains are PyTorch's") {
    const auto& gains = golden::layers().at("init").at("gains");
    CHECK(init::calculate_gain(kLinear) == gains.at("linear").get<double>());
    CHECK(init::calculate_gain(kSigmoid) == gains.at("sigmoid").get<double>());
    CHECK(init::calculate_gain(kTanh) == gains.at("tanh").get<double>());
    CHECK(init::calculate_gain(kReLU) == gains.at("relu").get<double>());
    CHECK(init::calculate_gain(kLeakyReLU) == gains.at("leaky_relu").get<double>());
    CHECK(init::calculate_gain(kLeakyReLU, 0.2) == gains.at("leaky_relu 0.2").get<double>());
  }

  TEST_CASE("a parameter is filled without a trace in its graph") {
    const Tensor t = etude::zeros({4, 4}, requires_grad());
    for (const auto& [name, fill] : fills) {
      CAPTURE(name);
      CHECK(fill(t).is_leaf());
    }
    CHECK(init::ones_(t).equal(etude::ones({4, 4})));
    CHECK(init::zeros_(t).equal(etude::zeros({4, 4})));
    CHECK(t.requires_grad());
  }

  TEST_CASE("fans are columns and rows, times the dims behind them") {
    CHECK(init::_calculate_fan_in_and_fan_out(etude::empty({2, 3})) == std::tuple<int64_t, int64_t>(3, 2));
    CHECK(init::_calculate_fan_in_and_fan_out(etude::empty({2, 3, 4, 5})) ==
          std::tuple<int64_t, int64_t>(60, 40));
  }

  TEST_CASE("a tensor without elements stays as it is") {
    CHECK(init::kaiming_uniform_(etude::empty({0, 2})).numel() == 0);
    CHECK(init::kaiming_normal_(etude::empty({2, 0})).numel() == 0);
  }

  TEST_CASE("tensors of too few dims are refused in Python's words") {
    const std::string fans = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions";
    CHECK(refusal_text([] { init::xavier_uniform_(etude::empty({3})); }) == fans);
    CHECK(refusal_text([] { init::xavier_normal_(etude::empty({3})); }) == fans);
    CHECK(refusal_text([] { init::kaiming_uniform_(etude::empty({3})); }) == fans);
    CHECK(refusal_text([] { init::kaiming_normal_(etude::empty({3})); }) == fans);
    CHECK(refusal_text([] {
            init::eye_(etude::empty({2, 2, 2}));
          }) == "Only tensors with 2 dimensions are supported");
  }
}
