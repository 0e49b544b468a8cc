// Weights of 8 bits by groups, against gguf's bytes (tests/golden/make_quantized.py), and products with them, against float64.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/processor.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("quantized_linear") {
  namespace {

  // Blocks of a float16 scale and 32 int8 numbers, as files of GGUF hold them.
  Tensor blocks_of(const QuantizedWeight& w) {
    const int64_t groups = w.scales.numel();
    const Tensor bytes = etude::empty({groups, 34}, kByte);
    for (int64_t g = 0; g < groups; ++g) {
      uint8_t* const to = bytes.data_ptr<uint8_t>() + g * 34;
      std::memcpy(to, w.scales.data_ptr<Half>() + g, 2);
      std::memcpy(to + 2, w.values.data_ptr<int8_t>() + g * 32, 32);
    }
    return bytes.view({w.values.size(0), -1});
  }

  // values * scales in float64, by definition.
  Tensor exact(const QuantizedWeight& w) {
    const int64_t out = w.values.size(0), groups = w.scales.size(1);
    return (w.values.to(kDouble).view({out, groups, -1}) * w.scales.to(kDouble).unsqueeze(2)).view({out, -1});
  }

  // How far from x W^T the product may be: half of a step of 16 bits for each number of x, and float32's own rounding.
  Tensor allowed(const Tensor& x, const Tensor& w) {
    const Tensor rows = x.to(kDouble).abs().view({x.size(0), -1, 32});
    const Tensor steps = rows.amax(2, true).expand(rows.sizes()).reshape(x.sizes()) / 32767;
    return (steps * 0.505 + x.to(kDouble).abs() * 1e-6).mm(w.abs().t()) + 1e-30;
  }

  void check_product(const Tensor& x, const QuantizedWeight& w) {
    const Tensor wide = exact(w), found = quantized_linear(x, w).to(kDouble);
    REQUIRE(found.sizes() == IntArrayRef({x.size(0), wide.size(0)}));
    CHECK(((found - x.to(kDouble).mm(wide.t())).abs() <= allowed(x, wide)).all().item<bool>());
  }

  }  // namespace

  TEST_CASE("groups of 32 with float16 scales have the bytes of gguf's q8_0, and mean the same numbers") {
    const auto golden = load_safetensors(std::string(ETUDE_GOLDEN_DIR) + "/quantized.safetensors");
    const Tensor weight = golden["weight"];
    const QuantizedWeight w = quantize_per_group(weight);
    CHECK(equal(blocks_of(w), golden["blocks"]));
    CHECK(equal(dequantize(w), golden["dequantized"]));
    CHECK(equal(blocks_of(quantize_per_group(weight.t().contiguous().t())), golden["blocks"]));
    CHECK(equal(blocks_of(quantize_per_group(weight.to(kDouble).requires_grad_())), golden["blocks"]));
    const Tensor halves = weight.to(kBFloat16);
    CHECK(equal(quantize_per_group(halves).values, quantize_per_group(halves.to(kFloat)).values));
  }

  TEST_CASE("other groups and scales of float32 follow the same formula") {
    const Tensor weight = randn({3, 192});
    for (const int64_t group : {1, 24, 64, 192}) {
      CAPTURE(group);
      const QuantizedWeight w = quantize_per_group(weight, group, kFloat);
      REQUIRE((w.values.scalar_type() == kChar && w.scales.scalar_type() == kFloat));
      REQUIRE(w.scales.sizes() == IntArrayRef({3, 192 / group}));
      for (int64_t g = 0; g < weight.numel() / group; ++g) {
        const float* const x = weight.data_ptr<float>() + g * group;
        float largest = 0;
        for (int64_t i = 0; i < group; ++i) largest = std::max(largest, std::fabs(x[i]));
        REQUIRE(w.scales.data_ptr<float>()[g] == largest / 127);
        for (int64_t i = 0; i < group; ++i)
          REQUIRE(w.values.data_ptr<int8_t>()[g * group + i] == std::round(x[i] * (1 / (largest / 127))));
      }
    }
    CHECK((dequantize(quantize_per_group(weight)) - weight).abs().max().item<float>() <
          weight.abs().max().item<float>() / 250);
  }

  TEST_CASE("a product is that of float64, for any sizes, rows, groups, scales and vectors") {
    for (const detail::Isa isa : kProcessors) {
      const ProcessorGuard guard(isa);
      CAPTURE(static_cast<int>(isa));
      for (const int64_t in : {32, 96, 768})
        for (const int64_t out : {1, 2, 3, 131}) {
          CAPTURE(in);
          CAPTURE(out);
          for (const int64_t rows : {1, 2, 8, 9, 40})
            check_product(randn({rows, in}), quantize_per_group(randn({out, in})));
          check_product(randn({3, in}) * 1e30, quantize_per_group(randn({out, in}), in, kFloat));
          check_product(randn({3, in}) * 1e-38, quantize_per_group(randn({out, in}), 16));
          QuantizedWeight w = quantize_per_group(randn({out, in}), in / 32 % 3 == 0 ? 96 : 32);
          w.scales = w.scales.to(kBFloat16);
          check_product(etude::arange(2 * in, kFloat).view({in, 2}).t() - 17, w);
        }
    }
  }

  TEST_CASE("a weight that becomes floats in several blocks is the same") {
    check_product(randn({9, 8192}), quantize_per_group(randn({131, 8192})));
  }

  TEST_CASE("each number of a row is rounded to the nearest of 16 bits") {
    const QuantizedWeight w{etude::eye(32).to(kChar), etude::ones({32, 1}, kHalf)};  // its rows pick numbers
    const Tensor x = randn({8, 32}).to(kDouble);
    for (const detail::Isa isa : kProcessors) {
      const ProcessorGuard guard(isa);
      const Tensor error = quantized_linear(x.to(kFloat), w).to(kDouble) - x;
      CHECK((error.abs().amax(1) / x.abs().amax(1)).max().item<double>() < 0.51 / 32767);
    }
  }

  TEST_CASE("no sum of the largest numbers of 8 and 16 bits overflows") {
    QuantizedWeight w{etude::arange(-128, 128).to(kChar).view({2, 128}), etude::ones({2, 4}, kHalf)};
    const Tensor x = etude::full({1, 128}, -32767.0), product = x.to(kDouble).mm(exact(w).t());
    for (const detail::Isa isa : kProcessors) {
      const ProcessorGuard guard(isa);
      CHECK(allclose(quantized_linear(x, w).to(kDouble), product, /*rtol=*/1e-6, /*atol=*/0));
      CHECK(allclose(quantized_linear(-x, w).to(kDouble), -product, /*rtol=*/1e-6, /*atol=*/0));
      CHECK(equal(quantized_linear(x * 0, w), etude::zeros({1, 2})));
    }
  }

  TEST_CASE("the bits do not depend on the number of threads") {
    const QuantizedWeight w = quantize_per_group(randn({2051, 256}));
    for (const int64_t rows : {1, 3, 33}) {
      const Tensor x = randn({rows, 256});
      std::vector<Tensor> all;
      for (const int threads : {1, 2, 5}) {
        const ThreadCount count(threads);
        all.push_back(quantized_linear(x, w));
      }
      CHECK((all[0].equal(all[1]) && all[0].equal(all[2])));
    }
  }

  TEST_CASE("leading dims stay, the bias is added, and 16-bit floats are rounded once") {
    const QuantizedWeight w = quantize_per_group(randn({5, 64}));
    const Tensor x = randn({2, 3, 64}), bias = randn({5}), y = quantized_linear(x, w);
    CHECK(y.sizes() == IntArrayRef({2, 3, 5}));
    CHECK(equal(quantized_linear(x, w, bias), y + bias));
    CHECK(equal(quantized_linear(x[1][2], w), y[1][2]));
    CHECK(equal(quantized_linear(x.transpose(0, 1), w), y.transpose(0, 1)));
    CHECK(quantized_linear(etude::empty({0, 64}), w).sizes() == IntArrayRef({0, 5}));
    CHECK(quantized_linear(x, {w.values.slice(0, 0, 0), w.scales.slice(0, 0, 0)}).sizes() ==
          IntArrayRef({2, 3, 0}));
    const QuantizedWeight empty = quantize_per_group(etude::empty({4, 0}));
    CHECK(equal(quantized_linear(etude::empty({2, 0}), empty, etude::ones({4})), etude::ones({2, 4})));
    for (const ScalarType type : {kHalf, kBFloat16}) {
      const Tensor narrow = x.to(type);
      CHECK(equal(quantized_linear(narrow, w, bias.to(type)),
                  quantized_linear(narrow.to(kFloat), w, bias.to(type).to(kFloat)).to(type)));
    }
    const QuantizedWeight rows{w.values.slice(0, 1, 5, 2), w.scales.slice(0, 1, 5, 2)};
    CHECK(equal(quantized_linear(x, rows), y.slice(2, 1, 5, 2)));
    CHECK(equal(dequantize(rows), dequantize(w).slice(0, 1, 5, 2)));
    const Tensor ids = etude::tensor({{4, 0, 4}, {1, 2, 3}});
    CHECK(equal(dequantize(w, ids), embedding(dequantize(w), ids)));
    CHECK(equal(dequantize(w, ids[0][1]), dequantize(w)[0]));
  }

  TEST_CASE("a nan or an infinity spoils its own row alone") {
    const QuantizedWeight w = quantize_per_group(randn({4, 96}));
    for (const double odd : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
      const Tensor x = randn({3, 96}), clean = quantized_linear(x, w);
      x[1][40] = odd;
      const Tensor y = quantized_linear(x, w);
      CHECK(y[1].isnan().all().item<bool>());
      CHECK((equal(y[0], clean[0]) && equal(y[2], clean[2])));
    }
  }

  TEST_CASE("what cannot be quantized is refused") {
    const auto refused = [](const Tensor& t, int64_t group = 32, ScalarType scales = kHalf) {
      return refusal([&] { quantize_per_group(t, group, scales); });
    };
    CHECK(refused(etude::ones({32})) ==
          "Error: quantize_per_group: expected floats [out, in], but got torch.float32 of sizes [32]");
    CHECK(refused(etude::ones({2, 32}, kLong)) ==
          "Error: quantize_per_group: expected floats [out, in], but got torch.int64 of sizes [2, 32]");
    CHECK(refused(etude::ones({2, 48})) ==
          "ValueError: quantize_per_group: 48 numbers in a row are not a multiple of a group of 32");
    CHECK(refused(etude::ones({2, 32}), 0) ==
          "ValueError: quantize_per_group: 32 numbers in a row are not a multiple of a group of 0");
    CHECK(refused(etude::ones({2, 32}), 32, kBFloat16) ==
          "Error: quantize_per_group: scales are float16 or float32, but got torch.bfloat16");
    const std::string not_finite = "ValueError: quantize_per_group: a scale is not a finite torch.float16";
    for (const double odd : {double{NAN}, double{INFINITY}, 65520.0 * 127})
      CHECK(refused(etude::full({1, 32}, odd)) == not_finite);
    CHECK(refused(etude::full({1, 32}, 65520.0 * 127), 32, kFloat).empty());
  }

  TEST_CASE("what cannot be multiplied is refused") {
    const QuantizedWeight w = quantize_per_group(etude::ones({5, 64}));
    const auto refused = [&](const Tensor& x, const Tensor& bias = {}) {
      return refusal([&] { quantized_linear(x, w, bias); });
    };
    CHECK(refused(etude::ones({3, 32})) ==
          "Error: mat1 and mat2 shapes cannot be multiplied (3x32 and 64x5)");
    CHECK(refused(etude::ones({})) == "Error: mat1 and mat2 shapes cannot be multiplied (1x1 and 64x5)");
    CHECK(refused(etude::ones({3, 64}, kDouble)) ==
          "Error: \"quantized_linear\" not implemented for 'Double'");
    CHECK(refused(etude::ones({3, 64}, kChar)) == "Error: \"quantized_linear\" not implemented for 'Char'");
    CHECK(refused(etude::ones({3, 64}), etude::ones({4})) ==
          "Error: quantized_linear: expected a floating bias of sizes [5], but got torch.float32 of [4]");
    const Tensor trained = etude::ones({3, 64}).requires_grad_();
    CHECK(refusal_text([&] { quantized_linear(trained, w); }) ==
          "derivative for etude::quantized_linear is not implemented");
    CHECK_THROWS_AS(quantized_linear(etude::ones({3, 64}), w, etude::ones({5}).requires_grad_()),
                    NotImplementedError);
    const NoGradGuard no_grad;
    CHECK_FALSE(quantized_linear(trained, w).requires_grad());
  }

  TEST_CASE("a weight whose parts do not fit is refused with both") {
    const QuantizedWeight good = quantize_per_group(etude::ones({5, 64}));
    const auto refused = [](const QuantizedWeight& w) {
      CHECK(refusal([&] { quantized_linear(etude::ones({1, 64}), w); }) == refusal([&] { dequantize(w); }));
      return refusal_lines([&] { dequantize(w); });
    };
    const std::string sentence =
        "quantized weight: expected int8 values [out, in] and floating scales [out, in / group]\nreceived ";
    CHECK(refused({}) == sentence + "undefined values of sizes [] and undefined scales of sizes []");
    CHECK(refused({good.values, good.scales.slice(0, 0, 4)}) ==
          sentence + "torch.int8 values of sizes [5, 64] and torch.float16 scales of sizes [4, 2]");
    CHECK(refused({good.values.to(kByte), good.scales}) ==
          sentence + "torch.uint8 values of sizes [5, 64] and torch.float16 scales of sizes [5, 2]");
    for (const QuantizedWeight& w :
         {QuantizedWeight{good.values, etude::ones({5, 3})},
          QuantizedWeight{good.values, etude::ones({5, 0})}, QuantizedWeight{good.values, etude::ones({5})},
          QuantizedWeight{good.values, good.values}, QuantizedWeight{good.values, {}},
          QuantizedWeight{good.values[0], good.scales},
          QuantizedWeight{good.values.slice(1, 0, 0), good.scales}})
      CHECK(refused(w).rfind(sentence, 0) == 0);
  }
}
