#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "support/gradcheck.h"

namespace etude {

/// Checks the gradient and the second gradient of each function at the inputs.
inline void check_gradients(const std::vector<TensorFunction>& functions, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < functions.size(); ++i) {
    CAPTURE(i);
    CHECK(gradcheck(functions[i], inputs));
    CHECK(gradgradcheck(functions[i], inputs));
  }
}

}  // namespace etude
