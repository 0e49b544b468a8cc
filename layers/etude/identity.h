#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

/// Returns its input (torch::nn::Identity).
class ETUDE_API IdentityImpl : public Cloneable<IdentityImpl> {
 public:
  void reset() override;
  Tensor forward(const Tensor& input);
};
ETUDE_MODULE(Identity);

}  // namespace nn
}  // namespace etude
