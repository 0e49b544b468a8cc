#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude {

class GenericDict;
class DictEntry;

/// A value of one of a few types: a number, a string, a tensor, a list of these, a dict, or nothing (c10::IValue).
class ETUDE_API IValue {
 public:
  IValue();
  IValue(nullopt_t);
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  IValue(T v) : IValue(Scalar(v)) {}
  IValue(const Scalar& v);
  IValue(const char* text);
  IValue(std::string text);
  IValue(Tensor t);
  IValue(std::vector<int64_t> list);
  IValue(IntArrayRef list);
  IValue(std::vector<double> list);
  IValue(std::vector<bool> list);
  IValue(std::vector<std::string> list);
  IValue(std::vector<Tensor> list);
  IValue(const GenericDict& dict);
  template <typename T>
  IValue(optional<T> v) : IValue(v ? IValue(std::move(*v)) : IValue()) {}
  // Defined in the .cpp file, so that programs do not compile them again.
  IValue(const IValue& other);
  IValue(IValue&& other) noexcept;
  IValue& operator=(const IValue& other);
  IValue& operator=(IValue&& other) noexcept;
  ~IValue();

  bool isNone() const { return is<std::monostate>(); }
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
  bool isList() const;
  bool isGenericDict() const { return is<std::shared_ptr<std::vector<DictEntry>>>(); }
  /// The name of the value's type: `Int`.
  std::string tagKind() const;

  /// The value. Throws if it has another type.
  const Tensor& toTensor() const { return get<Tensor>("Tensor"); }
  double toDouble() const { return get<double>("Double"); }
  int64_t toInt() const { return get<int64_t>("Int"); }
  bool toBool() const { return get<bool>("Bool"); }
  Scalar toScalar() const;
  const std::string& toStringRef() const { return get<std::string>("String"); }
  const std::vector<int64_t>& toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
  const std::vector<double>& toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
  const std::vector<Tensor>& toTensorVector() const { return get<std::vector<Tensor>>("TensorList"); }
  GenericDict toGenericDict() const;

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
  const T& get(const char* wanted) const;

  std::variant<std::monostate, Tensor, double, int64_t, bool, std::string, std::vector<int64_t>,
               std::vector<double>, std::vector<bool>, std::vector<std::string>, std::vector<Tensor>,
               std::shared_ptr<std::vector<DictEntry>>>
      value_;
};

/// A key of a dict and its value.
class DictEntry {
 public:
  DictEntry(IValue key, IValue value) : key_(std::move(key)), value_(std::move(value)) {}
  const IValue& key() const { return key_; }
  const IValue& value() const { return value_; }

 private:
  IValue key_, value_;
};

/// A dict with strings or numbers as keys, in insertion order. Copies share the entries (c10::impl::GenericDict).
class ETUDE_API GenericDict {
 public:
  using const_iterator = std::vector<DictEntry>::const_iterator;

  GenericDict();
  // Moving copies, so that entries_ is never null.
  GenericDict(const GenericDict&) = default;
  GenericDict& operator=(const GenericDict&) = default;
  /// The keys must differ.
  explicit GenericDict(std::vector<DictEntry> entries);
  size_t size() const { return entries_->size(); }
  bool empty() const { return entries_->empty(); }
  const_iterator begin() const { return entries_->begin(); }
  const_iterator end() const { return entries_->end(); }
  const_iterator find(const IValue& key) const;
  bool contains(const IValue& key) const { return find(key) != end(); }
  /// Throws IndexError for a missing key.
  const IValue& at(const IValue& key) const;
  void insert_or_assign(const IValue& key, const IValue& value);

 private:
  friend class IValue;
  std::shared_ptr<std::vector<DictEntry>> entries_;
};

}  // namespace etude
