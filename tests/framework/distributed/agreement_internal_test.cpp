#include "etude/distributed/detail/agreement.h"

#include <doctest/doctest.h>

#include "support/any_function.h"
#include "support/refusal.h"
#include "support/thread_group.h"

using namespace etude;

TEST_SUITE("agreement") {
  using namespace etude::distributed;

  namespace {

  // The error of each of `size` ranks.
  std::vector<std::string> refusals(int size, const AnyFunction<void(ThreadGroup&)>& f) {
    std::vector<std::string> all(static_cast<size_t>(size));
    on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
      all[static_cast<size_t>(group->getRank())] = refusal_lines([&] { f(*group); });
    });
    return all;
  }

  std::string difference_of(const distributed::detail::Facts& of_0, const distributed::detail::Facts& of_2) {
    const auto all = refusals(3, [&](ThreadGroup& group) {
      distributed::detail::check_same(group, "1.0", group.getRank() == 2 ? of_2 : of_0);
    });
    CHECK(all[0] == all[1]);
    CHECK(all[0] == all[2]);
    return all[0];
  }

  }  // namespace

  TEST_CASE("a text of one process is there in all, also with zeros and without anything") {
    on_ranks(3, [](const std::shared_ptr<ThreadGroup>& group) {
      const std::string text("a\0b", 3);
      CHECK(distributed::detail::broadcast_text(*group, 1, group->getRank() == 1 ? text : "other") == text);
      CHECK(distributed::detail::broadcast_text(*group, 0, group->getRank() == 0 ? "" : "other").empty());
    });
  }

  TEST_CASE("what is the same everywhere passes") {
    CHECK(difference_of({{"a", "[2]"}, {"b", "[3]"}}, {{"a", "[2]"}, {"b", "[3]"}}) == "");
  }

  TEST_CASE("the first difference is thrown by all, with both sides") {
    CHECK(difference_of({{"a", "[2]"}, {"b", "[192, 64]"}, {"c", "[1]"}},
                        {{"a", "[2]"}, {"b", "[384, 128]"}, {"c", "[2]"}}) ==
          "rank 2 has another model: b is [384, 128] there and [192, 64] at rank 0");
    CHECK(difference_of({{"a", "[2]"}, {"b", "[3]"}}, {{"a", "[2]"}}) ==
          "rank 2 has another model: b is missing there and [3] at rank 0");
    CHECK(difference_of({{"a", "[2]"}}, {{"a", "[2]"}, {"b", "[3]"}}) ==
          "rank 2 has another model: b is [3] there and missing at rank 0");
    CHECK(difference_of({{"a", "[2]"}, {"b", "[3]"}}, {{"b", "[3]"}, {"a", "[2]"}}) ==
          "rank 2 has another model: b stands there where rank 0 has a");
  }

  TEST_CASE("another version comes first") {
    const auto all = refusals(2, [](ThreadGroup& group) {
      distributed::detail::check_same(group, group.getRank() == 1 ? "0.9" : "1.0",
                                      {{"a", group.getRank() == 1 ? "[1]" : "[2]"}});
    });
    CHECK(all[0] == "rank 1 runs Etude 0.9, rank 0 runs 1.0");
    CHECK(all[1] == all[0]);
  }

  TEST_CASE("one process runs it, and its error is that of all") {
    std::atomic<int> runs{0};
    CHECK(refusals(3, [&](ThreadGroup& group) {
            run_on_rank(group, 1, [&] {
              ++runs;
              CHECK(group.getRank() == 1);
            });
          }) == std::vector<std::string>(3));
    CHECK(runs == 1);
    CHECK(refusals(3, [](ThreadGroup& group) {
            run_on_rank(group, 1, [] { throw Error("No space left on device"); });
          }) == std::vector<std::string>(3, "rank 1: No space left on device"));
    CHECK(refusals(1, [](ThreadGroup& group) {
            run_on_rank(group, 0, [] { throw Error("No space left on device"); });
          })[0] == "No space left on device");
    CHECK(refusal_lines([] { run_on_rank(*ProcessGroup::single(), 2, [] {}); }) ==
          "invalid root rank: 2\nthere are 1 processes");
  }
}
