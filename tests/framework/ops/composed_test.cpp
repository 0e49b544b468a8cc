// Aliases of ops, new tensors like another, and lists of indices.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("composed ops") {
  namespace {

  const Tensor a = etude::tensor({7.f, -7.f}), b = etude::tensor({2.f, 2.f});

  }  // namespace

  TEST_CASE("other names mean the same") {
    CHECK(same(multiply(a, b), a * b));
    CHECK(same(multiply(a, 3), a * 3));
    CHECK(same(divide(a, b), a / b));
    CHECK(same(divide(a, 2, "floor"), etude::tensor({3.f, -4.f})));
    CHECK(same(divide(a, b, "trunc"), etude::tensor({3.f, -3.f})));
    CHECK(same(true_divide(etude::tensor({1}), 2), etude::tensor({0.5f})));
    CHECK(same(subtract(a, b, 2), a - 4));
    CHECK(same(subtract(a, 1), a - 1));
    CHECK(same(a.multiply(b).divide(2).true_divide(b).subtract(1), a * b / 2 / b - 1));
    CHECK(same(a.clone().multiply_(b).divide_(b).true_divide_(2).subtract_(b, 3), a / 2 - 6));
    CHECK(same(concat({a, b}), cat({a, b})));
    CHECK(same(concatenate({a.view({1, 2}), b.view({1, 2})}, 1), cat({a, b}).view({1, 4})));
  }

  TEST_CASE("a quotient is rounded in all its forms") {
    const Tensor whole = etude::tensor({7, -7}, kLong);
    CHECK(same(div(whole, 2, "floor"), etude::tensor({3, -4}, kLong)));
    CHECK(same(whole.div(2, "trunc"), etude::tensor({3, -3}, kLong)));
    CHECK(same(whole.div(whole, "trunc"), etude::ones({2}, kLong)));
    CHECK(same(div(whole, 2, nullopt), etude::tensor({3.5f, -3.5f})));
    CHECK(same(whole.clone().div_(2, "floor"), etude::tensor({3, -4}, kLong)));
    CHECK(same(whole.clone().divide_(whole, "trunc"), etude::ones({2}, kLong)));
    CHECK(same(a.clone().div_(b, nullopt), a / b));
    CHECK(refusal([&] { whole.clone().div_(1.5, "floor"); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK(refusal([&] { whole.div(0, "floor"); }) == "Error: ZeroDivisionError");
    CHECK(refusal([&] { whole.div_(2, "up"); }) ==
          "Error: div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
  }

  TEST_CASE("the gradients of rounded quotients by a number are those of finite differences") {
    const Tensor x = uneven({2, 3}).requires_grad_();
    CHECK(node_name(div(x, 2, "floor")) == "DivBackward3");
    CHECK(node_name((x * 1).div_(2, "trunc")) == "DivBackward3");
    check_gradients({[](const auto& in) { return div(in[0], 0.7, "floor") * in[0]; },
                     [](const auto& in) { return (in[0] * 1).div_(0.7, "trunc") * in[0]; }},
                    {x});
  }

  TEST_CASE("new tensors have the dtype of another, unless they are given one") {
    const Tensor x = etude::ones({3}, kDouble), n = etude::ones({3}, kLong);
    CHECK(same(x.new_zeros({2}), etude::zeros({2}, kDouble)));
    CHECK(same(x.new_ones({2, 1}, kInt), etude::ones({2, 1}, kInt)));
    CHECK(same(n.new_full({2}, 2.5), etude::full({2}, 2, kLong)));
    CHECK(same(n.new_full({}, 2.5, TensorOptions(kFloat)), etude::full({}, 2.5f, kFloat)));
    CHECK(x.new_empty({0, 2}).sizes() == IntArrayRef({0, 2}));
    CHECK(x.new_empty({1}).scalar_type() == kDouble);
    CHECK_FALSE(x.clone().requires_grad_().new_zeros({2}).requires_grad());
    CHECK(refusal([&] { x.new_zeros({-1}); }) ==
          "Error: Trying to create tensor with negative dimension -1: [-1]");
  }

  TEST_CASE("hstack and vstack") {
    CHECK(same(hstack({a, b}), cat({a, b})));
    CHECK(same(vstack({a, b}), stack({a, b})));
    CHECK(same(hstack({etude::tensor(1.f), etude::tensor(2.f)}), etude::tensor({1.f, 2.f})));
    CHECK(same(vstack({etude::tensor(1.f), etude::tensor({2.f})}), etude::tensor({{1.f}, {2.f}})));
    const Tensor m = etude::ones({2, 1});
    CHECK(hstack({m, etude::ones({2, 3})}).sizes() == IntArrayRef({2, 4}));
    CHECK(refusal([] { hstack(std::vector<Tensor>()); }) == "Error: hstack expects a non-empty TensorList");
    CHECK(refusal([] { vstack(std::vector<Tensor>()); }) == "Error: vstack expects a non-empty TensorList");
    CHECK(refusal([&] {
            hstack({m, a});
          }) == "Error: Tensors must have same number of dimensions: got 2 and 1");
    const Tensor x = uneven({3}).requires_grad_(), y = uneven({3}).mul(2).requires_grad_();
    check_gradients({[](const auto& in) {
                       return hstack({in[0], in[1]}).pow(2);
                     },
                     [](const auto& in) {
                       return vstack({in[0], in[1]}).pow(2);
                     }},
                    {x, y});
  }

  TEST_CASE("where gives the places of what is not zero, a tensor for each dim") {
    const Tensor m = etude::tensor({{1, 0, 2}, {0, 3, 0}});
    const std::vector<Tensor> places = where(m);
    REQUIRE(places.size() == 2);
    CHECK(same(places[0], etude::tensor({0, 0, 1}, kLong)));
    CHECK(same(places[1], etude::tensor({0, 2, 1}, kLong)));
    CHECK(same(m.index({places[0], places[1]}), etude::tensor({1, 2, 3}, m.scalar_type())));
    CHECK(same(nonzero_numpy(m)[1], places[1]));
    CHECK(same(etude::tensor(3).nonzero_numpy()[0], etude::zeros({1}, kLong)));
    CHECK(where(etude::zeros({0, 3})).size() == 2);
  }

  TEST_CASE("a list of indices leaves out dims that are taken whole") {
    const Tensor m = etude::arange(6).view({2, 3});
    etude::List<optional<Tensor>> list;
    list.push_back(nullopt);
    list.push_back(etude::tensor({2, 0}));
    CHECK(same(m.index(list), etude::tensor({{2, 0}, {5, 3}}, m.scalar_type())));
    CHECK(same(m.index({optional<Tensor>(etude::tensor({1}))}), m.slice(0, 1)));
    CHECK(same(etude::index(m, list), m.index(list)));
  }

  TEST_CASE("a list of tensors can be split by a list of sizes") {
    const std::vector<Tensor> parts = split(etude::arange(6), {1, 2, 3}, 0);
    REQUIRE(parts.size() == 3);
    CHECK(same(parts[2], etude::arange(3, 6)));
  }
}
