// searchsorted and bucketize: places recorded from both versions of PyTorch.
#include "etude/framework.h"
#include "support/golden_functions.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("searchsorted") {
  namespace {

  using List = std::vector<Tensor>;

  }  // namespace

  TEST_CASE("places are PyTorch's") {
    check_recorded("searchsorted", [](const List& in, const Recorded& arguments) {
      return List{searchsorted(in[0], in[1], false, arguments.at("right").get<bool>())};
    });
    check_recorded("bucketize", [](const List& in, const Recorded& arguments) {
      return List{
          bucketize(in[0], in[1], arguments.at("out_int32").get<bool>(), arguments.at("right").get<bool>())};
    });
    check_recorded("searchsorted with a sorter", [](const List& in, const Recorded& arguments) {
      const std::string side = arguments.at("side");
      return List{searchsorted(in[0], in[1], false, false, side, in[2])};
    });
  }

  TEST_CASE("numbers are searched too, and views are read where they lie") {
    const Tensor x = etude::arange(5);
    CHECK(same(searchsorted(x, 2), etude::tensor(2)));
    CHECK(same(searchsorted(x, 1.5, true), etude::tensor(2, kInt)));
    CHECK(same(searchsorted(x, 2, false, false, "right"), etude::tensor(3)));
    CHECK(same(bucketize(2, x, false, true), etude::tensor(3)));
    CHECK(same(searchsorted(x.flip(0).flip(0), etude::tensor({{1, 2}, {3, 4}}).t()),
               etude::tensor({{1, 3}, {2, 4}})));
    const Tensor steps = etude::stack({x, x * 2}, 1).t(), values = etude::tensor({{3, 0}, {3, 8}});
    CHECK(same(searchsorted(steps, values), etude::tensor({{3, 0}, {2, 4}})));
    CHECK_FALSE(searchsorted(etude::ones({2}, requires_grad()), etude::ones({2})).requires_grad());
  }

  TEST_CASE("refuses sequences and values that do not go together") {
    const Tensor x = etude::arange(10).view({2, 5}), row = x[0];
    const std::string name = "torch.searchsorted(): ";
    CHECK(refusal_text([&] { searchsorted(x, 2); }) ==
          name +
              "input value can be a scalar only when boundaries tensor dimension is 1, but we got "
              "boundaries tensor dim(2) and input value's dim(0) numel(1)");
    CHECK(refusal_text([&] { searchsorted(row[0], row); }) ==
          name + "boundaries tensor should have positive dimension, but got 0 dimension");
    for (const Tensor& values : {row, etude::ones({3, 1}, kLong)})
      CHECK(refusal_text([&] { searchsorted(x, values); }) ==
            str(name,
                "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor ",
                "and input value tensor must match, but we got boundaries tensor [2, 5] and input value "
                "tensor ",
                values.sizes()));
    CHECK(refusal_text([&] { searchsorted(row, row, false, true, "left"); }) ==
          name + "side and right can't be set to opposites, got side of left while right was True");
    CHECK(refusal_text([&] { searchsorted(row, row, false, false, "up"); }) ==
          name + "side can only be 'left' or 'right' but got up");
    CHECK(refusal_text([&] { searchsorted(row, row, false, false, nullopt, row.slice(0, 1)); }) ==
          name +
              "boundary and sorter must have the same size, but got boundary tensor [5]and got sorter "
              "tensor [4]");
    CHECK(refusal_text([&] { searchsorted(row, row, false, false, nullopt, row.to(kInt)); }) ==
          name + "sorter must be a tensor of long dtype but got dtype Int");
    CHECK(refusal_text([] { searchsorted(etude::ones({2}, kBool), etude::ones({2}, kBool)); }) ==
          "\"searchsorted_out_cpu\" not implemented for 'Bool'");
    CHECK(refusal_text([&] { bucketize(row, x); }) ==
          "boundaries tensor must be 1 dimension, but got dim(2)");
  }

  TEST_CASE("a sorter has indices of elements") {
    for (const int64_t wrong : {-1, 3})
      CHECK(refusal_text([&] {
              searchsorted(etude::ones({3}), etude::ones({2}), false, false, nullopt,
                           etude::tensor({int64_t{0}, int64_t{1}, wrong}));
            }) == "torch.searchsorted(): sorter index out of range");
  }
}
