#include "support/recorded_data.h"

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

namespace etude {
namespace {

using nlohmann::json;

const json& of(const void* value) { return *static_cast<const json*>(value); }

const json kNull, kObject = json::object();

}  // namespace

Recorded::Recorded() : value_(&kNull) {}

Recorded Recorded::parse(const std::string& text) {
  static std::deque<json> documents;
  return Recorded(&documents.emplace_back(json::parse(text)));
}

Recorded Recorded::object() { return Recorded(&kObject); }

bool Recorded::is_null() const { return of(value_).is_null(); }
bool Recorded::is_boolean() const { return of(value_).is_boolean(); }
bool Recorded::is_number() const { return of(value_).is_number(); }
bool Recorded::is_number_integer() const { return of(value_).is_number_integer(); }
bool Recorded::is_string() const { return of(value_).is_string(); }
bool Recorded::is_array() const { return of(value_).is_array(); }

template <typename T>
T Recorded::get() const {
  return of(value_).get<T>();
}

template <>
Recorded Recorded::get<Recorded>() const {
  return *this;
}

template bool Recorded::get() const;
template int Recorded::get() const;
template unsigned Recorded::get() const;
template int64_t Recorded::get() const;
template uint64_t Recorded::get() const;
template float Recorded::get() const;
template double Recorded::get() const;
template std::string Recorded::get() const;
template std::vector<int64_t> Recorded::get() const;
template std::vector<unsigned> Recorded::get() const;
template std::vector<double> Recorded::get() const;
template std::vector<std::string> Recorded::get() const;
template std::vector<std::vector<int64_t>> Recorded::get() const;
template std::map<std::string, std::string> Recorded::get() const;

Recorded::operator std::string() const { return get<std::string>(); }

std::string Recorded::dump() const { return of(value_).dump(); }

size_t Recorded::size() const { return of(value_).size(); }

Recorded Recorded::at(size_t i) const { return Recorded(&of(value_).at(i)); }

bool Recorded::contains(const std::string& name) const { return of(value_).contains(name); }

Recorded Recorded::at(const std::string& name) const { return Recorded(&of(value_).at(name)); }

std::vector<std::pair<std::string, Recorded>> Recorded::items() const {
  std::vector<std::pair<std::string, Recorded>> result;
  for (const auto& [name, value] : of(value_).items()) result.emplace_back(name, Recorded(&value));
  return result;
}

bool operator==(const Recorded& a, const Recorded& b) { return of(a.value_) == of(b.value_); }

bool operator==(const Recorded& a, const std::string& b) { return of(a.value_) == b; }

std::ostream& operator<<(std::ostream& out, const Recorded& value) { return out << of(value.value_); }

}  // namespace etude
