// The threads of large ops are created once and stay, for any number of threads and any op. The tests count them by their
// system thread ids.
#include <doctest/doctest.h>
#ifdef __linux__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "etude/core/detail/parallel_for.h"
#include "etude/etude.h"
#include "layers/families.h"
#include "support/thread_count.h"

using namespace etude;

#if defined(__linux__) && defined(ETUDE_OPENMP)

TEST_SUITE("team") {
  namespace {

  using Ids = std::set<std::string>;

  Ids threads_of_process() {
    Ids ids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
      ids.insert(entry.path().filename().string());
    return ids;
  }

  // Uses `n` threads, even with fewer cores and with cores that are never free.
  class Team {
   public:
    explicit Team(int size) : threads_(size) { etude::detail::heed_crowding(false); }
    ~Team() { etude::detail::heed_crowding(true); }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

   private:
    ThreadCount threads_;
  };

  void large_op() { etude::ones({1 << 18}).add_(1); }

  /// A typical training of a small character GPT.
  struct Training {
    explicit Training(double dropout) : model(options(dropout)), optimizer(model->parameters()) {}
    static nn::GPTOptions options(double dropout) {
      return nn::GPTOptions(65).context(64).d_model(128).layers(4).heads(4).dropout(dropout);
    }
    void step() {
      optimizer.zero_grad();
      nn::functional::cross_entropy(model(ids.narrow(1, 0, 64)).view({-1, 65}),
                                    ids.narrow(1, 1, 64).reshape({-1}))
          .backward();
      nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
    }
    Tensor ids = randint(65, {12, 65}, kLong);
    nn::GPT model;
    optim::AdamW optimizer;
  };

  // The number of loops that f hands out. f creates no thread, and so ends none that is needed again; threads of an earlier,
  // larger team may still be ending.
  template <typename F>
  int64_t loops_of(F&& f) {
    const Ids before = threads_of_process();
    const int64_t loops = etude::detail::loops_handed_out();
    f();
    const Ids after = threads_of_process();
    CHECK(std::includes(before.begin(), before.end(), after.begin(), after.end()));
    return etude::detail::loops_handed_out() - loops;
  }

  }  // namespace

  TEST_CASE("no op makes or ends a thread after the first") {
    const Team sixteen(16);
    for (const bool onednn_too : {false, true}) {
      large_op();
      CHECK(threads_of_process().size() >= 16);
      for (const auto& family : families::all()) {
        const std::string& name = family.first;
        CAPTURE(name);
        loops_of([&] { families::run(family.second, onednn_too, 16); });
      }
    }
  }

  TEST_CASE("nor does a step of training or a generation, which hand out no more loops than are recorded") {
    const Team sixteen(16);
    for (const bool onednn_too : {false, true}) {
      const onednn::EnabledGuard path(onednn_too);
      Training plain(0), with_dropout(0.1);
      for (Training* const t : {&plain, &with_dropout}) t->step();
      CHECK(loops_of([&] { plain.step(); }) <= 203);
      CHECK(loops_of([&] { with_dropout.step(); }) <= 293);
      plain.model->eval();
      const nn::GenerateOptions twenty(20);
      CHECK(loops_of([&] { nn::generate(plain.model, plain.ids.narrow(1, 0, 16), twenty); }) <= 260);
    }
  }

  TEST_CASE("another number of threads makes one new team") {
    const Team sixteen(16);
    for (const int size : {16, 3, 16, 1, 5}) {
      CAPTURE(size);
      set_num_threads(size);
      large_op();
      CHECK(loops_of([] {
              for (int i = 0; i < 3; ++i) large_op();
            }) == (size == 1 ? 0 : 6));
    }
  }

  TEST_CASE("ops inside of a loop make no thread") {
    const Team five(5);
    large_op();
    CHECK(loops_of([] {
            parallel_for(0, 5, 1, [](int64_t begin, int64_t end) {
              for (; begin < end; ++begin) large_op();
            });
          }) == 1);
  }

  TEST_CASE("each thread of a program has a team of its own, and at any time one of them works") {
    const Team three(3);
    large_op();
    const size_t before = threads_of_process().size();
    std::atomic<int> turn{0}, ready{0};
    std::vector<std::thread> users;
    for (int number = 0; number < 4; ++number)
      users.emplace_back([&, number] {
        while (turn < number) std::this_thread::yield();
        large_op();
        ++turn;
        while (turn < 4) std::this_thread::yield();  // all threads have a team
        const Ids ids = threads_of_process();
        ++ready;
        while (ready < 4) std::this_thread::yield();
        for (int i = 0; i < 20; ++i) large_op();
        ++ready;
        while (ready < 8) std::this_thread::yield();
        const Ids after = threads_of_process();
        CHECK(std::includes(ids.begin(), ids.end(), after.begin(), after.end()));
        CHECK(after.size() <= before + 4 * 3);
        ++ready;
        while (ready < 12) std::this_thread::yield();
      });
    for (std::thread& user : users) user.join();

    // If two threads work at the same time, one of them has no team.
    std::atomic<bool> inside{false}, done{false};
    std::thread other([&] {
      while (!inside) std::this_thread::yield();
      const int64_t loops = etude::detail::loops_handed_out();
      large_op();
      CHECK(etude::detail::loops_handed_out() == loops);
      done = true;
    });
    parallel_for(0, 3, 1, [&](int64_t, int64_t) {
      inside = true;
      while (!done) std::this_thread::yield();
    });
    other.join();
  }

  TEST_CASE("a child that was forked computes on one thread") {
    const Team three(3);
    large_op();
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      set_num_threads(4);
      const bool is_right = etude::ones({1 << 18}).sum().item<float>() == 1 << 18;
      _exit(is_right && get_num_threads() == 1 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(get_num_threads() == 3);
    CHECK(loops_of(large_op) == 2);
  }
}

#endif
