// A GPT with dropout and a tied head, with its batch split into parts.
#include <doctest/doctest.h>

#include "etude/distributed/data_parallel.h"
#include "etude/etude.h"
#include "support/thread_group.h"

using namespace etude;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

TEST_SUITE("DistributedDataParallel of a GPT") {
  namespace {

  nn::GPT gpt_of_seed(uint64_t seed) {
    manual_seed(seed);
    return nn::GPT(nn::GPTOptions(11).context(8).d_model(16).layers(2).heads(2).dropout(0.2));
  }

  Tensor loss_of_rows(nn::GPT& model, const Tensor& ids) {
    return model->loss(ids.narrow(1, 0, 8), ids.narrow(1, 1, 8));
  }

  Tensor some_ids(int64_t rows) { return etude::arange(rows * 9).mul(7).remainder(11).reshape({rows, 9}); }

  }  // namespace

  TEST_CASE(
      "the grads are the tree of the parts', each with a random stream of its own, for any number of "
      "processes") {
    constexpr int64_t kParts = 4, kRows = 8;
    const Tensor ids = some_ids(kRows);
    const etude::detail::KeepRandomState own;
    nn::GPT plain = gpt_of_seed(3);
    manual_seed(7);
    std::vector<uint32_t> seeds;
    for (int64_t k = 0; k < kParts; ++k) seeds.push_back(default_generator().random());
    std::vector<std::vector<Tensor>> grads(plain->parameters().size());
    for (int64_t k = 0; k < kParts; ++k) {
      manual_seed(seeds[static_cast<size_t>(k)]);
      plain->zero_grad(true);
      (loss_of_rows(plain, ids.narrow(0, 2 * k, 2)) / static_cast<double>(kParts)).backward();
      for (size_t i = 0; i < grads.size(); ++i) grads[i].push_back(plain->parameters()[i].grad());
    }
    for (const int size : {1, 2, 4})
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        nn::GPT model = gpt_of_seed(3);
        DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(kParts));
        manual_seed(7);
        ddp.mean_loss({ids}, [&](const std::vector<Tensor>& part) { return loss_of_rows(model, part[0]); });
        for (size_t i = 0; i < grads.size(); ++i)
          CHECK(model->parameters()[i].grad().equal(tree_of(grads[i])));
      });
  }

  TEST_CASE("with recomputed activations all processes get the same bits") {
    const Tensor ids = some_ids(8);
    std::vector<Tensor> of_one;
    for (const int size : {1, 2, 4})
      on_ranks(size, [&](const std::shared_ptr<ThreadGroup>& group) {
        nn::GPT model = gpt_of_seed(3);
        DistributedDataParallel ddp(model, group, DistributedDataParallelOptions().parts(4));
        manual_seed(7);
        for (int step = 0; step < 2; ++step)
          ddp.mean_loss({ids}, [&](const std::vector<Tensor>& part) {
            return nn::utils::checkpoint(
                [&](const Tensor& w, const Tensor& rows) { return loss_of_rows(model, rows) + w.sum() * 0; },
                model->wte->weight, part[0]);
          });
        if (size == 1)
          for (const Tensor& p : model->parameters()) of_one.push_back(p.grad());
        for (size_t i = 0; i < of_one.size(); ++i) CHECK(model->parameters()[i].grad().equal(of_one[i]));
      });
  }
}
