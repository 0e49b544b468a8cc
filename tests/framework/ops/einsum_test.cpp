// einsum: equations against PyTorch (tests/golden/make_einsum.py), exact since all sums are whole.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/check_gradients.h"
#include "support/golden.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("einsum") {
  namespace {

  std::vector<int64_t> numbers(const Recorded& list) { return list.get<std::vector<int64_t>>(); }

  ScalarType dtype_named(const Recorded& name) { return name == "bfloat16" ? kBFloat16 : golden_dtype(name); }

  // Operand k of make_einsum.py.
  Tensor operand(int64_t k, const std::vector<int64_t>& sizes, ScalarType dtype) {
    const Tensor counted = etude::arange(count_elements(sizes), kLong);
    return ((counted * 7 + 3 * k).remainder(5) - 1).to(dtype).view(sizes);
  }

  std::vector<Tensor> operands_of(const Recorded& c) {
    std::vector<Tensor> operands;
    const ScalarType dtype = dtype_named(c.at("dtype"));
    for (const Recorded& sizes : c.at("sizes"))
      operands.push_back(operand(static_cast<int64_t>(operands.size()), numbers(sizes), dtype)
                             .set_requires_grad(dtype == kDouble));
    return operands;
  }

  Tensor einsum_of(const Recorded& c, const std::vector<Tensor>& operands) {
    const std::string equation = c.at("equation");
    if (c.at("path").is_null()) return einsum(equation, operands);
    const std::vector<int64_t> path = numbers(c.at("path"));
    return einsum(equation, operands, IntArrayRef(path));
  }

  Tensor waves(IntArrayRef sizes, double phase) {
    return sin(etude::arange(count_elements(sizes), kDouble) * 0.7 + phase).view(sizes);
  }

  }  // namespace

  TEST_CASE("equations give PyTorch's values, types, names and gradients, and are refused in its words") {
    int count = 0, refused = 0;
    for (const Recorded& c : golden_json("einsum.json")) {
      const std::string text = c.dump();
      CAPTURE(text);
      ++count;
      const std::vector<Tensor> operands = operands_of(c);
      if (c.contains("error")) {
        ++refused;
        CHECK(refusal_text([&] { einsum_of(c, operands); }) == c.at("error").get<std::string>());
        continue;
      }
      Tensor y;
      CHECK_NOTHROW(y = einsum_of(c, operands));
      if (!y.defined()) continue;
      const ScalarType dtype = dtype_named(c.at("result"));
      CHECK((y.scalar_type() == dtype));
      CHECK(same(y.to(kDouble), golden_numbers(c.at("values"), kDouble).view(numbers(c.at("shape")))));
      if (!c.contains("grad_fn")) continue;
      if (operands.size() <= 2) CHECK(node_name(y) == c.at("grad_fn").get<std::string>());
      const Tensor dy = etude::arange(1, y.numel() + 1, kDouble).view(y.sizes());
      const std::vector<Tensor> gradients = autograd::grad({y}, operands, {dy});
      for (size_t i = 0; i < operands.size(); ++i)
        CHECK(same(gradients[i].reshape({-1}), golden_numbers(c.at("gradients").at(i), kDouble)));
    }
    CHECK(count == 320);
    CHECK(refused > 45);
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    check_gradients({[](const std::vector<Tensor>& in) { return einsum("bij,bjk->kbi", in); }},
                    {waves({2, 3, 2}, 0), waves({2, 2, 3}, 1)});
    check_gradients({[](const std::vector<Tensor>& in) { return einsum("ij,jk,kl->li", in); },
                     [](const std::vector<Tensor>& in) {
                       return einsum("ij,jk,kl", in, {1, 2, 0, 1});
                     }},
                    {waves({3, 2}, 0), waves({2, 3}, 1), waves({3, 1}, 2)});
    check_gradients({[](const std::vector<Tensor>& in) { return einsum("...ii,...j->...j", in); }},
                    {waves({2, 2, 2}, 0), waves({1, 3}, 1)});
    check_gradients({[](const std::vector<Tensor>& in) { return einsum("i,j->ij", in); }},
                    {waves({2}, 0), waves({3}, 1)});
  }

  TEST_CASE("one operand is seen through a view") {
    Tensor x = waves({3, 3}, 0), v = einsum("ii->i", {x}), t = einsum("ij->ji", {x});
    CHECK((v.is_alias_of(x) && t.is_alias_of(x)));
    v.zero_();
    CHECK(x[1][1].item<double>() == 0);
    CHECK(same(t, x.t()));
  }

  TEST_CASE("operands may lie turned, apart or repeated in memory, and be one tensor twice") {
    const Tensor a = waves({2, 3, 4}, 0), b = waves({2, 4, 5}, 1), expected = a.bmm(b);
    const Tensor turned = a.permute({2, 0, 1}).contiguous().permute({1, 2, 0});
    CHECK(allclose(einsum("bij,bjk->bik", {turned, b}), expected));
    CHECK(allclose(einsum("bij,jk", {waves({1, 3, 4}, 0).expand({2, 3, 4}), b[0]}),
                   matmul(waves({1, 3, 4}, 0).expand({2, 3, 4}), b[0])));
    CHECK(allclose(einsum("bij,bkj->bik", {a, a}), a.bmm(a.transpose(1, 2))));
    CHECK(allclose(einsum("bij,bjk->bik", {a.to(kFloat), b.to(kFloat)}).to(kDouble), expected, 1e-5, 1e-6));
  }

  TEST_CASE("nothing to multiply is refused") {
    CHECK(refusal_text([&] { einsum("", std::vector<Tensor>{}); }) ==
          "einsum(): must provide at least one operand");
  }
}
