// The kernel that computes a few rows of scores at a time, against the same attention made of ops.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "etude/ops/attention_scores.h"
#include "support/distance.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("attention") {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();

  /// The arguments of attention in a case.
  struct Given {
    std::vector<Tensor> qkv;
    Tensor mask = {};
    optional<int64_t> causal_from = nullopt;
    optional<double> scale = nullopt;
  };

  Tensor attended(const Given& g, const std::vector<Tensor>& in, bool need_weights = false) {
    return attention(in[0], in[1], in[2], g.mask, g.causal_from, g.scale, 0, need_weights).first;
  }

  // By hand, with all scores at once.
  Tensor expected(const Given& g, const std::vector<Tensor>& in) {
    Tensor s = matmul(in[0], in[1].transpose(-2, -1)) *
               g.scale.value_or(1 / std::sqrt(static_cast<double>(in[0].size(-1))));
    if (g.mask.defined()) s = s + g.mask;
    if (g.causal_from)
      s = s + full({s.size(-2), s.size(-1)}, kHidden, s.scalar_type()).triu(*g.causal_from + 1);
    return matmul(softmax(s, -1), in[2]);
  }

  /// The result and the gradients of a sum with uneven weights.
  std::vector<Tensor> with_gradients(const TensorFunction& f, const std::vector<Tensor>& given) {
    std::vector<Tensor> in;
    for (const Tensor& t : given) in.push_back(t.detach().requires_grad_());
    const Tensor y = f(in);
    std::vector<Tensor> results = {y.detach()};
    y.backward(etude::arange(y.numel(), y.scalar_type()).view(y.sizes()).sin());
    for (const Tensor& t : in) results.push_back(t.grad());
    return results;
  }

  Tensor drawn(IntArrayRef sizes, ScalarType dtype = kDouble) { return etude::randn(sizes, dtype); }

  std::vector<Given> every_form() {
    manual_seed(3);
    const Tensor fused = drawn({2, 130, 3 * 12});  // queries, keys and values of 4 heads of 3, side by side
    auto heads = [&](int64_t which) {
      return fused.narrow(2, 12 * which, 12).view({2, 130, 4, 3}).transpose(1, 2);
    };
    const std::vector<Tensor> projected = {heads(0), heads(1), heads(2)};
    const std::vector<Tensor> uneven = {drawn({3, 70, 5}), drawn({3, 150, 5}), drawn({3, 150, 2})};
    return {
        {projected},
        {projected, {}, 0},
        {projected, drawn({130, 130}), 0, 0.3},
        {projected, drawn({2, 1, 1, 130})},
        {projected, drawn({4, 130, 1}), 100},
        {uneven},
        {uneven, drawn({150}), 80},
        {uneven, drawn({150, 70}).t()},
        {{drawn({7, 4}), drawn({4, 9}).t(), drawn({6, 9}).t()}},
        {{drawn({2, 1, 7, 4}), drawn({3, 9, 4}), drawn({2, 1, 9, 6})}},
        {{drawn({1, 4}).expand({3, 5, 4}), drawn({3, 1, 4}).expand({3, 9, 4}),
          drawn({1, 1, 1}).expand({3, 9, 2})}},
        {{drawn({1, 1}), drawn({1, 1}), drawn({1, 1})}, {}, 0},
        {{drawn({2, 3}), drawn({20000, 3}), drawn({20000, 2})}},
    };
  }

  TEST_CASE(
      "is what all scores at once give, with its gradients, for any layout, mask and type, on both paths") {
    for (const bool onednn_on : {false, true})
      for (const ScalarType dtype : {kDouble, kFloat})
        for (const Given& form : every_form()) {
          const onednn::EnabledGuard path(onednn_on);
          Given g = form;
          // Float numbers are rounded after drawing, and compared with the same numbers in double.
          for (Tensor& t : g.qkv) t = t.to(dtype);
          if (g.mask.defined()) g.mask = g.mask.to(dtype);
          Given wide = g;
          for (Tensor& t : wide.qkv) t = t.to(kDouble);
          if (wide.mask.defined()) wide.mask = wide.mask.to(kDouble);
          const auto got = with_gradients([&](const auto& in) { return attended(g, in); }, g.qkv);
          const auto want = with_gradients([&](const auto& in) { return expected(wide, in); }, wide.qkv);
          CAPTURE(g.qkv[0].sizes());
          CAPTURE(dtype);
          for (size_t i = 0; i < want.size(); ++i) {
            CHECK(got[i].sizes() == want[i].sizes());
            CHECK(allclose(got[i].to(kDouble), want[i], dtype == kDouble ? 1e-9 : 1e-3,
                           dtype == kDouble ? 1e-11 : 2e-5));
          }
        }
  }

  TEST_CASE("weights that are asked for change nothing") {
    manual_seed(4);
    for (const Given& g : every_form())
      CHECK(allclose(attended(g, g.qkv), attended(g, g.qkv, true), 1e-10, 1e-12));
  }

  TEST_CASE("its scores can be had alone") {
    for (const Given& g : every_form()) {
      const Tensor scores = attention_scores(g.qkv[0], g.qkv[1], g.mask, g.causal_from, g.scale);
      CHECK(allclose(matmul(softmax(scores, -1), g.qkv[2]), expected(g, g.qkv), 1e-10, 1e-10, true));
    }
  }

  TEST_CASE("a query that sees no key gets nan, and a nan stays in its row") {
    manual_seed(5);
    const Tensor q = drawn({3, 2}), k = drawn({4, 2}), v = drawn({4, 2});
    Tensor mask = zeros({3, 4}, kDouble);
    mask[1].fill_(kHidden);
    const Tensor y = attended({{}, mask}, {q, k, v});
    CHECK(y[1].isnan().all().item<bool>());
    CHECK_FALSE(y[0].isnan().any().item<bool>());
    CHECK(attended({{}, {}, -1}, {q, k, v})[0].isnan().all().item<bool>());
  }

  TEST_CASE("results and gradients lie as their inputs do: heads are joined without a copy") {
    const Tensor rows = drawn({2, 6, 8});
    const Tensor q = rows.view({2, 6, 4, 2}).transpose(1, 2).detach().requires_grad_();
    const Tensor y = attended({}, {q, q, q});
    CHECK(y.strides() == q.strides());
    CHECK(y.transpose(1, 2).is_contiguous());
  }

  TEST_CASE("AttentionBackward0: gradients and second gradients are those of finite differences") {
    manual_seed(6);
    const std::vector<Tensor> inputs = {drawn({2, 3, 2}), drawn({2, 4, 2}), drawn({2, 4, 3})};
    const Tensor mask = drawn({3, 4});
    const TensorFunction f = [&](const auto& in) { return attended({{}, mask, 1, 0.7}, in); };
    CHECK(f({inputs[0].detach().requires_grad_(), inputs[1], inputs[2]}).grad_fn()->name() ==
          "AttentionBackward0");
    CHECK(gradcheck(f, inputs));
    CHECK(gradgradcheck(f, inputs));
    // One input at a time; the gradients of the others are not needed.
    for (size_t i = 0; i < 3; ++i)
      CHECK(gradcheck(
          [&](const auto& in) {
            std::vector<Tensor> all = inputs;
            all[i] = in[0];
            return f(all);
          },
          {inputs[i]}));
    // The mask has a gradient if it requires grad.
    CHECK(gradcheck(
        [&](const auto& in) {
          return attention(inputs[0], inputs[1], inputs[2], in[0], nullopt, nullopt, 0, false).first;
        },
        {mask}));
  }

  TEST_CASE("a mask that was written to after the forward pass is found") {
    const Tensor q = ones({2, 2}).requires_grad_(), mask = zeros({2, 2});
    const Tensor y = attended({{}, mask}, {q, q, q});
    mask.add_(1);
    CHECK(refusal([&] { y.sum().backward(); }).find("modified by an inplace operation") != std::string::npos);
  }
}
