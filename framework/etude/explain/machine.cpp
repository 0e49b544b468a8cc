#include "etude/explain/detail/watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "etude/core/detail/multiply_and_add.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/vectorised.h"

namespace etude::detail {
namespace {

float sum_of(const float* from, int64_t count) {
  constexpr int64_t kBeside = 64;
  float sums[kBeside] = {};
  for (int64_t i = 0; i + kBeside <= count; i += kBeside)
    for (int64_t j = 0; j < kBeside; ++j) sums[j] += from[i + j];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

// The shortest time of several runs, in seconds.
template <typename F>
double least_seconds(int runs, const F& f) {
  using Clock = std::chrono::steady_clock;
  double least = 1e30;
  for (int i = 0; i < runs; ++i) {
    const Clock::time_point start = Clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return std::max(least, 1e-9);
}

std::atomic<float> computed_last{0};  // keeps the compiler from dropping the computation

Machine measured() {
  const int64_t threads = get_num_threads();
  constexpr int64_t kSteps = 1 << 16;
  int sums = 0;
  const auto count_sums = [&](auto form) { sums = kSumsAtOnce<decltype(form)>; };
  const auto compute = [](auto form) { computed_last = multiply_and_add(kSteps, form); };
  vectorised(count_sums);
  const double products = least_seconds(5, [&] {
    parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) vectorised(compute);
    });
  });
  const std::vector<float> memory(size_t{1} << 24, 1.0f);
  const auto count = static_cast<int64_t>(memory.size());
  const double read = least_seconds(3, [&] {
    parallel_for(0, count, count / threads + 1, [&](int64_t begin, int64_t end) {
      const auto read_all = [&] { computed_last = sum_of(memory.data() + begin, end - begin); };
      vectorised(read_all);
    });
  });
  return {2.0 * static_cast<double>(kSteps * sums * threads) / products,
          4.0 * static_cast<double>(count) / read};
}

}  // namespace

const Machine& machine() {
  static const Machine m = measured();
  return m;
}

}  // namespace etude::detail
