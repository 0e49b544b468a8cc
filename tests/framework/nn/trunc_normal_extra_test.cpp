// trunc_normal_, which LibTorch lacks: Python's values for the same seeds.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("trunc_normal_") {
  namespace {

  struct Told : WarningHandler {
    void process(const SourceLocation&, const std::string& message, bool) override {
      messages.push_back(message);
    }
    std::vector<std::string> messages;
  };

  }  // namespace

  TEST_CASE("draws the numbers of PyTorch 2") {
    const std::map<std::string, ScalarType> types = {
        {"float32", kFloat}, {"float64", kDouble}, {"float16", kHalf}, {"bfloat16", kBFloat16}};
    for (const Recorded& row : golden_json("changed.json").at("fills")) {
      if (row[1] != "trunc_normal_") continue;
      CAPTURE(row[0].dump() + row[2].dump() + row[3].dump());
      const ScalarType type = types.at(row[0].get<std::string>());
      const std::string target = row[3];
      const Tensor t =
          target == "transposed" ? etude::empty({4, 5}, type).t() : etude::empty({std::stoll(target)}, type);
      t.requires_grad_();
      etude::manual_seed(3);
      nn::init::trunc_normal_(t, row[2][0].get<double>(), row[2][1].get<double>(), row[2][2].get<double>(),
                              row[2][3].get<double>());
      const Tensor flat = t.detach().to(kDouble).flatten();
      for (size_t i = 0; i < row[4].size(); ++i)
        CHECK(flat[static_cast<int64_t>(i)].item<double>() ==
              doctest::Approx(row[4][i].get<double>()).epsilon(1e-12));
      CHECK(etude::rand({1}).item<double>() == row[5].get<double>());
      CHECK(t.is_leaf());
    }
  }

  TEST_CASE("stays within the bounds and has the deviation of what is left") {
    etude::manual_seed(1);
    const Tensor x = nn::init::trunc_normal_(etude::empty({100000}, kDouble), 0.5, 2, -1, 3);
    CHECK(x.min().item<double>() >= -1);
    CHECK(x.max().item<double>() <= 3);
    // Mean and deviation of a normal distribution cut off at -0.75 and 1.25 deviations (Johnson, Kotz, Balakrishnan 1994, 10.1).
    CHECK(x.mean().item<double>() == doctest::Approx(0.8549027639677396).epsilon(0.02));
    CHECK(x.std().item<double>() == doctest::Approx(1.0739496450241752).epsilon(0.02));
  }

  TEST_CASE("warns where the mean lies far outside, and refuses what Python refuses") {
    Told told;
    const WarningUtils::WarningHandlerGuard guard(&told);
    nn::init::trunc_normal_(etude::empty({3}), 5, 1, -2, 2);
    REQUIRE(told.messages.size() == 1);
    CHECK(told.messages[0] ==
          "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
          "incorrect.");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}), 0, 0); }) == "Error: division by zero");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}), 0, 1, 2, 1); }) ==
          "Error: uniform_ expects to return a [from, to) range, but found from=2 > to=1");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}, kLong)); }) ==
          "Error: \"normal_kernel_cpu\" not implemented for 'Long'");
  }
}
