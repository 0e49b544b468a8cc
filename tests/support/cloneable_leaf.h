#pragma once

#include "etude/nn/cloneable.h"
#include "etude/nn/init.h"
#include "etude/ops/ops.h"

namespace etude {

/// A module with parameters, one of them undefined, a buffer, and a member that is not registered.
struct CloneableLeafImpl : nn::Cloneable<CloneableLeafImpl> {
  explicit CloneableLeafImpl(int64_t given) : size(given) { CloneableLeafImpl::reset(); }
  void reset() override {
    weight = register_parameter("weight", nn::init::normal_(etude::empty({size})));
    bias = register_parameter("bias", Tensor(), false);
    mean = register_buffer("mean", etude::zeros({size}));
  }
  int64_t size;
  int value = 0;
  Tensor weight, bias, mean;
};
ETUDE_MODULE(CloneableLeaf);

}  // namespace etude
