// What the machine can do at most: products and sums per second, bytes read from memory per second, and times per second
// that threads are handed nothing and waited for. "product" is a product of matrices, for which the peak has to be a limit.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <vector>

#include "etude/core/detail/multiply_and_add.h"
#include "etude/core/detail/vectorised.h"
#include "etude/framework.h"

namespace {

/// The rate of the shortest call, in which no other program took a processor.
template <typename F>
void best_of(benchmark::State& state, double operations, const F& f) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const auto begin = Clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  state.counters["rate"] = operations / least;
}

void peak(benchmark::State& state) {
  constexpr int64_t kSteps = 1 << 18;
  int sums = 0;
  etude::detail::vectorised([&](auto form) { sums = etude::detail::kSumsAtOnce<decltype(form)>; });
  best_of(state, 2.0 * kSteps * sums * omp_get_max_threads(), [] {
    float total = 0;
#pragma omp parallel reduction(+ : total)
    etude::detail::vectorised([&](auto form) { total += etude::detail::multiply_and_add(kSteps, form); });
    benchmark::DoNotOptimize(total);
  });
}

void product(benchmark::State& state) {
  constexpr int64_t kSize = 512;
  const etude::NoGradGuard no_grad;
  const etude::Tensor a = etude::randn({kSize, kSize}), b = etude::randn({kSize, kSize});
  best_of(state, 2.0 * kSize * kSize * kSize, [&] { benchmark::DoNotOptimize(a.mm(b)); });
}

/// The sum of a part of memory. It is made of 32 sums: an addition to one does not wait for the addition before it.
float sum_of(const float* x, int64_t n) {
  constexpr int64_t kSums = 32;
  float sums[kSums] = {};
  for (int64_t i = 0; i < n; i += kSums)
    for (int64_t j = 0; j < kSums; ++j) sums[j] += x[i + j];
  return std::accumulate(sums, sums + kSums, 0.0f);
}

void bandwidth(benchmark::State& state) {
  constexpr int64_t kPart = 1 << 16, kParts = 1 << 10;
  static const std::vector<float> memory(size_t{kPart} * kParts, 1.0f);
  best_of(state, 4.0 * kPart * kParts, [] {
    float total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int64_t part = 0; part < kParts; ++part) total += sum_of(memory.data() + part * kPart, kPart);
    benchmark::DoNotOptimize(total);
  });
}

void handoff(benchmark::State& state) {
  for (auto _ : state) {
#pragma omp parallel
    benchmark::ClobberMemory();
  }
  state.counters["rate"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK(peak)->UseRealTime();
BENCHMARK(product)->UseRealTime();
BENCHMARK(bandwidth)->UseRealTime();
BENCHMARK(handoff)->UseRealTime();
BENCHMARK_MAIN();
