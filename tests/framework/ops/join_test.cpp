#include <doctest/doctest.h>

#include <vector>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

namespace {

Tensor counted(IntArrayRef sizes, ScalarType dtype = kLong) {
  return etude::arange(count_elements(sizes), dtype).reshape(sizes);
}

}  // namespace

TEST_SUITE("cat") {
  TEST_CASE("puts tensors side by side along a dim") {
    const Tensor a = etude::tensor({{1, 2}, {3, 4}}), b = etude::tensor({{5, 6}});
    CHECK(same(cat({a, b}), etude::tensor({{1, 2}, {3, 4}, {5, 6}})));
    CHECK(same(cat({a, b.t()}, 1), etude::tensor({{1, 2, 5}, {3, 4, 6}})));
    CHECK(same(cat({a, a.t(), b.t()}, -1), etude::tensor({{1, 2, 1, 3, 5}, {3, 4, 2, 4, 6}})));
    CHECK(same(cat({a}), a));
    CHECK_FALSE(cat({a}).is_alias_of(a));
    CHECK(same(cat({etude::tensor({1}).expand({3}), counted({6}).slice(0, 1, 6, 2)}),
               etude::tensor({1, 1, 1, 1, 3, 5})));
    CHECK(cat({a, b})._version() == 0);
  }

  TEST_CASE("promotes the types of all parts") {
    CHECK(same(cat({etude::tensor({1}), etude::tensor({1.5})}), etude::tensor({1., 1.5})));
    CHECK(same(cat({etude::tensor({true}), etude::tensor({2}, kByte)}), etude::tensor({1, 2}, kByte)));
    CHECK((cat({etude::tensor({1.f}), etude::tensor({2.}, kDouble)}).scalar_type() == kDouble));
    CHECK((cat({etude::zeros({0}, kDouble), etude::tensor({{1, 2}})}).scalar_type() == kDouble));
  }

  TEST_CASE("skips vectors without elements whatever the other sizes are") {
    const Tensor a = etude::tensor({{1., 2.}}), none = etude::zeros({0});
    CHECK(same(cat({none, a, none}, 1), a));
    CHECK(same(cat({none, none}, 1), none));
    CHECK(same(cat({a, etude::zeros({0, 2}), a}), etude::tensor({{1., 2.}, {1., 2.}})));
    CHECK(same(cat({none, a}, -2), a));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = counted({2, 3}, kDouble) - 2.5, b = counted({2, 1}, kDouble) + 0.5,
                 none = etude::zeros({0}, kDouble);
    const TensorFunction f = [](const std::vector<Tensor>& in) {
      const Tensor y = cat({in[0], in[1], in[2], in[0] * in[0]}, 1);
      return y * y;
    };
    CHECK(gradcheck(f, {a, b, none}));
    CHECK(gradgradcheck(f, {a, b, none}));
    const Tensor leaf = etude::ones({1}, requires_grad());
    const Tensor y = cat({etude::zeros({2}, kDouble), leaf});
    CHECK(node_name(y) == "CatBackward0");
    y.backward(etude::tensor({1., 2., 3.}, kDouble));
    CHECK(same(leaf.grad(), etude::tensor({3.f})));
  }

  TEST_CASE("refuses parts that do not fit") {
    const Tensor a = etude::zeros({2, 3});
    CHECK(refusal([] { cat(std::vector<Tensor>{}); }) ==
          newer("ValueError: torch.cat(): expected a non-empty list of Tensors",
                "Error: torch.cat(): expected a non-empty list of Tensors"));
    CHECK(refusal([&] {
            cat({a, etude::ones({})});
          }) == "Error: zero-dimensional tensor (at position 1) cannot be concatenated");
    CHECK(refusal([&] {
            cat({a, etude::zeros({2})});
          }) == "Error: Tensors must have same number of dimensions: got 2 and 1");
    CHECK(
        refusal([&] {
          cat({a, etude::zeros({2, 4})});
        }) ==
        "Error: Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor "
        "number 1 in the list.");
    CHECK(refusal([&] {
            cat({etude::zeros({0}), a, etude::zeros({3, 3})}, 1);
          }) ==
          "Error: Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for "
          "tensor number 2 in the list.");
    CHECK(refusal([&] {
            cat({a, a}, 2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }
}

TEST_SUITE("stack") {
  TEST_CASE("joins along a dim of its own") {
    const Tensor a = etude::tensor({1, 2}), b = etude::tensor({3, 4});
    CHECK(same(stack({a, b}), etude::tensor({{1, 2}, {3, 4}})));
    CHECK(same(stack({a, b}, 1), etude::tensor({{1, 3}, {2, 4}})));
    CHECK(same(stack({a, b}, -2), stack({a, b}, 0)));
    CHECK(same(stack({etude::tensor(1), etude::tensor(2)}), etude::tensor({1, 2})));
    CHECK(same(stack({etude::zeros({0}), etude::zeros({0})}), etude::zeros({2, 0})));
    CHECK(same(stack({a, etude::tensor({0.5, 1.5})}), etude::tensor({{1., 2.}, {0.5, 1.5}})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = counted({2, 2}, kDouble) - 1.5, b = counted({2, 2}, kDouble) + 0.5;
    for (int64_t dim : {0, 1, -1}) {
      const TensorFunction f = [dim](const std::vector<Tensor>& in) {
        const Tensor y = stack({in[0], in[1], in[0] * in[1]}, dim);
        return y * y;
      };
      CHECK(gradcheck(f, {a, b}));
      CHECK(gradgradcheck(f, {a, b}));
    }
    CHECK(node_name(stack({a, a.clone().set_requires_grad(true)})) == "StackBackward0");
  }

  TEST_CASE("refuses parts of different sizes") {
    CHECK(refusal([] { stack(std::vector<Tensor>{}); }) == "Error: stack expects a non-empty TensorList");
    CHECK(refusal([] {
            stack({etude::zeros({2}), etude::zeros({2, 1})});
          }) ==
          "Error: stack expects each tensor to be equal size, but got [2] at entry 0 and [2, 1] at entry 1");
    CHECK(refusal([] {
            stack({etude::zeros({2}), etude::zeros({2})}, 2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }
}

TEST_SUITE("repeat") {
  TEST_CASE("lays tiles, adding dims in front") {
    const Tensor x = etude::tensor({{1, 2}, {3, 4}});
    CHECK(same(x.repeat({1, 2}), etude::tensor({{1, 2, 1, 2}, {3, 4, 3, 4}})));
    CHECK(same(x.repeat({2, 1}), etude::tensor({{1, 2}, {3, 4}, {1, 2}, {3, 4}})));
    CHECK(
        same(etude::tensor({1, 2}).repeat({2, 3}), etude::tensor({{1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2}})));
    CHECK(same(x.t().repeat({2, 1}), etude::tensor({{1, 3}, {2, 4}, {1, 3}, {2, 4}})));
    CHECK(same(etude::tensor(7).repeat({3}), etude::tensor({7, 7, 7})));
    CHECK(same(etude::tensor(7).repeat({}), etude::tensor(7)));
    CHECK(x.repeat({0, 2}).sizes() == IntArrayRef({0, 4}));
    CHECK(etude::zeros({0, 2}).repeat({3, 1, 2}).sizes() == IntArrayRef({3, 0, 4}));
    CHECK_FALSE(x.repeat({1, 1}).is_alias_of(x));
    CHECK(counted({2, 1, 1, 1, 1, 1, 1, 2}).repeat({1, 1, 1, 2, 1, 1, 1, 2}).sizes() ==
          IntArrayRef({2, 1, 1, 2, 1, 1, 1, 4}));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor x = counted({2, 3}, kDouble) / 4 - 1;
    for (const std::vector<int64_t>& repeats :
         {std::vector<int64_t>{2, 1}, {1, 3}, {2, 1, 2}, {3, 2, 2}, {1, 1}, {0, 2}}) {
      const TensorFunction f = [&](const std::vector<Tensor>& in) { return (in[0] * in[0]).repeat(repeats); };
      CHECK(gradcheck(f, {x}));
      CHECK(gradgradcheck(f, {x}));
    }
    CHECK(gradcheck(
        [](const std::vector<Tensor>& in) {
          return in[0].repeat({2, 2});
        },
        {etude::tensor(1.5, kDouble)}));
  }

  TEST_CASE("refuses too few and negative repeats") {
    CHECK(
        refusal([] {
          etude::zeros({2, 3}).repeat({2});
        }) ==
        "Error: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    CHECK(refusal([] {
            etude::zeros({2, 3}).repeat({-1, 2});
          }) == "Error: Trying to create tensor with negative dimension -2: [-2, 6]");
  }
}

TEST_SUITE("flip") {
  TEST_CASE("reverses dims") {
    const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(same(x.flip({0}), etude::tensor({{4, 5, 6}, {1, 2, 3}})));
    CHECK(same(x.flip({-1}), etude::tensor({{3, 2, 1}, {6, 5, 4}})));
    CHECK(same(flip(x, {0, 1}), etude::tensor({{6, 5, 4}, {3, 2, 1}})));
    CHECK(same(x.t().flip({0}), etude::tensor({{3, 6}, {2, 5}, {1, 4}})));
    CHECK(same(x.slice(1, 0, 3, 2).flip({1}), etude::tensor({{3, 1}, {6, 4}})));
    CHECK(same(x.flip({}), x));
    CHECK_FALSE(x.flip({}).is_alias_of(x));
    CHECK(same(etude::tensor(1).flip({0}), etude::tensor(1)));
    CHECK(same(etude::zeros({0, 2}).flip({0, 1}), etude::zeros({0, 2})));
    CHECK(same(etude::tensor({1, 2}).expand({2, 2}).flip({0, 1}), etude::tensor({{2, 1}, {2, 1}})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const TensorFunction f = [](const std::vector<Tensor>& in) { return (in[0] * in[0]).flip({1, -3}); };
    CHECK(gradcheck(f, {counted({2, 3, 2}, kDouble)}));
    CHECK(gradgradcheck(f, {counted({2, 3, 2}, kDouble)}));
  }

  TEST_CASE("refuses repeated and missing dims") {
    CHECK(refusal([] {
            etude::zeros({2, 3}).flip({0, -2});
          }) == "Error: dim 0 appears multiple times in the list of dims");
    CHECK(refusal([] {
            etude::zeros({2, 3}).flip({2});
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }
}

TEST_SUITE("roll") {
  TEST_CASE("moves elements on, and those at the end to the beginning") {
    const Tensor x = counted({2, 3});
    CHECK(same(x.roll(1), etude::tensor({{5, 0, 1}, {2, 3, 4}})));
    CHECK(same(x.roll(1, 1), etude::tensor({{2, 0, 1}, {5, 3, 4}})));
    CHECK(same(x.roll(-4, -1), etude::tensor({{1, 2, 0}, {4, 5, 3}})));
    CHECK(same(roll(x, {1, 1}, {0, 1}), etude::tensor({{5, 3, 4}, {2, 0, 1}})));
    CHECK(same(x.roll({1, 1}, {0, 0}), x));
    CHECK(same(x.t().roll(1), etude::tensor({{5, 0}, {3, 1}, {4, 2}})));
    CHECK(same(x.roll(600), x));
    CHECK(same(etude::tensor(3).roll(1), etude::tensor(3)));
    CHECK(same(etude::zeros({0, 3}).roll(1, 0), etude::zeros({0, 3})));
    CHECK_FALSE(x.roll(0).is_alias_of(x));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor x = counted({2, 3}, kDouble);
    const TensorFunction along = [](const std::vector<Tensor>& in) {
      return (in[0] * in[0]).roll({1, -2, 5}, {0, 1, 1});
    };
    const TensorFunction flat = [](const std::vector<Tensor>& in) { return (in[0] * in[0]).roll(-2); };
    CHECK(gradcheck(along, {x}));
    CHECK(gradgradcheck(along, {x}));
    CHECK(gradcheck(flat, {x}));
    CHECK(gradgradcheck(flat, {x}));
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return in[0].roll(0); }, {x}));
  }

  TEST_CASE("refuses shifts without dims and dims without shifts") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] { x.roll({}, {0}); }) == "Error: `shifts` required");
    CHECK(refusal([&] { x.roll({1, 1}); }) == "Error: shifts and dimensions must align. shifts: 2, dims:0");
    CHECK(refusal([&] {
            x.roll({1}, {0, 1});
          }) == "Error: shifts and dimensions must align. shifts: 1, dims:2");
    CHECK(refusal([&] { x.roll(1, 2); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([] { etude::ones({}).roll(1, 0); }) ==
          "IndexError: Dimension specified as 0 but tensor has no dimensions");
  }

  TEST_CASE("tiles and rolls are tensors of their own, which can be written to") {
    const Tensor x = etude::ones({2, 3}, requires_grad());
    for (const Tensor& y : {x.repeat({2, 1}), x.repeat({1, 1}), x.roll(1), x.roll(1, 0)}) {
      CHECK_FALSE(y.is_view());
      CHECK(y._version() == 0);
      y.mul_(2).sum().backward();
    }
    CHECK(equal(x.grad(), etude::full({2, 3}, 10.)));
  }

  TEST_CASE("what keeps no tensor can be differentiated again") {
    const std::vector<AnyFunction<Tensor(const Tensor&)>> ops{
        [](const Tensor& t) {
          return cat({t, t});
        },
        [](const Tensor& t) {
          return stack({t, t});
        },
        [](const Tensor& t) { return t.repeat({2}); },
        [](const Tensor& t) { return t.flip({0}).repeat({2}); },
        [](const Tensor& t) { return t.roll(1).repeat({2}); }};
    for (const auto& op : ops) {
      const Tensor x = etude::ones({3}, requires_grad()), y = op(x + 0).sum();
      y.backward();
      y.backward();
      CHECK(equal(x.grad(), etude::full({3}, 4.)));
    }
  }
}
