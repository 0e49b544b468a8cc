// The numbers that Python draws for a seed, and the types and hints of errors that LibTorch does not give.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "etude/nn/init.h"
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

TEST_SUITE("init, as in Python") {
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
