#include "etude/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>

#include "etude/core/detail/crowding.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/error.h"

#ifdef _OPENMP
#include <omp.h>
#ifndef _WIN32
#include <pthread.h>
#endif
#endif

namespace etude {
namespace {

int threads_at_start() {
#ifdef _OPENMP
  return std::max(1, omp_get_max_threads());
#else
  return 1;
#endif
}

std::atomic<int> threads{threads_at_start()}, interop_threads{1};
thread_local bool alone = false;
thread_local int64_t handed_out = 0;
std::atomic<bool> crowding_matters{true};

#ifdef _OPENMP
using Clock = std::chrono::steady_clock;
thread_local detail::Crowding crowding;
std::atomic_flag team_works = ATOMIC_FLAG_INIT;

#ifndef _WIN32
// A forked child has only the thread that forked. If that thread had a team, OpenMP would wait for its members forever.
[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] {
  team_works.clear();
  if (handed_out > 0) detail::use_one_thread();
});
#endif
#endif

}  // namespace

void set_num_threads(int n) {
  ETUDE_CHECK(n > 0, "Expected positive number of threads\nreceived ", n);
#ifdef _OPENMP
  threads = n;
  omp_set_num_threads(n);
#endif
}

void set_num_interop_threads(int n) {
  ETUDE_CHECK(n > 0, "Expected positive number of threads\nreceived ", n);
  interop_threads = n;
}

int get_num_interop_threads() { return interop_threads; }

int get_num_threads() { return alone ? 1 : threads.load(); }

void detail::use_one_thread() {
  alone = true;
#ifdef _OPENMP
  omp_set_num_threads(1);  // for this thread's OpenMP loops outside of Etude
#endif
}

int64_t detail::loops_handed_out() { return handed_out; }
void detail::heed_crowding(bool on) { crowding_matters = on; }

#ifdef _OPENMP
// OpenMP keeps the threads of a team for the next team only if that has the same size. So a loop runs on all threads or on one.
// All threads get a part, since the cost is in waking them. The caller has set team_works.
static void run_on_team(int64_t begin, int64_t end, FunctionRef<void(int64_t, int64_t)> f) {
  const int size = get_num_threads();
  const int64_t count = end - begin;
  ++handed_out;
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::atomic<bool> late{false};
  const Clock::time_point start = Clock::now();
#pragma omp parallel num_threads(size)
  {
    const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
    const int64_t step = (count + team - 1) / team;
    const int64_t from = begin + me * step, to = std::min(end, from + step);
    const Clock::time_point began = Clock::now();
    try {
      if (from < to) f(from, to);
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
    if (detail::Crowding::is_late(began - start, Clock::now() - began, team)) late = true;
  }
  team_works.clear(std::memory_order_release);
  if (late && crowding_matters) crowding.note(Clock::now());
  if (error) std::rethrow_exception(error);
}

// Whether this thread may hand a loop to a team now; then it has set team_works.
static bool takes_team() {
  return get_num_threads() > 1 && !omp_in_parallel() && !(crowding_matters && crowding.lasts(Clock::now())) &&
         !team_works.test_and_set(std::memory_order_acquire);
}
#endif

void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> f) {
  if (begin >= end) return;
#ifdef _OPENMP
  if (end - begin > std::max<int64_t>(grain, 1) && takes_team()) return run_on_team(begin, end, f);
#else
  (void)grain;
#endif
  f(begin, end);
}

}  // namespace etude
