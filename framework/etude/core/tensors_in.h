#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"

namespace etude::detail {

/// The tensors in an argument, or in the result, of an op: none in one that is something else, and of several results the first.
struct TensorsIn {
  TensorsIn(const Tensor& t) : tensors(t) {}
  TensorsIn(TensorList list) : tensors(list) {}
  TensorsIn(const std::vector<Tensor>& list) : tensors(list) {}
  TensorsIn(const optional<Tensor>& t) : tensors(t ? TensorList(*t) : TensorList()) {}
  template <typename... Others>
  TensorsIn(const std::tuple<Tensor, Others...>& several) : tensors(std::get<0>(several)) {}
  TensorsIn(const std::pair<Tensor, Tensor>& two) : tensors(two.first) {}
  template <typename T>
  TensorsIn(const T&) {}
  TensorList tensors;
};

}  // namespace etude::detail
