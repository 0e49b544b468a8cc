#pragma once

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/gradcheck.h"

namespace etude {

/// A function of one number, element by element, and its formula.
struct FunctionOfOne {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*formula)(double);
  double from, to;  // the range of arguments

  /// Six values between the ends, uneven, as a transposed view.
  Tensor samples() const { return (etude::linspace(from, to, 6, kDouble) + 0.01).view({3, 2}).t(); }
};

/// Checks values on views, in double and in float.
inline void check_values(const FunctionOfOne& f) {
  CAPTURE(f.name);
  const Tensor x = f.samples(), y = f.op(x), single = f.op(x.to(kFloat));
  const Tensor from_single = x.to(kFloat).to(kDouble);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      CHECK(y[i][j].item<double>() == doctest::Approx(f.formula(x[i][j].item<double>())).epsilon(1e-15));
      CHECK(single[i][j].item<double>() ==
            doctest::Approx(f.formula(from_single[i][j].item<double>())).epsilon(3e-7));
    }
}

inline void check_gradient(const FunctionOfOne& f) {
  CAPTURE(f.name);
  const TensorFunction op = [&f](const std::vector<Tensor>& in) { return f.op(in[0]); };
  CHECK(gradcheck(op, {f.samples()}));
  CHECK(gradgradcheck(op, {f.samples()}));
}

/// Checks empty and 0-dim tensors.
inline void check_edges(const FunctionOfOne& f) {
  CAPTURE(f.name);
  CHECK(f.op(etude::empty({0, 3})).sizes() == IntArrayRef({0, 3}));
  CHECK(f.op(etude::full({}, f.from, kDouble)).item<double>() == f.formula(f.from));
}

}  // namespace etude
