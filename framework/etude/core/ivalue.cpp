#include "etude/core/ivalue.h"

#include <algorithm>
#include <utility>

namespace etude {

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
IValue::IValue(const GenericDict& dict) : value_(dict.entries_) {}

IValue::IValue(const IValue& other) = default;
IValue::IValue(IValue&& other) noexcept : value_(std::exchange(other.value_, std::monostate())) {}
IValue& IValue::operator=(const IValue& other) = default;
IValue& IValue::operator=(IValue&& other) noexcept {
  value_ = std::exchange(other.value_, std::monostate());
  return *this;
}
IValue::~IValue() = default;

bool IValue::isList() const {
  return isIntList() || isDoubleList() || isBoolList() || isTensorList() || is<std::vector<std::string>>();
}

std::string IValue::tagKind() const {
  static constexpr const char* names[] = {"None",        "Tensor",      "Double",      "Int",
                                          "Bool",        "String",      "GenericList", "GenericList",
                                          "GenericList", "GenericList", "GenericList", "GenericDict"};
  return names[value_.index()];
}

Scalar IValue::toScalar() const {
  if (isDouble()) return toDouble();
  if (isBool()) return toBool();
  return get<int64_t>("Scalar");
}

// Instantiations for the methods in the header.
template const bool& IValue::get(const char*) const;
template const int64_t& IValue::get(const char*) const;
template const double& IValue::get(const char*) const;
template const Tensor& IValue::get(const char*) const;
template const std::string& IValue::get(const char*) const;
template const std::vector<int64_t>& IValue::get(const char*) const;
template const std::vector<double>& IValue::get(const char*) const;
template const std::vector<bool>& IValue::get(const char*) const;
template const std::vector<std::string>& IValue::get(const char*) const;
template const std::vector<Tensor>& IValue::get(const char*) const;

GenericDict IValue::toGenericDict() const {
  GenericDict dict;
  dict.entries_ = get<std::shared_ptr<std::vector<DictEntry>>>("GenericDict");
  return dict;
}

// --- GenericDict ---

static bool is_same_key(const IValue& a, const IValue& b) {
  if (a.isString() && b.isString()) return a.toStringRef() == b.toStringRef();
  if (a.isInt() && b.isInt()) return a.toInt() == b.toInt();
  if (a.isDouble() && b.isDouble()) return a.toDouble() == b.toDouble();
  return a.isBool() && b.isBool() && a.toBool() == b.toBool();
}

GenericDict::GenericDict() : entries_(std::make_shared<std::vector<DictEntry>>()) {}

GenericDict::GenericDict(std::vector<DictEntry> entries)
    : entries_(std::make_shared<std::vector<DictEntry>>(std::move(entries))) {}

GenericDict::const_iterator GenericDict::find(const IValue& key) const {
  return std::find_if(begin(), end(), [&key](const DictEntry& e) { return is_same_key(e.key(), key); });
}

const IValue& GenericDict::at(const IValue& key) const {
  const auto found = find(key);
  ETUDE_CHECK_INDEX(found != end(), "Argument passed to at() was not in the map.");
  return found->value();
}

void GenericDict::insert_or_assign(const IValue& key, const IValue& value) {
  ETUDE_CHECK_TYPE(key.isString() || key.isScalar(), "a key of a dict is a text or a number, but got ",
                   key.tagKind());
  const auto found = find(key);
  if (found == end()) entries_->emplace_back(key, value);
  else (*entries_)[static_cast<size_t>(found - begin())] = DictEntry(key, value);
}

}  // namespace etude
