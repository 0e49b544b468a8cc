// Tensors of random numbers: PyTorch's CPU streams, bit for bit. The streams themselves are in
// random_streams.cpp and random_normal.cpp.
//
// Drawn values have gradient zero, both for the overwritten tensor and for a mean or a standard deviation, as in PyTorch.

#include <algorithm>
#include <limits>
#include <numeric>

#include "etude/ops/detail/random.h"

namespace etude {

Shape detail::order_in_memory(const Tensor& t) {
  const Shape &sizes = impl(t).sizes, &strides = impl(t).strides;
  Shape order = Shape::filled(sizes.size(), 0);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[a] != strides[b] ? strides[a] > strides[b] : sizes[a] < sizes[b];
  });
  return order;
}

Tensor detail::in_order(const Tensor& t, const Shape& order) {
  const TensorImpl& from = impl(t);
  Shape sizes = from.sizes, strides = from.strides;
  for (int64_t d = 0; d < order.size(); ++d) {
    sizes[d] = from.sizes[order[d]];
    strides[d] = from.strides[order[d]];
  }
  return make_view(from.storage, sizes, strides, from.offset, from.dtype);
}

namespace {

using namespace detail;

void check_floating(const Tensor& t, const char* kernel, const char* op) {
  ETUDE_CHECK_WITH(NotImplementedError, t.is_floating_point(), "\"", kernel, "\" not implemented for '",
                   toString(t.scalar_type()), "'\nreceived ", dtype_name(t.scalar_type()), " for ", op,
                   "\nhint: it needs torch.float32 or torch.float64; random_ and randint fill integers");
}

struct Uniform {
  double from, to;
  ScalarType type;

  Uniform(const Tensor& t, double from_, double to_) : from(from_), to(to_), type(t.scalar_type()) {
    check_floating(t, "check_uniform_bounds", "uniform_");
    const double most = dispatch(
        type, [](auto zero) { return static_cast<double>(std::numeric_limits<decltype(zero)>::max()); });
    const char* const name = row_of(type).cpp_name;
    const auto holds = [most](double v) { return v >= -most && v <= most; };
    ETUDE_CHECK(holds(from), "from is out of bounds for ", name, "\nreceived from=", from);
    ETUDE_CHECK(holds(to), "to is out of bounds for ", name, "\nreceived to=", to);
    ETUDE_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    ETUDE_CHECK(to - from <= most, "uniform_ expects to-from <= std::numeric_limits<", toString(type),
                ">::max(), but found to=", to, " and from=", from,
                " which result in to-from to exceed the limit");
  }
  void operator()(GeneratorImpl& g, const Tensor& y) const {
    dispatch_floating("check_uniform_bounds", y.scalar_type(), [&](auto zero) {
      fill_uniform(g, impl(y).data<decltype(zero)>(), y.numel(), from, to);
    });
    if (type != y.scalar_type()) dispatch_reduced(type, [&](auto zero) { keep_below(zero, y); });
  }
  // Numbers that rounding to T would turn into `to` become `from`.
  template <typename T>
  void keep_below(T, const Tensor& y) const {
    const float begin = static_cast<T>(from), end = static_cast<T>(to);
    float* const out = impl(y).data<float>();
    for (int64_t i = 0; i < y.numel(); ++i)
      if (static_cast<float>(static_cast<T>(out[i])) == end) out[i] = begin;
  }
};

struct Normal {
  double mean, std;
  bool in_blocks;  // whether PyTorch uses the stream of blocks: a contiguous tensor of at least 16 elements
  bool is_rounded;

  Normal(const Tensor& t, double mean_, double std_)
      : mean(mean_),
        std(std_),
        in_blocks(t.is_contiguous() && t.numel() >= 16),
        is_rounded(isReducedFloatingType(t.scalar_type())) {
    ETUDE_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
    check_floating(t, "normal_kernel_cpu", "normal_");
  }
  void operator()(GeneratorImpl& g, const Tensor& y) const {
    dispatch_floating("normal_kernel_cpu", y.scalar_type(), [&](auto zero) {
      auto* const out = impl(y).data<decltype(zero)>();
      const int64_t n = y.numel(), rest = in_blocks && is_rounded ? n % 16 : 0;
      if (!in_blocks) return fill_normal_pairs(g, out, n, mean, std);
      fill_normal_blocks(g, out, n - rest, mean, std);
      // PyTorch draws no number for an element of float16 or bfloat16 that the last block draws again.
      if (rest > 0) fill_normal_blocks(g, out + n - 16, 16, mean, std);
    });
  }
};

// Memory to be filled. requires_grad of the options is applied afterwards.
Tensor blank(IntArrayRef sizes, const TensorOptions& options) { return empty(sizes, options.dtype()); }
Tensor blank_like(const Tensor& like, const TensorOptions& options) {
  return empty_like(like, options.requires_grad(false));
}

Tensor drawn_uniform(const Tensor& y, const TensorOptions& options, const optional<Generator>& generator) {
  return draw_into(y, options, generator, Uniform(y, 0, 1));
}

Tensor drawn_normal(const Tensor& y, const TensorOptions& options, const optional<Generator>& generator,
                    double mean = 0, double std = 1) {
  return draw_into(y, options, generator, Normal(y, mean, std));
}

// Records y, drawn for each element of a mean or a standard deviation.
Tensor recorded_draw(const char* name, const Tensor& parameter, const Tensor& y) {
  impl(y).storage->version = 0;
  return recorded(name, {parameter}, y, [sizes = Shape(parameter.sizes())](const Tensor& dy) {
    return zeros(sizes, dy.scalar_type());
  });
}

void check_std(const Tensor& std) {
  const NoGradGuard no_grad;
  ETUDE_CHECK(std.ge(0).all().item<bool>(), "normal expects all elements of std >= 0.0");
}

}  // namespace

Tensor& Tensor::uniform_(double from, double to, optional<Generator> generator) const {
  ETUDE_METHOD_OP(uniform_, from, to, generator);
  return fill_random(*this, "UniformBackward0", generator, Uniform(*this, from, to));
}

Tensor& Tensor::normal_(double mean, double std, optional<Generator> generator) const {
  ETUDE_METHOD_OP(normal_, mean, std, generator);
  return fill_random(*this, "NormalBackward0", generator, Normal(*this, mean, std));
}

Tensor& Tensor::exponential_(double lambda, optional<Generator> generator) const {
  ETUDE_METHOD_OP(exponential_, lambda, generator);
  ETUDE_CHECK(lambda > 0, "exponential_ expects lambda > 0.0, but found lambda=", lambda);
  ETUDE_CHECK(is_floating_point(),
              "Exponential distribution is a continuous probability distribution. dtype must be a floating "
              "point but you specified ",
              toString(scalar_type()));
  return fill_random(*this, "ExponentialBackward0", generator, [lambda](GeneratorImpl& g, const Tensor& y) {
    dispatch_floating("exponential_cpu", y.scalar_type(), [&](auto zero) {
      fill_exponential(g, impl(y).data<decltype(zero)>(), y.numel(), lambda);
    });
  });
}

Tensor& Tensor::bernoulli_(double p, optional<Generator> generator) const {
  ETUDE_METHOD_OP(bernoulli_, p, generator);
  ETUDE_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return fill_random(*this, "BernoulliBackward2", generator, [p](GeneratorImpl& g, const Tensor& y) {
    EveryType{"bernoulli_scalar_cpu_"}(y.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      fill_bernoulli(g, impl(y).data<T>(), y.numel(), p, T(1));
    });
  });
}

Tensor rand(IntArrayRef sizes, const TensorOptions& options) { return rand(sizes, nullopt, options); }
Tensor rand(IntArrayRef sizes, optional<Generator> generator, const TensorOptions& options) {
  ETUDE_OP(rand, sizes, generator, options);
  return drawn_uniform(blank(sizes, options), options, generator);
}
Tensor rand_like(const Tensor& like, const TensorOptions& options) {
  ETUDE_OP(rand_like, like, options);
  return drawn_uniform(blank_like(like, options), options, nullopt);
}

Tensor randn(IntArrayRef sizes, const TensorOptions& options) { return randn(sizes, nullopt, options); }
Tensor randn(IntArrayRef sizes, optional<Generator> generator, const TensorOptions& options) {
  ETUDE_OP(randn, sizes, generator, options);
  return drawn_normal(blank(sizes, options), options, generator);
}
Tensor randn_like(const Tensor& like, const TensorOptions& options) {
  ETUDE_OP(randn_like, like, options);
  return drawn_normal(blank_like(like, options), options, nullopt);
}

Tensor normal(double mean, double std, IntArrayRef sizes, optional<Generator> generator,
              const TensorOptions& options) {
  ETUDE_OP(normal, mean, std, sizes, generator, options);
  return drawn_normal(blank(sizes, options), options, generator, mean, std);
}

Tensor normal(const Tensor& mean, double std, optional<Generator> generator) {
  ETUDE_OP(normal, mean, std, generator);
  const Tensor y = drawn_normal(empty(mean.sizes(), mean.scalar_type()), {}, generator, 0, std);
  return recorded_draw("NormalBackward1", mean, y.add_(mean.detach()));
}

Tensor normal(double mean, const Tensor& std, optional<Generator> generator) {
  ETUDE_OP(normal, mean, std, generator);
  check_std(std);
  const Tensor y = drawn_normal(empty(std.sizes(), std.scalar_type()), {}, generator);
  return recorded_draw("NormalBackward2", std, y.mul_(std.detach()).add_(mean));
}

Tensor normal(const Tensor& mean, const Tensor& std, optional<Generator> generator) {
  ETUDE_OP(normal, mean, std, generator);
  check_std(std);
  Tensor y =
      drawn_normal(empty(broadcast_sizes(mean.sizes(), std.sizes()), mean.scalar_type()), {}, generator);
  y.mul_(std.detach()).add_(mean.detach());
  impl(y).storage->version = 0;
  return recorded("NormalBackward3", {mean, std}, y,
                  [of_mean = Shape(mean.sizes()), of_std = Shape(std.sizes())](const Tensor& dy) {
                    return Gradients{zeros(of_mean, dy.scalar_type()), zeros(of_std, dy.scalar_type())};
                  });
}

}  // namespace etude
