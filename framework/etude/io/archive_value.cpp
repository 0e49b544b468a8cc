#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/detail/archive_value.h"

namespace etude::detail {
namespace {

using nlohmann::json;

constexpr char kTensorList[] = "TensorList";

json json_of(double v) {
  if (std::isfinite(v)) return v;
  return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

std::string in_object(const char* name, const std::string& text) {
  return std::string("{\"") + name + "\":" + text + '}';
}

// Lists are plain JSON, except that an empty list and one with non-finite doubles name their type. The text
// is built without a json list, because destroying one allocates memory.
template <typename T>
std::string list_text(const std::vector<T>& list, const char* type) {
  std::string elements;
  bool plain = !list.empty();
  for (const T& v : list) {
    elements += elements.empty() ? '[' : ',';
    if constexpr (std::is_same_v<T, double>) {
      elements += json_of(v).dump();
      plain = plain && std::isfinite(v);
    } else {
      elements += json(v).dump();
    }
  }
  elements += list.empty() ? "[]" : "]";
  return plain ? elements : in_object(type, elements);
}

std::string value_text(const IValue& value) {
  if (value.isNone()) return "null";
  if (value.isBool()) return json(value.toBool()).dump();
  if (value.isInt()) return json(value.toInt()).dump();
  if (value.isString()) return json(value.toStringRef()).dump();
  if (value.isIntList()) return list_text(value.toIntVector(), "IntList");
  if (value.isDoubleList()) return list_text(value.toDoubleVector(), "DoubleList");
  if (value.isBoolList()) return list_text(value.to<std::vector<bool>>(), "BoolList");
  if (value.isList()) return list_text(value.to<std::vector<std::string>>(), "StringList");
  const double v = value.toDouble();
  return std::isfinite(v) ? json(v).dump() : in_object("Double", json_of(v).dump());
}

// Reads what value_text wrote for a value of each type; false if the json has another type.
template <typename T>
bool read_if(bool is_one, const json& j, T& v) {
  if (is_one) j.get_to(v);
  return is_one;
}
bool read(const json& j, bool& v) { return read_if(j.is_boolean(), j, v); }
bool read(const json& j, std::string& v) { return read_if(j.is_string(), j, v); }
bool read(const json& j, int64_t& v) {
  const bool fits = !j.is_number_unsigned() || j.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
  return read_if(j.is_number_integer() && fits, j, v);
}
bool read(const json& j, double& v) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto& [name, number] : {std::pair("nan", std::nan("")), {"inf", inf}, {"-inf", -inf}})
    if (j.is_string() && j.get_ref<const std::string&>() == name) {
      v = number;
      return true;
    }
  return read_if(j.is_number_float(), j, v);
}

template <typename T>
bool read(const json& j, std::vector<T>& list) {
  for (const json& element : j) {
    T v{};
    if (!read(element, v)) return false;
    list.push_back(std::move(v));
  }
  return true;
}

template <typename T>
bool read_as(const json& j, IValue& value) {
  T v{};
  if (!read(j, v)) return false;
  value = IValue(std::move(v));
  return true;
}

bool read_list(const json& j, const std::string& type, IValue& value) {
  if (type == "IntList") return read_as<std::vector<int64_t>>(j, value);
  if (type == "BoolList") return read_as<std::vector<bool>>(j, value);
  if (type == "StringList") return read_as<std::vector<std::string>>(j, value);
  return type == "DoubleList" && read_as<std::vector<double>>(j, value);
}

bool read_value(const json& j, IValue& value) {
  value = IValue();
  if (j.is_null() || read_as<bool>(j, value) || read_as<std::string>(j, value) ||
      read_as<int64_t>(j, value) || read_as<double>(j, value))
    return true;
  if (j.is_array() && !j.empty())
    for (const char* type : {"IntList", "BoolList", "StringList", "DoubleList"})
      if (read_list(j, type, value)) return true;
  if (!j.is_object() || j.size() != 1) return false;
  const json& inner = j.begin().value();
  return inner.is_array() ? read_list(inner, j.begin().key(), value)
                          : j.begin().key() == "Double" && read_as<double>(inner, value);
}

// Empties lists and objects from the inside, because destroying full ones allocates memory.
void dismantle(json& j) {
  if (!j.is_structured()) return;
  for (json& inner : j) dismantle(inner);
  j.clear();
}

struct Parsed {
  json j;
  explicit Parsed(json&& parsed) : j(std::move(parsed)) {}
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  ~Parsed() { dismantle(j); }
};

// Values are at most lists in objects; anything deeper is discarded.
Parsed parse(const std::string& text) {
  bool deep = false;
  const auto shallow = [&deep](int depth, json::parse_event_t, const json&) {
    deep = deep || depth > 2;
    return !deep;
  };
  Parsed parsed(json::parse(text, shallow, /*allow_exceptions=*/false));
  return Parsed(deep ? json(json::value_t::discarded) : std::move(parsed.j));
}

}  // namespace

std::string value_to_json(const IValue& value) {
  try {
    return value_text(value);
  } catch (const json::exception&) {
    throw Error("a text in an archive has to be UTF-8");
  }
}

IValue value_from_json(const std::string& text) {
  IValue value;
  const Parsed parsed = parse(text);
  const json& j = parsed.j;
  return !j.is_discarded() && read_value(j, value) ? value : IValue(text);
}

std::string empty_archive_json() { return "{}"; }

std::string tensor_list_json(size_t count) { return in_object(kTensorList, std::to_string(count)); }

int64_t tensor_list_size(const std::string& text) {
  const Parsed parsed = parse(text);
  const json& j = parsed.j;
  int64_t count = -1;
  if (j.is_object() && j.size() == 1 && j.begin().key() == kTensorList) read(j.begin().value(), count);
  return count;
}

}  // namespace etude::detail
