#include "etude/core/ivalue.h"

namespace etude {

template <typename T>
bool IValue::is() const {
  return std::holds_alternative<T>(value_);
}

template <typename T>
const T& IValue::get(const char* wanted) const {
  const T* v = std::get_if<T>(&value_);
  ETUDE_CHECK(v, "Expected ", wanted, " but got ", tagKind());
  return *v;
}

IValue::IValue() = default;
IValue::IValue(nullopt_t) {}
IValue::IValue(const Scalar& v) {
  if (v.isBoolean()) value_ = v.toBool();
  else if (v.isFloatingPoint()) value_ = v.toDouble();
  else value_ = v.toLong();
}
IValue::IValue(const char* text) : value_(std::string(text)) {}
IValue::IValue(std::string text) : value_(std::move(text)) {}
IValue::IValue(Tensor t) : value_(std::move(t)) {}
IValue::IValue(std::vector<int64_t> list) : value_(std::move(list)) {}
IValue::IValue(IntArrayRef list) : value_(list.vec()) {}
IValue::IValue(std::vector<double> list) : value_(std::move(list)) {}
IValue::IValue(std::vector<bool> list) : value_(std::move(list)) {}
IValue::IValue(std::vector<std::string> list) : value_(std::move(list)) {}
IValue::IValue(std::vector<Tensor> list) : value_(std::move(list)) {}

IValue::IValue(const IValue& other) = default;
IValue::IValue(IValue&& other) noexcept = default;
IValue& IValue::operator=(const IValue& other) = default;
IValue& IValue::operator=(IValue&& other) noexcept = default;
IValue::~IValue() = default;

bool IValue::isNone() const { return is<std::monostate>(); }
bool IValue::isTensor() const { return is<Tensor>(); }
bool IValue::isDouble() const { return is<double>(); }
bool IValue::isInt() const { return is<int64_t>(); }
bool IValue::isBool() const { return is<bool>(); }
bool IValue::isString() const { return is<std::string>(); }
bool IValue::isIntList() const { return is<std::vector<int64_t>>(); }
bool IValue::isDoubleList() const { return is<std::vector<double>>(); }
bool IValue::isBoolList() const { return is<std::vector<bool>>(); }
bool IValue::isTensorList() const { return is<std::vector<Tensor>>(); }
bool IValue::isList() const {
  return isIntList() || isDoubleList() || isBoolList() || isTensorList() || is<std::vector<std::string>>();
}

std::string IValue::tagKind() const {
  static constexpr const char* names[] = {"None",        "Tensor",      "Double",      "Int",
                                          "Bool",        "String",      "GenericList", "GenericList",
                                          "GenericList", "GenericList", "GenericList"};
  return names[value_.index()];
}

const Tensor& IValue::toTensor() const { return get<Tensor>("Tensor"); }
double IValue::toDouble() const { return get<double>("Double"); }
int64_t IValue::toInt() const { return get<int64_t>("Int"); }
bool IValue::toBool() const { return get<bool>("Bool"); }
Scalar IValue::toScalar() const {
  if (isDouble()) return toDouble();
  if (isBool()) return toBool();
  return get<int64_t>("Scalar");
}
const std::string& IValue::toStringRef() const { return get<std::string>("String"); }
const std::vector<int64_t>& IValue::toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
const std::vector<double>& IValue::toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
const std::vector<Tensor>& IValue::toTensorVector() const { return get<std::vector<Tensor>>("TensorList"); }

// What to<T>() asks for.
template const Tensor& IValue::get(const char*) const;
template const std::string& IValue::get(const char*) const;
template const std::vector<int64_t>& IValue::get(const char*) const;
template const std::vector<double>& IValue::get(const char*) const;
template const std::vector<bool>& IValue::get(const char*) const;
template const std::vector<std::string>& IValue::get(const char*) const;
template const std::vector<Tensor>& IValue::get(const char*) const;

}  // namespace etude
