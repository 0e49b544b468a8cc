#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("to_vector") {
  TEST_CASE("the elements in their order, of any strides and types") {
    const Tensor x = etude::tensor({{1.5f, 2.f}, {-3.f, 0.f}});
    CHECK(to_vector<float>(x) == std::vector<float>{1.5f, 2, -3, 0});
    CHECK(to_vector<double>(x.t()) == std::vector<double>{1.5, -3, 2, 0});
    CHECK(to_vector<int64_t>(x) == std::vector<int64_t>{1, 2, -3, 0});
    CHECK(to_vector<bool>(x) == std::vector<bool>{true, true, true, false});
    CHECK(to_vector<int>(etude::tensor({true, false}).expand({2, 2})) == std::vector<int>{1, 0, 1, 0});
    CHECK(to_vector<float>(x.to(kBFloat16)) == to_vector<float>(x));
    CHECK(float(to_vector<Half>(x.to(kHalf)).at(1)) == to_vector<float>(x).at(1));
    CHECK(to_vector<uint8_t>(etude::tensor({3, 255})) == std::vector<uint8_t>{3, 255});
    CHECK(to_vector<double>(etude::tensor(2.5)) == std::vector<double>{2.5});
    CHECK(to_vector<long>(etude::zeros({0, 3})).empty());
    CHECK(to_vector<long long>(x.requires_grad_()).size() == 4);
  }

  TEST_CASE("refuses what does not fit, as item does") {
    CHECK(refusal([] {
            to_vector<uint8_t>(etude::tensor({1, 300}));
          }) == "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { to_vector<float>(Tensor()); }) ==
          "Error: Expected a proper Tensor but got None (or an undefined Tensor in C++)");
  }
}
