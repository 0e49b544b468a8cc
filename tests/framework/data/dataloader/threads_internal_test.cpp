#include "etude/data/dataloader/threads.h"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "etude/core/parallel.h"
#include "etude/data/dataloader/queue.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using namespace etude::data::detail;
using std::chrono::milliseconds;

TEST_SUITE("threads") {
  TEST_CASE("threads run their functions, and end with their owner") {
    std::atomic<int> done{0};
    {
      Threads threads;
      for (int i = 0; i < 4; ++i) threads.start([&done] { ++done; });
      threads.join();
      CHECK(done == 4);
      threads.start([&done] { ++done; });
    }
    CHECK(done == 5);
  }

  TEST_CASE("a thread uses no others for its ops") {
    const ThreadCount restored;
    set_num_threads(4);
    std::atomic<int> inside{0};
    {
      Threads threads;
      threads.start([&inside] { inside = get_num_threads(); });
    }
    CHECK(inside == 1);
    CHECK(get_num_threads() == 4);
  }

  TEST_CASE("a queue gives what comes first first, and waits for it") {
    Queue<int> queue;
    for (int i = 0; i < 100; ++i) queue.push(i);
    for (int i = 0; i < 60; ++i) CHECK(queue.pop() == i);
    CHECK(queue.clear() == 40);
    CHECK(queue.clear() == 0);
    CHECK(refusal([&] { queue.pop(milliseconds(5)); }) ==
          "Error: Timeout in DataLoader queue while waiting for next batch (timeout was 5 ms)");
    Threads threads;
    threads.start([&queue] { queue.push(7); });
    CHECK(queue.pop() == 7);
    CHECK(refusal([&] { queue.pop(milliseconds(0)); }).empty() == false);
  }

  TEST_CASE("many threads at both ends lose nothing") {
    Queue<int> queue;
    std::atomic<int64_t> sum{0};
    {
      Threads threads;
      for (int t = 0; t < 3; ++t)
        threads.start([&queue] {
          for (int i = 1; i <= 1000; ++i) queue.push(i);
        });
      for (int t = 0; t < 3; ++t)
        threads.start([&queue, &sum] {
          for (int i = 0; i < 1000; ++i) sum += queue.pop();
        });
    }
    CHECK(sum == 3 * 500500);
    CHECK(queue.clear() == 0);
  }

  TEST_CASE("a shuttle counts what is under way") {
    DataShuttle<int, int> shuttle;
    CHECK_FALSE(shuttle.pop_result().has_value());
    shuttle.push_job(1);
    shuttle.push_job(2);
    CHECK(shuttle.in_flight_jobs() == 2);
    CHECK(shuttle.pop_job() == 1);
    shuttle.push_result(10);
    CHECK(shuttle.pop_result().value() == 10);
    CHECK(shuttle.in_flight_jobs() == 1);
    CHECK_FALSE(refusal([&] { shuttle.pop_result(milliseconds(1)); }).empty());
    CHECK(shuttle.in_flight_jobs() == 1);
    shuttle.drain();
    CHECK(shuttle.in_flight_jobs() == 0);
    CHECK_FALSE(shuttle.pop_result().has_value());
  }

  TEST_CASE("an ordered sequencer keeps what comes too early") {
    struct Numbered {
      size_t sequence_number;
    };
    const std::vector<size_t> order = {1, 0, 2, 4, 5, 3};
    size_t taken = 0;
    const auto next = [&]() -> optional<Numbered> {
      if (taken == order.size()) return nullopt;
      return Numbered{order[taken++]};
    };
    sequencers::OrderedSequencer<Numbered> ordered(3);
    for (size_t i = 0; i < 6; ++i) CHECK(ordered.next(next)->sequence_number == i);
    CHECK_FALSE(ordered.next(next).has_value());
    taken = 0;
    sequencers::NoSequencer<Numbered> any;
    for (const size_t i : order) CHECK(any.next(next)->sequence_number == i);
  }
}
