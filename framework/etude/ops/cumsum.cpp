// cumsum: y[i] = x[0] + ... + x[i] along one dim,  dx[i] = dy[i] + dy[i + 1] + ...

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// float32 is added up in float64, with each sum rounded to float32; integers wrap around.
template <typename T>
void cumsum_lane(Lane<const T> x, Lane<T> y) {
  Accumulator<T> total = 0;
  for (int64_t i = 0; i < x.size; ++i) {
    total += static_cast<decltype(total)>(x[i]);
    y[i] = static_cast<T>(total);
  }
}

Tensor cumsum_forward(const Tensor& x, int64_t dim) {
  Tensor y = make_tensor(x.sizes(), x.scalar_type());
  const TensorImpl &in = impl(x), &out = impl(y);
  const int64_t size = in.sizes.empty() ? 1 : in.sizes[dim];
  const int64_t from = in.sizes.empty() ? 1 : in.strides[dim], to = in.sizes.empty() ? 1 : out.strides[dim];
  dispatch_numbers("cumsum_out_cpu", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_strided_lane<2>(in.sizes, dim, {in.strides, out.strides}, [&](const auto& at) {
      cumsum_lane<T>({in.data<T>() + at[0], size, from}, {out.data<T>() + at[1], size, to});
    });
  });
  return y;
}

}  // namespace

Tensor cumsum(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
  ETUDE_OP(cumsum, self, dim, dtype);
  const ScalarType type = dtype.value_or(isFloatingType(self.scalar_type()) ? self.scalar_type() : kLong);
  const int64_t d = wrap_dim(dim, self.dim());
  return recorded("CumsumBackward0", {self}, as_type(cumsum_forward(widened(as_type(self, type)), d), type),
                  [d](const Tensor& dy) { return dy.dim() == 0 ? dy : dy.flip(d).cumsum(d).flip(d); });
}

ETUDE_METHOD(cumsum, (int64_t dim, optional<ScalarType> dtype), dim, dtype)

}  // namespace etude
