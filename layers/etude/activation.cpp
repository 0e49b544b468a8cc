#include "etude/activation.h"

namespace etude {
namespace nn {

void ReLUImpl::reset() {}
Tensor ReLUImpl::forward(Tensor input) { return functional::relu(input, options); }
std::string ReLUImpl::extra_repr() const { return options.inplace() ? "inplace=True" : ""; }

void GELUImpl::reset() {}
Tensor GELUImpl::forward(const Tensor& input) { return functional::gelu(input, options); }
std::string GELUImpl::extra_repr() const { return "approximate='" + options.approximate() + "'"; }

void TanhImpl::reset() {}
Tensor TanhImpl::forward(const Tensor& input) { return input.tanh(); }

void SigmoidImpl::reset() {}
Tensor SigmoidImpl::forward(const Tensor& input) { return input.sigmoid(); }

void SiLUImpl::reset() {}
Tensor SiLUImpl::forward(const Tensor& input) { return functional::silu(input); }

void MishImpl::reset() {}
Tensor MishImpl::forward(const Tensor& input) { return functional::mish(input); }

void LogSigmoidImpl::reset() {}
Tensor LogSigmoidImpl::forward(const Tensor& input) { return functional::logsigmoid(input); }

void SoftsignImpl::reset() {}
Tensor SoftsignImpl::forward(const Tensor& input) { return functional::softsign(input); }

void SoftplusImpl::reset() {}
Tensor SoftplusImpl::forward(const Tensor& input) { return functional::softplus(input, options); }
std::string SoftplusImpl::extra_repr() const {
  return str("beta=", options.beta(), ", threshold=", options.threshold());
}

void GLUImpl::reset() {}
Tensor GLUImpl::forward(const Tensor& input) { return functional::glu(input, options); }
std::string GLUImpl::extra_repr() const { return str("dim=", options.dim()); }

void SoftmaxImpl::reset() {}
Tensor SoftmaxImpl::forward(const Tensor& input) { return functional::softmax(input, options.dim()); }
std::string SoftmaxImpl::extra_repr() const { return str("dim=", options.dim()); }

void LogSoftmaxImpl::reset() {}
Tensor LogSoftmaxImpl::forward(const Tensor& input) { return functional::log_softmax(input, options.dim()); }
std::string LogSoftmaxImpl::extra_repr() const { return str("dim=", options.dim()); }

void SoftminImpl::reset() {}
Tensor SoftminImpl::forward(const Tensor& input) { return functional::softmin(input, options.dim()); }
std::string SoftminImpl::extra_repr() const { return str("dim=", options.dim()); }

Tensor functional::activate(const Tensor& x, const activation_t& activation) {
  if (std::holds_alternative<enumtype::kReLU>(activation)) return functional::relu(x);
  if (std::holds_alternative<enumtype::kGELU>(activation)) return functional::gelu(x);
  return std::get<std::function<Tensor(const Tensor&)>>(activation)(x);
}

}  // namespace nn
}  // namespace etude
