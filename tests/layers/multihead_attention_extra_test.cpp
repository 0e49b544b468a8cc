// What Python has and LibTorch has not: seeded weights, names of the state, masks of bools, batch first, no
// batch; scaled_dot_product_attention; empty batches.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/multihead_attention.h"
#include "layers/transformer_golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::MultiheadAttention;
using nn::MultiheadAttentionOptions;
namespace F = etude::nn::functional;

TEST_SUITE("MultiheadAttention beyond LibTorch") {
  TEST_CASE("starts with PyTorch's weights for a seed, in the order of its state dict") {
    for (const auto& [name, row] : golden::transformer().at("attention").items()) {
      CAPTURE(name);
      manual_seed(3);
      MultiheadAttention attention(golden::attention_options(row.at("spec")));
      const auto state = attention->state_dict();
      REQUIRE(state.size() == row.at("state").size());
      for (size_t i = 0; i < state.size(); ++i) {
        CHECK(state[i].key() == row.at("state")[i][0].get<std::string>());
        CHECK(same(state[i].value(), golden::single(row.at("state")[i][1])));
      }
    }
  }

  TEST_CASE("has PyTorch's outputs and gradients for every kind of mask and layout, dropout drawn as there") {
    for (const auto& [name, row] : golden::transformer().at("attention").items()) {
      CAPTURE(name);
      const auto given = row.at("spec").value("options", golden::json::object());
      MultiheadAttention attention(
          golden::attention_options(row.at("spec")).batch_first(given.value("batch_first", false)));
      golden::check_attention(row, attention);
      CHECK(rand({1}).item<float>() == row.at("next").get<float>());
    }
  }

  TEST_CASE("a batch of nothing and a sequence of nothing give nothing") {
    MultiheadAttention attention(8, 2);
    const auto [y, weights] = attention(zeros({3, 0, 8}), zeros({3, 0, 8}), zeros({3, 0, 8}));
    CHECK((y.sizes() == IntArrayRef({3, 0, 8}) && weights.sizes() == IntArrayRef({0, 3, 3})));
    CHECK(std::get<0>(attention(zeros({0, 2, 8}), zeros({3, 2, 8}), zeros({3, 2, 8}))).sizes() ==
          IntArrayRef({0, 2, 8}));
  }

  TEST_CASE("in eval mode nothing is dropped") {
    MultiheadAttention attention(MultiheadAttentionOptions(8, 2).dropout(0.9));
    attention->eval();
    const Tensor x = golden::ramp({3, 2, 8}), y = std::get<0>(attention(x, x, x));
    CHECK(same(y, std::get<0>(attention(x, x, x))));
    attention->train();
    CHECK_FALSE(same(y, std::get<0>(attention(x, x, x))));
  }

  TEST_CASE("refuses inputs that do not fit, and says what came") {
    MultiheadAttention attention(8, 2);
    const Tensor x = zeros({3, 2, 8});
    const Tensor none;
    CHECK(refusal([&] { attention(zeros({8}), x, x); }) ==
          "Error: query should be unbatched 2D or batched 3D tensor but received 1-D query tensor");
    CHECK(refusal([&] {
            attention(x, zeros({3, 8}), x);
          }) ==
          "Error: For batched (3-D) `query`, expected `key` and `value` to be 3-D but found 2-D and 3-D "
          "tensors respectively");
    CHECK(refusal([&] {
            attention(zeros({3, 2, 6}), x, x);
          }) == "Error: was expecting embedding dimension of 8, but got 6");
    CHECK(refusal([&] {
            attention(x, x, zeros({4, 2, 8}));
          }) == "Error: key shape torch.Size([3, 2, 8]) does not match value shape torch.Size([4, 2, 8])");
    CHECK(refusal([&] {
            attention(x, zeros({3, 1, 8}), zeros({3, 1, 8}));
          }) == "Error: query and key should have equal batch size, but got 2 and 1");
    CHECK(refusal([&] {
            attention(x, x, x, zeros({2, 3}, kBool), true, zeros({3, 4}));
          }) == "Error: The shape of the 2D attn_mask is torch.Size([3, 4]), but should be (3, 3).");
    CHECK(refusal([&] {
            attention(x, x, x, none, true, zeros({2, 3, 3}));
          }) == "Error: The shape of the 3D attn_mask is torch.Size([2, 3, 3]), but should be (4, 3, 3).");
    CHECK(refusal([&] {
            attention(x, x, x, none, true, zeros({3, 3}, kLong));
          }) == "Error: Only float, byte, and bool types are supported for attn_mask, not torch.int64");
    CHECK(refusal([&] {
            attention(x, x, x, zeros({3, 3}, kBool));
          }) == "Error: expecting key_padding_mask shape of (2, 3), but got torch.Size([3, 3])");
    CHECK(refusal([&] { attention(x, x, x, zeros({3}, kBool)); }) ==
          "Error: For batched (3-D) `query`, expected `key_padding_mask` to be `None` or 2-D but found 1-D "
          "tensor instead");
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
    CHECK(F::scaled_dot_product_attention(q, k, v, zeros({4, 4}, kBool)).isnan().all().item<bool>());
    CHECK(refusal([&] { F::scaled_dot_product_attention(q, k, v, added, 0.0, true); }) ==
          "Error: scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
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
