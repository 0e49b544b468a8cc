#include "etude/data/dataloader/workers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "etude/core/parallel.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using namespace etude::data::detail;
using std::chrono::milliseconds;

TEST_SUITE("workers") {
  namespace {

  struct Numbered : Job {
    explicit Numbered(int n) : number(n) {}
    const int number;
    int answer = 0;
  };

  // The number of the next job that is done; -1 if no job is in flight.
  int next_number(Workers& workers) {
    const auto job = workers.pop();
    return job ? static_cast<Numbered&>(*job).number : -1;
  }

  void answer_with_square(Job& job) {
    auto& numbered = static_cast<Numbered&>(job);
    numbered.answer = numbered.number * numbered.number;
  }

  }  // namespace

  TEST_CASE("threads end with their owner, and jobs that have not begun are dropped") {
    std::atomic<int> done{0};
    {
      Workers workers(true);
      for (int t = 0; t < 4; ++t) workers.start([&done](Job&) { ++done; });
      for (int i = 0; i < 4; ++i) workers.push(std::make_shared<Numbered>(i));
      for (int i = 0; i < 4; ++i) CHECK(next_number(workers) == i);
      CHECK(done == 4);
    }
    Workers none(true);
    none.push(std::make_shared<Numbered>(0));
    CHECK(none.in_flight() == 1);
    none.join();
    CHECK(none.in_flight() == 0);
    CHECK(next_number(none) == -1);
  }

  TEST_CASE("a thread uses no others for its ops") {
    const ThreadCount restored;
    set_num_threads(4);
    std::atomic<int> inside{0};
    Workers workers(true);
    workers.start([&inside](Job&) { inside = get_num_threads(); });
    workers.push(std::make_shared<Numbered>(0));
    CHECK(next_number(workers) == 0);
    CHECK(inside == 1);
    CHECK(get_num_threads() == 4);
  }

  TEST_CASE("jobs are counted from push to pop, also if a pop gives up") {
    Workers workers(true);
    CHECK(next_number(workers) == -1);
    workers.push(std::make_shared<Numbered>(1));
    workers.push(std::make_shared<Numbered>(2));
    CHECK(workers.in_flight() == 2);
    CHECK(refusal([&] { workers.pop(milliseconds(5)); }) ==
          "Error: Timeout in DataLoader queue while waiting for next batch (timeout was 5 ms)");
    CHECK(workers.in_flight() == 2);
    workers.start(answer_with_square);
    CHECK(next_number(workers) == 1);
    CHECK(workers.in_flight() == 1);
    CHECK(next_number(workers) == 2);
    CHECK(next_number(workers) == -1);
  }

  TEST_CASE("many threads lose no job") {
    for (const bool in_order : {true, false}) {
      Workers workers(in_order);
      for (int t = 0; t < 4; ++t) workers.start(answer_with_square);
      int64_t sum = 0;
      for (int i = 1; i <= 1000; ++i) workers.push(std::make_shared<Numbered>(i));
      while (const auto job = workers.pop()) sum += static_cast<Numbered&>(*job).answer;
      CHECK(sum == 333833500);
    }
  }

  TEST_CASE("what is done too early waits only for an order") {
    for (const bool in_order : {true, false}) {
      std::atomic<bool> second_is_done{false};
      Workers workers(in_order);
      for (int t = 0; t < 2; ++t)
        workers.start([&second_is_done](Job& job) {
          if (static_cast<Numbered&>(job).number == 2) second_is_done = true;
          while (!second_is_done) std::this_thread::yield();
          if (static_cast<Numbered&>(job).number == 1) std::this_thread::sleep_for(milliseconds(50));
        });
      workers.push(std::make_shared<Numbered>(1));
      workers.push(std::make_shared<Numbered>(2));
      CHECK(next_number(workers) == (in_order ? 1 : 2));
      CHECK(next_number(workers) == (in_order ? 2 : 1));
    }
  }
}
