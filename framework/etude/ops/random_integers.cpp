// Random integers. The stream itself is in random_streams.cpp. The gradient is zero.
//
//   random_(from, to): from + output mod (to - from), for every type. Floats get the converted integer.

#include <algorithm>
#include <limits>

#include "etude/ops/detail/random.h"

namespace etude {
namespace {

using namespace detail;

constexpr int64_t kLeastLong = std::numeric_limits<int64_t>::min(),
                  kMostLong = std::numeric_limits<int64_t>::max();

// Integers in base + [0, range); a range of 0 means 2^64. Large ranges take 64 bits of the stream for each number.
struct Integers {
  uint64_t range;
  int64_t base;
  bool wide = range - 1 >= (uint64_t{1} << 28) - 1;

  void operator()(GeneratorImpl& g, const Tensor& y) const {
    EveryType{"random_from_to_kernel_cpu"}(y.scalar_type(), [&](auto zero) {
      fill_integers(g, impl(y).data<decltype(zero)>(), y.numel(), range, base, wide);
    });
  }
};

// Converts as the processors that PyTorch runs on do if the value does not fit.
template <typename T>
int64_t to_int64(T v) {
  return v >= static_cast<T>(0x1p63) ? kLeastLong : static_cast<int64_t>(v);
}

// Where T cannot tell consecutive integers apart, PyTorch moves the bounds inwards to the next integers that T can tell apart.
template <typename T>
int64_t spacing(int64_t v) {
  int exponent = 0;
  for (uint64_t rest = v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v); rest >>= 1;)
    ++exponent;
  return int64_t{1} << std::max(exponent - std::numeric_limits<T>::digits + 1, 0);
}

template <typename T>
int64_t first_in(int64_t from) {
  const int64_t next = to_int64(static_cast<T>(from + 1));
  return next < from ? next + spacing<T>(from + 1) : from;
}

template <typename T>
int64_t end_in(int64_t to) {
  const int64_t last = to_int64(static_cast<T>(to - 1));
  return last >= to ? last - spacing<T>(to - 1) : to;
}

// For integer types, from and the last value must be elements of the type. Floats except float16 hold them at least nearly.
void check_bounds(ScalarType type, int64_t from, int64_t last) {
  if (isFloatingType(type) && type != kHalf) return;
  const int64_t most = type == kHalf ? 65504 : row_of(type).most;
  const int64_t least = type == kHalf                   ? -most
                        : type == kInt || type == kChar ? -most - 1
                        : type == kLong                 ? kLeastLong
                                                        : 0;
  const char* const name_of_type = type == kLong ? "long" : row_of(type).cpp_name;
  const auto check = [&](int64_t v, const char* name) {
    ETUDE_CHECK(v >= least && v <= most, name, " is out of bounds for ", name_of_type, "\nreceived ", name,
                "=", v, "\nhint: ", dtype_name(type), " holds ", least, " to ", most);
  };
  check(from, "from");
  check(last, "to - 1");
}

Integers integers_between(ScalarType type, int64_t from, int64_t to) {
  ETUDE_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
  if (isFloatingType(type)) {
    dispatch_any_floating("random_from_to", type, [&](auto zero) {
      from = first_in<decltype(zero)>(from);
      to = end_in<decltype(zero)>(to);
    });
    ETUDE_CHECK(from < to,
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=",
                from, " >= to=", to);
  }
  check_bounds(type, from, to - 1);
  return {static_cast<uint64_t>(to) - static_cast<uint64_t>(from), from};
}

Integers integers_from(ScalarType type, int64_t from) {
  const int64_t last = row_of(type).most;
  if (from == kLeastLong) {
    if (type == kBool || type == kHalf) refuse_dtype("random_full_64_bits_range_kernel_cpu", type);
    ETUDE_CHECK(
        type == kLong || isFloatingType(type),
        "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16\nreceived ",
        dtype_name(type));
    return {0, 0};
  }
  if (isFloatingType(type)) {
    if (from < kMostLong)
      dispatch_any_floating("random_from_to", type,
                            [&](auto zero) { from = first_in<decltype(zero)>(from); });
    ETUDE_CHECK(from < last,
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                "dtype, but got from=",
                from, " > to_inc=", last);
  }
  check_bounds(type, from, last);
  return {static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1, from};
}

}  // namespace

Tensor& Tensor::random_(int64_t from, optional<int64_t> to, optional<Generator> generator) const {
  ETUDE_METHOD_OP(random_, from, to, generator);
  // PyTorch checks the target before the bounds.
  check_in_place(*this, needs_grad(*this));
  const Integers integers =
      to ? integers_between(scalar_type(), from, *to) : integers_from(scalar_type(), from);
  return fill_random(*this, "RandomBackward0", generator, integers);
}

Tensor& Tensor::random_(int64_t to, optional<Generator> generator) const {
  ETUDE_METHOD_OP(random_, to, generator);
  check_in_place(*this, needs_grad(*this));
  return fill_random(*this, "RandomBackward1", generator, integers_between(scalar_type(), 0, to));
}

Tensor& Tensor::random_(optional<Generator> generator) const {
  ETUDE_METHOD_OP(random_, generator);
  const uint64_t range = static_cast<uint64_t>(row_of(scalar_type()).most) + 1;
  const Integers integers{range, 0, range > UINT32_MAX};
  return fill_random(*this, "RandomBackward2", generator, integers);
}

Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(0, high, sizes, nullopt, options);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(low, high, sizes, nullopt, options);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, optional<Generator> generator,
               const TensorOptions& options) {
  ETUDE_OP(randint, low, high, sizes, generator, options);
  const Tensor y = empty(sizes, options.dtype());
  return draw_into(y, options, generator, integers_between(y.scalar_type(), low, high));
}

}  // namespace etude
