#include "etude/core/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <vector>

#include "etude/core/detail/crowding.h"
#include "etude/core/detail/loops.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/error.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("parallel") {
  TEST_CASE("the number of threads is set and read, and is at least one") {
    const ThreadCount three(3);
    CHECK(get_num_threads() == 3);
    CHECK(refusal([] { set_num_threads(0); }).find("positive") != std::string::npos);
    CHECK(refusal([] { set_num_threads(-2); }).find("positive") != std::string::npos);
    CHECK(get_num_threads() == 3);
  }

  TEST_CASE("the number of ops beside each other is remembered, for programs that set it") {
    init_num_threads();
    const int before = get_num_interop_threads();
    set_num_interop_threads(2);
    CHECK(get_num_interop_threads() == 2);
    CHECK(refusal([] { set_num_interop_threads(0); }).find("positive") != std::string::npos);
    CHECK(get_num_interop_threads() == 2);
    set_num_interop_threads(before);
  }

  TEST_CASE("every step is taken exactly once, for any number of threads and any grain") {
    for (const int threads : {1, 2, 3, 8})
      for (const int64_t count : {0, 1, 2, 7, 100, 1001})
        for (const int64_t grain : {1, 10, 1000, 100000}) {
          const ThreadCount set(threads);
          std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
          detail::parallel_for(5, 5 + count, grain, [&](int64_t begin, int64_t end) {
            CHECK(begin < end);
            for (int64_t i = begin; i < end; ++i) ++taken[static_cast<size_t>(i - 5)];
          });
          for (const auto& t : taken) REQUIRE(t == 1);
        }
  }

  TEST_CASE("few steps stay on the calling thread") {
    const ThreadCount four(4);
    int calls = 0;
    detail::parallel_for(0, 100, 100, [&](int64_t begin, int64_t end) {
      ++calls;
      CHECK((begin == 0 && end == 100));
    });
    CHECK(calls == 1);
  }

  TEST_CASE("a loop inside a loop runs on its thread, once") {
    const ThreadCount four(4);
    std::atomic<int> inner{0};
    detail::parallel_for(0, 4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        detail::parallel_for(0, 10, 1, [&](int64_t b, int64_t e) { inner += static_cast<int>(e - b); });
    });
    CHECK(inner == 40);
  }

  TEST_CASE("an exception on any thread reaches the caller") {
    const ThreadCount four(4);
    for (const int64_t bad : {0, 30, 99})
      CHECK(refusal([bad] {
              detail::parallel_for(0, 100, 1, [bad](int64_t begin, int64_t end) {
                if (begin <= bad && bad < end) throw Error("step " + std::to_string(bad));
              });
            }) == "Error: step " + std::to_string(bad));
  }

  TEST_CASE(
      "a thread whose teams begin late twice works alone, longer each time until one works for a while") {
    using detail::Crowding;
    const Crowding::Duration moment(1);
    Crowding crowding;
    Crowding::Time now = std::chrono::steady_clock::now();
    const auto late_once = [&] {
      crowding.note(now);
      CHECK(!crowding.lasts(now));
      now += Crowding::kClosely;
    };
    late_once();
    late_once();
    now -= moment;
    for (Crowding::Duration pause = Crowding::kShortest; pause < 3 * Crowding::kLongest; pause *= 2) {
      crowding.note(now);
      const Crowding::Time end = now + std::min(pause, Crowding::kLongest);
      CHECK((crowding.lasts(now) && crowding.lasts(end - moment) && !crowding.lasts(end)));
      now = end + Crowding::kShortest / 2;
    }
    now += Crowding::kLongest;
    late_once();
    now -= moment;
    crowding.note(now);
    CHECK((crowding.lasts(now) && !crowding.lasts(now + Crowding::kShortest)));
  }

  TEST_CASE("a team is late if one thread had been done before it began") {
    using detail::Crowding;
    const Crowding::Duration wait = Crowding::kShortWait, moment(1);
    CHECK(Crowding::is_late(wait + moment, wait, 2));
    CHECK(!Crowding::is_late(wait, moment, 2));
    CHECK(!Crowding::is_late(2 * wait, 2 * wait, 2));
    CHECK(!Crowding::is_late(3 * wait, wait, 4));
    CHECK(Crowding::is_late(3 * wait + moment, wait, 4));
  }

  TEST_CASE("a walk visits every element of its operands, dims that lie together as one") {
    using detail::make_walk;
    const auto whole = make_walk<1>(Shape{2, 3, 4}, {Shape{12, 4, 1}});
    CHECK((whole.dims == 1 && whole.inner() == 24 && whole.stride(0) == 1));
    const auto broadcast = make_walk<2>(Shape{2, 3, 4}, {Shape{12, 4, 1}, Shape{0, 0, 1}});
    CHECK((broadcast.dims == 2 && broadcast.inner() == 4));
    CHECK(make_walk<1>(Shape{}, {Shape{}}).count == 1);
    CHECK(make_walk<1>(Shape{2, 0}, {Shape{1, 1}}).count == 0);

    for (const int threads : {1, 3}) {
      const ThreadCount set(threads);
      const auto w = make_walk<2>(Shape{3, 4, 5}, {Shape{1, 3, 12}, Shape{40, 10, 2}});
      std::multiset<std::pair<int64_t, int64_t>> found, expected;
      std::mutex mutex;
      detail::for_each_row<2>(w, 7, [&](const auto& at, int64_t n) {
        const std::lock_guard<std::mutex> lock(mutex);
        for (int64_t i = 0; i < n; ++i) found.emplace(at[0] + i * w.stride(0), at[1] + i * w.stride(1));
      });
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 4; ++j)
          for (int64_t k = 0; k < 5; ++k) expected.emplace(i + 3 * j + 12 * k, 40 * i + 10 * j + 2 * k);
      CHECK(found == expected);
    }
  }

  TEST_CASE("lanes run along one dim, whole") {
    std::multiset<std::pair<int64_t, int64_t>> found;
    detail::for_each_strided_lane<2>(Shape{2, 3, 4}, 1, {Shape{12, 4, 1}, Shape{4, 0, 1}},
                                     [&](const auto& at) { found.emplace(at[0], at[1]); });
    std::multiset<std::pair<int64_t, int64_t>> expected;
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t k = 0; k < 4; ++k) expected.emplace(12 * i + k, 4 * i + k);
    CHECK(found == expected);
    int calls = 0;
    detail::for_each_strided_lane<1>(Shape{}, 0, {Shape{}}, [&](const auto&) { ++calls; });
    CHECK(calls == 1);
    detail::for_each_strided_lane<1>(Shape{0, 3}, 1, {Shape{3, 1}}, [&](const auto&) { ++calls; });
    CHECK(calls == 1);
  }
}
