#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

struct FlattenOptions {
  ETUDE_ARG(int64_t, start_dim) = 1;
  ETUDE_ARG(int64_t, end_dim) = -1;
};

/// Makes one dim of the dims start_dim to end_dim: [batch, a, b] -> [batch, a * b] (torch::nn::Flatten).
class ETUDE_API FlattenImpl : public Cloneable<FlattenImpl> {
 public:
  explicit FlattenImpl(const FlattenOptions& options_ = {}) : options(options_) {}

  void reset() override;
  Tensor forward(const Tensor& input);
  std::string extra_repr() const override;

  FlattenOptions options;
};
ETUDE_MODULE(Flatten);

}  // namespace nn
}  // namespace etude
