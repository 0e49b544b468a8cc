// The kernel that computes a few rows of scores at a time, against the same attention made of ops.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "etude/ops/attention_scores.h"
#include "support/distance.h"
#include "support/gradcheck.h"
#include "support/refusal.h"
#include "support/thread_count.h"

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

  /// Every head of keys and values again for each query head of its group.
  std::vector<Tensor> repeated(const std::vector<Tensor>& in) {
    auto repeat = [&](const Tensor& t) { return t.repeat_interleave(in[0].size(-3) / t.size(-3), -3); };
    return {in[0], repeat(in[1]), repeat(in[2])};
  }

  Tensor by_group(const Given& g, const std::vector<Tensor>& in, bool need_weights = false) {
    return attention(in[0], in[1], in[2], g.mask, g.causal_from, g.scale, 0, need_weights, true).first;
  }

  std::vector<Given> grouped_forms() {
    manual_seed(7);
    const Tensor fused =
        drawn({2, 70, (6 + 2 + 2) * 3});  // queries of 6 heads, keys and values of 2, side by side
    auto heads = [&](int64_t first, int64_t count) {
      return fused.narrow(2, 3 * first, 3 * count).view({2, 70, count, 3}).transpose(1, 2);
    };
    const std::vector<Tensor> projected = {heads(0, 6), heads(6, 2), heads(8, 2)};
    const std::vector<Tensor> one = {drawn({2, 6, 1, 5}), drawn({2, 2, 9, 5}), drawn({2, 2, 9, 4})};
    const std::vector<Tensor> of_one_head = {drawn({2, 4, 3, 5}), drawn({2, 1, 9, 5}), drawn({2, 1, 9, 4})};
    return {
        {projected},
        {projected, {}, 0},
        {projected, drawn({70, 70}), 0, 0.3},
        {projected, drawn({2, 1, 1, 70})},
        {projected, drawn({6, 70, 1}), 50},
        {projected, drawn({2, 6, 1, 70}), 20},
        {one},
        {one, {}, 8},
        {one, {}, 3},
        {one, drawn({9}), 100},
        {one, drawn({1, 9})},
        {one, drawn({6, 1, 9})},
        {one, drawn({2, 1, 1, 9}), 8},
        {of_one_head, {}, 6},
        {{drawn({4, 3, 5}), drawn({2, 7, 5}).mT().contiguous().mT(), drawn({2, 7, 5})}},
        {{drawn({3, 4, 3, 5}), drawn({1, 2, 7, 5}), drawn({2, 7, 5})}},
        {{drawn({1, 4, 3, 5}), drawn({3, 2, 7, 5}), drawn({3, 2, 7, 5})}},
        {{drawn({2, 6, 3, 5}), drawn({2, 3, 7, 5}), drawn({2, 2, 7, 5})}},
        {{drawn({2, 4, 3, 5}), drawn({2, 4, 7, 5}), drawn({2, 2, 7, 5})}, drawn({4, 3, 7})},
        {{drawn({2, 4, 3, 5}), drawn({2, 4, 7, 5}), drawn({2, 4, 7, 5})}},
    };
  }

  TEST_CASE("grouped heads are what repeated keys and values give, with their gradients, on every path") {
    for (const bool onednn_on : {false, true})
      for (const bool need_weights : {false, true})
        for (const ScalarType dtype : {kDouble, kFloat})
          for (const Given& g : grouped_forms()) {
            const onednn::EnabledGuard path(onednn_on);
            Given given = g, wide = g;
            for (size_t i = 0; i < 3; ++i) wide.qkv[i] = (given.qkv[i] = g.qkv[i].to(dtype)).to(kDouble);
            if (g.mask.defined()) wide.mask = (given.mask = g.mask.to(dtype)).to(kDouble);
            const auto got =
                with_gradients([&](const auto& in) { return by_group(given, in, need_weights); }, given.qkv);
            const auto want =
                with_gradients([&](const auto& in) { return expected(wide, repeated(in)); }, wide.qkv);
            CAPTURE(g.qkv[0].sizes());
            CAPTURE(g.qkv[1].sizes());
            for (size_t i = 0; i < want.size(); ++i) {
              CHECK(got[i].sizes() == want[i].sizes());
              CHECK(allclose(got[i].to(kDouble), want[i], dtype == kDouble ? 1e-9 : 1e-3,
                             dtype == kDouble ? 1e-11 : 2e-5));
            }
          }
    for (const ScalarType dtype : {kHalf, kBFloat16})
      for (const Given& g : grouped_forms()) {
        Given given = g;
        for (Tensor& t : given.qkv) t = t.to(dtype);
        if (g.mask.defined()) given.mask = g.mask.to(dtype);
        const Tensor y = by_group(given, given.qkv);
        CHECK(y.scalar_type() == dtype);
        CHECK(allclose(y.to(kDouble), expected(g, repeated(g.qkv)), 0, dtype == kHalf ? 0.02 : 0.1));
      }
  }

  TEST_CASE("grouped heads: weights, scores and what is dropped are those of repeated keys") {
    for (const Given& g : grouped_forms()) {
      const auto all = repeated(g.qkv);
      const auto [q, k, v] = std::tie(g.qkv[0], g.qkv[1], g.qkv[2]);
      CHECK(allclose(attention(q, k, v, g.mask, g.causal_from, g.scale, 0, true, true).second,
                     attention(q, all[1], all[2], g.mask, g.causal_from, g.scale, 0, true).second, 1e-10));
      CHECK(allclose(attention_scores(q, k, g.mask, g.causal_from, g.scale, true),
                     attention_scores(q, all[1], g.mask, g.causal_from, g.scale), 1e-10, 1e-10, true));
      manual_seed(1);
      const Tensor dropped = attention(q, k, v, g.mask, g.causal_from, g.scale, 0.5, false, true).first;
      manual_seed(1);
      CHECK(allclose(dropped, attention(q, all[1], all[2], g.mask, g.causal_from, g.scale, 0.5, false).first,
                     1e-9));
    }
  }

  TEST_CASE("grouped heads have the gradients and second gradients of finite differences") {
    manual_seed(6);
    const std::vector<Tensor> inputs = {drawn({4, 3, 2}), drawn({2, 4, 2}), drawn({2, 4, 3})},
                              one = {drawn({4, 1, 2}), inputs[1], inputs[2]};
    const Tensor mask = drawn({4, 3, 4});
    const TensorFunction f =
                             [&](const auto&in) {
                               return by_group({{}, mask, 1, 0.7}, in);
                             },
                         of_one = [&](const auto&in) {
                           return by_group({{}, {}, 3}, in);
                         };
    for (const auto& [function, in] : {std::pair(f, inputs), std::pair(of_one, one)}) {
      CHECK(gradcheck(function, in));
      CHECK(gradgradcheck(function, in));
      for (size_t i = 0; i < 3; ++i)
        CHECK(gradcheck(
            [&, &function = function, &in = in](const auto& changed) {
              std::vector<Tensor> all = in;
              all[i] = changed[0];
              return function(all);
            },
            {in[i]}));
    }
    CHECK(gradcheck(
        [&](const auto& in) {
          return attention(inputs[0], inputs[1], inputs[2], in[0], nullopt, nullopt, 0, false, true).first;
        },
        {mask}));
  }

  TEST_CASE("keys and values of grouped heads are never repeated, and the bits are those of one thread") {
    manual_seed(8);
    const std::vector<Tensor> in = {drawn({2, 16, 40, 16}), drawn({2, 2, 2000, 16}), drawn({2, 2, 2000, 16})};
    const auto of_threads = [&](int n) {
      const ThreadCount threads(n);
      return with_gradients([&](const auto& x) { return by_group({{}, {}, 1960}, x); }, in);
    };
    const auto one = of_threads(1), four = of_threads(4);
    for (size_t i = 0; i < one.size(); ++i) CHECK(one[i].equal(four[i]));
    memory::reset_most_in_use();
    const int64_t before = memory::stats().in_use;
    of_threads(1);
    // The gradients of keys and values, and a few times the queries.
    CHECK(memory::stats().most_in_use - before < 3 * 2 * in[1].numel() * 8 + 10 * in[0].numel() * 8);
    const Tensor rows = drawn({2, 5, 8});
    const Tensor q = rows.view({2, 5, 4, 2}).transpose(1, 2), k = q.narrow(1, 0, 2);
    CHECK(by_group({}, {q, k, k}).transpose(1, 2).is_contiguous());
  }

  TEST_CASE("grouped heads of nothing, and heads that do not fit") {
    const auto sizes = [](IntArrayRef q, IntArrayRef k) {
      return by_group({}, {zeros(q), zeros(k), zeros(k)}).sizes().vec();
    };
    CHECK(sizes({0, 4, 3, 2}, {0, 2, 5, 2}) == std::vector<int64_t>{0, 4, 3, 2});
    CHECK(sizes({2, 0, 3, 2}, {2, 2, 5, 2}) == std::vector<int64_t>{2, 0, 3, 2});
    CHECK(sizes({2, 4, 0, 2}, {2, 2, 5, 2}) == std::vector<int64_t>{2, 4, 0, 2});
    CHECK(sizes({2, 4, 1, 2}, {2, 2, 0, 2}) == std::vector<int64_t>{2, 4, 1, 2});
    CHECK(sizes({2, 0, 3, 2}, {2, 0, 5, 2}) == std::vector<int64_t>{2, 0, 3, 2});
    const std::string sentence =
        "Error: Number of heads in key and value must divide the number of heads in query";
    CHECK(refusal([&] { sizes({6, 3, 2}, {4, 3, 2}); }) == sentence);
    CHECK(refusal([&] { sizes({2, 3, 2}, {6, 3, 2}); }) == sentence);
    CHECK(refusal([&] { sizes({6, 3, 2}, {0, 3, 2}); }) == sentence);
    CHECK(refusal([] {
            attention_scores(zeros({6, 3, 2}), zeros({4, 3, 2}), {}, {}, {}, true);
          }) == sentence);
    CHECK(refusal([&] {
            sizes({3, 2}, {3, 2});
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got -3)");
    const Tensor q = zeros({4, 3, 2}), k = zeros({2, 3, 2});
    CHECK(refusal([&] { by_group({{}, zeros({2, 3, 3})}, {q, k, k}); }) != "");  // it is per query head
    CHECK(refusal([&] {
            attended({}, {q, k, k});
          }) ==
          "Error: The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 0");
  }

  TEST_CASE("a mask that was written to after the forward pass is found") {
    const Tensor q = ones({2, 2}).requires_grad_(), mask = zeros({2, 2});
    const Tensor y = attended({{}, mask}, {q, q, q});
    mask.add_(1);
    CHECK(refusal([&] { y.sum().backward(); }).find("modified by an inplace operation") != std::string::npos);
  }
}
