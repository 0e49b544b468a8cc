// clamp between tensors, and with one bound. Gradients recorded from PyTorch.
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("clamp between tensors") {
  namespace {

  const float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = etude::tensor({1.f, 2.f, 3.f, kNan, 0.f}), lo = etude::tensor({2.f, 2.f, 2.f, 2.f, kNan}),
               hi = etude::tensor({1.f, 2.f, 2.5f, kNan, 1.f});

  }  // namespace

  TEST_CASE("values lie between the bounds, max wins, nan stays") {
    CHECK(same(clamp(x, lo, hi), etude::tensor({1.f, 2.f, 2.5f, kNan, kNan})));
    CHECK(same(clamp(x, lo), etude::tensor({2.f, 2.f, 3.f, kNan, kNan})));
    CHECK(same(clamp(x, {}, hi), etude::tensor({1.f, 2.f, 2.5f, kNan, 0.f})));
    CHECK(same(x.clamp(lo, hi), clamp(x, lo, hi)));
    CHECK(same(clamp_min(x, lo), clamp(x, lo)));
    CHECK(same(x.clamp_max(hi), clamp(x, {}, hi)));
    const Tensor row = etude::tensor({1, 5}), column = etude::tensor({{2}, {4}});
    CHECK(same(clamp(row, column), etude::tensor({{2, 5}, {4, 5}}, row.scalar_type())));
    CHECK(same(clamp(row, etude::tensor({1.5f, 1.5f})), etude::tensor({1.5f, 5.f})));
    CHECK(same(clamp_max(row, etude::tensor(2.5f)), etude::tensor({1.f, 2.5f})));
    CHECK(same(clamp_min(etude::zeros({0}), etude::ones({})), etude::zeros({0})));
    const Tensor mask = etude::tensor({true, false});
    CHECK(same(clamp_min(mask, mask), mask));
    CHECK(same(clamp(x.to(kBFloat16), lo.to(kBFloat16), hi.to(kBFloat16)), clamp(x, lo, hi).to(kBFloat16)));
  }

  TEST_CASE("in place, with tensors and numbers") {
    CHECK(same(x.clone().clamp_(lo, hi), clamp(x, lo, hi)));
    CHECK(same(x.clone().clamp_min_(lo), clamp_min(x, lo)));
    CHECK(same(x.clone().clamp_max_(hi), clamp_max(x, hi)));
    CHECK(same(x.clone().clamp_min_(2), clamp_min(x, 2)));
    CHECK(same(x.clone().clamp_max_(2), clamp_max(x, 2)));
    Tensor m = etude::ones({2, 2});
    m.select(1, 0).clamp_min_(etude::tensor({2.f, 3.f}));
    CHECK(same(m, etude::tensor({{2.f, 1.f}, {3.f, 1.f}})));
    const Tensor leaf = etude::tensor({1.f, 3.f}, requires_grad());
    const Tensor y = (leaf * 1).clamp_min_(2);
    CHECK(node_name(y) == "ClampMinBackward0");
    y.sum().backward();
    CHECK(same(leaf.grad(), etude::tensor({0.f, 1.f})));
  }

  TEST_CASE("a gradient goes to what was chosen") {
    const auto leaf = [](const Tensor& t) { return t.clone().requires_grad_(); };
    const Tensor u = leaf(x), v = leaf(lo), w = leaf(hi);
    const Tensor y = clamp(u, v, w);
    CHECK(node_name(y) == "ClampBackward0");
    CHECK(node_name(clamp_min(u, v)) == "ClampMinBackward1");
    CHECK(node_name(clamp_max(u, v)) == "ClampMaxBackward1");
    y.backward(etude::tensor({1.f, 2.f, 3.f, 4.f, 5.f}));
    CHECK(same(w.grad(), etude::tensor({1.f, 0.f, 3.f, 0.f, 0.f})));
    const Tensor a = uneven({4, 3}), b = uneven({3}) - 0.5, c = (uneven({4, 1}) + 1.2).clone();
    check_gradients({
                        [](const auto& in) {
                          return clamp(in[0], in[1], in[2]) * uneven({4, 3});
                        },
                        [](const auto& in) { return clamp_min(in[0], in[1]) * in[2]; },
                        [](const auto& in) { return clamp_max(in[0], in[2]) * in[1]; },
                        [](const auto& in) {
                          return (in[0] * 2).clamp_(in[1], in[2]) * uneven({4, 3});
                        },
                        [](const auto& in) { return (in[0] * 2).clamp_max_(in[1]) * in[2]; },
                    },
                    {a.requires_grad_(), b.requires_grad_(), c.requires_grad_()});
  }

  TEST_CASE("refuses no bounds, and what does not fit") {
    const Tensor whole = etude::tensor({3, 1}, kLong), real = etude::ones({2}), mask = real.to(kBool);
    CHECK(refusal([&] { clamp(real); }) ==
          "Error: torch.clamp: At least one of 'min' or 'max' must not be None");
    CHECK(refusal([&] { clamp(mask, mask, mask); }) == "Error: \"clamp_cpu\" not implemented for 'Bool'");
    CHECK(refusal([&] { whole.clone().clamp_(real); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK(refusal([&] { whole.clone().clamp_min_(real); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK(refusal([&] { whole.clone().clamp_min_(1.5); }) ==
          "Error: result type Float can't be cast to the desired output type long int");
    CHECK(refusal([&] { clamp(real, etude::ones({3})); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
    CHECK(refusal([&] { real.slice(0, 0, 1).clone().clamp_(real); }) ==
          "Error: output with shape [1] doesn't match the broadcast shape [2]");
  }
}
