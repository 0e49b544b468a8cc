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

// The rows of x in every batch of y, [batch..., n, k], as a contiguous copy.
Tensor spread_rows(const Tensor& x, const Shape& y) {
  Shape sizes = y;
  sizes[y.size() - 2] = x.size(-2);
  sizes[y.size() - 1] = x.size(-1);
  return contiguous_copy(x.expand(sizes));
}

// t as a divisor, with ones in place of zeros.
Tensor not_zero(const Tensor& t) { return t.masked_fill(t.eq(0), 1); }

// Composed of ops, for gradients that are differentiated again.
Gradients backward_of_ops(const Tensor& dy, const Tensor& x1, const Tensor& x2, const Tensor& y, double p) {
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

// Visits every pair once, in blocks of rows of x1, each on one thread. Each block has its own sums for x2. The number of blocks
// depends on the sizes alone, so the sums do as well. share(|d|, y) is the factor of dy for a nonzero difference, without its sign.
template <typename T, typename Share>
void add_pairs(const Tensor& dy, const Tensor& x1, const Tensor& x2, const Tensor& y, const Tensor& dx1,
               const Tensor& dx2, const Share& share) {
  const int64_t n = y.size(-2), k = y.size(-1), m = x1.size(-1), blocks = dx2.size(1);
  const auto of = [](const Tensor& t) { return impl(t).data<T>(); };
  const auto add = [=, g = of(dy), u = of(x1), v = of(x2), whole = of(y), du = of(dx1), dv = of(dx2)](
                       auto form, int64_t batch, int64_t block) {
    for (int64_t i = batch * n + n * block / blocks; i < batch * n + n * (block + 1) / blocks; ++i)
      for (int64_t j = 0; j < k; ++j) {
        const T y_ij = whole[i * k + j], dy_ij = g[i * k + j];
        if (y_ij == 0) continue;
        const T *const a = u + i * m, *const b = v + (batch * k + j) * m;
        T *const da = du + i * m, *const db = dv + ((batch * blocks + block) * k + j) * m;
        for (int64_t c = 0; c < m; ++c) {
          const T d = a[c] - b[c], size = std::fabs(d), part = share(form, size, y_ij);
          const T dd = dy_ij * std::copysign(size > 0 ? part : size, d);
          da[c] += dd;
          db[c] -= dd;
        }
      }
  };
  const int64_t work = n * k * (m + 1) / blocks;
  parallel_for(0, dx2.size(0) * blocks, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    vectorised<T>([&](auto form) {
      for (int64_t at = begin; at < end; ++at) add(form, at / blocks, at % blocks);
    });
  });
}

Gradients distances_backward(const Tensor& dy, const Tensor& x1, const Tensor& x2, const Tensor& y,
                             double p) {
  if (recording({dy, x1, x2, y})) return backward_of_ops(dy, x1, x2, y, p);
  const Shape& sizes = impl(y).sizes;
  const Tensor g = dy.contiguous(), a = spread_rows(x1, sizes), b = spread_rows(x2, sizes),
               dx1 = zeros_like(a);
  if (y.numel() == 0) return {dx1, zeros_like(b)};
  const int64_t n = y.size(-2), k = y.size(-1), blocks = std::clamp<int64_t>(n / 16, 1, 16);
  const Tensor dx2 = zeros({y.numel() / (n * k), blocks, k, x2.size(-1)}, x2.scalar_type());
  dispatch_floating("_cdist_backward", y.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const auto add = [&](const auto& share) { add_pairs<T>(g, a, b, y, dx1, dx2, share); };
    if (p == 1) add([](auto, T, T) { return T(1); });
    else if (p == 2) add([](auto, T size, T whole) { return size / whole; });
    else if (p == 3) add([](auto, T size, T whole) { return size / whole * (size / whole); });
    else if (std::isinf(p)) add([](auto, T size, T whole) { return T(size == whole); });
    else
      add([p](auto form, T size, T whole) {
        using M = MathFor<T, decltype(form)>;
        return static_cast<T>(M::exp(M::log(size / whole) * (p - 1)));
      });
  });
  return {dx1, with_sizes(dx2.sum(1), impl(b).sizes)};
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
  if (p == 2 && (mode == 1 || (mode == 0 && (n > 25 || k > 25))))
    return recorded("EuclideanDistBackward0", {x1, x2}, unrecorded([&] { return euclidean_forward(x1, x2); }),
                    {x1, x2, kResult},
                    [](const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y) {
                      return euclidean_backward(dy, a, b, y);
                    });
  sizes.push_back(n);
  sizes.push_back(k);
  return recorded(
      "CdistBackward0", {x1, x2}, distances(spread_rows(x1, sizes), spread_rows(x2, sizes), sizes, p),
      {x1, x2, kResult}, [p](const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y) {
        return p == 0 ? Gradients{zeros_like(a), zeros_like(b)} : distances_backward(dy, a, b, y, p);
      });
}

}  // namespace etude
