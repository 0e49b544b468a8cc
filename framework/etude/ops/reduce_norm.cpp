// Norms, variances and the logarithm of a sum of exponentials.
//
//   norm: y = (sum |x[i]|^p)^(1/p)        dx = dy sign(x) (|x| / y)^(p - 1);  p = 2: dx = dy x / y
//         p = 0 counts the nonzero elements and has no gradient; p = inf, -inf: the largest or smallest |x|,
//         and equal ones share dy evenly
//   logsumexp: y = log sum exp(x[i])      dx = dy exp(x - y)
//   var: y = sum (x[i] - m)^2 / (n - 1), or / n if biased      dx = 2 / (n - 1) dy (x - m)
//        in two passes: first the mean m, then the squared distances from it
//   std: y = sqrt(var(x))                                      dvar = dy / (2 y)
//   var_mean, std_mean: also the mean m, which adds            dx = dm / n

#include <cmath>
#include <limits>

#include "etude/ops/detail/elementary.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/loss.h"
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

template <typename T>
struct SquaresAround : Sum<T> {
  const double* means;
  double load(T x, int64_t output, int64_t) const {
    const double d = static_cast<double>(x) - means[output];
    return d * d;
  }
};

// n - 1 if unbiased, else n; at least zero. A single element has no unbiased variance: 0 / 0.
double divisor(const ReducedDims& dims, bool unbiased) {
  return static_cast<double>(std::max<int64_t>(dims.count - unbiased, 0));
}

struct Spread {
  Tensor y, mean;  // the mean in float64, without the reduced dims
};

Spread spread_forward(const Tensor& given, const ReducedDims& dims, bool unbiased, bool keepdim, bool root) {
  const Tensor x = widened(given);
  const Tensor means = make_tensor(dims.result_sizes(false), kDouble);
  Tensor y = make_tensor(dims.result_sizes(keepdim), x.scalar_type());
  dispatch_floating("std_cpu", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    auto* m = impl(means).data<double>();
    reduce<T>(m, x, dims, Sum<T>{},
              [n = static_cast<double>(dims.count)](double s, int64_t) { return s / n; });
    reduce<T>(impl(y).data<T>(), x, dims, SquaresAround<T>{{}, m},
              [root, n = divisor(dims, unbiased)](double s, int64_t) {
                return static_cast<T>(root ? std::sqrt(s / n) : s / n);
              });
  });
  return {as_type(y, given.scalar_type()), means};
}

Tensor var_backward(const Tensor& x, const Tensor& dy, const ReducedDims& dims, bool unbiased) {
  return dy * (2 / divisor(dims, unbiased)) * (x - x.mean(dims.list().ref(), true));
}

// Where all elements are equal, the square root has no derivative, and the gradient is set to zero.
Tensor std_backward(const Tensor& x, const Tensor& y, const Tensor& dy, const ReducedDims& dims,
                    bool unbiased, bool keepdim) {
  const Tensor dvar = where(y.eq(0), 0, dy / (y * 2));
  return var_backward(x, dims.restored(dvar, keepdim), dims, unbiased);
}

void check_floating(const char* name, const Tensor& self) {
  ETUDE_CHECK(self.is_floating_point(), name, " only support floating point and complex dtypes\nreceived ",
              dtype_name(self.scalar_type()), "\nhint: convert first, x.to(kFloat)");
}

// The standard deviation or variance, and the mean.
std::tuple<Tensor, Tensor> spread_and_mean(const Tensor& self, const DimList& dim, bool unbiased,
                                           bool keepdim, bool root) {
  check_floating(root ? "std_mean" : "var_mean", self);
  const ReducedDims dims = reduced_dims(self, dim);
  const Spread s = spread_forward(self, dims, unbiased, keepdim, root);
  const Tensor mean = with_sizes(s.mean.to(self.scalar_type()), dims.result_sizes(keepdim));
  if (recording({self}))
    record_outputs(
        root ? "StdMeanBackward0" : "VarMeanBackward0", {self}, {s.y, mean},
        [x = Saved(self), y = Saved::output(s.y), dims, unbiased, keepdim, root](const Gradients& dy) {
          Tensor dx;
          if (dy[0].defined())
            dx = root ? std_backward(x.get(), y.get(), dy[0], dims, unbiased, keepdim)
                      : var_backward(x.get(), dims.restored(dy[0], keepdim), dims, unbiased);
          if (!dy[1].defined()) return Gradients{dx};
          const Tensor dm = dims.restored(dy[1] / static_cast<double>(dims.count), keepdim);
          return Gradients{dx.defined() ? dx + dm : dm.expand(dims.sizes)};
        });
  return {s.y, mean};
}

}  // namespace

Tensor detail::named_norm(const char* node, const Tensor& self, const optional<Scalar>& p, const DimList& dim,
                          bool keepdim) {
  ETUDE_CHECK(self.is_floating_point(),
              "norm(): input dtype should be either floating point or complex. Got ",
              toString(self.scalar_type()), " instead.\nhint: convert first, x.to(kFloat)");
  const ReducedDims dims = reduced_dims(self, dim);
  const double power = p.value_or(2).toDouble();
  const Tensor y = as_type(norm_forward(widened(self), power, dims, keepdim), self.scalar_type());
  return recorded(node, {self}, y, {self, kResult},
                  [power, dims, keepdim](const Tensor& dy, const Tensor& x, const Tensor& size) {
                    return norm_backward(x, power, dims.restored(size, keepdim), dims.restored(dy, keepdim),
                                         dims);
                  });
}

Tensor norm(const Tensor& self, const optional<Scalar>& p, DimList dim, bool keepdim) {
  ETUDE_OP(norm, self, p, dim, keepdim);
  return named_norm("LinalgVectorNormBackward0", self, p, dim, keepdim);
}

Tensor norm(const Tensor& self, const Scalar& p) { return norm(self, p, DimList(), false); }

Tensor logsumexp(const Tensor& self, DimList dim, bool keepdim) {
  ETUDE_OP(logsumexp, self, dim, keepdim);
  const Tensor input = self.to(floating_of(self.scalar_type()));
  const ReducedDims dims = reduced_dims(input, dim);
  const Tensor y = as_type(logsumexp_forward(widened(input), dims, keepdim), input.scalar_type());
  return recorded("LogsumexpBackward0", {input}, y, {input, kResult},
                  [dims, keepdim](const Tensor& dy, const Tensor& x, const Tensor& sum) {
                    return dims.restored(dy, keepdim) * exp(x - dims.restored(sum, keepdim));
                  });
}

ETUDE_METHOD(norm, (const Scalar& p), p)
ETUDE_METHOD(norm, (const optional<Scalar>& p, DimList dim, bool keepdim), p, dim, keepdim)
ETUDE_METHOD(logsumexp, (DimList dim, bool keepdim), dim, keepdim)

Tensor var(const Tensor& self, DimList dim, bool unbiased, bool keepdim) {
  ETUDE_OP(var, self, dim, unbiased, keepdim);
  check_floating("std and var", self);
  const ReducedDims dims = reduced_dims(self, dim);
  return recorded("VarBackward0", {self}, spread_forward(self, dims, unbiased, keepdim, false).y, {self},
                  [dims, unbiased, keepdim](const Tensor& dy, const Tensor& x) {
                    return var_backward(x, dims.restored(dy, keepdim), dims, unbiased);
                  });
}

Tensor std(const Tensor& self, DimList dim, bool unbiased, bool keepdim) {
  ETUDE_OP(std, self, dim, unbiased, keepdim);
  check_floating("std and var", self);
  const ReducedDims dims = reduced_dims(self, dim);
  return recorded("StdBackward0", {self}, spread_forward(self, dims, unbiased, keepdim, true).y,
                  {self, kResult},
                  [dims, unbiased, keepdim](const Tensor& dy, const Tensor& x, const Tensor& y) {
                    return std_backward(x, y, dy, dims, unbiased, keepdim);
                  });
}

Tensor var(const Tensor& self, bool unbiased) { return var(self, DimList(), unbiased, false); }
Tensor std(const Tensor& self, bool unbiased) { return std(self, DimList(), unbiased, false); }

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  return std_mean(self, DimList(), unbiased, false);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, DimList dim, bool unbiased, bool keepdim) {
  ETUDE_OP(std_mean, self, dim, unbiased, keepdim);
  return spread_and_mean(self, dim, unbiased, keepdim, true);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  return var_mean(self, DimList(), unbiased, false);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, DimList dim, bool unbiased, bool keepdim) {
  ETUDE_OP(var_mean, self, dim, unbiased, keepdim);
  return spread_and_mean(self, dim, unbiased, keepdim, false);
}

ETUDE_METHOD(var, (bool unbiased), unbiased)
ETUDE_METHOD(var, (DimList dim, bool unbiased, bool keepdim), dim, unbiased, keepdim)
ETUDE_METHOD(std, (bool unbiased), unbiased)
ETUDE_METHOD(std, (DimList dim, bool unbiased, bool keepdim), dim, unbiased, keepdim)

}  // namespace etude
