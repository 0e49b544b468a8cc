// The cases of cases.json. The same file is compiled with -Detude=torch, and tests/bench/run compares both. What LibTorch lacks
// is composed of its modules in composed.h. Each case also has a counter "fingerprint", which must be the same on both sides.
//   bench_cases cases.json [Google Benchmark's options]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/composed.h"
#include "bench/handoff.h"
#include "etude/etude.h"

namespace {

using etude::Tensor;
namespace nn = etude::nn;
namespace F = etude::nn::functional;

using Sizes = std::vector<int64_t>;
/// One call of a case, and what it computed.
using Call = std::function<Tensor()>;
/// Makes the call of a case for these sizes. The mode is "forward", without a graph; the same in "bfloat16" or with weights of
/// "int8"; "both" directions; or a "step".
using Kind = std::function<Call(const Sizes&, const std::string& mode)>;

/// A layer: its input, what else gets gradients, and what it computes.
struct Layer {
  Tensor x;
  std::vector<Tensor> parameters;
  std::function<Tensor(const Tensor&)> f;
};

Call forward_alone(const Call& f) {
  return [=] {
    const etude::NoGradGuard no_grad;
    return f();
  };
}

/// The kind of a layer: forward, or forward and backward to the parameters and, if the input is floating-point, to the input.
Kind of_layer(const std::function<Layer(const Sizes&)>& make) {
  return [=](const Sizes& s, const std::string& mode) -> Call {
    Layer layer = make(s);
    if (mode == "forward") return forward_alone([=] { return layer.f(layer.x); });
    if (layer.x.is_floating_point()) layer.parameters.push_back(layer.x.requires_grad_());
    const Tensor dy = etude::randn_like(layer.f(layer.x).detach());
    return [=] {
      for (const Tensor& p : layer.parameters) p.mutable_grad() = Tensor();
      const Tensor y = layer.f(layer.x);
      y.backward(dy);
      return layer.parameters.back().grad();
    };
  };
}

/// The kind of a function of one matrix.
Kind of_function(const std::function<Tensor(const Tensor&)>& f) {
  return of_layer([=](const Sizes& s) { return Layer{etude::randn(s), {}, f}; });
}

Tensor chain(Tensor x, const Tensor& w, const Tensor& b) {
  for (int i = 0; i < 5; ++i) x = x * w + b;
  return x.sum();
}

Layer attention(const Sizes& s) {
  const int64_t batch = s[0], tokens = s[1], width = s[2], heads = s[3];
  nn::Linear project(width, 3 * width), join(width, width);
  Layer layer{etude::randn({batch, tokens, width}), project->parameters(), {}};
  for (const Tensor& p : join->parameters()) layer.parameters.push_back(p);
  layer.f = [=](const Tensor& x) mutable {
    const Tensor qkv = project(x).view({batch, tokens, 3, heads, width / heads}).permute({2, 0, 3, 1, 4});
    const Tensor y = composed::causal_attention(qkv[0], qkv[1], qkv[2]);
    return join(y.transpose(1, 2).reshape({batch, tokens, width}));
  };
  return layer;
}

Call adamw_step(const Sizes& s, const std::string&) {
  std::vector<Tensor> parameters;
  for (int64_t i = 0; i < s[0]; ++i) {
    parameters.push_back(etude::randn({s[1], s[2]}).requires_grad_());
    parameters.back().mutable_grad() = etude::randn({s[1], s[2]});
  }
  return [=, step = composed::adamw(parameters, 1e-4)] {
    step();
    return parameters[0].detach();
  };
}

composed::Model gpt_of(const Sizes& s) {
  return composed::make_gpt(
      {/*vocabulary=*/s[6], /*context=*/s[5], /*layers=*/s[2], /*heads=*/s[3], /*width=*/s[4]});
}

/// "forward", a "step", or one under "autocast".
Call gpt(const Sizes& s, const std::string& mode) {
  const composed::Model model = gpt_of(s);
  const int64_t tokens = s[1], words = s[6];
  const Tensor ids = etude::randint(words, {s[0], tokens + 1}, etude::kLong);
  const Tensor x = ids.narrow(1, 0, tokens).contiguous(), y = ids.narrow(1, 1, tokens).reshape({-1});
  if (mode == "forward") return forward_alone([=] { return model.logits(x); });
  return [=, step = composed::adamw(model.parameters, 1e-4)] {
    for (const Tensor& p : model.parameters) p.mutable_grad() = Tensor();
    etude::autocast::set_cpu_enabled(mode == "autocast");
    const Tensor loss = F::cross_entropy(model.logits(x).view({-1, words}), y);
    etude::autocast::set_cpu_enabled(false);
    etude::autocast::clear_cache();
    loss.backward();
    step();
    return loss;
  };
}

std::map<std::string, Kind> kinds() {
  std::map<std::string, Kind> all;
  all["add"] = [](const Sizes& s, const std::string&) -> Call {
    return [a = etude::randn(s), b = etude::randn(s)] { return a + b; };
  };
  all["clone"] = [](const Sizes& s, const std::string&) -> Call {
    return [a = etude::randn(s)] { return a.clone(); };
  };
  all["matmul"] = [](const Sizes& s, const std::string&) -> Call {
    return
        [a = etude::randn(s).requires_grad_(), b = etude::randn(s).requires_grad_()] { return matmul(a, b); };
  };
  all["chain"] = [](const Sizes& s, const std::string& mode) -> Call {
    const bool grad = mode == "both";
    const std::vector<Tensor> leaves{etude::randn(s).requires_grad_(grad),
                                     etude::randn(s).requires_grad_(grad),
                                     etude::randn(s).requires_grad_(grad)};
    return [=] {
      for (const Tensor& leaf : leaves) leaf.mutable_grad() = Tensor();
      const Tensor y = chain(leaves[0], leaves[1], leaves[2]);
      if (!grad) return y;
      y.backward();
      return leaves[0].grad();
    };
  };
  all["dropout"] = of_function([](const Tensor& x) { return etude::dropout(x, 0.1, true); });
  all["softmax"] = of_function([](const Tensor& x) { return etude::softmax(x, -1); });
  all["gelu_tanh"] = of_function([](const Tensor& x) { return etude::gelu(x, "tanh"); });
  all["gelu_erf"] = of_function([](const Tensor& x) { return etude::gelu(x); });
  all["layer_norm"] = of_layer([](const Sizes& s) {
    nn::LayerNorm norm(nn::LayerNormOptions({s[1]}));
    return Layer{etude::randn(s), norm->parameters(), [=](const Tensor& x) mutable { return norm(x); }};
  });
  all["cross_entropy"] = of_layer([](const Sizes& s) {
    const Tensor goal = etude::randint(s[1], {s[0]}, etude::kLong);
    return Layer{etude::randn(s), {}, [=](const Tensor& x) { return F::cross_entropy(x, goal); }};
  });
  all["linear_cross_entropy"] = of_layer([](const Sizes& s) {
    const Tensor weight = (etude::randn({s[2], s[1]}) * 0.02).requires_grad_(),
                 goal = etude::randint(s[2], {s[0]}, etude::kLong);
    return Layer{etude::randn({s[0], s[1]}), {weight}, [=](const Tensor& x) {
                   return composed::linear_cross_entropy(x, weight, goal);
                 }};
  });
  all["linear"] = of_layer([](const Sizes& s) {
    nn::Linear linear(s[1], s[2]);
    return Layer{etude::randn({s[0], s[1]}), linear->parameters(),
                 [=](const Tensor& x) mutable { return linear(x); }};
  });
  all["mlp"] = of_layer([](const Sizes& s) {
    nn::Sequential mlp(nn::Linear(s[1], 4 * s[1]), nn::GELU(nn::GELUOptions().approximate("tanh")),
                       nn::Linear(4 * s[1], s[1]));
    return Layer{etude::randn(s), mlp->parameters(),
                 [=](const Tensor& x) mutable { return mlp->forward(x); }};
  });
  all["attention"] = of_layer(attention);
  all["sines"] = [](const Sizes& s, const std::string&) -> Call {
    return [=] { return composed::table_of_sines(s[0], s[1]); };
  };
  all["input_embedding"] = of_layer([](const Sizes& s) {
    const auto embed = composed::input_embedding(/*words=*/s[3], /*width=*/s[2]);
    return Layer{etude::randint(s[3], {s[0], s[1]}, etude::kLong), embed.parameters, embed.f};
  });
  all["adamw"] = adamw_step;
  all["gpt"] = gpt;
  all["generate"] = [](const Sizes& s, const std::string& mode) -> Call {
    const composed::Model gpt = gpt_of(s);
    if (mode == "bfloat16") gpt.convert(etude::kBFloat16);
    if (mode == "int8") gpt.convert(etude::kChar);
    const Tensor prompt = etude::randint(s[6], {1, s[0]}, etude::kLong);
    return forward_alone([=] { return gpt.generate(prompt, s[1]); });
  };
  return all;
}

/// A number that must be the same on both sides: the sum of up to 65,536 absolute values. Each has a weight of its own, so that
/// neither another order nor a constant sum, such as that of a softmax, hides a difference.
double fingerprint(const Tensor& y) {
  const Tensor all = y.detach().reshape({-1});
  const int64_t step = all.numel() / 65536 + 1;
  const Tensor some = all.slice(0, 0, all.numel(), step).to(etude::kDouble).abs();
  return (some * (etude::arange(some.numel(), etude::kDouble).sin() + 2)).sum().item<double>();
}

/// Registers a case. Its tensors are made when it first runs, from one seed.
void add_case(const std::string& name, const std::function<Call()>& make) {
  struct Made {
    Call call;
    double print = 0;
    handoff::Count threads;
  };
  const auto made = std::make_shared<Made>();
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    auto& [call, print, threads] = *made;
    if (!call) {
      etude::manual_seed(0);
      call = make();
      print = fingerprint(call());
      call();  // The second call can still touch new memory, because the results of the first are not yet free.
    }
    for (auto _ : state) benchmark::DoNotOptimize(call());
    // Counted after the timed calls, because new threads begin late.
    if (threads.starts == 0) threads = handoff::count(call);
    state.counters["fingerprint"] = print;
    state.counters["starts"] = threads.starts;
    state.counters["inside"] = threads.inside / threads.all;
    state.counters["waiting"] = threads.waiting / threads.all;
  })->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (!file) {
    std::fprintf(stderr, "usage: %s cases.json [options of Google Benchmark]\n", argv[0]);
    return 2;
  }
  const auto all = kinds();
  for (const auto& row : nlohmann::json::parse(file))
    for (const auto& sizes : row["sizes"].get<std::vector<Sizes>>())
      for (const auto& [mode, target] : row["targets"].items()) {
        std::string name = row["kind"].get<std::string>() + "/";
        for (size_t i = 0; i < sizes.size(); ++i) name += (i ? "x" : "") + std::to_string(sizes[i]);
        add_case(name + "/" + mode, [=, kind = all.at(row["kind"]), m = mode] { return kind(sizes, m); });
      }
  argv[1] = argv[0];
  benchmark::Initialize(&--argc, ++argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
