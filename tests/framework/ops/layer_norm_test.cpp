#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("layer_norm") {
  namespace {

  Tensor uneven(std::vector<int64_t> sizes, double start = -3) {
    const int64_t n = count_elements(sizes);
    return sin(etude::linspace(start, start + 0.7 * static_cast<double>(n), n, kDouble) * 1.3).view(sizes) *
           2;
  }

  // By the definition, with other ops.
  Tensor by_definition(const Tensor& x, const std::vector<int64_t>& dims, double eps) {
    const Tensor mean = x.mean(dims, true);
    return (x - mean) / sqrt(x.var(dims, /*unbiased=*/false, /*keepdim=*/true) + eps);
  }

  }  // namespace

  TEST_CASE("takes the mean away and divides by the root of the variance, over the last dims") {
    const Tensor x = uneven({3, 4, 37});
    CHECK(allclose(layer_norm(x, {37}), by_definition(x, {-1}, 1e-5), 1e-12, 1e-13));
    CHECK(allclose(layer_norm(x, {4, 37}), by_definition(x, {-2, -1}, 1e-5), 1e-12, 1e-13));
    CHECK(allclose(layer_norm(x, {37}, {}, {}, 0.5), by_definition(x, {-1}, 0.5), 1e-12, 1e-13));
    const Tensor single = x.to(kFloat);
    CHECK(allclose(layer_norm(single, {37}).to(kDouble), by_definition(single.to(kDouble), {-1}, 1e-5), 1e-6,
                   1e-7));
    CHECK((layer_norm(single, {37}).dtype() == kFloat));
  }

  TEST_CASE("multiplies by the weight and adds the bias, each if it is given") {
    const Tensor x = uneven({5, 6}), w = uneven({6}, 1), b = uneven({6}, 2), z = by_definition(x, {-1}, 1e-5);
    CHECK(allclose(layer_norm(x, {6}, w, b), z * w + b, 1e-12, 1e-12));
    CHECK(allclose(layer_norm(x, {6}, w), z * w, 1e-12, 1e-12));
    CHECK(allclose(layer_norm(x, {6}, {}, b), z + b, 1e-12, 1e-12));
    CHECK(same(F::layer_norm(x, F::LayerNormFuncOptions({6}).weight(w).bias(b).eps(0.1)),
               layer_norm(x, {6}, w, b, 0.1)));
    CHECK(same(F::layer_norm(x, F::LayerNormFuncOptions({6})), layer_norm(x, {6})));
  }

  TEST_CASE("loses no digits to a mean far from zero, and gives rows of equal elements the bias") {
    const Tensor x = uneven({2, 40});
    CHECK(allclose(layer_norm(x + 1e6, {40}), layer_norm(x, {40}), 0, 1e-8));
    const Tensor outlier = cat({etude::full({1, 1}, 1e8, kDouble), uneven({1, 99})}, 1);
    CHECK(allclose(layer_norm(outlier, {100}), by_definition(outlier, {-1}, 1e-5), 1e-10, 1e-12));
    CHECK(same(layer_norm(etude::full({2, 3}, 7.0), {3}, {}, etude::tensor({1.0, 2.0, 3.0})),
               etude::tensor({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}})));
    CHECK(layer_norm(etude::full({3}, 7.0), {3}, {}, {}, 0).isnan().all().item<bool>());
    CHECK(layer_norm(etude::tensor({1.0, std::numeric_limits<double>::infinity()}), {2})
              .isnan()
              .all()
              .item<bool>());
  }

  TEST_CASE("reads views of the input, the weight and the bias") {
    const Tensor x = uneven({6, 4}).t(), w = uneven({6, 2}).select(1, 1), b = uneven({1}).expand({6});
    CHECK(same(layer_norm(x, {6}, w, b), layer_norm(x.contiguous(), {6}, w.contiguous(), b.contiguous())));
    CHECK(same(layer_norm(uneven({1, 6}).expand({3, 6}), {6})[2], layer_norm(uneven({6}), {6})));
  }

  TEST_CASE("takes tensors without elements, and gives their parameters no gradient but zero") {
    CHECK(layer_norm(etude::zeros({2, 0}), {0}).sizes() == IntArrayRef({2, 0}));
    const Tensor x = etude::zeros({0, 3}).requires_grad_(), w = etude::ones({3}).requires_grad_(),
                 b = etude::ones({3}).requires_grad_();
    const Tensor y = layer_norm(x, {3}, w, b);
    CHECK(y.sizes() == IntArrayRef({0, 3}));
    y.sum().backward();
    CHECK(same(w.grad(), etude::zeros({3})));
    CHECK(same(b.grad(), etude::zeros({3})));
    CHECK(x.grad().sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("has the gradient and second gradient of finite differences, for each input alone and together") {
    const Tensor x = uneven({2, 3, 4}), w = uneven({4}, 1), b = uneven({4}, 2);
    const TensorFunction all = [](const std::vector<Tensor>& in) {
      return layer_norm(in[0], {4}, in[1], in[2]);
    };
    CHECK(gradcheck(all, {x, w, b}));
    CHECK(gradgradcheck(all, {x, w, b}));
    const TensorFunction plain = [](const std::vector<Tensor>& in) { return layer_norm(in[0], {3, 4}); };
    CHECK(gradcheck(plain, {x}));
    CHECK(gradgradcheck(plain, {x}));
    const TensorFunction bias_alone = [&](const std::vector<Tensor>& in) {
      return layer_norm(x, {4}, {}, in[0]);
    };
    CHECK(gradcheck(bias_alone, {b}));
    const TensorFunction of_view = [&](const std::vector<Tensor>& in) {
      return layer_norm(in[0].t(), {2}, in[1]);
    };
    CHECK(gradcheck(of_view, {uneven({2, 5}), uneven({2}, 1)}));
  }

  TEST_CASE("the kernel of the gradient and the ops give the same") {
    const Tensor x = uneven({300, 70}), dy = uneven({300, 70}, 5), w = uneven({70}, 1), b = uneven({70}, 2);
    auto gradients = [&](bool create_graph) {
      const std::vector<Tensor> in = {x.clone().requires_grad_(), w.clone().requires_grad_(),
                                      b.clone().requires_grad_()};
      return autograd::grad({layer_norm(in[0], {70}, in[1], in[2])}, in,
                            {dy.clone().set_requires_grad(create_graph)}, nullopt, create_graph);
    };
    const auto kernel = gradients(false), ops = gradients(true);
    for (size_t i = 0; i < 3; ++i) CHECK(allclose(kernel[i], ops[i], 1e-11, 1e-12));
  }

  TEST_CASE("refuses sizes and types that do not fit") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] { layer_norm(x, {4}); }) ==
          "Error: Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]");
    CHECK(refusal([] {
            layer_norm(etude::zeros({3}), {2, 3});
          }) ==
          "Error: Given normalized_shape=[2, 3], expected input with shape [*, 2, 3], but got input of "
          "size[3]");
    CHECK(refusal([&] { layer_norm(x, {}); }) ==
          "Error: Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
          "element, "
          "but got normalized_shape = []");
    CHECK(
        refusal([&] {
          layer_norm(x, {3}, etude::zeros({1, 3}));
        }) ==
        "Error: Expected weight to be of same shape as normalized_shape, but got weight of shape [1, 3] and "
        "normalized_shape = [3]");
    CHECK(refusal([&] { layer_norm(x, {3}, etude::zeros({3}), etude::zeros({4})); }) ==
          "Error: Expected bias to be of same shape as normalized_shape, but got bias of shape [4] and "
          "normalized_shape = [3]");
    CHECK(refusal([] { layer_norm(etude::arange(3), {3}); }) ==
          "Error: \"LayerNormKernelImpl\" not implemented for 'Long'");
  }

  TEST_CASE("parameters have the type of the input") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] { layer_norm(x, {3}, etude::zeros({3}, kDouble)); }) ==
          "Error: expected scalar type Float but found Double");
    CHECK(refusal([&] { layer_norm(x.to(kDouble), {3}, {}, etude::zeros({3})); }) ==
          "Error: expected scalar type Double but found Float");
  }

  TEST_CASE("gradients that grad() returns can be written in place") {
    const Tensor w = etude::ones({3}, requires_grad()), x = etude::rand({2, 3}, requires_grad());
    const Tensor g = autograd::grad({layer_norm(x, {3}, w).pow(2).sum()}, {w})[0];
    g.add_(1);
    g.detach_();
    for (const Tensor& y : {x.masked_select(x > 0), x.take(etude::tensor({0, 1})), x.repeat({2, 1, 1})})
      autograd::grad({y.pow(2).sum()}, {x})[0].add_(1);
  }
}
