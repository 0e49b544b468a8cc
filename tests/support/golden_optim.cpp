#include "support/golden_optim.h"

#include <memory>
#include <stdexcept>

#include "etude/ops/ops.h"
#include "etude/optim/adam.h"
#include "etude/optim/adamw.h"
#include "etude/optim/schedulers/exponential_lr.h"
#include "etude/optim/schedulers/linear_lr.h"
#include "etude/optim/schedulers/step_lr.h"
#include "etude/optim/sgd.h"

namespace etude {
namespace {

using optim::LRScheduler;
using optim::Optimizer;
using optim::SGDOptions;

SGDOptions sgd_options(const Recorded& kw) {
  return SGDOptions(kw.at("lr").get<double>())
      .momentum(kw.value("momentum", 0.0))
      .nesterov(kw.value("nesterov", false))
      .weight_decay(kw.value("weight_decay", 0.0));
}

template <typename Options>
Options adam_options(const Recorded& kw) {
  Options options(kw.at("lr").get<double>());
  const auto betas = kw.value("betas", std::vector<double>{0.9, 0.999});
  return options.betas({betas.at(0), betas.at(1)})
      .eps(kw.value("eps", 1e-8))
      .weight_decay(kw.value("weight_decay", options.weight_decay()))
      .amsgrad(kw.value("amsgrad", false));
}

std::unique_ptr<Optimizer> make_optimizer(const Tensor& p, const std::string& name, const Recorded& kw) {
  const std::vector<Tensor> parameters{p};
  if (name == "SGD") return std::make_unique<optim::SGD>(parameters, sgd_options(kw));
  if (name == "Adam") return std::make_unique<optim::Adam>(parameters, adam_options<optim::AdamOptions>(kw));
  if (name == "AdamW")
    return std::make_unique<optim::AdamW>(parameters, adam_options<optim::AdamWOptions>(kw));
  throw std::runtime_error("unknown optimizer " + name);
}

std::unique_ptr<LRScheduler> make_schedule(Optimizer& optimizer, const std::string& name,
                                           const Recorded& kw) {
  if (name == "StepLR") {
    auto schedule = std::make_unique<optim::StepLR>(optimizer, kw.at("step_size").get<unsigned>(),
                                                    kw.at("gamma").get<double>());
    schedule->step();  // the step of epoch 0, which Python takes in the constructor
    return schedule;
  }
#ifndef etude
  if (name == "ExponentialLR")
    return std::make_unique<optim::ExponentialLR>(optimizer, kw.at("gamma").get<double>());
  if (name == "LinearLR")
    return std::make_unique<optim::LinearLR>(optimizer, kw.at("start_factor").get<double>(), 1.0,
                                             kw.at("total_iters").get<unsigned>());
#endif
  throw std::runtime_error("unknown schedule " + name);
}

}  // namespace

Tensor golden_optimizer(const GoldenCall& call) {
  const Tensor p = call["p0"].clone().requires_grad_();
  const auto optimizer = make_optimizer(p, call.text("cls"), call.attributes().at("kw"));
  std::vector<Tensor> steps;
  for (const Tensor& gradient : call["grads"].unbind()) {
    p.mutable_grad() = gradient;
    optimizer->step();
    steps.push_back(p.detach().clone());
  }
  return etude::stack(steps);
}

Tensor golden_schedule(const GoldenCall& call) {
  const double lr = call.attributes().at("lr").get<double>();
  optim::SGD optimizer({etude::zeros({1}).requires_grad_()}, SGDOptions(lr));
  const auto schedule = make_schedule(optimizer, call.text("cls"), call.attributes().at("kw"));
  std::vector<double> lrs;
  for (int64_t i = 0; i < call.integer("steps"); ++i) {
    lrs.push_back(optimizer.param_groups()[0].options().get_lr());
    schedule->step();
  }
  return etude::tensor(lrs, etude::kDouble);
}

}  // namespace etude
