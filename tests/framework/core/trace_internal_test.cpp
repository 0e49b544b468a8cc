// The content of a trace: each op, node and named scope of each thread, nested, and nothing while it is off.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "etude/autograd/autograd.h"
#include "etude/core/detail/listen.h"
#include "etude/core/detail/trace.h"
#include "etude/core/record_function.h"
#include "etude/ops/ops.h"
#include "etude/optim/adamw.h"
#include "support/on_threads.h"
#include "support/refusal.h"
#include "support/trace_events.h"

using namespace etude;
namespace trace = etude::detail::trace;
using Names = std::vector<std::string>;

TEST_SUITE("trace") {
  namespace {

  namespace listen = etude::detail::listen;
  using listen::Kind;

  template <typename F>
  TraceText traced(const F& f, std::size_t most_bytes = trace::kMostBytes) {
    trace::start(most_bytes);
    f();
    std::string text;
    trace::stop([&](std::string_view part) { text += part; });
    return TraceText(text);
  }

  }  // namespace

  TEST_CASE("an op is an event with the sizes of what it was given and of its result") {
    const Tensor a = ones({2, 3}), b = empty({3});
    const TraceText t = traced([&] { a.add(b); });
    CHECK(t.names() == Names{"aten::add"});
    CHECK(t["aten::add"].category == "cpu_op");
    CHECK(t["aten::add"].args["Input Dims"].dump() == "[[2,3],[3]]");
    CHECK(t["aten::add"].args["Output Dims"].dump() == "[[2,3]]");
    const auto sizes = [&](const auto& op, const char* name) {
      const TraceText text = traced(op);
      return text[name].args["Input Dims"].dump() + " " + text[name].args["Output Dims"].dump();
    };
    CHECK(sizes([&] { linear(a, ones({4, 3})); }, "aten::linear") == "[[2,3],[4,3],[]] [[2,4]]");
    CHECK(sizes([&] { cat({a, a}); }, "aten::cat") == "[[2,3],[2,3]] [[4,3]]");
    CHECK(sizes([&] { a.unbind(1); }, "aten::unbind") == "[[2,3]] [[2],[2],[2]]");
    CHECK(sizes([&] { a.max(1); }, "aten::max") == "[[2,3]] [[2]]");
    CHECK(sizes([&] { a.equal(b); }, "aten::equal") == "[[2,3],[3]] []");
    CHECK(sizes([&] { attention(a, a, a, {}, nullopt, nullopt, 0, true); }, "etude::attention") ==
          "[[2,3],[2,3],[2,3],[]] [[2,3]]");
    CHECK(sizes([&] { a.sum(); }, "aten::sum") == "[[2,3]] [[]]");
  }

  TEST_CASE("ops from tables, in place, views and comparisons are there under LibTorch's names") {
    const Tensor x = ones({2, 2});
    const TraceText t = traced([&] {
      x.exp(), x.tanh_(), x.mul_(2), x.clamp_(0, 1), x.relu_(), x == x, x.eq_(x), x.logical_and(x),
          x.view({4}), x.t(), x.select(0, 1), x.transpose_(0, 1), x.fill_(1), x.copy_(ones({2, 2}));
    });
    const Names names = t.names();
    const std::set<std::string> found(names.begin(), names.end());
    for (const char* name : {"exp", "tanh_", "mul_", "clamp_", "relu_", "eq", "eq_", "logical_and", "view",
                             "t", "select", "transpose_", "fill_", "copy_", "ones"})
      CHECK_MESSAGE(found.count(std::string("aten::") + name) == 1, name);
  }

  TEST_CASE("ops that an op is made of lie inside it, and an op of itself is there once") {
    const TraceText t = traced([] { linear(ones({2, 3}), ones({4, 3})); });
    CHECK(t["aten::linear"].holds(t["aten::matmul"]));
    CHECK(t["aten::matmul"].holds(t["aten::mm"]));
    const TraceText twice = traced([] {
      const Tensor x = zeros({2});
      x.exp().exp();
    });
    CHECK(twice.names() == Names{"aten::empty", "aten::zeros", "aten::exp", "aten::exp"});
  }

  TEST_CASE("backward shows the nodes, with their ops inside, and a step of an optimizer") {
    const Tensor w = ones({2, 2}).requires_grad_();
    optim::AdamW optimizer({w});
    const Tensor y = w.mm(ones({2, 2}));
    const TraceText t = traced([&] {
      y.backward(ones({2, 2}));
      optimizer.step();
    });
    CHECK(t["MmBackward0"].holds(t["aten::mm"]));
    CHECK(t["AccumulateGrad"].begin >= t["MmBackward0"].end);
    CHECK(t["Optimizer.step#AdamW.step"].category == "user_annotation");
  }

  TEST_CASE("names of a user's scopes may hold anything, and are asked for only while there is a trace") {
    int asked = 0;
    const auto name = [&] {
      ++asked;
      return std::string("a \"b\" \\ \n \x01 \xc3\xa9 \xff");
    };
    const auto scope = [&] {
      RECORD_USER_SCOPE(name());
      empty({1});
    };
    scope();
    CHECK(asked == 0);
    const TraceText t = traced(scope);
    CHECK(asked == 1);
    const TraceEvent& event = t["a \"b\" \\ \n \x01 \xc3\xa9 \xef\xbf\xbd"];
    CHECK(event.category == "user_annotation");
    CHECK(event.holds(t["aten::empty"]));
  }

  TEST_CASE("a scope may be ended early, and begin without a trace") {
    CHECK_FALSE(RecordFunction().isActive());
    RecordFunction before;
    const TraceText t = traced([&] {
      before.before("before");
      RecordFunction scope(RecordScope::FUNCTION);
      CHECK(scope.isActive());
      scope.before("named");
      scope.end();
      empty({1});
    });
    CHECK(t.names() == Names{"named", "aten::empty"});
    CHECK(t["named"].category == "cpu_op");
  }

  TEST_CASE("an exception goes through scopes, which end there") {
    const auto fail = [] {
      RECORD_USER_SCOPE("outer");
      ones({2}).add(ones({3}));
    };
    const TraceText t = traced([&] {
      CHECK_THROWS_AS(fail(), Error);
      ones({2}).exp();
    });
    CHECK(t["outer"].holds(t["aten::add"]));
    CHECK_FALSE(t["aten::add"].args.contains("Output Dims"));
    CHECK(t["aten::exp"].begin >= t["outer"].end);
  }

  TEST_CASE("each thread has its row, by the name it gave itself, also if it has ended") {
    const TraceText t = traced([] {
      empty({1});
      on_threads(3, [](int i) {
        trace::name_thread("worker " + std::to_string(i));
        const listen::Scope scope({Kind::kCommunication, "allreduce bucket " + std::to_string(i)});
        for (int n = 0; n < 100; ++n) zeros({i + 1});
      });
    });
    std::map<int64_t, int> counts;
    for (const TraceEvent& e : t.events) ++counts[e.tid];
    CHECK(counts.size() == 4);
    for (int i = 0; i < 3; ++i) {
      const TraceEvent& scope = t["allreduce bucket " + std::to_string(i)];
      CHECK(scope.category == "communication");
      CHECK(t.row("thread_name", scope.tid) == "worker " + std::to_string(i));
      CHECK(counts[scope.tid] == 201);  // zeros is empty and a fill
    }
    const TraceText later = traced([] { empty({1}); });
    CHECK(later.events.size() == 1);
  }

  TEST_CASE("times are those of the day, of a length that fits, and the same for all processes") {
    const auto now = [] {
      using namespace std::chrono;
      return duration<double, std::micro>(system_clock::now().time_since_epoch()).count();
    };
    const double before = now();
    const TraceText t = traced([] {
      const listen::Scope scope({Kind::kUserScope, "sleep"});
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    const TraceEvent& e = t["sleep"];
    CHECK(e.end - e.begin >= 20e3);
    const double base = t.whole["baseTimeNanoseconds"].get<double>() / 1000;
    CHECK(base + e.begin > before - 50e3);
    CHECK(base + e.end < now() + 50e3);
  }

  TEST_CASE("a process has a name and a number, of several its rank") {
    trace::set_process(3, "rank 3");
    const TraceText t = traced([] { empty({1}); });
    trace::set_process(0, "etude");
    CHECK(t["aten::empty"].pid == 3);
    CHECK(t.whole["traceEvents"][0]["pid"].get<int>() == 3);
    CHECK(t.whole["traceEvents"][0]["args"]["name"] == "rank 3");
    CHECK(traced([] { empty({1}); })["aten::empty"].pid == 0);
  }

  TEST_CASE("memory is bounded: what has no room is counted") {
    const TraceText t = traced(
        [] {
          for (int i = 0; i < 100; ++i) empty({1});
        },
        1000);
    CHECK(t.events.size() >= 3);
    CHECK(t.events.size() < 20);
    CHECK(t.whole["droppedEvents"].get<size_t>() == 100 - t.events.size());
    CHECK(traced([] {}).whole["droppedEvents"].get<int>() == 0);
  }

  TEST_CASE("there is one trace at a time, and nothing is kept without one") {
    const TraceText t = traced([] {
      CHECK(refusal([] { trace::start(); }) == "Error: Profiler is already enabled");
      empty({1});
    });
    CHECK(t.names() == Names{"aten::empty"});
    for (int i = 0; i < 10; ++i) empty({1});
    CHECK(traced([] {}).events.empty());
  }

  TEST_CASE("a scope that a trace has not seen the begin of is not in it") {
    std::optional<listen::Scope> scope;
    traced([&] { scope.emplace(listen::Event{Kind::kUserScope, "long"}); });
    const TraceText t = traced([&] {
      scope.reset();
      empty({1});
    });
    CHECK(t.names() == Names{"aten::empty"});
  }

  TEST_CASE("a trace begins and ends while other threads compute") {
    std::atomic<bool> done{false};
    std::thread other([&] {
      while (!done) ones({2}).add(1);
    });
    for (int i = 0; i < 50; ++i) {
      const TraceText t = traced([] { std::this_thread::yield(); });
      for (const TraceEvent& e : t.events) CHECK(e.end >= e.begin);
    }
    done = true;
    other.join();
  }

  TEST_CASE("results are the same with a trace and without") {
    const auto compute = [] {
      manual_seed(3);
      const Tensor w = randn({4, 4}).requires_grad_(), x = rand({3, 4});
      cross_entropy_loss(gelu(linear(x, w)).expand({3, 4}), arange(3)).backward();
      return w.grad();
    };
    Tensor with;
    traced([&] { with = compute(); });
    CHECK(with.equal(compute()));
  }
}
