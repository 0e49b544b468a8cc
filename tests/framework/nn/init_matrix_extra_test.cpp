// The numbers that Python's torch 1.13.1 draws for seed 3, and Etude's errors.
#include <doctest/doctest.h>

#include "etude/nn/init.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
namespace init = etude::nn::init;

TEST_SUITE("init of matrices, as in Python") {
  TEST_CASE("a seed gives PyTorch's matrices") {
    manual_seed(3);
    CHECK(allclose(init::orthogonal_(empty({2, 3}), 2.0),
                   etude::tensor({{1.9429004192352295, 0.4228730797767639, 0.21521314978599548},
                                  {0.1512993574142456, 0.3076469600200653, -1.9703962802886963}},
                                 kFloat),
                   1e-6, 1e-6));
    manual_seed(3);
    CHECK(allclose(init::orthogonal_(empty({3, 2})),
                   etude::tensor({{0.9923021793365479, 0.09743542224168777},
                                  {0.1099163368344307, -0.4086090922355652},
                                  {0.057050060480833054, -0.9074937105178833}},
                                 kFloat),
                   1e-6, 1e-6));
    manual_seed(3);
    CHECK(equal(init::sparse_(empty({4, 3}), 0.5),
                etude::tensor({{0.0, 0.0, 0.0},
                               {-0.006137180142104626, 0.00046182452933862805, -0.0136825917288661},
                               {0.003374950960278511, 0.0, 0.0},
                               {0.0, 0.005220499355345964, 0.012379166670143604}},
                              kFloat)));
  }

  TEST_CASE("float64 is orthogonal to its own precision, and a matrix of nothing stays so") {
    const Tensor t = init::orthogonal_(empty({7, 3}, kDouble), 1.5);
    CHECK(allclose(t.t().mm(t), 2.25 * eye(3, kDouble), 1e-12, 1e-12));
    CHECK(init::orthogonal_(empty({0, 3})).numel() == 0);
  }

  TEST_CASE("a part of zeros is between none and all") {
    CHECK(refusal([] {
            init::sparse_(empty({3, 3}), 1.5);
          }) == "ValueError: sparse_: the part of zeros must be between 0 and 1, but got 1.5");
  }
}
