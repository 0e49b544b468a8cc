#include "etude/nn/init.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "layers/golden.h"

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
  TEST_CASE("fills give PyTorch's bits for a seed") {
    for (const auto& row : golden::layers().at("init").at("fills")) {
      const auto name = row.at("name").get<std::string>();
      CAPTURE(name);
      const Tensor t = etude::empty(row.at("tensor").at("sizes").get<std::vector<int64_t>>());
      manual_seed(7);
      const Tensor result = fills.at(name)(t);
      CHECK(golden::same(t, row.at("tensor")));
      CHECK(result.is_same(t));
    }
  }

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
    const Tensor t = zeros({4, 4}, requires_grad());
    for (const auto& [name, fill] : fills) {
      CAPTURE(name);
      CHECK(fill(t).is_leaf());
    }
    CHECK(init::ones_(t).equal(ones({4, 4})));
    CHECK(init::zeros_(t).equal(zeros({4, 4})));
    CHECK(t.requires_grad());
  }

  TEST_CASE("fans are columns and rows, times the dims behind them") {
    CHECK(init::_calculate_fan_in_and_fan_out(empty({2, 3})) == std::tuple<int64_t, int64_t>(3, 2));
    CHECK(init::_calculate_fan_in_and_fan_out(empty({2, 3, 4, 5})) == std::tuple<int64_t, int64_t>(60, 40));
  }

  TEST_CASE("a tensor without elements stays as it is") {
    CHECK(init::kaiming_uniform_(empty({0, 2})).numel() == 0);
    CHECK(init::kaiming_normal_(empty({2, 0})).numel() == 0);
  }

  TEST_CASE("tensors of too few dims are refused with their sizes") {
    const char* fans =
        "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions\nreceived sizes [3]";
    CHECK_THROWS_WITH_AS(init::xavier_uniform_(empty({3})), fans, ValueError);
    CHECK_THROWS_WITH(init::xavier_normal_(empty({3})), fans);
    CHECK_THROWS_WITH(init::kaiming_uniform_(empty({3})), fans);
    CHECK_THROWS_WITH(init::kaiming_normal_(empty({3})), fans);
    CHECK_THROWS_WITH_AS(init::eye_(empty({2, 2, 2})),
                         "Only tensors with 2 dimensions are supported\nreceived sizes [2, 2, 2]",
                         ValueError);
  }
}
