#pragma once

#include "etude/core/detail/dispatch.h"
#include "etude/core/scalar.h"

namespace etude::detail {

/// Throws unless an element of type dtype can hold value.
inline void check_fits(const Scalar& value, ScalarType dtype) {
  dispatch(dtype, [&](auto zero) { static_cast<void>(value.to<decltype(zero)>()); });
}

}  // namespace etude::detail
