#include "support/training_run.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace {

using etude::Tensor;
namespace nn = etude::nn;

// A line that is fitted in a few steps, with the results.
struct Fit {
  Fit(const std::string& folder, int64_t steps) : program("fit", "Fits a line.", steps, {}) {
    program.out = folder;
  }

  // Up to `until` steps, as if there had been a Ctrl-C then. Returns whether all are done, or false after a crash.
  bool train(bool resume, int64_t until, bool crashes = false) {
    etude::manual_seed(5);
    line = nn::Linear(3, 1);
    etude::optim::SGD optimizer(line->parameters(), etude::optim::SGDOptions(0.1).momentum(0.9));
    etude::optim::StepLR schedule(optimizer, 2, 0.5);
    examples::TrainingRun run(program, "fit", *line, optimizer, schedule, "points");
    run.has("colour", colour);
    run.keep(squares);
    if (resume) run.resume();
    while (run.goes_on() && static_cast<int64_t>(run.losses().y.size()) < until) {
      optimizer.zero_grad();
      const Tensor loss = line(etude::randn({4, 3})).square().mean();
      loss.backward();
      optimizer.step();
      schedule.step();
      run.note(loss.item<double>(), 4);
      squares.add(static_cast<double>(run.step()), loss.item<double>() * loss.item<double>());
    }
    losses = run.losses().y;
    return !crashes && run.end();
  }

  examples::Program program;
  nn::Linear line = nullptr;
  std::string colour = "red";
  examples::Curve squares{"squares"};
  std::vector<double> losses;
};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const examples::FileError& error) {
    return error.what();
  }
  return "";
}

TEST_SUITE("training run") {
  TEST_CASE("goes on after a stop as if there had been none") {
    const etude::TemporaryFolder folder;
    Fit whole(folder / "whole", 9), parts(folder / "parts", 9);
    CHECK(whole.train(false, 9));
    CHECK_FALSE(parts.train(false, 4));
    CHECK(parts.losses.size() == 4);
    parts.squares = {"squares"};
    CHECK(parts.train(true, 9));
    CHECK(parts.squares.y == whole.squares.y);
    parts.squares = {"squares"};
    CHECK(parts.losses == whole.losses);
    CHECK(etude::equal(parts.line->weight, whole.line->weight));
    CHECK(parts.train(true, 9));  // there is nothing left to do
    CHECK(parts.losses == whole.losses);
  }

  TEST_CASE("saves as it goes, so that a crash does not cost the run") {
    const etude::TemporaryFolder folder;
    Fit whole(folder / "whole", 9), crashed(folder / "crashed", 9), parts(folder / "crashed", 9);
    whole.train(false, 9);
    crashed.program.save_every = 2;
    crashed.train(false, 5, /*crashes=*/true);
    CHECK(parts.train(true, 9));
    CHECK(parts.losses == whole.losses);
    CHECK(parts.squares.y == whole.squares.y);
    CHECK(etude::equal(parts.line->weight, whole.line->weight));

    crashed.program.save_every = 0;
    crashed.program.out = folder / "never";
    crashed.train(false, 5, /*crashes=*/true);
    CHECK_FALSE(std::filesystem::exists(folder / "never/fit.safetensors"));
  }

  TEST_CASE("goes on though there is no room for a checkpoint, as long as there is some at the end") {
    const etude::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "out/fit.safetensors");
    Fit fit(folder / "out", 5);
    fit.program.save_every = 2;
    fit.train(false, 5, /*crashes=*/true);
    CHECK(fit.losses.size() == 5);
  }

  TEST_CASE("refuses the checkpoint of another run, and says what differs") {
    const etude::TemporaryFolder folder;
    Fit red(folder / "out", 3), green(folder / "out", 3);
    red.train(false, 2);
    green.colour = "green";
    const std::string message = message_of([&] { green.train(true, 3); });
    CHECK(message.find("fit.safetensors belongs to another run\n  colour: red then, green now\nhint: ") !=
          std::string::npos);
    etude::save(etude::ones({2}), folder / "out/fit.safetensors");
    CHECK(message_of([&] { red.train(true, 3); }).find("fit.safetensors") != std::string::npos);
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
