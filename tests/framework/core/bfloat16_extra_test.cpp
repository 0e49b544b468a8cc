// Ops on bfloat16 compute in float32 and round once, and their gradients likewise.
#include "etude/core/bfloat16.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "etude/io/print.h"
#include "etude/onednn/backend.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("bfloat16, beyond LibTorch") {
  namespace {

  using Op = std::function<Tensor(const Tensor&)>;

  // Of matrices [n, n].
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

  Tensor start(int64_t n) {
    return (arange(n * n).view({n, n}) * 0.37).remainder(1.0).add(0.125).to(kBFloat16);
  }

  // Up to 2^-7 of the number, or of the largest.
  bool near(const Tensor& x, const Tensor& y) {
    return x.sizes() == y.sizes() &&
           ((x - y).abs() <= 0.008 * y.abs() + 0.008 * y.abs().max()).all().item<bool>();
  }

  void check_op(const std::string& name, const Op& op, const Tensor& x) {
    CAPTURE(name);
    const Tensor of_floats = x.detach().to(kFloat).requires_grad_(), of_its_own = x.detach().requires_grad_();
    const Tensor y = op(of_its_own), z = op(of_floats);
    REQUIRE(y.scalar_type() == kBFloat16);
    CHECK(near(y.to(kFloat), z));
    const Tensor weights = arange(z.numel()).add(1).view(z.sizes()).remainder(5);
    (y * weights).sum().backward();
    (z * weights).sum().backward();
    REQUIRE(of_its_own.grad().scalar_type() == kBFloat16);
    CHECK(near(of_its_own.grad().to(kFloat), of_floats.grad()));
  }

  }  // namespace

  TEST_CASE("ops and their gradients are those of float32 but for the rounding, for any strides") {
    for (const bool on : {true, false}) {
      const onednn::EnabledGuard guard(on);
      for (const auto& [name, op] : ops()) {
        check_op(name, op, start(5));
        check_op(name, op, start(8).t());
        check_op(name, op, start(12).slice(0, 0, 12, 2).slice(1, 0, 12, 2));
      }
    }
  }

  TEST_CASE("pointwise ops round the numbers of float32 once") {
    const Tensor x = start(20), y = x.t();
    for (const auto& op : std::vector<std::function<Tensor(const Tensor&, const Tensor&)>>{
             [](const Tensor&a, const Tensor&b) { return a + b; },
             [](const Tensor&a, const Tensor&b) { return a * b; },
             [](const Tensor&a, const Tensor&b) { return a / b; }}) {
      const Tensor rounded = op(x.to(kFloat), y.to(kFloat)).to(kBFloat16);
      CHECK(equal(op(x, y), rounded));
    }
  }

  TEST_CASE("a number that meets them is rounded first, as PyTorch rounds it") {
    const Tensor x = start(20);
    CHECK(equal(x * 0.1, (x.to(kFloat) * 0.10009765625).to(kBFloat16)));
    CHECK(equal(x + 0.1, (x.to(kFloat) + 0.10009765625).to(kBFloat16)));
  }

  TEST_CASE("in place they stay what they are") {
    const Tensor x = start(4), y = x.clone();
    y.add_(1).mul_(x).relu_().sqrt_().clamp_(0, 1);
    CHECK(y.scalar_type() == kBFloat16);
    y.zero_();
    CHECK(y.sum().item<float>() == 0);
  }

  TEST_CASE("empty tensors and those without dims are taken too") {
    const Tensor none = empty({0, 3}, kBFloat16), one = full({}, 0.5, kBFloat16);
    CHECK((none.exp() + none).sizes() == IntArrayRef({0, 3}));
    CHECK(none.t().mm(none).to(kFloat).sum().item<float>() == 0);
    CHECK(none.sum(0).scalar_type() == kBFloat16);
    CHECK(softmax(one, 0).item<float>() == 1);
    CHECK((one.exp().dim() == 0 && one.mean().item<float>() == 0.5f));
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

  TEST_CASE("what has no form for them says so") {
    for (const auto& [op, call] : std::vector<std::pair<std::string, std::function<void()>>>{
             {"normal_kernel_cpu", [] { randn({16}, kBFloat16); }},
             {"randperm", [] { randperm(3, kBFloat16); }},
             {"linspace_cpu", [] { linspace(0, 1, 3, kBFloat16); }},
             {"multinomial", [] { multinomial(ones({3}, kBFloat16), 1); }}})
      CHECK(refusal_text(call) == "\"" + op + "\" not implemented for 'BFloat16'");
  }
}
