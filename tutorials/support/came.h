#pragma once

#include <etude/framework.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// What the lines that a reader wrote into an exercise gave its variables. tutorials/exercise puts the calls around them, for the
// names that tutorials/help lists.
namespace tutorials {

/// A value as it is shown to its reader, with its shape, and in a line with four digits, by which a known mistake is found again.
struct Value {
  std::string shown, brief;
};

Value value_of(const etude::Tensor& t);
Value value_of(double number);
Value list_of_values(const std::vector<Value>& values);

template <typename T>
Value value_of(const T& value);

template <typename A, typename B>
Value value_of(const std::pair<A, B>& pair) {
  return list_of_values({value_of(pair.first), value_of(pair.second)});
}

template <typename T>
Value value_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return {value ? "true" : "false", value ? "true" : "false"};
  } else if constexpr (std::is_integral_v<T>) {
    return {std::to_string(value), std::to_string(value)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return value_of(static_cast<double>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string>) {
    return {'"' + std::string(value) + '"', '"' + std::string(value) + '"'};
  } else {
    std::vector<Value> values;
    values.reserve(value.size());
    for (const auto& element : value) values.push_back(value_of(element));
    return list_of_values(values);
  }
}

void note(const std::string& name, const Value& value, bool given);

/// What the variable holds before the reader's lines.
template <typename T>
void given(const std::string& name, const T& value) {
  note(name, value_of(value), true);
}

/// What it holds after them.
template <typename T>
void came(const std::string& name, const T& value) {
  note(name, value_of(value), false);
}

}  // namespace tutorials
