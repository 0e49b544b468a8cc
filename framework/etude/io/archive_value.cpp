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

// A list of doubles that are all finite, or one of another type, is plain unless it is empty.
template <typename T>
json list_json(const std::vector<T>& list, const char* type) {
  json elements = json::array();
  bool plain = !list.empty();
  for (const T& v : list) {
    if constexpr (std::is_same_v<T, double>) {
      elements.push_back(json_of(v));
      plain = plain && std::isfinite(v);
    } else {
      elements.push_back(v);
    }
  }
  return plain ? elements : json{{type, elements}};
}

json json_of(const IValue& value) {
  if (value.isNone()) return nullptr;
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return list_json(value.toIntVector(), "IntList");
  if (value.isDoubleList()) return list_json(value.toDoubleVector(), "DoubleList");
  if (value.isBoolList()) return list_json(value.to<std::vector<bool>>(), "BoolList");
  if (value.isList()) return list_json(value.to<std::vector<std::string>>(), "StringList");
  const double v = value.toDouble();
  return std::isfinite(v) ? json(v) : json{{"Double", json_of(v)}};
}

// Whether it is a number as json_of wrote it.
bool read_number(const json& j, double& v) {
  if (j.is_number_float()) {
    v = j.get<double>();
    return true;
  }
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto& [name, number] : {std::pair("nan", std::nan("")), {"inf", inf}, {"-inf", -inf}})
    if (j == name) {
      v = number;
      return true;
    }
  return false;
}

bool is_int64(const json& j) {
  return j.is_number_integer() &&
         (!j.is_number_unsigned() || j.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
}

// The list as an IValue; nothing if not all of its elements are of one type, which is_one and get are about.
template <typename T, typename IsOne, typename Get>
bool read_list(const json& j, IValue& value, const IsOne& is_one, const Get& get) {
  std::vector<T> list;
  for (const json& element : j) {
    if (!is_one(element)) return false;
    list.push_back(get(element));
  }
  value = IValue(std::move(list));
  return true;
}

bool read_list(const json& j, const std::string& type, IValue& value) {
  if (type == "IntList")
    return read_list<int64_t>(j, value, is_int64, [](const json& e) { return e.get<int64_t>(); });
  if (type == "BoolList")
    return read_list<bool>(
        j, value, [](const json& e) { return e.is_boolean(); }, [](const json& e) { return e.get<bool>(); });
  if (type == "StringList")
    return read_list<std::string>(
        j, value, [](const json& e) { return e.is_string(); },
        [](const json& e) { return e.get<std::string>(); });
  double v = 0;
  return type == "DoubleList" &&
         read_list<double>(
             j, value, [&v](const json& e) { return read_number(e, v); }, [&v](const json&) { return v; });
}

bool read_value(const json& j, IValue& value) {
  if (j.is_null()) value = IValue();
  else if (j.is_boolean()) value = IValue(j.get<bool>());
  else if (j.is_string()) value = IValue(j.get<std::string>());
  else if (j.is_number_float()) value = IValue(j.get<double>());
  else if (is_int64(j)) value = IValue(j.get<int64_t>());
  else if (j.is_array() && !j.empty()) {
    for (const char* type : {"IntList", "BoolList", "StringList", "DoubleList"})
      if (read_list(j, type, value)) return true;
    return false;
  } else if (j.is_object() && j.size() == 1) {
    const std::string type = j.begin().key();
    const json& inner = j.begin().value();
    double v = 0;
    if (inner.is_array()) return read_list(inner, type, value);
    if (type != "Double" || !read_number(inner, v)) return false;
    value = IValue(v);
  } else {
    return false;
  }
  return true;
}

// Values have lists in objects and nothing deeper.
json parse(const std::string& text) {
  bool deep = false;
  const auto shallow = [&deep](int depth, json::parse_event_t, const json&) {
    deep = deep || depth > 2;
    return !deep;
  };
  json j = json::parse(text, shallow, /*allow_exceptions=*/false);
  return deep ? json(json::value_t::discarded) : j;
}

}  // namespace

std::string value_to_json(const IValue& value) {
  try {
    return json_of(value).dump();
  } catch (const json::exception&) {
    throw Error("a text in an archive has to be UTF-8");
  }
}

IValue value_from_json(const std::string& text) {
  IValue value;
  const json j = parse(text);
  return !j.is_discarded() && read_value(j, value) ? value : IValue(text);
}

std::string empty_archive_json() { return "{}"; }

std::string tensor_list_json(size_t count) { return json{{kTensorList, count}}.dump(); }

int64_t tensor_list_size(const std::string& text) {
  const json j = parse(text);
  if (!j.is_object() || j.size() != 1 || j.begin().key() != kTensorList || !is_int64(j.begin().value()))
    return -1;
  return j.begin().value().get<int64_t>();
}

}  // namespace etude::detail
