#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("prelu") {
  TEST_CASE("multiplies what is not above zero by the weight, one for all or one per channel") {
    const Tensor x = etude::linspace(-3, 2, 24, kDouble).view({2, 3, 4});
    const Tensor one = etude::tensor({0.25}, kDouble), many = etude::tensor({0.25, -1.0, 2.0}, kDouble);
    CHECK(same(prelu(x, one), where(x.gt(0), x, x * 0.25)));
    CHECK(same(x.prelu(one), prelu(x, one)));
    CHECK(same(prelu(x, one.squeeze()), where(x.gt(0), x, x * 0.25)));
    CHECK(same(prelu(x, many), where(x.gt(0), x, x * many.view({3, 1}))));
    CHECK(same(prelu(x.transpose(0, 2), many), where(x.gt(0), x, x * many.view({3, 1})).transpose(0, 2)));
    CHECK(same(prelu(etude::tensor(-2.0), etude::tensor({0.25})), etude::tensor(-0.5)));
    CHECK(same(prelu(etude::tensor({-2.0, 4.0}), etude::tensor({0.5})), etude::tensor({-1.0, 4.0})));
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensor odd = etude::tensor({0.0, std::nan(""), infinity, -infinity});
    CHECK(same(prelu(odd, etude::tensor({0.5})), odd));
    CHECK(prelu(etude::zeros({2, 0, 3}), etude::zeros({0})).sizes() == IntArrayRef({2, 0, 3}));
  }

  TEST_CASE("has the gradient and second gradient of finite differences, for input and weight") {
    const Tensor x = etude::linspace(-3, 2.1, 12, kDouble);
    const TensorFunction f = [](const auto& in) { return prelu(in[0], in[1]); };
    check_gradients({f}, {x.view({2, 3, 2}), etude::tensor({0.25, -1.0, 2.0}, kDouble)});
    check_gradients({f}, {x.view({4, 3}).t(), etude::tensor({0.25}, kDouble)});
    check_gradients({f}, {x, etude::tensor(0.25, kDouble)});
  }

  TEST_CASE("has a node of PyTorch's name, and the gradient of the left at zero") {
    const Tensor x = etude::zeros({2}).requires_grad_(), w = etude::tensor({0.25}).requires_grad_();
    const Tensor y = prelu(x, w);
    CHECK(node_name(y) == newer("PreluKernelBackward0", "PreluBackward0"));
    y.sum().backward();
    CHECK(same(x.grad(), etude::tensor({0.25, 0.25})));
    CHECK(same(w.grad(), etude::zeros({1})));
  }

  TEST_CASE("refuses weights that do not fit") {
    const Tensor x = etude::ones({3, 4});
    CHECK(refusal([&] { prelu(x, etude::ones({2})); }) ==
          "Error: Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and "
          "channel size = 4.");
    CHECK(refusal([&] { prelu(x[0], etude::ones({4})); }) ==
          "Error: Mismatch of parameter numbers and input channel size. Found parameter numbers = 4 and "
          "channel size = 1.");
    CHECK(refusal([&] {
            prelu(x, etude::ones({1, 1}));
          }) == newer("Error: prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2",
                      "Error: prelu: Expected `weight` to be a scalar or 1D tensor, but got ndim = 2"));
    CHECK(refusal([&] { prelu(x[0][0], etude::ones({2})); }) == "Error: Not allow zero-dim input tensor.");
    CHECK(refusal([&] { prelu(x, etude::ones({1}, kDouble)); }) ==
          newer("Error: prelu: Type promoting not supported. Got Float and Double",
                "Error: Found dtype Double but expected Float"));
    CHECK(refusal([] { prelu(etude::arange(2), etude::arange(1)); }) ==
          "Error: \"prelu_cpu\" not implemented for 'Long'");
  }

  TEST_CASE("the weight's gradient is a function of the weight, a constant one") {
    const Tensor w = etude::full({1}, 0.5, requires_grad());
    const Tensor y = prelu(etude::tensor({-2.0, 3.0}), w).sum();
    const Tensor dw = autograd::grad({y}, {w}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(dw.requires_grad());
    CHECK(etude::equal(dw, etude::full({1}, -2.0)));
    CHECK(etude::equal(autograd::grad({dw}, {w})[0], etude::zeros({1})));
  }

  TEST_CASE("the input's gradient is a function of the input, a constant one") {
    const Tensor x = etude::tensor({-2.0, 3.0}).requires_grad_();
    const Tensor y = prelu(x, etude::full({1}, 0.5)).sum();
    const Tensor dx = autograd::grad({y}, {x}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(etude::equal(dx, etude::tensor({0.5, 1.0})));
    CHECK(etude::equal(autograd::grad({dx.sum()}, {x})[0], etude::zeros({2})));
  }

  TEST_CASE("the result lies in memory as the input does") {
    const Tensor x = etude::randn({3, 4}).t();
    CHECK(prelu(x, etude::ones({1})).strides() == x.strides());
    CHECK(prelu(x, etude::ones({3})).strides() == x.strides());
    const Tensor images = etude::ones({2, 3, 4}).transpose(1, 2);
    CHECK(prelu(images, etude::ones({4})).strides() == images.strides());
    CHECK(prelu(etude::ones({2, 6}).slice(1, 0, 6, 2), etude::ones({3})).is_contiguous());
  }
}
