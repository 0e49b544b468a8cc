#include "etude/distributed/process_group.h"

#include <doctest/doctest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"

namespace {

using namespace std::chrono_literals;
using etude::Tensor, etude::refusal_lines, etude::refusal_text;

TEST_SUITE("groups of processes") {
  using namespace etude::distributed;

  TEST_CASE("a work is done when it is finished, by another thread") {
    const Tensor t = etude::ones({2});
    const auto work = std::make_shared<Work>(std::vector<Tensor>{t});
    CHECK_FALSE(work->isCompleted());
    CHECK_FALSE(work->isSuccess());
    CHECK(refusal_text([&] { work->wait(10ms); }) == "Operation timed out!");
    std::thread other([&] {
      std::this_thread::sleep_for(20ms);
      work->finish();
    });
    CHECK(work->wait());
    other.join();
    CHECK(work->isCompleted());
    CHECK(work->isSuccess());
    CHECK(work->wait(10ms));
    CHECK(work->exception() == nullptr);
    CHECK(work->result().at(0).is_same(t));
  }

  TEST_CASE("a work that failed throws what went wrong from every wait") {
    Work work;
    work.finish(std::make_exception_ptr(etude::ValueError("no")));
    CHECK(work.isCompleted());
    CHECK_FALSE(work.isSuccess());
    CHECK(work.exception() != nullptr);
    for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH_AS(work.wait(), "no", etude::ValueError);
    CHECK(work.result().empty());
  }

  TEST_CASE("a process alone has every operation done at once") {
    const auto group = ProcessGroup::single();
    CHECK(group->getRank() == 0);
    CHECK(group->getSize() == 1);
    CHECK(group->getBackendName() == "single");
    const Tensor t = etude::tensor({1.0, 2.0, 3.0});
    for (const auto op : {ReduceOp::SUM, ReduceOp::AVG, ReduceOp::PRODUCT, ReduceOp::MIN}) {
      AllreduceOptions options;
      options.reduceOp = op;
      std::vector<Tensor> tensors = {t.clone()};
      const auto work = group->allreduce(tensors, options);
      CHECK(work->isSuccess());
      CHECK(etude::equal(tensors[0], t));
    }
    std::vector<Tensor> tensors = {t.clone()}, outputs = {etude::zeros({3})};
    CHECK(group->broadcast(tensors)->wait());
    CHECK(etude::equal(tensors[0], t));
    std::vector<std::vector<Tensor>> lists = {outputs};
    const auto gathered = group->allgather(lists, tensors);
    CHECK(etude::equal(lists[0][0], t));
    CHECK(gathered->result().at(0).is_same(lists[0][0]));
    lists = {{t + 1}};
    CHECK(group->reduce_scatter(outputs, lists)->wait());
    CHECK(etude::equal(outputs[0], t + 1));
    CHECK(group->barrier()->isSuccess());
    std::vector<Tensor> empty = {etude::zeros({0})}, scalar = {etude::scalar_tensor(2)};
    CHECK(group->allreduce(empty)->wait());
    CHECK(group->broadcast(scalar)->wait());
  }

  TEST_CASE("exceptions of a program in a group of one go on to who runs it") {
    const auto group = ProcessGroup::single();
    CHECK(guarded(*group, [] { return 3; }) == 3);
    CHECK_THROWS_AS(guarded(*group, []() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  }

  // A group that records why it was ended.
  struct NotedEnd {};
  struct PairOfProcesses : ProcessGroup {
    PairOfProcesses() : ProcessGroup(1, 2) {}
    const std::string getBackendName() const override { return "noted"; }
    std::shared_ptr<Work> allreduce(std::vector<Tensor>&, const AllreduceOptions&) override { return {}; }
    std::shared_ptr<Work> broadcast(std::vector<Tensor>&, const BroadcastOptions&) override { return {}; }
    std::shared_ptr<Work> allgather(std::vector<std::vector<Tensor>>&, std::vector<Tensor>&,
                                    const AllgatherOptions&) override {
      return {};
    }
    std::shared_ptr<Work> reduce_scatter(std::vector<Tensor>&, std::vector<std::vector<Tensor>>&,
                                         const ReduceScatterOptions&) override {
      return {};
    }
    std::shared_ptr<Work> barrier(const BarrierOptions&) override { return {}; }
    [[noreturn]] void abort(const std::string& why, int) override {
      reason = why;
      throw NotedEnd();
    }
    std::string reason;
  };

  TEST_CASE("an exception of one of several processes ends all, with what it says") {
    PairOfProcesses group;
    CHECK(guarded(group, [] { return 4; }) == 4);
    CHECK_THROWS_AS(guarded(group, []() -> int { throw std::runtime_error("one\ntwo"); }), NotedEnd);
    CHECK(group.reason == "one\ntwo");
    CHECK_THROWS_AS(guarded(group, []() -> int { throw std::bad_alloc(); }), NotedEnd);
    CHECK(group.reason == "out of memory");
    CHECK_THROWS_AS(guarded(group, []() -> int { throw 7; }), NotedEnd);
    CHECK(group.reason == "an exception that is not a std::exception");
  }
}

}  // namespace
