// dropout: y = x * noise, where noise is 0 with probability p and 1 / (1 - p) otherwise;  dx = dy * noise.
//
// The expectation of y is x. In evaluation, and for p = 0, y is x itself. A dropped negative number becomes -0, as in PyTorch.

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

bool keeps_all(const Tensor& input, double p, bool train) {
  ETUDE_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  return p == 0 || !train || input.numel() == 0;
}

// The i-th sample of the stream belongs to the i-th element in row-major order, whatever the strides of the input.
Tensor noise_for(const Tensor& input, double p) {
  if (p == 1) return zeros({}, input.scalar_type());
  const NoGradGuard no_grad;
  const Tensor noise = make_tensor(input.sizes(), input.scalar_type());
  return noise.bernoulli_(1 - p).div_(1 - p);
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  return keeps_all(input, p, train) ? input : input * noise_for(input, p);
}

Tensor& dropout_(Tensor& input, double p, bool train) {
  return keeps_all(input, p, train) ? input : input.mul_(noise_for(input, p));
}

}  // namespace etude
