// The gradients of PyTorch's DistributedDataParallel with gloo, recorded.
#include <doctest/doctest.h>

#include "etude/distributed/data_parallel.h"
#include "support/golden.h"
#include "support/thread_group.h"

using namespace etude;
using nn::parallel::DistributedDataParallel;

TEST_SUITE("DistributedDataParallel beside PyTorch's") {
  namespace {

  Tensor sine(int64_t count, double scale) { return (etude::arange(1, count + 1) * scale).sin(); }

  // The model of tests/golden/distributed/make.py.
  struct RecordedNet : nn::Module {
    RecordedNet() {
      w1 = register_parameter("w1", sine(48, 0.7).reshape({6, 8}));
      w2 = register_parameter("w2", sine(24, 0.9).reshape({8, 3}));
      rare = register_parameter("rare", sine(3, 1.1));
    }
    Tensor forward(const Tensor& x, bool uses_rare) {
      const Tensor y = etude::tanh(x.matmul(w1)).matmul(w2);
      return uses_rare ? y * rare : y;
    }
    Tensor w1, w2, rare;
  };

  struct Replay {
    Replay(const Recorded& recorded_, const std::shared_ptr<ThreadGroup>& group_)
        : recorded(recorded_), group(group_), ddp(net, group) {}

    const Recorded& recorded;  // of this process, by scenario
    std::shared_ptr<ThreadGroup> group;
    std::shared_ptr<RecordedNet> net = std::make_shared<RecordedNet>();
    DistributedDataParallel<std::shared_ptr<RecordedNet>> ddp;

    void backward(int step, bool uses_rare = true) {
      const int rank = group->getRank();
      const Tensor x = sine(24, 0.37 + 0.1 * step + 0.05 * rank).mul(3).reshape({4, 6});
      const Tensor y = (etude::arange(1, 13) * (0.71 + 0.02 * rank)).cos().reshape({4, 3});
      (ddp(x, uses_rare) - y).square().mean().backward();
    }
    void compare(const char* scenario, bool weights = false) const {
      for (const auto& item : net->named_parameters()) {
        CAPTURE(scenario);
        CAPTURE(item.key());
        const Recorded& numbers = recorded.at(scenario).at(item.key());
        const Tensor got = weights ? item->detach() : item->grad();
        CHECK(got.defined() == !numbers.is_null());
        if (got.defined()) CHECK(got.flatten().allclose(golden_numbers(numbers, kFloat), 1e-6, 1e-6));
      }
    }
  };

  void replay(const Recorded& recorded, const std::shared_ptr<ThreadGroup>& group) {
    const auto fresh = [&] { return std::make_unique<Replay>(recorded, group); };
    auto run = fresh();
    run->backward(0);
    run->compare("one backward");
    run->backward(1);
    run->compare("two backwards");

    run = fresh();
    {
      const auto guard = run->ddp.no_sync();
      run->backward(0);
      run->backward(1);
    }
    run->compare("no_sync");
    run->backward(2);
    run->compare("after no_sync");

    run = fresh();
    run->backward(0, group->getRank() == 0);
    run->compare("rank 0 alone uses rare");
    run = fresh();
    run->backward(0, false);
    run->compare("nobody uses rare");

    run = fresh();
    for (int step = 0; step < 3; ++step) {
      run->net->zero_grad(true);
      run->backward(step);
      const NoGradGuard no_grad;
      for (const Tensor& p : run->net->parameters()) p.sub_(p.grad() * 0.1);
    }
    run->compare("three steps", /*weights=*/true);
  }

  }  // namespace

  TEST_CASE(
      "gradients are those of PyTorch, also accumulated, under no_sync and of parameters that some do not "
      "use") {
    const Recorded file = golden_json("distributed/data_parallel.json");
    for (const int size : {2, 3})
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        replay(file.at("processes").at(std::to_string(size)).at(static_cast<size_t>(group->getRank())),
               group);
      });
  }
}
