// trunc_normal_, which LibTorch lacks: Python's values for the same seeds, up to the last bits of erfinv.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/framework.h"
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

  TEST_CASE("draws Python's numbers") {
    etude::manual_seed(0);
    const Tensor w = etude::empty({6}).requires_grad_();
    nn::init::trunc_normal_(w);
    CHECK(golden_distance(w.detach(), etude::tensor({-0x1.257cacp-7f, 0x1.6318eep-1f, -0x1.3dd60ap+0f,
                                                     -0x1.0aad78p+0f, -0x1.e9dff2p-2f, 0x1.4e56c8p-2f})) <
          3e-7);
    CHECK(w.is_leaf());
    const Tensor near = nn::init::trunc_normal_(etude::empty({6}), 1, 0.02, -0.05, 1.01);
    CHECK(golden_distance(near, etude::tensor({0x1.fbbebep-1f, 0x1.018feap+0f, 0x1.fb118cp-1f, 0x1.fe61bap-1f,
                                               0x1.f8cef8p-1f, 0x1.f9f6bcp-1f})) < 3e-7);
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
    const Warning::WarningHandlerGuard guard(&told);
    nn::init::trunc_normal_(etude::empty({3}), 5, 1, -2, 2);
    REQUIRE(told.messages.size() == 1);
    CHECK(told.messages[0] ==
          "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
          "incorrect.");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}), 0, 0); }) == "Error: division by zero");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}), 0, 1, 2, 1); }) ==
          "Error: uniform_ expects to return a [from, to) range, but found from=0.9545 > to=0.682689");
    CHECK(refusal([] { nn::init::trunc_normal_(etude::empty({3}, kLong)); }) ==
          "Error: \"check_uniform_bounds\" not implemented for 'Long'");
  }
}
