#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

// A vector of bools from its digits, "011".
Tensor bits(const std::string& digits) {
  std::vector<int64_t> values;
  for (char c : digits) values.push_back(c == '1');
  return etude::tensor(values).to(kBool);
}

}  // namespace

TEST_SUITE("comparisons") {
  TEST_CASE("give bools, element by element") {
    const Tensor a = etude::tensor({1., 2., 3., kNan}), b = etude::tensor({2., 2., 2., kNan});
    CHECK(same(a == b, bits("0100")));
    CHECK(same(a != b, bits("1011")));
    CHECK(same(a < b, bits("1000")));
    CHECK(same(a <= b, bits("1100")));
    CHECK(same(a > b, bits("0010")));
    CHECK(same(a >= b, bits("0110")));
    CHECK(same(a.lt(2), bits("1000")));
    CHECK(same(2 < a, bits("0010")));
    CHECK(same(2. >= a, bits("1100")));
    CHECK(same(ge(a, 2), bits("0110")));
    CHECK(same(etude::tensor({-0.}) == etude::tensor({0.}), bits("1")));
    CHECK(same(bits("01") < bits("10"), bits("10")));
  }

  TEST_CASE("broadcast and read every memory order") {
    const Tensor row = etude::tensor({0, 1, 2}), column = etude::tensor({{1}, {2}});
    CHECK(same(row < column, etude::tensor({{true, false, false}, {true, true, false}})));
    CHECK(same(row.expand({2, 3}).t() == etude::tensor({{0, 5}, {5, 1}, {2, 2}}),
               etude::tensor({{true, false}, {false, true}, {true, true}})));
    CHECK(same(etude::tensor(1) == etude::tensor(1.), etude::tensor(true)));
    CHECK(same(etude::zeros({0, 3}) == row, etude::zeros({0, 3}, kBool)));
    CHECK(refusal([] { etude::zeros({2}) > etude::zeros({3}); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
  }

  TEST_CASE("promote types as arithmetic does, numbers giving way to tensors") {
    const Tensor bytes = etude::tensor({0, 255, 44}, kByte);
    CHECK(same(etude::tensor({1, 2}) < 1.5, bits("10")));
    CHECK(same(bytes == -1, bits("010")));
    CHECK(same(bytes == 300, bits("001")));
    CHECK(same(bytes > -1, bits("000")));
    CHECK(same(bytes == 255.5, bits("000")));
    CHECK(same(bytes == etude::tensor({-1}), bits("000")));
    CHECK(same(etude::tensor({0.1f}) == 0.1, bits("1")));
    CHECK(same(etude::tensor({0.1f}) == etude::tensor({0.1}, kDouble), bits("0")));
    CHECK(same(etude::tensor({0.1f}) == etude::tensor(0.1, kDouble), bits("1")));
    CHECK(same(etude::tensor({16777217}) == etude::tensor({16777216.f}), bits("1")));
    CHECK(same(etude::tensor({1, 2}, kInt) == 4294967297, bits("10")));
    CHECK(same(bits("10") == 2, bits("00")));
    CHECK(same(bits("10") < 2, bits("11")));
  }

  TEST_CASE("have no gradient") {
    const Tensor x = etude::zeros({2}, requires_grad());
    CHECK_FALSE((x < 1).requires_grad());
    CHECK_FALSE(x.isnan().requires_grad());
  }

  TEST_CASE("written in place keep the type, and the gradient of what was there is zero") {
    const Tensor x = etude::tensor({1., 2.}), n = etude::tensor({1, 2}), flags = bits("10");
    CHECK(&x.eq_(1) == &x);
    CHECK(same(x, etude::tensor({1., 0.})));
    CHECK(same(n.lt_(etude::tensor({1.5, 1.5})), etude::tensor({1, 0})));
    CHECK(same(flags.ne_(etude::tensor({1., 1.})), bits("01")));
    CHECK(refusal([] {
            etude::zeros({2}).gt_(etude::zeros({2, 2}));
          }) == "Error: output with shape [2] doesn't match the broadcast shape [2, 2]");
    CHECK(refusal([] { etude::zeros({2}, requires_grad()).le_(1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");

    const Tensor y = etude::tensor({1.5, 2.5}, kDouble);
    const TensorFunction f = [](const std::vector<Tensor>& in) {
      const Tensor a = in[0] * 2, b = in[0] * 3;
      a.ge_(in[1]);
      b.lt_(5);
      return in[0] * in[0] + a + b;
    };
    CHECK(gradcheck(f, {y, y + 2.25}));
    CHECK(gradgradcheck(f, {y, y + 2.25}));
    const Tensor z = etude::zeros({2}, requires_grad()) * 1;
    CHECK(node_name(z.eq_(0)) == "EqBackward0");
    CHECK(node_name(z.lt_(etude::zeros({2}))) == "LtBackward1");
  }

  TEST_CASE("large tensors give the same on any number of threads") {
    manual_seed(1);
    const Tensor a = etude::randn({300, 400}), b = etude::randn({400, 300}).t();
    const ThreadCount restored;
    set_num_threads(1);
    const Tensor one = a < b;
    set_num_threads(4);
    CHECK(same(a < b, one));
    CHECK(equal(a, a.clone()));
    int64_t count = 0;
    for (int64_t i = 0; i < 300; ++i)
      for (int64_t j = 0; j < 400; ++j)
        count += one.data_ptr<bool>()[i * one.stride(0) + j * one.stride(1)] ==
                 (a.data_ptr<float>()[i * 400 + j] < b.data_ptr<float>()[i + j * 300]);
    CHECK(count == 300 * 400);
  }
}

TEST_SUITE("logic") {
  TEST_CASE("takes every type for true that is not zero") {
    const Tensor a = etude::tensor({0., 2., kNan, 0.}), b = etude::tensor({1, 1, 0, 0});
    CHECK(same(logical_and(a, b), bits("0100")));
    CHECK(same(logical_or(a, b), bits("1110")));
    CHECK(same(logical_xor(a, b), bits("1010")));
    CHECK(same(logical_not(a), bits("1001")));
    CHECK(same(a.logical_and(bits("1")), bits("0110")));
    const Tensor x = etude::tensor({0, 5});
    CHECK(same(x.logical_not_(), etude::tensor({1, 0})));
  }

  TEST_CASE("operators are logic on bools and bits on integers") {
    CHECK(same(bits("0011") & bits("0101"), bits("0001")));
    CHECK(same(bits("0011") | bits("0101"), bits("0111")));
    CHECK(same(bits("0011") ^ bits("0101"), bits("0110")));
    CHECK(same(~bits("01"), bits("10")));
    CHECK(same(etude::tensor({6, 5}) & etude::tensor({3}), etude::tensor({2, 1})));
    CHECK(same(etude::tensor({6, 5}, kInt) | etude::tensor({3, 3}), etude::tensor({7, 7})));
    CHECK(same(bits("10") ^ etude::tensor({3, 3}), etude::tensor({2, 3})));
    CHECK(same(etude::tensor({1, 255, 44}, kByte) & etude::tensor(257), etude::tensor({1, 1, 0}, kByte)));
    CHECK(same(~etude::tensor({1, -1}), etude::tensor({-2, 0})));
    CHECK(same(~etude::tensor({0, 255, 44}, kByte), etude::tensor({255, 0, 211}, kByte)));
    CHECK(same(~etude::tensor({0}, kInt), etude::tensor({-1}, kInt)));
  }

  TEST_CASE("floating point numbers have no bits") {
    CHECK(refusal([] { bits("1") & etude::ones({1}); }) ==
          "Error: \"bitwise_and_cpu\" not implemented for 'Float'");
    CHECK(refusal([] { etude::ones({1}) | etude::ones({1}); }) ==
          "Error: \"bitwise_or_cpu\" not implemented for 'Float'");
    CHECK(refusal([] { etude::ones({1}, kDouble) ^ etude::ones({1}); }) ==
          "Error: \"bitwise_xor_cpu\" not implemented for 'Double'");
    CHECK(refusal([] { ~etude::ones({1}); }) == "Error: \"bitwise_not_cpu\" not implemented for 'Float'");
  }
}

TEST_SUITE("closeness") {
  TEST_CASE("isnan, isinf and isfinite tell numbers from the rest") {
    for (ScalarType type : {kFloat, kDouble}) {
      const Tensor x = etude::tensor({1., kNan, kInf, -kInf, -0.}, type);
      CHECK(same(isnan(x), bits("01000")));
      CHECK(same(isinf(x), bits("00110")));
      CHECK(same(isfinite(x), bits("10001")));
    }
    CHECK(same(etude::tensor({1, 0}).isfinite(), bits("11")));
    CHECK(same(etude::tensor({1, 0}).isnan(), bits("00")));
    CHECK(same(bits("10").isinf(), bits("00")));
  }

  TEST_CASE("isclose allows atol + rtol |other|, equal infinities, and nan if told") {
    const Tensor a = etude::tensor({1., kNan, kInf, kInf, 100.}),
                 b = etude::tensor({1.000001, kNan, kInf, -kInf, 101.});
    CHECK(same(isclose(a, b), bits("10100")));
    CHECK(same(isclose(a, b, 1e-5, 1e-8, true), bits("11100")));
    CHECK(same(isclose(a, b, 0.01, 0), bits("10101")));
    CHECK(same(isclose(a, b, 0, 0), bits("00100")));
    CHECK(same(isclose(etude::tensor({1., kInf}), etude::tensor({kInf, 1.}), 0.5, kInf), bits("00")));
    CHECK(same(isclose(etude::tensor({100, 101}), etude::tensor({101}), 0.001, 0), bits("01")));
    CHECK(same(isclose(etude::tensor({100}), etude::tensor({101}), 0.01, 0), bits("1")));
    CHECK(same(isclose(etude::tensor({16777217}), etude::tensor({16777216}), 0, 0), bits("0")));
    CHECK(same(isclose(etude::tensor({1, 255}, kByte), etude::tensor({2, 0}, kByte), 0, 1), bits("10")));
    CHECK(same(isclose(bits("10"), bits("11")), bits("10")));
    CHECK(same(isclose(etude::ones({2, 1}), etude::ones({3})), etude::ones({2, 3}, kBool)));
    CHECK(refusal([] { isclose(etude::ones({1}), etude::ones({1}, kDouble)); }) ==
          "Error: Float did not match Double");
    CHECK(refusal([] { isclose(etude::ones({1}), etude::ones({1}), -1); }) ==
          "Error: rtol must be greater than or equal to zero, but got -1");
    CHECK(refusal([] { isclose(etude::ones({1}), etude::ones({1}), 1e-5, -1); }) ==
          "Error: atol must be greater than or equal to zero, but got -1");
  }

  TEST_CASE("allclose asks it of all elements") {
    CHECK(allclose(etude::tensor({1., 2.}), etude::tensor({1.000001, 2.})));
    CHECK_FALSE(allclose(etude::tensor({1., 2.}), etude::tensor({1., 2.1})));
    CHECK_FALSE(etude::ones({2}).allclose(etude::tensor({1., kNan})));
    CHECK(etude::tensor({kNan}).allclose(etude::tensor({kNan}), 1e-5, 1e-8, true));
    CHECK(allclose(etude::zeros({0}), etude::zeros({0})));
    CHECK(allclose(etude::ones({2, 1}), etude::ones({3})));
    CHECK(allclose(etude::ones({2, 3}).t(), etude::ones({3, 2})));
    CHECK(refusal([] { allclose(etude::ones({2}), etude::ones({3})); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
  }

  TEST_CASE("equal wants the same sizes and values, and promotes types") {
    CHECK(equal(etude::tensor({1., 2.}), etude::tensor({1., 2.})));
    CHECK_FALSE(equal(etude::tensor({1., 2.}), etude::tensor({1., 3.})));
    CHECK_FALSE(equal(etude::ones({2}), etude::ones({3})));
    CHECK_FALSE(equal(etude::ones({2}), etude::ones({2, 1})));
    CHECK_FALSE(equal(etude::zeros({0}), etude::zeros({0, 1})));
    CHECK(equal(etude::zeros({0}), etude::zeros({0})));
    CHECK(equal(etude::ones({2}), etude::ones({2}, kDouble)));
    CHECK(equal(etude::tensor({1, 2}), etude::tensor({1., 2.})));
    CHECK(equal(etude::tensor({-0.}), etude::tensor({0.})));
    CHECK_FALSE(etude::tensor({kNan}).equal(etude::tensor({kNan})));
    CHECK(equal(etude::ones({1}).expand({3}), etude::ones({3})));
    CHECK(equal(etude::tensor({{1, 2}, {3, 4}}).t(), etude::tensor({{1, 3}, {2, 4}})));
  }

  TEST_CASE("is_nonzero asks the only element, of any type and any number of dims") {
    for (const auto dtype : {etude::kFloat, kDouble, etude::kLong, etude::kInt, etude::kByte, etude::kBool}) {
      CHECK(etude::ones({1, 1}, dtype).is_nonzero());
      CHECK(is_nonzero(etude::ones({}, dtype)));
      CHECK_FALSE(etude::native::is_nonzero(etude::zeros({1}, dtype)));
    }
    CHECK(is_nonzero(etude::tensor({0.25})));
    CHECK(is_nonzero(etude::tensor({kNan})));
    CHECK_FALSE(is_nonzero(etude::tensor({-0.})));
    CHECK(is_nonzero(etude::tensor({0., 2.})[1]));
    CHECK_FALSE(is_nonzero(etude::tensor({2., 0.})[1]));
  }

  TEST_CASE("is_nonzero refuses what is not one element") {
    CHECK(refusal_text([] { is_nonzero(etude::ones({2})); }) ==
          "Boolean value of Tensor with more than one value is ambiguous");
    CHECK(refusal_text([] { etude::native::is_nonzero(etude::ones({0})); }) ==
          "Boolean value of Tensor with no values is ambiguous");
    CHECK(refusal_text([] { etude::native::is_nonzero(etude::Tensor()); }) ==
          "Boolean value of Tensor with no values is ambiguous");
  }
}
