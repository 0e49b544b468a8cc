#pragma once

#include "etude/autograd/grad_mode.h"
#include "etude/core/tensor.h"

namespace etude::autograd {

using etude::AutoGradMode;
using etude::GradMode;

/// Walks the graph from `tensors` and adds to the grad of every leaf (or of `inputs` only). grad_tensors
/// holds the gradient of each tensor; an undefined gradient means 1 and is only allowed for a tensor of one element.
ETUDE_API void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                        optional<bool> retain_graph = nullopt, bool create_graph = false,
                        const variable_list& inputs = {});

/// Returns the gradients of `outputs` with respect to `inputs`, without accumulating them. Throws if the outputs
/// do not depend on an input, unless allow_unused: then its gradient is undefined.
ETUDE_API variable_list grad(const variable_list& outputs, const variable_list& inputs,
                             const variable_list& grad_outputs = {}, optional<bool> retain_graph = nullopt,
                             bool create_graph = false, bool allow_unused = false);

}  // namespace etude::autograd
