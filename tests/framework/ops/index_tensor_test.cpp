#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/core/parallel.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;

namespace {

Tensor counted(IntArrayRef sizes, ScalarType dtype = kFloat) {
  return arange(count_elements(sizes), dtype).reshape(sizes);
}

IntArrayRef sizes_of(const Tensor& t) { return t.sizes(); }

TensorFunction reading(const std::vector<TensorIndex>& index) {
  return [index](const std::vector<Tensor>& in) { return in[0].index(index) * in[0].index(index); };
}

TensorFunction assigning(const std::vector<TensorIndex>& index) {
  return [index](const std::vector<Tensor>& in) {
    const Tensor y = in[0] * in[0];
    y.index_put_(index, in[1] * in[1]);
    return y * y;
  };
}

// f() with one thread and with more, which must give the same bits.
template <typename F>
void check_same_for_any_number_of_threads(const F& f) {
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor one = f();
  for (int n : {2, 3, 5}) {
    set_num_threads(n);
    CHECK(same(f(), one));
  }
  set_num_threads(before);
}

}  // namespace

TEST_SUITE("index with tensors") {
  const Tensor x = counted({3, 4});

  TEST_CASE("ids pick rows in their order and as often as they are named, from the end if negative") {
    CHECK(same(x.index({tensor({2, 0, 2})}),
               tensor({{8., 9., 10., 11.}, {0., 1., 2., 3.}, {8., 9., 10., 11.}})));
    CHECK(same(x.index({tensor({-1})}), tensor({{8., 9., 10., 11.}})));
    CHECK(same(x.index({Slice(), tensor({3, -4})}), tensor({{3., 0.}, {7., 4.}, {11., 8.}})));
    CHECK_FALSE(x.index({tensor({0, 1, 2})}).is_alias_of(x));
  }

  TEST_CASE("the dims of the ids take the place of the dim that they index") {
    const Tensor ids = tensor({{0, 1}, {2, 3}});
    CHECK(same(x.index({tensor({{0}, {1}})}), tensor({{{0., 1., 2., 3.}}, {{4., 5., 6., 7.}}})));
    CHECK(same(x.index({1, ids}), tensor({{4., 5.}, {6., 7.}})));
    CHECK(sizes_of(x.index({Slice(), ids})) == IntArrayRef({3, 2, 2}));
    CHECK(sizes_of(counted({2, 3, 4}).index({Slice(), ids.clamp_max(2), Slice(1, 3)})) ==
          IntArrayRef({2, 2, 2, 2}));
  }

  TEST_CASE("several ids are broadcast and walked together") {
    CHECK(same(x.index({tensor({0, 1, 2}), tensor({1, 0, 3})}), tensor({1., 4., 11.})));
    CHECK(same(x.index({tensor({{0}, {2}}), tensor({1, 3})}), tensor({{1., 3.}, {9., 11.}})));
    CHECK(same(x.index({tensor({0, 2}), tensor({1})}), tensor({1., 9.})));
  }

  TEST_CASE("indices side by side stay in place, others go to the front") {
    const Tensor y = counted({2, 3, 4, 5}), two = tensor({0, 1});
    CHECK(sizes_of(y.index({Slice(), two, two})) == IntArrayRef({2, 2, 5}));
    CHECK(sizes_of(y.index({two, Slice(), two})) == IntArrayRef({2, 3, 5}));
    CHECK(sizes_of(y.index({two, None, two})) == IntArrayRef({2, 1, 4, 5}));
    CHECK(sizes_of(y.index({0, Ellipsis, two})) == IntArrayRef({3, 4, 2}));
    CHECK(sizes_of(y.index({Slice(), two, 0, two})) == IntArrayRef({2, 2}));
    // y[a, :, b][p, i] = y[a[p], i, b[p]]
    const Tensor picked = y.index({tensor({1, 0}), Slice(), tensor({3, 2}), 4});
    CHECK(same(picked, tensor({{79., 99., 119.}, {14., 34., 54.}})));
  }

  TEST_CASE("a mask picks what it is true for, in order, and stands for as many dims as it has") {
    CHECK(same(x.index({x > 6}), tensor({7., 8., 9., 10., 11.})));
    CHECK(same(x.index({tensor({true, false, true})}), x.index({tensor({0, 2})})));
    CHECK(same(x.index({Slice(), tensor({false, true, true, false})}), x.index({Slice(), tensor({1, 2})})));
    CHECK(same(x.index({x < 0}), zeros({0})));
    CHECK(same(x.t().index({x.t() > 6}), tensor({8., 9., 10., 7., 11.})));
    CHECK(same(x.index({tensor({1, 0, 7}, kByte)}), x.index({tensor({0, 2})})));
    CHECK(same(x.index({tensor({true, false, true}), tensor({3, 1})}), tensor({3., 9.})));
    CHECK(same(counted({2, 2, 2}).index({0, tensor({{true, false}, {false, true}})}), tensor({0., 3.})));
    CHECK(same(tensor(5.).index({tensor(true)}), tensor({5.})));
    CHECK(same(counted({2, 3, 4}).index({Slice(), tensor({{true, false, false, true},
                                                          {false, false, false, false},
                                                          {false, true, false, false}})}),
               tensor({{0., 3., 9.}, {12., 15., 21.}})));
  }

  TEST_CASE("every element type and every memory order is read") {
    for (ScalarType type : {kFloat, kDouble, kLong, kInt, kByte, kBool}) {
      const Tensor y = counted({3, 4}).to(type);
      CHECK(same(y.index({tensor({2, 1})}), y.narrow(0, 1, 2).flip({0})));
    }
    const Tensor turned = counted({4, 3}).t(), sparse = counted({3, 8}).slice(1, 0, 8, 2),
                 wide = counted({1, 4}).expand({3, 4});
    for (const Tensor& y : {turned, sparse, wide}) {
      CHECK(same(y.index({tensor({2, 0})}), y.contiguous().index({tensor({2, 0})})));
      CHECK(
          same(y.index({Slice(1), tensor({2, 0, 3})}), y.contiguous().index({Slice(1), tensor({2, 0, 3})})));
    }
    const Tensor ids = tensor({{0, 9, 1}, {2, 9, 0}}).slice(1, 0, 3, 2);
    CHECK(same(x.index({ids.t()}), x.index({tensor({{0, 2}, {1, 0}})})));
  }

  TEST_CASE("nothing may be picked, and nothing may be picked from") {
    const Tensor none = tensor(std::vector<int64_t>());
    CHECK(same(x.index({none}), zeros({0, 4})));
    CHECK(same(x.index({none, tensor({1})}), zeros({0})));
    CHECK(same(zeros({0, 3}).index({none}), zeros({0, 3})));
    CHECK(same(zeros({3, 0}).index({tensor({1, 1})}), zeros({2, 0})));
    CHECK(refusal([] {
            zeros({0, 3}).index({tensor({0})});
          }) == "IndexError: index is out of bounds for dimension with size 0");
    const Tensor y = zeros({3, 4});
    y.index_put_({none}, 1);
    y.index_put_({y > 0}, 1);
    CHECK(same(y, zeros({3, 4})));
  }

  TEST_CASE(
      "index_put_ writes numbers and tensors, broadcast; of several values for one element the last stays") {
    const Tensor y = zeros({3, 4});
    y.index_put_({tensor({0, 2})}, 1);
    CHECK(same(y, tensor({{1., 1., 1., 1.}, {0., 0., 0., 0.}, {1., 1., 1., 1.}})));
    y.index_put_({tensor({1, 1}), tensor({0, 3})}, tensor({5., 6.}));
    CHECK(same(y[1], tensor({5., 0., 0., 6.})));
    y.index_put_({Slice(), tensor({0, 1})}, tensor({{7.}, {8.}, {9.}}));
    CHECK(same(y, tensor({{7., 7., 1., 1.}, {8., 8., 0., 6.}, {9., 9., 1., 1.}})));
    y.index_put_({y == 1}, -1);
    CHECK(same(y, tensor({{7., 7., -1., -1.}, {8., 8., 0., 6.}, {9., 9., -1., -1.}})));
    y.index_put_({tensor({0, 0, 0})}, tensor({{1.}, {2.}, {3.}}));
    CHECK(same(y[0], tensor({3., 3., 3., 3.})));
    y.index_put_({tensor({1, 2})}, tensor({{{{4., 3., 2., 1.}}}}));
    CHECK(same(y[2], tensor({4., 3., 2., 1.})));
    y.index_put_({y > 3}, tensor({10., 20.}));
    CHECK(same(y, tensor({{3., 3., 3., 3.}, {10., 3., 2., 1.}, {20., 3., 2., 1.}})));
  }

  TEST_CASE("index_put_ through slices, transposes and into every type") {
    const Tensor y = zeros({3, 4});
    y.t().index_put_({tensor({1, 3}), Slice(1)}, tensor({{1., 2.}, {3., 4.}}));
    CHECK(same(y, tensor({{0., 0., 0., 0.}, {0., 1., 0., 3.}, {0., 2., 0., 4.}})));
    for (ScalarType type : {kFloat, kDouble, kLong, kInt, kByte, kBool}) {
      const Tensor z = zeros({4}, type);
      z.index_put_({tensor({3, 1})}, 1);
      CHECK(same(z, tensor({0, 1, 0, 1}, type)));
    }
  }

  TEST_CASE("index_put_ reads its value before it writes, where both share memory") {
    const Tensor y = counted({5});
    y.index_put_({tensor({1, 2, 3, 4})}, y.slice(0, 0, 4));
    CHECK(same(y, tensor({0., 0., 1., 2., 3.})));
    const Tensor ids = tensor({4, 0, 1, 2, 3});
    ids.index_put_({ids}, tensor({10, 11, 12, 13, 14}));
    CHECK(same(ids, tensor({11, 12, 13, 14, 10})));
  }

  TEST_CASE("index_select picks along a dim by a vector of int64 or int32") {
    CHECK(same(x.index_select(0, tensor({2, 0})), x.index({tensor({2, 0})})));
    CHECK(same(x.index_select(-1, tensor({3, 3, 0}, kInt)), x.index({Slice(), tensor({3, 3, 0})})));
    CHECK(same(x.index_select(1, tensor(2)), tensor({{2.}, {6.}, {10.}})));
    CHECK(same(x.t().index_select(0, tensor({1})), tensor({{1., 5., 9.}})));
    CHECK(same(tensor(7.).index_select(0, tensor({0})), tensor(7.)));
    CHECK(same(zeros({0, 3}).index_select(0, tensor(std::vector<int64_t>())), zeros({0, 3})));
    const Tensor leaf = ones({2}, requires_grad());
    CHECK(leaf.index_select(0, tensor({0})).grad_fn_name() == std::string("IndexSelectBackward0"));
  }

  TEST_CASE("gradients of reads agree with finite differences, and theirs too") {
    const Tensor y = counted({3, 4}, kDouble) - 5.5, z = counted({2, 3, 2}, kDouble) - 4.25;
    const Tensor rows = tensor({2, 0, 2, 1}), mask = tensor({true, false, true});
    const std::vector<std::vector<TensorIndex>> of_matrix = {
        {rows},
        {Slice(), tensor({{0, 3}, {3, 3}})},
        {rows, tensor({0, 0, -4, 3})},
        {mask},
        {tensor({0, 2}), tensor({false, true, false, true})},
        {true, rows},
        {tensor(std::vector<int64_t>())}};
    for (const auto& index : of_matrix) {
      CHECK(gradcheck(reading(index), {y}));
      CHECK(gradgradcheck(reading(index), {y}));
    }
    const std::vector<std::vector<TensorIndex>> of_cube = {
        {tensor({0, 1, 1}), Slice(), tensor({1, 1, 0})},
        {Slice(), tensor({{2, 2}, {0, 1}}), Slice(0, 1)},
        {tensor({1}), tensor({{0}, {2}}), tensor({1, 0, 1})}};
    for (const auto& index : of_cube) {
      CHECK(gradcheck(reading(index), {z}));
      CHECK(gradgradcheck(reading(index), {z}));
    }
    const TensorFunction select = [](const std::vector<Tensor>& in) {
      return in[0].index_select(1, tensor({1, 1, 3})) * in[0].index_select(-1, tensor({0, 1, 2}));
    };
    CHECK(gradcheck(select, {y}));
    CHECK(gradgradcheck(select, {y}));
    const TensorFunction of_number = [](const std::vector<Tensor>& in) {
      return in[0].index_select(0, tensor({0})) * in[0];
    };
    CHECK(gradcheck(of_number, {tensor(1.5, kDouble)}));
    CHECK(gradgradcheck(of_number, {tensor(1.5, kDouble)}));
  }

  TEST_CASE("gradients of index_put_ agree with finite differences, and theirs too") {
    const Tensor y = counted({3, 4}, kDouble) - 5.5, row = tensor({1.5, -2., 0.5, 3.}, kDouble);
    const Tensor rows = tensor({2, 0});
    CHECK(gradcheck(assigning({rows}), {y, row}));
    CHECK(gradgradcheck(assigning({rows}), {y, row}));
    CHECK(gradcheck(assigning({tensor({0, 1, 2, 2}), tensor({0, 0, 1, 3})}), {y, row}));
    CHECK(gradgradcheck(assigning({tensor({0, 1, 2, 2}), tensor({0, 0, 1, 3})}), {y, row}));
    CHECK(gradcheck(assigning({Slice(1), rows}), {y, tensor({{1.}, {2.}}, kDouble)}));
    CHECK(gradcheck(assigning({tensor({true, false, true})}), {y, tensor({{{2.}}}, kDouble)}));
    CHECK(gradgradcheck(assigning({tensor({true, false, true})}), {y, tensor(2., kDouble)}));
    CHECK(gradcheck(assigning({rows.slice(0, 0, 0)}), {y, row}));
    const TensorFunction into_a_constant = [&](const std::vector<Tensor>& in) {
      const Tensor z = zeros({3, 4}, kDouble);
      z.index_put_({rows}, in[0] * in[0]);
      return z;
    };
    CHECK(gradcheck(into_a_constant, {row}));
  }

  TEST_CASE("results and gradients have the same bits for any number of threads") {
    manual_seed(3);
    const Tensor table = randn({50, 600}), column = randn({70000}), ids = randint(0, 50, {900}),
                 places = randint(0, 70000, {50000});
    const Tensor rows = randn({900, 600}), values = randn({50000});
    check_same_for_any_number_of_threads([&] { return table.index({ids}); });
    check_same_for_any_number_of_threads([&] { return table.index({Slice(), ids.remainder(600)}); });
    check_same_for_any_number_of_threads([&] { return table.clone().index_put_({ids}, rows); });
    check_same_for_any_number_of_threads([&] { return column.clone().index_put_({places}, values); });
    check_same_for_any_number_of_threads([&] {
      const Tensor leaf = table.clone().set_requires_grad(true);
      leaf.index({ids}).backward(rows);
      return leaf.grad();
    });
    check_same_for_any_number_of_threads([&] {
      const Tensor leaf = column.clone().set_requires_grad(true);
      leaf.index_select(0, places).backward(values);
      return leaf.grad();
    });
  }

  TEST_CASE("the gradient adds up what was picked more than once") {
    const Tensor leaf = zeros({3, 2}, requires_grad());
    leaf.index({tensor({1, 1, -2, 0})}).backward(tensor({{1., 2.}, {10., 20.}, {100., 200.}, {5., 6.}}));
    CHECK(same(leaf.grad(), tensor({{5., 6.}, {111., 222.}, {0., 0.}})));
  }

  TEST_CASE("backward notices that the ids have been written over") {
    const Tensor leaf = zeros({3}, requires_grad()), ids = tensor({0, 1});
    const Tensor y = leaf.index({ids}).sum();
    ids.fill_(2);
    CHECK(refusal([&] { y.backward(); }).find("has been modified by an inplace operation") !=
          std::string::npos);
  }

  TEST_CASE("ids out of range, of a wrong type or of sizes that do not fit are refused") {
    const Tensor y = zeros({4, 5});
    CHECK(refusal([&] {
            y.index({tensor({0, 4})});
          }) == "IndexError: index 4 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] { y.index({tensor({-5})}); }) ==
          "IndexError: index -5 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] {
            y.index({tensor({0, 1}), tensor({0, 5})});
          }) == "IndexError: index 5 is out of bounds for dimension 1 with size 5");
    CHECK(refusal([&] { y.index_put_({tensor({9})}, 1); }) ==
          "IndexError: index 9 is out of bounds for dimension 0 with size 4");
    CHECK_THROWS_WITH_AS(y.index({Slice(), tensor({0, 5})}),
                         "index 5 is out of bounds for dimension 0 with size 5\nreceived an index tensor for "
                         "dim 1 of a tensor of sizes "
                         "[4, 5]\nhint: indices run from 0 to 4; negative ones count from the end",
                         IndexError);
    const std::string types = "IndexError: tensors used as indices must be long, byte or bool tensors";
    CHECK(refusal([&] { y.index({tensor({0, 1}, kInt)}); }) == types);
    CHECK(refusal([&] { y.index({tensor(1.5)}); }) == types);
    CHECK(refusal([&] { y.index_put_({tensor({0., 1.})}, 1); }) == types);
    CHECK(
        refusal([&] {
          y.index({tensor({0, 1}), tensor({0, 1, 2})});
        }) ==
        "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]");
    CHECK(refusal([&] {
            y.index({tensor({0}), tensor({0}), tensor({0})});
          }) == "IndexError: too many indices for tensor of dimension 2");
    CHECK(refusal([&] {
            y.index({zeros({4, 6}) > 0});
          }) ==
          "IndexError: The shape of the mask [4, 6] at index 1 does not match the shape of the indexed "
          "tensor [4, 5] at index 1");
    CHECK(refusal([&] {
            y.index({0, zeros({3}) > 0});
          }) ==
          "IndexError: The shape of the mask [3] at index 0 does not match the shape of the indexed tensor "
          "[5] at index 0");
    CHECK(refusal([&] {
            y.index({0, zeros({3, 5}) > 0});
          }) == "IndexError: too many indices for tensor of dimension 2");
  }

  TEST_CASE("values that do not fit what is picked are refused") {
    const Tensor y = zeros({4, 5}), ids = tensor({0, 1});
    CHECK(refusal([&] {
            y.index_put_({ids}, zeros({3, 5}));
          }) ==
          "Error: shape mismatch: value tensor of shape [3, 5] cannot be broadcast to indexing result of "
          "shape [2, 5]");
    CHECK(refusal([&] {
            y.index_put_({ids}, zeros({2, 1, 2, 5}));
          }) ==
          "Error: shape mismatch: value tensor of shape [2, 1, 2, 5] cannot be broadcast to indexing result "
          "of shape [2, 5]");
    CHECK(refusal([&] { y.index_put_({y >= 0}, zeros({19})); }) ==
          "Error: shape mismatch: value tensor of shape [19] cannot be broadcast to indexing result of shape "
          "[20]");
    CHECK(refusal([&] {
            y.index_put_({ids}, zeros({2, 5}, kDouble));
          }) ==
          "Error: Index put requires the source and destination dtypes match, got Float for the destination "
          "and Double for the source.");
    CHECK(refusal([&] { zeros({2}, requires_grad()).index_put_({ids}, 1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(same(y, zeros({4, 5})));
  }

  TEST_CASE("index_select refuses what is no vector of ids in range") {
    CHECK(refusal([&] { x.index_select(2, tensor({0})); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([&] { x.index_select(0, tensor({3})); }) == "IndexError: index out of range in self");
    CHECK(refusal([&] { x.index_select(0, tensor({-1})); }) == "IndexError: index out of range in self");
    CHECK(refusal([&] { x.index_select(0, tensor({{0}})); }) ==
          "IndexError: index_select(): Index is supposed to be a vector");
    CHECK(refusal([&] { x.index_select(0, tensor({1.})); }) ==
          "Error: index_select(): Expected dtype int32 or int64 for index");
    CHECK(refusal([&] {
            zeros({0, 3}).index_select(0, tensor({0}));
          }) == "Error: index_select(): self indexing axis dim should be positive");
    CHECK(refusal([&] { zeros({0}).index_select(0, tensor({0})); }) ==
          "IndexError: index out of range in self");
    CHECK(refusal([&] { tensor(1.).index_select(0, tensor({1})); }) ==
          "IndexError: index out of range in self");
  }
}
