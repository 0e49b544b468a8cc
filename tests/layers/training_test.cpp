// Networks train as in PyTorch, step by step: layers, gradients, clipping, optimizers and schedules together.
#include <doctest/doctest.h>

#include "etude/etude.h"
#include "framework/optim/recorded.h"
#include "support/any_function.h"

using namespace etude;

TEST_SUITE("training") {
  namespace {

  using Networks = std::map<std::string, AnyFunction<nn::Sequential()>>;

  // In braces the layers are built, and draw their weights, from left to right.
  const Networks networks = {
      {"sgd",
       [] {
         return nn::Sequential{nn::Linear(3, 8), nn::Tanh(), nn::Linear(8, 1)};
       }},
      {"adam dropout",
       [] {
         return nn::Sequential{nn::Linear(3, 8), nn::GELU(), nn::Dropout(0.25), nn::Linear(8, 1)};
       }},
      {"adamw clipped",
       [] {
         return nn::Sequential{nn::Linear(3, 8), nn::ReLU(), nn::Linear(8, 1)};
       }},
  };

  std::unique_ptr<optim::Optimizer> optimizer_of(const std::string& name, const std::vector<Tensor>& p) {
    if (name == "sgd") return std::make_unique<optim::SGD>(p, optim::SGDOptions(0.1).momentum(0.9));
    if (name == "adam dropout") return std::make_unique<optim::Adam>(p, optim::AdamOptions(0.01));
    return std::make_unique<optim::AdamW>(p, optim::AdamWOptions(0.03));
  }

  // Trains the network and compares each loss and each gradient norm by relative error.
  void check_training(const std::string& name, const std::string& type, double tolerance) {
    CAPTURE(name);
    CAPTURE(type);
    const auto& expected = recorded::optim().at("training").at(name).at(type);
    const bool clipped = name == "adamw clipped";
    manual_seed(1);
    nn::Sequential model = networks.at(name)();
    model->to(golden_dtype(type));
    const Tensor x = etude::randn({20, 3}).to(golden_dtype(type)),
                 y = etude::randn({20, 1}).to(x.scalar_type());
    const auto optimizer = optimizer_of(name, model->parameters());
    optim::StepLR schedule(*optimizer, clipped ? 10 : 100, 0.5);
    schedule.step();  // the step of epoch 0, which Python takes in the constructor
    const double max_norm = clipped ? 0.2 : std::numeric_limits<double>::infinity();
    for (size_t step = 0; step < expected.at("losses").size(); ++step) {
      CAPTURE(step);
      optimizer->zero_grad();
      const Tensor loss = nn::functional::mse_loss(model->forward(x), y);
      loss.backward();
      const double norm = nn::utils::clip_grad_norm_(model->parameters(), max_norm);
      optimizer->step();
      schedule.step();
      CHECK(loss.item<double>() ==
            doctest::Approx(expected.at("losses")[step].get<double>()).scale(0).epsilon(tolerance));
      CHECK(norm ==
            doctest::Approx(expected.at("norms")[step].get<double>()).scale(0).epsilon(10 * tolerance));
    }
  }

  }  // namespace

  TEST_CASE("losses and norms of gradients are PyTorch's in every step") {
    for (const auto& network : networks) {
      check_training(network.first, "float32", 1e-5);
      check_training(network.first, "float64", 1e-11);
    }
  }
}
