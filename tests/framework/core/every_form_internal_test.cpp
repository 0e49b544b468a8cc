// Every loop that is chosen at run time, in every form that this processor can run. A file with such a loop that is not
// on the list below fails the first case.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "framework/optim/every_optimizer.h"
#include "support/any_function.h"
#include "support/processor.h"

using namespace etude;
using detail::Isa;
namespace fs = std::filesystem;

TEST_SUITE("every form") {
  namespace {

  // Long enough for whole vectors and a rest, on both sides of a block.
  constexpr int64_t kRows = 37, kColumns = 131;

  Tensor wave(double phase, ScalarType dtype = kFloat) {
    return sin(etude::arange(kRows * kColumns, kDouble) * 0.7 + phase).view({kRows, kColumns}).to(dtype);
  }

  Tensor whole_wave(double phase) { return (wave(phase) * 100).round(); }

  // The output of f and the gradients of its inputs.
  std::vector<Tensor> with_gradients(const AnyFunction<Tensor(const std::vector<Tensor>&)>& f,
                                     std::vector<Tensor> inputs) {
    for (Tensor& x : inputs) x.requires_grad_();
    const Tensor y = f(inputs);
    y.backward(cos(etude::arange(y.numel(), y.scalar_type())).view(y.sizes()));
    std::vector<Tensor> results = {y.detach()};
    for (const Tensor& x : inputs) results.push_back(x.grad());
    return results;
  }

  // Random numbers from one seed.
  template <typename F>
  std::vector<Tensor> drawn(F&& f) {
    manual_seed(5);
    return {f()};
  }

  const std::map<std::string, AnyFunction<std::vector<Tensor>()>>& loops() {
    static const std::map<std::string, AnyFunction<std::vector<Tensor>()>> all = {
        {"core/loops.cpp",
         [] {
           const Tensor x = wave(0);
           return std::vector<Tensor>{x.select(1, 0).view({kRows, 1}).expand({kRows, kColumns}).contiguous(),
                                      x.to(kDouble) * 0.3, x.to(kBool).logical_and(ones({}, kBool))};
         }},
        {"core/generator.cpp", [] { return drawn([] { return etude::randint(1000, {kColumns * kRows}); }); }},
        {"ops/detail/reduction.h",
         [] {
           const Tensor x = wave(0);
           return std::vector<Tensor>{x.sum(0), x.sum(1), x.sum(), x.t().sum(1), x.argmax(1), x.var(0)};
         }},
        {"ops/detail/elementwise.h",
         [] {
           const Tensor x = wave(0), y = wave(1), z = wave(2) + 2;
           return std::vector<Tensor>{x + y,
                                      x * 0.3,
                                      2 - x,
                                      abs(x),
                                      x < y,
                                      exp(x),
                                      exp(x.t()),
                                      x.to(kInt) + 1,
                                      addcmul(x, y, z, 0.3),
                                      addcdiv(x, y, z, 0.3),
                                      addcmul(x.to(kDouble), y.to(kDouble), z.to(kDouble), 0.3)};
         }},
        {"ops/attention.cpp",
         [] {
           // In products with rows of the identity every sum is exact.
           const Tensor one = eye(kColumns), mask = wave(0) * 3;
           return with_gradients(
               [&](const auto& in) { return attention(in[0], in[1], one, mask, 100, 1.0, 0, false).first; },
               {eye(kRows, kColumns) * 4, eye(kColumns)});
         }},
        {"ops/dropout.cpp",
         [] {
           manual_seed(5);
           return with_gradients([](const auto& in) { return dropout(in[0], 0.3, true); }, {wave(0)});
         }},
        {"ops/functions.cpp",
         [] {
           return std::vector<Tensor>{sin(wave(0)), cos(wave(0) * 1e5)};
         }},
        {"ops/cdist.cpp",
         [] {
           std::vector<Tensor> results;
           for (const double p : {1.0, 1.5, 2.0, 3.0, HUGE_VAL})
             for (const Tensor& t : with_gradients([&](const auto& in) { return cdist(in[0], in[1], p, 2); },
                                                   {wave(0), wave(1)}))
               results.push_back(t);
           return results;
         }},
        // Whole numbers, because their sums are exact; gemm_internal_test.cpp tests the rounding of others.
        {"ops/gemm.cpp",
         [] {
           const Tensor x = whole_wave(0), y = whole_wave(1);
           return std::vector<Tensor>{x.slice(0, 0, 2).mm(y.t()), x.to(kLong).mm(y.to(kLong).t()),
                                      x.t().slice(0, 0, 3).to(kBFloat16).mm(y.to(kBFloat16))};
         }},
        {"ops/detail/gemm_tiles.h",
         [] {
           const Tensor x = whole_wave(0), y = whole_wave(1);
           return std::vector<Tensor>{x.mm(y.t()), x.t().mm(y), x.to(kDouble).mm(y.to(kDouble).t())};
         }},
        {"ops/detail/gemm_few_rows.h",
         [] {
           const Tensor x = whole_wave(0).slice(0, 0, 3), y = whole_wave(1);
           return std::vector<Tensor>{x.to(kBFloat16).mm(y.t().to(kBFloat16))};
         }},
        {"ops/indexed.cpp",
         [] {
           const Tensor rows = etude::arange(kRows).remainder(5);
           return std::vector<Tensor>{zeros({5, kColumns}).index_add_(0, rows, wave(0)),
                                      zeros({5, kColumns}, kDouble).index_add_(0, rows, wave(0, kDouble))};
         }},
        {"ops/layer_norm.cpp",
         [] {
           return with_gradients([](const auto& in) { return layer_norm(in[0], {kColumns}, in[1], in[2]); },
                                 {wave(0), wave(1).select(0, 0).clone(), wave(2).select(0, 0).clone()});
         }},
        {"ops/loss.cpp",
         [] {
           const Tensor goal = etude::arange(kRows) * 3;
           return with_gradients([&](const auto& in) { return cross_entropy_loss(in[0], goal); }, {wave(0)});
         }},
        {"ops/masked.cpp",
         [] {
           const Tensor x = wave(0), y = wave(1);
           return std::vector<Tensor>{where(x < y, x, y), where(x < y, x.to(kDouble), y.to(kDouble)),
                                      x.masked_fill(x < y, 2.5)};
         }},
        {"ops/embedding.cpp",
         [] {
           manual_seed(5);
           const Tensor ids = etude::arange(2 * kRows).remainder(kRows).view({2, kRows});
           return with_gradients(
               [&](const auto& in) { return positioned_embedding(in[0], ids, wave(1), 1, -1, 1.7, 0.3); },
               {wave(0)});
         }},
        {"ops/random_normal.cpp", [] { return drawn([] { return etude::randn({kRows * kColumns}); }); }},
        {"ops/random_streams.cpp",
         [] {
           auto results = drawn([] { return etude::rand({kRows * kColumns}); });
           results.push_back(drawn([] { return etude::empty({kRows * kColumns}).bernoulli_(0.3); })[0]);
           return results;
         }},
        {"ops/quantized_linear.cpp",
         [] {  // its products are sums in lanes, whose number the form has
           const Tensor x = wave(0);
           const QuantizedWeight w = quantize_per_group(x, x.size(1));
           return std::vector<Tensor>{w.values.to(kFloat), w.scales, dequantize(w)};
         }},
        {"ops/sinusoids.cpp",
         [] {
           const Tensor positions = etude::arange(kRows, kFloat);
           return std::vector<Tensor>{sinusoids(positions, wave(0)[0], 2 * kColumns - 1)};
         }},
        {"ops/detail/lanes.h",
         [] {
           std::vector<Tensor> results;
           for (const int64_t dim : {0, 1})
             for (const bool log : {false, true})
               for (const Tensor& t : with_gradients(
                        [&](const auto& in) { return log ? log_softmax(in[0], dim) : softmax(in[0], dim); },
                        {wave(0)}))
                 results.push_back(t);
           return results;
         }},
        {"optim/detail/update.h",
         [] {
           const Tensor p = every::leaf(wave(0), wave(1));
           optim::Adam optimizer({p}, every::options_of<optim::Adam>());
           for (int i = 0; i < 3; ++i) optimizer.step();
           return std::vector<Tensor>{p.detach()};
         }},
    };
    return all;
  }

  std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const char* name_of(Isa isa) {
    return isa == Isa::Avx512 ? "AVX-512" : isa == Isa::Avx2 ? "AVX2" : "128 bits";
  }

  }  // namespace

  TEST_CASE("the list has every file with a loop that is chosen at run time, and no other") {
    std::set<std::string> found, listed;
    for (const char* folder : {"etude", "extras/etude"}) {
      const fs::path root = fs::path(ETUDE_SOURCE_DIR) / "framework" / folder;
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (!entry.is_regular_file() || entry.path().filename() == "vectorised.h") continue;
        const std::string text = text_of(entry.path());
        if (text.find("vectorised([") != std::string::npos ||
            text.find("vectorised(\n") != std::string::npos || text.find("vectorised<") != std::string::npos)
          found.insert(entry.path().lexically_relative(root).generic_string());
      }
    }
    for (const auto& loop : loops()) listed.insert(loop.first);
    CHECK(found == listed);
  }

  // Loops that use the fma() of their form: all forms with fused instructions give the same bits, the baseline others.
  const std::set<std::string> kByForm = {"ops/attention.cpp", "ops/loss.cpp", "ops/detail/lanes.h", "gelu"};

  TEST_CASE("every loop gives the same bits in every form that multiplies and adds alike") {
    const onednn::EnabledGuard plain(false);
    std::string ran, absent;
    for (const Isa form : kProcessors) {
      const ProcessorGuard guard(form);
      (detail::isa() == form ? ran : absent) += std::string(", ") + name_of(form);
    }
    std::string report = "forms that ran: " + ran.substr(2);
    if (!absent.empty()) report += "; not on this processor: " + absent.substr(2);
    MESSAGE(report);
    auto all = loops();
    all["gelu"] = [] {
      std::vector<Tensor> results;
      for (const char* approximate : {"none", "tanh"})
        for (const Tensor& t :
             with_gradients([&](const auto& in) { return gelu(in[0], approximate); }, {wave(0) * 4}))
          results.push_back(t);
      return results;
    };
    for (const auto& loop : all) {
      CAPTURE(loop.first);
      auto results = [&](Isa form) {
        const ProcessorGuard guard(form);
        return std::pair(loop.second(), detail::has_fma());
      };
      const auto [expected, fused] = results(Isa::Baseline);
      std::vector<Tensor> first_fused;
      for (const Isa form : kProcessors) {
        CAPTURE(name_of(form));
        const auto [found, is_fused] = results(form);
        const bool other_steps = kByForm.count(loop.first) > 0 && is_fused != fused;
        if (other_steps && first_fused.empty()) first_fused = found;
        REQUIRE(found.size() == expected.size());
        for (size_t i = 0; i < found.size(); ++i) {
          CHECK(found[i].equal(other_steps ? first_fused[i] : expected[i]));
          CHECK(found[i].allclose(expected[i], 1e-5, 1e-6));
        }
      }
    }
  }
}
