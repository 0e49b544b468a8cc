// ReduceLROnPlateau follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::ReduceLROnPlateau;
using optim::ReduceLROnPlateauOptions;
using Options = ReduceLROnPlateauOptions;

TEST_SUITE("ReduceLROnPlateau") {
  TEST_CASE("gives PyTorch's learning rates with every option") {
    const std::map<std::string, Options> variants = {
        {"default", Options()},
        {"plain", Options().patience(2)},
        {"max", Options().mode("max").patience(1).factor(0.5).cooldown(3)},
        {"abs", Options().threshold_mode("abs").threshold(0.005).patience(0).factor(0.7)},
        {"max abs", Options().mode("max").threshold_mode("abs").threshold(0.02).patience(1).factor(0.7)},
        {"min_lr", Options().patience(0).factor(0.3).min_lr({0.01, 0.001})},
        {"eps", Options().patience(0).factor(0.5).eps(0.01)},
    };
    const auto& golden = recorded::optim().at("plateau");
    CHECK(variants.size() == golden.at("cases").size());
    for (const auto& [name, options] : variants) {
      CAPTURE(name);
      const auto& expected = golden.at("cases").at(name);
      optim::SGD optimizer = recorded::two_groups();
      ReduceLROnPlateau schedule(optimizer, options);
      for (size_t epoch = 0; epoch < expected.at("lrs").size(); ++epoch) {
        CAPTURE(epoch);
        const double metric = golden.at("metrics")[epoch].get<double>();
        schedule.step(options.mode() == "max" ? 2 - metric : metric);
        recorded::check_close(recorded::lrs_of(optimizer), expected.at("lrs")[epoch]);
      }
      CHECK(schedule.state().best == expected.at("best").get<double>());
      CHECK(schedule.state().num_bad_epochs == expected.at("num_bad_epochs").get<int64_t>());
      CHECK(schedule.state().last_epoch == 60);
    }
  }

  TEST_CASE("goes on where another one was, also in a cooldown") {
    const auto options = Options().patience(0).cooldown(2);
    optim::SGD optimizer = recorded::two_groups();
    ReduceLROnPlateau first(optimizer, options), second(optimizer, options);
    CHECK_FALSE(first.in_cooldown());
    for (int i = 0; i < 2; ++i) first.step(1);
    CHECK(first.in_cooldown());
    CHECK(recorded::lrs_of(optimizer)[0] == 0.1 * 0.1);
    second.state() = first.state();
    CHECK(second.in_cooldown());
    for (int i = 0; i < 2; ++i) second.step(1);
    CHECK(recorded::lrs_of(optimizer)[0] == 0.1 * 0.1);
    second.step(1);
    CHECK(recorded::lrs_of(optimizer)[0] == doctest::Approx(0.001));
  }

  TEST_CASE("a metric that is nan is no improvement") {
    optim::SGD optimizer = recorded::two_groups();
    ReduceLROnPlateau schedule(optimizer, Options().patience(0));
    schedule.step(std::nan(""));
    CHECK(recorded::lrs_of(optimizer)[0] == 0.1 * 0.1);
  }

  TEST_CASE("takes the arguments of LibTorch 2, of which the rates are floats") {
    using Scheduler = optim::ReduceLROnPlateauScheduler;
    // The rates after each metric, of two groups that begin with 1 and 0.25.
    const auto rates = [](std::vector<float> metrics, auto... arguments) {
      optim::SGD optimizer = recorded::two_groups(1);
      optimizer.param_groups()[1].options().set_lr(0.25);
      Scheduler schedule(optimizer, arguments...);
      std::vector<std::vector<double>> result;
      for (const float metric : metrics) {
        schedule.step(metric);
        result.push_back(recorded::lrs_of(optimizer));
      }
      return result;
    };
    using Rates = std::vector<std::vector<double>>;
    const std::vector<double> start = {1, 0.25}, half = {0.5, 0.125}, quarter = {0.25, 0.0625};
    CHECK(rates({1, 1, 1, 0.99995F, 0.5, 0.6F, 0.6F}, Scheduler::min, 0.5F, 1) ==
          Rates{start, start, half, half, half, half, quarter});
    const double least = 0.2F, floor = 0.3F;
    CHECK(rates({1, 1.05F, 1.2F, 1.2F, 1.3F, 1, 1, 1}, Scheduler::max, 0.5F, 0, 0.1, Scheduler::rel, 1,
                std::vector<float>{0.3F, 0.2F}) == Rates{start,
                                                         {0.5, least},
                                                         {0.5, least},
                                                         {floor, least},
                                                         {floor, least},
                                                         {floor, least},
                                                         {floor, least},
                                                         {floor, least}});
    const double tenth = 0.1F;
    const std::vector<double> once = {tenth, 0.25 * tenth}, twice = {once[0] * tenth, once[1] * tenth};
    CHECK(rates({1, 0.95F, 1, 1, 1}, Scheduler::min, 0.1F, 0, 0.1, Scheduler::abs, 0, std::vector<float>(),
                0.01) == Rates{start, once, twice, twice, twice});

    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(Scheduler(optimizer, Scheduler::min, 1), "Factor should be < 1.0.\nreceived 1",
                         ValueError);
    CHECK_THROWS_WITH_AS(
        Scheduler(optimizer, Scheduler::min, 0.5F, 10, 1e-4, Scheduler::rel, 0, {0.5F}),
        "Number of learning rates not equal to the number of param groups\nreceived 1 for 2 groups", Error);
  }

  TEST_CASE("says which rates it reduces, as LibTorch 2 does") {
    using Scheduler = optim::ReduceLROnPlateauScheduler;
    optim::SGD optimizer = recorded::two_groups(1);
    optimizer.param_groups()[1].options().set_lr(0.25);
    Scheduler schedule(optimizer, Scheduler::min, 0.1F, 0, 1e-4, Scheduler::rel, 0, {}, 1e-8, true);
    std::ostringstream out;
    std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
    schedule.step(1);
    schedule.step(1);
    std::cout.rdbuf(before);
    CHECK(out.str() ==
          "Epoch 2: reducing learning rate of group 0 to 0.1\n"
          "Epoch 2: reducing learning rate of group 1 to 0.025\n");
  }

  TEST_CASE("refuses options that make no sense") {
    optim::SGD optimizer = recorded::two_groups();
    auto refuses = [&](const Options& options, const char* text) {
      CHECK_THROWS_WITH_AS(ReduceLROnPlateau(optimizer, options), text, ValueError);
    };
    refuses(Options().factor(1), "Factor should be < 1.0.\nreceived 1");
    refuses(Options().mode("most"), "mode most is unknown!");
    refuses(Options().threshold_mode("far"), "threshold mode far is unknown!");
    refuses(Options().min_lr({0.1}), "expected 2 min_lrs, got 1");
  }
}
