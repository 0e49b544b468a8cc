#include "etude/autograd/gradcheck.h"

#include "etude/autograd/detail/gradcheck.h"

namespace etude::autograd {
namespace {

// Throws unless at least one input requires grad and all such inputs are float64 and do not overlap.
void check_inputs(const variable_list& inputs) {
  bool any = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (!t.defined() || !t.requires_grad()) continue;
    any = true;
    ETUDE_CHECK_VALUE(t.scalar_type() == kDouble, "Input #", i,
                      " requires gradient and is not a double precision floating point or complex. This "
                      "check will likely fail if all the inputs are not of double precision floating point "
                      "or complex.");
    for (int64_t d = 0; d < t.dim(); ++d)
      ETUDE_CHECK(t.stride(d) != 0 || t.size(d) <= 1, "The ", i,
                  "th input has a dimension with stride 0. gradcheck only supports inputs that are "
                  "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                  ".contiguous on the input before passing it to gradcheck.");
  }
  ETUDE_CHECK_VALUE(any,
                    "gradcheck expects at least one input tensor to require gradient, but none of the them "
                    "have requires_grad=True.");
}

TensorsFunction as_list(const TensorFunction& f) {
  return [f](const variable_list& in) { return variable_list{f(in)}; };
}

}  // namespace

GradcheckError::~GradcheckError() = default;

bool gradcheck(const TensorsFunction& func, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
  check_inputs(inputs);
  const detail::GradcheckOptions options{eps, atol, rtol};
  const std::string fault = detail::find_fault(func, inputs, options);
  if (fault.empty()) return true;
  if (!raise_exception) return false;
  throw GradcheckError(detail::jacobian_mismatch(func, inputs, options) + fault);
}

bool gradcheck(const TensorFunction& func, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
  return gradcheck(as_list(func), inputs, eps, atol, rtol, raise_exception);
}

bool gradgradcheck(const TensorsFunction& func, const variable_list& inputs,
                   const variable_list& grad_outputs, double eps, double atol, double rtol,
                   bool raise_exception) {
  check_inputs(inputs);
  const detail::Problem p = detail::problem_of_gradients(func, inputs, grad_outputs);
  return gradcheck(p.function, p.inputs, eps, atol, rtol, raise_exception);
}

bool gradgradcheck(const TensorFunction& func, const variable_list& inputs, const variable_list& grad_outputs,
                   double eps, double atol, double rtol, bool raise_exception) {
  return gradgradcheck(as_list(func), inputs, grad_outputs, eps, atol, rtol, raise_exception);
}

}  // namespace etude::autograd
