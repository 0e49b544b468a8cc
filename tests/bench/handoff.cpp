// The linker takes the GOMP_parallel below in place of libgomp's, for Etude, LibTorch, oneDNN and BLAS alike.
#include "bench/handoff.h"

#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace {

using Clock = std::chrono::steady_clock;

struct Region {
  void (*f)(void*);
  void* data;
  std::atomic<int64_t> busy{0};
  std::atomic<int> team{1};
};

bool counting = false;
handoff::Count counted;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

void timed(void* data) {
  auto& region = *static_cast<Region*>(data);
  const auto begin = Clock::now();
  region.f(region.data);
  region.busy += (Clock::now() - begin).count();
  region.team = omp_get_num_threads();
}

}  // namespace

extern "C" void GOMP_parallel(void (*f)(void*), void* data, unsigned threads, unsigned flags) {
  using Start = void (*)(void (*)(void*), void*, unsigned, unsigned);
  static const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  if (!counting || omp_in_parallel()) return start(f, data, threads, flags);
  Region region{f, data};
  const auto begin = Clock::now();
  start(timed, &region, threads, flags);
  const double time = seconds(Clock::now() - begin);
  if (region.team == 1) return;
  ++counted.starts;
  counted.inside += time;
  counted.waiting += time - seconds(Clock::duration(region.busy)) / region.team;
}

handoff::Count handoff::count(const std::function<void()>& f) {
  counted = {};
  counting = true;
  const auto begin = Clock::now();
  f();
  counted.all = seconds(Clock::now() - begin);
  counting = false;
  return counted;
}
