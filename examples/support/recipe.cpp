#include "support/recipe.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

namespace examples {

using etude::Tensor;
namespace optim = etude::optim;

optim::AdamW make_adamw(const std::vector<Tensor>& weights, double lr, double weight_decay) {
  std::vector<Tensor> matrices, vectors;
  for (const Tensor& weight : weights) (weight.dim() > 1 ? matrices : vectors).push_back(weight);
  const auto with_decay = [&](double decay) {
    return optim::AdamWOptions(lr).betas(std::make_tuple(0.9, 0.99)).weight_decay(decay);
  };
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(matrices, std::make_unique<optim::AdamWOptions>(with_decay(weight_decay)));
  groups.emplace_back(vectors, std::make_unique<optim::AdamWOptions>(with_decay(0)));
  return optim::AdamW(std::move(groups), with_decay(0));
}

double warm_up_and_cosine(int64_t step, int64_t steps, int64_t warm_up, double floor) {
  if (step < warm_up) return static_cast<double>(step + 1) / static_cast<double>(warm_up + 1);
  const double pi = std::acos(-1.0);
  const double part =
      static_cast<double>(step - warm_up) / static_cast<double>(std::max<int64_t>(steps - warm_up, 1));
  return floor + (1 - floor) * 0.5 * (1 + std::cos(pi * std::min(part, 1.0)));
}

}  // namespace examples
