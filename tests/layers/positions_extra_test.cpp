#include "etude/positions.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "etude/generate.h"
#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

namespace {

double at(const Tensor& t, std::initializer_list<int64_t> index) {
  Tensor x = t;
  for (const int64_t i : index) x = x[i];
  return x.item<double>();
}

}  // namespace

TEST_SUITE("Positions") {
  TEST_CASE("sines of no tokens are none, on a new module as on any other") {
    SinusoidalPositions sines(4);
    CHECK(sines->embed(etude::zeros({1, 0, 4}), 0).sizes() == IntArrayRef({1, 0, 4}));
  }

  TEST_CASE("of no kind leave everything as it is") {
    NoPositions none;
    const Tensor x = golden::ramp({2, 3, 4});
    CHECK(none->embed(x, 5).is_same(x));
    CHECK(none->turn(x, 5).is_same(x));
    CHECK_FALSE(none->bias(3, 3).defined());
    CHECK_FALSE(none->max_length().has_value());
    CHECK(none->parameters().empty());
  }

  TEST_CASE("sinusoidal: sines and cosines by hand, wherever the sequence starts") {
    SinusoidalPositions positions(6);
    const Tensor x = golden::ramp({2, 3, 6});
    for (const int64_t first : {0, 7, 500}) {
      const Tensor y = positions->embed(x, first);
      for (int64_t p = 0; p < 3; ++p)
        for (int64_t i = 0; i < 6; ++i) {
          const double angle =
              static_cast<double>(first + p) / std::pow(10000.0, static_cast<double>(i / 2 * 2) / 6);
          CHECK(at(y, {1, p, i}) - at(x, {1, p, i}) ==
                doctest::Approx(i % 2 == 0 ? std::sin(angle) : std::cos(angle)).scale(1).epsilon(1e-4));
        }
    }
    CHECK(refusal([&] {
            positions->embed(golden::ramp({3, 4}), 0);
          }) == "Error: expected embeddings of sizes [..., sequence, 6], but got [3, 4]");
  }

  TEST_CASE("sinusoidal: the table has the type of the input, and is as exact after a narrower one") {
    SinusoidalPositions positions(6);
    const Tensor table = sinusoidal_table(9, 6).narrow(0, 2, 7);
    for (const ScalarType dtype : {kFloat, kBFloat16, kFloat, kDouble, kHalf, kDouble}) {
      const Tensor y = positions->embed(etude::zeros({7, 6}, dtype), 2);
      CHECK(y.scalar_type() == dtype);
      CHECK(etude::equal(y, table.to(dtype)));
    }
  }

  TEST_CASE("learned: a row per position, which is trained, and there are no more") {
    LearnedPositions positions(5, 4);
    const Tensor x = golden::ramp({2, 3, 4});
    CHECK(same((positions->embed(x, 2) - x)[1], (positions->weight.slice(0, 2, 5) + x[1]) - x[1]));
    positions->embed(x, 2).sum().backward();
    CHECK(same(positions->weight.grad().sum(1), etude::tensor({0.0, 0.0, 8.0, 8.0, 8.0})));
    CHECK(positions->max_length() == 5);
    CHECK(refusal([&] { positions->embed(x, 3); }) ==
          "Error: position 5 is out of range: there are 5 positions");
  }

  TEST_CASE("rotary: each pair is turned by its angle, computed by hand") {
    const Tensor x = golden::ramp({2, 3, 6});
    for (const RotaryPairs pairs : {RotaryPairs::Interleaved, RotaryPairs::Half}) {
      RotaryPositions positions(6, pairs, 100.0);
      const Tensor y = positions->turn(x, 4);
      for (int64_t p = 0; p < 3; ++p)
        for (int64_t i = 0; i < 3; ++i) {
          const bool half = pairs == RotaryPairs::Half;
          const int64_t a = half ? i : 2 * i, b = half ? i + 3 : 2 * i + 1;
          const double angle =
                           static_cast<double>(4 + p) * std::pow(100.0, -2.0 * static_cast<double>(i) / 6),
                       u = at(x, {1, p, a}), v = at(x, {1, p, b});
          CHECK(at(y, {1, p, a}) == doctest::Approx(u * std::cos(angle) - v * std::sin(angle)).epsilon(1e-5));
          CHECK(at(y, {1, p, b}) == doctest::Approx(u * std::sin(angle) + v * std::cos(angle)).epsilon(1e-5));
        }
    }
    CHECK(refusal([] { RotaryPositions(5, RotaryPairs::Half); }) ==
          "ValueError: RotaryPositions: the width of a head must be even, but got 5");
  }

  TEST_CASE("rotary: scaled angles are those of transformers") {
    const golden::Recorded recorded = golden_json("layers/families.json").at("angles");
    // Pairs (1, 0), turned once, become cosines and sines.
    const auto sines = [](const RotaryPositionsOptions& options) {
      const Tensor y = RotaryPositions(options)->turn(cat({ones({1, 8}), zeros({1, 8})}, 1).to(kDouble), 1);
      return y[0].narrow(0, 8, 8);
    };
    const auto linear = RotaryScaling().kind(RotaryScaling::Kind::kLinear).factor(4);
    const auto llama3 = RotaryScaling().kind(RotaryScaling::Kind::kLlama3).factor(8).original_context(64);
    const auto options = RotaryPositionsOptions(16).base(500000).scaling(llama3);
    for (const auto& [found, name] : {std::pair(sines(RotaryPositionsOptions(16).scaling(linear)), "linear"),
                                      std::pair(sines(options), "llama3")})
      CHECK(allclose(found, sin(golden::tensor(recorded.at(name))), 1e-6, 0));
    CHECK(RotaryPositions(options)->options.scaling().factor() == 8);
    const auto scaled = [&](const RotaryScaling& s) {
      return refusal([&] { RotaryPositions(RotaryPositionsOptions(4).scaling(s)); });
    };
    const std::string both =
        "ValueError: RotaryScaling: original_context must be positive and high_freq_factor above "
        "low_freq_factor, but got ";
    CHECK(scaled(RotaryScaling(linear).factor(0)) ==
          "ValueError: RotaryScaling: factor must be positive, but got 0");
    CHECK(scaled(RotaryScaling(llama3).factor(std::nan(""))) ==
          "ValueError: RotaryScaling: factor must be positive, but got nan");
    CHECK(scaled(RotaryScaling(llama3).high_freq_factor(1)) == both + "64, 1 and 1");
    CHECK(scaled(RotaryScaling(llama3).original_context(0)) == both + "0, 4 and 1");
    CHECK(refusal([] { RotaryPositions(4, RotaryPairs::Half, 0.0); }) ==
          "ValueError: RotaryPositions: base must be positive, but got 0");
  }

  TEST_CASE("rotary: scores depend on distances alone, and lengths stay") {
    RotaryPositions positions(8, RotaryPairs::Half);
    const Tensor q = golden::ramp({1, 8}).to(kDouble), k = golden::ramp({1, 8}).to(kDouble) * 2 + 1;
    auto score = [&](int64_t i, int64_t j) {
      return (positions->turn(q, i) * positions->turn(k, j)).sum().item<double>();
    };
    CHECK(score(3, 1) == doctest::Approx(score(103, 101)));
    CHECK(score(0, 7) == doctest::Approx(score(50, 57)));
    CHECK(score(3, 1) != doctest::Approx(score(3, 2)));
    CHECK(positions->turn(k, 9).norm().item<double>() == doctest::Approx(k.norm().item<double>()));
    const TensorFunction f = [&](const auto& in) { return positions->turn(in[0], 2); };
    CHECK(gradcheck(f, {golden::ramp({2, 2, 8}).to(kDouble)}));
  }

  TEST_CASE("ALiBi: slopes of the paper, times how far back a key is") {
    ALiBiPositions eight(8);
    for (int64_t h = 0; h < 8; ++h)
      CHECK(at(eight->slopes, {h}) == std::pow(2.0, -static_cast<double>(h + 1)));
    const Tensor bias = eight->bias(2, 5);
    CHECK(bias.sizes() == IntArrayRef({8, 2, 5}));
    for (int64_t j = 0; j < 5; ++j) {
      CHECK(at(bias, {2, 0, j}) == (j < 3 ? -0.125 * static_cast<double>(3 - j) : 0));
      CHECK(at(bias, {2, 1, j}) == -0.125 * static_cast<double>(4 - j));
    }
    // The slopes for 12 heads in the paper's code: the slopes of 8, then every second slope of 16.
    ALiBiPositions twelve(12);
    for (int64_t h = 0; h < 4; ++h)
      CHECK(at(twelve->slopes, {8 + h}) ==
            doctest::Approx(std::pow(2.0, -0.5 * static_cast<double>(2 * h + 1))));
    CHECK(at(twelve->slopes, {7}) == at(eight->slopes, {7}));
    CHECK(twelve->state_dict().size() == 0);
  }

  TEST_CASE("T5: near distances have buckets of their own, far ones share them by logarithm") {
    T5Positions causal(T5PositionsOptions(2)), both(T5PositionsOptions(2).bidirectional(true));
    NoGradGuard no_grad;
    for (T5Positions* positions : {&causal, &both})
      (*positions)->weight.copy_(etude::arange(64).view({32, 2}));  // bucket b of head h has 2 b + h
    auto bucket = [](T5Positions& positions, int64_t key, int64_t query) {
      const int64_t last = std::max(key, query) + 1;
      return static_cast<int64_t>(at(positions->bias(last, last), {0, query, key})) / 2;
    };
    // From T5's published code, for 32 buckets and a distance of 128, with the query or the key at 200.
    const std::vector<std::array<int64_t, 3>> expected = {
        {0, 0, 0},    {1, 1, 1},    {7, 7, 7},    {8, 8, 8},     {15, 15, 9},   {16, 16, 10},
        {20, 17, 10}, {32, 21, 12}, {64, 26, 14}, {100, 30, 15}, {127, 31, 15}, {200, 31, 15}};
    for (const auto& [distance, alone, halved] : expected) {
      CAPTURE(distance);
      CHECK(bucket(causal, 200 - distance, 200) == alone);
      CHECK(bucket(both, 200 - distance, 200) == halved);
      if (distance > 0) CHECK(bucket(causal, 200, 200 - distance) == 0);
      if (distance > 0) CHECK(bucket(both, 200, 200 - distance) == 16 + halved);
    }
    CHECK(same(causal->bias(2, 5), causal->bias(5, 5).narrow(1, 3, 2)));
    CHECK(refusal([] { T5Positions(T5PositionsOptions(0)); }) ==
          "ValueError: T5Positions: there must be at least one head, but got 0");
    CHECK(refusal([] { T5Positions(T5PositionsOptions(2).buckets(6)); }) ==
          "ValueError: T5Positions: the number of buckets must be a multiple of 4, but got 6");
    CHECK(
        refusal([] { T5Positions(T5PositionsOptions(2).max_distance(16)); }) ==
        "ValueError: T5Positions: max_distance must be above half the number of buckets, but got 16 and 32");
  }

  TEST_CASE("T5: a gradient reaches every bucket that is used") {
    T5Positions positions(T5PositionsOptions(2).buckets(8).max_distance(16));
    positions->bias(20, 20).sum().backward();
    CHECK(positions->weight.grad().min().item<double>() > 0);
  }

  TEST_CASE("in two dims: half of the elements tell the row, half the column") {
    const Tensor table = sinusoidal_table_2d(3, 4, 8),
                 rows = Sinusoidal2DPositions(3, 4, 8)->embed(zeros({12, 8}), 0);
    for (int64_t y = 0; y < 3; ++y)
      for (int64_t c = 0; c < 4; ++c)
        for (int64_t i = 0; i < 8; ++i) {
          const double place = static_cast<double>(i < 4 ? y : c),
                       angle = place / std::pow(10000.0, static_cast<double>(i % 4 / 2 * 2) / 4),
                       expected = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
          CHECK(at(table, {y, c, i}) == doctest::Approx(expected).scale(1).epsilon(1e-5));
          CHECK(at(rows, {4 * y + c, i}) == doctest::Approx(expected).scale(1).epsilon(1e-5));
        }
    CHECK(Sinusoidal2DPositions(3, 4, 8)->max_length() == 12);
    CHECK(refusal([] { sinusoidal_table_2d(2, 2, 5); }) ==
          "ValueError: sinusoidal_table_2d: d_model must be even, but got 5");
  }
}

TEST_SUITE("GPT with other positions") {
  std::vector<std::shared_ptr<Positions>> kinds() {
    return {NoPositions().ptr(),
            SinusoidalPositions(16).ptr(),
            LearnedPositions(40, 16).ptr(),
            RotaryPositions(8, RotaryPairs::Half).ptr(),
            RotaryPositions(8, RotaryPairs::Interleaved).ptr(),
            ALiBiPositions(2).ptr(),
            T5Positions(T5PositionsOptions(2).buckets(8).max_distance(16)).ptr()};
  }

  GPT model_with(const std::shared_ptr<Positions>& positions) {
    manual_seed(4);
    GPT model(GPTOptions(9).context(6).d_model(16).layers(2).heads(2).dropout(0).positions(positions));
    const NoGradGuard no_grad;
    for (Tensor& p : model->parameters())
      if (p.dim() > 1) p.mul_(15);
    return model;
  }

  TEST_CASE("a cache gives the same logits, beyond the context that the default positions would have") {
    for (const auto& kind : kinds()) {
      CAPTURE(kind->name());
      GPT model = model_with(kind);
      NoGradGuard no_grad;
      const Tensor ids = etude::randint(0, 9, {2, 30}), whole = model(ids);
      KeyValueCache cache = model->make_cache(2, 30);
      const Tensor first = model(ids.narrow(1, 0, 11), &cache), second = model(ids.narrow(1, 11, 1), &cache),
                   third = model(ids.narrow(1, 12, 18), &cache);
      CHECK(allclose(cat({first, second, third}, 1), whole, 1e-3, 1e-4));
      const auto options = GenerateOptions(20);
      CHECK(same(generate(model, ids, options),
                 generate(model, ids, GenerateOptions(options).use_cache(false))));
    }
  }

  TEST_CASE("without positions the order of what came before does not matter, with any kind it does") {
    const Tensor ids = etude::tensor({{1, 2, 3, 4}}, kLong), turned = etude::tensor({{3, 1, 2, 4}}, kLong);
    for (const auto& kind : kinds()) {
      CAPTURE(kind->name());
      GPT model(GPTOptions(9).d_model(16).layers(1).heads(2).dropout(0).positions(kind));
      NoGradGuard no_grad;
      for (Tensor& p : model->parameters())
        if (p.dim() > 1) p.mul_(15);
      const bool is_same = allclose(model(ids).select(1, -1), model(turned).select(1, -1), 1e-4, 1e-5);
      CHECK(is_same == (std::dynamic_pointer_cast<NoPositionsImpl>(kind) != nullptr));
    }
  }

  TEST_CASE("are copied into the model, saved with it and cloned") {
    for (const auto& kind : kinds()) {
      CAPTURE(kind->name());
      GPT model = model_with(kind);
      CHECK(model->positions != kind);
      const auto given = kind->parameters(),
                 copied = GPT(GPTOptions(9).d_model(16).heads(2).layers(1).positions(kind))
                              ->positions->parameters();
      for (size_t i = 0; i < given.size(); ++i) CHECK(same(copied.at(i).detach(), given[i].detach()));
      CHECK(model->named_modules().contains("positions"));
      const auto copy = std::dynamic_pointer_cast<GPTImpl>(model->clone());
      REQUIRE(copy);
      NoGradGuard no_grad;
      const Tensor ids = etude::randint(0, 9, {1, 5});
      CHECK(same(copy->forward(ids), model(ids)));
      GPT other = model_with(kind);
      for (Tensor& p : other->parameters()) p.fill_(1);
      other->load_state_dict(model->state_dict());
      CHECK(same(other(ids), model(ids)));
    }
  }
}
