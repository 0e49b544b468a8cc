#include "etude/distributed/data_parallel.h"

#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/optim/sgd.h"
#include "small_net.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/thread_group.h"

using namespace etude;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

TEST_SUITE("DistributedDataParallel") {
  namespace {

  std::vector<Tensor> grads_of(const nn::Module& module) {
    std::vector<Tensor> grads;
    for (const Tensor& p : module.parameters()) grads.push_back(p.grad());
    return grads;
  }

  bool are_equal(const Tensor& a, const Tensor& b) {
    return a.defined() == b.defined() && (!a.defined() || a.equal(b));
  }
  bool are_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    bool equal = a.size() == b.size();
    for (size_t i = 0; equal && i < a.size(); ++i) equal = are_equal(a[i], b[i]);
    return equal;
  }

  // What mean_loss is said to do, written out: the loss and the gradients of one step with `parts` parts.
  std::vector<Tensor> step_by_hand(SmallNet& model, const std::vector<Tensor>& batch, int64_t parts) {
    std::vector<uint32_t> seeds;
    for (int64_t k = 0; k < parts; ++k) seeds.push_back(default_generator().random());
    const int64_t rows = batch[0].size(0);
    const std::vector<Tensor> parameters = {model->w1, model->b1, model->w2, model->rare};
    std::vector<Tensor> losses;
    std::vector<std::vector<Tensor>> grads(parameters.size());
    const Generator before = default_generator().clone();
    int64_t begin = 0;
    for (int64_t k = 0; k < parts; ++k) {
      const int64_t count = rows / parts + (k < rows % parts);
      const double share = static_cast<double>(count) / static_cast<double>(rows);
      manual_seed(seeds[static_cast<size_t>(k)]);
      const Tensor loss = model->loss(rows_of_batch(batch, begin, begin + count));
      losses.push_back(loss.detach().to(kDouble) * share);
      const auto g = autograd::grad({loss}, parameters, {etude::full({}, share)});
      for (size_t i = 0; i < g.size(); ++i) grads[i].push_back(g[i]);
      begin += count;
    }
    default_generator().set_state(before.get_state());
    std::vector<Tensor> all = {tree_of(losses).to(kFloat)};
    for (const auto& of_parts : grads) all.push_back(tree_of(of_parts));
    return all;
  }

  struct Run {
    int size;
    int64_t parts, rows;
    double dropout = 0.3;
    bool own_rows = false;
  };

  // The losses and weights of some steps of SGD, and where the default generator is then; those of rank 0.
  std::vector<Tensor> trained(const Run& run) {
    std::vector<Tensor> result;
    on_ranks(run.size, [&](const std::shared_ptr<ThreadGroup>& group) {
      SmallNet model(run.dropout);
      DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(run.parts));
      optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.1).momentum(0.9));
      std::vector<Tensor> all;
      for (int64_t step = 0; step < 4; ++step) {
        const std::vector<Tensor> batch = batch_of(run.rows, step);
        optimizer.zero_grad(/*set_to_none=*/step % 2 == 0);
        const auto loss = [&](const std::vector<Tensor>& part) { return model->loss(part); };
        const auto [begin, end] = ddp.own_rows(run.rows);
        all.push_back(run.own_rows ? ddp.mean_loss_of_own_rows(rows_of_batch(batch, begin, end), loss)
                                   : ddp.mean_loss(batch, loss));
        optimizer.step();
      }
      for (const Tensor& p : model->parameters()) all.push_back(p.detach());
      all.push_back(default_generator().get_state());
      if (group->getRank() == 0) result = all;
      group->barrier(distributed::BarrierOptions());
      CHECK(are_equal(all, result));
      group->barrier(distributed::BarrierOptions());
    });
    return result;
  }

  // What each of two ranks throws where it makes its model.
  std::string refusal_of(const std::function<void(const std::shared_ptr<ThreadGroup>&)>& f, int size = 2) {
    std::vector<std::string> all(static_cast<size_t>(size));
    on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
      all[static_cast<size_t>(group->getRank())] = refusal_lines([&] { f(group); });
    });
    for (const std::string& text : all) CHECK(text == all[0]);
    return all[0];
  }

  }  // namespace

  TEST_CASE("mean_loss gives the mean of the parts and adds up their gradients as a binary tree") {
    const auto group = distributed::ProcessGroup::single();
    for (const int64_t parts : {2, 3, 4, 7, 8}) {
      const detail::KeepRandomState own;
      SmallNet model(0.3);
      DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(parts));
      for (int64_t step = 0; step < 2; ++step) {
        const std::vector<Tensor> batch = batch_of(15, step);
        const Generator before = default_generator().clone();
        const std::vector<Tensor> by_hand = step_by_hand(model, batch, parts);
        const Tensor after = default_generator().get_state();
        default_generator().set_state(before.get_state());
        model->zero_grad(true);
        const Tensor loss =
            ddp.mean_loss(batch, [&](const std::vector<Tensor>& part) { return model->loss(part); });
        CHECK(are_equal({loss, model->w1.grad(), model->b1.grad(), model->w2.grad(), model->rare.grad()},
                        by_hand));
        CHECK_FALSE(model->never.grad().defined());
        CHECK_FALSE(loss.requires_grad());
        CHECK(default_generator().get_state().equal(after));
      }
    }
  }

  TEST_CASE("with another order of the parts the bits would be others") {
    SmallNet model;
    const std::vector<Tensor> batch = batch_of(64);
    const auto grads_of_parts = [&] {
      std::vector<Tensor> grads;
      for (int64_t k = 0; k < 8; ++k)
        grads.push_back(
            autograd::grad({model->loss(rows_of_batch(batch, 8 * k, 8 * k + 8)) / 8}, {model->w1})[0]);
      return grads;
    }();
    Tensor in_turn = grads_of_parts[0];
    for (size_t k = 1; k < 8; ++k) in_turn = in_turn + grads_of_parts[k];
    CHECK_FALSE(in_turn.equal(tree_of(grads_of_parts)));
  }

  TEST_CASE("one, two and four processes train to the same bits, with dropout") {
    for (const int64_t rows : {16, 13, 3}) {
      const std::vector<Tensor> one = trained({1, 4, rows});
      CHECK(are_equal(trained({2, 4, rows}), one));
      CHECK(are_equal(trained({4, 4, rows}), one));
    }
    CHECK(are_equal(trained({2, 8, 16}), trained({1, 8, 16})));
    CHECK(are_equal(trained({3, 6, 13}), trained({1, 6, 13})));
    CHECK_FALSE(are_equal(trained({1, 4, 16}), trained({1, 2, 16})));
  }

  TEST_CASE("processes that have their own rows alone get the same bits as with the whole batch") {
    const std::vector<Tensor> whole = trained({1, 4, 16});
    CHECK(are_equal(trained({1, 4, 16, 0.3, true}), whole));
    CHECK(are_equal(trained({2, 4, 16, 0.3, true}), whole));
    CHECK(are_equal(trained({4, 4, 16, 0.3, true}), whole));
  }

  TEST_CASE("each process loads its own rows, of parts that differ by one row at most") {
    on_ranks(2, [](const std::shared_ptr<ThreadGroup>& group) {
      DistributedDataParallel ddp(SmallNet(), group, DistributedDataParallelOptions().parts(4));
      const bool first = group->getRank() == 0;
      CHECK(ddp.own_rows(16) == std::make_pair<int64_t, int64_t>(first ? 0 : 8, first ? 8 : 16));
      CHECK(ddp.own_rows(13) == std::make_pair<int64_t, int64_t>(first ? 0 : 7, first ? 7 : 13));
    });
  }

  TEST_CASE("one part of one process is a plain step, with its random stream") {
    const detail::KeepRandomState own;
    SmallNet plain(0.3), wrapped(0.3);
    DistributedDataParallel ddp(wrapped, distributed::ProcessGroup::single());
    const std::vector<Tensor> batch = batch_of(8);
    manual_seed(3);
    const Tensor loss = plain->loss(batch);
    loss.backward();
    const Tensor after = default_generator().get_state();
    manual_seed(3);
    const Tensor mean =
        ddp.mean_loss(batch, [&](const std::vector<Tensor>& part) { return wrapped->loss(part); });
    CHECK(mean.equal(loss.detach()));
    CHECK(are_equal(grads_of(*wrapped), grads_of(*plain)));
    CHECK(default_generator().get_state().equal(after));
  }

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
            if (group->getRank() == 1) model->replace_parameter("w2", etude::ones({8, 4}));
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

  TEST_CASE("what mean_loss cannot do it refuses, and goes on afterwards") {
    const detail::KeepRandomState own;
    SmallNet model, other;
    const auto group = distributed::ProcessGroup::single();
    DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(2));
    const auto loss = [&](const std::vector<Tensor>& part) { return model->loss(part); };
    const std::vector<Tensor> batch = batch_of(4);
    CHECK(has(refusal([&] { ddp.mean_loss({}, loss); }), "without rows"));
    CHECK(has(refusal_lines([&] {
                ddp.mean_loss({batch[0], batch[1].narrow(0, 0, 3)}, loss);
              }),
              "received 4 and 3"));
    CHECK(has(refusal([&] { ddp.mean_loss(batch, [&](const auto& part) { return model(part[0]); }); }),
              "must be one number"));
    int calls = 0;
    CHECK(refusal([&] {
            ddp.mean_loss(batch, [&](const auto& part) {
              if (++calls == 2) throw Error("it is enough");
              return model->loss(part);
            });
          }) == "Error: it is enough");
    CHECK_FALSE(model->w1.grad().defined());
    ddp.mean_loss(batch, loss);
    other->loss(batch).backward();
    CHECK(model->w1.grad().allclose(other->w1.grad(), 1e-5, 1e-6));
  }

  TEST_CASE("processes with different numbers of rows, or generators at different places, are told so") {
    const auto run = [](const std::shared_ptr<ThreadGroup>& group, int64_t rows, bool own_rows) {
      SmallNet model;
      DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(2));
      const auto loss = [&](const std::vector<Tensor>& part) { return model->loss(part); };
      own_rows ? ddp.mean_loss_of_own_rows(batch_of(rows), loss) : ddp.mean_loss(batch_of(rows), loss);
    };
    on_ranks(2, [&](const std::shared_ptr<ThreadGroup>& group) {
      for (const bool own_rows : {false, true})
        CHECK(has(refusal([&] { run(group, 4 + group->getRank(), own_rows); }),
                  "the processes have batches of different numbers of rows"));
      manual_seed(7 + group->getRank());
      CHECK(has(refusal([&] { run(group, 4, false); }), "the default generators of the processes are not"));
    });
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
