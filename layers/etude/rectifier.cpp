#include "etude/rectifier.h"

namespace etude {
namespace nn {

namespace {

// `inplace=True` at the end of an extra_repr, after what else is there.
std::string with_inplace(const std::string& others, bool inplace) {
  if (!inplace) return others;
  return others.empty() ? "inplace=True" : others + ", inplace=True";
}

}  // namespace

void LeakyReLUImpl::reset() {}
Tensor LeakyReLUImpl::forward(Tensor input) { return functional::leaky_relu(input, options); }
std::string LeakyReLUImpl::extra_repr() const {
  return with_inplace("negative_slope=" + python_float(options.negative_slope()), options.inplace());
}

void ELUImpl::reset() {}
Tensor ELUImpl::forward(Tensor input) { return functional::elu(input, options); }
std::string ELUImpl::extra_repr() const {
  return with_inplace("alpha=" + python_float(options.alpha()), options.inplace());
}

void SELUImpl::reset() {}
Tensor SELUImpl::forward(Tensor input) { return functional::selu(input, options); }
std::string SELUImpl::extra_repr() const { return with_inplace("", options.inplace()); }

void CELUImpl::reset() {}
Tensor CELUImpl::forward(Tensor input) { return functional::celu(input, options); }
std::string CELUImpl::extra_repr() const {
  return with_inplace("alpha=" + python_float(options.alpha()), options.inplace());
}

void ReLU6Impl::reset() {}
Tensor ReLU6Impl::forward(Tensor input) { return functional::relu6(input, options); }
std::string ReLU6Impl::extra_repr() const { return with_inplace("", options.inplace()); }

void PReLUImpl::reset() {
  weight = register_parameter("weight", etude::full({options.num_parameters()}, options.init()));
}
Tensor PReLUImpl::forward(const Tensor& input) { return functional::prelu(input, weight); }
std::string PReLUImpl::extra_repr() const { return str("num_parameters=", options.num_parameters()); }

}  // namespace nn
}  // namespace etude
