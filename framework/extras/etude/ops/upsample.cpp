// Signals and images of another size, one dim after the other. s is the step from one element of y to the next, in x.
//
//   nearest   y[i] = x[floor(i s)]                     dx = dy added up at the sources
//   linear    y[i] = (1 - w) x[at] + w x[at + 1]       dx = the shares of dy added up at both sources
//
// at and w are the whole and the fractional part of i s with aligned corners, and of (i + 1/2) s - 1/2, not less than 0,
// without. The last element has itself for its successor.

#include "etude/ops/upsample.h"

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Where the elements along a dim come from. Without a second source, elements are copied.
struct Resampled {
  int64_t dim, size;
  Tensor at, next, share, next_share;
};

// The arguments of all functions here; only the linear ones have align_corners.
struct Resampling {
  const char* node;
  optional<bool> align_corners;
  std::vector<optional<double>> scales;
};

// T is the type in which PyTorch computes the places.
template <typename T>
Resampled resampled(const Resampling& how, const Tensor& x, int64_t size, size_t which) {
  const int64_t dim = static_cast<int64_t>(which) + 2, dims = x.dim(), n = x.size(dim);
  const auto& scale = how.scales[which];
  Tensor at = make_tensor({size}, kLong), next = make_tensor({size}, kLong),
         share = make_tensor({size}, CppTypeToScalarType<T>::value);
  auto *const first = impl(at).data<int64_t>(), *const second = impl(next).data<int64_t>();
  T* const w = impl(share).data<T>();
  const bool align = how.align_corners.value_or(false);
  const T step = align && size == 1    ? T(0)
                 : align               ? static_cast<T>(n - 1) / static_cast<T>(size - 1)
                 : scale && *scale > 0 ? static_cast<T>(1 / *scale)
                                       : static_cast<T>(n) / static_cast<T>(size);
  for (int64_t i = 0; i < size; ++i) {
    const T index = static_cast<T>(i);
    const T place = !how.align_corners ? static_cast<float>(step * index)  // also for float64
                    : size == n        ? index
                    : align            ? step * index
                                       : std::max(step * (index + T(0.5)) - T(0.5), T(0));
    first[i] = std::min(static_cast<int64_t>(place), n - 1);
    second[i] = std::min(first[i] + 1, n - 1);
    w[i] = std::clamp(place - static_cast<T>(first[i]), T(0), T(1));
  }
  if (!how.align_corners) return {dim, n, at, {}, {}, {}};
  return {dim, n, at, next, seen_along(1 - share, dims, dim), seen_along(share, dims, dim)};
}

void check_upsampled(const Tensor& x, IntArrayRef output_size, size_t dims, bool linear) {
  const auto in = x.sizes();
  ETUDE_CHECK(output_size.size() == dims, "It is expected output_size equals to ", dims, ", but got size ",
              output_size.size());
  ETUDE_CHECK(in.size() == dims + 2, "It is expected input_size equals to ", dims + 2, ", but got size ",
              in.size(), "\nreceived sizes ", in);
  bool some = true;
  for (size_t d = 0; d < dims; ++d) some = some && in[d + 2] > 0 && output_size[d] > 0;
  if (dims == 1)
    ETUDE_CHECK(some, "Input and output sizes should be greater than 0, but got input (W: ", in[2],
                ") and output (W: ", output_size[0], ")");
  else
    ETUDE_CHECK(some, "Input and output sizes should be greater than 0, but got input (H: ", in[2],
                ", W: ", in[3], ") output (H: ", output_size[0], ", W: ", output_size[1], ")");
  ETUDE_CHECK(in[1] > 0, "Non-empty ", dims + 2, "D data tensor expected but got a tensor with sizes ", in);
  if (!x.is_floating_point() && (linear || x.scalar_type() != kByte))
    refuse_dtype(str("compute_indices_weights_", linear ? "linear" : "nearest").c_str(), x.scalar_type());
}

Tensor upsampled(const Tensor& self, IntArrayRef output_size, const Resampling& how) {
  const size_t dims = how.scales.size();
  check_upsampled(self, output_size, dims, how.align_corners.has_value());
  std::vector<Resampled> along(dims);
  Tensor y = how.align_corners ? widened(self.detach()) : self.detach();
  for (size_t d = dims; d-- > 0;) {
    Resampled& r = along[d];
    r = self.scalar_type() == kDouble ? resampled<double>(how, self, output_size[d], d)
                                      : resampled<float>(how, self, output_size[d], d);
    const Tensor first = y.index_select(r.dim, r.at);
    y = r.next.defined() ? first.mul_(r.share).add_(y.index_select(r.dim, r.next).mul_(r.next_share)) : first;
  }
  return recorded(how.node, {self}, as_type(y, self.scalar_type()), [along](const Tensor& dy) {
    Tensor dx = isReducedFloatingType(dy.scalar_type()) ? dy.to(kFloat) : dy;
    for (const Resampled& r : along) {
      Shape sizes = impl(dx).sizes;
      sizes[r.dim] = r.size;
      const Tensor none = zeros(sizes, dx.scalar_type());
      dx = r.next.defined()
               ? none.index_add(r.dim, r.at, dx * r.share).index_add(r.dim, r.next, dx * r.next_share)
               : none.index_add(r.dim, r.at, dx);
    }
    return dx;
  });
}

}  // namespace

Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size, optional<double> scales) {
  ETUDE_OP(upsample_nearest1d, self, output_size, scales);
  return upsampled(self, output_size, {"UpsampleNearest1DBackward0", nullopt, {scales}});
}

Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size, optional<double> scales_h,
                          optional<double> scales_w) {
  ETUDE_OP(upsample_nearest2d, self, output_size, scales_h, scales_w);
  return upsampled(self, output_size, {"UpsampleNearest2DBackward0", nullopt, {scales_h, scales_w}});
}

Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                         optional<double> scales) {
  ETUDE_OP(upsample_linear1d, self, output_size, align_corners, scales);
  return upsampled(self, output_size, {"UpsampleLinear1DBackward0", align_corners, {scales}});
}

Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                           optional<double> scales_h, optional<double> scales_w) {
  ETUDE_OP(upsample_bilinear2d, self, output_size, align_corners, scales_h, scales_w);
  return upsampled(self, output_size, {"UpsampleBilinear2DBackward0", align_corners, {scales_h, scales_w}});
}

}  // namespace etude
