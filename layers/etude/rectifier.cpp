#include "etude/rectifier.h"

namespace etude::nn {

namespace {

// `inplace=True` at the end of an extra_repr, after what else is there.
std::string with_inplace(const std::string& others, bool inplace) {
  if (!inplace) return others;
  return others.empty() ? "inplace=True" : others + ", inplace=True";
}

}  // namespace

std::string LeakyReLUImpl::extra_repr() const {
  return with_inplace("negative_slope=" + python_float(options.negative_slope()), options.inplace());
}

std::string ELUImpl::extra_repr() const {
  return with_inplace("alpha=" + python_float(options.alpha()), options.inplace());
}

std::string SELUImpl::extra_repr() const { return with_inplace("", options.inplace()); }

std::string CELUImpl::extra_repr() const {
  return with_inplace("alpha=" + python_float(options.alpha()), options.inplace());
}

std::string ReLU6Impl::extra_repr() const { return with_inplace("", options.inplace()); }

void PReLUImpl::reset() {
  weight = register_parameter("weight", etude::full({options.num_parameters()}, options.init()));
}
Tensor PReLUImpl::forward(const Tensor& input) { return functional::prelu(input, weight); }
std::string PReLUImpl::extra_repr() const { return str("num_parameters=", options.num_parameters()); }

}  // namespace etude::nn
