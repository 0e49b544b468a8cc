// The tensor core against LibTorch: the same file is compiled with -Detude=torch, and tests/bench/run shows
// both.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etude/etude.h"

using etude::Tensor;

namespace {

/// Registers a benchmark that calls f once per iteration and counts what one call does: bytes that have to be
/// moved, or floating-point operations.
template <typename F>
void add_case(const std::string& name, F f, double bytes = 0, double operations = 0) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) f();
    using benchmark::Counter;  // the table of times has the same columns for all
    state.counters["bytes"] = Counter(bytes, Counter::kIsIterationInvariantRate);
    state.counters["flop"] = Counter(operations, Counter::kIsIterationInvariantRate);
  })->UseRealTime();
}

/// The forward without a graph, and forward and backward into x and the parameters. `dy` is the gradient that
/// comes in.
template <typename F>
void add_layer(const std::string& name, const Tensor& x, const std::vector<Tensor>& parameters, F f) {
  add_case(name + "/fwd", [=] {
    const etude::NoGradGuard no_grad;
    benchmark::DoNotOptimize(f(x));
  });
  const Tensor leaf = x.clone().requires_grad_(), dy = etude::randn_like(f(x).detach());
  add_case(name + "/fwd_bwd", [=] {
    leaf.mutable_grad() = Tensor();
    for (const Tensor& p : parameters) p.mutable_grad() = Tensor();
    f(leaf).backward(dy);
  });
}

Tensor chain(Tensor x, const Tensor& w, const Tensor& b) {
  for (int i = 0; i < 5; ++i) x = x * w + b;
  return x.sum();
}

void add_overhead() {
  const Tensor x = etude::randn({4, 4}), w = etude::randn({4, 4}), b = etude::randn({4, 4});
  const Tensor gx = x.clone().requires_grad_(), gw = w.clone().requires_grad_(),
               gb = b.clone().requires_grad_();
  for (const bool grad : {false, true}) {
    const Tensor l = grad ? gx : x, r = grad ? gw : w, s = grad ? gb : b;
    const std::string mode = grad ? "/grad" : "/nograd";
    add_case("overhead/add_4x4" + mode, [=] { benchmark::DoNotOptimize(l + r); });
    add_case("overhead/mul_4x4" + mode, [=] { benchmark::DoNotOptimize(l * r); });
    add_case("overhead/matmul_4x4" + mode, [=] { benchmark::DoNotOptimize(etude::matmul(l, r)); });
    add_case("overhead/chain10_4x4/fwd" + std::string(grad ? "_grad" : "_nograd"),
             [=] { benchmark::DoNotOptimize(chain(l, r, s)); });
  }
  add_case("overhead/chain10_4x4/fwd_bwd", [=] {
    for (const Tensor& t : {gx, gw, gb}) t.mutable_grad() = Tensor();
    chain(gx, gw, gb).backward();
  });
}

void add_memory() {
  const int64_t n = int64_t{16} << 20;
  const Tensor a = etude::randn({n}), b = etude::randn({n}), to = etude::empty({n});
  const double once = 4.0 * static_cast<double>(n);
  add_case(
      "memory/add_64MiB", [=] { benchmark::DoNotOptimize(a + b); }, 3 * once);
  add_case(
      "memory/mul_64MiB", [=] { benchmark::DoNotOptimize(a * b); }, 3 * once);
  add_case(
      "memory/copy_64MiB", [=] { to.copy_(a); }, 2 * once);
  add_case(
      "memory/clone_64MiB", [=] { benchmark::DoNotOptimize(a.clone()); }, 2 * once);
}

void add_products() {
  for (const int64_t n : {64, 256, 512, 1024}) {
    const Tensor a = etude::randn({n, n}), b = etude::randn({n, n});
    const double size = static_cast<double>(n);
    add_case(
        "matmul/" + std::to_string(n), [=] { benchmark::DoNotOptimize(etude::matmul(a, b)); }, 0,
        2 * size * size * size);
  }
}

// Bytes: each tensor read, and each but the gradient written.
template <typename Optimizer, typename Options>
void add_optimizer(const std::string& name, const Options& options, double tensors) {
  const int64_t n = 10000000;
  const Tensor p = etude::randn({n}).requires_grad_();
  p.mutable_grad() = etude::randn({n});
  const auto optimizer = std::make_shared<Optimizer>(std::vector<Tensor>{p}, options);
  add_case(
      "optim/" + name + "_10M", [=] { optimizer->step(); }, (2 * tensors - 1) * 4 * static_cast<double>(n));
}

void add_optimizers() {
  using namespace etude::optim;
  add_optimizer<SGD>("sgd", SGDOptions(1e-3), 2);
  add_optimizer<SGD>("sgd_momentum", SGDOptions(1e-3).momentum(0.9), 3);
  add_optimizer<AdamW>("adamw", AdamWOptions(1e-3), 4);
}

void add_layers() {
  for (const auto& [rows, width] :
       std::vector<std::pair<int64_t, int64_t>>{{3072, 64}, {36864, 256}, {256, 50257}})
    add_layer("layer/softmax/" + std::to_string(rows) + "x" + std::to_string(width),
              etude::randn({rows, width}), {}, [](const Tensor& x) { return etude::softmax(x, -1); });
  for (const int64_t rows : {256, 4096}) {
    const Tensor weight = etude::ones({768}).requires_grad_(), bias = etude::zeros({768}).requires_grad_();
    add_layer("layer/layernorm/" + std::to_string(rows) + "x768", etude::randn({rows, 768}), {weight, bias},
              [=](const Tensor& x) { return etude::layer_norm(x, {768}, weight, bias); });
  }
  for (const int64_t rows : {256, 2048})
    for (const std::string kind : {"tanh", "none"})
      add_layer(
          "layer/gelu_" + std::string(kind == "none" ? "erf" : kind) + "/" + std::to_string(rows) + "x3072",
          etude::randn({rows, 3072}), {}, [=](const Tensor& x) { return etude::gelu(x, kind); });
}

}  // namespace

int main(int argc, char** argv) {
  etude::manual_seed(0);
  etude::set_num_threads(2);
  add_overhead();
  add_memory();
  add_products();
  add_layers();
  add_optimizers();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
