#pragma once

#include <functional>
#include <utility>

#include "etude/data/example.h"
#include "etude/data/transforms/base.h"
#include "etude/ops/ops.h"

namespace etude::data::transforms {

/// Transforms the data and keeps the target (torch::data::transforms::TensorTransform).
template <typename Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  using E = Example<Tensor, Target>;

  virtual Tensor operator()(Tensor input) = 0;

  E apply(E input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// Transforms the data by a function and keeps the target (torch::data::transforms::TensorLambda).
template <typename Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<Tensor(Tensor)>;

  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

/// (data - mean) / stddev per channel of an image [channels, height, width] (torch::data::transforms::Normalize).
template <typename Target = Tensor>
struct Normalize : public TensorTransform<Target> {
  Normalize(ArrayRef<double> means, ArrayRef<double> stddevs)
      : mean(per_channel(means)), stddev(per_channel(stddevs)) {}

  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  Tensor mean, stddev;

 private:
  static Tensor per_channel(ArrayRef<double> numbers) {
    return tensor(numbers, kFloat).unsqueeze(1).unsqueeze(2);
  }
};

}  // namespace etude::data::transforms
