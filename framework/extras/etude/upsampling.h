#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// Signals and images of another size (torch::nn::Upsample).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Upsample, UpsampleOptions, (const Tensor& input),
                                 detail::upsample(input, options), detail::upsample_repr(options));

}  // namespace etude::nn
