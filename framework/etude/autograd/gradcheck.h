#pragma once

#include <functional>

#include "etude/core/error.h"
#include "etude/core/tensor.h"

namespace etude::autograd {

/// A function from tensors to one tensor, for gradcheck.
using TensorFunction = std::function<Tensor(const variable_list&)>;
/// A function from tensors to several tensors, for gradcheck.
using TensorsFunction = std::function<variable_list(const variable_list&)>;

/// The error that gradcheck throws (Python's GradcheckError).
class ETUDE_API GradcheckError : public Error {
 public:
  using Error::Error;
  ~GradcheckError() override;
};

/// Whether the gradients of func at inputs agree with central differences d of step eps, up to atol + rtol * |d|. Throws a
/// GradcheckError if they do not, unless raise_exception is false. Inputs that require grad are differentiated and must be
/// float64; func gets copies of all inputs (torch.autograd.gradcheck).
ETUDE_API bool gradcheck(const TensorsFunction& func, const variable_list& inputs, double eps = 1e-6,
                         double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true);
ETUDE_API bool gradcheck(const TensorFunction& func, const variable_list& inputs, double eps = 1e-6,
                         double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true);

/// As gradcheck, for second derivatives: with respect to the inputs and to the gradients of the outputs, which
/// are grad_outputs or, if that is empty, generated (torch.autograd.gradgradcheck).
ETUDE_API bool gradgradcheck(const TensorsFunction& func, const variable_list& inputs,
                             const variable_list& grad_outputs = {}, double eps = 1e-6, double atol = 1e-5,
                             double rtol = 1e-3, bool raise_exception = true);
ETUDE_API bool gradgradcheck(const TensorFunction& func, const variable_list& inputs,
                             const variable_list& grad_outputs = {}, double eps = 1e-6, double atol = 1e-5,
                             double rtol = 1e-3, bool raise_exception = true);

}  // namespace etude::autograd
