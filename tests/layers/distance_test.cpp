#include "etude/distance.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Distances") {
  TEST_CASE("are their functions with the options kept, and PyTorch's defaults") {
    const Tensor x = golden::ramp({3, 4}), y = golden::ramp({12}).flip({0}).view({3, 4});
    CHECK(same(CosineSimilarity()(x, y), cosine_similarity(x, y, 1, 1e-8)));
    CHECK(
        same(CosineSimilarity(CosineSimilarityOptions().dim(0).eps(5))(x, y), cosine_similarity(x, y, 0, 5)));
    CHECK(same(PairwiseDistance()(x, y), pairwise_distance(x, y, 2, 1e-6, false)));
    CHECK(same(PairwiseDistance(PairwiseDistanceOptions().p(1).eps(0.5).keepdim(true))(x, y),
               pairwise_distance(x, y, 1, 0.5, true)));
  }

  TEST_CASE("have no state and can be cloned") {
    PairwiseDistance distance(PairwiseDistanceOptions().p(3));
    CHECK(distance->parameters().empty());
    CHECK(std::dynamic_pointer_cast<PairwiseDistanceImpl>(distance->clone())->options.p() == 3);
  }
}
