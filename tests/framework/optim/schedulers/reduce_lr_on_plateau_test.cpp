// ReduceLROnPlateau follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"

#include <doctest/doctest.h>

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
