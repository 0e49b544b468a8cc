// layer_norm(x) = z w + b over the last dims, n elements each, with
//
//   z = (x - mean) r,   r = 1 / sqrt(var + eps),   var = sum (x - mean)^2 / n
//
//   dx = r (g - mean(g) - z mean(g z))  with g = dy w,    because mean and r depend on every x
//   dw = sum of dy z,  db = sum of dy                     over all rows
//
// A row is read twice, once for its sums and once for its result. Rows are added up into dw and db in blocks
// whose bounds depend on the sizes alone.

#include <algorithm>
#include <cmath>
#include <vector>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// What the input is seen as: rows of `length` elements.
struct Rows {
  int64_t count, length;
  int64_t grain() const { return std::max<int64_t>(1, kGrain / 4 / length); }
};

struct Moments {
  double mean, scale;  // scale is 1 / sqrt(var + eps)
};

struct Sums {
  double a, b;
};

// The sums of a(i) and of b(i), each in the order of fold_lane.
template <typename A, typename B>
Sums sums_of(int64_t n, const A& a, const B& b) {
  double sum_a[kLanes] = {}, sum_b[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 1
    for (int64_t j = 0; j < kLanes; ++j) {
      sum_a[j] += a(i + j);
      sum_b[j] += b(i + j);
    }
  }
  for (; i < n; ++i) {
    sum_a[i % kLanes] += a(i);
    sum_b[i % kLanes] += b(i);
  }
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) {
      sum_a[j] += sum_a[j + width];
      sum_b[j] += sum_b[j + width];
    }
  return {sum_a[0], sum_b[0]};
}

// Distances from the first element are summed: they are not much larger than the spread of the row, so that
// the mean of their squares loses nothing to the square of their mean. Since one of them is zero, the
// difference is at least the former over n, and never negative.
template <typename T>
Moments moments_of(const T* x, int64_t n, double eps) {
  const double first = static_cast<double>(x[0]), count = static_cast<double>(n);
  const auto d = [=](int64_t i) { return static_cast<double>(x[i]) - first; };
  const Sums s = sums_of(n, d, [=](int64_t i) { return d(i) * d(i); });
  const double shift = s.a / count, variance = s.b / count - shift * shift;
  return {first + shift, 1 / std::sqrt(variance + eps)};
}

template <typename T>
void normalise_row(const T* x, Moments m, const T* w, const T* b, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double z = (static_cast<double>(x[i]) - m.mean) * m.scale;
    y[i] = static_cast<T>(z * static_cast<double>(w[i]) + static_cast<double>(b[i]));
  }
}

// What one row adds to the gradients: dx is written, dw and db are added to. Those not wanted are null.
template <typename T>
struct GradientRow {
  const T *x, *w, *dy;
  T* dx;
  double *dw, *db;
};

template <typename T>
void backward_row(const GradientRow<T>& row, Moments m, int64_t n) {
  const auto d = [dy = row.dy](int64_t i) { return static_cast<double>(dy[i]); };
  const auto z = [=, x = row.x](int64_t i) { return (static_cast<double>(x[i]) - m.mean) * m.scale; };
  const auto g = [=, w = row.w](int64_t i) { return d(i) * static_cast<double>(w[i]); };
  double *const dw = row.dw, *const db = row.db;
  if (!row.dx) {
    for (int64_t i = 0; i < n; ++i) dw[i] += d(i) * z(i);
    for (int64_t i = 0; i < n; ++i) db[i] += d(i);
    return;
  }
  const Sums s = sums_of(n, g, [=](int64_t i) { return g(i) * z(i); });
  const double mean_g = s.a / static_cast<double>(n), mean_gz = s.b / static_cast<double>(n);
  const auto of_input = [=](double g_i, double z_i) {
    return static_cast<T>(m.scale * (g_i - mean_g - z_i * mean_gz));
  };
  if (!dw) {
    for (int64_t i = 0; i < n; ++i) row.dx[i] = of_input(g(i), z(i));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const double d_i = d(i), z_i = z(i);
    row.dx[i] = of_input(g(i), z_i);
    dw[i] += d_i * z_i;
    db[i] += d_i;
  }
}

// A parameter as n numbers: those given, or all the same.
Tensor parameter(const Tensor& given, double otherwise, int64_t n, ScalarType dtype) {
  if (!given.defined()) return full({n}, otherwise, dtype);
  ETUDE_CHECK(given.scalar_type() == dtype, "expected scalar type ", toString(dtype), " but found ",
              toString(given.scalar_type()), "\nhint: input, weight and bias have one type");
  return given.detach().contiguous();
}

// y, and the moments of each row as float64 [rows, 2].
std::pair<Tensor, Tensor> forward(const Tensor& x, const Rows& rows, const Tensor& weight, const Tensor& bias,
                                  double eps) {
  const Tensor y = make_tensor(x.sizes(), x.scalar_type());
  const Tensor moments = make_tensor({rows.count, 2}, kDouble);
  dispatch_floating("LayerNormKernelImpl", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = rows.length;
    const Tensor w = parameter(weight, 1, n, x.scalar_type()), b = parameter(bias, 0, n, x.scalar_type());
    if (x.numel() == 0) return;
    const T *from = impl(x).data<T>(), *p = impl(w).data<T>(), *q = impl(b).data<T>();
    T* to = impl(y).data<T>();
    auto* kept = impl(moments).data<double>();
    parallel_for(0, rows.count, rows.grain(), [=](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        vectorised([=, in = from + r * n, out = to + r * n] {
          const Moments m = moments_of(in, n, eps);
          normalise_row(in, m, p, q, out, n);
          kept[2 * r] = m.mean;
          kept[2 * r + 1] = m.scale;
        });
    });
  });
  return {y, moments};
}

// Fewer blocks would leave threads without work, more would need more memory.
constexpr int64_t kBlocks = 64, kLeastRows = 16;

// The blocks of [blocks, n] added up by halves.
void join_blocks(double* parts, int64_t blocks, int64_t n) {
  parallel_for(0, n, std::max<int64_t>(1, kGrain / blocks), [=](int64_t begin, int64_t end) {
    vectorised([=] {
      for (int64_t count = blocks; count > 1;) {
        const int64_t half = (count + 1) / 2;
        for (int64_t b = 0; b + half < count; ++b)
          for (int64_t i = begin; i < end; ++i) parts[b * n + i] += parts[(b + half) * n + i];
        count = half;
      }
    });
  });
}

struct Wanted {
  bool x, weight, bias;
};

Gradients backward_kernel(const Tensor& x, const Tensor& weight, const Tensor& moments,
                          const Tensor& gradient, const Rows& rows, const Shape& parameters, Wanted wanted) {
  const ScalarType dtype = x.scalar_type();
  const int64_t n = rows.length, height = std::max(kLeastRows, (rows.count + kBlocks - 1) / kBlocks),
                blocks = std::max<int64_t>(1, (rows.count + height - 1) / height);
  const Tensor w = parameter(weight, 1, n, dtype), dy = gradient.detach().contiguous();
  const Tensor dx = wanted.x ? make_tensor(x.sizes(), dtype) : Tensor();
  const bool sums = wanted.weight || wanted.bias;
  const Tensor dw = zeros({sums ? blocks : 0, n}, kDouble), db = zeros({sums ? blocks : 0, n}, kDouble);
  dispatch_floating("LayerNormBackwardKernelImpl", dtype, [&](auto zero) {
    using T = decltype(zero);
    if (x.numel() == 0) return;
    const int64_t grain = std::max<int64_t>(1, rows.grain() / height);
    parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      vectorised([=, from = impl(x).data<T>(), g = impl(dy).data<T>(), p = impl(w).data<T>(),
                  to = wanted.x ? impl(dx).data<T>() : nullptr,
                  sum_w = sums ? impl(dw).data<double>() : nullptr,
                  sum_b = sums ? impl(db).data<double>() : nullptr, m = impl(moments).data<double>()] {
        for (int64_t r = begin * height; r < std::min(end * height, rows.count); ++r) {
          const Moments of_row{m[2 * r], m[2 * r + 1]};
          const int64_t at = r * n, part = sums ? r / height * n : 0;
          backward_row<T>({from + at, p, g + at, to ? to + at : nullptr, sum_w + part, sum_b + part}, of_row,
                          n);
        }
      });
    });
    if (sums) join_blocks(impl(dw).data<double>(), blocks, n);
    if (sums) join_blocks(impl(db).data<double>(), blocks, n);
  });
  auto total = [&](const Tensor& parts) { return parts.select(0, 0).to(dtype).view(parameters); };
  return {dx, wanted.weight ? total(dw) : Tensor(), wanted.bias ? total(db) : Tensor()};
}

// The same of ops, which can be differentiated again. The engine adds up dw and db over the rows.
Gradients backward_of_ops(const Tensor& x, const Tensor& weight, const Tensor& dy, const Shape& parameters,
                          double eps, Wanted wanted) {
  std::vector<int64_t> dims;
  for (int64_t d = 1; d <= parameters.size(); ++d) dims.push_back(-d);
  auto mean = [&](const Tensor& t) { return t.mean(dims, true); };
  const Tensor centred = x - mean(x), scale = rsqrt(mean(centred * centred) + eps), z = centred * scale;
  const Tensor g = weight.defined() ? dy * weight : dy;
  return {wanted.x ? scale * (g - mean(g) - z * mean(g * z)) : Tensor(), wanted.weight ? dy * z : Tensor(),
          wanted.bias ? dy : Tensor()};
}

void check_sizes(const Tensor& input, IntArrayRef shape, const Tensor& weight, const Tensor& bias) {
  ETUDE_CHECK(!shape.empty(),
              "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
              "element, but got normalized_shape = ",
              shape);
  ETUDE_CHECK(!weight.defined() || weight.sizes() == shape,
              "Expected weight to be of same shape as normalized_shape, but got weight of shape ",
              weight.defined() ? weight.sizes() : IntArrayRef(), " and normalized_shape = ", shape);
  ETUDE_CHECK(!bias.defined() || bias.sizes() == shape,
              "Expected bias to be of same shape as normalized_shape, but got bias of shape ",
              bias.defined() ? bias.sizes() : IntArrayRef(), " and normalized_shape = ", shape);
  const auto dims = static_cast<int64_t>(shape.size()), leading = input.dim() - dims;
  bool fits = leading >= 0;
  for (int64_t d = 0; d < dims; ++d) fits = fits && input.size(leading + d) == shape[static_cast<size_t>(d)];
  ETUDE_CHECK(fits, "Given normalized_shape=", shape, ", expected input with shape [*, ", Join(", ", shape),
              "], but got input of size", input.sizes(),
              "\nhint: normalized_shape holds the sizes of the last dims of the input");
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps, bool) {
  check_sizes(input, normalized_shape, weight, bias);
  const Shape parameters(normalized_shape);
  const int64_t length = count_elements(parameters);
  const Rows rows{length > 0 ? input.numel() / length : 0, length};
  const Tensor x = input.detach().contiguous();
  const auto [y, moments] = forward(x, rows, weight, bias, eps);
  const Wanted wanted{needs_grad(input), needs_grad(weight), needs_grad(bias)};
  return recorded("NativeLayerNormBackward0", {input, weight, bias}, y, {input, weight},
                  [kept = moments, rows, parameters, eps, wanted](const Tensor& dy, const Tensor& in,
                                                                  const Tensor& factor) {
                    if (recording({in, factor, dy}))
                      return backward_of_ops(in, factor, dy, parameters, eps, wanted);
                    return backward_kernel(in.contiguous(), factor, kept, dy, rows, parameters, wanted);
                  });
}

}  // namespace etude
