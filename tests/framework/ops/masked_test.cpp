#include <doctest/doctest.h>

#include <cmath>

#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

namespace {

const Tensor& pattern() {
  static const Tensor mask = etude::tensor({{true, false, true}, {false, false, true}});
  return mask;
}

}  // namespace

TEST_SUITE("masked_fill") {
  TEST_CASE("puts the value where the mask is true, both broadcast") {
    const Tensor x = etude::tensor({{0., 1., 2.}, {3., 4., 5.}});
    CHECK(same(x.masked_fill(pattern(), -1), etude::tensor({{-1., 1., -1.}, {3., 4., -1.}})));
    CHECK(same(x.masked_fill(etude::tensor({{true}, {false}}), etude::tensor(-1.)),
               etude::tensor({{-1., -1., -1.}, {3., 4., 5.}})));
    CHECK(same(etude::tensor({7., 8., 9.}).masked_fill(pattern(), 0),
               etude::tensor({{0., 8., 0.}, {7., 8., 0.}})));
    CHECK(same(etude::tensor(1.).masked_fill(etude::tensor(true), 2), etude::tensor(2.)));
    CHECK(same(x.masked_fill(pattern(), -INFINITY)[1], etude::tensor({3., 4., -INFINITY * 1.})));
    CHECK(same(x.t().masked_fill(pattern().t(), 9), x.masked_fill(pattern(), 9).t()));
  }

  TEST_CASE("keeps the type of the tensor and refuses numbers that it cannot hold") {
    CHECK(same(etude::tensor({5, 6}).masked_fill(etude::tensor({true, false}), 1.5), etude::tensor({1, 6})));
    CHECK(same(etude::tensor({5, 6}, kByte).masked_fill(etude::tensor({true, false}), -1),
               etude::tensor({255, 6}, kByte)));
    CHECK(same(etude::tensor({false, false}).masked_fill(etude::tensor({true, false}), 2),
               etude::tensor({true, false})));
    CHECK(same(etude::tensor({5., 6.}).masked_fill(etude::tensor({true, false}), etude::tensor(1.5, kDouble)),
               etude::tensor({1.5, 6.})));
    CHECK(refusal([] {
            etude::zeros({2}, kByte).masked_fill(etude::tensor({true, false}), 300);
          }) == "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] {
            etude::zeros({2}, kInt).masked_fill(etude::tensor({true, false}), INFINITY);
          }) == "Error: value cannot be converted to type int without overflow");
  }

  TEST_CASE("refuses what does not fit") {
    CHECK(refusal([] {
            etude::zeros({2}).masked_fill(etude::tensor({true, false}), etude::ones({1}));
          }) ==
          "Error: masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 "
          "dimension(s).");
    CHECK(refusal([&] {
            etude::zeros({2, 3}).masked_fill(etude::tensor({true, false}), 1);
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
  }

  TEST_CASE("masked_fill_ writes in place and keeps its sizes") {
    const Tensor x = etude::tensor({{0., 1., 2.}, {3., 4., 5.}});
    CHECK(&x.masked_fill_(etude::tensor({true, false, false}), 9) == &x);
    CHECK(same(x, etude::tensor({{9., 1., 2.}, {9., 4., 5.}})));
    x.t().masked_fill_(pattern().t(), etude::tensor(-1.));
    CHECK(same(x, etude::tensor({{-1., 1., -1.}, {9., 4., -1.}})));
    CHECK(refusal([] { etude::zeros({3}).masked_fill_(pattern(), 1); }) ==
          "Error: output with shape [3] doesn't match the broadcast shape [2, 3]");
    CHECK(refusal([] {
            etude::zeros({2, 3}).masked_fill_(etude::tensor({true, false}), 1);
          }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    CHECK(refusal([] { etude::zeros({3}, requires_grad()).masked_fill_(etude::tensor(true), 1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
  }

  TEST_CASE("gradients agree with finite differences, of the tensor and of the value, and theirs too") {
    const Tensor x = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble),
                 v = etude::tensor(0.75, kDouble);
    const TensorFunction number = [](const std::vector<Tensor>& in) {
      return (in[0] * in[0]).masked_fill(pattern(), 3);
    };
    const TensorFunction value = [](const std::vector<Tensor>& in) {
      return (in[0] * in[0]).masked_fill(pattern(), in[1] * in[1]);
    };
    const TensorFunction in_place = [](const std::vector<Tensor>& in) {
      const Tensor y = in[0] * 2;
      y.masked_fill_(etude::tensor({true, false, false}), in[1]).masked_fill_(pattern(), 1);
      return y * y;
    };
    CHECK(gradcheck(number, {x}));
    CHECK(gradgradcheck(number, {x}));
    CHECK(gradcheck(value, {x, v}));
    CHECK(gradgradcheck(value, {x, v}));
    CHECK(gradcheck(value, {etude::tensor({1.5, 2., 3.}, kDouble), v}));
    CHECK(gradcheck(in_place, {x, v}));
    CHECK(gradgradcheck(in_place, {x, v}));
    const Tensor leaf = etude::zeros({2, 3}, requires_grad());
    CHECK(node_name(leaf.masked_fill(pattern(), 1)) == "MaskedFillBackward0");
    CHECK(node_name(leaf.masked_fill(pattern(), etude::tensor(1.))) == "MaskedFillBackward1");
  }
}

TEST_SUITE("where") {
  TEST_CASE("chooses by the condition, all three broadcast") {
    const Tensor row = etude::tensor({1., 2., 3.}), column = etude::tensor({{-1.}, {-2.}});
    CHECK(same(where(pattern(), row, column), etude::tensor({{1., -1., 3.}, {-2., -2., 3.}})));
    CHECK(
        same(row.where(etude::tensor({true, false, true}), etude::tensor(0.)), etude::tensor({1., 0., 3.})));
    CHECK(same(where(etude::tensor({1, 0, 1}, kByte), row, 9), etude::tensor({1., 9., 3.})));
    CHECK(same(where(etude::tensor(false), row, column), etude::tensor({{-1., -1., -1.}, {-2., -2., -2.}})));
    CHECK(same(where(etude::zeros({0, 1}) > 0, row, 0), etude::zeros({0, 3})));
  }

  TEST_CASE("promotes types as arithmetic does") {
    const Tensor c = etude::tensor({true, false});
    CHECK((where(c, etude::zeros({2}), etude::ones({2}, kDouble)).scalar_type() == kDouble));
    CHECK((where(c, etude::zeros({2}, kInt), etude::ones({2}, kLong)).scalar_type() == kLong));
    CHECK((where(c, etude::zeros({2}), etude::tensor(1., kDouble)).scalar_type() == kFloat));
    CHECK(same(where(c, etude::zeros({2}, kLong), 1.5), etude::tensor({0., 1.5})));
    CHECK(same(where(c, 3, etude::zeros({2}, kBool)), etude::tensor({3, 0})));
    CHECK(same(where(c, 1, 2), etude::tensor({1, 2})));
    CHECK(same(where(c, 1, 2.5), etude::tensor({1., 2.5})));
    CHECK(same(where(c, true, false), etude::tensor({true, false})));
    CHECK(same(where(c, etude::zeros({2}, kByte), -1), etude::tensor({0, 255}, kByte)));
    CHECK(refusal([&] { where(c, etude::zeros({2}, kByte), 300); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
  }

  TEST_CASE("refuses conditions that are no bools and sizes that do not fit") {
    CHECK(refusal([] { where(etude::zeros({2}), etude::zeros({2}), 1); }) ==
          "Error: where expected condition to be a boolean tensor, but got a tensor with dtype Float");
    CHECK(refusal([] {
            where(etude::tensor({true, false}), etude::zeros({3}), etude::zeros({3}));
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
  }

  TEST_CASE(
      "gradients agree with finite differences, and theirs too; what was not chosen gets none, not even "
      "nan") {
    const Tensor row = etude::tensor({1.5, -2., 3.}, kDouble),
                 column = etude::tensor({{-1.}, {2.5}}, kDouble);
    const TensorFunction f = [](const std::vector<Tensor>& in) {
      return where(pattern(), in[0] * in[0], in[1] * in[1]);
    };
    CHECK(gradcheck(f, {row, column}));
    CHECK(gradgradcheck(f, {row, column}));
    CHECK(
        gradcheck([](const std::vector<Tensor>& in) { return where(pattern(), 2.5, in[0] * in[0]); }, {row}));
    const Tensor leaf = etude::tensor({1., 2.}, requires_grad());
    where(etude::tensor({true, false}), leaf, 0).backward(etude::tensor({3., NAN * 1.}));
    CHECK(same(leaf.grad(), etude::tensor({3., 0.})));
  }
}

TEST_SUITE("tril and triu") {
  const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}});

  TEST_CASE("keep one side of a diagonal and put zeros on the other") {
    CHECK(same(tril(x), etude::tensor({{1, 0, 0}, {4, 5, 0}, {7, 8, 9}, {10, 11, 12}})));
    CHECK(same(tril(x, 1), etude::tensor({{1, 2, 0}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}})));
    CHECK(same(tril(x, -2), etude::tensor({{0, 0, 0}, {0, 0, 0}, {7, 0, 0}, {10, 11, 0}})));
    CHECK(same(triu(x), etude::tensor({{1, 2, 3}, {0, 5, 6}, {0, 0, 9}, {0, 0, 0}})));
    CHECK(same(triu(x, 2), etude::tensor({{0, 0, 3}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}})));
    CHECK(same(triu(x, -1), etude::tensor({{1, 2, 3}, {4, 5, 6}, {0, 8, 9}, {0, 0, 12}})));
    for (int64_t far : {100, 1 << 30}) {
      CHECK(same(tril(x, far), x));
      CHECK(same(triu(x, -far), x));
      CHECK(same(triu(x, far), etude::zeros_like(x)));
      CHECK(same(tril(x, -far), etude::zeros_like(x)));
    }
  }

  TEST_CASE("work on every matrix of a batch, every type and every memory order") {
    const Tensor batch = stack({x, x * 2});
    CHECK(same(batch.triu(1)[1], (x * 2).triu(1)));
    CHECK(same(x.t().tril(), etude::tensor({{1, 0, 0, 0}, {2, 5, 0, 0}, {3, 6, 9, 0}})));
    CHECK(same(etude::ones({2, 2}, kBool).triu(), etude::tensor({{true, true}, {false, true}})));
    CHECK(same(etude::zeros({0, 2, 2}).tril(), etude::zeros({0, 2, 2})));
    CHECK(same(etude::zeros({2, 0}).triu(), etude::zeros({2, 0})));
    // An infinity that is masked out must not become nan.
    CHECK(same(etude::full({2, 2}, -INFINITY).triu(1)[1], etude::zeros({2})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor y = etude::arange(24, kDouble).reshape({2, 3, 4}) / 3;
    for (int64_t k : {-1, 0, 2}) {
      const TensorFunction low = [k](const std::vector<Tensor>& in) { return (in[0] * in[0]).tril(k); };
      const TensorFunction high = [k](const std::vector<Tensor>& in) { return (in[0] * in[0]).triu(k); };
      CHECK(gradcheck(low, {y}));
      CHECK(gradgradcheck(low, {y}));
      CHECK(gradcheck(high, {y}));
      CHECK(gradgradcheck(high, {y}));
    }
  }

  TEST_CASE("refuse what is no matrix") {
    CHECK(refusal([] { tril(etude::zeros({3})); }) ==
          newer("Error: tril: input tensor must have at least 2 dimensions",
                "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got -2)"));
    CHECK(refusal([] { triu(etude::zeros({})); }) ==
          newer("Error: triu: input tensor must have at least 2 dimensions",
                "IndexError: Dimension specified as -2 but tensor has no dimensions"));
  }

  TEST_CASE("masked_fill gives a contiguous tensor, where has the order of its condition") {
    const Tensor turned = etude::randn({2, 3, 4}).transpose(1, 2), m = turned.gt(0), plain = m.contiguous();
    CHECK(turned.masked_fill(m, 0).view({2, 12}).is_contiguous());
    CHECK(turned.masked_fill(plain, etude::zeros({})).is_contiguous());
    CHECK(where(plain, turned, 0).is_contiguous());
    CHECK(where(plain, turned, turned).is_contiguous());
    CHECK(where(m, turned.contiguous(), 0).strides() == turned.strides());
    CHECK(where(plain[0].slice(1, 0, 1), turned, etude::zeros({})).strides() == turned.strides());
  }
}
