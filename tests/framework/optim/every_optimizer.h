#pragma once

#include "etude/optim/adagrad.h"
#include "etude/optim/adam.h"
#include "etude/optim/adamw.h"
#include "etude/optim/rmsprop.h"
#include "etude/optim/sgd.h"

// Every optimizer with options that use all of its state, for tests of common behaviour.

namespace every {

inline auto options(etude::optim::SGD*, double lr) { return etude::optim::SGDOptions(lr).momentum(0.9); }
inline auto options(etude::optim::Adam*, double lr) { return etude::optim::AdamOptions(lr).amsgrad(true); }
inline auto options(etude::optim::AdamW*, double lr) { return etude::optim::AdamWOptions(lr).amsgrad(true); }
inline auto options(etude::optim::RMSprop*, double lr) {
  return etude::optim::RMSpropOptions(lr).momentum(0.9).centered(true).weight_decay(0.1);
}
inline auto options(etude::optim::Adagrad*, double lr) {
  return etude::optim::AdagradOptions(lr).lr_decay(0.1);
}

template <typename Optimizer>
auto options_of(double lr = 0.125) {
  return options(static_cast<Optimizer*>(nullptr), lr);
}

/// A leaf with a gradient.
inline etude::Tensor leaf(const etude::Tensor& values, const etude::Tensor& gradient) {
  const etude::Tensor p = values.clone().requires_grad_();
  p.mutable_grad() = gradient;
  return p;
}

}  // namespace every

#define EVERY_OPTIMIZER \
  etude::optim::SGD, etude::optim::Adam, etude::optim::AdamW, etude::optim::RMSprop, etude::optim::Adagrad
