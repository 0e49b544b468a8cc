// The attention of every layer, and its form in PyTorch 2.
#include "etude/attention.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/hook_point.h"
#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("attention") {
  TEST_CASE("gives back what queries look at, on request") {
    const Tensor q = golden::ramp({2, 3, 4}), k = golden::ramp({2, 5, 4}) * 2,
                 v = golden::ramp({2, 5, 6}) * 3;
    CHECK_FALSE(F::attention(q, k, v).second.defined());
    const auto [y, weights] = F::attention(q, k, v, F::AttentionFuncOptions().need_weights(true));
    CHECK(weights.sizes() == IntArrayRef({2, 3, 5}));
    CHECK(allclose(weights.sum(-1), ones({2, 3})));
    CHECK(same(matmul(weights, v), y));
    CHECK(same(F::attention(q, k, v).first, y));
  }

  TEST_CASE("queries that continue a sequence see what was before them and themselves, to the last bit") {
    const onednn::EnabledGuard plain(false);
    const Tensor q = golden::ramp({2, 37, 6}), k = q * 2, v = q * 3, bias = golden::ramp({37, 37});
    const Tensor whole = F::attention(q, k, v, F::AttentionFuncOptions().mask(bias).causal_from(0)).first;
    for (const int64_t from : {0, 1, 16, 36}) {
      const int64_t length = 37 - from;
      CHECK(same(F::attention(q.narrow(1, from, length), k, v,
                              F::AttentionFuncOptions().mask(bias.narrow(0, from, length)).causal_from(from))
                     .first,
                 whole.narrow(1, from, length)));
      const auto until = [from](const Tensor& t) { return t.narrow(1, 0, from + 1); };
      CHECK(same(F::attention(q.narrow(1, from, 1), until(k), until(v),
                              F::AttentionFuncOptions().mask(bias[from].narrow(0, 0, from + 1)))
                     .first,
                 whole.narrow(1, from, 1)));
    }
  }
}

TEST_SUITE("scaled_dot_product_attention") {
  TEST_CASE("is softmax(q k^T / sqrt(d)) v, computed by hand, over any leading dims") {
    const Tensor q = golden::ramp({2, 3, 4}), k = golden::ramp({2, 5, 4}) * 2,
                 v = golden::ramp({2, 5, 6}) * 3;
    const Tensor y = F::scaled_dot_product_attention(q, k, v);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t c = 0; c < 6; ++c) {
          double sum = 0, total = 0;
          for (int64_t j = 0; j < 5; ++j) {
            const double share = std::exp((q[b][i] * k[b][j]).to(kDouble).sum().item<double>() / 2);
            sum += share * v[b][j][c].item<double>();
            total += share;
          }
          CHECK(y[b][i][c].item<double>() == doctest::Approx(sum / total).epsilon(1e-5));
        }
    CHECK(allclose(F::scaled_dot_product_attention(q[0], k[0], v[0]), y[0], 1e-6));
    CHECK(allclose(F::scaled_dot_product_attention(q.unsqueeze(1), k, v)[1][1], y[1], 1e-5, 1e-6));
  }

  TEST_CASE("is_causal is a mask that is true where a query may look") {
    const Tensor q = golden::ramp({2, 4, 4}), k = q * 2, v = q * 3;
    const Tensor causal = F::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
    CHECK(same(causal, F::scaled_dot_product_attention(q, k, v, ones({4, 4}, kBool).tril())));
    const Tensor added = full({4, 4}, -std::numeric_limits<double>::infinity()).triu(1);
    CHECK(same(causal, F::scaled_dot_product_attention(q, k, v, added)));
    CHECK(allclose(causal.select(1, 0), v.select(1, 0)));
    CHECK(same(causal, F::scaled_dot_product_attention(q, k, v, ones({4, 4}, kByte).tril())));
    CHECK(same(causal, F::scaled_dot_product_attention(q, k, v, added.to(kDouble))));
    CHECK(refusal([&] {
            F::scaled_dot_product_attention(q, k, v, ones({4, 4}, kLong));
          }) == "Error: Only float, byte, and bool types are supported for attn_mask, not torch.int64");
    CHECK(same(F::scaled_dot_product_attention(q, k, v, zeros({4, 4}, kBool)), zeros(v.sizes())));
    CHECK(refusal([&] { F::scaled_dot_product_attention(q, k, v, added, 0.0, true); }) ==
          "Error: scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  }

  TEST_CASE("a query that may look nowhere gets zeros, and no gradient is nan") {
    const auto x = [](double scale) {
      return (golden::ramp({1, 2, 3, 4}) * scale).to(kDouble).requires_grad_();
    };
    const Tensor see = tensor({{true, false, false}, {false, false, false}, {true, true, true}}),
                 added = zeros({3, 3}, kDouble).masked_fill(see.logical_not(), -INFINITY).requires_grad_();
    for (const Tensor& mask : {see, added}) {
      const Tensor y = F::scaled_dot_product_attention(x(1), x(2), x(3), mask);
      CHECK(same(y.select(2, 1).detach(), zeros({1, 2, 4}, kDouble)));
      CHECK(same(y.select(2, 2).detach(),
                 F::scaled_dot_product_attention(x(1), x(2), x(3)).select(2, 2).detach()));
    }
    const TensorFunction f = [&](const auto& in) {
      return F::scaled_dot_product_attention(in[0], in[1], in[2], see);
    };
    CHECK(gradcheck(f, {x(1), x(2), x(3)}));
    CHECK(gradgradcheck(f, {x(1), x(2), x(3)}));
    CHECK(
        same(autograd::grad({F::scaled_dot_product_attention(x(1), x(2), x(3), added).sum()}, {added})[0][1],
             zeros({3}, kDouble)));
  }

  TEST_CASE("enable_gqa: grouped heads have the values, gradients and errors of PyTorch 2.14") {
    const golden::Recorded recorded = golden_json("layers/families.json");
    for (const golden::Recorded& form : recorded.at("attention")) {
      const int64_t kv_heads = form.at("kv_heads").get<int64_t>(),
                    queries = form.at("queries").get<int64_t>();
      std::vector<Tensor> in = {golden::ramp({2, 6, queries, 3}).to(kDouble),
                                golden::ramp({2, kv_heads, 5, 3}).to(kDouble) * 2,
                                golden::ramp({2, kv_heads, 5, 3}).to(kDouble) * 3};
      for (Tensor& t : in) t.requires_grad_();
      const bool is_causal = form.at("is_causal").get<bool>();
      const Tensor y = etude::scaled_dot_product_attention(in[0], in[1], in[2], {}, 0, is_causal, nullopt,
                                                           /*enable_gqa=*/true);
      CHECK(golden::close(y, form.at("y"), 1e-12));
      (y * golden::ramp(y.sizes()).to(kDouble)).sum().backward();
      for (size_t i = 0; i < 3; ++i) CHECK(golden::close(in[i].grad(), form.at("grads")[i], 1e-12));
    }
    const auto uneven = [](int64_t of_values) {
      F::scaled_dot_product_attention(ones({1, 6, 2, 3}), ones({1, 2, 2, 3}), ones({1, of_values, 2, 3}), {},
                                      0, false, nullopt, true);
    };
    // PyTorch's sentence lacks its last word.
    const std::string sentence = "Error: " + recorded.at("error").get<std::string>() + "query";
    CHECK(refusal([&] { uneven(4); }) == sentence);
    CHECK(refusal([&] { uneven(0); }) == sentence);
    const nn::HookListener listener([](const auto&) { return true; },
                                    [](const Tensor&, const auto&) { return Tensor(); });
    const nn::detail::InnerPoints inner;
    CHECK(refusal([&] { uneven(4); }) == sentence);
    CHECK(refusal([&] { uneven(0); }) == sentence);
  }

  TEST_CASE("takes a scale, drops weights, and works on nothing") {
    const Tensor q = golden::ramp({4, 4}), v = q * 3;
    CHECK(allclose(F::scaled_dot_product_attention(q, q, v, {}, 0, false, 0.25),
                   F::scaled_dot_product_attention(q / 2, q, v), 1e-6));
    manual_seed(1);
    const Tensor dropped = F::scaled_dot_product_attention(q, q, v, {}, 0.5);
    manual_seed(1);
    CHECK(same(dropped, F::scaled_dot_product_attention(q, q, v, {}, 0.5)));
    CHECK_FALSE(same(dropped, F::scaled_dot_product_attention(q, q, v)));
    CHECK(F::scaled_dot_product_attention(zeros({0, 2, 4}), zeros({0, 3, 4}), zeros({0, 3, 5})).sizes() ==
          IntArrayRef({0, 2, 5}));
    CHECK(refusal([&] { F::scaled_dot_product_attention(q[0], q, v); }) ==
          "Error: scaled_dot_product_attention: expected query, key and value of at least 2 dims, but got 1, "
          "2 and 2");
  }

  TEST_CASE("has the gradient and second gradient of finite differences") {
    const TensorFunction f = [](const auto& in) {
      return F::scaled_dot_product_attention(in[0], in[1], in[2], {}, 0.0, /*is_causal=*/true);
    };
    const std::vector<Tensor> inputs = {golden::ramp({2, 3, 2}).to(kDouble),
                                        golden::ramp({2, 3, 2}).to(kDouble) * 2,
                                        golden::ramp({2, 3, 4}).to(kDouble)};
    CHECK(gradcheck(f, inputs));
    CHECK(gradgradcheck(f, inputs));
  }
}
