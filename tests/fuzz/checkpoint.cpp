#include "etude/training/checkpoint.h"

#include <cstdlib>
#include <memory>

#include "etude/core/error.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"
#include "etude/optim/ema.h"
#include "etude/optim/schedulers/one_cycle_lr.h"
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"
#include "etude/optim/sgd.h"
#include "fuzz/file_in_memory.h"
#include "fuzz/seed.h"

using namespace etude;

namespace {

struct Net : nn::Module {
  Net() : weight(register_parameter("weight", ones({2, 3}))) { weight.mutable_grad() = ones({2, 3}); }
  Tensor weight;
};

struct Run {
  Net net;
  optim::SGD optimizer{net.parameters(), optim::SGDOptions(0.1).momentum(0.9)};
  optim::OneCycleLR schedule{optimizer, optim::OneCycleLROptions(0.1, 10)};
  optim::ReduceLROnPlateau plateau{optimizer};
  optim::EMA averages{net};
  Tensor order = arange(3);
  int64_t step = 0;
  double best = 0;
  std::string note = "a note";
  Checkpoint checkpoint;

  Run() {
    checkpoint.add("net", net).add("optimizer", optimizer).add("schedule", schedule).add("plateau", plateau);
    checkpoint.add("averages", averages).add("order", order).add("step", step).add("best", best);
    checkpoint.add("note", note);
  }

  void train() {
    optimizer.step();
    schedule.step();
    plateau.step(1);
    averages.update();
    order = order + 1;
    randn({2});
  }
};

}  // namespace

void write_seeds(const std::string& folder) {
  Run run;
  run.checkpoint.save(folder + "/start");
  run.train();
  run.checkpoint.save(folder + "/trained");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const FileInMemory file(data, size);
  Run run;
  try {
    run.checkpoint.load(file.path());
  } catch (const Error&) {
    if (run.step != 0 || run.order.sum().item<int64_t>() != 3 || run.schedule.last_epoch() != 0) std::abort();
    return 0;
  }
  try {
    run.train();
  } catch (const Error&) {  // the schedule may be at its end
  }
  return 0;
}
