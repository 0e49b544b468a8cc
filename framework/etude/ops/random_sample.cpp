// Sampling by given probabilities, and permutations.
//
//   bernoulli(p): u < p, where u is uniform in p's type.
//   multinomial without replacement: the largest of p / q, where q is exponential with rate 1; with
//   replacement: the first running sum of p, divided by the total, that is at least u.
//
// bernoulli has gradient zero; the others have no gradient.

#include <algorithm>
#include <cmath>
#include <vector>

#include "etude/ops/detail/arrange.h"
#include "etude/ops/detail/random.h"

namespace etude {
namespace {

using namespace detail;

constexpr int64_t kMaxCategories = int64_t{1} << 24;

template <typename P>
void check_probabilities(const P* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    ETUDE_CHECK(p[i] >= 0 && p[i] <= 1,
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                "improved?  If so, please report an "
                "enhancement request to PyTorch.)\nreceived a probability of ",
                p[i], "\nhint: bernoulli takes probabilities; apply sigmoid or softmax to scores first");
}

// Draws a uniform number of p's type for each element of y. p is contiguous and has y's sizes.
void draw_bernoulli(GeneratorImpl& g, const Tensor& y, const Tensor& p) {
  if (isReducedFloatingType(p.scalar_type())) return draw_bernoulli(g, y, widened(p));
  dispatch_floating("bernoulli_tensor_cpu_p_", p.scalar_type(), [&](auto real) {
    using P = decltype(real);
    const P* const probability = impl(p).data<P>();
    check_probabilities(probability, p.numel());
    const Tensor u = make_tensor(p.sizes(), p.scalar_type());
    P* const uniform = impl(u).data<P>();
    fill_uniform(g, uniform, u.numel(), 0, 1);
    EveryType{"bernoulli_tensor_cpu_self_"}(y.scalar_type(), [&](auto zero) {
      using T = decltype(zero);
      T* const out = impl(y).data<T>();
      for (int64_t i = 0; i < p.numel(); ++i) out[i] = static_cast<T>(uniform[i] < probability[i]);
    });
  });
}

// p expanded to the sizes of y, in the memory order of y.
Tensor matched(const Tensor& p, const Tensor& y) {
  const NoGradGuard no_grad;
  return in_order(p.detach().expand(y.sizes()), order_in_memory(y)).contiguous();
}

void check_holds(ScalarType type, int64_t n) {
  if (isReducedFloatingType(type) || type == kChar) refuse_dtype("randperm", type);
  const int64_t most = row_of(type).most;
  if (isFloatingType(type))
    ETUDE_CHECK(n <= most + 1, "n cannot be greater than 2^", type == kFloat ? 24 : 53, "+1 for ",
                toString(type), " type.\nreceived n=", n);
  else if (type != kBool)
    ETUDE_CHECK(n - 1 <= most, "value cannot be converted to type ", type == kByte ? "uint8_t" : "int",
                " without overflow\nreceived n=", n, " for randperm\nhint: the largest element is n - 1");
}

template <typename T>
void shuffle(GeneratorImpl& g, T* a, int64_t n) {
  for (int64_t i = 0; i < n - 1; ++i) std::swap(a[i], a[i + static_cast<int64_t>(g.word()) % (n - i)]);
}

void check_multinomial(const Tensor& p, int64_t num_samples, bool replacement) {
  ETUDE_CHECK(p.dim() == 1 || p.dim() == 2, "prob_dist must be 1 or 2 dim\nreceived sizes ", p.sizes());
  ETUDE_CHECK(p.is_floating_point(),
              "multinomial only supports floating-point dtypes for input, got: ", toString(p.scalar_type()));
  ETUDE_CHECK(num_samples > 0, "cannot sample n_sample <= 0 samples\nreceived num_samples=", num_samples);
  ETUDE_CHECK(
      replacement || num_samples <= p.size(-1),
      "cannot sample n_sample > prob_dist.size(-1) samples without replacement\nreceived num_samples=",
      num_samples, " and sizes ", p.sizes(),
      "\nhint: pass replacement=true to draw a category more than once");
  ETUDE_CHECK(p.size(-1) <= kMaxCategories, "number of categories cannot exceed 2^24\nreceived ", p.size(-1));
}

template <typename T>
void check_rows_without_replacement(const T* p, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows * n; ++i)
    ETUDE_CHECK(p[i] >= 0 && std::isfinite(p[i]),
                "probability tensor contains either `inf`, `nan` or element < 0\nreceived ", p[i], " in row ",
                i / n, ", column ", i % n);
  for (int64_t row = 0; row < rows; ++row)
    ETUDE_CHECK(std::any_of(p + row * n, p + (row + 1) * n, [](T v) { return v > 0; }),
                "invalid multinomial distribution (sum of probabilities <= 0)\nreceived only zeros in row ",
                row);
}

template <typename T>
void check_rows_with_replacement(const T* p, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const T v = p[row * n + j];
      ETUDE_CHECK(v >= 0, "invalid multinomial distribution (encountering probability entry < 0)\nreceived ",
                  v, " in row ", row, ", column ", j);
      ETUDE_CHECK(
          std::isfinite(v),
          "invalid multinomial distribution (encountering probability entry = infinity or NaN)\nreceived ", v,
          " in row ", row, ", column ", j);
      sum += v;
    }
    ETUDE_CHECK(sum > 0,
                "invalid multinomial distribution (sum of probabilities <= 0)\nreceived only zeros in row ",
                row);
  }
}

// Equal keys have the same order as in PyTorch, which uses the same algorithm and comparison.
template <typename T>
void largest(const std::vector<std::pair<T, int64_t>>& keys, int64_t k, int64_t* out) {
  const auto larger = [](const auto& a, const auto& b) {
    return (std::isnan(a.first) && !std::isnan(b.first)) || a.first > b.first;
  };
  if (k == 1) {  // the first of equal keys
    *out = std::min_element(keys.begin(), keys.end(), larger)->second;
    return;
  }
  auto queue = keys;
  detail::take_first(queue.data(), k, static_cast<int64_t>(keys.size()), /*sorted=*/true, larger);
  for (int64_t i = 0; i < k; ++i) out[i] = queue[static_cast<size_t>(i)].second;
}

template <typename T>
void sample_without_replacement(const T* p, const T* q, int64_t rows, int64_t n, int64_t k, int64_t* out) {
  std::vector<std::pair<T, int64_t>> keys(static_cast<size_t>(n));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < n; ++j) keys[static_cast<size_t>(j)] = {p[row * n + j] / q[row * n + j], j};
    largest(keys, k, out + row * k);
  }
}

template <typename T>
void sample_with_replacement(GeneratorImpl& g, const T* p, int64_t rows, int64_t n, int64_t k, int64_t* out) {
  std::vector<T> running(static_cast<size_t>(n));
  std::vector<double> u(static_cast<size_t>(k));
  for (int64_t row = 0; row < rows; ++row) {
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) running[static_cast<size_t>(j)] = sum += p[row * n + j];
    for (T& v : running) v /= sum;
    running.back() = 1;
    fill_uniform(g, u.data(), k, 0, 1);
    for (int64_t i = 0; i < k; ++i)
      out[row * k + i] =
          std::lower_bound(running.begin(), running.end(), u[static_cast<size_t>(i)]) - running.begin();
  }
}

}  // namespace

Tensor& Tensor::bernoulli_(const Tensor& p, optional<Generator> generator) const {
  ETUDE_METHOD_OP(bernoulli_, p, generator);
  const Tensor q = matched(p, *this);
  return fill_random(
      *this, "BernoulliBackward1", generator,
      [&q](GeneratorImpl& g, const Tensor& y) { draw_bernoulli(g, y, q); }, p);
}

Tensor bernoulli(const Tensor& p, optional<Generator> generator) {
  ETUDE_OP(bernoulli, p, generator);
  Tensor y = empty(p.sizes(), p.scalar_type());
  write_random(y, generator,
               [q = matched(p, y)](GeneratorImpl& g, const Tensor& to) { draw_bernoulli(g, to, q); });
  return recorded("BernoulliBackward0", {p}, y, [](const Tensor& dy) { return zeros_like(dy); });
}

ETUDE_METHOD(bernoulli, (optional<Generator> generator), generator)

Tensor randperm(int64_t n, const TensorOptions& options) { return randperm(n, nullopt, options); }

Tensor randperm(int64_t n, optional<Generator> generator, const TensorOptions& options) {
  ETUDE_OP(randperm, n, generator, options);
  const ScalarType type = options.has_dtype() ? options.dtype() : kLong;
  Tensor y = empty({n}, type);
  check_holds(type, n);
  dispatch_numbers("randperm", type, [&](auto zero) {
    using T = decltype(zero);
    T* const a = impl(y).data<T>();
    for (int64_t i = 0; i < n; ++i) a[i] = static_cast<T>(i);
    GeneratorImpl& g = generator_or_default(generator);
    const std::lock_guard<std::mutex> lock(g.mutex);
    shuffle(g, a, n);
  });
  if (options.requires_grad()) y.set_requires_grad(true);
  return y;
}

Tensor multinomial(const Tensor& p, int64_t num_samples, bool replacement, optional<Generator> generator) {
  ETUDE_OP(multinomial, p, num_samples, replacement, generator);
  check_multinomial(p, num_samples, replacement);
  const int64_t n = p.size(-1), rows = p.dim() == 2 ? p.size(0) : 1;
  Tensor y = p.dim() == 2 ? empty({rows, num_samples}, kLong) : empty({num_samples}, kLong);
  const Tensor wide = widened(p.detach()), probabilities = wide.contiguous();
  int64_t* const out = impl(y).data<int64_t>();
  dispatch_floating("multinomial", probabilities.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    const T* const weights = impl(probabilities).data<T>();
    if (replacement && num_samples > 1) {
      check_rows_with_replacement(weights, rows, n);
      GeneratorImpl& g = generator_or_default(generator);
      const std::lock_guard<std::mutex> lock(g.mutex);
      sample_with_replacement(g, weights, rows, n, num_samples, out);
    } else {
      check_rows_without_replacement(weights, rows, n);
      const Tensor q = empty_like(wide).exponential_(1, generator).contiguous();
      sample_without_replacement(weights, impl(q).data<T>(), rows, n, num_samples, out);
    }
  });
  return y;
}

ETUDE_METHOD(multinomial, (int64_t num_samples, bool replacement, optional<Generator> generator), num_samples,
             replacement, generator)

}  // namespace etude
