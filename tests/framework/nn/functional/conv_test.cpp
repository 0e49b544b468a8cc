// functional::conv1d, conv2d, unfold and fold: their options reach the ops.
#include "etude/nn/functional/conv.h"

#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional convolutions") {
  TEST_CASE("conv1d and conv2d are the ops with their options") {
    const Tensor x = uneven({2, 4, 7, 8}), w = uneven({6, 2, 3, 2}), bias = uneven({6});
    CHECK(F::conv2d(x, w,
                    F::Conv2dFuncOptions().bias(bias).stride({2, 3}).padding({1, 2}).dilation(2).groups(2))
              .equal(conv2d(x, w, bias, {2, 3}, {1, 2}, 2, 2)));
    CHECK(F::conv2d(x, w, F::Conv2dFuncOptions().padding(1).groups(2)).equal(conv2d(x, w, {}, 1, 1, 1, 2)));
    CHECK(F::conv2d(x, w, F::Conv2dFuncOptions().padding(kSame).groups(2))
              .equal(conv2d(x, w, {}, 1, "same", 1, 2)));
    const Tensor signal = x.select(2, 0), filters = uneven({5, 4, 3});
    CHECK(F::conv1d(signal, filters).equal(conv1d(signal, filters)));
    CHECK(F::conv1d(signal, filters, F::Conv1dFuncOptions().padding(kValid).stride(2))
              .equal(conv1d(signal, filters, {}, 2)));
    CHECK(F::conv1d(signal, filters, F::Conv1dFuncOptions().padding({2})).size(2) == 10);
  }

  TEST_CASE("unfold and fold are im2col and col2im with their options") {
    const Tensor x = uneven({2, 3, 5, 6});
    const Tensor columns =
        F::unfold(x, F::UnfoldFuncOptions({2, 3}).dilation({2, 1}).padding(1).stride({1, 2}));
    CHECK(columns.equal(im2col(x, {2, 3}, {2, 1}, {1, 1}, {1, 2})));
    CHECK(F::fold(columns, F::FoldFuncOptions({5, 6}, {2, 3}).dilation({2, 1}).padding(1).stride({1, 2}))
              .equal(col2im(columns, {5, 6}, {2, 3}, {2, 1}, {1, 1}, {1, 2})));
    CHECK(F::unfold(x, F::UnfoldFuncOptions(2)).sizes() == IntArrayRef({2, 12, 20}));
  }

  TEST_CASE("unfold wants images in a batch, and fold columns") {
    CHECK(refusal_text([] {
            F::unfold(etude::zeros({3, 4, 4}), F::UnfoldFuncOptions(2));
          }) == "Input Error: Only 4D input Tensors are supported (got 3D)");
    CHECK(refusal_text([] {
            F::fold(etude::zeros({1, 1, 4, 4}), F::FoldFuncOptions(4, 2));
          }) == "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got 4D)");
  }
}
