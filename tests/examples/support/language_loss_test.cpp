#include "support/language_loss.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using etude::Tensor;

TEST_SUITE("language loss") {
  TEST_CASE("the loss of a model is the mean over windows side by side") {
    etude::manual_seed(2);
    etude::nn::GPT model(etude::nn::GPTOptions(7).context(3).d_model(8).layers(1).heads(2).dropout(0.5));
    const Tensor ids = etude::randint(7, {3 * 70 + 3});  // 70 windows, and two ids that are no targets
    const etude::NoGradGuard no_grad;
    const double loss = examples::mean_loss(model, ids, 3);
    CHECK(model->is_training());
    model->eval();
    double sum = 0;
    for (int64_t window = 0; window < 70; ++window) {
      const Tensor log_probabilities =
          etude::log_softmax(model(ids.narrow(0, 3 * window, 3).unsqueeze(0))[0], -1);
      for (int64_t i = 0; i < 3; ++i)
        sum -= log_probabilities[i][ids[3 * window + i + 1].item<int64_t>()].item<double>();
    }
    CHECK(loss == doctest::Approx(sum / 210).epsilon(1e-5));
  }

  TEST_CASE("the loss of pairs is that of smoothed counts") {
    const Tensor training = etude::tensor(std::vector<int64_t>{0, 1, 0, 1, 0, 2});
    const Tensor unseen = etude::tensor(std::vector<int64_t>{0, 1, 2, 0});
    // After 0 came 1 twice and 2 once; after 1 came 0 twice; after 2 nothing.
    const double k = 0.5, after_0 = 3 + 3 * k, after_1 = 2 + 3 * k;
    const double first = -std::log((2 + k) / after_0), second = -std::log(k / after_1),
                 third = -std::log(k / (3 * k));
    CHECK(examples::bigram_loss(training, unseen.narrow(0, 0, 2), 1, 3, k) == doctest::Approx(first));
    CHECK(examples::bigram_loss(training, unseen, 3, 3, k) == doctest::Approx((first + second + third) / 3));
    CHECK(examples::bigram_loss(training, unseen, 2, 3, k) == doctest::Approx((first + second) / 2));
  }

  TEST_CASE("probabilities of every token after another add up to one") {
    const Tensor training = etude::tensor(std::vector<int64_t>{3, 1, 2, 2, 0, 3, 1, 1});
    for (int64_t before = 0; before < 4; ++before) {
      double sum = 0;
      for (int64_t after = 0; after < 4; ++after)
        sum += std::exp(
            -examples::bigram_loss(training, etude::tensor(std::vector<int64_t>{before, after}), 1, 4));
      CHECK(sum == doctest::Approx(1));
    }
  }
}

}  // namespace
