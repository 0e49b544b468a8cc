// Largest and smallest elements, with or without their positions; all and any.
//
//   max, min: dx is dy at the element found. Functions without positions (max(), amax) share dy evenly among equal
//   elements; functions with positions (max along a dim) give it to the first one. A nan counts as larger than
//   everything for max, and as smaller for min.

#include <cmath>
#include <limits>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/reduction.h"

namespace etude {
namespace {

using namespace detail;

constexpr bool kLargest = true, kSmallest = false;

template <typename T, bool largest>
struct Find {
  using Acc = T;
  using Limits = std::numeric_limits<T>;
  T start() const {
    if constexpr (Limits::has_infinity) return largest ? -Limits::infinity() : Limits::infinity();
    else return largest ? Limits::lowest() : Limits::max();
  }
  T load(T x, int64_t, int64_t) const { return x; }
  // A nan b is taken because nothing compares as larger; a nan a stays because it differs from itself. `|` is used
  // instead of `||`, here and below, because a branch would keep the loop from being vectorised.
  T join(T a, T b) const { return ((largest ? a > b : a < b) | (a != a)) ? a : b; }
};

// The first position of an extreme that has been found already.
template <typename T>
struct FindPosition {
  using Acc = int64_t;
  const T* extremes;
  int64_t start() const { return std::numeric_limits<int64_t>::max(); }
  int64_t load(T x, int64_t output, int64_t position) const {
    return ((x == extremes[output]) | (x != x)) ? position : start();
  }
  int64_t join(int64_t a, int64_t b) const { return a < b ? a : b; }
};

template <bool all>
struct Truth {
  using Acc = uint8_t;
  uint8_t start() const { return all; }
  uint8_t load(uint8_t x, int64_t, int64_t) const { return x; }
  uint8_t join(uint8_t a, uint8_t b) const { return all ? a & b : a | b; }
};

// Small integers and bools are compared as int64.
Tensor ordered(const Tensor& x) { return x.is_floating_point() ? widened(x) : as_type(x, kLong); }

Tensor extremes(bool largest, const Tensor& self, const ReducedDims& dims, bool keepdim) {
  const Tensor x = ordered(self), y = make_tensor(dims.result_sizes(keepdim), x.scalar_type());
  dispatch_products("max", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    auto find = [&](auto fold) {
      reduce<T>(impl(y).data<T>(), x, dims, fold, [](T v, int64_t) { return v; });
    };
    if (largest) find(Find<T, kLargest>{});
    else find(Find<T, kSmallest>{});
  });
  return as_type(y, self.scalar_type());
}

// The positions of the extremes y, along the only reduced dim or in a whole contiguous tensor.
Tensor positions(const Tensor& self, const Tensor& y, const ReducedDims& dims) {
  const Tensor x = ordered(self), found = ordered(y);
  Tensor where = make_tensor(y.sizes(), kLong);
  dispatch_products("max", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    reduce<T>(impl(where).data<int64_t>(), x, dims, FindPosition<T>{impl(found).data<T>()},
              [](int64_t i, int64_t) { return i; });
  });
  return where;
}

void check_sizes(const char* name, const Tensor& x, const ReducedDims& dims) {
  for (int64_t d : dims.list())
    ETUDE_CHECK_INDEX(x.size(d) > 0, name, "(): Expected reduction dim ", d,
                      " to have non-zero size.\nreceived a tensor of sizes ", x.sizes());
}

// The message for reducing all dims of a tensor without elements.
std::string no_elements(const char* name, const Tensor& x, const char* advice) {
  return str(name, "(): Expected reduction dim to be specified for input.numel() == 0.", advice,
             "\nreceived a tensor of sizes ", x.sizes());
}
constexpr const char* kSpecify = " Specify the reduction dim with the 'dim' argument.";

Tensor whole(bool largest, const Tensor& self) {
  ETUDE_CHECK(self.numel() > 0, no_elements(largest ? "max" : "min", self, kSpecify));
  return recorded(largest ? "MaxBackward1" : "MinBackward1", {self},
                  extremes(largest, self, reduced_dims(self, {}), false), {self, kResult},
                  [](const Tensor& dy, const Tensor& elements, const Tensor& found) {
                    const Tensor mask =
                        std::isnan(found.item<double>()) ? elements.isnan() : elements.eq(found);
                    return where(mask, dy / mask.sum(), 0);
                  });
}

Tensor over_dims(bool largest, const Tensor& self, const DimList& dim, bool keepdim) {
  const bool all = !dim.has_value() || dim.value().empty();
  const ReducedDims dims = reduced_dims(self, dim);
  if (all) ETUDE_CHECK(self.numel() > 0, no_elements(largest ? "amax" : "amin", self, kSpecify));
  check_sizes(largest ? "amax" : "amin", self, dims);
  return recorded(largest ? "AmaxBackward0" : "AminBackward0", {self}, extremes(largest, self, dims, keepdim),
                  {self, kResult}, [dims, keepdim](const Tensor& dy, const Tensor& x, const Tensor& y) {
                    const Tensor mask = x.eq(dims.restored(y, keepdim));
                    return dims.restored(dy, keepdim) * mask / mask.sum(dims.list().ref(), true);
                  });
}

// dy at the found positions, zeros elsewhere.
Tensor put_at(const Tensor& positions, const Tensor& dy, int64_t dim, const Shape& sizes) {
  if (sizes.empty()) return dy;
  return where(seen_along(arange(sizes[dim]), sizes.size(), dim).eq(positions), dy, 0);
}

std::tuple<Tensor, Tensor> along_dim(bool largest, const Tensor& self, int64_t dim, bool keepdim) {
  const ReducedDims dims = reduced_dims(self, dim);
  check_sizes(largest ? "max" : "min", self, dims);
  const Tensor y = extremes(largest, self, dims, keepdim), where = positions(self, y, dims);
  if (recording({self}))
    record_outputs(largest ? "MaxBackward0" : "MinBackward0", {self}, {y, where},
                   [where = Saved(where), d = wrap_dim(dim, self.dim()), dims, keepdim](const Gradients& dy) {
                     return Gradients{put_at(dims.restored(where.get(), keepdim),
                                             dims.restored(dy[0], keepdim), d, dims.sizes)};
                   });
  return {y, where};
}

Tensor arg(bool largest, const Tensor& self, optional<int64_t> dim, bool keepdim) {
  const char* name = largest ? "argmax" : "argmin";
  ETUDE_CHECK(self.scalar_type() != kBool, name, "(): does not support bool input");
  if (!dim) ETUDE_CHECK_INDEX(self.numel() > 0, no_elements(name, self, ""));
  const Tensor x = dim ? self : self.contiguous();
  const ReducedDims dims = reduced_dims(x, dim ? DimList(*dim) : DimList());
  check_sizes(name, x, dims);
  return positions(x, extremes(largest, x, dims, keepdim), dims);
}

// The result is uint8 for uint8, and bool for every other type.
template <bool is_all>
Tensor truth(const Tensor& self, const ReducedDims& dims, bool keepdim) {
  Tensor y = make_tensor(dims.result_sizes(keepdim), self.scalar_type() == kByte ? kByte : kBool);
  reduce<uint8_t>(impl(y).data<uint8_t>(), as_type(self, kBool), dims, Truth<is_all>{},
                  [](uint8_t v, int64_t) { return v; });
  return y;
}

}  // namespace

// The ops of the largest elements, and under other names those of the smallest.
#define ETUDE_EXTREME(max, amax, argmax, maximum, largest)                             \
  Tensor max(const Tensor& self) {                                                     \
    ETUDE_OP(max, self);                                                               \
    return whole(largest, self);                                                       \
  }                                                                                    \
  std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim) {      \
    ETUDE_OP(max, self, dim, keepdim);                                                 \
    return along_dim(largest, self, dim, keepdim);                                     \
  }                                                                                    \
  Tensor max(const Tensor& self, const Tensor& other) { return maximum(self, other); } \
  Tensor amax(const Tensor& self, DimList dim, bool keepdim) {                         \
    ETUDE_OP(amax, self, dim, keepdim);                                                \
    return over_dims(largest, self, dim, keepdim);                                     \
  }                                                                                    \
  Tensor argmax(const Tensor& self, optional<int64_t> dim, bool keepdim) {             \
    ETUDE_OP(argmax, self, dim, keepdim);                                              \
    return arg(largest, self, dim, keepdim);                                           \
  }                                                                                    \
  Tensor Tensor::max() const { return etude::max(*this); }                             \
  ETUDE_METHOD(max, (int64_t dim, bool keepdim), dim, keepdim)                         \
  ETUDE_METHOD(amax, (DimList dim, bool keepdim), dim, keepdim)                        \
  ETUDE_METHOD(argmax, (optional<int64_t> dim, bool keepdim), dim, keepdim)
ETUDE_EXTREME(max, amax, argmax, maximum, kLargest)
ETUDE_EXTREME(min, amin, argmin, minimum, kSmallest)
#undef ETUDE_EXTREME

#define ETUDE_TRUTH(name, is_all)                                 \
  Tensor name(const Tensor& self) {                               \
    ETUDE_OP(name, self);                                         \
    return truth<is_all>(self, reduced_dims(self, {}), false);    \
  }                                                               \
  Tensor name(const Tensor& self, int64_t dim, bool keepdim) {    \
    ETUDE_OP(name, self, dim, keepdim);                           \
    return truth<is_all>(self, reduced_dims(self, dim), keepdim); \
  }                                                               \
  Tensor Tensor::name() const { return etude::name(*this); }      \
  ETUDE_METHOD(name, (int64_t dim, bool keepdim), dim, keepdim)
ETUDE_TRUTH(all, true)
ETUDE_TRUTH(any, false)
#undef ETUDE_TRUTH

}  // namespace etude
