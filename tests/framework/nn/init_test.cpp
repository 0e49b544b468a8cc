#include "etude/nn/init.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
namespace init = etude::nn::init;

namespace {

const std::map<std::string, std::function<Tensor(Tensor)>> fills = {
    {"xavier_uniform", [](Tensor t) { return init::xavier_uniform_(t); }},
    {"xavier_uniform gain 2", [](Tensor t) { return init::xavier_uniform_(t, 2.0); }},
    {"xavier_normal", [](Tensor t) { return init::xavier_normal_(t); }},
    {"kaiming_uniform", [](Tensor t) { return init::kaiming_uniform_(t); }},
    {"kaiming_uniform sqrt 5", [](Tensor t) { return init::kaiming_uniform_(t, std::sqrt(5.0)); }},
    {"kaiming_uniform fan_out relu", [](Tensor t) { return init::kaiming_uniform_(t, 0, kFanOut, kReLU); }},
    {"kaiming_normal", [](Tensor t) { return init::kaiming_normal_(t); }},
    {"kaiming_normal fan_out tanh", [](Tensor t) { return init::kaiming_normal_(t, 0, kFanOut, kTanh); }},
    {"normal", [](Tensor t) { return init::normal_(t, 1.0, 0.02); }},
    {"uniform", [](Tensor t) { return init::uniform_(t, -0.5, 2.0); }},
    {"eye", [](Tensor t) { return t.dim() == 2 ? init::eye_(t) : init::zeros_(t); }},
    {"constant", [](Tensor t) { return init::constant_(t, 0.3); }},
};

}  // namespace

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

  TEST_CASE("tensors of too few dims are refused") {
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
