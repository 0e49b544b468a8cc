#pragma once

#include <map>
#include <string>
#include <vector>

#include "etude/core/tensor.h"
#include "support/distance.h"
#include "support/recorded_data.h"

namespace etude {

/// A file under tests/golden, as JSON.
Recorded golden_json(const std::string& path);

/// The tensors of a safetensors file under tests/golden, by name.
std::map<std::string, Tensor> golden_tensors(const std::string& path);

/// The dtype of a Python name, such as `float32`.
ScalarType golden_dtype(const std::string& name);

/// A 1-D tensor of numbers, which may be "nan", "inf", "-inf" or an integer as text.
Tensor golden_numbers(const Recorded& values, ScalarType dtype);

/// One case of golden/ops: an op of PyTorch with its arguments, results and gradients.
struct GoldenCase {
  std::string id, op;
  Recorded attributes;
  ScalarType dtype = kFloat;
  double tolerance = 0, gradient_tolerance = 0;

  struct Input {
    std::string name;
    Tensor stored;  // a leaf
    Recorded view;
    /// The op's argument: the stored tensor after the steps of `view`.
    Tensor value() const;
  };
  std::vector<Input> inputs;

  struct Output {
    Tensor value, gradient;  // gradient: the argument of backward, if any
    std::string grad_fn;
    bool renamed = false;  // PyTorch 1.13.1 gave the node another name
  };
  std::vector<Output> outputs;
  std::map<std::string, Tensor> gradients;  // of the stored inputs
};

/// All cases, or those of one op.
std::vector<GoldenCase> golden_cases(const std::string& op = "");

}  // namespace etude
