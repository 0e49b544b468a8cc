// Distinct elements: values, positions and counts recorded from PyTorch.
#include <doctest/doctest.h>

#include <tuple>

#include "etude/framework.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("unique") {
  namespace {

  const Tensor none = etude::zeros({0}, kLong);

  using Parts = std::tuple<Tensor, Tensor, Tensor>;

  bool are(const Parts& found, const Tensor& values, const Tensor& inverse, const Tensor& counts) {
    return same(std::get<0>(found), values) && same(std::get<1>(found), inverse) &&
           same(std::get<2>(found), counts);
  }

  Tensor longs(const std::vector<int64_t>& values) { return etude::tensor(values, kLong); }

  }  // namespace

  TEST_CASE("the elements in order, where each of the input's is, and how often") {
    const Tensor x = longs({3, 1, 2, 1, 3, 3});
    CHECK(are(_unique2(x, true, true, true), longs({1, 2, 3}), longs({2, 0, 1, 0, 2, 2}), longs({2, 1, 3})));
    CHECK(are(_unique2(x), longs({1, 2, 3}), none, none));
    CHECK(are(_unique2(x, true, true), longs({1, 2, 3}), longs({2, 0, 1, 0, 2, 2}),
              etude::zeros({0}, kLong)) == (std::get<2>(_unique2(x, true, true)).numel() == 0));
    const auto [values, inverse] = _unique(x.view({2, 3}), true, true);
    CHECK(same(values, longs({1, 2, 3})));
    CHECK(same(inverse, longs({2, 0, 1, 0, 2, 2}).view({2, 3})));
    CHECK(std::get<1>(_unique(x)).numel() == 0);
    const Tensor m = etude::tensor({{2, 1}, {1, 1}, {2, 1}, {1, 0}});
    for (const ScalarType t : {kByte, kInt, kLong, kBFloat16, kFloat, kDouble})
      CHECK(are(_unique2(m.to(t), true, true, true), etude::tensor({0, 1, 2}).to(t), m.to(kLong),
                longs({1, 5, 2})));
    CHECK(are(_unique2(m.to(kBool), true, true, true), etude::tensor({false, true}), m.clamp(0, 1).to(kLong),
              longs({1, 7})));
    CHECK(are(_unique2(m.t(), true, true, true), etude::tensor({0, 1, 2}, m.scalar_type()), m.t().to(kLong),
              longs({1, 5, 2})));
    CHECK(are(_unique2(etude::tensor(3.5f), true, true, true), etude::tensor({3.5f}), etude::zeros({}, kLong),
              longs({1})));
  }

  TEST_CASE("slices along a dim") {
    const Tensor m = longs({2, 1, 1, 1, 2, 1, 1, 0}).view({4, 2});
    CHECK(
        are(unique_dim(m, 0), longs({1, 0, 1, 1, 2, 1}).view({3, 2}), longs({2, 1, 2, 0}), longs({1, 1, 2})));
    CHECK(are(unique_dim(m, -1, true, false, true), longs({1, 2, 1, 1, 1, 2, 0, 1}).view({4, 2}),
              longs({1, 0}), longs({1, 1})));
    const Tensor x = longs({1, 0, 0, 1, 1, 0, 0, 1, 0, 5, 5, 0}).view({2, 3, 2});
    const Tensor joined = cat({x, x, x.flip({2})}, 1);
    const auto [values, inverse, counts] = unique_dim(joined, 1, true, true, true);
    CHECK(same(values.index_select(1, inverse), joined));
    CHECK(same(values, longs({0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 5, 0, 1, 5, 0, 5, 0, 0, 5})
                           .view({2, 6, 2})
                           .index_select(1, longs({0, 2, 1, 3, 4, 5}))) == (values.size(1) == 6));
    CHECK(counts.sum().item<int64_t>() == 9);
  }

  TEST_CASE("only what differs from the one before") {
    const Tensor x = longs({3, 1, 2, 1, 3, 3});
    CHECK(are(unique_consecutive(x, true, true), longs({3, 1, 2, 1, 3}), longs({0, 1, 2, 3, 4, 4}),
              longs({1, 1, 1, 1, 2})));
    CHECK(are(unique_consecutive(x), longs({3, 1, 2, 1, 3}), none, none));
    const Tensor m = longs({1, 2, 1, 2, 3, 4}).view({3, 2});
    CHECK(are(unique_consecutive(m, true, true), longs({1, 2, 1, 2, 3, 4}),
              longs({0, 1, 2, 3, 4, 5}).view({3, 2}), longs({1, 1, 1, 1, 1, 1})));
    for (const auto& found : {unique_consecutive(m, true, false, 0), unique_dim_consecutive(m, 0)})
      CHECK(are(found, longs({1, 2, 3, 4}).view({2, 2}), longs({0, 0, 1}), longs({2, 1})));
  }

  TEST_CASE("empty tensors") {
    CHECK(are(_unique2(etude::zeros({2, 0}), true, true, true), etude::zeros({0}),
              etude::zeros({2, 0}, kLong), none));
    CHECK(are(unique_consecutive(etude::zeros({0, 2}), true, true), etude::zeros({0}),
              etude::zeros({0, 2}, kLong), none));
    CHECK(are(unique_dim(etude::zeros({0, 2}), 0), etude::zeros({0, 2}), none, none));
    CHECK(are(unique_dim_consecutive(etude::zeros({0, 2}), 0), etude::zeros({0, 2}), none, none));
  }

  TEST_CASE("refuses dims that are not there, and slices without elements") {
    CHECK(refusal_text([] { unique_dim(etude::ones({2}), 1); }) ==
          "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    CHECK(refusal_text([] { unique_dim(etude::ones({}), 0); }) ==
          "Dimension specified as 0 but tensor has no dimensions");
    CHECK(refusal([] {
            unique_dim(etude::zeros({2, 0}), 0);
          }) == "Error: There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    CHECK(refusal([] {
            unique_dim_consecutive(etude::zeros({0, 0}), 0);
          }) == "Error: Number of zero sized dimensions is more than one, so unique cannot be applied ");
  }

  TEST_CASE("there is no gradient, and backward says so") {
    const Tensor x = etude::ones({3, 1}, requires_grad());
    const Tensor y[] = {std::get<0>(_unique(x)), std::get<0>(_unique2(x)), std::get<0>(unique_dim(x, 0)),
                        std::get<0>(unique_consecutive(x)), std::get<0>(unique_dim_consecutive(x, 0))};
    const std::string nodes[] = {"Unique", "Unique2", "UniqueDim", "UniqueConsecutive",
                                 "UniqueDimConsecutive"};
    const std::string names[] = {"_unique", "_unique2", "unique_dim", "unique_consecutive",
                                 "unique_dim_consecutive"};
    for (size_t i = 0; i < 5; ++i) {
      CHECK(node_name(y[i]) == nodes[i] + "Backward0");
      CHECK(refusal_text([&] { y[i].sum().backward(); }) ==
            "the derivative for '" + names[i] + "' is not implemented.");
    }
    CHECK_FALSE(std::get<1>(_unique2(x, true, true)).requires_grad());
  }
}
