#pragma once

#include <string>

#include "etude/autograd/gradcheck.h"

namespace etude::autograd::detail {

/// How finite differences are taken and compared: |gradient - difference| <= atol + rtol * |difference|.
struct GradcheckOptions {
  double step = 1e-6;
  double atol = 1e-6;
  double rtol = 1e-5;
};

/// What is wrong with the gradients of f, for evenly and unevenly weighted outputs, for each output alone, and for
/// gradients that are not contiguous; empty if nothing is. Inputs of type float64 are differentiated (only those that
/// require grad, if any does), others are passed on. f gets copies, and a gradient that is missing counts as zero.
ETUDE_API std::string find_fault(const TensorsFunction& f, const variable_list& inputs,
                                 const GradcheckOptions& options);

/// Python's sentence about the first output and input whose Jacobians differ; empty if backward fails in another way.
ETUDE_API std::string jacobian_mismatch(const TensorsFunction& f, const variable_list& inputs,
                                        const GradcheckOptions& options);

/// A function and where it is to be checked.
struct Problem {
  TensorsFunction function;
  variable_list inputs;
};

/// The gradients of f as a function of its inputs and of the gradients of its outputs.
ETUDE_API Problem problem_of_gradients(const TensorsFunction& f, const variable_list& inputs,
                                       const variable_list& grad_outputs = {});

}  // namespace etude::autograd::detail
