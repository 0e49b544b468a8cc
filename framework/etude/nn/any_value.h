#pragma once

#include <any>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "etude/core/error.h"
#include "etude/core/export.h"

namespace etude::nn {

namespace detail {
/// The name of a type as C++ writes it: `etude::nn::LinearImpl`.
ETUDE_API std::string type_name(const std::type_info& type);
}  // namespace detail

/// A value of any copyable type: an argument or a result of forward where the type of the module is unknown
/// (torch::nn::AnyValue). Arrays become pointers, as they do when passed by value.
class AnyValue {
 public:
  template <typename T, typename = std::enable_if_t<!std::is_same_v<std::decay_t<T>, AnyValue>>>
  explicit AnyValue(T&& value) : value_(std::in_place_type<std::decay_t<T>>, std::forward<T>(value)) {}

  /// The value, or null if it is of another type.
  template <typename T>
  T* try_get() {
    static_assert(std::is_same_v<T, std::decay_t<T>>,
                  "AnyValue holds values: ask for no reference, array or const type.");
    return std::any_cast<T>(&value_);
  }

  /// A copy of the value. Throws if it is of another type.
  template <typename T>
  T get() {
    T* value = try_get<T>();
    ETUDE_CHECK(value, "Attempted to cast AnyValue to ", detail::type_name(typeid(T)),
                ", but its actual type is ", detail::type_name(type_info()));
    return *value;
  }

  /// The type of the value.
  const std::type_info& type_info() const noexcept { return value_.type(); }

 private:
  std::any value_;
};

}  // namespace etude::nn
