#include <doctest/doctest.h>

#include <limits>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("dropout") {
  TEST_CASE("keeps an element with probability 1 - p and scales it by 1 / (1 - p)") {
    manual_seed(3);
    const Tensor x = etude::ones({200, 50}), y = dropout(x, 0.25, true);
    const double kept = y.ne(0).sum().item<double>() / 10000;
    CHECK(kept > 0.72);
    CHECK(kept < 0.78);
    CHECK(same(y.masked_fill(y.ne(0), 1 / 0.75f), where(y.ne(0), y, y)));
  }

  TEST_CASE("returns its input in evaluation and for p = 0, and draws nothing then or for p = 1") {
    const Tensor x = etude::tensor({1.0, -2.0, 3.0});
    manual_seed(1);
    const Tensor next = etude::rand({1});
    manual_seed(1);
    CHECK(dropout(x, 0.5, false).is_same(x));
    CHECK(dropout(x, 0, true).is_same(x));
    CHECK(same(dropout(x, 1, true).abs(), etude::zeros({3})));
    CHECK(same(etude::rand({1}), next));
  }

  TEST_CASE("the gradient gets the same noise") {
    const Tensor x = etude::ones({4, 6}, kDouble).requires_grad_();
    manual_seed(5);
    const Tensor y = dropout(x, 0.4, true);
    y.backward(etude::full({4, 6}, 2.0, kDouble));
    CHECK(allclose(x.grad(), y.detach() * 2));
    CHECK(node_name(y) == "MulBackward0");
  }

  TEST_CASE("is the product with its noise for any number of threads, and draws as much") {
    const ThreadCount restored;
    for (const ScalarType dtype : {kFloat, kDouble}) {
      Tensor x = etude::linspace(-4, 4, 800001, dtype);  // more than one thread draws at a time
      x.narrow(0, 7, 3).fill_(-std::numeric_limits<double>::infinity());
      const Tensor dy = etude::linspace(2, -1, 800001, dtype);
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        manual_seed(7);
        const Tensor before = etude::rand({1});  // an odd number of words
        const Tensor noise = etude::empty_like(x).bernoulli_(0.7).div_(0.7), after = etude::rand({1});

        const Tensor leaf = x.clone().requires_grad_();
        manual_seed(7);
        CHECK(same(etude::rand({1}), before));
        const Tensor y = dropout(leaf, 0.3, true);
        CHECK(same(etude::rand({1}), after));
        CHECK(same(y.detach(), x * noise));
        y.backward(dy);
        CHECK(same(leaf.grad(), dy * noise));

        manual_seed(7);
        etude::rand({1});
        Tensor z = x.clone();
        CHECK(same(dropout_(z, 0.3, true), x * noise));
      }
    }
  }

  TEST_CASE("its gradient is that of finite differences, with the noise held fixed") {
    const auto f = [](const std::vector<Tensor>& in) {
      manual_seed(9);
      return dropout(in[0], 0.3, true);
    };
    const Tensor x = (etude::arange(12, kDouble) * 0.5).view({4, 3});
    CHECK(gradcheck(f, {x}));
    CHECK(gradgradcheck(f, {x}));
  }

  TEST_CASE("refuses what is no probability") {
    CHECK(refusal([] { dropout(etude::zeros({3}), 1.5, true); }) ==
          "Error: dropout probability has to be between 0 and 1, but got 1.5");
  }
}
