// im2col and col2im: values against views of windows, sums of products, gradients, edges, error texts.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("im2col") {
  TEST_CASE("each column is a window, row by row") {
    const Tensor x = uneven({2, 3, 6, 7});
    const Tensor windows = x.unfold(2, 3, 2).unfold(3, 2, 1);  // [2, 3, 2, 6, 3, 2]
    CHECK(im2col(x, {3, 2}, {1, 1}, {0, 0}, {2, 1})
              .equal(windows.permute({0, 1, 4, 5, 2, 3}).reshape({2, 3 * 3 * 2, 2 * 6})));
    CHECK(im2col(x[0], {3, 2}, {1, 1}, {0, 0}, {2, 1}).equal(im2col(x, {3, 2}, {1, 1}, {0, 0}, {2, 1})[0]));
  }

  TEST_CASE("padding is zero, and dilation takes places apart") {
    const Tensor x = etude::arange(1, 7, kDouble).view({1, 1, 2, 3});
    // Rows -1 and 1, columns 0 and 2; then rows 0 and 2.
    CHECK(
        im2col(x, {2, 2}, {2, 2}, {1, 0}, {1, 1})
            .equal(
                etude::tensor({{0.0, 1.0}, {0.0, 3.0}, {4.0, 0.0}, {6.0, 0.0}}).to(kDouble).view({1, 4, 2})));
  }

  TEST_CASE("col2im adds up what im2col repeats: it is the map turned over") {
    using Pair = std::vector<int64_t>;
    for (const Pair& kernel : {Pair{1, 1}, Pair{2, 3}})
      for (const Pair& dilation : {Pair{1, 1}, Pair{2, 1}})
        for (const Pair& padding : {Pair{0, 0}, Pair{2, 1}})
          for (const Pair& stride : {Pair{1, 1}, Pair{3, 2}}) {
            const Tensor x = uneven({2, 3, 5, 6}), columns = im2col(x, kernel, dilation, padding, stride);
            const Tensor y = uneven(columns.sizes()),
                         image = col2im(y, {5, 6}, kernel, dilation, padding, stride);
            CHECK(image.sizes() == x.sizes());
            CHECK(allclose((columns * y).sum(), (x * image).sum()));
            CHECK(allclose(col2im(y[1], {5, 6}, kernel, dilation, padding, stride), image[1]));
          }
    CHECK(col2im(etude::ones({1, 4, 4}), {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1})
              .equal(etude::tensor({{1.0, 2.0, 1.0}, {2.0, 4.0, 2.0}, {1.0, 2.0, 1.0}}).view({1, 1, 3, 3})));
  }

  TEST_CASE("both have the gradient and second gradient of finite differences") {
    const auto unfolds = [](const std::vector<Tensor>& in) {
      return im2col(in[0], {2, 3}, {2, 1}, {1, 2}, {2, 1});
    };
    const auto folds = [](const std::vector<Tensor>& in) {
      return col2im(in[0], {4, 3}, {2, 2}, {1, 2}, {1, 0}, {2, 1});
    };
    check_gradients({unfolds}, {uneven({2, 2, 4, 3})});
    check_gradients({unfolds}, {uneven({2, 4, 3})});
    check_gradients({folds}, {uneven({2, 8, 3})});
    const Tensor x = uneven({1, 2, 4, 4}).requires_grad_(), columns = uneven({1, 8, 9}).requires_grad_();
    CHECK(node_name(im2col(x, {2, 2}, {1, 1}, {0, 0}, {1, 1})) == "Im2ColBackward0");
    CHECK(node_name(col2im(columns, {4, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1})) == "Col2ImBackward0");
  }

  TEST_CASE("takes bfloat16, views and a batch of no images; integers are refused") {
    const Tensor x = uneven({2, 3, 4, 5});
    CHECK(im2col(x.to(kBFloat16), {2, 2}, {1, 1}, {1, 1}, {1, 1})
              .equal(im2col(x, {2, 2}, {1, 1}, {1, 1}, {1, 1}).to(kBFloat16)));
    CHECK(im2col(x.transpose(2, 3), {2, 2}, {1, 1}, {1, 1}, {1, 1})
              .equal(im2col(x.transpose(2, 3).contiguous(), {2, 2}, {1, 1}, {1, 1}, {1, 1})));
    CHECK(im2col(etude::zeros({0, 2, 4, 4}), {2, 2}, {1, 1}, {0, 0}, {1, 1}).sizes() ==
          IntArrayRef({0, 8, 9}));
    CHECK(col2im(etude::zeros({0, 8, 9}), {4, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1}).sizes() ==
          IntArrayRef({0, 2, 4, 4}));
    CHECK(refusal_text([] {
            im2col(etude::ones({1, 1, 4, 4}, kLong), {2, 2}, {1, 1}, {0, 0}, {1, 1});
          }) == "\"im2col_out_cpu\" not implemented for 'Long'");
    CHECK(refusal_text([] {
            col2im(etude::ones({1, 8, 9}, kInt), {4, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1});
          }) == "\"col2im_out_cpu\" not implemented for 'Int'");
  }

  TEST_CASE("refuses what does not fit, in PyTorch's words") {
    const Tensor x = etude::zeros({1, 2, 4, 4}), columns = etude::zeros({1, 8, 9});
    const std::vector<int64_t> one = {1, 1}, none = {0, 0}, two = {2, 2}, three = {1, 1, 1}, four = {4, 4};
    const std::vector<std::pair<AnyFunction<void()>, std::string>> refusals = {
        {[&] { im2col(x, three, one, none, one); }, "It is expected kernel_size equals to 2, but got size 3"},
        {[&] { im2col(x, two, three, none, one); }, "It is expected dilation equals to 2, but got size 3"},
        {[&] { im2col(x, two, one, three, one); }, "It is expected padding equals to 2, but got size 3"},
        {[&] { im2col(x, two, one, none, three); }, "It is expected stride equals to 2, but got size 3"},
        {[&] {
           im2col(x, {0, 2}, one, none, one);
         },
         "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 2"},
        {[&] {
           im2col(x, two, {0, 1}, none, one);
         },
         "dilation should be greater than zero, but got dilation_height: 0 dilation_width: 1"},
        {[&] {
           im2col(x, two, one, {-1, 0}, one);
         },
         "padding should be non-negative, but got pad_height: -1 pad_width: 0"},
        {[&] {
           col2im(columns, four, two, one, none, {1, 0});
         },
         "stride should be greater than zero, but got stride_height: 1 stride_width: 0"},
        {[&] {
           im2col(x, {5, 2}, one, none, one);
         },
         "Given input with spatial size (4, 4), kernel_size=(5, 2), dilation=(1, 1), padding=(0, 0), "
         "calculated shape "
         "of the array of sliding blocks as (0, 3), but its components must be at least one."},
        {[&] {
           im2col(etude::zeros({1, 0, 4, 4}), two, one, none, one);
         },
         "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
         "input, "
         "but got: [1, 0, 4, 4]"},
        {[&] { col2im(x, four, two, one, none, one); },
         "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
         "for "
         "input, but got: [1, 2, 4, 4]"},
        {[&] {
           col2im(etude::zeros({1, 7, 9}), four, two, one, none, one);
         },
         "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
         "input.size(1)=7 and kernel_size=(2, 2)."},
        {[&] {
           col2im(etude::zeros({1, 8, 8}), four, two, one, none, one);
         },
         "Given output_size=(4, 4), kernel_size=(2, 2), dilation=(1, 1), padding=(0, 0), stride=(1, 1), "
         "expected size "
         "of input's dimension 2 to match the calculated number of sliding blocks 3 * 3 = 9, but got "
         "input.size(2)=8."},
        {[&] { col2im(columns, three, two, one, none, one); },
         "It is expected output_size equals to 2, but got size 3"},
    };
    for (const auto& [call, sentence] : refusals) CHECK(refusal_text(call) == sentence);
  }
}
