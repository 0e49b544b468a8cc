// bfloat16 as a number and as the type of a tensor.
#include "etude/core/dtype.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "etude/core/scalar.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("bfloat16") {
  namespace {

  float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  Tensor bf16(const Tensor& t) { return t.to(kBFloat16); }

  }  // namespace

  TEST_CASE("it is a float without the lower half of its bits, and every one survives a float") {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const BFloat16 number(static_cast<uint16_t>(bits), BFloat16::from_bits());
      const float value = static_cast<float>(number);
      CAPTURE(bits);
      if (std::isnan(value)) REQUIRE(std::isnan(static_cast<float>(BFloat16(value))));
      else REQUIRE((value == float_of(bits << 16) && BFloat16(value).x == bits));
    }
  }

  TEST_CASE("a float becomes the nearest one, of two the even one") {
    struct Row {
      uint32_t from;
      uint16_t to;
    };
    for (const Row& r :
         {Row{0x3f800000, 0x3f80}, Row{0x3f807fff, 0x3f80}, Row{0x3f808000, 0x3f80}, Row{0x3f808001, 0x3f81},
          Row{0x3f818000, 0x3f82}, Row{0xbf818000, 0xbf82}, Row{0x7f7f7fff, 0x7f7f}, Row{0x7f7f8000, 0x7f80},
          Row{0xff7fffff, 0xff80}, Row{0x7f800000, 0x7f80}, Row{0x00008000, 0x0000}, Row{0x00018000, 0x0002},
          Row{0x80000000, 0x8000}, Row{0x7f800001, 0x7fc0}}) {
      CAPTURE(r.from);
      CHECK(BFloat16(float_of(r.from)).x == r.to);
      const Tensor t = etude::full({40}, 0.0);
      for (int i = 0; i < 40; ++i) t.data_ptr<float>()[i] = float_of(r.from);
      const Tensor rounded = bf16(t);
      for (int i = 0; i < 40 && r.to != 0x7fc0; ++i) CHECK(rounded.data_ptr<BFloat16>()[i].x == r.to);
    }
  }

  TEST_CASE("its limits are those of 8 exponent bits and 8 digits") {
    using Limits = std::numeric_limits<BFloat16>;
    CHECK(static_cast<float>(Limits::max()) == 0x1.fep127f);
    CHECK(static_cast<float>(Limits::lowest()) == -0x1.fep127f);
    CHECK(static_cast<float>(Limits::min()) == 0x1p-126f);
    CHECK(static_cast<float>(Limits::denorm_min()) == 0x1p-133f);
    CHECK(static_cast<float>(Limits::epsilon()) == 0x1p-7f);
    CHECK((std::isinf(static_cast<float>(Limits::infinity())) &&
           std::isnan(static_cast<float>(Limits::quiet_NaN()))));
    CHECK((Limits::digits == 8 && Limits::is_signed && !Limits::is_integer && Limits::has_infinity));
  }

  TEST_CASE("it is wider than integers and narrower than float32") {
    CHECK((toString(kBFloat16) == std::string("BFloat16") && elementSize(kBFloat16) == 2));
    CHECK((isFloatingType(kBFloat16) && isSignedType(kBFloat16)));
    for (const ScalarType t : {kByte, kInt, kLong, kBool, kBFloat16})
      CHECK((promote_types(t, kBFloat16) == kBFloat16 && promote_types(kBFloat16, t) == kBFloat16));
    for (const ScalarType t : {kFloat, kDouble}) CHECK(promote_types(kBFloat16, t) == t);
    CHECK((can_cast(kBFloat16, kFloat) && can_cast(kDouble, kBFloat16) && can_cast(kLong, kBFloat16)));
    CHECK_FALSE(can_cast(kBFloat16, kLong));
    const Tensor x = etude::ones({3}, kBFloat16);
    CHECK((x + 1.5).scalar_type() == kBFloat16);
    CHECK((x * etude::ones({3}, kLong)).scalar_type() == kBFloat16);
    CHECK((x + etude::ones({3})).scalar_type() == kFloat);
    CHECK((x + etude::full({}, 1.0)).scalar_type() == kBFloat16);
    CHECK((etude::ones({3}, kLong) + etude::full({}, 1.0, kBFloat16)).scalar_type() == kBFloat16);
  }

  TEST_CASE("a number too large for it is refused, and infinity is not") {
    CHECK(refusal_text([] { etude::full({2}, 1e39, kBFloat16); }) ==
          newer("value cannot be converted to type c10::BFloat16 without overflow",
                "value cannot be converted to type at::BFloat16 without overflow"));
    CHECK(std::isinf(etude::full({1}, INFINITY, kBFloat16).item<float>()));
  }

  TEST_CASE("a tensor of them is read as any type, and made of any type") {
    const Tensor x = bf16(etude::tensor({1.0f, -2.5f, 3.14159f, 300.7f}));
    CHECK((x.element_size() == 2 && x.nbytes() == 8));
    CHECK(x[2].item<float>() == 3.140625f);
    CHECK(x[2].item().toDouble() == 3.140625);
    CHECK(static_cast<float>(x[1].item<BFloat16>()) == -2.5f);
    CHECK(equal(x.to(kLong), etude::tensor({1, -2, 3, 300}, kLong)));
    CHECK(equal(bf16(etude::tensor({300, 257, 258, 259}, kLong)).to(kFloat),
                etude::tensor({300.0f, 256.0f, 258.0f, 260.0f})));
    CHECK(equal(bf16(etude::tensor({true, false})).to(kBool), etude::tensor({true, false})));
    CHECK(equal(x.to(kDouble).to(kBFloat16), x));
    CHECK(static_cast<float>(x.data_ptr<BFloat16>()[3]) == 300.0f);
    const Tensor y = etude::zeros({2, 4}, kBFloat16);
    y.t()[1].fill_(0.1);
    y[1].copy_(etude::tensor({1.0, 2.0, 3.0, 4.1}, kDouble));
    CHECK(equal(y.to(kFloat),
                etude::tensor({0.0f, 0.10009765625f, 0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 4.09375f}).view({2, 4})));
    CHECK(bf16(etude::empty({0, 3})).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("a leaf of them gets a gradient of them, and a cast hands the gradient on") {
    const Tensor x = etude::full({3}, 2.0, kBFloat16).requires_grad_(),
                 w = etude::full({3}, 3.0).requires_grad_();
    (x * w.to(kBFloat16)).sum().backward();
    CHECK((x.grad().scalar_type() == kBFloat16 && w.grad().scalar_type() == kFloat));
    CHECK((equal(x.grad().to(kFloat), etude::full({3}, 3.0)) && equal(w.grad(), etude::full({3}, 2.0))));
  }

  TEST_CASE("random numbers are those of float32, rounded") {
    using Fill = AnyFunction<void(const Tensor&)>;
    for (const Fill& fill : std::vector<Fill>{[](const Tensor& t) { t.exponential_(); },
                                              [](const Tensor& t) { t.bernoulli_(0.3); },
                                              [](const Tensor& t) { t.random_(0, 100); },
                                              [](const Tensor& t) { t.slice(0, 0, 15).normal_(); }}) {
      const Tensor x = etude::zeros({40}, kBFloat16), y = etude::zeros({40});
      manual_seed(0);
      fill(x);
      manual_seed(0);
      fill(y);
      CHECK(equal(x, bf16(y)));
    }
    manual_seed(0);
    const Tensor p = etude::full({50}, 0.3, kBFloat16), x = bernoulli(p);
    manual_seed(0);
    CHECK(equal(x, bf16(bernoulli(p.to(kFloat)))));
    CHECK(dropout(etude::ones({5, 4}, kBFloat16).t(), 0.5, true).scalar_type() == kBFloat16);
  }

  TEST_CASE("a matrix product does not promote") {
    const Tensor x = etude::ones({2, 2}, kBFloat16);
    CHECK(refusal_text([&] {
            x.mm(etude::ones({2, 2}));
          }) == newer("expected m1 and m2 to have the same dtype, but got: c10::BFloat16 != float",
                      "expected scalar type BFloat16 but found Float"));
  }

  TEST_CASE("a layer norm takes parameters of its input's type alone") {
    const Tensor x = etude::ones({2, 2}, kBFloat16);
    CHECK(refusal_text([&] { layer_norm(x, {2}, etude::ones({2}), etude::ones({2})); }) ==
          "expected scalar type BFloat16 but found Float");
  }
}
