// Bounds and standard deviations are computed in double and in PyTorch's order, because the bits depend on it.

#include "etude/nn/init.h"

#include <algorithm>
#include <cmath>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/core/warning.h"
#include "etude/ops/ops.h"

namespace etude::nn::init {

namespace {

thread_local bool init_skipped = false;

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

// Replaces the columns of `a` [rows, columns], float64, rows >= columns, by an orthonormal basis of their
// span: the Q of the QR decomposition whose R has a positive diagonal. The projection onto each earlier
// column is subtracted twice, because one subtraction leaves rounding errors that are too large.
void orthonormalize(double* a, int64_t rows, int64_t columns) {
  const auto dot = [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r) sum += a[r * columns + i] * a[r * columns + j];
    return sum;
  };
  for (int64_t j = 0; j < columns; ++j) {
    for (int time = 0; time < 2; ++time)
      for (int64_t i = 0; i < j; ++i) {
        const double common = dot(i, j);
        for (int64_t r = 0; r < rows; ++r) a[r * columns + j] -= common * a[r * columns + i];
      }
    const double length = std::sqrt(dot(j, j));
    for (int64_t r = 0; r < rows; ++r) a[r * columns + j] /= length;
  }
}

}  // namespace

bool detail::is_skipped() { return init_skipped; }
void detail::set_skipped(bool on) { init_skipped = on; }

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
  return init_skipped ? tensor : tensor.fill_(value);
}

Tensor ones_(Tensor tensor) { return constant_(tensor, 1); }

Tensor zeros_(Tensor tensor) { return constant_(tensor, 0); }

Tensor eye_(Tensor matrix) {
  ETUDE_CHECK_VALUE(matrix.dim() == 2, "Only tensors with 2 dimensions are supported\nreceived sizes ",
                    matrix.sizes());
  NoGradGuard no_grad;
  return matrix.copy_(eye(matrix.size(0), matrix.size(1), matrix.options()));
}

Tensor normal_(Tensor tensor, double mean, double std) {
  NoGradGuard no_grad;
  return init_skipped ? tensor : tensor.normal_(mean, std);
}

Tensor uniform_(Tensor tensor, double low, double high) {
  NoGradGuard no_grad;
  return init_skipped ? tensor : tensor.uniform_(low, high);
}

Tensor trunc_normal_(Tensor tensor, double mean, double std, double a, double b) {
  NoGradGuard no_grad;
  ETUDE_CHECK(std != 0, "division by zero\nreceived std ", std);
  if (mean < a - 2 * std || mean > b + 2 * std)
    ETUDE_WARN(
        "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
        "incorrect.");
  const auto quantile = [&](double x) { return (1 + std::erf((x - mean) / std / std::sqrt(2.0))) / 2; };
  if (quantile(b) - quantile(a) > 0.3) {  // numbers outside of [a, b] are drawn again
    const Tensor bounds = etude::tensor({a, b}, kDouble).to(tensor.scalar_type());
    tensor.normal_(mean, std);
    for (;;) {
      const Tensor outside = tensor.lt(bounds[0]).logical_or(tensor.gt(bounds[1]));
      if (!outside.any().item<bool>()) return tensor;
      tensor.copy_(where(outside, empty_like(tensor).normal_(mean, std), tensor));
    }
  }
  // Uniform numbers are accepted with a probability that is the density, divided by its largest value.
  const double peak = -0.5 * std::pow((std::max(a, std::min(mean, b)) - mean) / std, 2);
  Tensor pending = ones_like(tensor, kBool);
  do {
    const Tensor drawn = empty_like(tensor).uniform_(a, b);
    tensor.copy_(where(pending, drawn, tensor));
    const Tensor density = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak);
    pending = pending.logical_and(empty_like(tensor).uniform_(0, 1).log_().gt(density));
  } while (pending.any().item<bool>());
  return tensor;
}

Tensor xavier_uniform_(Tensor tensor, double gain) {
  const double bound = std::sqrt(3.0) * xavier_std(tensor, gain);
  return uniform_(tensor, -bound, bound);
}

Tensor xavier_normal_(Tensor tensor, double gain) { return normal_(tensor, 0, xavier_std(tensor, gain)); }

// A tensor without elements has nothing to fill, and its fan may be 0.
Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  const double bound = std::sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity);
  return uniform_(tensor, -bound, bound);
}

Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  if (tensor.numel() == 0) return tensor;
  return normal_(tensor, 0, kaiming_std(tensor, a, mode, nonlinearity));
}

Tensor orthogonal_(Tensor tensor, double gain) {
  ETUDE_CHECK_VALUE(tensor.dim() >= 2,
                    "Only tensors with 2 or more dimensions are supported\nreceived sizes ", tensor.sizes());
  const NoGradGuard no_grad;
  if (tensor.numel() == 0) return tensor;
  const int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  const Tensor drawn = etude::empty({rows, columns}, tensor.options()).normal_().to(kDouble);
  const bool is_wide = rows < columns;
  const Tensor tall = (is_wide ? drawn.t() : drawn).contiguous();
  orthonormalize(tall.data_ptr<double>(), tall.size(0), tall.size(1));
  return tensor.copy_((is_wide ? tall.t() : tall).to(tensor.scalar_type()).reshape(tensor.sizes()))
      .mul_(gain);
}

Tensor sparse_(Tensor tensor, double sparsity, double std) {
  ETUDE_CHECK_VALUE(tensor.dim() == 2, "Only tensors with 2 dimensions are supported\nreceived sizes ",
                    tensor.sizes());
  ETUDE_CHECK_VALUE(sparsity >= 0 && sparsity <= 1,
                    "sparse_: the part of zeros must be between 0 and 1, but got ", sparsity);
  const NoGradGuard no_grad;
  const int64_t rows = tensor.size(0);
  const auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  tensor.normal_(0, std);
  for (int64_t column = 0; column < tensor.size(1); ++column)
    tensor.select(1, column).index_fill_(0, etude::randperm(rows).narrow(0, 0, zeros), 0);
  return tensor;
}

Tensor dirac_(Tensor tensor) {
  ETUDE_CHECK_VALUE(tensor.dim() >= 3 && tensor.dim() <= 5,
                    "Only tensors with 3, 4, or 5 dimensions are supported\nreceived sizes ", tensor.sizes());
  const NoGradGuard no_grad;
  tensor.zero_();
  for (int64_t d = 0; d < std::min(tensor.size(0), tensor.size(1)); ++d) {
    Tensor filter = tensor.select(0, d).select(0, d);
    while (filter.dim() > 0) filter = filter.select(0, filter.size(0) / 2);
    filter.fill_(1);
  }
  return tensor;
}

}  // namespace etude::nn::init
