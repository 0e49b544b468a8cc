#pragma once

#include "etude/function_module.h"

namespace etude::nn {

struct FlattenOptions {
  /// The first dim to merge; a negative one counts from the end.
  ETUDE_ARG(int64_t, start_dim) = 1;
  /// The last dim to merge; a negative one counts from the end.
  ETUDE_ARG(int64_t, end_dim) = -1;
};
/// Merges the dims start_dim to end_dim into one: [batch, a, b] -> [batch, a * b] (torch::nn::Flatten).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Flatten, FlattenOptions, (const Tensor& input),
                                 input.flatten(options.start_dim(), options.end_dim()),
                                 str("start_dim=", options.start_dim(), ", end_dim=", options.end_dim()));

}  // namespace etude::nn
