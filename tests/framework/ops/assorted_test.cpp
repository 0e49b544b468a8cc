// broadcast_tensors, tile, count_nonzero, clip and the other functions of assorted.h. Values and errors recorded from PyTorch are
// in functions_golden_test.cpp.
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <vector>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/distance.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("assorted functions") {
  TEST_CASE("broadcast_tensors gives views, and a tensor of all sizes itself") {
    const Tensor column = etude::arange(2).view({2, 1}), row = etude::ones({3}), all = etude::zeros({2, 3});
    const std::vector<Tensor> y = broadcast_tensors({column, row, all});
    CHECK(y.size() == 3);
    CHECK(same(y[0], etude::tensor({{0, 0, 0}, {1, 1, 1}})));
    CHECK(y[0].is_alias_of(column));
    CHECK(y[0].strides() == IntArrayRef({1, 0}));
    CHECK(y[1].sizes() == IntArrayRef({2, 3}));
    CHECK(y[1].dtype() == kFloat);
    CHECK(y[2].is_same(all));
    CHECK(broadcast_tensors(std::vector<Tensor>()).empty());
    CHECK(broadcast_tensors({etude::zeros({0, 1}), row})[1].sizes() == IntArrayRef({0, 3}));
    CHECK(node_name(broadcast_tensors({row.clone().set_requires_grad(true), all})[0]) == "ExpandBackward0");
    CHECK(refusal_text([] {
            broadcast_tensors({etude::ones({1}), etude::ones({4, 2}), etude::ones({2, 1, 3})});
          }) == "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 2");
  }

  TEST_CASE("tile, count_nonzero, is_same_size and the other names of functions") {
    const Tensor x = etude::arange(4).view({2, 2});
    CHECK(same(x.t().tile({1, 2}), etude::tensor({{0, 2, 0, 2}, {1, 3, 1, 3}})));
    CHECK(node_name(tile(etude::ones({2}).set_requires_grad(true), {2, 1})) == "RepeatBackward0");
    CHECK(same(x.t().count_nonzero(), etude::tensor(3)));
    CHECK(same(count_nonzero(x.expand({3, 2, 2}), {0, 2}), etude::tensor({3, 6})));
    CHECK_FALSE(etude::ones({2}).set_requires_grad(true).count_nonzero().requires_grad());
    CHECK(x.is_same_size(x.to(kFloat)));
    CHECK_FALSE(is_same_size(x, x[0]));
    const Tensor half = etude::full({2}, 0.5), two = etude::full({2}, 2.0);
    CHECK(equal(half.arcsin(), asin(half)));
    CHECK(equal(half.arccos(), acos(half)));
    CHECK(equal(half.arctan(), atan(half)));
    CHECK(equal(half.arcsinh(), asinh(half)));
    CHECK(equal(two.arccosh(), acosh(two)));
    CHECK(equal(half.arctanh(), atanh(half)));
    CHECK(equal(half.arctan2(two), atan2(half, two)));
    CHECK(equal(half.clone().arcsin_(), asin(half)));
    const Tensor v = etude::tensor({-2.0, 0.5, 3.0}), low = etude::tensor({-1.0, 1.0, 0.0});
    CHECK(same(v.clone().clip_(0, 1), etude::tensor({0.0, 0.5, 1.0})));
    CHECK(same(v.clone().clip_(low, low + 1), etude::tensor({-1.0, 1.0, 1.0})));
    CHECK(same(v.clip(low), etude::tensor({-1.0, 1.0, 3.0})));
  }

  TEST_CASE("comparisons have a long name each") {
    const Tensor x = etude::tensor({1.0, 2.0, 3.0}), other = etude::tensor({2.0, 2.0, 2.0});
    const auto bools = [](bool a, bool b, bool c) { return etude::tensor({a, b, c}); };
    CHECK(same(greater(x, other), bools(false, false, true)));
    CHECK(same(greater(x, 2), bools(false, false, true)));
    CHECK(same(greater_equal(x, other), bools(false, true, true)));
    CHECK(same(greater_equal(x, 2), bools(false, true, true)));
    CHECK(same(less(x, other), bools(true, false, false)));
    CHECK(same(less(x, 2), bools(true, false, false)));
    CHECK(same(less_equal(x, other), bools(true, true, false)));
    CHECK(same(less_equal(x, 2), bools(true, true, false)));
    CHECK(same(not_equal(x, other), bools(true, false, true)));
    CHECK(same(not_equal(x, 2), bools(true, false, true)));
    CHECK(same(x.greater(2), bools(false, false, true)));
    CHECK(same(x.greater_equal(other), bools(false, true, true)));
    CHECK(same(x.less(2), bools(true, false, false)));
    CHECK(same(x.less_equal(other), bools(true, true, false)));
    CHECK(same(x.not_equal(2), bools(true, false, true)));
    CHECK(same(x.clone().greater_(other), etude::tensor({0.0, 0.0, 1.0})));
    CHECK(same(x.clone().greater_equal_(2), etude::tensor({0.0, 1.0, 1.0})));
    CHECK(same(x.clone().less_(other), etude::tensor({1.0, 0.0, 0.0})));
    CHECK(same(x.clone().less_equal_(2), etude::tensor({1.0, 1.0, 0.0})));
    CHECK(same(x.clone().not_equal_(other), etude::tensor({1.0, 0.0, 1.0})));
    CHECK(node_name((x.clone().set_requires_grad(true) * 1).greater_(2)) == "GtBackward0");
  }

  TEST_CASE("the other names of signs, products and dims") {
    const Tensor v = etude::tensor({-1.5, 2.5}), x = etude::arange(6).view({2, 3});
    CHECK(same(absolute(v), etude::tensor({1.5, 2.5})));
    CHECK(same(v.clone().absolute_(), v.absolute()));
    CHECK(same(negative(v), etude::tensor({1.5, -2.5})));
    CHECK(same(v.clone().negative_(), v.negative()));
    CHECK(same(fix(v), etude::tensor({-1.0, 2.0})));
    CHECK(same(v.clone().fix_(), v.fix()));
    CHECK(same(ger(v, v.abs()), etude::tensor({{-2.25, -3.75}, {3.75, 6.25}})));
    CHECK(same(v.ger(v), ger(v, v)));
    CHECK(refusal_text([&] { ger(x, v); }) == "outer: Expected 1-D argument self, but got 2-D");
    CHECK(same(row_stack({v, v}), etude::tensor({{-1.5, 2.5}, {-1.5, 2.5}})));
    CHECK(same(swapdims(x, 0, -1), x.t()));
    CHECK(same(x.swapdims(0, 1), x.t()));
    CHECK(same(x.clone().swapdims_(0, 1), x.t()));
    CHECK(same(x.clone().swapaxes_(0, 1), x.t()));
    CHECK(same(argwhere(x.remainder(3).eq(1)), etude::tensor({{0, 1}, {1, 1}})));
    CHECK(etude::tensor(3).argwhere().sizes() == IntArrayRef({1, 0}));
    CHECK(argwhere(etude::zeros({2, 0})).sizes() == IntArrayRef({0, 2}));
  }

  TEST_CASE("methods that are also functions") {
    Tensor x = etude::ones({2, 3}).t();
    CHECK(numel(x) == 6);
    CHECK(etude::size(x, 0) == 3);
    CHECK(etude::size(x, -1) == 2);
    CHECK(stride(x, -1) == 3);
    CHECK(is_floating_point(x));
    CHECK_FALSE(etude::is_complex(x));
    CHECK(is_signed(x));
    CHECK_FALSE(is_signed(etude::ones({1}, kByte)));
    CHECK_FALSE(is_inference(x));
    CHECK(fill_(x, 2.5).is_same(x));
    CHECK(same(x, etude::full({3, 2}, 2.5)));
    CHECK(same(fill_(x, etude::tensor(3.0)), etude::full({3, 2}, 3.0)));
    CHECK(same(zero_(x), etude::zeros({3, 2})));
    const InferenceMode inference;
    CHECK(is_inference(etude::ones({1})));
  }

  TEST_CASE("print writes the type and the sizes to the error stream") {
    std::ostringstream text;
    std::streambuf* const before = std::cerr.rdbuf(text.rdbuf());
    etude::ones({2, 3}).print();
    etude::tensor(true).print();
    etude::zeros({0}, kBFloat16).print();
    Tensor().print();
    std::cerr.rdbuf(before);
    CHECK(text.str() ==
          "[CPUFloatType [2, 3]]\n[CPUBoolType []]\n[CPUBFloat16Type [0]]\n[UndefinedTensor]\n");
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor x = etude::tensor({{0.3, -0.7}, {1.2, 0.4}}, kDouble),
                 y = etude::tensor({0.9, -0.2}, kDouble).view({2, 1});
    check_gradients({[](const auto& in) {
                       const auto both = broadcast_tensors({in[0], in[1]});
                       return both[0] * both[1] * both[1];
                     },
                     [](const auto& in) {
                       return tile(in[0] * in[1], {2, 1, 3}) * tile(in[1], {6});
                     },
                     [](const auto& in) { return clip(in[0] * in[1], -0.1, 0.25) * in[0]; },
                     [](const auto& in) { return clip(in[0], in[1] - 0.5, in[1] + 0.5) * in[1]; }},
                    {x, y});
  }
}
