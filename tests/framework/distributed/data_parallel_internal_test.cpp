#include "etude/distributed/data_parallel.h"

#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "small_net.h"
#include "support/any_function.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/thread_group.h"

using namespace etude;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

TEST_SUITE("DistributedDataParallel") {
  namespace {

  // The error of each rank when it makes its model.
  std::string refusal_of(const AnyFunction<void(const std::shared_ptr<ThreadGroup>&)>& f, int size = 2) {
    std::vector<std::string> all(static_cast<size_t>(size));
    on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
      all[static_cast<size_t>(group->getRank())] = refusal_lines([&] { f(group); });
    });
    for (const std::string& text : all) CHECK(text == all[0]);
    return all[0];
  }

  }  // namespace

  TEST_CASE("backward of rows of one's own averages over the processes, as often as it is called") {
    for (const int size : {2, 3}) {
      const std::vector<Tensor> batch = batch_of(4 * size);
      SmallNet alone;
      for (int r = 0; r < size; ++r) (alone->loss(rows_of_batch(batch, 4 * r, 4 * r + 4)) / size).backward();
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        DistributedDataParallel ddp(model, group);
        const std::vector<Tensor> own = rows_of_batch(batch, 4 * group->getRank(), 4 * group->getRank() + 4);
        for (int times = 1; times <= 3; ++times) {
          (ddp(own[0]) - own[1]).square().mean().backward();
          for (size_t i = 0; i < 4; ++i)
            CHECK(model->parameters()[i].grad().allclose(alone->parameters()[i].grad() * times, 1e-5, 1e-6));
          CHECK_FALSE(model->never.grad().defined());
        }
      });
    }
  }

  TEST_CASE("a parameter that only some use gets the average over all, and none if nobody uses it") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      DistributedDataParallel ddp(model, group);
      const std::vector<Tensor> batch = batch_of(4);
      for (const int users : {2, 1, 0, 1}) {
        model->zero_grad(true);
        model->uses_rare = group->getRank() < users;
        (ddp(batch[0]) - batch[1]).square().mean().backward();
        if (users == 0) {
          CHECK_FALSE(model->rare.grad().defined());
          continue;
        }
        SmallNet alone;
        alone->loss(batch).backward();
        CHECK(model->rare.grad().allclose(alone->rare.grad() * users / 2));
      }
    });
  }

  TEST_CASE("under no_sync gradients stay here, and the next backward averages all") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model, alone;
      DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(2));
      const std::vector<Tensor> batch = batch_of(8);
      const int rank = group->getRank();
      alone->loss(rows_of_batch(batch, 4 * rank, 4 * rank + 4)).backward();
      const auto loss = [&](const std::vector<Tensor>& part) { return model->loss(part); };
      for (int round = 0; round < 2; ++round) {
        model->zero_grad(true);
        const size_t sent = group->reduced.size();
        {
          const auto guard = ddp.no_sync();
          if (round == 0) ddp.module->loss(rows_of_batch(batch, 4 * rank, 4 * rank + 4)).backward();
          else ddp.mean_loss(batch, loss);
          CHECK(model->w1.grad().allclose(alone->w1.grad()));
        }
        CHECK(group->reduced.size() == sent + static_cast<size_t>(round));
        if (round == 0) ddp.module->loss(rows_of_batch(batch, 4 * rank, 4 * rank + 4)).backward();
        else ddp.mean_loss(batch, loss);
        SmallNet whole;
        whole->loss(batch).backward();
        CHECK(model->w1.grad().allclose(whole->w1.grad() * 2, 1e-5, 1e-6));
      }
    });
  }

  TEST_CASE("gradients are added to the grads that are there, which stay the same tensors") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      DistributedDataParallel ddp(model, group);
      const std::vector<Tensor> batch = batch_of(4);
      model->loss(batch).backward();
      const Tensor first = model->w1.grad(), once = first.clone();
      model->loss(batch).backward();
      CHECK(first.is_same(model->w1.grad()));
      CHECK(first.equal(once * 2));
    });
  }

  TEST_CASE("all get the parameters and buffers of rank 0, and its buffers before each forward") {
    on_ranks(3, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      {
        const NoGradGuard no_grad;
        model->w1.fill_(group->getRank());
        model->count.fill_(5 + group->getRank());
      }
      DistributedDataParallel ddp(model, group);
      CHECK(model->w1.detach().eq(0).all().item<bool>());
      CHECK(model->count.item<float>() == 5);
      model->count.fill_(group->getRank() + 1);
      ddp(batch_of(2)[0]);
      CHECK(model->count.item<float>() == 1);
      model->count.fill_(group->getRank() + 2);
      {
        const auto guard = ddp.no_sync();
        ddp(batch_of(2)[0]);
      }
      CHECK(model->count.item<float>() == 2 + group->getRank());
    });
  }

  TEST_CASE("it is a module whose state has the prefix of Python's") {
    DistributedDataParallel ddp(SmallNet(), distributed::ProcessGroup::single());
    CHECK(ddp.named_parameters().keys()[0] == "module.w1");
    ddp.eval();
    CHECK_FALSE(ddp.module->is_training());
  }

  TEST_CASE("models that differ are refused by all, with the first difference") {
    CHECK(refusal_of([](const std::shared_ptr<ThreadGroup>& group) {
            SmallNet model;
            if (group->getRank() == 1) model->w2 = model->replace_parameter("w2", etude::ones({8, 4}));
            DistributedDataParallel ddp(model, group);
          }) == "rank 1 has another model: w2 is [8, 4] there and [8, 3] at rank 0");
    CHECK(refusal_of([](const std::shared_ptr<ThreadGroup>& group) {
            SmallNet model;
            if (group->getRank() == 1) model->to(kDouble);
            DistributedDataParallel ddp(model, group);
          }) == "rank 1 has another model: the type of w1 is Double there and Float at rank 0");
    CHECK(refusal_of([](const std::shared_ptr<ThreadGroup>& group) {
            SmallNet model;
            model->b1.set_requires_grad(group->getRank() == 0);
            DistributedDataParallel ddp(model, group);
          }) == "rank 1 has another model: requires_grad of b1 is false there and true at rank 0");
    CHECK(refusal_of([](const std::shared_ptr<ThreadGroup>& group) {
            DistributedDataParallel ddp(SmallNet(), group,
                                        DistributedDataParallelOptions().parts(2 << group->getRank()));
          }) == "rank 1 has another model: the number of parts is 4 there and 2 at rank 0");
  }

  TEST_CASE("parts that do not fit the processes are refused with those that would") {
    CHECK(refusal_of(
              [](const std::shared_ptr<ThreadGroup>& group) {
                DistributedDataParallel ddp(SmallNet(), group, DistributedDataParallelOptions().parts(6));
              },
              4) ==
          "DistributedDataParallel: the parts must be as many as the processes, or twice, four times, ... as "
          "many\nreceived 6 parts for 4 processes\nhint: 4, 8 or 16 would do");
    CHECK(has(refusal_of([](const std::shared_ptr<ThreadGroup>& group) {
                DistributedDataParallel ddp(SmallNet(), group, DistributedDataParallelOptions().parts(6));
              }),
              "received 6 parts for 2 processes"));
    CHECK(has(refusal_of(
                  [](const std::shared_ptr<ThreadGroup>& group) {
                    DistributedDataParallel ddp(SmallNet(), group,
                                                DistributedDataParallelOptions().parts(-1));
                  },
                  1),
              "received -1 parts for 1 processes"));
  }

  TEST_CASE("a model without anything to train, no model and no group are refused") {
    const auto group = distributed::ProcessGroup::single();
    SmallNet model;
    for (const Tensor& p : model->parameters()) p.set_requires_grad(false);
    CHECK(refusal([&] { DistributedDataParallel ddp(model, group); }) ==
          "Error: DistributedDataParallel is not needed when a module doesn't have any parameters that "
          "require a gradient.");
    CHECK(has(refusal([&] { DistributedDataParallel ddp(std::shared_ptr<SmallNetImpl>(), group); }),
              "null pointer"));
    CHECK(has(refusal([&] { DistributedDataParallel ddp(SmallNet(), nullptr); }), "null pointer"));
    CHECK(has(refusal([&] {
                DistributedDataParallel ddp(SmallNet(), group,
                                            DistributedDataParallelOptions().bucket_cap_mb(0));
              }),
              "must be positive"));
  }

  TEST_CASE("backward with create_graph is refused, and autograd::grad is not averaged") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      DistributedDataParallel ddp(model, group);
      const std::vector<Tensor> batch = batch_of(4);
      const Tensor loss = model->loss(batch);
      CHECK(has(refusal([&] { loss.backward({}, true, /*create_graph=*/true); }),
                "backward with create_graph would not average"));
      const Tensor g = autograd::grad({loss}, {model->w1}, {}, true, true)[0];
      CHECK(group->reduced.empty());
      (loss + g.square().sum()).backward();
      CHECK(group->reduced.size() == 1);
      SmallNet alone;
      const Tensor same = alone->loss(batch);
      (same + autograd::grad({same}, {alone->w1}, {}, true, true)[0].square().sum()).backward();
      CHECK(model->w1.grad().allclose(alone->w1.grad(), 1e-5, 1e-6));
    });
  }

  TEST_CASE("backward with inputs averages their gradients alone") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      DistributedDataParallel ddp(model, group);
      const std::vector<Tensor> inputs = {model->w2};
      for (int i = 0; i < 2; ++i)
        (model->loss(batch_of(4)) * (group->getRank() + 1)).backward({}, false, false, TensorList(inputs));
      SmallNet alone;
      alone->loss(batch_of(4)).backward();
      CHECK(model->w2.grad().allclose(alone->w2.grad() * 3, 1e-5, 1e-6));
      CHECK_FALSE(model->w1.grad().defined());
    });
  }

  TEST_CASE("options say whether sums have an order") {
    for (const bool deterministic : {true, false})
      on_ranks(2, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        DistributedDataParallel ddp(model, group,
                                    DistributedDataParallelOptions().deterministic(deterministic));
        model->loss(batch_of(4)).backward();
        CHECK(group->deterministic == deterministic);
      });
  }
}
