// Norms, and the logarithm of a sum of exponentials.
//
//   norm: y = (sum |x[i]|^p)^(1/p)        dx = dy sign(x) (|x| / y)^(p - 1);  p = 2: dx = dy x / y
//         p = 0 counts the nonzero elements and has no gradient; p = inf, -inf: the largest or smallest |x|,
//         and equal ones share dy evenly
//   logsumexp: y = log sum exp(x[i])      dx = dy exp(x - y)

#include <cmath>
#include <limits>

#include "etude/ops/detail/elementary.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/reduction.h"

namespace etude {
namespace {

using namespace detail;

template <typename T>
struct SumOfSquares : Sum<T> {
  double load(T x, int64_t, int64_t) const { return static_cast<double>(x) * static_cast<double>(x); }
};

template <typename T>
struct SumOfPowers : Sum<T> {
  double p;
  double load(T x, int64_t, int64_t) const {
    const double size = std::fabs(static_cast<double>(x));
    return p == 0 ? size != 0 : p == 1 ? size : std::pow(size, p);
  }
};

// `largest` holds the largest element of each result. It is subtracted so that exp cannot overflow. An element is larger than
// the subtracted number only if the result is infinite.
template <typename T>
struct SumOfExps : Sum<T> {
  const T* largest;
  double load(T x, int64_t output, int64_t) const {
    const T distance = x - largest[output];
    return distance > 0 ? std::numeric_limits<double>::infinity()
                        : static_cast<double>(fast_exp(BaselineForm(), distance));
  }
};

Tensor norm_forward(const Tensor& x, double p, const ReducedDims& dims, bool keepdim) {
  if (isReducedFloatingType(x.scalar_type()))
    return as_type(norm_forward(widened(x), p, dims, keepdim), x.scalar_type());
  if (x.numel() == 0) return zeros(dims.result_sizes(keepdim), x.scalar_type());
  const NoGradGuard no_grad;
  if (std::isinf(p))
    return p > 0 ? x.abs().amax(dims.list().ref(), keepdim) : x.abs().amin(dims.list().ref(), keepdim);
  Tensor y = make_tensor(dims.result_sizes(keepdim), x.scalar_type());
  dispatch_floating("norm", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    T* out = impl(y).data<T>();
    if (p == 2) {
      reduce<T>(out, x, dims, SumOfSquares<T>{},
                [](double s, int64_t) { return static_cast<T>(std::sqrt(s)); });
    } else {
      reduce<T>(out, x, dims, SumOfPowers<T>{{}, p},
                [p](double s, int64_t) { return static_cast<T>(p == 0 ? s : std::pow(s, 1 / p)); });
    }
  });
  return y;
}

// y and dy have the reduced dims. Quotients by a norm of zero would be nan, and count as zero.
Tensor norm_backward(const Tensor& x, double p, const Tensor& y, const Tensor& dy, const ReducedDims& dims) {
  if (p == 0) return {};
  if (p == 1) return x.sign() * dy;
  if (p == 2) return dy * where(y.eq(0), 0, x / y);
  if (std::isinf(p)) {
    const Tensor sizes = x.abs();
    const Tensor mask = sizes.eq(y).logical_or(sizes.isnan());
    return x.sign() * (dy / mask.sum(dims.list().ref(), true) * mask);
  }
  if (p < 1) return x.sign() * where(x.eq(0), 0, x.abs().pow(p - 1)) * dy * y.pow(1 - p);
  const Tensor powers = p < 2 ? x.sign() * x.abs().pow(p - 1) : x * x.abs().pow(p - 2);
  return powers * where(y.eq(0), 0, dy / y.pow(p - 1));
}

Tensor logsumexp_forward(const Tensor& x, const ReducedDims& dims, bool keepdim) {
  if (isReducedFloatingType(x.scalar_type()))
    return as_type(logsumexp_forward(widened(x), dims, keepdim), x.scalar_type());
  Tensor y = make_tensor(dims.result_sizes(keepdim), x.scalar_type());
  if (x.numel() == 0) return y.fill_(-std::numeric_limits<double>::infinity());
  const NoGradGuard no_grad;
  // Infinity minus infinity is nan, so an infinite maximum is not subtracted.
  Tensor largest = x.amax(dims.list().ref(), false);
  largest = where(largest.isinf(), 0, largest);
  dispatch_floating("logsumexp", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T* most = impl(largest).data<T>();
    reduce<T>(impl(y).data<T>(), x, dims, SumOfExps<T>{{}, most}, [most](double s, int64_t output) {
      return static_cast<T>(std::log(s) + static_cast<double>(most[output]));
    });
  });
  return y;
}

}  // namespace

Tensor norm(const Tensor& self, const optional<Scalar>& p, DimList dim, bool keepdim) {
  ETUDE_OP(norm, self, p, dim, keepdim);
  ETUDE_CHECK(self.is_floating_point(),
              "norm(): input dtype should be either floating point or complex. Got ",
              toString(self.scalar_type()), " instead.\nhint: convert first, x.to(kFloat)");
  ETUDE_CHECK(!p || !p->isBoolean(), "norm_kernel_tensor_iterator_impl expects norm to be integer or float");
  const ReducedDims dims = reduced_dims(self, dim);
  const double power = p.value_or(2).toDouble();
  return recorded("NormBackward1", {self}, norm_forward(self, power, dims, keepdim), {self, kResult},
                  [power, dims, keepdim](const Tensor& dy, const Tensor& x, const Tensor& y) {
                    return norm_backward(x, power, dims.restored(y, keepdim), dims.restored(dy, keepdim),
                                         dims);
                  });
}

Tensor norm(const Tensor& self, const Scalar& p) { return norm(self, p, DimList(), false); }

Tensor logsumexp(const Tensor& self, DimList dim, bool keepdim) {
  ETUDE_OP(logsumexp, self, dim, keepdim);
  const Tensor input = self.to(floating_of(self.scalar_type()));
  const ReducedDims dims = reduced_dims(input, dim);
  return recorded("LogsumexpBackward0", {input}, logsumexp_forward(input, dims, keepdim), {input, kResult},
                  [dims, keepdim](const Tensor& dy, const Tensor& x, const Tensor& y) {
                    return dims.restored(dy, keepdim) * exp(x - dims.restored(y, keepdim));
                  });
}

ETUDE_METHOD(norm, (const Scalar& p), p)
ETUDE_METHOD(norm, (const optional<Scalar>& p, DimList dim, bool keepdim), p, dim, keepdim)
ETUDE_METHOD(logsumexp, (DimList dim, bool keepdim), dim, keepdim)

}  // namespace etude
