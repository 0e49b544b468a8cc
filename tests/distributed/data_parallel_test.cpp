// Real processes train a small GPT. The result of each is compared with that of one process alone, so all numbers of processes
// must give the same bits.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "distributed/processes.h"
#include "etude/data/samplers/distributed.h"
#include "etude/distributed/agreement.h"
#include "etude/distributed/data_parallel.h"
#include "etude/distributed/zero_redundancy_optimizer.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

namespace {

using namespace etude;
using distributed::ProcessGroup;
using distributed::ZeroRedundancyOptimizer;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;
using Options = DistributedDataParallelOptions;

constexpr int64_t kVocabulary = 11, kRows = 10, kLength = 8;

std::shared_ptr<ProcessGroup> all_processes() {
  return std::shared_ptr<ProcessGroup>(&processes(), [](ProcessGroup*) {});
}

int64_t power_of_two_parts() {
  const int size = processes().getSize();
  return size == 3 ? 6 : 4;
}

struct Training {
  explicit Training(std::shared_ptr<ProcessGroup> group_,
                    const Options& options = Options().parts(power_of_two_parts()))
      : group(std::move(group_)),
        model(made()),
        ddp(model, group, options),
        optimizer(model->parameters(), group, adam()) {
    manual_seed(5);
    random_state = default_generator().get_state();
  }
  static optim::AdamWOptions adam() { return optim::AdamWOptions(1e-2).weight_decay(0.1); }
  static nn::GPT made() {
    manual_seed(3);
    return nn::GPT(nn::GPTOptions(kVocabulary).context(kLength).d_model(16).layers(2).heads(2).dropout(0.2));
  }

  // Losses of some steps.
  std::vector<Tensor> run(int64_t steps) {
    std::vector<Tensor> losses;
    default_generator().set_state(random_state);
    for (int64_t i = 0; i < steps; ++i) {
      Generator batches(static_cast<uint64_t>(100 + step++));
      const Tensor ids = etude::randint(0, kVocabulary, {kRows, kLength + 1}, batches, kLong);
      optimizer.zero_grad();
      losses.push_back(ddp.mean_loss({ids}, [&](const std::vector<Tensor>& part) {
        return model->loss(part[0].narrow(1, 0, kLength), part[0].narrow(1, 1, kLength));
      }));
      nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
    }
    random_state = default_generator().get_state();
    return losses;
  }
  Checkpoint checkpoint() {
    Checkpoint all;
    all.add("model", *model).add("optimizer", optimizer).add("step", step);
    return all;
  }
  void save(const std::string& path) {
    optimizer.consolidate_state_dict();
    default_generator().set_state(random_state);
    distributed::run_on_rank(*group, 0, [&] { checkpoint().save(path); });
  }
  void load(const std::string& path) {
    checkpoint().load(path);
    random_state = default_generator().get_state();
  }

  std::shared_ptr<ProcessGroup> group;
  nn::GPT model;
  DistributedDataParallel<nn::GPT> ddp;
  ZeroRedundancyOptimizer<optim::AdamW> optimizer;
  int64_t step = 0;
  Tensor random_state;  // trainings take turns
};

void check_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(a[i].equal(b[i]));
}

// A folder that all know; it is gone with that of rank 0.
struct SharedFolder {
  SharedFolder() {
    Tensor text = etude::zeros({1000}, kByte);
    const std::string own = folder.path();
    for (size_t i = 0; i < own.size(); ++i) text.data_ptr<uint8_t>()[i] = static_cast<uint8_t>(own[i]);
    std::vector<Tensor> list = {text};
    processes().broadcast(list)->wait();
    path = reinterpret_cast<const char*>(text.data_ptr<uint8_t>());
  }
  ~SharedFolder() { processes().barrier()->wait(); }
  TemporaryFolder folder;
  std::string path;
};

TEST_CASE("any number of processes trains a GPT with dropout to the bits of one process") {
  Training alone(ProcessGroup::single()), together(all_processes());
  check_equal(together.run(4), alone.run(4));
  check_equal(together.model->parameters(), alone.model->parameters());
}

TEST_CASE("many small buckets give the same bits as one") {
  const int64_t parts = power_of_two_parts();
  Training small(all_processes(), Options().parts(parts).bucket_cap_mb(0.001)), one(ProcessGroup::single());
  check_equal(small.run(3), one.run(3));
  check_equal(small.model->parameters(), one.model->parameters());
}

TEST_CASE("without an order of its sums training comes to the same numbers") {
  Training any(all_processes(), Options().parts(power_of_two_parts()).deterministic(false)),
      one(ProcessGroup::single());
  const std::vector<Tensor> losses = any.run(3), of_one = one.run(3);
  for (size_t i = 0; i < losses.size(); ++i) CHECK(losses[i].allclose(of_one[i], 1e-4));
}

TEST_CASE("the checkpoint is that of one process, bit for bit, and any number of processes goes on from it") {
  const SharedFolder folder;
  Training alone(ProcessGroup::single());
  alone.run(3);
  const std::string of_one = folder.path + "/one", of_all = folder.path + "/all";
  distributed::run_on_rank(processes(), 0, [&] { alone.save(of_one); });

  Training together(all_processes());
  together.run(3);
  together.save(of_all);
  CHECK(read_bytes(of_all) == read_bytes(of_one));

  const std::vector<Tensor> losses = alone.run(2);
  Training resumed(all_processes()), resumed_alone(ProcessGroup::single());
  resumed.load(of_one);
  check_equal(resumed.run(2), losses);
  check_equal(resumed.model->parameters(), alone.model->parameters());
  resumed_alone.load(of_all);
  check_equal(resumed_alone.run(2), losses);
  check_equal(resumed_alone.model->parameters(), alone.model->parameters());
}

TEST_CASE("each process has its share of the optimizer's state, also after a checkpoint") {
  const SharedFolder folder;
  Training together(all_processes());
  together.run(1);
  together.save(folder.path + "/all");
  together.run(1);
  int64_t numel = 0, all = 0;
  for (const Tensor& p : together.model->parameters()) {
    all += p.numel();
    const auto state = together.optimizer.state().find(optim::Optimizer::state_key(p));
    if (state == together.optimizer.state().end()) continue;
    const auto& adam = dynamic_cast<const optim::AdamWParamState&>(*state->second);
    numel += adam.exp_avg().numel();
  }
  std::vector<Tensor> sum = {etude::full({}, numel, kLong)};
  processes().allreduce(sum)->wait();
  CHECK(sum[0].item<int64_t>() == all);
  CHECK(static_cast<double>(numel) < 1.2 * static_cast<double>(all) / processes().getSize());
}

TEST_CASE("backward of each process' own rows averages") {
  const int rank = processes().getRank(), size = processes().getSize();
  nn::GPT model = Training::made(), plain = Training::made();
  DistributedDataParallel ddp(model, all_processes());
  model->eval(), plain->eval();
  const Tensor ids =
      etude::arange(size * 2 * (kLength + 1)).remainder(kVocabulary).reshape({size * 2, kLength + 1});
  const auto loss = [](const Tensor& logits, const Tensor& rows) {
    return nn::functional::cross_entropy(logits.reshape({-1, kVocabulary}),
                                         rows.narrow(1, 1, kLength).reshape({-1}));
  };
  const Tensor own = ids.narrow(0, 2 * rank, 2);
  for (int times = 0; times < 2; ++times) {
    loss(ddp(own.narrow(1, 0, kLength)), own).backward();
    loss(plain(ids.narrow(1, 0, kLength)), ids).backward();
  }
  for (size_t i = 0; i < model->parameters().size(); ++i)
    CHECK(model->parameters()[i].grad().allclose(plain->parameters()[i].grad(), 1e-4, 1e-6));
}

TEST_CASE("data loaders with distributed samplers give each process its own rows") {
  const int rank = processes().getRank(), size = processes().getSize();
  const int64_t count = 8 * size;
  const Tensor x = etude::arange(count).to(kFloat).unsqueeze(1), y = x * 3;
  std::vector<data::Example<>> examples;
  for (int64_t i = 0; i < count; ++i) examples.emplace_back(x[i], y[i]);
  data::samplers::DistributedRandomSampler sampler(static_cast<size_t>(count), static_cast<size_t>(size),
                                                   static_cast<size_t>(rank));
  struct Dataset : data::datasets::Dataset<Dataset> {
    explicit Dataset(std::vector<data::Example<>> all_) : all(std::move(all_)) {}
    data::Example<> get(size_t i) override { return all[i]; }
    optional<size_t> size() const override { return all.size(); }
    std::vector<data::Example<>> all;
  };
  auto loader = data::make_data_loader(Dataset(examples).map(data::transforms::Stack<>()), sampler,
                                       data::DataLoaderOptions().batch_size(4));
  nn::Linear model(1, 1);
  DistributedDataParallel ddp(model, all_processes());
  optim::SGD optimizer(model->parameters(), optim::SGDOptions(1.0 / static_cast<double>(count * count)));
  double seen = 0, first = 0, last = 0;
  for (int epoch = 0; epoch < 4; ++epoch)
    for (const auto& batch : *loader) {
      if (epoch == 0) seen += batch.data.sum().item<double>();
      optimizer.zero_grad();
      last = ddp.mean_loss_of_own_rows({batch.data, batch.target},
                                       [&](const std::vector<Tensor>& rows) {
                                         return nn::functional::mse_loss(model(rows[0]), rows[1]);
                                       })
                 .item<double>();
      if (first == 0) first = last;
      optimizer.step();
    }
  CHECK(last < first);
  std::vector<Tensor> sum = {etude::full({}, seen, kDouble)};
  processes().allreduce(sum)->wait();
  CHECK(sum[0].item<double>() == x.sum().item<double>());  // each row once
}

TEST_CASE("models that differ are refused by all, with both sides") {
  if (processes().getSize() == 1) return;
  const int last = processes().getSize() - 1;
  CHECK(refusal_lines([&] {
          nn::GPT model(nn::GPTOptions(kVocabulary)
                            .context(8)
                            .d_model(processes().getRank() == last ? 32 : 16)
                            .layers(1)
                            .heads(2));
          DistributedDataParallel ddp(model, all_processes());
        }) == str("rank ", last, " has another model: wte.weight is [11, 32] there and [11, 16] at rank 0"));
}

TEST_CASE("a process whose loss threw is not at the step of the others") {
  if (processes().getSize() == 1) return;
  nn::Linear model(2, 1);
  DistributedDataParallel ddp(model, all_processes());
  const Tensor x = etude::ones({4 * processes().getSize(), 2});
  const auto loss = [&](const std::vector<Tensor>& part) { return model(part[0]).mean(); };
  ddp.mean_loss({x}, loss);
  const bool fails = processes().getRank() == 0;
  if (fails)
    CHECK_THROWS_WITH(ddp.mean_loss({x}, [](const auto&) -> Tensor { throw Error("not a number"); }),
                      "not a number");
  const std::string here = fails ? "3" : "2";
  const std::string lines = refusal_lines([&] { ddp.mean_loss({x}, loss); });
  CHECK(lines.rfind("the processes are not at the same step\nthis is call " + here + " of mean_loss here, ",
                    0) == 0);
}

TEST_CASE("what fails in one process fails in all, with its reason") {
  CHECK(refusal_lines([] {
          distributed::run_on_rank(processes(), 0, [] { throw Error("No space left on device"); });
        }) == (processes().getSize() == 1 ? "No space left on device" : "rank 0: No space left on device"));
}

}  // namespace
