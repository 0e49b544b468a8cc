// The numbers that Python draws for a seed, and error types and hints that LibTorch lacks.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "etude/nn/init.h"
#include "layers/golden.h"
#include "support/init_fills.h"

using namespace etude;
namespace init = etude::nn::init;

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
