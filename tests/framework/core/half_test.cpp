// float16 as a number and as the type of a tensor.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "etude/core/dtype.h"
#include "etude/core/scalar.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("float16") {
  namespace {

  Half half_of(int bits) { return Half(static_cast<uint16_t>(bits), Half::from_bits()); }

  // IEEE 754: sign, 5 bits of exponent with a bias of 15, 10 of fraction.
  double value_of(int bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31)
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
  }

  // The value of a non-negative number, with 65536 instead of infinity.
  double size_of(int bits) { return bits == 0x7c00 ? 65536 : value_of(bits); }

  bool agree(double found, double expected) {
    return std::isnan(expected) ? std::isnan(found)
                                : found == expected && std::signbit(found) == std::signbit(expected);
  }

  const etude::optional<int64_t> no_end;

  Tensor f16(const Tensor& t) { return t.to(kHalf); }

  }  // namespace

  TEST_CASE("every one is the float that IEEE 754 says, and comes back from it") {
    for (int bits = 0; bits < 65536; ++bits) {
      CAPTURE(bits);
      const float value = half_of(bits);
      REQUIRE(agree(value, value_of(bits)));
      if (std::isnan(value)) REQUIRE(Half(value).x == ((bits & 0x8000) | 0x7e00));
      else REQUIRE(Half(value).x == bits);
    }
  }

  TEST_CASE("so are all of a tensor, in one piece and by strides") {
    const Tensor all = etude::empty({65536}, kHalf);
    for (int bits = 0; bits < 65536; ++bits) all.data_ptr<Half>()[bits] = half_of(bits);
    for (const Tensor& x : {all, all.view({2, -1}).t()}) {
      const Tensor floats = x.to(kFloat), back = floats.to(kHalf);
      const Tensor bits = etude::empty({65536}, kLong), found = etude::empty({65536}, kFloat),
                   again = etude::empty({65536}, kHalf);
      for (int i = 0; i < 65536; ++i) bits.data_ptr<int64_t>()[i] = i;
      const Tensor order = x.dim() == 1 ? bits : bits.view({2, -1}).t().reshape({-1});
      found.copy_(floats.reshape({-1}));
      again.copy_(back.reshape({-1}));
      for (int i = 0; i < 65536; ++i) {
        const auto b = static_cast<int>(order.data_ptr<int64_t>()[i]);
        REQUIRE(agree(found.data_ptr<float>()[i], value_of(b)));
        REQUIRE((std::isnan(value_of(b)) || again.data_ptr<Half>()[i].x == b));
      }
    }
  }

  TEST_CASE("between two of them a float becomes the nearer one, and in the middle the even one") {
    for (int bits = 0; bits < 0x7c00; ++bits) {
      CAPTURE(bits);
      const auto middle = static_cast<float>((size_of(bits) + size_of(bits + 1)) / 2);
      for (const int sign : {0, 0x8000}) {
        const auto bits_of = [&](float v) { return Half(sign != 0 ? -v : v).x; };
        REQUIRE(bits_of(std::nextafter(middle, 0.0f)) == (sign | bits));
        REQUIRE(bits_of(middle) == (sign | (bits + (bits & 1))));
        REQUIRE(bits_of(std::nextafter(middle, 1e9f)) == (sign | (bits + 1)));
      }
    }
    for (const float v : {1e9f, std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()})
      CHECK((Half(v).x == 0x7c00 && Half(-v).x == 0xfc00));
    CHECK((Half(std::numeric_limits<float>::denorm_min()).x == 0 && Half(-0.0f).x == 0x8000));
  }

  TEST_CASE("its limits are those of 5 exponent bits and 11 digits") {
    using Limits = std::numeric_limits<Half>;
    CHECK((static_cast<float>(Limits::max()) == 65504 && static_cast<float>(Limits::lowest()) == -65504));
    CHECK((static_cast<float>(Limits::min()) == 0x1p-14f &&
           static_cast<float>(Limits::denorm_min()) == 0x1p-24f));
    CHECK((static_cast<float>(Limits::epsilon()) == 0x1p-10f &&
           static_cast<float>(Limits::round_error()) == 0.5f));
    CHECK((std::isinf(static_cast<float>(Limits::infinity())) &&
           std::isnan(static_cast<float>(Limits::quiet_NaN()))));
    CHECK(std::isnan(static_cast<float>(Limits::signaling_NaN())));
    CHECK((Limits::digits == 11 && Limits::digits10 == 3 && Limits::max_digits10 == 5 && Limits::radix == 2));
    CHECK((Limits::min_exponent == -13 && Limits::min_exponent10 == -4 && Limits::max_exponent == 16 &&
           Limits::max_exponent10 == 4));
    CHECK((Limits::is_signed && !Limits::is_integer && Limits::has_infinity));
  }

  TEST_CASE("arithmetic is that of floats, rounded, and with floats and doubles theirs") {
    const auto check = [](auto three, auto name) {
      using T = decltype(three);
      CAPTURE(name);
      const T one = 1;
      CHECK((std::is_same_v<decltype(one + three), T> && std::is_same_v<decltype(one * 2), T> &&
             std::is_same_v<decltype(int64_t{1} / three), T> && std::is_same_v<decltype(-one), T>));
      CHECK((std::is_same_v<decltype(one - 1.0f), float> && std::is_same_v<decltype(2.0 * one), double>));
      CHECK((one / three).x == T(1.0f / 3.0f).x);
      CHECK((one / 3).x == T(1.0f / 3.0f).x);
      CHECK((one / 3.0f == 1.0f / 3.0f && 1.0 / three == 1.0 / 3.0));
      CHECK((static_cast<float>(three - 5) == -2 && static_cast<float>(-three) == -3));
      T sum = one;
      sum += three;
      sum *= three;
      sum -= one;
      sum /= T(2);
      CHECK(sum.x == T(5.5f).x);
      CHECK((one < three && three == 3 && !(three != 3.0f)));
      float f = 1;
      f += three;
      CHECK(f == 4);
    };
    check(Half(3), "Half");
    check(BFloat16(3), "BFloat16");
    CHECK((Half(60000) + Half(60000)).x == 0x7c00);
  }

  TEST_CASE("it is wider than integers and narrower than float32, which alone holds it and bfloat16") {
    CHECK((toString(kHalf) == std::string("Half") && elementSize(kHalf) == 2 && kHalf == kFloat16));
    CHECK((isFloatingType(kHalf) && isSignedType(kHalf)));
    for (const ScalarType t : {kByte, kInt, kLong, kBool, kHalf})
      CHECK((promote_types(t, kHalf) == kHalf && promote_types(kHalf, t) == kHalf));
    for (const ScalarType t : {kFloat, kDouble}) CHECK(promote_types(kHalf, t) == t);
    CHECK((promote_types(kHalf, kBFloat16) == kFloat && promote_types(kBFloat16, kHalf) == kFloat));
    CHECK((can_cast(kHalf, kFloat) && can_cast(kBFloat16, kHalf) && can_cast(kLong, kHalf)));
    CHECK_FALSE(can_cast(kHalf, kLong));
    const Tensor x = etude::ones({3}, kHalf), y = etude::full({3}, 300.0, kBFloat16);
    CHECK((x + 1.5).scalar_type() == kHalf);
    CHECK((x * etude::ones({3}, kLong)).scalar_type() == kHalf);
    CHECK(((x + etude::ones({3})).scalar_type() == kFloat && (x + y).scalar_type() == kFloat));
    CHECK(equal(x + y, etude::full({3}, 301.0)));
    CHECK((x + y.select(0, 0)).scalar_type() == kHalf);
    CHECK(((x + 70000).isinf().all().item<bool>() && (x < y).all().item<bool>()));
  }

  TEST_CASE("a number too large for it is refused, and infinity is not") {
    for (const Scalar& large : {Scalar(1e5), Scalar(65505.0), Scalar(65505), Scalar(-70000)})
      CHECK(refusal_text([&] { etude::full({2}, large, kHalf); }) ==
            newer("value cannot be converted to type c10::Half without overflow",
                  "value cannot be converted to type at::Half without overflow"));
    CHECK(etude::full({1}, 65504, kHalf).item<float>() == 65504);
    CHECK(std::isinf(etude::full({1}, INFINITY, kHalf).item<float>()));
  }

  TEST_CASE("where chooses infinity for a number too large for it") {
    CHECK(same(etude::where(etude::tensor({true, false}), etude::ones({2}, kHalf), 1e39),
               etude::tensor({1.f, INFINITY}).to(kHalf)));
  }

  TEST_CASE("a tensor of them is read as any type, and made of any type") {
    const Tensor x = f16(etude::tensor({1.0f, -2.5f, 3.14159f, 2049.0f}));
    CHECK((x.element_size() == 2 && x.nbytes() == 8));
    CHECK((x[2].item<float>() == 3.140625f && x[2].item().toDouble() == 3.140625));
    CHECK((x[1].item<Half>().x == Half(-2.5f).x && static_cast<float>(x.data_ptr<Half>()[3]) == 2048));
    CHECK(equal(x.to(kLong), etude::tensor({1, -2, 3, 2048}, kLong)));
    CHECK(equal(f16(etude::tensor({2049, 2051, 70000}, kLong)).to(kDouble),
                etude::tensor({2048.0, 2052.0, HUGE_VAL}, kDouble)));
    CHECK(equal(f16(etude::tensor({true, false})).to(kBool), etude::tensor({true, false})));
    CHECK((equal(x.to(kDouble).to(kHalf), x) &&
           equal(x.to(kBFloat16).to(kHalf).to(kFloat), x.to(kBFloat16).to(kFloat))));
    CHECK(equal(etude::tensor({1.5, 0.1}, kHalf).to(kFloat), etude::tensor({1.5f, 0.0999755859375f})));
    const Tensor y = etude::zeros({2, 4}, kHalf);
    y.t()[1].fill_(0.1);
    y[1].copy_(etude::tensor({1.0, 2.0, 3.0, 4.1}, kDouble));
    CHECK(equal(
        y.to(kFloat),
        etude::tensor({0.0f, 0.0999755859375f, 0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 4.1015625f}).view({2, 4})));
    CHECK(f16(etude::empty({0, 3})).sizes() == IntArrayRef({0, 3}));
    CHECK(refusal_text([&] { x.data_ptr<BFloat16>(); }) == "expected scalar type BFloat16 but found Half");
  }

  TEST_CASE("a leaf of them gets a gradient of them, and a cast hands the gradient on") {
    const Tensor x = etude::full({3}, 2.0, kHalf).requires_grad_(),
                 w = etude::full({3}, 3.0).requires_grad_();
    (x * w.to(kHalf)).sum().backward();
    CHECK((x.grad().scalar_type() == kHalf && w.grad().scalar_type() == kFloat));
    CHECK((equal(x.grad().to(kFloat), etude::full({3}, 3.0)) && equal(w.grad(), etude::full({3}, 2.0))));
  }

  TEST_CASE("random numbers are those of float32, rounded") {
    using Fill = AnyFunction<void(const Tensor&)>;
    for (const Fill& fill : std::vector<Fill>{[](const Tensor& t) { t.exponential_(); },
                                              [](const Tensor& t) { t.random_(0, 100); },
                                              [](const Tensor& t) { t.slice(0, 0, 15).normal_(0.3, 2.1); }}) {
      const Tensor x = etude::zeros({40}, kHalf), y = etude::zeros({40});
      manual_seed(0);
      fill(x);
      manual_seed(0);
      fill(y);
      CHECK(equal(x, f16(y)));
    }
    const auto drawn = [](const Fill& fill) {
      manual_seed(0);
      const Tensor t = etude::zeros({4}, kHalf);
      fill(t);
      return t.to(kFloat);
    };
    CHECK(equal(drawn([](const Tensor& t) { t.random_(); }),
                etude::tensor({1277.0f, 1017.0f, 1661.0f, 999.0f})));
    CHECK(equal(drawn([](const Tensor& t) { t.random_(3, no_end); }),
                etude::tensor({827.0f, 1242.0f, 1940.0f, 699.0f})));
  }

  TEST_CASE("random numbers beyond it are refused") {
    const Tensor t = etude::zeros({4}, kHalf);
    CHECK(refusal_text([&] { t.uniform_(0, 1e6); }) == "to is out of bounds for c10::Half");
    CHECK(refusal_text([&] { t.random_(0, 100000); }) == "to - 1 is out of bounds for c10::Half");
    CHECK(refusal_text([&] { t.random_(70000, 100000); }) == "from is out of bounds for c10::Half");
    CHECK(refusal_text([&] { t.random_(std::numeric_limits<int64_t>::min(), no_end); }) ==
          "\"random_full_64_bits_range_kernel_cpu\" not implemented for 'Half'");
  }
}
