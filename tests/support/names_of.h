#pragma once

#include <cstdint>

#include "etude/core/detail/tensor_impl.h"

namespace etude {

/// The number of tensors that share the memory of t.
inline uint32_t names_of(const Tensor& t) { return detail::impl(t).storage->references.load(); }

}  // namespace etude
