// diag and trace. Values and errors recorded from PyTorch are in functions_golden_test.cpp.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/distance.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("diag and trace") {
  namespace {

  Tensor uneven_matrix() { return (etude::arange(12, kDouble) * 5).remainder(7).view({3, 4}) / 3 - 1; }

  }  // namespace

  TEST_CASE("diag of a matrix copies a diagonal, and of a vector makes the matrix") {
    const Tensor x = etude::arange(6).view({2, 3}), y = x.diag(1);
    CHECK(same(y, etude::tensor({1, 5})));
    y.fill_(7);
    CHECK(x[0][1].item<int64_t>() == 1);
    CHECK(same(x.t().diag(-1), etude::tensor({1, 5})));
    CHECK(same(diag(x[1].slice(0, 0, 3, 2), -1), etude::tensor({{0, 0, 0}, {3, 0, 0}, {0, 5, 0}})));
    CHECK(same(diag(etude::ones({1}).expand({2})), etude::eye(2)));
    CHECK(same(x.index({etude::tensor({0, 1})}).trace(), etude::tensor(4)));
    CHECK(same(x.t().trace(), etude::tensor(4)));
    CHECK(trace(etude::ones({1, 1}).expand({3, 3})).item<float>() == 3);
    const Tensor leaf = etude::ones({2, 2}).set_requires_grad(true);
    CHECK(node_name(diag(leaf)) == newer("DiagonalBackward0_copy", "DiagBackward0"));
    CHECK(node_name(diag(leaf[0])) == newer("DiagEmbedBackward0", "DiagBackward0"));
    CHECK(node_name(trace(leaf)) == "TraceBackward0");
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor x = uneven_matrix();
    check_gradients({[](const auto& in) { return (in[0] * in[0]).diag(); },
                     [](const auto& in) { return in[0].t().diag(2) * in[0].diag(-2); },
                     [](const auto& in) { return diag(in[0][1], -1) * 3; },
                     [](const auto& in) { return diag(in[0][1] * in[0][2], 2); },
                     [](const auto& in) { return trace(in[0]) * trace(in[0].t().mm(in[0])); }},
                    {x});
    check_gradients({[](const auto& in) { return diag(in[0].expand({3})); }}, {x[0][0].view({1})});
  }
}
