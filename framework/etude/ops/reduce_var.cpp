// Variance and standard deviation, in two passes: first the mean m, then the squared distances from it.
//
//   var: y = sum (x[i] - m)^2 / (n - 1), or / n if biased      dx = 2 / (n - 1) dy (x - m)
//   std: y = sqrt(var(x))                                       dvar = dy / (2 y)
//   var_mean, std_mean: both at once; the mean adds             dx = dm / n

#include <cmath>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/reduction.h"

namespace etude {
namespace {

using namespace detail;

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
  ETUDE_OP(std_mean, self, unbiased);
  return spread_and_mean(self, DimList(), unbiased, false, true);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, DimList dim, bool unbiased, bool keepdim) {
  ETUDE_OP(std_mean, self, dim, unbiased, keepdim);
  return spread_and_mean(self, dim, unbiased, keepdim, true);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
  ETUDE_OP(var_mean, self, unbiased);
  return spread_and_mean(self, DimList(), unbiased, false, false);
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
