#pragma once

#include "etude/ops/detail/elementwise.h"

namespace etude::detail {

/// Whether autocast is on and one of the inputs is a float of at most 32 bits that is not `dtype`, the type that an op needs.
ETUDE_API bool casts_to(ScalarType dtype, Inputs inputs);

/// t cast to `dtype`, differentiable. Undefined tensors and tensors of other types are returned unchanged.
ETUDE_API Tensor cast_to(ScalarType dtype, const Tensor& t);

/// The result of the op on cast arguments if autocast has to cast one of them; nullopt otherwise.
template <typename Op, typename... Arguments>
auto autocast_to(ScalarType dtype, const Op& op, const Arguments&... arguments)
    -> optional<decltype(op(arguments...))> {
  if (!casts_to(dtype, {input_of(arguments)...})) return nullopt;
  const auto cast = [dtype](const auto& argument) {
    if constexpr (std::is_same_v<decltype(argument), const Tensor&>) return cast_to(dtype, argument);
    else return argument;
  };
  return op(cast(arguments)...);
}

}  // namespace etude::detail

/// The first line of an op that autocast computes in `dtype`.
#define ETUDE_AUTOCAST(dtype, op, ...)                                                    \
  if (const auto result = detail::autocast_to(                                            \
          dtype, [](const auto&... arguments) { return op(arguments...); }, __VA_ARGS__)) \
  return *result
