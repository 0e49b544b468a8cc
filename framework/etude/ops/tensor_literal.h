#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude {

namespace detail {

/// A number or a nested brace list of numbers, the argument of `tensor(...)`.
class ETUDE_API TensorLiteral {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  TensorLiteral(T v) : value_(v), type_(type_of<T>()) {}
  TensorLiteral(std::initializer_list<TensorLiteral> list);
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  TensorLiteral(ArrayRef<T> values)
      : sizes_{static_cast<int64_t>(values.size())}, type_(type_of<T>()), is_list_(true) {
    for (const T& v : values) values_.push_back(v);
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>>
  TensorLiteral(const std::vector<T>& values) : TensorLiteral(ArrayRef<T>(values)) {}
  TensorLiteral(const std::vector<bool>& values);

  Tensor make(const TensorOptions& options) const;

 private:
  template <typename T>
  static ScalarType type_of() {
    if constexpr (std::is_same_v<T, bool>) return kBool;
    else if constexpr (std::is_same_v<T, double>) return kDouble;
    else if constexpr (std::is_same_v<T, float>) return kFloat;
    else if constexpr (std::is_same_v<T, int>) return kInt;
    else if constexpr (std::is_same_v<T, uint8_t>) return kByte;
    else if constexpr (std::is_same_v<T, int8_t>) return kChar;
    else return kLong;
  }
  ArrayRef<Scalar> values() const { return is_list_ ? ArrayRef<Scalar>(values_) : value_; }
  std::string text() const;

  Scalar value_;
  std::vector<Scalar> values_;
  std::vector<int64_t> sizes_;
  ScalarType type_ = kFloat;
  bool is_list_ = false;
};

}  // namespace detail

/// A tensor with the given values: `tensor(1.5)`, `tensor({1, 2})`, `tensor({{1, 2}, {3, 4}})`,
/// `tensor(vector)` (torch::tensor). Integers give int64 and floating point numbers the default dtype, unless
/// the options say otherwise. Lists at the same level must have equal lengths.
inline Tensor tensor(const detail::TensorLiteral& values, const TensorOptions& options = {}) {
  return values.make(options);
}

}  // namespace etude
