#pragma once

#include <utility>

#include "etude/core/tensor.h"

namespace etude::data {

/// An input of a model and its target (torch::data::Example).
template <typename Data = Tensor, typename Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data seen, Target answer) : data(std::move(seen)), target(std::move(answer)) {}

  Data data;
  Target target;
};

namespace example {
/// Stands for the target of an example that has none (torch::data::example::NoTarget).
using NoTarget = void;
}  // namespace example

/// An example without a target; it converts to its data.
template <typename Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data seen) : data(std::move(seen)) {}
  operator Data&() { return data; }
  operator const Data&() const { return data; }

  Data data;
};

/// A tensor without a target (torch::data::TensorExample).
using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace etude::data
