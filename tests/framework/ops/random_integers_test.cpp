#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("random_integers") {
  namespace {

  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  const optional<int64_t> kNoEnd;

  struct Limits {
    double low, high;
  };
  Limits limits(const Tensor& t) {
    const Tensor x = t.to(kDouble);
    return {x.min().item<double>(), x.max().item<double>()};
  }

  }  // namespace

  TEST_CASE("all integers of the range come, and none outside it") {
    manual_seed(0);
    for (const ScalarType type : {kByte, kInt, kLong, kFloat, kDouble}) {
      const Limits found = limits(etude::randint(3, 9, {2000}, type));
      CHECK(found.low == 3);
      CHECK(found.high == 8);
    }
    CHECK(limits(etude::zeros({2000}, kInt).random_(-2, 3)).low == -2);
    CHECK(limits(etude::randint(2, {100}, kBool)).high == 1);
    CHECK(limits(etude::zeros({3}).random_(7, 8)).low == 7);
  }

  TEST_CASE("without bounds a type gets what it holds exactly and is not negative") {
    manual_seed(0);
    const auto highest = [](ScalarType type) { return limits(etude::zeros({20000}, type).random_()).high; };
    CHECK(highest(kBool) == 1);
    CHECK(highest(kByte) == 255);
    CHECK(highest(kInt) / 2147483647.0 > 0.999);
    CHECK(highest(kLong) / 9223372036854775807.0 > 0.999);
    CHECK(highest(kFloat) / 16777216.0 > 0.999);
    CHECK(highest(kFloat) <= 16777216.0);
    CHECK(highest(kDouble) / 9007199254740992.0 > 0.999);
    CHECK(highest(kDouble) <= 9007199254740992.0);
    CHECK(limits(etude::zeros({20000}, kLong).random_(kSmallest, kNoEnd)).low / 9223372036854775807.0 <
          -0.999);
  }

  TEST_CASE("what cannot be drawn is refused in PyTorch's words") {
    const auto Z = [](ScalarType t) { return etude::zeros({3}, t); };
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refused = {
        {[&] { Z(kFloat).random_(5, 5); },
         "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"},
        {[&] { Z(kFloat).random_(0); },
         "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"},
        {[&] { etude::randint(-3, {3}); },
         "random_ expects 'from' to be less than 'to', but got from=0 >= to=-3"},
        {[&] { Z(kByte).random_(0, 257); }, "to - 1 is out of bounds for unsigned char"},
        {[&] { Z(kByte).random_(-1, 25); }, "from is out of bounds for unsigned char"},
        {[&] { Z(kInt).random_(0, (int64_t{1} << 31) + 1); }, "to - 1 is out of bounds for int"},
        {[&] { Z(kBool).random_(0, 3); }, "to - 1 is out of bounds for bool"},
        {[&] { Z(kBool).random_(2, kNoEnd); }, "from is out of bounds for bool"},
        {[&] { Z(kInt).random_(kSmallest, kNoEnd); },
         "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"},
        {[&] { Z(kBool).random_(kSmallest, kNoEnd); },
         "\"random_full_64_bits_range_kernel_cpu\" not implemented for 'Bool'"},
        {[&] { Z(kFloat).random_(int64_t{1} << 24, kNoEnd); },
         "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but "
         "got from=16777216 > "
         "to_inc=16777216"},
        {[&] { Z(kFloat).random_((int64_t{1} << 62) + 1, (int64_t{1} << 62) + 2); },
         "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
         "from=4611686568183201792 >= "
         "to=4611686018427387906"},
        {[&] { etude::randint(0, 2, {-3}); }, "Trying to create tensor with negative dimension -3: [-3]"},
        {[&] { etude::randint(5, {3}, dtype(kLong).requires_grad(true)); },
         "Only Tensors of floating point and complex dtype can require gradients"},
        {[&] {
           etude::zeros({3}).expand({2, 3}).random_(5, 5);
         },
         "unsupported operation: more than one element of the written-to tensor refers to a single memory "
         "location. "
         "Please clone() the tensor before performing the operation."},
    };
    for (const auto& [f, sentence] : refused) CHECK(refusal(f) == "Error: " + sentence);
  }

  TEST_CASE("options that name no type give that of floats") {
    CHECK(etude::randint(5, {3}).scalar_type() == kLong);
    CHECK(etude::randint(5, {3}, device(kCPU)).scalar_type() == kFloat);
    CHECK(etude::randint(0, 5, {3}, device(kCPU)).scalar_type() == kFloat);
  }
}
