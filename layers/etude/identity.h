#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// Returns its input (torch::nn::Identity).
ETUDE_MODULE_OF_FUNCTION(Identity, void, (const Tensor& input), input);

}  // namespace etude::nn
