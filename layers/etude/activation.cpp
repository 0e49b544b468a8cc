#include "etude/activation.h"

namespace etude::nn {

std::string ReLUImpl::extra_repr() const { return options.inplace() ? "inplace=True" : ""; }
std::string GELUImpl::extra_repr() const { return "approximate='" + options.approximate() + "'"; }
std::string SoftplusImpl::extra_repr() const {
  return str("beta=", options.beta(), ", threshold=", options.threshold());
}
std::string GLUImpl::extra_repr() const { return str("dim=", options.dim()); }
std::string SoftmaxImpl::extra_repr() const { return str("dim=", options.dim()); }
std::string LogSoftmaxImpl::extra_repr() const { return str("dim=", options.dim()); }
std::string SoftminImpl::extra_repr() const { return str("dim=", options.dim()); }

Tensor functional::activate(const Tensor& x, const activation_t& activation) {
  if (std::holds_alternative<enumtype::kReLU>(activation)) return functional::relu(x);
  if (std::holds_alternative<enumtype::kGELU>(activation)) return functional::gelu(x);
  return std::get<std::function<Tensor(const Tensor&)>>(activation)(x);
}

}  // namespace etude::nn
