#include "etude/rms_norm.h"

#include <limits>

namespace etude::nn {

namespace functional {

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const optional<Tensor>& optional_weight,
                optional<double> eps) {
  const Tensor weight = optional_weight.value_or(Tensor());
  const auto dims = static_cast<int64_t>(normalized_shape.size());
  ETUDE_CHECK(dims > 0,
              "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
              "element, but got normalized_shape = ",
              normalized_shape);
  ETUDE_CHECK(
      input.dim() >= dims && input.sizes().slice(static_cast<size_t>(input.dim() - dims)) == normalized_shape,
      "Given normalized_shape=", normalized_shape,
      ", expected an input that ends with these sizes, but got input of size", input.sizes());
  ETUDE_CHECK(!weight.defined() || weight.sizes() == normalized_shape,
              "Expected weight to be of same shape as normalized_shape, but got weight of shape ",
              weight.defined() ? weight.sizes() : IntArrayRef(),
              " and normalized_shape = ", normalized_shape);
  std::vector<int64_t> last;
  for (int64_t d = -dims; d < 0; ++d) last.push_back(d);
  const double least = input.scalar_type() == kDouble
                           ? std::numeric_limits<double>::epsilon()
                           : static_cast<double>(std::numeric_limits<float>::epsilon());
  // The square of a float16 of 256 is infinite.
  const Tensor x = isReducedFloatingType(input.scalar_type()) ? input.to(kFloat) : input,
               y = (x * rsqrt((x * x).mean(last, /*keepdim=*/true) + eps.value_or(least)))
                       .to(input.scalar_type());
  return weight.defined() ? y * weight : y;
}

}  // namespace functional

void RMSNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  weight = register_parameter("weight", affine ? etude::empty(options.normalized_shape()) : Tensor(), affine);
  reset_parameters();
}

std::string RMSNormImpl::extra_repr() const {
  return etude::detail::python_str(etude::detail::python_tuple(options.normalized_shape()),
                                   ", eps=", options.eps() ? python_float(*options.eps()) : "None",
                                   ", elementwise_affine=", options.elementwise_affine());
}

}  // namespace etude::nn
