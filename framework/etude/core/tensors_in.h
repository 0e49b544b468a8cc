#pragma once

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "etude/core/scalar.h"
#include "etude/core/tensor.h"

namespace etude::detail {

/// The tensors in an argument or result of an op: none in a value of another type, and only the first of several results.
struct TensorsIn {
  TensorsIn(const Tensor& t) : tensors(t) {}
  TensorsIn(TensorList list) : tensors(list) {}
  TensorsIn(const std::vector<Tensor>& list) : tensors(list) {}
  TensorsIn(const optional<Tensor>& t) : tensors(t ? TensorList(*t) : TensorList()) {}
  template <typename... Others>
  TensorsIn(const std::tuple<Tensor, Others...>& several) : tensors(std::get<0>(several)) {}
  TensorsIn(const std::pair<Tensor, Tensor>& two) : tensors(two.first) {}
  TensorsIn(double number) : holds_nan(std::isnan(number)), holds_inf(std::isinf(number)) {}
  TensorsIn(const Scalar& number) : TensorsIn(number.toDouble()) {}
  TensorsIn(const optional<Scalar>& number) {
    if (number) *this = TensorsIn(*number);
  }
  template <typename T>
  TensorsIn(const T&) {}
  TensorList tensors;
  bool holds_nan = false, holds_inf = false;  // of a number
};

}  // namespace etude::detail
