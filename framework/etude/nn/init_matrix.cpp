// Initialisations that look at rows and columns.

#include <algorithm>
#include <cmath>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/nn/init.h"
#include "etude/ops/ops.h"

namespace etude::nn::init {
namespace {

// Makes the columns of `a` [rows, columns], float64, rows >= columns, a basis of what they span, each of length 1 and at
// right angles to those before it: the Q of the QR decomposition whose R has a positive diagonal. What an earlier column
// has in common with a later one is taken away twice, because the first time leaves rounding errors as large as it.
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
