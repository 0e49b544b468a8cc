// cumprod, cummax and cummin: values and gradients recorded from both versions of PyTorch.
#include "etude/ops/cumulative.h"

#include <cmath>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/golden_functions.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("what has come along a dim") {
  namespace {

  using List = std::vector<Tensor>;

  List product(const List& in, const Recorded& arguments) {
    return {in[0].cumprod(arguments.at("dim").get<int64_t>())};
  }
  List largest(const List& in, const Recorded& arguments) {
    const auto [values, indices] = in[0].cummax(arguments.at("dim").get<int64_t>());
    return {values, indices};
  }
  List smallest(const List& in, const Recorded& arguments) {
    const auto [values, indices] = in[0].cummin(arguments.at("dim").get<int64_t>());
    return {values, indices};
  }

  }  // namespace

  TEST_CASE("products, largest and smallest elements and their gradients are PyTorch's") {
    check_recorded("cumprod", product);
    check_recorded("cummax", largest);
    check_recorded("cummin", smallest);
  }

  TEST_CASE("floats of 16 bits have cumulative products and extremes") {
    check_recorded("cumprod", product, true);
    check_recorded("cummax", largest, true);
  }

  TEST_CASE("views are read where they lie, and a lane may be long") {
    const Tensor x = uneven({5, 4, 3}).sin();
    for (const Tensor& view : {x.transpose(0, 2), x.slice(0, 0, 5, 2), x[1][2].expand({4, 3}), x.flip(1)})
      for (int64_t dim = 0; dim < view.dim(); ++dim) {
        CHECK(same(view.cumprod(dim), view.clone().contiguous().cumprod(dim)));
        CHECK(same(std::get<0>(view.cummax(dim)), std::get<0>(view.contiguous().cummax(dim))));
        CHECK(same(std::get<1>(view.cummin(dim)), std::get<1>(view.contiguous().cummin(dim))));
      }
    const Tensor halves = etude::full({2, 200}, 0.5, kDouble);
    CHECK(same(halves.cumprod(1)[1], etude::full({}, 0.5, kDouble).pow(etude::arange(1, 201, kDouble))));
    CHECK(same(cumprod(etude::tensor({2, 3}), 0, kFloat), etude::tensor({2.f, 6.f})));
    CHECK(same(cumprod(etude::tensor({2.5, 2.}), 0, kLong), etude::tensor({2, 4})));
  }

  TEST_CASE("in place, cumprod keeps the type and is recorded") {
    Tensor x = etude::tensor({3, 2, 2}, kInt);
    CHECK(x.cumprod_(0).is_same(x));
    CHECK(same(x, etude::tensor({3, 6, 12}, kInt)));
    const Tensor leaf = etude::tensor({2., 3., 4.}, kDouble).requires_grad_();
    Tensor y = leaf * 1;
    y.cumprod_(0, kDouble).sum().backward();
    CHECK(same(leaf.grad(), etude::tensor({16., 10., 6.}, kDouble)));  // 1 + b + bc, a + ac, ab
    CHECK(refusal_text([] { etude::ones({2}).cumprod_(0, kDouble); }) ==
          "Bad in-place call: input tensor dtype float and output tensor dtype double should match");
    CHECK(refusal_text([] { etude::ones({2}, kBool).cumprod_(0); }) ==
          "\"cumprod_out_cpu\" not implemented for 'Bool'");
  }

  TEST_CASE("gradients and second gradients agree with finite differences, also at zeros") {
    Tensor x = (uneven({3, 4}) + 1).to(kDouble), zeros = x.clone();
    zeros[0][1] = zeros[2][0] = zeros[2][3] = 0;
    for (const Tensor& at : {x, zeros}) {
      check_gradients({[](const List& in) { return in[0].cumprod(0); },
                       [](const List& in) { return in[0].cumprod(1).square(); },
                       [](const List& in) { return in[0].t().cumprod(-1, kDouble); }},
                      {at});
    }
    check_gradients({[](const List& in) { return std::get<0>(in[0].cummax(1)).square(); },
                     [](const List& in) { return std::get<0>(in[0].sin().cummin(0)).square(); }},
                    {x});
    check_gradients({[](const List& in) { return in[0].cumprod(0) * std::get<0>(in[0].cummax(0)); }},
                    {etude::tensor(1.5, kDouble)});
    const Tensor leaf = x.requires_grad_();
    CHECK(node_name(leaf.cumprod(0)) == "CumprodBackward0");
    CHECK(node_name(std::get<0>(leaf.cummax(0))) == "CummaxBackward0");
    CHECK(node_name(std::get<0>(leaf.cummin(0))) == "CumminBackward0");
  }

  TEST_CASE("a third gradient exists") {
    const Tensor x = etude::tensor({2., 0., 3.}, kDouble).requires_grad_();
    Tensor y = x.cumprod(0)[2];  // a b c
    for (int64_t i = 0; i < 3; ++i) y = autograd::grad({y}, {x}, {}, true, true)[0][i];
    CHECK(y.item<double>() == 1);
  }

  TEST_CASE("refuses dims that are not there") {
    CHECK(refusal_text([] { etude::ones({2}).cumprod(1); }) ==
          "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    CHECK(refusal_text([] {
            etude::ones({2, 3}).cummax(2);
          }) == "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }

  TEST_CASE("a number has no dim 1 for cummax") {
    CHECK(refusal_text([] { etude::tensor(1.f).cummax(1); }) ==
          "cummax(): Expected reduction dim -1 or 0 for scalar but got 1");
  }
}
