#include "etude/core/parallel.h"

#include <algorithm>

#include "etude/core/detail/one_thread.h"
#include "etude/core/error.h"

#ifdef _OPENMP
#include <omp.h>
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

int threads = threads_at_start(), interop_threads = 1;
thread_local bool alone = false;

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

int get_num_threads() { return alone ? 1 : threads; }

namespace detail {

void use_one_thread() {
  alone = true;
#ifdef _OPENMP
  omp_set_num_threads(1);  // for loops that are not ours, and of this thread
#endif
}

}  // namespace detail

}  // namespace etude
