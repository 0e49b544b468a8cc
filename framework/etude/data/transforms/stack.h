#pragma once

#include <utility>
#include <vector>

#include "etude/data/example.h"
#include "etude/data/transforms/collate.h"
#include "etude/ops/ops.h"

namespace etude::data::transforms {

/// Stacks examples of equal sizes into one example with a batch dim in front (torch::data::transforms::Stack).
template <typename T = Example<>>
struct Stack;

template <>
struct Stack<Example<>> : public Collation<Example<>> {
  Example<> apply_batch(std::vector<Example<>> examples) override {
    std::vector<Tensor> data, targets;
    data.reserve(examples.size());
    targets.reserve(examples.size());
    for (Example<>& example : examples) {
      data.push_back(std::move(example.data));
      targets.push_back(std::move(example.target));
    }
    return {stack(data), stack(targets)};
  }
};

template <>
struct Stack<TensorExample> : public Collation<TensorExample> {
  TensorExample apply_batch(std::vector<TensorExample> examples) override {
    return stack(std::vector<Tensor>(examples.begin(), examples.end()));
  }
};

}  // namespace etude::data::transforms
