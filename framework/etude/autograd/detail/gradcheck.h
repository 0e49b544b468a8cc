#pragma once

#include <string>

#include "etude/autograd/gradcheck.h"

namespace etude::autograd::detail {

/// The step of finite differences, and the tolerances of |gradient - difference| <= atol + rtol * |difference|.
struct GradcheckOptions {
  double step = 1e-6;
  double atol = 1e-6;
  double rtol = 1e-5;
};

/// Describes the first fault in the gradients of f; empty if there is none. Tries evenly and unevenly weighted outputs,
/// each output alone, and non-contiguous gradients. Differentiates the inputs that require grad, which are float64, and
/// passes the others on. f gets copies, and a missing gradient counts as zero.
ETUDE_API std::string find_fault(const TensorsFunction& f, const variable_list& inputs,
                                 const GradcheckOptions& options);

/// A function and the inputs to check it at.
struct Problem {
  TensorsFunction function;
  variable_list inputs;
};

/// The gradients of f as a function of its inputs and of the gradients of its outputs.
ETUDE_API Problem problem_of_gradients(const TensorsFunction& f, const variable_list& inputs,
                                       const variable_list& grad_outputs = {});

}  // namespace etude::autograd::detail
