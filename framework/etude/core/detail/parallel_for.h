#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "etude/core/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace etude::detail {

/// From this many simple steps on, starting threads is worth it.
constexpr int64_t kGrain = 32768;

inline bool in_parallel_region() {
#ifdef _OPENMP
  return omp_in_parallel();
#else
  return false;
#endif
}

/// Calls f(begin, end) on ranges that together are [begin, end), on several threads if there are more than
/// `grain` steps. The first exception is carried out to the caller. What f computes for an element must not
/// depend on how the range was cut.
template <typename F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  const int64_t count = end - begin;
  if (count <= 0) return;
#ifndef _OPENMP
  (void)grain;
  f(begin, end);
#else
  const int64_t wanted =
      std::min<int64_t>(get_num_threads(), (count + grain - 1) / std::max<int64_t>(grain, 1));
  if (wanted <= 1 || in_parallel_region()) {
    f(begin, end);
    return;
  }
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
#pragma omp parallel num_threads(static_cast <int>(wanted))
  {
    const int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const int64_t step = (count + threads - 1) / threads;
    const int64_t from = begin + me * step, to = std::min(end, from + step);
    try {
      if (from < to) f(from, to);
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
#endif
}

}  // namespace etude::detail
