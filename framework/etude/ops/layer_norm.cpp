// layer_norm(x) = z w + b over the last dims, which have n elements, with
//
//   z = (x - mean) r,   r = 1 / sqrt(var + eps),   var = sum (x - mean)^2 / n
//
//   dx = r (g - mean(g) - z mean(g z))  with g = dy w,    because mean and r depend on every x
//   dw = sum of dy z,  db = sum of dy                     over all rows
//
// A row is read from memory once and after that from the cache. Rows are added up into dw and db in blocks
// whose bounds depend only on the sizes.

#include <algorithm>
#include <cmath>
#include <vector>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/lanes.h"

namespace etude {
namespace {

using namespace detail;

// The input as rows of `length` elements.
struct Rows {
  int64_t count, length;
  int64_t grain() const { return std::max<int64_t>(1, kGrain / 4 / length); }
};

// z of a row is (x - first - shift) * scale. Distances from the first element are not much larger than the spread of the row,
// so a large mean costs no precision.
template <typename T>
struct Moments {
  T first, shift, scale;
  T z(T x) const { return (x - first - shift) * scale; }
};

template <typename T>
ETUDE_INLINE Moments<T> moments_of(const T* x, int64_t n, double eps) {
  const T first = x[0];
  const double count = static_cast<double>(n);
  const auto shift = static_cast<T>(sum_lane<T>(n, [=](int64_t i) { return x[i] - first; }) / count);
  const auto square = [=](int64_t i) { return (x[i] - first - shift) * (x[i] - first - shift); };
  return {first, shift, static_cast<T>(1 / std::sqrt(sum_lane<T>(n, square) / count + eps))};
}

// The contribution of one row to the gradients: dx is written, dw and db are added to. Pointers of unwanted gradients are null.
template <typename T>
struct GradientRow {
  const T *x, *w, *dy;
  T *dx, *dw, *db;
};

template <typename T>
ETUDE_INLINE void backward_row(const GradientRow<T>& row, Moments<T> m, int64_t n) {
  const T *const x = row.x, *const w = row.w, *const dy = row.dy;
  T *const dx = row.dx, *const dw = row.dw, *const db = row.db;
  if (dw) {
    for (int64_t i = 0; i < n; ++i) dw[i] += dy[i] * m.z(x[i]);
    for (int64_t i = 0; i < n; ++i) db[i] += dy[i];
  }
  if (!dx) return;
  const double count = static_cast<double>(n);
  const auto mean_g = static_cast<T>(sum_lane<T>(n, [=](int64_t i) { return dy[i] * w[i]; }) / count);
  const auto mean_gz =
      static_cast<T>(sum_lane<T>(n, [=](int64_t i) { return dy[i] * w[i] * m.z(x[i]); }) / count);
  for (int64_t i = 0; i < n; ++i) dx[i] = m.scale * (dy[i] * w[i] - mean_g - m.z(x[i]) * mean_gz);
}

// A parameter as n numbers: the given ones, or n times `otherwise`.
Tensor parameter(const Tensor& given, double otherwise, int64_t n, ScalarType dtype) {
  if (!given.defined()) return full({n}, otherwise, isReducedFloatingType(dtype) ? kFloat : dtype);
  ETUDE_CHECK(given.scalar_type() == dtype, "expected scalar type ", toString(dtype), " but found ",
              toString(given.scalar_type()), "\nhint: input, weight and bias have one type");
  return dense(given);
}

// y, and the shift and scale of each row [rows, 2].
std::pair<Tensor, Tensor> forward(const Tensor& input, const Rows& rows, const Tensor& weight,
                                  const Tensor& bias, double eps) {
  const ScalarType dtype = input.scalar_type();
  const Tensor x = widened(input.detach().contiguous()), y = make_tensor(x.sizes(), x.scalar_type()),
               moments = make_tensor({rows.count, 2}, x.scalar_type());
  dispatch_floating("LayerNormKernelImpl", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = rows.length;
    const Tensor w = parameter(weight, 1, n, dtype), b = parameter(bias, 0, n, dtype);
    if (x.numel() == 0) return;
    const T *from = impl(x).data<T>(), *p = impl(w).data<T>(), *q = impl(b).data<T>();
    T *to = impl(y).data<T>(), *kept = impl(moments).data<T>();
    parallel_for(0, rows.count, rows.grain(), [=](int64_t begin, int64_t end) {
      vectorised<T>([=] {
        for (int64_t r = begin; r < end; ++r) {
          const T* const in = from + r * n;
          T* const out = to + r * n;
          const Moments<T> m = moments_of(in, n, eps);
          for (int64_t i = 0; i < n; ++i) out[i] = m.z(in[i]) * p[i] + q[i];
          kept[2 * r] = m.shift;
          kept[2 * r + 1] = m.scale;
        }
      });
    });
  });
  return {as_type(y, dtype), moments};
}

// Fewer blocks would leave threads without work; more would need more memory.
constexpr int64_t kBlocks = 64, kLeastRows = 16;

// Adds up the blocks of [blocks, n] by halves.
template <typename T>
void join_blocks(T* parts, int64_t blocks, int64_t n) {
  parallel_for(0, n, std::max<int64_t>(1, kGrain / blocks), [=](int64_t begin, int64_t end) {
    vectorised<T>([=] {
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
  const Tensor dw = zeros({sums ? blocks : 0, n}, dtype), db = zeros({sums ? blocks : 0, n}, dtype);
  dispatch_floating("LayerNormBackwardKernelImpl", dtype, [&](auto zero) {
    using T = decltype(zero);
    if (x.numel() == 0) return;
    const int64_t grain = std::max<int64_t>(1, rows.grain() / height);
    parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      vectorised<T>([=, from = impl(x).data<T>(), g = impl(dy).data<T>(), p = impl(w).data<T>(),
                     to = wanted.x ? impl(dx).data<T>() : nullptr,
                     sum_w = sums ? impl(dw).data<T>() : nullptr, sum_b = sums ? impl(db).data<T>() : nullptr,
                     m = impl(moments).data<T>()] {
        for (int64_t r = begin * height; r < std::min(end * height, rows.count); ++r) {
          const int64_t at = r * n, part = sums ? r / height * n : 0;
          const Moments<T> of_row{from[at], m[2 * r], m[2 * r + 1]};
          backward_row<T>({from + at, p, g + at, to ? to + at : nullptr, sum_w + part, sum_b + part}, of_row,
                          n);
        }
      });
    });
    if (sums) join_blocks(impl(dw).data<T>(), blocks, n);
    if (sums) join_blocks(impl(db).data<T>(), blocks, n);
  });
  auto total = [&](const Tensor& parts) { return with_sizes(parts.select(0, 0), parameters); };
  return {dx, wanted.weight ? total(dw) : Tensor(), wanted.bias ? total(db) : Tensor()};
}

// The same gradients composed of ops, which can be differentiated again. The engine adds up dw and db over the rows.
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
              weight.sizes(), " and normalized_shape = ", shape);
  ETUDE_CHECK(!bias.defined() || bias.sizes() == shape,
              "Expected bias to be of same shape as normalized_shape, but got bias of shape ", bias.sizes(),
              " and normalized_shape = ", shape);
  const size_t dims = input.sizes().size();
  ETUDE_CHECK(dims >= shape.size() && input.sizes().slice(dims - shape.size()) == shape,
              "Given normalized_shape=", shape, ", expected input with shape [*, ", Join(", ", shape),
              "], but got input of size", input.sizes(),
              "\nhint: normalized_shape holds the sizes of the last dims of the input");
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps, bool) {
  ETUDE_OP(layer_norm, input, normalized_shape, weight, bias, eps, false);
  check_sizes(input, normalized_shape, weight, bias);
  const Shape parameters(normalized_shape);
  const int64_t length = count_elements(parameters);
  const Rows rows{length > 0 ? input.numel() / length : 0, length};
  const auto [y, moments] = forward(input, rows, weight, bias, eps);
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
