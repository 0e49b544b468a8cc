// How long the processes need for a training step of a GPT that they share, as JSON:
//   train_step MODEL PARTS [tree|mpi] [all|own] [STEPS]
// MODEL is char_gpt or gpt2. `mpi` sums gradients in the order of MPI, `own` lets each process step its own weights alone. `alone`
// in the output is the time of forward and backward when all processes compute their rows at the same time and send nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "distributed/processes.h"
#include "etude/distributed/data_parallel.h"
#include "etude/distributed/zero_redundancy_optimizer.h"

namespace {

using namespace etude;
using distributed::ProcessGroup, distributed::ZeroRedundancyOptimizer;
using nn::parallel::DistributedDataParallel, nn::parallel::DistributedDataParallelOptions;

struct Settings {
  std::string model;
  int64_t parts;
  bool tree, own;
  int steps;
};

double seconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  const auto middle = std::next(times.begin(), static_cast<std::ptrdiff_t>(times.size() / 2));
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<Tensor> rows_of(const Tensor& ids, int64_t begin, int64_t count) {
  const int64_t length = ids.size(1) - 1;
  const Tensor rows = ids.narrow(0, begin, count);
  return {rows.narrow(1, 0, length).contiguous(), rows.narrow(1, 1, length).contiguous()};
}

// The seconds of forward and backward of these rows, and of all of the step if there is an optimizer.
std::vector<double> times_of(nn::GPT& model, const std::shared_ptr<ProcessGroup>& group, int64_t parts,
                             const Settings& s, const std::vector<Tensor>& rows,
                             optim::Optimizer* optimizer) {
  DistributedDataParallel shared(model, group,
                                 DistributedDataParallelOptions().parts(parts).deterministic(s.tree));
  std::vector<double> passes, steps;
  for (int i = 0; i < s.steps + 1; ++i) {
    for (const Tensor& p : model->parameters()) p.mutable_grad() = Tensor();
    double pass = 0;
    processes().barrier()->wait();
    const double step = seconds([&] {
      pass = seconds([&] {
        shared.mean_loss(rows,
                         [&](const std::vector<Tensor>& part) { return model->loss(part[0], part[1]); });
      });
      if (optimizer) optimizer->step();
    });
    if (i < 1) continue;  // the first one learns the order of the gradients
    passes.push_back(pass);
    steps.push_back(step);
  }
  return {median(passes), median(steps)};
}

void run(const Settings& s) {
  const std::shared_ptr<ProcessGroup> group(&processes(), [](ProcessGroup*) {});
  const int64_t size = group->getSize(), batch = s.model == "gpt2" ? 4 : 12;
  manual_seed(1);
  nn::GPTOptions options = s.model == "gpt2"
                               ? nn::GPTOptions(50257).dropout(0)
                               : nn::GPTOptions(65).context(64).d_model(128).layers(4).heads(4).dropout(0);
  nn::GPT model(options);
  const Tensor ids = randint(0, options.vocab_size(), {batch, 64 + 1}, kLong);
  const int64_t own = batch / size;
  const double alone = times_of(model, ProcessGroup::single(), s.parts / size, s,
                                rows_of(ids, own * group->getRank(), own), nullptr)[0];
  const optim::AdamWOptions adamw(1e-4);
  std::unique_ptr<optim::Optimizer> optimizer;
  if (s.own)
    optimizer = std::make_unique<ZeroRedundancyOptimizer<optim::AdamW>>(model->parameters(), group, adamw);
  else optimizer = std::make_unique<optim::AdamW>(model->parameters(), adamw);
  const std::vector<double> together =
      times_of(model, group, s.parts, s, rows_of(ids, 0, batch), optimizer.get());
  if (group->getRank() > 0) return;
  int64_t weights = 0;
  for (const Tensor& p : model->parameters()) weights += p.numel();
  std::printf("{\"weights\": %lld, \"tokens\": %lld, \"alone\": %.4g, \"pass\": %.4g, \"step\": %.4g}\n",
              static_cast<long long>(weights), static_cast<long long>(batch * 64), alone, together[0],
              together[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (words.size() < 2) return 2;
  run({words[0], std::stoll(words[1]), !has("mpi"), has("own"), argc > 5 ? std::stoi(argv[5]) : 5});
}
