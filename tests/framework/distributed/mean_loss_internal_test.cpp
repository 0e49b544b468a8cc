// DistributedDataParallel with a batch that is split into parts.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/distributed/data_parallel.h"
#include "etude/optim/sgd.h"
#include "small_net.h"
#include "support/has.h"
#include "support/refusal.h"
#include "support/thread_group.h"

using namespace etude;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

TEST_SUITE("DistributedDataParallel, a batch in parts") {
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

  // mean_loss written out by its definition: the loss and the gradients of one step with `parts` parts.
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

  // On rank 0, the losses and weights of some steps of SGD, and the state of the default generator afterwards.
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

  }  // namespace

  TEST_CASE("mean_loss gives the mean of the parts and adds up their gradients as a binary tree") {
    const auto group = distributed::ProcessGroup::single();
    for (const int64_t parts : {2, 3, 4, 7, 8}) {
      const etude::detail::KeepRandomState own;
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

  TEST_CASE("the loss may call the wrapped model too, also where a process has parts without rows") {
    Tensor of_one;
    for (const int size : {1, 4})
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        SmallNet model;
        DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(4));
        ddp.mean_loss(batch_of(3), [&](const std::vector<Tensor>& part) {
          return (ddp(part[0]) - part[1]).square().mean();
        });
        if (size == 1) of_one = model->w1.grad();
        CHECK(model->w1.grad().equal(of_one));
      });
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
    const etude::detail::KeepRandomState own;
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

  TEST_CASE("what mean_loss cannot do it refuses, and goes on afterwards") {
    const etude::detail::KeepRandomState own;
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
}
