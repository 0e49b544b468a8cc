// Diagonals of matrices:
//
//   diag   of a matrix   y[i] = x[i][i + k]      dx[i][i + k] = dy[i], zero elsewhere
//          of a vector   y[i][i + k] = x[i], zero elsewhere      dx[i] = dy[i][i + k]
//   trace  y = sum over i of x[i][i]             dx[i][i] = dy, zero elsewhere

#include "etude/ops/assorted.h"
#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Zeros of these sizes, with `values`, broadcast, on the diagonal k.
Tensor with_diagonal(const Shape& sizes, const Tensor& values, int64_t k) {
  Tensor whole = zeros(sizes, values.scalar_type());
  whole.diagonal(k).copy_(values);
  return whole;
}

}  // namespace

Tensor diag(const Tensor& self, int64_t diagonal) {
  ETUDE_OP(diag, self, diagonal);
  const Shape& sizes = impl(self).sizes;
  const Tensor x = self.detach();
  if (sizes.size() == 1) {
    const int64_t n = Plus()(sizes[0], diagonal < 0 ? Minus()(int64_t{0}, diagonal) : diagonal);
    return recorded("DiagEmbedBackward0", {self}, with_diagonal({n, n}, x, diagonal),
                    [diagonal](const Tensor& dy) { return dy.diag(diagonal); });
  }
  ETUDE_CHECK(sizes.size() == 2, "diag(): Supports 1D or 2D tensors. Got ", sizes.size(),
              "D\nreceived sizes ", sizes.ref(), "\nhint: diagonal() takes two dims of many");
  return recorded("DiagonalBackward0_copy", {self}, x.diagonal(diagonal).clone(),
                  [sizes, diagonal](const Tensor& dy) { return with_diagonal(sizes, dy, diagonal); });
}

Tensor trace(const Tensor& self) {
  ETUDE_OP(trace, self);
  const Shape& sizes = impl(self).sizes;
  ETUDE_CHECK(sizes.size() == 2, "trace: expected a matrix, but got tensor with dim ", sizes.size(),
              "\nreceived sizes ", sizes.ref());
  if (self.scalar_type() == kBool) refuse_dtype("trace", kBool);
  return recorded("TraceBackward0", {self}, self.detach().diagonal().sum(),
                  [sizes](const Tensor& dy) { return with_diagonal(sizes, dy, 0); });
}

ETUDE_METHOD(diag, (int64_t diagonal), diagonal)
Tensor Tensor::trace() const { return etude::trace(*this); }

}  // namespace etude
