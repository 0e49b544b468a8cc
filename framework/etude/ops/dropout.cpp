// dropout: y = x * noise, where noise is 0 with probability p and 1 / (1 - p) otherwise;  dx = dy * noise.
//
// The expectation of y is x. In evaluation and for p = 0, y is x itself. A dropped negative number becomes -0, as in PyTorch.
//
// Only one byte per element is saved, which says whether it was kept. The bytes are drawn in rounds: while one thread draws the
// next round, the others multiply by the last one; then the first thread helps them.

#include <atomic>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/random.h"

namespace etude {
namespace {

using namespace detail;

bool keeps_all(const Tensor& input, double p, bool train) {
  ETUDE_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  return p == 0 || !train || input.numel() == 0;
}

// The factor of kept elements, rounded as PyTorch rounds it.
double scale_of(ScalarType t, double p) {
  const auto rounded = [p](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(static_cast<T>(T(1) / static_cast<T>(1 - p)));
  };
  return isReducedFloatingType(t) ? dispatch_reduced(t, rounded) : dispatch_floating("dropout", t, rounded);
}

// y[i] = x[i] * noise[i]
template <typename T>
void drop_row(const T* x, const uint8_t* kept, T* y, int64_t n, T scale) {
  vectorised<T>([=] {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * (static_cast<T>(kept[i]) * scale);
  });
}

// The samples are drawn in the order of the elements in memory.
Tensor noise_for(const Tensor& input, double p) {
  if (p == 1) return zeros({}, input.scalar_type());
  const NoGradGuard no_grad;
  return empty_like(input).bernoulli_(1 - p).div_(1 - p);
}

Tensor dropout_backward(const Tensor& dy, const Tensor& kept, double scale) {
  if (recording({dy})) return dy * (kept.to(dy.scalar_type()) * scale);
  const Tensor g = dy.contiguous();
  Tensor dx = make_tensor(impl(g).sizes, g.scalar_type());
  dispatch_floating("dropout", g.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    parallel_for(0, g.numel(), kGrain, [&](int64_t begin, int64_t end) {
      drop_row(impl(g).data<T>() + begin, impl(kept).data<uint8_t>() + begin, impl(dx).data<T>() + begin,
               end - begin, static_cast<T>(scale));
    });
  });
  return dx;
}

constexpr int64_t kRound = 1 << 16,  // elements, few enough for their samples to fit the second-level cache
    kPiece = kRound / 8;             // elements that a thread takes at a time

}  // namespace

void detail::draw_kept(uint8_t* kept, int64_t n, double p, FunctionRef<void(int64_t, int64_t)> write) {
  GeneratorImpl& generator = default_generator().impl();
  const std::lock_guard<std::mutex> lock(generator.mutex);
  const auto draw = [&](int64_t start) {
    if (start < n) fill_bernoulli(generator, kept + start, std::min(kRound, n - start), 1 - p, uint8_t{1});
  };
  draw(0);
  for (int64_t start = 0; start < n; start += kRound) {
    const int64_t end = std::min(n, start + kRound), threads = end - start <= kGrain ? 1 : get_num_threads();
    std::atomic<int64_t> next{start};
    parallel_for(0, threads, 1, [&](int64_t thread, int64_t) {
      if (thread == 0) draw(end);
      for (int64_t from = next.fetch_add(kPiece); from < end; from = next.fetch_add(kPiece))
        write(from, std::min(kPiece, end - from));
    });
  }
}

Tensor dropout(const Tensor& input, double p, bool train) {
  ETUDE_OP(dropout, input, p, train);
  if (keeps_all(input, p, train)) return input;
  if (p == 1 || !input.is_floating_point() || !input.is_contiguous()) return input * noise_for(input, p);
  const double scale = scale_of(input.scalar_type(), p);
  const Tensor from = widened(input), y = make_tensor(impl(from).sizes, from.scalar_type()),
               kept = make_tensor(impl(y).sizes, kByte);
  dispatch_floating("dropout", from.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T* const x = impl(from).data<T>();
    uint8_t* const stayed = impl(kept).data<uint8_t>();
    draw_kept(stayed, y.numel(), p, [=, to = impl(y).data<T>()](int64_t first, int64_t count) {
      drop_row(x + first, stayed + first, to + first, count, static_cast<T>(scale));
    });
  });
  return recorded("MulBackward0", {input, kept}, as_type(y, input.scalar_type()), {kept},
                  [scale](const Tensor& dy, const Tensor& stayed) {
                    return Gradients{dropout_backward(dy, stayed, scale), Tensor()};
                  });
}

Tensor& dropout_(Tensor& input, double p, bool train) {
  ETUDE_OP(dropout_, input, p, train);
  return keeps_all(input, p, train) ? input : input.mul_(noise_for(input, p));
}

}  // namespace etude
