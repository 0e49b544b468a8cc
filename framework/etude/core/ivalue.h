#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude {

/// One value of any of a few types: a number, a text, a tensor, a list of them, or nothing (c10::IValue).
class IValue {
 public:
  IValue() = default;
  IValue(nullopt_t) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  IValue(T v) {
    if constexpr (std::is_same_v<T, bool>) value_ = v;
    else if constexpr (std::is_floating_point_v<T>) value_ = static_cast<double>(v);
    else value_ = static_cast<int64_t>(v);
  }
  IValue(const Scalar& v) {
    if (v.isBoolean()) value_ = v.toBool();
    else if (v.isFloatingPoint()) value_ = v.toDouble();
    else value_ = v.toLong();
  }
  IValue(const char* text) : value_(std::string(text)) {}
  IValue(std::string text) : value_(std::move(text)) {}
  IValue(Tensor t) : value_(std::move(t)) {}
  IValue(std::vector<int64_t> list) : value_(std::move(list)) {}
  IValue(IntArrayRef list) : value_(list.vec()) {}
  IValue(std::vector<double> list) : value_(std::move(list)) {}
  IValue(std::vector<bool> list) : value_(std::move(list)) {}
  IValue(std::vector<std::string> list) : value_(std::move(list)) {}
  IValue(std::vector<Tensor> list) : value_(std::move(list)) {}
  template <typename T>
  IValue(optional<T> v) {
    if (v) *this = IValue(std::move(*v));
  }

  bool isNone() const { return std::holds_alternative<std::monostate>(value_); }
  bool isTensor() const { return is<Tensor>(); }
  bool isDouble() const { return is<double>(); }
  bool isInt() const { return is<int64_t>(); }
  bool isBool() const { return is<bool>(); }
  bool isScalar() const { return isDouble() || isInt() || isBool(); }
  bool isString() const { return is<std::string>(); }
  bool isIntList() const { return is<std::vector<int64_t>>(); }
  bool isDoubleList() const { return is<std::vector<double>>(); }
  bool isBoolList() const { return is<std::vector<bool>>(); }
  bool isTensorList() const { return is<std::vector<Tensor>>(); }
  bool isList() const {
    return isIntList() || isDoubleList() || isBoolList() || isTensorList() || is<std::vector<std::string>>();
  }
  /// The type that the value has: `Int`.
  std::string tagKind() const {
    static constexpr const char* names[] = {"None",        "Tensor",      "Double",      "Int",
                                            "Bool",        "String",      "GenericList", "GenericList",
                                            "GenericList", "GenericList", "GenericList"};
    return names[value_.index()];
  }

  /// The value as the type it has; another type is an error.
  const Tensor& toTensor() const { return get<Tensor>("Tensor"); }
  double toDouble() const { return get<double>("Double"); }
  int64_t toInt() const { return get<int64_t>("Int"); }
  bool toBool() const { return get<bool>("Bool"); }
  Scalar toScalar() const {
    if (isDouble()) return toDouble();
    if (isBool()) return toBool();
    return get<int64_t>("Scalar");
  }
  const std::string& toStringRef() const { return get<std::string>("String"); }
  const std::vector<int64_t>& toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
  const std::vector<double>& toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
  const std::vector<Tensor>& toTensorVector() const { return get<std::vector<Tensor>>("TensorList"); }

  /// The value as T, which is the type of a `to...` method, a number, a vector or an optional.
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) return toBool();
    else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(toDouble());
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(toInt());
    else if constexpr (std::is_same_v<T, Scalar>) return toScalar();
    else if constexpr (IsOptional<T>::value) return toOptional<typename T::value_type>();
    else return get<T>("another type");
  }
  template <typename T>
  optional<T> toOptional() const {
    return isNone() ? optional<T>() : optional<T>(to<T>());
  }

 private:
  template <typename T>
  struct IsOptional : std::false_type {};
  template <typename T>
  struct IsOptional<optional<T>> : std::true_type {};

  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <typename T>
  const T& get(const char* wanted) const {
    const T* v = std::get_if<T>(&value_);
    ETUDE_CHECK(v, "Expected ", wanted, " but got ", tagKind());
    return *v;
  }

  std::variant<std::monostate, Tensor, double, int64_t, bool, std::string, std::vector<int64_t>,
               std::vector<double>, std::vector<bool>, std::vector<std::string>, std::vector<Tensor>>
      value_;
};

}  // namespace etude
