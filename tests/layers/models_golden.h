#pragma once

#include <doctest/doctest.h>

#include "etude/etude.h"
#include "layers/golden.h"

// The recordings of golden/layers/make_models.py for whole models.

namespace golden {

inline const Recorded& models() {
  static const Recorded data = etude::golden_json("layers/models.json");
  return data;
}

inline Tensor ids(const char* name) {
  std::vector<Tensor> rows;
  for (const Recorded& row : models().at(name))
    rows.push_back(etude::tensor(row.get<std::vector<int64_t>>(), etude::kLong));
  return etude::stack(rows);
}

/// Gives the model the recorded weights in float64; names and sizes must match.
inline void fill(etude::nn::Module& model, const Recorded& recorded) {
  model.to(etude::kDouble);
  const etude::NoGradGuard no_grad;
  auto parameters = model.named_parameters();
  const Recorded& names = recorded.at("parameters");
  REQUIRE(parameters.size() == names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i][0].get<std::string>();
    CAPTURE(name);
    Tensor* p = parameters.find(name);
    REQUIRE(p);
    const auto sizes = names[i][1].get<std::vector<int64_t>>();
    REQUIRE(p->sizes() == etude::IntArrayRef(sizes));
    const bool norm = name.find("weight") != std::string::npos &&
                      (name.find("norm") != std::string::npos || name.find("ln_") != std::string::npos);
    p->copy_(ramp(sizes).to(etude::kDouble) * (0.3 + 0.05 * static_cast<double>(i % 7)) + (norm ? 1 : 0));
  }
}

inline void check_gradients(etude::nn::Module& model, const Recorded& recorded, double tolerance) {
  auto parameters = model.named_parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = recorded.at("parameters")[i][0].get<std::string>();
    CAPTURE(name);
    CHECK(close(parameters[name].grad(), recorded.at("grads")[i], tolerance));
  }
}

}  // namespace golden
