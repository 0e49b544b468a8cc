#pragma once

#include <string>
#include <vector>

#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"

namespace etude::nn::utils {

/// Scales the gradients so that their norm, as one vector, is at most max_norm, and returns the norm before
/// scaling. norm_type is the p of the p-norm; infinity takes the largest absolute value.
ETUDE_API double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                                 double norm_type = 2.0, bool error_if_nonfinite = false);
/// The same for one parameter.
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
  return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

/// Limits every element of the gradients to [-clip_value, clip_value].
ETUDE_API void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
/// The same for one parameter.
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

/// All elements of the parameters, one after another: [elements]. Parameters must be contiguous.
ETUDE_API Tensor parameters_to_vector(const std::vector<Tensor>& parameters);

/// Replaces the data of the parameters, in order, by views of vec. Surplus elements are unused.
ETUDE_API void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

/// Takes a prefix such as "module." away from the names that begin with it; others stay
/// (torch.nn.modules.utils.consume_prefix_in_state_dict_if_present). Throws Error, and changes nothing, if two names
/// would become the same.
ETUDE_API void consume_prefix_in_state_dict_if_present(OrderedDict<std::string, Tensor>& state_dict,
                                                       const std::string& prefix);

}  // namespace etude::nn::utils
