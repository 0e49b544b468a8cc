// New tensors. The ops have no gradient; requires_grad in the options makes the result a leaf.

#include <cmath>
#include <cstring>

#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

constexpr uint64_t kMostElements = uint64_t{1} << 62;

void check_sizes(IntArrayRef sizes) {
  for (int64_t s : sizes)
    ETUDE_CHECK(s >= 0, "Trying to create tensor with negative dimension ", s, ": ", sizes);
}

IntArrayRef checked(IntArrayRef sizes) {
  check_sizes(sizes);
  return sizes;
}

Tensor finish(Tensor t, const TensorOptions& options) {
  if (options.requires_grad()) t.set_requires_grad(true);
  return t;
}

// Fills t, a new tensor, with the value and resets its version.
Tensor filled(const Tensor& t, const Scalar& value) {
  unrecorded([&] { return t.fill_(value); });
  impl(t).storage->version = 0;
  return t;
}

Tensor filled(IntArrayRef sizes, const Scalar& value, ScalarType dtype) {
  check_sizes(sizes);
  return filled(make_tensor(sizes, dtype), value);
}

TensorOptions like_options(const Tensor& like, const TensorOptions& options) {
  return options.has_dtype() ? options : options.dtype(like.scalar_type());
}

// Without a dtype, integers stay int64 and everything else becomes the default dtype.
ScalarType range_dtype(const TensorOptions& options, std::initializer_list<Scalar> numbers) {
  if (options.has_dtype()) return options.dtype();
  for (const Scalar& s : numbers)
    if (s.isFloatingPoint()) return get_default_dtype();
  return kLong;
}

// The type in which elements are computed.
template <typename T>
using Wide = std::conditional_t<is_floating<T>, double, int64_t>;

// out[i] = f(i). Each thread has its own copy of f, so that no store to out can change what f has captured.
template <typename T, typename F>
void write_each(T* out, int64_t n, F f) {
  parallel_for(0, n, kGrain, [=](int64_t begin, int64_t stop) {
    const F own = f;
    T* const to = out;
    for (int64_t i = begin; i < stop; ++i) to[i] = static_cast<T>(own(i));
  });
}

template <typename N>
void check_range(N from, N to, N by) {
  ETUDE_CHECK(by != 0, "step must be nonzero");
  if constexpr (is_floating<N>)
    ETUDE_CHECK(std::isfinite(from) && std::isfinite(to), "unsupported range: ", from, " -> ", to);
  ETUDE_CHECK((by > 0 && to >= from) || (by < 0 && to <= from),
              "upper bound and lower bound inconsistent with step sign");
}

// The number of elements, computed before start and step lose their fractions in an integer type.
int64_t range_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true)) {
    const int64_t from = start.toLong(), to = end.toLong(), by = step.toLong();
    check_range(from, to, by);
    // As unsigned numbers, a difference and the size of a step always fit.
    const auto distance = by > 0 ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                                 : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
    const uint64_t stride = by > 0 ? static_cast<uint64_t>(by) : ~static_cast<uint64_t>(by) + 1;
    const uint64_t count = distance == 0 ? 0 : (distance - 1) / stride + 1;
    ETUDE_CHECK(count <= kMostElements, "invalid size, possible overflow?\nreceived ", count, " elements");
    return static_cast<int64_t>(count);
  }
  check_range(start.toDouble(), end.toDouble(), step.toDouble());
  const double count = std::ceil((end.toDouble() - start.toDouble()) / step.toDouble());
  ETUDE_CHECK(count >= 0 && count <= static_cast<double>(kMostElements),
              "invalid size, possible overflow?\nreceived ", count, " elements");
  return static_cast<int64_t>(count);
}

}  // namespace

Tensor empty(IntArrayRef sizes, const TensorOptions& options) {
  ETUDE_OP(empty, sizes, options);
  check_sizes(sizes);
  return finish(make_tensor(sizes, options.dtype()), options);
}

// Zero has zero bytes in every type.
Tensor zeros(IntArrayRef sizes, const TensorOptions& options) {
  ETUDE_OP(zeros, sizes, options);
  for (const int64_t size : sizes)
    ETUDE_CHECK(size >= 0, "zeros: Dimension size must be non-negative.\nreceived sizes ", sizes);
  Tensor t = empty(sizes, options);
  std::byte* const to = impl(t).bytes();
  parallel_for(0, impl(t).storage->bytes, kGrain * 4, [to](int64_t begin, int64_t end) {
    std::memset(to + begin, 0, static_cast<size_t>(end - begin));
  });
  return t;
}
Tensor ones(IntArrayRef sizes, const TensorOptions& options) {
  ETUDE_OP(ones, sizes, options);
  return finish(filled(sizes, 1, options.dtype()), options);
}

Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  ETUDE_OP(full, sizes, value, options);
  const ScalarType own = value.isFloatingPoint() ? get_default_dtype() : value.type();
  return finish(filled(sizes, value, options.has_dtype() ? options.dtype() : own), options);
}

Tensor empty_like(const Tensor& like, const TensorOptions& options) {
  ETUDE_OP(empty_like, like, options);
  const TensorOptions o = like_options(like, options);
  return finish(output_for({}, impl(like).sizes, o.dtype(), {&impl(like)}), o);
}

Tensor zeros_like(const Tensor& like, const TensorOptions& options) { return full_like(like, 0, options); }
Tensor ones_like(const Tensor& like, const TensorOptions& options) { return full_like(like, 1, options); }

Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options) {
  ETUDE_OP(full_like, like, value, options);
  const TensorOptions o = like_options(like, options);
  return finish(filled(output_for({}, impl(like).sizes, o.dtype(), {&impl(like)}), value), o);
}

Tensor Tensor::new_empty(IntArrayRef sizes, const TensorOptions& options) const {
  return etude::empty(sizes, like_options(*this, options));
}
Tensor Tensor::new_zeros(IntArrayRef sizes, const TensorOptions& options) const {
  return etude::zeros(checked(sizes), like_options(*this, options));
}
Tensor Tensor::new_ones(IntArrayRef sizes, const TensorOptions& options) const {
  return etude::ones(sizes, like_options(*this, options));
}
Tensor Tensor::new_full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) const {
  return etude::full(sizes, value, like_options(*this, options));
}

Tensor arange(const Scalar& end, const TensorOptions& options) { return arange(0, end, 1, options); }
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options) {
  ETUDE_OP(arange, start, end, step, options);
  const ScalarType dtype = range_dtype(options, {start, end, step});
  if (isReducedFloatingType(dtype)) return finish(as_type(arange(start, end, step, kFloat), dtype), options);
  return dispatch_numbers("arange_cpu", dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor t = make_tensor(Shape{range_length(start, end, step)}, dtype);
    const auto from = start.to<Wide<T>>(), by = step.to<Wide<T>>();
    T* out = impl(t).data<T>();
    write_each(out, impl(t).numel, [=](int64_t i) { return from + static_cast<Wide<T>>(i) * by; });
    return finish(t, options);
  });
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, const TensorOptions& options) {
  ETUDE_OP(linspace, start, end, steps, options);
  ETUDE_CHECK(steps >= 0, "number of steps must be non-negative");
  const Tensor t = make_tensor(Shape{steps}, options.dtype());
  const auto write = [&](auto zero) {
    using T = decltype(zero);
    using Step = std::conditional_t<std::is_integral_v<T>, float, T>;
    const Step from = static_cast<Step>(start.to<T>()), to = static_cast<Step>(end.to<T>());
    const Step by = steps > 1 ? (to - from) / static_cast<Step>(steps - 1) : Step(0);
    T* out = impl(t).data<T>();
    // Computed from both ends towards the middle, so that start and end are exact.
    const int64_t middle = std::max(steps / 2, std::min<int64_t>(steps, 1));
    write_each(out, middle, [=](int64_t i) { return from + by * static_cast<Step>(i); });
    write_each(out + middle, steps - middle,
               [=, rest = steps - middle - 1](int64_t i) { return to - by * static_cast<Step>(rest - i); });
  };
  if (isFloatingType(options.dtype())) dispatch_any_floating("linspace_cpu", options.dtype(), write);
  else dispatch_numbers("linspace_cpu", options.dtype(), write);
  return finish(t, options);
}

Tensor eye(int64_t n, const TensorOptions& options) { return eye(n, n, options); }

Tensor eye(int64_t n, int64_t m, const TensorOptions& options) {
  ETUDE_OP(eye, n, m, options);
  ETUDE_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  ETUDE_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  const Tensor t = filled(Shape{n, m}, 0, options.dtype());
  dispatch(options.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < std::min(n, m); ++i) impl(t).data<T>()[i * (m + 1)] = T(1);
  });
  return finish(t, options);
}

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) {
  ETUDE_OP(scalar_tensor, value, options);
  return finish(filled({}, value, options.dtype()), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return from_blob(data, sizes, strides, std::function<void(void*)>(), options);
}

Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), deleter, options);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options) {
  check_sizes(sizes);
  ETUDE_CHECK(sizes.size() == strides.size(), "mismatch in length of strides and shape\nreceived sizes ",
              sizes, " and strides ", strides);
  const int64_t bytes = span(sizes, strides, 0) * elementSize(options.dtype());
  ETUDE_CHECK(data || bytes == 0, "from_blob: the data is a null pointer\nreceived sizes ", sizes);
  return finish(make_view(borrow(data, bytes, deleter), sizes, strides, 0, options.dtype()), options);
}

}  // namespace etude
