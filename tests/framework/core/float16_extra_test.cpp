// Ops on 16-bit floats and their gradients compute in float32 and round once.
#include "etude/core/float16.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "etude/io/print.h"
#include "etude/onednn/backend.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("floats of 16 bits, beyond LibTorch") {
  namespace {

  using Op = AnyFunction<Tensor(const Tensor&)>;

  // Ops on matrices [n, n].
  const std::vector<std::pair<std::string, Op>>& ops() {
    static const std::vector<std::pair<std::string, Op>> all = {
        {"add", [](const Tensor& x) { return x + x.t(); }},
        {"add number", [](const Tensor& x) { return x + 0.5; }},
        {"sub", [](const Tensor& x) { return x - x.t(); }},
        {"mul", [](const Tensor& x) { return x * x.t(); }},
        {"div", [](const Tensor& x) { return x / 4; }},
        {"pow", [](const Tensor& x) { return x.pow(2); }},
        {"exp", [](const Tensor& x) { return x.exp(); }},
        {"log1p", [](const Tensor& x) { return x.log1p(); }},
        {"sqrt", [](const Tensor& x) { return x.sqrt(); }},
        {"tanh", [](const Tensor& x) { return x.tanh(); }},
        {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }},
        {"erf", [](const Tensor& x) { return x.erf(); }},
        {"relu", [](const Tensor& x) { return x.relu(); }},
        {"gelu", [](const Tensor& x) { return gelu(x); }},
        {"gelu by tanh", [](const Tensor& x) { return gelu(x, "tanh"); }},
        {"silu", [](const Tensor& x) { return silu(x); }},
        {"softplus", [](const Tensor& x) { return softplus(x); }},
        {"leaky_relu", [](const Tensor& x) { return leaky_relu(x); }},
        {"elu", [](const Tensor& x) { return elu(x); }},
        {"clamp", [](const Tensor& x) { return clamp(x, 0.25, 0.75); }},
        {"maximum", [](const Tensor& x) { return maximum(x, x.t()); }},
        {"where", [](const Tensor& x) { return where(x > 0.5, x, x.t()); }},
        {"abs", [](const Tensor& x) { return x.abs(); }},
        {"neg", [](const Tensor& x) { return -x; }},
        {"masked_fill", [](const Tensor& x) { return x.masked_fill(x > 0.5, 2); }},
        {"tril", [](const Tensor& x) { return x.tril(); }},
        {"cat",
         [](const Tensor& x) {
           return cat({x, x.t()}, 1);
         }},
        {"stack",
         [](const Tensor& x) {
           return stack({x, x.t()});
         }},
        {"index_select", [](const Tensor& x) { return x.index_select(0, arange(x.size(0), kLong)); }},
        {"flip", [](const Tensor& x) { return x.flip({0}); }},
        {"reshape", [](const Tensor& x) { return x.t().reshape({-1}); }},
        {"sum", [](const Tensor& x) { return x.sum(); }},
        {"sum of rows", [](const Tensor& x) { return x.sum(1); }},
        {"mean", [](const Tensor& x) { return x.mean(); }},
        {"prod", [](const Tensor& x) { return x.prod(0); }},
        {"var", [](const Tensor& x) { return x.var(0, true); }},
        {"norm", [](const Tensor& x) { return x.norm(2, 0, false); }},
        {"logsumexp", [](const Tensor& x) { return x.logsumexp(1); }},
        {"cumsum", [](const Tensor& x) { return x.cumsum(0); }},
        {"softmax", [](const Tensor& x) { return softmax(x, 1); }},
        {"log_softmax", [](const Tensor& x) { return log_softmax(x, 0); }},
        {"layer_norm", [](const Tensor& x) { return layer_norm(x, {x.size(1)}); }},
        {"mm", [](const Tensor& x) { return x.mm(x.t()); }},
        {"bmm",
         [](const Tensor& x) {
           return stack({x, x.t()}).bmm(stack({x, x}));
         }},
        {"mv", [](const Tensor& x) { return x.mv(x.select(1, 0)); }},
        {"addmm", [](const Tensor& x) { return addmm(x, x, x.t(), 0.5, 2); }},
        {"linear", [](const Tensor& x) { return linear(x, x.t(), x.select(0, 0)); }},
        {"sort", [](const Tensor& x) { return std::get<0>(x.sort(1)); }},
        {"max", [](const Tensor& x) { return std::get<0>(x.max(1)); }},
        {"gather",
         [](const Tensor& x) {
           return x.gather(0, zeros({2, 2}, kLong));
         }},
        {"mse_loss", [](const Tensor& x) { return mse_loss(x, x.t()); }},
        {"l1_loss", [](const Tensor& x) { return l1_loss(x, x.t()); }},
        {"cross_entropy", [](const Tensor& x) { return cross_entropy_loss(x, arange(x.size(0), kLong)); }},
    };
    return all;
  }

  constexpr ScalarType kTypes[] = {kBFloat16, kHalf};

  Tensor start(int64_t n, ScalarType type) {
    return (arange(n * n).view({n, n}) * 0.37).remainder(1.0).add(0.125).to(type);
  }

  // Whether both agree up to about 2^-7 of the number plus 2^-7 of the largest number.
  bool near(const Tensor& x, const Tensor& y) {
    return x.sizes() == y.sizes() &&
           ((x - y).abs() <= 0.008 * y.abs() + 0.008 * y.abs().max()).all().item<bool>();
  }

  void check_op(const std::string& name, const Op& op, const Tensor& x) {
    CAPTURE(name);
    const Tensor of_floats = x.detach().to(kFloat).requires_grad_(), of_its_own = x.detach().requires_grad_();
    const Tensor y = op(of_its_own), z = op(of_floats);
    REQUIRE(y.scalar_type() == x.scalar_type());
    CHECK(near(y.to(kFloat), z));
    const Tensor weights = arange(z.numel()).add(1).view(z.sizes()).remainder(5);
    (y * weights).sum().backward();
    (z * weights).sum().backward();
    REQUIRE(of_its_own.grad().scalar_type() == x.scalar_type());
    CHECK(near(of_its_own.grad().to(kFloat), of_floats.grad()));
  }

  }  // namespace

  // Around every number of 16 bits and in the middle between two: where another choice begins.
  TEST_CASE("rounding a float32 is narrowing and widening it") {
    const auto check = [](auto format) {
      using Format = decltype(format);
      int wrong = 0;
      for (uint32_t number = 0; number < 0x10000; ++number) {
        const uint32_t bits = detail::bits_of(Format::value(static_cast<uint16_t>(number)));
        for (const uint32_t middle : {0u, 0x800u, 0x1000u, 0x8000u})
          for (const uint32_t near : {0u, 1u, 0xffffffffu}) {
            const float v = detail::float_of(bits + middle + near);
            wrong += detail::bits_of(Format::rounded(v)) != detail::bits_of(Format::value(Format::bits(v)));
          }
      }
      CHECK(wrong == 0);
    };
    check(detail::HalfFormat());
    check(detail::BFloat16Format());
  }

  TEST_CASE("ops and their gradients are those of float32 but for the rounding, for any strides") {
    for (const bool on : {true, false}) {
      const onednn::EnabledGuard guard(on);
      for (const auto& [name, op] : ops()) {
        for (const ScalarType type : kTypes) {
          check_op(name, op, start(5, type));
          check_op(name, op, start(8, type).t());
          check_op(name, op, start(12, type).slice(0, 0, 12, 2).slice(1, 0, 12, 2));
        }
      }
    }
  }

  TEST_CASE("pointwise ops round the numbers of float32 once") {
    for (const ScalarType type : kTypes)
      for (const auto& op : std::vector<AnyFunction<Tensor(const Tensor&, const Tensor&)>>{
               [](const Tensor&a, const Tensor&b) { return a + b; },
               [](const Tensor&a, const Tensor&b) { return a * b; },
               [](const Tensor&a, const Tensor&b) { return a / b; }}) {
        const Tensor x = start(20, type), y = x.t();
        const Tensor rounded = op(x.to(kFloat), y.to(kFloat)).to(type);
        CHECK(equal(op(x, y), rounded));
      }
  }

  TEST_CASE("a number that meets them is rounded first, as PyTorch rounds it") {
    const Tensor x = start(20, kBFloat16), y = start(20, kHalf);
    CHECK(equal(x * 0.1, (x.to(kFloat) * 0.10009765625).to(kBFloat16)));
    CHECK(equal(x + 0.1, (x.to(kFloat) + 0.10009765625).to(kBFloat16)));
    CHECK(equal(y * 0.1, (y.to(kFloat) * 0.0999755859375).to(kHalf)));
    CHECK(equal(y + 0.1, (y.to(kFloat) + 0.0999755859375).to(kHalf)));
  }

  TEST_CASE("in place they stay what they are") {
    for (const ScalarType type : kTypes) {
      const Tensor x = start(4, type), y = x.clone();
      y.add_(1).mul_(x).relu_().sqrt_().clamp_(0, 1);
      CHECK(y.scalar_type() == type);
      y.zero_();
      CHECK(y.sum().item<float>() == 0);
    }
  }

  TEST_CASE("empty tensors and those without dims are taken too") {
    for (const ScalarType type : kTypes) {
      const Tensor none = empty({0, 3}, type), one = full({}, 0.5, type);
      CHECK((none.exp() + none).sizes() == IntArrayRef({0, 3}));
      CHECK(none.t().mm(none).to(kFloat).sum().item<float>() == 0);
      CHECK(none.sum(0).scalar_type() == type);
      CHECK(softmax(one, 0).item<float>() == 1);
      CHECK((one.exp().dim() == 0 && one.mean().item<float>() == 0.5f));
    }
  }

  TEST_CASE("they are printed as in Python") {
    const auto text = [](const Tensor& t) { return repr(t.to(kBFloat16)); };
    CHECK(text(tensor({1.0, -2.5, 3.14159})) == "tensor([ 1.0000, -2.5000,  3.1406], dtype=torch.bfloat16)");
    CHECK(text(tensor({1e-3, 1.0, 1234.5})) ==
          "tensor([9.9945e-04, 1.0000e+00, 1.2320e+03], dtype=torch.bfloat16)");
    CHECK(text(tensor({1.0, 2.0, 3.0})) == "tensor([1., 2., 3.], dtype=torch.bfloat16)");
    CHECK(text(tensor(3.14159)) == "tensor(3.1406, dtype=torch.bfloat16)");
    CHECK(text(tensor({3e38, 1e-38})) == "tensor([3.0041e+38, 1.0010e-38], dtype=torch.bfloat16)");
    CHECK(text(tensor({0.1, 0.2, 100.0, 0.3}).view({2, 2})) ==
          "tensor([[  0.1001,   0.2002],\n        [100.0000,   0.3008]], dtype=torch.bfloat16)");
    CHECK(text(tensor({std::numeric_limits<double>::quiet_NaN(), 1.5})) ==
          "tensor([   nan, 1.5000], dtype=torch.bfloat16)");
    CHECK(text(empty({0})) == "tensor([], dtype=torch.bfloat16)");
    CHECK(tolist(tensor({0.1}).to(kBFloat16)) == "[0.10009765625]");
  }

  TEST_CASE("so are those of float16") {
    const auto text = [](const Tensor& t) { return repr(t.to(kHalf)); };
    CHECK(text(tensor({1.0, -2.5, 3.14159})) == "tensor([ 1.0000, -2.5000,  3.1406], dtype=torch.float16)");
    CHECK(text(tensor({1e-3, 1.0, 1234.5})) ==
          "tensor([1.0004e-03, 1.0000e+00, 1.2340e+03], dtype=torch.float16)");
    CHECK(text(tensor({1.5, -2.0, 3.14159, 65504.0})) ==
          "tensor([ 1.5000e+00, -2.0000e+00,  3.1406e+00,  6.5504e+04],\n       dtype=torch.float16)");
    CHECK(text(tensor({1e-8, 6e-8, 1e-7, 6.1e-5})) ==
          "tensor([0.0000e+00, 5.9605e-08, 1.1921e-07, 6.0976e-05], dtype=torch.float16)");
    CHECK(text(tensor({1.0, 2.0})) == "tensor([1., 2.], dtype=torch.float16)");
    CHECK(text(tensor(3.14159)) == "tensor(3.1406, dtype=torch.float16)");
    CHECK(text(tensor(1e5)) == "tensor(inf, dtype=torch.float16)");
    CHECK(text(tensor({0.1, 0.2, 100.0, 0.3}).view({2, 2})) ==
          "tensor([[9.9976e-02, 1.9995e-01],\n        [1.0000e+02, 3.0005e-01]], dtype=torch.float16)");
    CHECK(text(tensor({std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, 1.5})) ==
          "tensor([   nan,    inf, 1.5000], dtype=torch.float16)");
    CHECK(text(empty({0})) == "tensor([], dtype=torch.float16)");
    CHECK(tolist(tensor({0.1}).to(kHalf)) == "[0.0999755859375]");
  }

  TEST_CASE("what bernoulli_ and dropout draw is that of float32") {
    for (const ScalarType type : kTypes) {
      const Tensor x = zeros({40}, type), y = zeros({40}), p = full({50}, 0.3, type);
      manual_seed(0);
      x.bernoulli_(0.3);
      const Tensor drawn = bernoulli(p);
      manual_seed(0);
      y.bernoulli_(0.3);
      CHECK((equal(x, y.to(type)) && equal(drawn, bernoulli(p.to(kFloat)).to(type))));
      CHECK(dropout(ones({5, 4}, type).t(), 0.5, true).scalar_type() == type);
    }
  }

  TEST_CASE("a matrix product of float16 does not promote") {
    CHECK(refusal_text([] {
            ones({2, 2}, kHalf).mm(ones({2, 2}, kBFloat16));
          }) == "expected m1 and m2 to have the same dtype, but got: c10::Half != c10::BFloat16");
  }

  TEST_CASE("float16 can be the default type") {
    set_default_dtype(kHalf);
    const Tensor x = tensor({1.5}), y = tensor({1, 2}) / 3;
    set_default_dtype(kFloat);
    CHECK((x.scalar_type() == kHalf && repr(y) == "tensor([0.3333, 0.6665], dtype=torch.float16)"));
  }

  TEST_CASE("what has no form for them says so") {
    for (const ScalarType type : kTypes)
      CHECK(refusal_lines([=] { randperm(3, type); }) ==
            std::string("\"randperm\" not implemented for '") + toString(type) +
                "'\nhint: make it of float32, .to(kFloat), and convert the result");
  }
}
