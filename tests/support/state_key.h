#pragma once

#include <type_traits>

#include "etude/core/error.h"
#include "etude/optim/optimizer.h"

/// The key of a parameter's state: its address, which LibTorch 1.13 writes as a text.
template <typename States = std::decay_t<decltype(std::declval<const etude::optim::Optimizer&>().state())>>
typename States::key_type state_key(const etude::Tensor& parameter) {
  void* const address = parameter.unsafeGetTensorImpl();
  if constexpr (std::is_convertible_v<void*, typename States::key_type>) return address;
  else return etude::str(address);
}
