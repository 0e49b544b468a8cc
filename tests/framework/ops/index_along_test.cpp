#include <doctest/doctest.h>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("rows along a dim") {
  namespace {
  using indexing::Slice;
  }

  const Tensor x = etude::tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("index_select picks along a dim by a vector of int64 or int32") {
    const Tensor m = etude::arange(12, kFloat).view({3, 4});
    CHECK(same(m.index_select(0, etude::tensor({2, 0})), m.index({etude::tensor({2, 0})})));
    CHECK(same(m.index_select(-1, etude::tensor({3, 3, 0}, kInt)),
               m.index({Slice(), etude::tensor({3, 3, 0})})));
    CHECK(same(m.index_select(1, etude::tensor(2)), etude::tensor({{2.}, {6.}, {10.}})));
    CHECK(same(m.t().index_select(0, etude::tensor({1})), etude::tensor({{1., 5., 9.}})));
    CHECK(same(etude::tensor(7.).index_select(0, etude::tensor({0})), etude::tensor(7.)));
    CHECK(same(etude::zeros({0, 3}).index_select(0, etude::tensor(std::vector<int64_t>())),
               etude::zeros({0, 3})));
    const Tensor leaf = etude::ones({2}, requires_grad());
    CHECK(node_name(leaf.index_select(0, etude::tensor({0}))) == "IndexSelectBackward0");
  }

  TEST_CASE("index_select of many rows in several slices is what indexing picks") {
    const Tensor many = etude::arange(3 * 50 * 2000, kFloat).view({3, 50, 2000});
    const Tensor rows = (etude::arange(40) * 7 + 3).remainder(50);
    CHECK(same(many.index_select(1, rows), many.index({Slice(), rows})));
    CHECK(same(many.transpose(1, 2).index_select(2, rows),
               many.index({Slice(), rows}).transpose(1, 2).contiguous()));
    CHECK(same(many.narrow(1, 5, 0).index_select(0, etude::tensor({2, 2})), etude::zeros({2, 0, 2000})));
  }

  TEST_CASE("gradients of index_select agree with finite differences, and theirs too") {
    const Tensor y = etude::arange(12, kDouble).view({3, 4}) - 5.5;
    const TensorFunction select = [](const std::vector<Tensor>& in) {
      return in[0].index_select(1, etude::tensor({1, 1, 3})) *
             in[0].index_select(-1, etude::tensor({0, 1, 2}));
    };
    CHECK(gradcheck(select, {y}));
    CHECK(gradgradcheck(select, {y}));
    const TensorFunction of_number = [](const std::vector<Tensor>& in) {
      return in[0].index_select(0, etude::tensor({0})) * in[0];
    };
    CHECK(gradcheck(of_number, {etude::tensor(1.5, kDouble)}));
    CHECK(gradgradcheck(of_number, {etude::tensor(1.5, kDouble)}));
  }

  TEST_CASE("index_select refuses what is no vector of ids in range") {
    const Tensor m = etude::arange(12, kFloat).view({3, 4});
    CHECK(refusal([&] { m.index_select(2, etude::tensor({0})); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([&] { m.index_select(0, etude::tensor({3})); }) ==
          "IndexError: index out of range in self");
    CHECK(refusal([&] { m.index_select(0, etude::tensor({-1})); }) ==
          "IndexError: index out of range in self");
    CHECK(refusal([&] { m.index_select(0, etude::tensor({{0}})); }) ==
          "IndexError: index_select(): Index is supposed to be a vector");
    CHECK(refusal([&] { m.index_select(0, etude::tensor({1.})); }) ==
          "Error: index_select(): Expected dtype int32 or int64 for index");
    CHECK(refusal([&] {
            etude::zeros({0, 3}).index_select(0, etude::tensor({0}));
          }) == "Error: index_select(): self indexing axis dim should be positive");
    CHECK(refusal([&] { etude::zeros({0}).index_select(0, etude::tensor({0})); }) ==
          "IndexError: index out of range in self");
    CHECK(refusal([&] { etude::tensor(1.).index_select(0, etude::tensor({1})); }) ==
          "IndexError: index out of range in self");
  }

  TEST_CASE("index_add adds each row of the source, times alpha, to the row that the index names") {
    CHECK(same(x.index_add(0, etude::tensor({1, 1}), etude::tensor({{1., 2., 3.}, {4., 5., 6.}})),
               etude::tensor({{0., 1., 2.}, {15., 18., 21.}})));
    CHECK(same(x.index_add(-1, etude::tensor({2, 0}, kInt), etude::tensor({{1., 2.}, {3., 4.}}), 10),
               etude::tensor({{20., 1., 12.}, {50., 11., 42.}})));
    CHECK(same(x.t().index_add(1, etude::tensor({0}), etude::ones({3, 1})),
               etude::tensor({{1., 10.}, {2., 11.}, {3., 12.}})));
    CHECK(same(etude::tensor({1, 2}).index_add(0, etude::tensor(0), etude::tensor({3}), 2),
               etude::tensor({7, 2})));
    CHECK(same(etude::tensor({true, false}).index_add(0, etude::tensor({1}), etude::tensor({true})),
               etude::tensor({true, true})));
    CHECK(same(etude::tensor(1.).index_add(0, etude::tensor({0}), etude::tensor(2.)), etude::tensor(3.)));
    CHECK(same(x.index_add(0, etude::empty({0}, kLong), etude::empty({0, 3})), x));
  }

  TEST_CASE("index_copy puts each row of the source in the place of the row that the index names") {
    CHECK(same(x.index_copy(0, etude::tensor({1}), etude::tensor({{1., 2., 3.}})),
               etude::tensor({{0., 1., 2.}, {1., 2., 3.}})));
    CHECK(same(x.index_copy(1, etude::tensor({2, 0}), etude::tensor({{1., 2.}, {3., 4.}})),
               etude::tensor({{2., 1., 1.}, {4., 11., 3.}})));
    CHECK(same(etude::tensor({1, 2, 3}).index_copy(0, etude::tensor(1), etude::tensor(9)),
               etude::tensor({1, 9, 3})));
    CHECK(same(etude::tensor(1.).index_copy(0, etude::tensor({0}), etude::tensor({2.})), etude::tensor(2.)));
  }

  TEST_CASE("index_fill fills the rows that the index names, from the end if it is negative") {
    CHECK(same(x.index_fill(0, etude::tensor({-1}), 7), etude::tensor({{0., 1., 2.}, {7., 7., 7.}})));
    CHECK(same(x.index_fill(1, etude::tensor({0, -1, 0}), etude::tensor(7.)),
               etude::tensor({{7., 1., 7.}, {7., 11., 7.}})));
    CHECK(same(etude::tensor({1, 2}).index_fill(0, etude::tensor(1), 2.7), etude::tensor({1, 2})));
    CHECK(same(etude::tensor(1.).index_fill(0, etude::tensor({0}), 2), etude::tensor(2.)));
  }

  TEST_CASE("in place writes into the memory of a view") {
    const Tensor base = etude::zeros({3, 4}), view = base.slice(1, 0, 4, 2);
    CHECK(view.index_add_(0, etude::tensor({2, 2}), etude::ones({2, 2})).is_same(view));
    view.index_copy_(1, etude::tensor({1}), etude::tensor({{5.}, {6.}, {7.}}))
        .index_fill_(0, etude::tensor({0}), -1);
    view.index_fill_(0, etude::tensor({1}), etude::tensor(4.));
    CHECK(same(base, etude::tensor({{-1., 0., -1., 0.}, {4., 0., 4., 0.}, {2., 0., 7., 0.}})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble), s = a * 0.7 + 0.1,
                 v = etude::tensor(0.3, kDouble);
    const Tensor twice = etude::tensor({1, 1}), once = etude::tensor({1, 0});
    const std::vector<TensorFunction> functions = {
        [&](const auto& in) { return in[0].index_add(0, twice, in[1], 2.5).pow(2); },
        [&](const auto& in) { return in[0].index_copy(0, once, in[1]).pow(2) * in[0]; },
        [&](const auto& in) {
          return in[0].index_fill(1, etude::tensor({0, 2, 0}), in[2]).pow(2);
        },
        [&](const auto& in) { return in[0].index_fill(0, etude::tensor({-1}), 3).pow(2); },
        [&](const auto& in) {
          Tensor y = in[0] * 2;
          y.index_add_(0, twice, in[1]).index_copy_(0, etude::tensor({0}), in[1].narrow(0, 0, 1));
          return y.index_fill_(1, etude::tensor({1}), in[2]).pow(2);
        }};
    for (const TensorFunction& f : functions) {
      CHECK(gradcheck(f, {a, s, v}));
      CHECK(gradgradcheck(f, {a, s, v}));
    }
    CHECK(gradcheck(
        [](const std::vector<Tensor>& in) {
          return in[1].index_add(0, etude::tensor({0}), in[0].select(0, 0).select(0, 1)).pow(2);
        },
        {a, v}));
  }

  TEST_CASE("index_add adds up in the same order for any number of threads") {
    manual_seed(1);
    const Tensor table = etude::randn({40, 700}), index = etude::randint(0, 40, {900}),
                 source = etude::randn({900, 700});
    const ThreadCount restored;
    Tensor first;
    for (int n : {1, 2, 5}) {
      set_num_threads(n);
      const Tensor y = table.index_add(0, index, source);
      if (n == 1) first = y;
      else CHECK(same(y, first));
    }
  }

  TEST_CASE("index_add refuses what does not fit") {
    const Tensor z = etude::zeros({2, 3}), k = etude::tensor({0, 1});
    CHECK(refusal([&] {
            z.index_add(0, etude::tensor({0, 5}), z);
          }) == newer("Error: index 5 is out of bounds for dimension 0 with size 2",
                      "IndexError: index out of range in self"));
    CHECK(refusal([&] {
            z.index_add(0, etude::tensor({0, -1}), z);
          }) == newer("Error: index -1 is out of bounds for dimension 0 with size 2",
                      "IndexError: index out of range in self"));
    CHECK(
        refusal([&] {
          z.index_add(0, k, etude::zeros({2, 4}));
        }) ==
        newer(
            "Error: source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            "self.shape = [2, 3] source.shape = [2, 4]",
            "Error: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension "
            "0"));
    CHECK(refusal([&] {
            z.index_add(0, k, etude::zeros({3, 3}));
          }) ==
          "Error: index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0");
    CHECK(refusal([&] {
            z.index_add(0, k.view({1, 2}), z);
          }) ==
          "IndexError: index_add_(): Index is supposed to be a vector, but got dim: 2 with type: Long and "
          "size: "
          "[1, 2]");
    CHECK(refusal([&] { z.index_add(0, etude::zeros({2}), z); }) ==
          "Error: index_add_(): Expected dtype int32/int64 for index but got: Float");
    CHECK(refusal([&] { z.index_add(0, k, z.to(kDouble)); }) ==
          "Error: index_add_(): self (Float) and source (Double) must have the same scalar type");
    CHECK(refusal([&] { z.index_add(1, etude::tensor({0}), etude::zeros({3})); }) ==
          "Error: index_add_(): Indexing dim 1 is out of bounds of the source tensor with dim 1");
    CHECK(
        refusal([&] { z.index_add(0, etude::tensor(0), etude::tensor(1.)); }) ==
        newer(
            "Error: source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            "self.shape = [2, 3] source.shape = []",
            "IndexError: select() cannot be applied to a 0-dim tensor."));
  }

  TEST_CASE("the source of index_add is not broadcast") {
    const auto add = [](const Tensor& to, const Tensor& index, const Tensor& source) {
      return refusal([&] { to.index_add(0, index, source); });
    };
    const std::string sentence =
        "Error: source tensor shape must match self tensor shape, excluding the specified dimension. Got "
        "self.shape = ";
    const Tensor zero = etude::tensor({0}), one = etude::ones({}), two = etude::ones({2});
    CHECK(add(etude::ones({2, 3}), zero, etude::ones({1, 1})) == sentence + "[2, 3] source.shape = [1, 1]");
    CHECK(add(etude::ones({2, 3}), zero, etude::ones({1})) == sentence + "[2, 3] source.shape = [1]");
    CHECK(add(one, zero, etude::ones({1})) == sentence + "[] source.shape = [1]");
    CHECK(add(two, zero, one) == sentence + "[2] source.shape = []");
  }

  TEST_CASE("index_copy and index_fill refuse what does not fit") {
    const Tensor z = etude::zeros({2, 3}), k = etude::tensor({0, 1});
    CHECK(refusal([&] {
            z.index_copy(0, etude::tensor({0, 5}), z);
          }) == "IndexError: index_copy_(): index 5 is out of bounds for dimension 0 with size 2");
    CHECK(refusal([&] { z.index_copy(0, k.to(kInt), z); }) ==
          "Error: index_copy_(): Expected a long tensor for index, but got Int");
    CHECK(refusal([&] {
            z.index_copy(0, k, etude::zeros({2, 4}));
          }) ==
          "Error: index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
          "shape: 3 "
          "at dimension 0 and source slice shape: 4 at dimension 0.");
    CHECK(refusal([&] {
            z.index_copy(0, k, etude::zeros({3, 3}));
          }) == "IndexError: index_copy_(): Number of indices (2) should be equal to source.size(dim) (3)");
    CHECK(refusal([&] { z.index_copy(0, k, etude::zeros({3})); }) ==
          "IndexError: index_copy_(): When source and destination are not scalars, their dimensionality must "
          "match. "
          "Source dimensionality (1), destination dimensionality (2)");
    CHECK(refusal([&] { z.index_copy(0, k, etude::tensor(1.)); }) ==
          "IndexError: index_copy_(): When source is scalar, index should have one element (got 2)");
    CHECK(refusal([&] {
            z.index_copy(0, k.view({1, 2}), z);
          }) == "IndexError: index_copy_(): Index should have dimension 1 or 0 (got 2)");
    CHECK(refusal([&] { z.index_copy(0, k, z.to(kDouble)); }) ==
          "Error: index_copy_(): self and source expected to have the same dtype, but got (self) Float and "
          "(source) "
          "Double");
    CHECK(refusal([&] { z.index_fill(0, etude::tensor({-3}), 1); }) ==
          "IndexError: index -3 is out of bounds for dimension 0 with size 2");
    CHECK(refusal([&] { z.index_fill(0, k.to(kInt), 1); }) ==
          "IndexError: index_fill_(): Expected dtype int64 for index.");
    CHECK(refusal([&] { z.index_fill(0, k.view({1, 2}), 1); }) == "Error: Index has to be a vector/scalar");
    CHECK(
        refusal([&] { z.index_fill(0, k, etude::zeros({1})); }) ==
        "Error: index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).");
    CHECK(refusal([&] { z.index_fill(2, k, 1); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }

  TEST_CASE("index_add and index_copy give contiguous tensors, index_fill keeps the order") {
    const Tensor turned = etude::randn({2, 3, 4}).transpose(1, 2), k = etude::tensor({0, 1});
    CHECK(turned.index_add(1, k, etude::ones({2, 2, 3})).is_contiguous());
    CHECK(turned.index_copy(1, k, etude::ones({2, 2, 3})).is_contiguous());
    CHECK(turned.index_fill(1, k, 0).strides() == turned.strides());
  }
}
