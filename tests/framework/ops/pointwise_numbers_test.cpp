// Special and extreme numbers through every pointwise op and every conversion, against PyTorch
// (tests/golden/core/record.py).
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/golden.h"

using namespace etude;

TEST_SUITE("pointwise numbers") {
  namespace {

  using Op = AnyFunction<Tensor(const Tensor&, const Tensor&)>;

  const std::map<std::string, Op>& ops() {
#define UNARY(name)                                                      \
  {                                                                      \
#name, [](const Tensor& x, const Tensor&) { return etude::name(x); } \
  }
#define BINARY(name)                                                          \
  {                                                                           \
#name, [](const Tensor& x, const Tensor& y) { return etude::name(x, y); } \
  }
    static const std::map<std::string, Op> table = {
        UNARY(abs),
        UNARY(neg),
        UNARY(log),
        UNARY(log1p),
        UNARY(log2),
        UNARY(sqrt),
        UNARY(rsqrt),
        UNARY(reciprocal),
        UNARY(square),
        UNARY(relu),
        UNARY(sign),
        UNARY(floor),
        UNARY(ceil),
        UNARY(round),
        UNARY(trunc),
        UNARY(logical_not),
        UNARY(isnan),
        UNARY(isinf),
        UNARY(isfinite),
        BINARY(add),
        BINARY(sub),
        BINARY(mul),
        BINARY(div),
        BINARY(fmod),
        BINARY(remainder),
        BINARY(floor_divide),
        BINARY(maximum),
        BINARY(minimum),
        BINARY(eq),
        BINARY(lt),
        BINARY(ge),
        BINARY(logical_xor),
        BINARY(pow),
        {"clamp", [](const Tensor& x, const Tensor&) { return clamp(x, -1, 2); }},
        {"pow number", [](const Tensor& x, const Tensor& y) { return pow(x, y.item()); }}};
    return table;
  }

  // The first element that differs, as text; functions may differ from PyTorch's in the last bit.
  std::string difference(const Tensor& found, const Tensor& expected) {
    if (found.scalar_type() != expected.scalar_type()) return str("type ", dtype_name(found.scalar_type()));
    if (found.sizes() != expected.sizes()) return str("sizes ", found.sizes());
    if (!found.is_floating_point()) {
      for (int64_t i = 0; i < found.numel(); ++i)
        if (found[i].item<int64_t>() != expected[i].item<int64_t>())
          return str("element ", i, " is ", found[i].item<int64_t>(), " and not ",
                     expected[i].item<int64_t>());
      return {};
    }
    const double unit = found.scalar_type() == kFloat ? 1.2e-7 : 2.3e-16;
    for (int64_t i = 0; i < found.numel(); ++i) {
      const double a = found[i].item<double>(), b = expected[i].item<double>();
      const bool same = std::isnan(a) ? std::isnan(b)
                        : a == b      ? std::signbit(a) == std::signbit(b)
                                      : std::fabs(a - b) <= unit * std::fabs(b);
      if (!same) return str("element ", i, " is ", a, " and not ", b);
    }
    return {};
  }

  }  // namespace

  TEST_CASE("signed zeros, infinities, nans, overflow and every sign of division come out as in PyTorch") {
    for (const auto& row : golden_json("core/numbers.json")) {
      const std::string name = row.at(0), type = row.at(1), result = row.at(4);
      const Tensor x = golden_numbers(row.at(2), golden_dtype(type)),
                   y = golden_numbers(row.at(3), golden_dtype(type));
      const Tensor expected = golden_numbers(row.at(5), golden_dtype(result));
      CAPTURE(name);
      CAPTURE(type);
      if (name.rfind("to ", 0) == 0) CHECK(difference(x.to(golden_dtype(result)), expected) == "");
      else CHECK(difference(ops().at(name)(x, y), expected) == "");
    }
  }

  TEST_CASE("float32 functions are the double function rounded once") {
    const Tensor x = sin(etude::arange(4001, kDouble)) * 8, f = x.to(kFloat);
    auto check = [&](Tensor (*op)(const Tensor&), double (*exact)(double), bool positive) {
      const Tensor in = positive ? abs(f) : f, y = op(in);
      for (int64_t i = 0; i < in.numel(); ++i) {
        const double v = in.data_ptr<float>()[i];
        const auto expected = static_cast<float>(exact(v));
        const float found = y.data_ptr<float>()[i];
        if (found != expected && !(std::isnan(found) && std::isnan(expected)))
          REQUIRE(std::fabs(found - expected) <= std::fabs(std::nextafter(expected, INFINITY) - expected));
      }
    };
    check(exp, std::exp, false);
    check(expm1, std::expm1, false);
    check(log, std::log, true);
    check(log1p, std::log1p, true);
    check(log2, std::log2, true);
    check(sin, std::sin, false);
    check(cos, std::cos, false);
    check(tan, std::tan, false);
    check(tanh, std::tanh, false);
    check(erf, std::erf, false);
    check(sqrt, std::sqrt, true);
  }
}
