// What the machine can do at most: products and sums per second, bytes read from memory per second, and times per second
// that threads are handed nothing and waited for.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <vector>

#include "etude/core/detail/multiply_and_add.h"
#include "etude/core/detail/vectorised.h"

namespace {

void peak(benchmark::State& state) {
  const int64_t steps = 1 << 18;
  int sums = 0;
  etude::detail::vectorised([&](auto form) { sums = etude::detail::kSumsAtOnce<decltype(form)>; });
  for (auto _ : state) {
    float total = 0;
#pragma omp parallel reduction(+ : total)
    etude::detail::vectorised([&](auto form) { total += etude::detail::multiply_and_add(steps, form); });
    benchmark::DoNotOptimize(total);
  }
  state.counters["rate"] = benchmark::Counter(2.0 * steps * sums * omp_get_max_threads(),
                                              benchmark::Counter::kIsIterationInvariantRate);
}

void bandwidth(benchmark::State& state) {
  static const std::vector<float> memory(size_t{64} << 20, 1.0f);
  const auto n = static_cast<int64_t>(memory.size());
  for (auto _ : state) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int64_t i = 0; i < n; ++i) total += memory[static_cast<size_t>(i)];
    benchmark::DoNotOptimize(total);
  }
  state.counters["rate"] =
      benchmark::Counter(4.0 * static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
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
BENCHMARK(bandwidth)->UseRealTime();
BENCHMARK(handoff)->UseRealTime();
BENCHMARK_MAIN();
