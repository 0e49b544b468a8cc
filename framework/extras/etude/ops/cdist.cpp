// The distances of all pairs of rows: y[i, j] = (sum over k of |d[k]|^p)^(1/p), where d = x1[i] - x2[j].
//
//   dd[k] = dy sign(d[k]) (|d[k]| / y)^(p - 1);  p = 2: dy d[k] / y;  p = inf: dy sign(d[k]) at the largest |d[k]|;  p = 0: none
//   dx1[i] adds up dd over j, and dx2[j] subtracts it over i. Where the distance is 0, the gradient is 0.
//
// For p = 2 and many rows, y^2 = x1 x1 - 2 x1 x2 + x2 x2 is one matrix product, and with r = dy / y so are
//
//   dx1[i] = x1[i] sum over j of r[i, j] - r x2,   dx2[j] = x2[j] sum over i of r[i, j] - r^T x1

#include <cmath>

#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/lanes.h"
#include "etude/ops/geometry.h"

namespace etude {
namespace {

using namespace detail;

// In double precision, also for float32.
template <typename T>
double row_distance(const T* a, const T* b, int64_t m, double p) {
  const auto size = [a, b](int64_t k) {
    return std::fabs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
  };
  const auto sum = [m](const auto& term) {
    return fold_lane(m, 0.0, term, [](double u, double v) { return u + v; });
  };
  if (p == 0) return sum([size](int64_t k) { return std::min(std::ceil(size(k)), 1.0); });
  if (p == 1) return sum(size);
  if (p == 2) return std::sqrt(sum([size](int64_t k) { return size(k) * size(k); }));
  if (std::isinf(p)) return fold_lane(m, 0.0, size, [](double u, double v) { return u < v ? v : u; });
  return std::pow(sum([size, p](int64_t k) { return std::pow(size(k), p); }), 1 / p);
}

// Of contiguous x1 [batch, n, m] and x2 [batch, k, m].
Tensor distances(const Tensor& x1, const Tensor& x2, const Shape& sizes, double p) {
  Tensor y = make_tensor(sizes, x1.scalar_type());
  const int64_t n = x1.size(-2), k = x2.size(-2), m = x1.size(-1);
  if (y.numel() == 0) return y;
  dispatch_floating("cdist", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T *a = impl(x1).data<T>(), *b = impl(x2).data<T>();
    T* const to = impl(y).data<T>();
    parallel_for(
        0, y.numel() / k, std::max<int64_t>(1, kGrain / (k * (m + 1))), [=](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row)
            for (int64_t j = 0; j < k; ++j)
              to[row * k + j] = static_cast<T>(row_distance(a + row * m, b + (row / n * k + j) * m, m, p));
        });
  });
  return y;
}

// t without zeros, by which others are divided.
Tensor not_zero(const Tensor& t) { return t.masked_fill(t.eq(0), 1); }

Gradients distances_backward(const Tensor& dy, const Tensor& x1, const Tensor& x2, const Tensor& y,
                             double p) {
  const Tensor d = x1.unsqueeze(-2) - x2.unsqueeze(-3), each = dy.unsqueeze(-1), whole = y.unsqueeze(-1);
  Tensor dd;
  if (p == 2) {
    dd = d / not_zero(whole) * each;
  } else {
    const Tensor size = not_zero(d.abs()), sign = (d / size).masked_fill(d.eq(0), 0);
    dd = sign * each * (std::isinf(p) ? size.eq(whole) : (size / not_zero(whole)).pow(p - 1));
  }
  return {dd.sum(-2), -dd.sum(-3)};
}

Tensor euclidean_forward(const Tensor& x1, const Tensor& x2) {
  const auto squares = [](const Tensor& t) { return t.square().sum(-1, true); };
  return (x1.matmul(x2.mT()).mul_(-2).add_(squares(x1)).add_(squares(x2).mT())).clamp_min_(0).sqrt_();
}

Gradients euclidean_backward(const Tensor& dy, const Tensor& x1, const Tensor& x2, const Tensor& y) {
  const Tensor r = (dy / not_zero(y)).masked_fill(y.eq(0), 0);
  return {x1 * r.sum(-1, true) - r.matmul(x2), x2 * r.sum(-2).unsqueeze(-1) - r.mT().matmul(x1)};
}

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, optional<int64_t> compute_mode) {
  ETUDE_OP(cdist, x1, x2, p, compute_mode);
  ETUDE_AUTOCAST(kFloat, cdist, x1, x2, p, compute_mode);
  ETUDE_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
  ETUDE_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
  for (const Tensor* x : {&x1, &x2})
    ETUDE_CHECK(x->is_floating_point(), "cdist only supports floating-point dtypes, X", x == &x1 ? 1 : 2,
                " got: ", toString(x->scalar_type()));
  ETUDE_CHECK(x1.size(-1) == x2.size(-1), "X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
              " X2: ", x2.size(-1), "\nreceived sizes ", x1.sizes(), " and ", x2.sizes());
  ETUDE_CHECK(p >= 0, "cdist only supports non-negative p values\nreceived p ", p);
  const int64_t mode = compute_mode.value_or(0), n = x1.size(-2), k = x2.size(-2);
  ETUDE_CHECK(mode >= 0 && mode <= 2, "possible modes: 0, 1, 2, but was: ", mode);
  const ScalarType type = x1.scalar_type();
  ETUDE_CHECK(type == x2.scalar_type(), "expected scalar type ", toString(type), " but found ",
              toString(x2.scalar_type()));
  if (isReducedFloatingType(type)) refuse_dtype("cdist", type);
  Shape sizes =
      broadcast_sizes(x1.sizes().slice(0, x1.sizes().size() - 2), x2.sizes().slice(0, x2.sizes().size() - 2));
  const auto spread = [&sizes, m = x1.size(-1)](const Tensor& x, int64_t rows) {
    Shape whole = sizes;
    whole.push_back(rows);
    whole.push_back(m);
    return contiguous_copy(x.expand(whole));
  };
  if (p == 2 && (mode == 1 || (mode == 0 && (n > 25 || k > 25))))
    return recorded("EuclideanDistBackward0", {x1, x2}, unrecorded([&] { return euclidean_forward(x1, x2); }),
                    {x1, x2, kResult},
                    [](const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y) {
                      return euclidean_backward(dy, a, b, y);
                    });
  const Tensor a = spread(x1, n), b = spread(x2, k);
  sizes.push_back(n);
  sizes.push_back(k);
  return recorded(
      "CdistBackward0", {x1, x2}, distances(a, b, sizes, p), {x1, x2, kResult},
      [p](const Tensor& dy, const Tensor& u, const Tensor& v, const Tensor& y) {
        return p == 0 ? Gradients{zeros_like(u), zeros_like(v)} : distances_backward(dy, u, v, y, p);
      });
}

}  // namespace etude
