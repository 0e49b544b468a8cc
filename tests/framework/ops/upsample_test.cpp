// Signals and images of another size: the functions that interpolate calls, and their gradients.
#include "etude/ops/upsample.h"

#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("upsample") {
  namespace {

  using List = std::vector<Tensor>;

  }  // namespace

  TEST_CASE("the nearest elements, and means of two") {
    const Tensor x = etude::tensor({{{1., 3.}}});
    CHECK(same(upsample_nearest1d(x, {5}), etude::tensor({{{1., 1., 1., 3., 3.}}})));
    CHECK(same(upsample_linear1d(x, {4}, false), etude::tensor({{{1., 1.5, 2.5, 3.}}})));
    CHECK(same(upsample_linear1d(x, {5}, true), etude::tensor({{{1., 1.5, 2., 2.5, 3.}}})));
    CHECK(same(upsample_linear1d(x, IntArrayRef({3}), false, optional<double>(4)),
               etude::tensor({{{1., 1., 1.25}}})));
    const Tensor image = etude::tensor({{{{0., 4.}, {8., 12.}}}});
    CHECK(same(upsample_bilinear2d(image, {3, 2}, true), etude::tensor({{{{0., 4.}, {4., 8.}, {8., 12.}}}})));
    CHECK(same(upsample_nearest2d(image, {1, 3}), etude::tensor({{{{0., 0., 4.}}}})));
    const Tensor y = uneven({2, 3, 4, 5});
    CHECK(same(upsample_bilinear2d(y, {6, 2}, false), upsample_bilinear2d(y.contiguous(), {6, 2}, false)));
    CHECK(same(upsample_nearest2d(y[0][0].expand({2, 1, 4, 5}), {6, 2})[1],
               upsample_nearest2d(y, {6, 2})[0].narrow(0, 0, 1)));
  }

  TEST_CASE("floats of 16 bits are rounded once") {
    const Tensor x = uneven({1, 2, 3, 4}).to(kHalf);
    CHECK(same(upsample_bilinear2d(x, {5, 7}, false),
               upsample_bilinear2d(x.to(kFloat), {5, 7}, false).to(kHalf)));
    CHECK(same(upsample_nearest2d(x, {5, 7}), upsample_nearest2d(x.to(kFloat), {5, 7}).to(kHalf)));
    const Tensor y = etude::ones({1, 1, 4}, kBFloat16).set_requires_grad(true);
    upsample_linear1d(y, {6}, false).sum().backward();
    CHECK(y.grad().to(kFloat).allclose(etude::full({1, 1, 4}, 1.5), 0.01));
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor signal = uneven({2, 3, 4}).to(kDouble), image = uneven({2, 1, 3, 4}).to(kDouble);
    check_gradients({[](const List& in) { return upsample_nearest1d(in[0], {7}).square(); },
                     [](const List& in) { return upsample_linear1d(in[0], {7}, false).square(); },
                     [](const List& in) { return upsample_linear1d(in[0], {2}, true).square(); }},
                    {signal});
    check_gradients({[](const List& in) {
                       return upsample_nearest2d(in[0], IntArrayRef({5, 3}), 1.7, nullopt).square();
                     },
                     [](const List& in) {
                       return upsample_bilinear2d(in[0], {5, 3}, true).square();
                     },
                     [](const List& in) {
                       return upsample_bilinear2d(in[0], IntArrayRef({2, 6}), false, nullopt, 1.5).square();
                     }},
                    {image});
  }

  TEST_CASE("images of integers are refused by the names of plain layouts") {
    const Tensor x = etude::ones({1, 2, 2, 2}, kLong);
    CHECK(refusal_text([&] {
            upsample_nearest2d(x, {3, 3}, nullopt, nullopt);
          }) == "\"compute_indices_weights_nearest\" not implemented for 'Long'");
    CHECK(refusal_text([&] {
            upsample_bilinear2d(x, {3, 3}, false);
          }) == "\"compute_indices_weights_linear\" not implemented for 'Long'");
  }

  TEST_CASE("refuses sizes and types that are not there") {
    const Tensor x = etude::ones({1, 2, 2, 2});
    const auto of = [](const Tensor& t, IntArrayRef sizes) {
      return refusal_text([&] { upsample_nearest2d(t, sizes, nullopt, nullopt); });
    };
    CHECK(of(x, {3}) == "It is expected output_size equals to 2, but got size 1");
    CHECK(of(x[0], {3, 3}) == "It is expected input_size equals to 4, but got size 3");
    CHECK(of(x, {0, 3}) ==
          "Input and output sizes should be greater than 0, but got input (H: 2, W: 2) output (H: 0, W: 3)");
    CHECK(of(x.narrow(3, 0, 0), {3, 3}) ==
          "Input and output sizes should be greater than 0, but got input (H: 2, W: 0) output (H: 3, W: 3)");
    CHECK(of(x.narrow(1, 0, 0), {3, 3}) ==
          "Non-empty 4D data tensor expected but got a tensor with sizes [1, 0, 2, 2]");
    CHECK(refusal_text([&] { upsample_nearest1d(x[0].narrow(2, 0, 0), {3}); }) ==
          "Input and output sizes should be greater than 0, but got input (W: 0) and output (W: 3)");
    CHECK(refusal_text([&] { upsample_linear1d(x[0].to(kByte), {3}, false); }) ==
          "\"compute_indices_weights_linear\" not implemented for 'Byte'");
  }
}
