#pragma once

#include <functional>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude::autograd {

/// What gradcheck checks: a function of tensors that returns a tensor ...
using TensorFunction = std::function<Tensor(const variable_list&)>;
/// ... or several.
using TensorsFunction = std::function<variable_list(const variable_list&)>;

/// What gradcheck throws (Python's GradcheckError).
class ETUDE_API GradcheckError : public Error {
 public:
  using Error::Error;
  ~GradcheckError() override;
};

/// Whether the gradients of func at inputs agree with central differences of step eps, up to atol + rtol *
/// |difference|; throws a GradcheckError where they do not, unless raise_exception is false. Inputs that require grad
/// are differentiated and must be float64; func gets copies of all (torch.autograd.gradcheck).
ETUDE_API bool gradcheck(const TensorsFunction& func, const variable_list& inputs, double eps = 1e-6,
                         double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true);
ETUDE_API bool gradcheck(const TensorFunction& func, const variable_list& inputs, double eps = 1e-6,
                         double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true);

/// The same for the gradients of the gradients, with respect to the inputs and to the gradients of the
/// outputs: grad_outputs, or some that are made (torch.autograd.gradgradcheck).
ETUDE_API bool gradgradcheck(const TensorsFunction& func, const variable_list& inputs,
                             const variable_list& grad_outputs = {}, double eps = 1e-6, double atol = 1e-5,
                             double rtol = 1e-3, bool raise_exception = true);
ETUDE_API bool gradgradcheck(const TensorFunction& func, const variable_list& inputs,
                             const variable_list& grad_outputs = {}, double eps = 1e-6, double atol = 1e-5,
                             double rtol = 1e-3, bool raise_exception = true);

}  // namespace etude::autograd
