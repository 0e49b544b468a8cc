#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;

TEST_SUITE("index with tensors") {
  namespace {

  Tensor counted(IntArrayRef sizes, ScalarType dtype = kFloat) {
    return etude::arange(count_elements(sizes), dtype).reshape(sizes);
  }

  IntArrayRef sizes_of(const Tensor& t) { return t.sizes(); }

  TensorFunction reading(const std::vector<TensorIndex>& index) {
    return [index](const std::vector<Tensor>& in) { return in[0].index(index) * in[0].index(index); };
  }

  TensorFunction assigning(const std::vector<TensorIndex>& index) {
    return [index](const std::vector<Tensor>& in) {
      Tensor y = in[0] * in[0];
      y.index_put_(index, in[1] * in[1]);
      return y * y;
    };
  }

  }  // namespace

  const Tensor x = counted({3, 4});

  TEST_CASE("ids pick rows in their order and as often as they are named, from the end if negative") {
    CHECK(same(x.index({etude::tensor({2, 0, 2})}),
               etude::tensor({{8., 9., 10., 11.}, {0., 1., 2., 3.}, {8., 9., 10., 11.}})));
    CHECK(same(x.index({etude::tensor({-1})}), etude::tensor({{8., 9., 10., 11.}})));
    CHECK(same(x.index({Slice(), etude::tensor({3, -4})}), etude::tensor({{3., 0.}, {7., 4.}, {11., 8.}})));
    CHECK_FALSE(x.index({etude::tensor({0, 1, 2})}).is_alias_of(x));
  }

  TEST_CASE("the dims of the ids take the place of the dim that they index") {
    const Tensor ids = etude::tensor({{0, 1}, {2, 3}});
    CHECK(
        same(x.index({etude::tensor({{0}, {1}})}), etude::tensor({{{0., 1., 2., 3.}}, {{4., 5., 6., 7.}}})));
    CHECK(same(x.index({1, ids}), etude::tensor({{4., 5.}, {6., 7.}})));
    CHECK(sizes_of(x.index({Slice(), ids})) == IntArrayRef({3, 2, 2}));
    CHECK(sizes_of(counted({2, 3, 4}).index({Slice(), ids.clamp_max(2), Slice(1, 3)})) ==
          IntArrayRef({2, 2, 2, 2}));
  }

  TEST_CASE("several ids are broadcast and walked together") {
    CHECK(same(x.index({etude::tensor({0, 1, 2}), etude::tensor({1, 0, 3})}), etude::tensor({1., 4., 11.})));
    CHECK(same(x.index({etude::tensor({{0}, {2}}), etude::tensor({1, 3})}),
               etude::tensor({{1., 3.}, {9., 11.}})));
    CHECK(same(x.index({etude::tensor({0, 2}), etude::tensor({1})}), etude::tensor({1., 9.})));
  }

  TEST_CASE("indices side by side stay in place, others go to the front") {
    const Tensor y = counted({2, 3, 4, 5}), two = etude::tensor({0, 1});
    CHECK(sizes_of(y.index({Slice(), two, two})) == IntArrayRef({2, 2, 5}));
    CHECK(sizes_of(y.index({two, Slice(), two})) == IntArrayRef({2, 3, 5}));
    CHECK(sizes_of(y.index({two, None, two})) == IntArrayRef({2, 1, 4, 5}));
    CHECK(sizes_of(y.index({0, Ellipsis, two})) == IntArrayRef({3, 4, 2}));
    CHECK(sizes_of(y.index({Slice(), two, 0, two})) == IntArrayRef({2, 2}));
    // y[a, :, b][p, i] = y[a[p], i, b[p]]
    const Tensor picked = y.index({etude::tensor({1, 0}), Slice(), etude::tensor({3, 2}), 4});
    CHECK(same(picked, etude::tensor({{79., 99., 119.}, {14., 34., 54.}})));
  }

  TEST_CASE("a mask picks what it is true for, in order, and stands for as many dims as it has") {
    CHECK(same(x.index({x > 6}), etude::tensor({7., 8., 9., 10., 11.})));
    CHECK(same(x.index({etude::tensor({true, false, true})}), x.index({etude::tensor({0, 2})})));
    CHECK(same(x.index({Slice(), etude::tensor({false, true, true, false})}),
               x.index({Slice(), etude::tensor({1, 2})})));
    CHECK(same(x.index({x < 0}), etude::zeros({0})));
    CHECK(same(x.t().index({x.t() > 6}), etude::tensor({8., 9., 10., 7., 11.})));
    CHECK(same(x.index({etude::tensor({1, 0, 7}, kByte)}), x.index({etude::tensor({0, 2})})));
    CHECK(
        same(x.index({etude::tensor({true, false, true}), etude::tensor({3, 1})}), etude::tensor({3., 9.})));
    CHECK(same(counted({2, 2, 2}).index({0, etude::tensor({{true, false}, {false, true}})}),
               etude::tensor({0., 3.})));
    CHECK(same(etude::tensor(5.).index({etude::tensor(true)}), etude::tensor({5.})));
    CHECK(same(counted({2, 3, 4}).index({Slice(), etude::tensor({{true, false, false, true},
                                                                 {false, false, false, false},
                                                                 {false, true, false, false}})}),
               etude::tensor({{0., 3., 9.}, {12., 15., 21.}})));
  }

  TEST_CASE("every element type and every memory order is read") {
    for (ScalarType type : {kFloat, kDouble, kLong, kInt, kByte, kBool}) {
      const Tensor y = counted({3, 4}).to(type);
      CHECK(same(y.index({etude::tensor({2, 1})}), y.narrow(0, 1, 2).flip({0})));
    }
    const Tensor turned = counted({4, 3}).t(), sparse = counted({3, 8}).slice(1, 0, 8, 2),
                 wide = counted({1, 4}).expand({3, 4});
    for (const Tensor& y : {turned, sparse, wide}) {
      CHECK(same(y.index({etude::tensor({2, 0})}), y.contiguous().index({etude::tensor({2, 0})})));
      CHECK(same(y.index({Slice(1), etude::tensor({2, 0, 3})}),
                 y.contiguous().index({Slice(1), etude::tensor({2, 0, 3})})));
    }
    const Tensor ids = etude::tensor({{0, 9, 1}, {2, 9, 0}}).slice(1, 0, 3, 2);
    CHECK(same(x.index({ids.t()}), x.index({etude::tensor({{0, 2}, {1, 0}})})));
  }

  TEST_CASE("nothing may be picked, and nothing may be picked from") {
    const Tensor none = etude::tensor(std::vector<int64_t>());
    CHECK(same(x.index({none}), etude::zeros({0, 4})));
    CHECK(same(x.index({none, etude::tensor({1})}), etude::zeros({0})));
    CHECK(same(etude::zeros({0, 3}).index({none}), etude::zeros({0, 3})));
    CHECK(same(etude::zeros({3, 0}).index({etude::tensor({1, 1})}), etude::zeros({2, 0})));
    CHECK(refusal([] {
            etude::zeros({0, 3}).index({etude::tensor({0})});
          }) == "IndexError: index is out of bounds for dimension with size 0");
    Tensor y = etude::zeros({3, 4});
    y.index_put_({none}, 1);
    y.index_put_({y > 0}, 1);
    CHECK(same(y, etude::zeros({3, 4})));
  }

  TEST_CASE(
      "index_put_ writes numbers and tensors, broadcast; of several values for one element the last stays") {
    Tensor y = etude::zeros({3, 4});
    y.index_put_({etude::tensor({0, 2})}, 1);
    CHECK(same(y, etude::tensor({{1., 1., 1., 1.}, {0., 0., 0., 0.}, {1., 1., 1., 1.}})));
    y.index_put_({etude::tensor({1, 1}), etude::tensor({0, 3})}, etude::tensor({5., 6.}));
    CHECK(same(y[1], etude::tensor({5., 0., 0., 6.})));
    y.index_put_({Slice(), etude::tensor({0, 1})}, etude::tensor({{7.}, {8.}, {9.}}));
    CHECK(same(y, etude::tensor({{7., 7., 1., 1.}, {8., 8., 0., 6.}, {9., 9., 1., 1.}})));
    y.index_put_({y == 1}, -1);
    CHECK(same(y, etude::tensor({{7., 7., -1., -1.}, {8., 8., 0., 6.}, {9., 9., -1., -1.}})));
    y.index_put_({etude::tensor({0, 0, 0})}, etude::tensor({{1.}, {2.}, {3.}}));
    CHECK(same(y[0], etude::tensor({3., 3., 3., 3.})));
    y.index_put_({etude::tensor({1, 2})}, etude::tensor({{{{4., 3., 2., 1.}}}}));
    CHECK(same(y[2], etude::tensor({4., 3., 2., 1.})));
    y.index_put_({y > 3}, etude::tensor({10., 20.}));
    CHECK(same(y, etude::tensor({{3., 3., 3., 3.}, {10., 3., 2., 1.}, {20., 3., 2., 1.}})));
  }

  TEST_CASE("index_put_ through slices, transposes and into every type") {
    const Tensor y = etude::zeros({3, 4});
    y.t().index_put_({etude::tensor({1, 3}), Slice(1)}, etude::tensor({{1., 2.}, {3., 4.}}));
    CHECK(same(y, etude::tensor({{0., 0., 0., 0.}, {0., 1., 0., 3.}, {0., 2., 0., 4.}})));
    for (ScalarType type : {kFloat, kDouble, kLong, kInt, kByte, kBool}) {
      Tensor z = etude::zeros({4}, type);
      z.index_put_({etude::tensor({3, 1})}, 1);
      CHECK(same(z, etude::tensor({0, 1, 0, 1}, type)));
    }
  }

  TEST_CASE("gradients of reads agree with finite differences, and theirs too") {
    const Tensor y = counted({3, 4}, kDouble) - 5.5, z = counted({2, 3, 2}, kDouble) - 4.25;
    const Tensor rows = etude::tensor({2, 0, 2, 1}), mask = etude::tensor({true, false, true});
    const std::vector<std::vector<TensorIndex>> of_matrix = {
        {rows},
        {Slice(), etude::tensor({{0, 3}, {3, 3}})},
        {rows, etude::tensor({0, 0, -4, 3})},
        {mask},
        {etude::tensor({0, 2}), etude::tensor({false, true, false, true})},
        {true, rows},
        {etude::tensor(std::vector<int64_t>())}};
    for (const auto& index : of_matrix) {
      CHECK(gradcheck(reading(index), {y}));
      CHECK(gradgradcheck(reading(index), {y}));
    }
    const std::vector<std::vector<TensorIndex>> of_cube = {
        {etude::tensor({0, 1, 1}), Slice(), etude::tensor({1, 1, 0})},
        {Slice(), etude::tensor({{2, 2}, {0, 1}}), Slice(0, 1)},
        {etude::tensor({1}), etude::tensor({{0}, {2}}), etude::tensor({1, 0, 1})}};
    for (const auto& index : of_cube) {
      CHECK(gradcheck(reading(index), {z}));
      CHECK(gradgradcheck(reading(index), {z}));
    }
  }

  TEST_CASE("gradients of index_put_ agree with finite differences, and theirs too") {
    const Tensor y = counted({3, 4}, kDouble) - 5.5, row = etude::tensor({1.5, -2., 0.5, 3.}, kDouble);
    const Tensor rows = etude::tensor({2, 0});
    CHECK(gradcheck(assigning({rows}), {y, row}));
    CHECK(gradgradcheck(assigning({rows}), {y, row}));
    CHECK(gradcheck(assigning({etude::tensor({0, 1, 2, 2}), etude::tensor({0, 0, 1, 3})}), {y, row}));
    CHECK(gradgradcheck(assigning({etude::tensor({0, 1, 2, 2}), etude::tensor({0, 0, 1, 3})}), {y, row}));
    CHECK(gradcheck(assigning({Slice(1), rows}), {y, etude::tensor({{1.}, {2.}}, kDouble)}));
    CHECK(gradcheck(assigning({etude::tensor({true, false, true})}), {y, etude::tensor({{{2.}}}, kDouble)}));
    CHECK(gradgradcheck(assigning({etude::tensor({true, false, true})}), {y, etude::tensor(2., kDouble)}));
    CHECK(gradcheck(assigning({rows.slice(0, 0, 0)}), {y, row}));
    const TensorFunction into_a_constant = [&](const std::vector<Tensor>& in) {
      Tensor z = etude::zeros({3, 4}, kDouble);
      z.index_put_({rows}, in[0] * in[0]);
      return z;
    };
    CHECK(gradcheck(into_a_constant, {row}));
  }

  TEST_CASE("the gradient adds up what was picked more than once") {
    const Tensor leaf = etude::zeros({3, 2}, requires_grad());
    leaf.index({etude::tensor({1, 1, -2, 0})})
        .backward(etude::tensor({{1., 2.}, {10., 20.}, {100., 200.}, {5., 6.}}));
    CHECK(same(leaf.grad(), etude::tensor({{5., 6.}, {111., 222.}, {0., 0.}})));
  }

  TEST_CASE("backward notices that the ids have been written over") {
    const Tensor leaf = etude::zeros({3}, requires_grad()), ids = etude::tensor({0, 1});
    const Tensor y = leaf.index({ids}).sum();
    ids.fill_(2);
    CHECK(refusal([&] { y.backward(); }).find("has been modified by an inplace operation") !=
          std::string::npos);
  }

  TEST_CASE("ids out of range, of a wrong type or of sizes that do not fit are refused") {
    Tensor y = etude::zeros({4, 5});
    CHECK(refusal([&] {
            y.index({etude::tensor({0, 4})});
          }) == "IndexError: index 4 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] { y.index({etude::tensor({-5})}); }) ==
          "IndexError: index -5 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] {
            y.index({etude::tensor({0, 1}), etude::tensor({0, 5})});
          }) == "IndexError: index 5 is out of bounds for dimension 1 with size 5");
    CHECK(refusal([&] { y.index_put_({etude::tensor({9})}, 1); }) ==
          "IndexError: index 9 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] {
            y.index({Slice(), etude::tensor({0, 5})});
          }) == "IndexError: index 5 is out of bounds for dimension 0 with size 5");
    const std::string types =
        newer("IndexError: tensors used as indices must be long, int, byte or bool tensors",
              "IndexError: tensors used as indices must be long, byte or bool tensors");
    CHECK(refusal([&] { y.index({etude::tensor({0., 1.})}); }) == types);
    CHECK(refusal([&] { y.index({etude::tensor(1.5)}); }) == types);
    CHECK(refusal([&] { y.index_put_({etude::tensor({0., 1.})}, 1); }) == types);
    CHECK(
        refusal([&] {
          y.index({etude::tensor({0, 1}), etude::tensor({0, 1, 2})});
        }) ==
        "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]");
    CHECK(refusal([&] {
            y.index({etude::tensor({0}), etude::tensor({0}), etude::tensor({0})});
          }) == "IndexError: too many indices for tensor of dimension 2");
    CHECK(refusal([&] {
            y.index({etude::zeros({4, 6}) > 0});
          }) ==
          "IndexError: The shape of the mask [4, 6] at index 1 does not match the shape of the indexed "
          "tensor [4, 5] at index 1");
    CHECK(refusal([&] {
            y.index({0, etude::zeros({3}) > 0});
          }) ==
          "IndexError: The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
          "[5] at index 0");
    CHECK(refusal([&] {
            y.index({0, etude::zeros({3, 5}) > 0});
          }) == "IndexError: too many indices for tensor of dimension 2");
  }

  TEST_CASE("values that do not fit what is picked are refused") {
    Tensor y = etude::zeros({4, 5}), ids = etude::tensor({0, 1});
    CHECK(refusal([&] {
            y.index_put_({ids}, etude::zeros({3, 5}));
          }) ==
          "Error: shape mismatch: value tensor of shape [3, 5] cannot be broadcast to indexing result of "
          "shape [2, 5]");
    CHECK(refusal([&] {
            y.index_put_({ids}, etude::zeros({2, 1, 2, 5}));
          }) ==
          "Error: shape mismatch: value tensor of shape [2, 1, 2, 5] cannot be broadcast to indexing result "
          "of shape [2, 5]");
    CHECK(refusal([&] { y.index_put_({y >= 0}, etude::zeros({19})); }) ==
          "Error: shape mismatch: value tensor of shape [19] cannot be broadcast to indexing result of shape "
          "[20]");
    CHECK(refusal([&] {
            y.index_put_({ids}, etude::zeros({2, 5}, kDouble));
          }) ==
          "Error: Index put requires the source and destination dtypes match, got Float for the destination "
          "and Double for the source.");
    CHECK(refusal([&] { etude::zeros({2}, requires_grad()).index_put_({ids}, 1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(same(y, etude::zeros({4, 5})));
  }

  TEST_CASE("one number for all that one mask picks is converted, as masked_fill does it") {
    const Tensor row = etude::tensor({1., -1., 2.}), m = row.gt(0);
    CHECK(equal(row.clone().index_put_({m}, etude::tensor(5)), etude::tensor({5., -1., 5.})));
    CHECK(equal(row.clone().index_put_({m}, etude::tensor({5})), etude::tensor({5., -1., 5.})));
    CHECK(equal(row.to(kLong).index_put_({m}, etude::tensor(5.7)), etude::tensor({5, -1, 5})));
    CHECK(refusal([&] {
            row.clone().index_put_({m}, etude::tensor({5, 6}));
          }) ==
          "Error: Index put requires the source and destination dtypes match, got Float for the destination "
          "and "
          "Long for the source.");
    CHECK(refusal([&] { row.clone().index_put_({m}, etude::tensor(5), true); }) != "");
    CHECK(refusal([&] { row.clone().index_put_({etude::tensor({0})}, etude::tensor(5)); }) != "");
    CHECK(refusal([&] { row.to(kByte).index_put_({m}, etude::tensor(500)); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([&] {
            row.clone().index_put_({etude::tensor({2, 0, 1}, kByte)}, etude::tensor(5.));
          }) ==
          newer("Error: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char",
                "Error: Mask tensor can take 0 and 1 values only"));
    const Tensor v = etude::tensor(5., dtype(kDouble).requires_grad(true));
    etude::ones({3}).index_put_({m}, v).sum().backward();
    CHECK(equal(v.grad(), etude::tensor(2., kDouble)));
  }

  TEST_CASE("writes into tensors without elements are nothing, expanded ones too") {
    CHECK(etude::ones({1, 0}).expand({3, 0}).add_(1).numel() == 0);
    const Tensor empty = etude::zeros({0, 3}).slice(1, 1, 2), v = etude::zeros({0}, requires_grad());
    const Tensor none = etude::zeros({0}, kLong);
    empty.index_put_({none, none}, v);
    empty.sum().backward();
    CHECK(v.grad().sizes() == IntArrayRef({0}));
  }
}
