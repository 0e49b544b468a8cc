#include "etude/multihead_attention.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "layers/transformer_golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::MultiheadAttention;
using nn::MultiheadAttentionOptions;
namespace F = etude::nn::functional;

TEST_SUITE("MultiheadAttention") {
  namespace {

  // Whether LibTorch supports a row: number masks, bool padding, sequence first, keys as wide as values.
  bool is_common(const golden::Recorded& spec) {
    const golden::Recorded options = spec.value("options", golden::Recorded::object());
    return options.value("kdim", 8) == options.value("vdim", 8) && !spec.contains("unbatched") &&
           !options.contains("batch_first") &&
           (!spec.contains("mask") || spec.at("mask") == "float" || spec.at("mask") == "infinite") &&
           (!spec.contains("padding") || spec.at("padding") == "bool");
  }

  F::MultiheadAttentionForwardFuncOptions functional_options(MultiheadAttention& attention) {
    return F::MultiheadAttentionForwardFuncOptions(
        8, 2, attention->in_proj_weight, attention->in_proj_bias, attention->bias_k, attention->bias_v,
        /*add_zero_attn=*/false, /*dropout_p=*/0.0, attention->out_proj->weight, attention->out_proj->bias);
  }

  }  // namespace

  TEST_CASE("has PyTorch's outputs, weights and gradients with every option") {
    int count = 0;
    for (const auto& [name, row] : golden::transformer().at("attention").items()) {
      if (!is_common(row.at("spec"))) continue;
      CAPTURE(name);
      ++count;
      MultiheadAttention attention(golden::attention_options(row.at("spec")));
      golden::check_attention(row, attention);
    }
    CHECK(count == 14);
  }

  TEST_CASE("is for each query an average of values, weighted by products with keys, computed by hand") {
    MultiheadAttention attention(MultiheadAttentionOptions(4, 2).bias(false));
    NoGradGuard no_grad;
    const Tensor unit = etude::eye(4);
    attention->in_proj_weight.copy_(etude::cat({unit, unit * 2, unit * 3}));
    attention->out_proj->weight.copy_(unit);
    const Tensor x = golden::ramp({3, 1, 4});
    const auto [y, weights] = attention(x, x, x, Tensor(), true, Tensor(), false);
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < 3; ++i) {
        double share[3], total = 0;
        for (int64_t j = 0; j < 3; ++j) {
          double product = 0;
          for (int64_t d = 2 * h; d < 2 * h + 2; ++d)
            product += x[i][0][d].item<double>() * 2 * x[j][0][d].item<double>();
          total += share[j] = std::exp(product / std::sqrt(2.0));
        }
        for (int64_t j = 0; j < 3; ++j)
          CHECK(weights[0][h][i][j].item<double>() == doctest::Approx(share[j] / total).epsilon(1e-5));
        for (int64_t d = 2 * h; d < 2 * h + 2; ++d) {
          double expected = 0;
          for (int64_t j = 0; j < 3; ++j) expected += share[j] / total * 3 * x[j][0][d].item<double>();
          CHECK(y[i][0][d].item<double>() == doctest::Approx(expected).epsilon(1e-5));
        }
      }
  }

  TEST_CASE("a query that may look nowhere is nan, and no other one") {
    MultiheadAttention attention(8, 2);
    const Tensor x = golden::ramp({3, 2, 8});
    Tensor mask = etude::zeros({3, 3});
    mask.index_put_({1}, -std::numeric_limits<float>::infinity());
    const Tensor y = std::get<0>(attention(x, x, x, Tensor(), true, mask));
    CHECK(y[1].isnan().all().item<bool>());
    CHECK_FALSE(y[0].isnan().any().item<bool>());
    CHECK_FALSE(y[2].isnan().any().item<bool>());
  }

  TEST_CASE("static keys and values take the place of projected ones") {
    MultiheadAttention attention(8, 2);
    const Tensor x = golden::ramp({3, 2, 8}), k = golden::ramp({4, 5, 4}), v = golden::ramp({4, 5, 4}) * 2;
    const auto [y, weights] =
        F::multi_head_attention_forward(x, x, x, functional_options(attention).static_k(k).static_v(v));
    CHECK(y.sizes() == IntArrayRef({3, 2, 8}));
    CHECK(weights.sizes() == IntArrayRef({2, 3, 5}));
    const Tensor q =
        F::linear(x, attention->in_proj_weight.slice(0, 0, 8), attention->in_proj_bias.slice(0, 0, 8))
            .reshape({3, 4, 4})
            .transpose(0, 1);
    const Tensor expected =
        etude::softmax(etude::bmm(q, k.transpose(1, 2)) / 2, -1).view({2, 2, 3, 5}).mean(1);
    CHECK(etude::allclose(weights, expected, 1e-5, 1e-6));
  }

  TEST_CASE("refuses what LibTorch refuses") {
    CHECK(refusal([] { MultiheadAttention(8, 3); }) == "Error: embed_dim must be divisible by num_heads");
    MultiheadAttention attention(MultiheadAttentionOptions(8, 2).add_bias_kv(true));
    const Tensor x = golden::ramp({3, 2, 8}), k = golden::ramp({4, 5, 4});
    CHECK(refusal([&] {
            F::multi_head_attention_forward(x, x, x, functional_options(attention).static_k(k));
          }) == "Error: bias cannot be added to static key.");
    CHECK(refusal([&] {
            F::multi_head_attention_forward(x, x, x, functional_options(attention).static_v(k));
          }) == "Error: bias cannot be added to static value.");
  }

  TEST_CASE("has the gradient and second gradient of finite differences, of inputs and parameters") {
    MultiheadAttention attention(MultiheadAttentionOptions(4, 2).add_bias_kv(true).kdim(3).vdim(3));
    attention->to(kDouble);
    const Tensor mask = golden::ramp({3, 2}).to(kDouble);
    const TensorsFunction f = [&](const std::vector<Tensor>& in) {
      const auto [y, weights] =
          F::multi_head_attention_forward(in[0], in[1], in[2],
                                          F::MultiheadAttentionForwardFuncOptions(
                                              4, 2, Tensor(), in[3], in[4], in[5], true, 0.0, in[6], in[7])
                                              .use_separate_proj_weight(true)
                                              .q_proj_weight(in[8])
                                              .k_proj_weight(in[9])
                                              .v_proj_weight(in[10])
                                              .attn_mask(mask));
      return std::vector<Tensor>{y, weights};
    };
    const std::vector<Tensor> inputs = {golden::ramp({3, 1, 4}).to(kDouble),
                                        golden::ramp({2, 1, 3}).to(kDouble),
                                        golden::ramp({2, 1, 3}).to(kDouble) * 2,
                                        golden::ramp({12}).to(kDouble),
                                        attention->bias_k,
                                        attention->bias_v,
                                        attention->out_proj->weight,
                                        golden::ramp({4}).to(kDouble),
                                        attention->q_proj_weight,
                                        attention->k_proj_weight,
                                        attention->v_proj_weight};
    CHECK(gradcheck(f, inputs));
    CHECK(gradgradcheck(f, inputs));
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    MultiheadAttention attention(MultiheadAttentionOptions(8, 2).add_bias_kv(true));
    const auto copy = std::dynamic_pointer_cast<nn::MultiheadAttentionImpl>(attention->clone());
    REQUIRE(copy);
    const Tensor x = golden::ramp({3, 2, 8}), y = std::get<0>(attention(x, x, x));
    CHECK(std::get<0>(copy->forward(x, x, x)).equal(y));
    {
      NoGradGuard no_grad;
      copy->out_proj->weight.zero_();
      copy->in_proj_weight.zero_();
    }
    CHECK(std::get<0>(attention(x, x, x)).equal(y));
  }
}
