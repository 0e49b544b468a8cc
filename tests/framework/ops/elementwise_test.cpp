// What pointwise ops share: type promotion, broadcasting, the layout of results and writing in place
// (tests/golden/core/record.py).
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <variant>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("elementwise") {
  namespace {

  using Operand = std::variant<Tensor, Scalar>;

  Operand operand(const std::string& type, const std::string& kind) {
    if (kind == "number") return type == "bool" ? Scalar(true) : type == "int64" ? Scalar(1) : Scalar(1.0);
    return kind == "dims" ? etude::ones({2}, golden_dtype(type)) : etude::ones({}, golden_dtype(type));
  }

  using TensorForm = Tensor (*)(const Tensor&, const Tensor&);
  using NumberForm = Tensor (*)(const Tensor&, const Scalar&);
  struct Binary {
    TensorForm with_tensor;
    NumberForm with_number;
  };

// Both overloads of a free function or method.
#define BOTH(name, call)                                                  \
  {                                                                       \
    name, {                                                               \
      [](const Tensor& a, const Tensor& b) -> Tensor { return call; },    \
          [](const Tensor& a, const Scalar& b) -> Tensor { return call; } \
    }                                                                     \
  }
#define TENSORS(name, call)                                                    \
  {                                                                            \
    name, {                                                                    \
      [](const Tensor& a, const Tensor& b) -> Tensor { return call; }, nullptr \
    }                                                                          \
  }

  const std::map<std::string, Binary>& binary_ops() {
    static const std::map<std::string, Binary> table = {
        BOTH("add", add(a, b)),
        BOTH("sub", sub(a, b)),
        BOTH("mul", mul(a, b)),
        BOTH("div", div(a, b)),
        BOTH("floor_divide", floor_divide(a, b)),
        BOTH("remainder", remainder(a, b)),
        BOTH("fmod", fmod(a, b)),
        BOTH("pow", pow(a, b)),
        BOTH("eq", eq(a, b)),
        BOTH("lt", lt(a, b)),
        TENSORS("logical_and", logical_and(a, b)),
        TENSORS("bitwise_and", a & b),
        TENSORS("maximum", maximum(a, b)),
        TENSORS("minimum", minimum(a, b)),
        BOTH("add_", a.add_(b)),
        BOTH("sub_", a.sub_(b)),
        BOTH("mul_", a.mul_(b)),
        BOTH("div_", a.div_(b)),
        BOTH("pow_", a.pow_(b)),
        TENSORS("copy_", a.copy_(b)),
    };
    return table;
  }

  const std::map<std::string, Tensor (*)(const Tensor&)>& unary_ops() {
    static const std::map<std::string, Tensor (*)(const Tensor&)> table = {{"abs", abs},
                                                                           {"neg", neg},
                                                                           {"exp", exp},
                                                                           {"expm1", expm1},
                                                                           {"log", log},
                                                                           {"log1p", log1p},
                                                                           {"log2", log2},
                                                                           {"sqrt", sqrt},
                                                                           {"rsqrt", rsqrt},
                                                                           {"reciprocal", reciprocal},
                                                                           {"square", square},
                                                                           {"sin", sin},
                                                                           {"cos", cos},
                                                                           {"tan", tan},
                                                                           {"tanh", tanh},
                                                                           {"sigmoid", sigmoid},
                                                                           {"relu", relu},
                                                                           {"erf", erf},
                                                                           {"sign", sign},
                                                                           {"floor", floor},
                                                                           {"ceil", ceil},
                                                                           {"round", round},
                                                                           {"trunc", trunc},
                                                                           {"isnan", isnan},
                                                                           {"isinf", isinf},
                                                                           {"isfinite", isfinite},
                                                                           {"logical_not", logical_not}};
    return table;
  }

  // "float32", or "error: " and the first line of the error.
  std::string answer(const AnyFunction<ScalarType()>& f) {
    try {
      return std::string(dtype_name(f())).substr(6);
    } catch (const Error& e) {
      const std::string text = e.what();
      return "error: " + text.substr(0, text.find('\n'));
    }
  }

  std::string promoted(const Recorded& row) {
    const std::string op = row.at(0), b_kind = row.at(4);
    const Tensor a = std::get<Tensor>(operand(row.at(1), row.at(2)));
    if (b_kind.empty()) return answer([&] { return unary_ops().at(op)(a).scalar_type(); });
    const Operand b = operand(row.at(3), b_kind);
    return answer([&] {
      if (op == "result_type")
        return b_kind == "number" ? result_type(a, std::get<Scalar>(b)) : result_type(a, std::get<Tensor>(b));
      const Binary& f = binary_ops().at(op);
      return (b_kind == "number" ? f.with_number(a, std::get<Scalar>(b))
                                 : f.with_tensor(a, std::get<Tensor>(b)))
          .scalar_type();
    });
  }

  // A tensor with these sizes and strides.
  Tensor laid_out(const Recorded& layout) {
    const auto sizes = layout.at(0).get<std::vector<int64_t>>(),
               strides = layout.at(1).get<std::vector<int64_t>>();
    int64_t extent = 1;
    for (size_t d = 0; d < sizes.size(); ++d) extent += (std::max<int64_t>(sizes[d], 1) - 1) * strides[d];
    return etude::zeros({extent}).as_strided(sizes, strides);
  }

  // Sizes and strides as text, without meaningless strides: those of dims of size 1, and all strides of an empty
  // tensor.
  std::string layout_text(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
    std::ostringstream text;
    text << IntArrayRef(sizes) << " by";
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1 || count_elements(sizes) == 0) text << " -";
      else text << ' ' << strides[d];
    }
    return text.str();
  }
  std::string layout_text(const Recorded& layout) {
    return layout_text(layout.at(0).get<std::vector<int64_t>>(), layout.at(1).get<std::vector<int64_t>>());
  }
  std::string layout_of(const Tensor& t) { return layout_text(t.sizes().vec(), t.strides().vec()); }

  Tensor sequence(IntArrayRef sizes, double step = 0.37) {
    return (etude::arange(count_elements(sizes), kDouble) * step - 3).reshape(sizes);
  }

  }  // namespace

  TEST_CASE("the type of every op on every pair of types, or its refusal, is PyTorch's") {
    int count = 0;
    for (const auto& row : golden_json("core/promotion.json")) {
      const std::string op = row.at(0);
      if (op == "promote_types" || op == "can_cast") continue;
      const std::string text = row.dump();
      CAPTURE(text);
      CHECK(promoted(row) == row.at(5).get<std::string>());
      ++count;
    }
    CHECK(count > 3000);
  }

  TEST_CASE("the type of a power, or its refusal, is PyTorch 2's") {
    for (const auto& row : golden_json("changed.json").at("promotion")) {
      const std::string text = row.dump();
      CAPTURE(text);
      CHECK(promoted(row) == row.at(5).get<std::string>());
    }
  }

  TEST_CASE("the default type is what integers become under true division and functions") {
    set_default_dtype(scalarTypeToTypeMeta(kDouble));
    const ScalarType from_div = div(etude::ones({2}, kLong), 2).scalar_type(),
                     from_exp = exp(etude::ones({2}, kLong)).scalar_type(),
                     from_number = add(etude::ones({2}, kLong), 0.5).scalar_type();
    set_default_dtype(scalarTypeToTypeMeta(kFloat));
    CHECK((from_div == kDouble && from_exp == kDouble && from_number == kDouble));
    CHECK((div(etude::ones({2}, kLong), 2).scalar_type() == kFloat));
  }

  TEST_CASE("results have the memory order of their operands, as in PyTorch") {
    for (const auto& row : golden_json("core/layout.json")) {
      const Tensor a = laid_out(row.at("a")), b = laid_out(row.at("b"));
      const std::string text = row.dump();
      CAPTURE(text);
      CHECK(a.is_contiguous() == row.at("contiguous").get<bool>());
      CHECK(layout_of(a + b) == layout_text(row.at("add")));
      CHECK(layout_of(a < b) == layout_text(row.at("lt")));
      CHECK(layout_of(a + 1) == layout_text(row.at("add_number")));
      CHECK(layout_of(exp(a)) == layout_text(row.at("exp")));
      CHECK(layout_of(a.clone()) == layout_text(row.at("clone")));
      CHECK(layout_of(a.to(kDouble)) == layout_text(row.at("double")));
      CHECK(layout_of(etude::zeros_like(a)) == layout_text(row.at("zeros_like")));
    }
  }

  TEST_CASE("operands are broadcast from the last dim on, over up to eight dims") {
    const Tensor a = sequence({2, 1, 3, 1, 2, 1, 1, 2}), b = sequence({2, 1, 2, 1, 1, 3, 1}, 0.11);
    const Tensor y = a * b;
    REQUIRE(y.sizes() == IntArrayRef({2, 2, 3, 2, 2, 1, 3, 2}));
    const Tensor x = a.expand(y.sizes()).contiguous(), z = b.expand(y.sizes()).contiguous();
    for (int64_t i = 0; i < y.numel(); ++i)
      REQUIRE(y.data_ptr<double>()[i] == x.data_ptr<double>()[i] * z.data_ptr<double>()[i]);
  }

  TEST_CASE("empty operands give empty results, of the broadcast sizes") {
    CHECK((etude::zeros({0, 3}) + etude::ones({3})).sizes() == IntArrayRef({0, 3}));
    CHECK((etude::zeros({0, 1}) + etude::ones({1, 4})).sizes() == IntArrayRef({0, 4}));
    CHECK_THROWS_AS(etude::zeros({0}) + etude::zeros({2}), Error);
    CHECK(exp(etude::zeros({2, 0})).numel() == 0);
  }

  TEST_CASE("0-dim operands give 0-dim results") {
    const Tensor y = etude::scalar_tensor(2) + etude::scalar_tensor(3);
    CHECK(y.dim() == 0);
    CHECK(y.item<float>() == 5);
  }

  TEST_CASE("views of any strides give what their contiguous copies give") {
    const Tensor base = sequence({6, 5, 8});
    for (const Tensor& v :
         {base.permute({2, 0, 1}), base.slice(2, 1, 8, 3), base.select(1, 2), base.select(0, 1).t()}) {
      CHECK(equal(exp(v), exp(v.contiguous())));
      CHECK(equal(v * v.slice(0, 0, 1), v.contiguous() * v.slice(0, 0, 1).contiguous()));
      CHECK(equal(v - 2, v.contiguous() - 2));
    }
  }

  TEST_CASE(
      "rows longer than any piece give what a loop over them gives, apart in memory or with a number that "
      "stays") {
    constexpr int64_t n = 1300;
    for (const ScalarType dtype : {kByte, kInt, kLong, kFloat, kDouble}) {
      CAPTURE(toString(dtype));
      const Tensor x = etude::arange(3 * n).remainder(11).to(dtype).view({n, 3});
      const Tensor z = etude::arange(2 * n).remainder(7).to(dtype).view({n, 2});
      const Tensor a = x.select(1, 2), b = z.select(1, 1), number = z.select(0, 5).select(0, 0);
      Tensor whole = etude::full({n, 4}, 100, dtype);
      const Tensor out = whole.select(1, 3);
      const auto at = [](const Tensor& t, int64_t i) { return t[i].item<int64_t>(); };
      const Tensor sum = a + b, more = a * number, fewer = number.expand({n}) + b, smaller = a < b;
      const Tensor all = addcmul(a, b, number);
      out.copy_(a).add_(b);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t u = at(a, i), v = at(b, i), w = number.item<int64_t>();
        REQUIRE(at(sum, i) == u + v);
        REQUIRE(at(out, i) == u + v);
        REQUIRE(at(more, i) == u * w);
        REQUIRE(at(fewer, i) == w + v);
        REQUIRE(smaller[i].item<bool>() == (u < v));
        REQUIRE(at(all, i) == u + v * w);
      }
      CHECK(equal(whole.slice(1, 0, 3), etude::full({n, 3}, 100, dtype)));
      CHECK(equal(a.to(kDouble), x.to(kDouble).select(1, 2)));
      CHECK(equal(a.to(kBool).to(dtype), a.ne(0).to(dtype)));
    }
    const Tensor h = etude::arange(3 * n).to(kBFloat16).view({n, 3}).select(1, 1);
    CHECK(equal(h.contiguous().to(kFloat), h.to(kFloat)));
    CHECK(equal(exp(h.to(kFloat) * 0), etude::ones({n})));
  }

  TEST_CASE("an op in place keeps the memory, the strides and the type of its tensor, and counts the write") {
    const Tensor whole = etude::zeros({3, 4}), x = whole.t().slice(0, 0, 4, 2);
    const void* memory = x.data_ptr();
    x.add_(etude::ones({2, 1}, kLong)).mul_(3);
    CHECK(x.data_ptr() == memory);
    CHECK(x.strides() == IntArrayRef({2, 4}));
    CHECK(whole._version() == 2);
    CHECK(equal(whole.slice(1, 0, 4, 2), etude::full({3, 2}, 3.0)));
    CHECK(equal(whole.slice(1, 1, 4, 2), etude::zeros({3, 2})));
    const Tensor i = etude::ones({2}, kInt);
    i.add_(etude::ones({2}, kLong));
    CHECK((i.scalar_type() == kInt && i[0].item<int>() == 2));
  }

  TEST_CASE("an op in place refuses memory that several elements share") {
    CHECK(refusal([] { etude::ones({1}).expand({3}).add_(1); }) ==
          "Error: unsupported operation: more than one element of the written-to tensor refers to a "
          "single memory location. Please clone() the tensor before performing the operation.");
  }

  TEST_CASE("a tensor in place never grows to the broadcast sizes") {
    CHECK_THROWS_AS(etude::ones({3}).mul_(etude::ones({2, 3})), Error);
    CHECK_THROWS_AS(etude::ones({1}).sub_(etude::ones({3})), Error);
    CHECK(etude::ones({2, 3}).mul_(etude::ones({3})).sizes() == IntArrayRef({2, 3}));
  }
}
