#include "support/training_run.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace {

using etude::Tensor;
namespace nn = etude::nn;

// A line that is fitted in a few steps, and what it has after them.
struct Fit {
  Fit(const std::string& folder, int64_t steps) : program("fit", "Fits a line.", steps, {}) {
    program.out = folder;
  }

  // Up to `until` steps, as if there had been a Ctrl-C then. Returns whether all are done.
  bool train(bool resume, int64_t until) {
    etude::manual_seed(5);
    line = nn::Linear(3, 1);
    etude::optim::SGD optimizer(line->parameters(), etude::optim::SGDOptions(0.1).momentum(0.9));
    etude::optim::StepLR schedule(optimizer, 2, 0.5);
    examples::TrainingRun run(program, "fit", *line, optimizer, schedule, "points");
    if (resume) run.resume();
    while (run.goes_on() && static_cast<int64_t>(run.losses().y.size()) < until) {
      optimizer.zero_grad();
      const Tensor loss = line(etude::randn({4, 3})).square().mean();
      loss.backward();
      optimizer.step();
      schedule.step();
      run.note(loss.item<double>(), 4);
    }
    losses = run.losses().y;
    return run.end();
  }

  examples::Program program;
  nn::Linear line = nullptr;
  std::vector<double> losses;
};

TEST_SUITE("training run") {
  TEST_CASE("goes on after a stop as if there had been none") {
    const etude::TemporaryFolder folder;
    Fit whole(folder / "whole", 9), parts(folder / "parts", 9);
    CHECK(whole.train(false, 9));
    CHECK_FALSE(parts.train(false, 4));
    CHECK(parts.losses.size() == 4);
    CHECK(parts.train(true, 9));
    CHECK(parts.losses == whole.losses);
    CHECK(etude::equal(parts.line->weight, whole.line->weight));
    CHECK(parts.train(true, 9));  // there is nothing left to do
    CHECK(parts.losses == whole.losses);
  }

  TEST_CASE("says where the checkpoint is not") {
    const etude::TemporaryFolder folder;
    Fit fit(folder / "out", 3);
    CHECK_THROWS_AS(fit.train(true, 3), examples::FileError);
  }

  TEST_CASE("says where the checkpoint can't be") {
    const etude::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "out/fit.safetensors");
    Fit fit(folder / "out", 3);
    CHECK_THROWS_AS(fit.train(false, 3), examples::FileError);
  }
}

}  // namespace
