// LambdaLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/lambda_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::LambdaLR;

TEST_SUITE("LambdaLR") {
  TEST_CASE("gives PyTorch's learning rates, with one function or with one for each group") {
    optim::SGD one = recorded::two_groups(), each = recorded::two_groups();
    LambdaLR of_one(one, [](int64_t epoch) { return 1 / (1 + static_cast<double>(epoch)); });
    recorded::check_lrs("LambdaLR", one, [&] { of_one.step(); });
    LambdaLR of_each(each, {[](int64_t epoch) { return std::pow(0.95, epoch); },
                            [](int64_t epoch) { return 1.0 + static_cast<double>(epoch); }});
    recorded::check_lrs("LambdaLR each", each, [&] { of_each.step(); });
  }

  TEST_CASE("refuses another number of functions than there are groups") {
    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(LambdaLR(optimizer, std::vector<LambdaLR::Lambda>(3)),
                         "Expected 2 lr_lambdas, but got 3", ValueError);
  }
}
