#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "etude/ops/ops.h"
#include "etude/optim/optimizer.h"
#include "support/any_function.h"
#include "support/golden.h"

// The recordings of golden/optim/make.py from PyTorch, and comparisons with them.

namespace recorded {

using etude::Recorded;
using etude::Tensor;

inline const Recorded& optim() {
  static const Recorded data = etude::golden_json("optim/optim.json");
  return data;
}

/// make.py's wave(i): the initial parameter for i = 0, otherwise its gradient at step i.
inline Tensor wave(int i, etude::ScalarType dtype) {
  std::vector<double> values;
  for (int j = 0; j < 21; ++j) values.push_back(std::sin(static_cast<double>(1 + j + 21 * i)));
  return etude::tensor(values, etude::kDouble).to(etude::kFloat).to(dtype);
}

inline Tensor numbers(const Recorded& values, etude::ScalarType dtype) {
  return etude::tensor(values.get<std::vector<double>>(), etude::kDouble).to(dtype);
}

/// The state tensors that an optimizer keeps for a parameter, by PyTorch's names.
using Remembered = etude::AnyFunction<std::map<std::string, Tensor>(etude::optim::OptimizerParamState&)>;

/// Takes 30 steps with every variant of the options, in both types, and compares them with the recorded steps
/// of the optimizer `name`.
template <typename Optimizer, typename Options>
void check_steps(const std::string& name, const std::map<std::string, Options>& variants,
                 const Remembered& remembered) {
  const Recorded& expected = optim().at("steps").at(name);
  CHECK(variants.size() == expected.size());
  for (const auto& [variant, options] : variants)
    for (const auto& [type, tolerance] :
         std::vector<std::pair<std::string, double>>{{"float32", 1e-6}, {"float64", 1e-12}}) {
      CAPTURE(variant);
      CAPTURE(type);
      const Recorded& row = expected.at(variant).at(type);
      const etude::ScalarType dtype = etude::golden_dtype(type);
      const Tensor p = wave(0, dtype).requires_grad_();
      Optimizer optimizer({p}, options);
      for (int i = 1; i <= 30; ++i) {
        p.mutable_grad() = wave(i, dtype);
        optimizer.step();
        if (i == 1) CHECK(etude::golden_distance(p, numbers(row.at("first"), dtype)) <= tolerance);
      }
      CHECK(etude::golden_distance(p, numbers(row.at("last"), dtype)) <= tolerance);
      if (optimizer.state().empty()) {
        CHECK(row.at("state").empty());
        continue;
      }
      const auto found = remembered(*optimizer.state().begin()->second);
      for (const auto& [key, tensor] : found) {
        CAPTURE(key);
        CHECK(tensor.defined() == row.at("state").contains(key));
        if (!tensor.defined()) continue;
        CHECK(etude::golden_distance(tensor, numbers(row.at("state").at(key), dtype)) <= tolerance);
      }
    }
}

}  // namespace recorded
