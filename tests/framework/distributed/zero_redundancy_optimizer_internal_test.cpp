#include "etude/distributed/zero_redundancy_optimizer.h"

#include <doctest/doctest.h>

#include "etude/distributed/agreement.h"
#include "etude/io/output_archive.h"
#include "etude/optim/adam.h"
#include "etude/optim/adamw.h"
#include "etude/optim/schedulers/step_lr.h"
#include "etude/optim/sgd.h"
#include "etude/training/checkpoint.h"
#include "small_net.h"
#include "support/any_function.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"
#include "support/thread_group.h"

using namespace etude;
using distributed::ZeroRedundancyOptimizer;
using optim::AdamW;
using optim::AdamWOptions;

TEST_SUITE("ZeroRedundancyOptimizer") {
  namespace {

  void set_grads(SmallNet& model, int64_t step) {
    model->zero_grad(true);
    model->loss(batch_of(8, step)).backward();
  }

  std::vector<optim::OptimizerParamGroup> two_groups(SmallNet& model) {
    return {optim::OptimizerParamGroup({model->w1, model->b1}),
            optim::OptimizerParamGroup({model->w2, model->rare, model->never},
                                       std::make_unique<AdamWOptions>(AdamWOptions(0.03).amsgrad(true)))};
  }

  template <typename Optimizer>
  void train(SmallNet& model, Optimizer& optimizer, optim::LRScheduler& schedule, int64_t begin,
             int64_t end) {
    for (int64_t step = begin; step < end; ++step) {
      set_grads(model, step);
      optimizer.step();
      schedule.step();
    }
  }

  bool equal_weights(const SmallNet& a, const SmallNet& b) {
    bool equal = true;
    for (size_t i = 0; i < a->parameters().size(); ++i)
      equal = equal && a->parameters()[i].equal(b->parameters()[i]);
    return equal;
  }

  }  // namespace

  TEST_CASE("it steps as the plain optimizer does, with the same bits, groups, options and schedules") {
    SmallNet plain;
    AdamW of_plain(two_groups(plain), AdamWOptions(0.05));
    optim::StepLR schedule_of_plain(of_plain, 2, 0.5);
    train(plain, of_plain, schedule_of_plain, 0, 5);
    for (const int size : {1, 2, 3, 7})
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        ZeroRedundancyOptimizer<AdamW> optimizer(two_groups(model), group, AdamWOptions(0.05));
        optim::StepLR schedule(optimizer, 2, 0.5);
        train(model, optimizer, schedule, 0, 5);
        CHECK(equal_weights(model, plain));
        CHECK(optimizer.param_groups()[1].params().size() == 3);
      });
  }

  TEST_CASE("parameters that differ between processes, or stand in another order, are refused by all") {
    const auto refusal_of = [](const AnyFunction<void(SmallNet&, std::vector<Tensor>&)>& change) {
      std::string texts[2];
      on_ranks(2, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        std::vector<Tensor> parameters = {model->w1, model->b1, model->w2};
        if (group->getRank() == 1) change(model, parameters);
        ZeroRedundancyOptimizer<AdamW> optimizer(parameters, group, AdamWOptions(0.05));
        set_grads(model, 0);
        texts[group->getRank()] = refusal_text([&] { optimizer.step(); });
      });
      CHECK(texts[0] == texts[1]);
      return texts[0];
    };
    CHECK(refusal_of([](SmallNet&, std::vector<Tensor>&) {}) == "");
    CHECK(has(refusal_of([](SmallNet&, std::vector<Tensor>& p) { std::swap(p[0], p[2]); }),
              "rank 1 has another model: parameter 0 of group 0 is [8, 3] of Float that begins with "));
    CHECK(has(refusal_of([](SmallNet&, std::vector<Tensor>& p) { p.pop_back(); }),
              "rank 1 has another model: parameter 2 of group 0 is missing there and [8, 3] of Float"));
    // Another parameter of the same sizes.
    CHECK(has(refusal_of([](SmallNet& model, std::vector<Tensor>& p) {
                p[1] = (model->b1.detach() + 1).requires_grad_();
              }),
              "rank 1 has another model: parameter 1 of group 0 is [8] of Float that begins with "));
  }

  TEST_CASE("each process keeps the state of what it owns, the largest parameters going to who has least") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;  // 48, 8, 24, 3 and 2 elements; the last gets no gradient
      ZeroRedundancyOptimizer<AdamW> optimizer(model->parameters(), group, AdamWOptions(0.05));
      set_grads(model, 0);
      optimizer.step();
      const auto has_state = [&](const Tensor& p) {
        return optimizer.state().count(AdamW::state_key(p)) == 1;
      };
      const bool first = group->getRank() == 0;
      CHECK(has_state(model->w1) == first);
      CHECK(has_state(model->w2) == !first);
      CHECK(has_state(model->b1) == !first);
      CHECK(has_state(model->rare) == !first);
      CHECK(optimizer.state().size() == (first ? 1 : 3));
    });
  }

  TEST_CASE("a closure's loss is returned, and its gradients are used") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model, plain;
      ZeroRedundancyOptimizer<optim::SGD> optimizer(model->parameters(), group, optim::SGDOptions(0.05));
      optim::SGD of_plain(plain->parameters(), optim::SGDOptions(0.05));
      const auto closure_of = [](SmallNet& net) {
        return [&net] {
          net->zero_grad();
          const Tensor loss = net->loss(batch_of(8));
          loss.backward();
          return loss;
        };
      };
      const NoGradGuard no_grad;
      CHECK(optimizer.step(closure_of(model)).equal(of_plain.step(closure_of(plain))));
      CHECK(equal_weights(model, plain));
    });
  }

  TEST_CASE("groups that are added later are shared too") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model, plain;
      ZeroRedundancyOptimizer<AdamW> optimizer({model->w1}, group, AdamWOptions(0.05));
      AdamW of_plain(std::vector<Tensor>{plain->w1}, AdamWOptions(0.05));
      for (int64_t step = 0; step < 3; ++step) {
        set_grads(model, step), set_grads(plain, step);
        optimizer.step(), of_plain.step();
        if (step > 0) continue;
        optimizer.add_param_group(optim::OptimizerParamGroup({model->w2, model->b1}));
        of_plain.add_param_group(optim::OptimizerParamGroup({plain->w2, plain->b1}));
      }
      CHECK(equal_weights(model, plain));
      CHECK(optimizer.state().size() < 3);
    });
  }

  TEST_CASE("the file is that of the plain optimizer, and any number of processes goes on from it") {
    const TemporaryFolder folder;
    const auto checkpoint_of = [](SmallNet& model, optim::Optimizer& optimizer,
                                  optim::LRScheduler& schedule) {
      Checkpoint checkpoint;
      checkpoint.add("model", *model).add("optimizer", optimizer).add("schedule", schedule);
      return checkpoint;
    };
    const etude::detail::KeepRandomState own;
    manual_seed(7);
    SmallNet plain;
    AdamW of_plain(two_groups(plain), AdamWOptions(0.05));
    optim::StepLR schedule_of_plain(of_plain, 2, 0.5);
    train(plain, of_plain, schedule_of_plain, 0, 3);
    checkpoint_of(plain, of_plain, schedule_of_plain).save(folder / "plain");
    const std::string bytes = read_bytes(folder / "plain");
    train(plain, of_plain, schedule_of_plain, 3, 6);

    for (const int size : {1, 2, 4}) {
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        ZeroRedundancyOptimizer<AdamW> optimizer(two_groups(model), group, AdamWOptions(0.05));
        optim::StepLR schedule(optimizer, 2, 0.5);
        train(model, optimizer, schedule, 0, 3);
        const size_t own_states = optimizer.state().size();
        optimizer.consolidate_state_dict(size - 1);
        Checkpoint checkpoint = checkpoint_of(model, optimizer, schedule);
        const std::string path = folder / str("of", size);
        distributed::run_on_rank(*group, size - 1, [&] { checkpoint.save(path); });
        CHECK(read_bytes(path) == bytes);
        CHECK(optimizer.state().size() == own_states);
        train(model, optimizer, schedule, 3, 6);
        CHECK(equal_weights(model, plain));
      });
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        ZeroRedundancyOptimizer<AdamW> optimizer(two_groups(model), group, AdamWOptions(0.05));
        optim::StepLR schedule(optimizer, 2, 0.5);
        checkpoint_of(model, optimizer, schedule).load(folder / "plain");
        CHECK((optimizer.state().size() == 4) == (size == 1));
        train(model, optimizer, schedule, 3, 6);
        CHECK(equal_weights(model, plain));
      });
    }
  }

  TEST_CASE(
      "saving without all of the state is refused with Python's sentence, on the others too and after a "
      "step") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model;
      ZeroRedundancyOptimizer<AdamW> optimizer(model->parameters(), group, AdamWOptions(0.05));
      const auto saving = [&] {
        return refusal([&] {
          serialize::OutputArchive archive;
          optimizer.save(archive);
        });
      };
      const std::string sentence =
          "Error: Optimizer state has not been consolidated on this rank. Please call "
          "`consolidate_state_dict(to=X)` on all ranks beforehand if you meant to save the global state.";
      set_grads(model, 0);
      optimizer.step();
      CHECK(saving() == sentence);
      optimizer.consolidate_state_dict();
      CHECK(saving() == (group->getRank() == 0 ? "" : sentence));
      optimizer.step();
      CHECK(saving() == sentence);
      CHECK(refusal([&] { optimizer.consolidate_state_dict(2); }) == "Error: invalid root rank: 2");
    });
  }

  TEST_CASE("no group is refused") {
    SmallNet model;
    CHECK(has(refusal([&] { ZeroRedundancyOptimizer<AdamW> optimizer(model->parameters(), nullptr); }),
              "the group is a null pointer"));
  }
}
