// Unfold and Fold: the ops with their options.
#include "etude/fold.h"

#include <doctest/doctest.h>

#include "etude/etude.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("Fold") {
  TEST_CASE("Unfold makes columns of windows, and Fold adds them up again") {
    const Tensor x = uneven({2, 3, 5, 6});
    nn::Unfold unfold(nn::UnfoldOptions({2, 3}).dilation(2).padding({1, 0}).stride(1));
    nn::Fold fold(nn::FoldOptions({5, 6}, {2, 3}).dilation(2).padding({1, 0}).stride(1));
    const Tensor columns = unfold(x);
    CHECK(columns.equal(im2col(x, {2, 3}, {2, 2}, {1, 0}, {1, 1})));
    CHECK(fold(columns).equal(col2im(columns, {5, 6}, {2, 3}, {2, 2}, {1, 0}, {1, 1})));
    CHECK(unfold->parameters().empty());
  }

  TEST_CASE("patches fold to the image that they are of") {
    const Tensor x = uneven({1, 3, 4, 6});
    nn::Unfold unfold(nn::UnfoldOptions(2).stride(2));
    nn::Fold fold(nn::FoldOptions({4, 6}, 2).stride(2));
    CHECK(fold(unfold(x)).equal(x));
    CHECK(nn::Unfold(2)->options.stride()->at(0) == 1);
  }
}
