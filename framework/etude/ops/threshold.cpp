// Elementwise functions that are straight lines with gaps. Outside the gaps dx = dy, inside them dx = 0:
//
//   threshold   y = x,                gap x <= t,            where y = v
//   hardtanh    y = x,                gaps x <= a, x >= b,   where y = a, y = b;  relu6 has a = 0, b = 6
//   hardshrink  y = x,                gap -l <= x <= l,      where y = 0
//   softshrink  y = x -+ l,           gap -l <= x <= l,      where y = 0
//
// nan is in no gap.

#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

// Each struct computes the value y(x) and says whether x lies in a gap. T is the type of x.
template <typename T>
struct Threshold {
  Threshold(const Scalar& first, const Scalar& second) : threshold(first.to<T>()), value(second.to<T>()) {}
  T y(T x) const { return gap(x) ? value : x; }
  bool gap(T x) const { return x <= threshold; }
  T threshold, value;
};

template <typename T>
struct Hardtanh {
  Hardtanh(const Scalar& first, const Scalar& second) : min(first.to<T>()), max(second.to<T>()) {}
  T y(T x) const {
    const T above = x < min ? min : x;
    return above > max ? max : above;
  }
  bool gap(T x) const { return x <= min || x >= max; }
  T min, max;
};

template <typename T>
struct Hardshrink {
  Hardshrink(const Scalar& first, const Scalar&) : lambd(first.to<T>()) {}
  T y(T x) const { return gap(x) ? T(0) : x; }
  bool gap(T x) const { return x >= -lambd && x <= lambd; }
  T lambd;
};

template <typename T>
struct Softshrink : Hardshrink<T> {
  using Hardshrink<T>::Hardshrink;
  T y(T x) const { return this->gap(x) ? T(0) : x > 0 ? x - this->lambd : x + this->lambd; }
};

// One of these functions, with its two numbers and its names in errors and graphs.
template <template <typename> class Line>
struct Piecewise {
  const char *kernel, *node;
  bool of_integers;
  Scalar first, second;

  template <typename F>
  void dispatch(ScalarType t, F&& f) const {
    if (of_integers) dispatch_numbers(kernel, t, f);
    else dispatch_floating(kernel, t, f);
  }

  Tensor forward(const Tensor& x, const Tensor& out = {}) const {
    const ScalarType type = impl(x).dtype;
    if (isReducedFloatingType(type)) return copied_to(out, as_type(forward(widened(x)), type));
    Tensor y = output_for(out, impl(x).sizes, type, {&impl(x)});
    dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      map_into<T, T>([line = Line<T>(first, second)](T v) { return line.y(v); }, y, x);
    });
    return y;
  }

  Tensor gaps(const Tensor& given) const {
    const Tensor x = widened(given);
    Tensor mask = output_for({}, impl(x).sizes, kBool, {&impl(x)});
    dispatch(impl(x).dtype, [&](auto zero) {
      using T = decltype(zero);
      map_into<bool, T>([line = Line<T>(first, second)](T v) { return line.gap(v); }, mask, x);
    });
    return mask;
  }

  Tensor operator()(const Tensor& self) const {
    return recorded(node, {self}, forward(self), {self}, [which = *this](const Tensor& dy, const Tensor& x) {
      return constant_in(x, dy.masked_fill(which.gaps(x), 0));
    });
  }

  Tensor& write(Tensor& self) const {
    return in_place(
        self, {}, [this](const Tensor& x) { return (*this)(x); }, [&] { forward(self, self); });
  }
};

Piecewise<Threshold> threshold_of(const char* node, const Scalar& threshold, const Scalar& value) {
  return {"threshold_cpu", node, true, threshold, value};
}

Piecewise<Hardtanh> hardtanh_of(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  ETUDE_CHECK_WITH(NotImplementedError, self.scalar_type() != kBool,
                   "Bool inputs not supported for hardtanh");
  ETUDE_CHECK(self.scalar_type() != kByte || (min_val.toLong() >= 0 && max_val.toLong() >= 0),
              "cannot do hardtanh on an unsigned type with negative limits\nreceived ", min_val.toLong(),
              " and ", max_val.toLong());
  if (isIntegralType(self.scalar_type(), false))
    return {"hardtanh", "HardtanhBackward0", true, min_val.toLong(), max_val.toLong()};
  return {"hardtanh", "HardtanhBackward0", true, min_val, max_val};
}

}  // namespace

Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value) {
  ETUDE_OP(threshold, self, threshold, value);
  return threshold_of("ThresholdBackward0", threshold, value)(self);
}

Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value) {
  ETUDE_OP(threshold_, self, threshold, value);
  return threshold_of("ThresholdBackward1", threshold, value).write(self);
}

Tensor hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  ETUDE_OP(hardtanh, self, min_val, max_val);
  return hardtanh_of(self, min_val, max_val)(self);
}

Tensor& hardtanh_(Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  ETUDE_OP(hardtanh_, self, min_val, max_val);
  return hardtanh_of(self, min_val, max_val).write(self);
}

Tensor relu6(const Tensor& self) { return hardtanh(self, 0, 6); }
Tensor& relu6_(Tensor& self) { return hardtanh_(self, 0, 6); }

Tensor hardshrink(const Tensor& self, const Scalar& lambd) {
  ETUDE_OP(hardshrink, self, lambd);
  return Piecewise<Hardshrink>{"hardshrink_cpu", "HardshrinkBackward0", false, lambd, 0}(self);
}

Tensor softshrink(const Tensor& self, const Scalar& lambd) {
  ETUDE_OP(softshrink, self, lambd);
  const Piecewise<Softshrink> line{"softshrink_check", "SoftshrinkBackward0", false, lambd, 0};
  line.dispatch(self.scalar_type(), [&, given = lambd.toDouble()](auto zero) {
    const auto most = static_cast<double>(std::numeric_limits<decltype(zero)>::max());
    ETUDE_CHECK(given >= 0 && given <= most, "lambda must be in range [0, ", most, "] for input dtype ",
                toString(self.scalar_type()), ", but found ", given);
  });
  return line(self);
}

Tensor Tensor::hardshrink(const Scalar& lambd) const { return etude::hardshrink(*this, lambd); }

}  // namespace etude
