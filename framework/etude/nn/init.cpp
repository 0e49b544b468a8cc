// Bounds and deviations are computed in double, in PyTorch's order, and rounded when the tensor is filled:
// the bits depend on it.

#include "etude/nn/init.h"

#include <cmath>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude::nn::init {

namespace {

double xavier_std(const Tensor& tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
}

double kaiming_std(const Tensor& tensor, double a, const FanModeType& mode,
                   const NonlinearityType& nonlinearity) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  const int64_t fan = std::holds_alternative<enumtype::kFanIn>(mode) ? fan_in : fan_out;
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

double calculate_gain(NonlinearityType nonlinearity, double param) {
  if (std::holds_alternative<enumtype::kTanh>(nonlinearity)) return 5.0 / 3.0;
  if (std::holds_alternative<enumtype::kReLU>(nonlinearity)) return std::sqrt(2.0);
  if (std::holds_alternative<enumtype::kLeakyReLU>(nonlinearity)) return std::sqrt(2.0 / (1 + param * param));
  return 1.0;
}

std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  ETUDE_CHECK_VALUE(
      tensor.dim() >= 2,
      "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions\nreceived sizes ",
      tensor.sizes());
  int64_t field = 1;
  for (int64_t d = 2; d < tensor.dim(); ++d) field *= tensor.size(d);
  return {tensor.size(1) * field, tensor.size(0) * field};
}

Tensor constant_(Tensor tensor, Scalar value) {
  NoGradGuard no_grad;
  return tensor.fill_(value);
}

Tensor ones_(Tensor tensor) { return constant_(tensor, 1); }

Tensor zeros_(Tensor tensor) {
  NoGradGuard no_grad;
  return tensor.zero_();
}

Tensor eye_(Tensor matrix) {
  ETUDE_CHECK_VALUE(matrix.dim() == 2, "Only tensors with 2 dimensions are supported\nreceived sizes ",
                    matrix.sizes());
  NoGradGuard no_grad;
  return matrix.copy_(eye(matrix.size(0), matrix.size(1), matrix.options()));
}

Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}

Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}

Tensor xavier_uniform_(Tensor tensor, double gain) {
  const double bound = std::sqrt(3.0) * xavier_std(tensor, gain);
  return uniform_(tensor, -bound, bound);
}

Tensor xavier_normal_(Tensor tensor, double gain) { return normal_(tensor, 0, xavier_std(tensor, gain)); }

// A tensor without elements has no fan to divide by, and nothing to fill.
Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  const double bound = std::sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity);
  return uniform_(tensor, -bound, bound);
}

Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  return normal_(tensor, 0, kaiming_std(tensor, a, mode, nonlinearity));
}

}  // namespace etude::nn::init
