#include "etude/nn/utils.h"

#include <cmath>
#include <limits>
#include <unordered_set>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude::nn::utils {

namespace {

// The gradients that are defined. A parameter that is listed twice counts once.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  std::unordered_set<const void*> seen;
  for (const Tensor& parameter : parameters)
    if (parameter.grad().defined() && seen.insert(parameter.unsafeGetTensorImpl()).second)
      gradients.push_back(parameter.grad().detach());
  return gradients;
}

// The norm of the norms is the norm of all gradients as one vector.
Tensor total_norm(const std::vector<Tensor>& gradients, double norm_type) {
  if (norm_type == 0) return scalar_tensor(static_cast<double>(gradients.size()));
  const bool largest = norm_type == std::numeric_limits<double>::infinity();
  std::vector<Tensor> norms;
  norms.reserve(gradients.size());
  for (const Tensor& gradient : gradients)
    norms.push_back(largest ? gradient.abs().max() : gradient.norm(norm_type));
  if (norms.size() == 1) return norms[0];
  return largest ? stack(norms).max() : stack(norms).norm(norm_type);
}

}  // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  const std::vector<Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return 0;

  NoGradGuard no_grad;
  const Tensor norm = total_norm(gradients, norm_type);
  const double value = norm.item<double>();
  ETUDE_CHECK(
      !error_if_nonfinite || std::isfinite(value), "The total norm of order ", norm_type,
      " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and "
      "scale the gradients with the non-finite norm anyway, set `error_if_nonfinite=false`");
  const Tensor factor = clamp_max(max_norm / (norm + 1e-6), 1.0);
  for (const Tensor& gradient : gradients) gradient.mul_(factor);
  return value;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  NoGradGuard no_grad;
  for (const Tensor& gradient : gradients_of(parameters)) gradient.clamp_(-clip_value, clip_value);
}

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> parts;
  parts.reserve(parameters.size());
  for (const Tensor& parameter : parameters) parts.push_back(parameter.view(-1));
  return cat(parts);
}

void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
  int64_t begin = 0;
  for (const Tensor& parameter : parameters) {
    const int64_t end = begin + parameter.numel();
    parameter.set_data(vec.slice(0, begin, end).view_as(parameter).data());
    begin = end;
  }
}

void consume_prefix_in_state_dict_if_present(OrderedDict<std::string, Tensor>& state_dict,
                                             const std::string& prefix) {
  OrderedDict<std::string, Tensor> renamed;
  for (const auto& [name, t] : state_dict.pairs())
    renamed.insert(name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name, t);
  state_dict = std::move(renamed);
}

}  // namespace etude::nn::utils
