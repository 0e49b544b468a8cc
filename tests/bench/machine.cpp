// What the machine can do at most: products and sums per second, bytes read from memory per second, and times per second
// that threads are handed nothing and waited for.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cmath>
#include <vector>

namespace {

/// Adds to kSums independent sums, as many as the processor needs so that none waits for the one before.
template <int kSums>
[[gnu::always_inline]] inline float multiply_and_add(int64_t steps) {
  float sums[kSums] = {};
  const float factor = 0.5f + 1e-6f * static_cast<float>(steps);
  for (int64_t i = 0; i < steps; ++i)
    for (float& sum : sums) sum = std::fma(sum, factor, 1.0f);
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

struct Form {
  int sums;
  float (*run)(int64_t steps);
};

#ifdef __x86_64__
[[gnu::target("avx512f,prefer-vector-width=512")]] float with_avx512(int64_t n) {
  return multiply_and_add<192>(n);
}
[[gnu::target("avx2,fma")]] float with_avx2(int64_t n) { return multiply_and_add<96>(n); }

Form widest() {
  if (__builtin_cpu_supports("avx512f")) return {192, with_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {96, with_avx2};
  return {48, multiply_and_add<48>};
}
#else
Form widest() { return {48, multiply_and_add<48>}; }
#endif

void peak(benchmark::State& state) {
  const int64_t steps = 1 << 18;
  const Form form = widest();
  for (auto _ : state) {
    float total = 0;
#pragma omp parallel reduction(+ : total)
    total += form.run(steps);
    benchmark::DoNotOptimize(total);
  }
  state.counters["rate"] = benchmark::Counter(2.0 * steps * form.sums * omp_get_max_threads(),
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
