// Forms that write to an existing tensor.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("out forms") {
  namespace {

  struct Noted : WarningHandler {
    void process(const SourceLocation&, const std::string& message, bool) override {
      messages.push_back(message);
    }
    std::vector<std::string> messages;
  };

  const Tensor a = etude::tensor({{0.5f, 0.25f}, {0.75f, 1.f}}), b = etude::tensor({{2.f, 1.f}, {0.5f, 3.f}});
  const Tensor first = etude::tensor({{0, 1}, {1, 0}}, kLong), steps = etude::tensor({0.f, 0.5f, 0.75f});
  const Tensor u = etude::tensor({{1.f, 2.f, 3.f}}), v = etude::tensor({{0.5f, -1.f, 2.f}});

  struct Case {
    Tensor expected;
    AnyFunction<Tensor&(Tensor&)> write;
  };

#define CASE(name, ...)                                                                    \
  Case {                                                                                   \
    name(__VA_ARGS__), [](Tensor& out) -> Tensor& { return name##_out(out, __VA_ARGS__); } \
  }

  std::vector<Case> castable() {
    return {CASE(add, a, b),       CASE(add, a, b, 3),  CASE(sub, a, b),
            CASE(mul, a, b),       CASE(div, a, b),     CASE(pow, a, b),
            CASE(maximum, a, b),   CASE(minimum, a, b), CASE(floor_divide, a, b),
            CASE(fmod, a, b),      CASE(max, a, b),     CASE(min, a, b),
            CASE(remainder, a, b), CASE(exp, a),        CASE(expm1, a),
            CASE(log, a),          CASE(log1p, a),      CASE(log2, a),
            CASE(sqrt, a),         CASE(rsqrt, a),      CASE(reciprocal, a),
            CASE(sin, a),          CASE(cos, a),        CASE(tan, a),
            CASE(tanh, a),         CASE(sigmoid, a),    CASE(erf, a),
            CASE(erfinv, a),       CASE(sinh, a),       CASE(cosh, a),
            CASE(asin, a),         CASE(acos, a),       CASE(atan, a),
            CASE(asinh, a),        CASE(acosh, b + 1),  CASE(atanh, a / 2),
            CASE(atan2, a, -b),    CASE(arcsin, a),     CASE(arccos, a),
            CASE(arctan, a),       CASE(arcsinh, a),    CASE(arccosh, b + 1),
            CASE(arctanh, a / 2),  CASE(arctan2, a, b)};
  }
  std::vector<Case> of_one_type() {
    return {CASE(matmul, a, b),
            CASE(mm, a, b),
            CASE(bmm, a.unsqueeze(0), b.unsqueeze(0)),
            CASE(mv, a, b[0]),
            CASE(tril, a),
            CASE(addmm, a, a, b),
            CASE(gather, a, 0, first),
            CASE(triu, a, 1),
            CASE(softmax, a, 1),
            CASE(log_softmax, a, 0),
            CASE(cross, u, v, 1),
            CASE(linalg_cross, u, v),
            CASE(upsample_nearest1d, a.unsqueeze(0), {3}),
            CASE(upsample_nearest2d, a.view({1, 1, 2, 2}), IntArrayRef({3, 4})),
            CASE(upsample_linear1d, a.unsqueeze(0), {3}, true),
            CASE(upsample_bilinear2d, a.view({1, 1, 2, 2}), IntArrayRef({3, 4}), false)};
  }
  // Ops with their own error texts in PyTorch.
  std::vector<Case> found() {
    return {CASE(neg, a),   CASE(sign, a),  CASE(floor, b),       CASE(ceil, b),  CASE(abs, -b),
            CASE(round, b), CASE(trunc, b), CASE(clamp, b, 1, 2), CASE(frac, -b), CASE(clip, b, 1, 2)};
  }
  std::vector<Case> more() {
    return {CASE(addcmul, a, b, b), CASE(addcdiv, a, b, b, 2), CASE(lerp, a, b, 0.5),
            CASE(pow, a, 2),        CASE(sub, a, 2),           CASE(amax, a, 1),
            CASE(amin, a, 0),       CASE(div, a, b, "floor"),  CASE(diag, a, 1),
            CASE(diag, a[0], -1)};
  }

  }  // namespace

  TEST_CASE("the result is written to out, which is returned, takes its sizes and keeps its dtype") {
    for (auto* cases : {&castable, &of_one_type, &found, &more})
      for (const Case& c : cases()) {
        Tensor out = etude::zeros({0});
        CHECK(&c.write(out) == &out);
        CHECK(same(out, c.expected));
        Tensor again = etude::full(c.expected.sizes(), 7);
        again = again.to(kFloat);
        const void* memory = again.data_ptr();
        CHECK(same(c.write(again), c.expected));
        CHECK(again.data_ptr() == memory);
      }
  }

  TEST_CASE("out of another dtype takes what can be cast to it") {
    size_t number = 0;
    for (const Case& c : castable()) {
      CAPTURE(number);
      ++number;
      Tensor wide = etude::zeros({0}, kDouble), whole = etude::zeros({0}, kLong);
      c.write(wide);
      CHECK(wide.scalar_type() == kDouble);
      CHECK(allclose(wide, c.expected.to(kDouble), 1e-6));
      CHECK(refusal([&] { c.write(whole); }) ==
            "Error: result type Float can't be cast to the desired output type Long");
    }
    Tensor out = etude::zeros({0}, kLong);
    CHECK(same(eq_out(out, a, a), etude::ones({2, 2}, kLong)));
    CHECK(same(gt_out(out, a, 0.5), etude::tensor({{0, 0}, {1, 1}}, kLong)));
    CHECK(same(logical_and_out(out, a, first), etude::tensor({{0, 1}, {1, 0}}, kLong)));
    CHECK(same(bitwise_xor_out(out, first, 3), etude::tensor({{3, 2}, {2, 3}}, kLong)));
  }

  TEST_CASE("of products and the like it must have the dtype of the result") {
    for (const Case& c : of_one_type()) {
      Tensor wide = etude::zeros({0}, kDouble), whole = etude::zeros({0}, kLong);
      CHECK(refusal([&] { c.write(wide); }) ==
            "Error: Expected out tensor to have dtype float, but got double instead");
      CHECK(refusal([&] { c.write(whole); }) ==
            "Error: Expected out tensor to have dtype float, but got long int instead");
    }
    Tensor wide = etude::zeros({0}, kDouble), out = etude::zeros({0}), place = etude::zeros({0}, kLong);
    for (const Case& c : found()) {
      CHECK(refusal([&] { c.write(wide); }) == "Error: Found dtype Double but expected Float");
      CHECK(refusal([&] { c.write(place); }) == "Error: Found dtype Long but expected Float");
    }
    CHECK(refusal([&] { amax_out(wide, a, 0); }) ==
          "Error: Expected the dtype for input and out to match, but got Float for input's dtype and Double "
          "for "
          "out's dtype.");
    CHECK(same(argmax_out(place, b, 1), etude::tensor({0, 1}, kLong)));
    CHECK(refusal([&] { argmin_out(out, b, 0); }) ==
          "Error: Expected out tensor to have dtype long int, but got float instead");
  }

  TEST_CASE("sums are computed in the dtype of out") {
    Tensor wide = etude::zeros({0}, kDouble), whole = etude::zeros({0}, kLong), out = etude::zeros({0});
    CHECK(same(sum_out(wide, b, 0), etude::tensor({2.5, 4.}, kDouble)));
    CHECK(same(sum_out(wide, b, IntArrayRef({0, 1}), true), etude::tensor({{6.5}}, kDouble)));
    CHECK(same(sum_out(whole, b * 1.5, 0), (b * 1.5).sum(0, false, kLong)));
    CHECK(same(mean_out(wide, b, 1), etude::tensor({1.5, 1.75}, kDouble)));
    CHECK(same(prod_out(out, b, 1), etude::tensor({2.f, 1.5f})));
    CHECK(same(cumsum_out(wide, b, 1), etude::tensor({{2., 3.}, {0.5, 3.5}}, kDouble)));
    CHECK(same(cumprod_out(wide, b, 1), etude::tensor({{2., 2.}, {0.5, 1.5}}, kDouble)));
    CHECK(same(cumprod_out(whole, etude::tensor({1, 2, 3}), 0, kLong), etude::tensor({1, 2, 6})));
    CHECK(refusal([&] { cumprod_out(out, b, 1, kDouble); }) ==
          "Error: Expected out tensor to have dtype double, but got float instead");
    CHECK(refusal([&] { sum_out(out, b, 0, false, kDouble); }) ==
          "Error: Expected out tensor to have dtype double, but got float instead");
  }

  TEST_CASE("places go into a tensor of their type, also where values require a gradient") {
    Tensor places = etude::zeros({0}, kLong), small = etude::zeros({0}, kInt), out = etude::zeros({0});
    CHECK(same(searchsorted_out(places, steps, a), etude::tensor({{1, 1}, {2, 3}})));
    CHECK(same(searchsorted_out(places, steps, a, false, true), etude::tensor({{2, 1}, {3, 3}})));
    CHECK(same(searchsorted_out(small, steps, 0.6, true), etude::tensor(2, kInt)));
    CHECK(same(bucketize_out(places, a.clone().requires_grad_(), steps), etude::tensor({{1, 1}, {2, 3}})));
    CHECK(same(bucketize_out(places, 0.5, steps, false, true), etude::tensor(2)));
    places.resize_({0});
    CHECK(same(searchsorted_out(places, steps.flip(0), a, false, false, "right", etude::tensor({2, 1, 0})),
               etude::tensor({{2, 1}, {3, 3}})));
    const std::string start =
        "Error: torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or "
        "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype ";
    CHECK(refusal([&] { searchsorted_out(out, steps, a); }) == start + "Float and out_int32 flag is False");
    CHECK(refusal([&] { bucketize_out(places, a, steps, true); }) ==
          start + "Long and out_int32 flag is True");
  }

  TEST_CASE("values and places are written to a tensor each") {
    Tensor values = etude::zeros({0}), places = etude::zeros({0}, kLong), wide = etude::zeros({0}, kDouble);
    const auto expect = [&](const std::tuple<Tensor&, Tensor&>& written, const Tensor& y, const Tensor& at) {
      CHECK(&std::get<0>(written) == &values);
      CHECK(&std::get<1>(written) == &places);
      CHECK(same(values, y));
      CHECK(same(places, at));
      values.resize_({0});
      places.resize_({0});
    };
    expect(cummax_out(values, places, b, 1), etude::tensor({{2.f, 2.f}, {0.5f, 3.f}}),
           etude::tensor({{0, 0}, {0, 1}}));
    expect(cummin_out(values, places, b, -1), etude::tensor({{2.f, 1.f}, {0.5f, 0.5f}}),
           etude::tensor({{0, 1}, {0, 0}}));
    expect(median_out(values, places, b, 0), etude::tensor({0.5f, 1.f}), etude::tensor({1, 0}));
    const Tensor some = etude::tensor({{NAN, 3.f, 1.f}});
    expect(nanmedian_out(values, places, some, 1, true), etude::tensor({{1.f}}), etude::tensor({{2}}));
    const std::string scalar = "Error: expected scalar_type ";
    CHECK(refusal([&] { cummax_out(wide, places, a, 0); }) == scalar + "Float but found Double");
    CHECK(refusal([&] { cummin_out(values, values, a, 0); }) == scalar + "Long but found Float");
    CHECK(refusal([&] { median_out(wide, wide, a, 0); }) ==
          "Error: Expected tensor for argument #1 'indices' to have scalar type Long; but got CPUDoubleType "
          "instead (while checking arguments for median)");
    CHECK(refusal([&] { nanmedian_out(wide, places, a, 0); }) ==
          "Error: Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but "
          "type "
          "CPUDoubleType does not equal CPUFloatType (while checking arguments for median)");
    CHECK(values.numel() == 0);
    Noted noted;
    const WarningUtils::WarningHandlerGuard guard(&noted);
    values.resize_({3});
    places.resize_({1});
    cummax_out(values, places, a, 0);
    REQUIRE(noted.messages.size() == 2);
    CHECK(noted.messages[0].find("it had shape [3], which") != std::string::npos);
    CHECK(noted.messages[1].find("it had shape [1], which") != std::string::npos);
    cummax_out(values, places, values, 0);
    CHECK(same(values, etude::tensor({{0.5f, 0.25f}, {0.75f, 1.f}})));
  }

  TEST_CASE("lists of tensors are joined into out") {
    Tensor out = etude::zeros({0}, kDouble), whole = etude::zeros({0}, kLong);
    CHECK(same(cat_out(out, {a, b}), cat({a, b}).to(kDouble)));
    out.resize_({0});
    CHECK(same(cat_out(out, {a, b}, 1), cat({a, b}, 1).to(kDouble)));
    out.resize_({0});
    CHECK(same(stack_out(out, {a, b}), stack({a, b}).to(kDouble)));
    out.resize_({0});
    CHECK(same(hstack_out(out, {a, b}), hstack({a, b}).to(kDouble)));
    out.resize_({0});
    CHECK(same(vstack_out(out, {a, b}), vstack({a, b}).to(kDouble)));
    CHECK(refusal([&] {
            cat_out(whole, {a, b});
          }) == "Error: torch.cat(): input types can't be cast to the desired output type Long");
  }

  TEST_CASE("what fills out does so in its dtype") {
    Tensor out = etude::ones({0}, kLong), wide = etude::ones({0}, kDouble);
    CHECK(same(zeros_out(out, {2}), etude::zeros({2}, kLong)));
    CHECK(same(ones_out(out, {3}), etude::ones({3}, kLong)));
    CHECK(same(full_out(out, {2}, 2.5), etude::full({2}, 2, kLong)));
    CHECK(empty_out(out, {4, 1}).sizes() == IntArrayRef({4, 1}));
    CHECK(same(arange_out(out, 4), etude::arange(4, kLong).view({4, 1})));
    CHECK(same(arange_out(wide, 0, 2, 0.5), etude::arange(0, 2, 0.5, kDouble)));
    CHECK(same(linspace_out(wide, 0, 1, 3), etude::linspace(0, 1, 3, kDouble)));
    wide.resize_({2, 3});
    CHECK(same(linspace_out(wide, 0, 5, 6), etude::arange(6, kDouble).view({2, 3})));
    CHECK(same(eye_out(wide, 2), etude::eye(2, kDouble)));
    CHECK(same(eye_out(wide, 1, 2), etude::eye(1, 2, kDouble)));
    CHECK(refusal([&] { linspace_out(wide, 0, 1, -3); }) == "Error: number of steps must be non-negative");
    CHECK(refusal([&] { eye_out(wide, -1); }) == "Error: n must be greater or equal to 0, got -1");
    CHECK(refusal([&] { eye_out(wide, 1, -1); }) == "Error: m must be greater or equal to 0, got -1");
    CHECK(wide.sizes() == IntArrayRef({1, 2}));
    etude::manual_seed(3);
    const Tensor uniform = etude::rand({5}, kDouble), normal = etude::randn({5}, kDouble);
    etude::manual_seed(3);
    CHECK(same(rand_out(wide, {5}), uniform));
    CHECK(same(randn_out(wide, {5}), normal));
  }

  TEST_CASE("an out with elements and other sizes is resized with a warning") {
    Noted noted;
    const WarningUtils::WarningHandlerGuard guard(&noted);
    Tensor out = etude::zeros({3}), range = etude::zeros({2}, kLong);
    CHECK(same(add_out(out, a, b), a + b));
    REQUIRE(noted.messages.size() == 1);
    CHECK(noted.messages[0] ==
          "An output with one or more elements was resized since it had shape [3], which does not match the "
          "required output shape [2, 2]. This behavior is deprecated, and in a future PyTorch release "
          "outputs will "
          "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by "
          "resizing it, "
          "inplace, to zero elements with t.resize_(0).");
    CHECK(same(arange_out(range, 4), etude::arange(4, kLong)));
    REQUIRE(noted.messages.size() == 2);
    CHECK(noted.messages[1] ==
          "The number of elements in the out tensor of shape [2] is 2 which does not match the computed "
          "number of "
          "elements 4. Note that this may occur as a result of rounding error. The out tensor will be "
          "resized to a "
          "tensor of shape (4,).");
    add_out(out, a, b);
    out.resize_({0});
    add_out(out, a, b);
    CHECK(noted.messages.size() == 2);
  }

  TEST_CASE("out may be an argument, or a view") {
    Tensor x = a.clone(), m = etude::zeros({2, 2}), column = m.select(1, 0);
    CHECK(same(add_out(x, x, x), a * 2));
    CHECK(same(cumprod_out(x, x, 0), etude::tensor({{1.f, 0.5f}, {1.5f, 1.f}})));
    add_out(column, a[0], 1);
    CHECK(same(m, etude::tensor({{1.5f, 0.f}, {1.25f, 0.f}})));
    Tensor row = etude::zeros({1}).expand({2});
    CHECK(refusal([&] { add_out(row, a[0], 1); }) ==
          "Error: unsupported operation: more than one element of the written-to tensor refers to a single "
          "memory location. Please clone() the tensor before performing the operation.");
  }

  TEST_CASE("nothing may require a gradient, unless none is recorded") {
    const std::string end =
        "(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments "
        "requires grad.";
    const Tensor leaf = etude::ones({2, 2}, requires_grad());
    Tensor out = etude::zeros({0}), asking = etude::ones({2, 2}, requires_grad());
    CHECK(refusal([&] { add_out(out, a, leaf); }) == "Error: add" + end);
    CHECK(refusal([&] { exp_out(asking, a); }) == "Error: exp" + end);
    CHECK(refusal([&] { cat_out(out, {a, leaf}); }) == "Error: cat" + end);
    CHECK(refusal([&] { sum_out(out, leaf, 0); }) == "Error: sum" + end);
    CHECK(refusal([&] { arcsin_out(out, leaf); }) == "Error: asin" + end);
    CHECK(refusal([&] { clip_out(asking, a, 0, 1); }) == "Error: clamp" + end);
    CHECK(refusal([&] { cross_out(out, u.clone().requires_grad_(), v, 1); }) == "Error: linalg_cross" + end);
    Tensor places = etude::zeros({0}, kLong);
    CHECK(refusal([&] { cummax_out(out, places, leaf, 0); }) == "Error: cummax" + end);
    CHECK(refusal([&] { nanmedian_out(asking, places, a, 0); }) == "Error: nanmedian" + end);
    const NoGradGuard no_grad;
    CHECK(same(add_out(out, a, leaf), a + 1));
    CHECK_FALSE(out.requires_grad());
  }

  TEST_CASE("a leaf that requires a gradient is no place for a new tensor") {
    Tensor asking = etude::ones({2, 2}, requires_grad());
    CHECK(refusal([&] {
            zeros_out(asking, {2, 2});
          }) == "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(refusal([&] { arange_out(asking, 4); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
  }
}
