// sinusoids: y[p][2i] = sin(position[p] frequency[i]),  y[p][2i+1] = cos(position[p] frequency[i])
//
// The same bits as sin and cos of the products, in fewer steps: a sine and a cosine share nearly all of their steps.

#include <algorithm>
#include <cmath>

#include "etude/ops/detail/elementary.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

template <typename T, typename Math>
void write_row(T position, const T* frequency, T* y, int64_t width, Math) {
  const int64_t pairs = width / 2;
  for (int64_t i = 0; i < pairs; ++i) {
    const auto wave = Math::sin_and_cos(static_cast<double>(position * frequency[i]));
    y[2 * i] = static_cast<T>(wave.sine);
    y[2 * i + 1] = static_cast<T>(wave.cosine);
  }
  if (width % 2 != 0)
    y[2 * pairs] = static_cast<T>(Math::sin_and_cos(static_cast<double>(position * frequency[pairs])).sine);
}

// The largest absolute value, or nan if there is a nan.
template <typename T>
T largest_size(const Tensor& x) {
  T largest = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const T size = std::fabs(impl(x).data<T>()[i]);
    largest = size <= largest ? largest : size;
  }
  return largest;
}

}  // namespace

Tensor sinusoids(const Tensor& positions, const Tensor& frequencies, int64_t width) {
  ETUDE_OWN_OP(sinusoids, positions, frequencies, width);
  const int64_t expected = width / 2 + width % 2;
  ETUDE_CHECK(positions.dim() == 1 && frequencies.dim() == 1 && width >= 0 && frequencies.size(0) == expected,
              "sinusoids: expected positions and ", expected, " frequencies for a width of ", width,
              ", but got ", positions.sizes(), " and ", frequencies.sizes());
  ETUDE_CHECK(positions.scalar_type() == frequencies.scalar_type(), "expected scalar type ",
              toString(positions.scalar_type()), " but found ", toString(frequencies.scalar_type()));
  check_no_gradient("sinusoids", positions, "positions");
  check_no_gradient("sinusoids", frequencies, "frequencies");
  const Tensor from = positions.contiguous(), factors = frequencies.contiguous();
  Tensor y = make_tensor({positions.size(0), width}, positions.scalar_type());
  if (width == 0) return y;
  dispatch_floating("sinusoids", positions.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const bool small = largest_size<T>(from) * largest_size<T>(factors) < T(kSmallAngle);
    parallel_for(0, positions.size(0), std::max<int64_t>(1, kGrain / 8 / width),
                 [&](int64_t begin, int64_t end) {
                   vectorised<T>([=, position = impl(from).data<T>(), frequency = impl(factors).data<T>(),
                                  to = impl(y).data<T>()](auto form) {
                     const auto write_rows = [&](auto math) {
                       for (int64_t p = begin; p < end; ++p)
                         write_row(position[p], frequency, to + p * width, width, math);
                     };
                     if (small) return write_rows(MathFor<T, decltype(form)>());
                     write_rows(DoubleMath());
                   });
                 });
  });
  return y;
}

}  // namespace etude
