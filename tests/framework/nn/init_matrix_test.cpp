// Orthogonal, sparse and Dirac initialisations.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/nn/init.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
namespace init = etude::nn::init;

TEST_SUITE("init of matrices") {
  TEST_CASE("orthogonal rows or columns have length gain and are at right angles") {
    for (const std::vector<int64_t>& sizes :
         std::vector<std::vector<int64_t>>{{4, 4}, {7, 3}, {3, 7}, {1, 5}, {5, 1}, {4, 2, 3}}) {
      Tensor t = etude::empty(sizes);
      CHECK(init::orthogonal_(t, 1.5).is_same(t));
      const Tensor m = t.flatten(1), small = m.size(0) <= m.size(1) ? m : m.t();
      CHECK(small.mm(small.t()).allclose(2.25 * etude::eye(small.size(0)), 1e-5, 1e-5));
    }
  }

  TEST_CASE("sparse columns have their part of zeros, rounded up") {
    const Tensor t = init::sparse_(etude::empty({10, 6}), 0.25);
    CHECK((t == 0).sum(0).equal(etude::full({6}, 3, etude::kLong)));
    CHECK(init::sparse_(etude::empty({4, 2}), 1.0).abs().sum().item<float>() == 0);
    CHECK((init::sparse_(etude::empty({4, 2}), 0.0) == 0).sum().item<int64_t>() == 0);
  }

  TEST_CASE("Dirac filters have one in the middle") {
    const Tensor line = init::dirac_(etude::ones({2, 3, 5}));
    CHECK(line.sum().item<float>() == 2);
    CHECK(line[0][0][2].item<float>() == 1);
    CHECK(line[1][1][2].item<float>() == 1);
    const Tensor box = init::dirac_(etude::ones({3, 2, 2, 3, 4}));
    CHECK(box.sum().item<float>() == 2);
    CHECK(box[1][1][1][1][2].item<float>() == 1);
    CHECK(init::dirac_(etude::ones({1, 1, 4, 1}))[0][0][2][0].item<float>() == 1);
  }

  TEST_CASE("parameters are filled without a trace in their graph") {
    Tensor matrix = etude::zeros({3, 3}, etude::requires_grad()),
           filter = etude::zeros({1, 1, 3}, etude::requires_grad());
    CHECK(init::orthogonal_(matrix).is_leaf());
    CHECK(init::sparse_(matrix, 0.5).is_leaf());
    CHECK(init::dirac_(filter).is_leaf());
  }

  TEST_CASE("other numbers of dims are refused") {
    CHECK(refusal_text([] { init::orthogonal_(etude::empty({3})); }) ==
          "Only tensors with 2 or more dimensions are supported");
    CHECK(refusal_text([] { init::sparse_(etude::empty({3}), 0.5); }) ==
          "Only tensors with 2 dimensions are supported");
    CHECK(refusal_text([] {
            init::dirac_(etude::empty({3, 3}));
          }) == "Only tensors with 3, 4, or 5 dimensions are supported");
  }
}
