// A loop of the user's own on the library's threads.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "etude/framework.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("parallel_for") {
  TEST_CASE("every step is done once, and an exception arrives at the caller") {
    const ThreadCount restored;
    for (const int n : {1, 2, 5}) {
      set_num_threads(n);
      for (const int64_t grain : {0, 1, 7, 1000}) {
        std::vector<int> done(100, 0);
        parallel_for(10, 100, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
        });
        for (size_t i = 0; i < 100; ++i) CHECK(done[i] == (i >= 10));
      }
      std::atomic<int> calls{0};
      parallel_for(5, 5, 1, [&](int64_t, int64_t) { ++calls; });
      parallel_for(5, 3, 1, [&](int64_t, int64_t) { ++calls; });
      CHECK(calls == 0);
      CHECK_THROWS_AS(parallel_for(0, 10, 1,
                                   [](int64_t begin, int64_t end) {
                                     if (begin <= 7 && 7 < end) throw std::runtime_error("seven");
                                   }),
                      std::runtime_error);
    }
  }

  TEST_CASE("ops may be called inside") {
    std::vector<double> sums(8, 0);
    parallel_for(0, 8, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        sums[static_cast<size_t>(i)] = etude::full({100000}, static_cast<double>(i)).sum().item<double>();
    });
    for (size_t i = 0; i < 8; ++i) CHECK(sums[i] == 1e5 * static_cast<double>(i));
  }
}
