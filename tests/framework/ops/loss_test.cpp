// Losses against their formulas.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

namespace {

Tensor scores(IntArrayRef sizes) {
  return sin(etude::arange(count_elements(sizes), kDouble) * 1.1).view(sizes) * 2;
}

// The loss of each item of [n, classes], by the formula.
Tensor by_formula(const Tensor& x, const Tensor& target) {
  const Tensor p = exp(x) / exp(x).sum(1, true);
  Tensor losses = etude::zeros({x.size(0)}, kDouble);
  for (int64_t i = 0; i < x.size(0); ++i)
    losses[i] = -std::log(p[i][target[i].item<int64_t>()].item<double>());
  return losses;
}

}  // namespace

TEST_SUITE("cross entropy") {
  const Tensor target = etude::tensor({2, 0, 1, 2});

  TEST_CASE("is minus the logarithm of the softmax at the target, averaged, summed or per item") {
    const Tensor x = scores({4, 3}), each = by_formula(x, target);
    CHECK(allclose(cross_entropy_loss(x, target, {}, Reduction::None), each));
    CHECK(allclose(cross_entropy_loss(x, target, {}, Reduction::Sum), each.sum()));
    CHECK(allclose(cross_entropy_loss(x, target), each.mean()));
    CHECK(allclose(cross_entropy_loss(x[1], etude::tensor(0)), each[1]));
    const Tensor images = x.view({2, 2, 3}).transpose(1, 2);
    CHECK(allclose(cross_entropy_loss(images, target.view({2, 2})), each.mean()));
  }

  TEST_CASE("weights scale items and the mean, and ignored items count for nothing") {
    const Tensor x = scores({4, 3}), each = by_formula(x, target),
                 weight = etude::tensor({1.0, 0.5, 2.0}, kDouble);
    const Tensor w = weight.index_select(0, target);
    CHECK(allclose(cross_entropy_loss(x, target, weight), (each * w).sum() / w.sum()));
    CHECK(allclose(cross_entropy_loss(x, target, {}, Reduction::Mean, 2), (each[1] + each[2]) / 2));
    CHECK(std::isnan(cross_entropy_loss(x, etude::full({4}, -100, kLong)).item<double>()));
  }

  TEST_CASE("smoothing mixes in the mean over classes, and probabilities are a target too") {
    const Tensor x = scores({4, 3}), logs = log_softmax(x, 1);
    const Tensor goal = one_hot(target, 3).to(kDouble) * 0.9 + 0.1 / 3;
    CHECK(allclose(cross_entropy_loss(x, target, {}, Reduction::Mean, -100, 0.1),
                   -(logs * goal).sum(1).mean()));
    CHECK(allclose(cross_entropy_loss(x, goal), -(logs * goal).sum(1).mean()));
  }

  TEST_CASE("its gradient and second gradient are those of finite differences, in every form") {
    const Tensor weight = etude::tensor({1.0, 0.5, 2.0}, kDouble), goal = softmax(scores({4, 3}) * 0.5, 1);
    const std::vector<TensorFunction> forms = {
        [](const auto& in) {
          return cross_entropy_loss(in[0], etude::tensor({2, 0, 1, 2}));
        },
        [=](const auto& in) {
          return cross_entropy_loss(in[0], etude::tensor({2, 0, 1, 2}), weight);
        },
        [](const auto& in) {
          return cross_entropy_loss(in[0], etude::tensor({2, 0, 1, 2}), {}, Reduction::None, 0);
        },
        [=](const auto& in) {
          return cross_entropy_loss(in[0], etude::tensor({2, 0, 1, 2}), weight, Reduction::Mean, 0, 0.2);
        },
        [=](const auto& in) { return cross_entropy_loss(in[0], goal, {}, Reduction::Sum, -100, 0.2); },
        [=](const auto& in) { return cross_entropy_loss(in[0], goal, weight, Reduction::Mean); },
        [](const auto& in) {
          return cross_entropy_loss(in[0].view({2, 3, 2}), etude::tensor({{2, 0}, {1, 2}}));
        },
    };
    for (size_t i = 0; i < forms.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck(forms[i], {scores({4, 3})}));
      CHECK(gradgradcheck(forms[i], {scores({4, 3})}));
    }
  }

  TEST_CASE("of rows is nll_loss of log_softmax, and so is its gradient") {
    for (const ScalarType dtype : {kFloat, kDouble})
      for (const int64_t classes : {1, 70, 3000})
        for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
          CAPTURE(classes);
          CAPTURE(reduction);
          Tensor x = (scores({classes, 11}) * 30).to(dtype).t();
          x[3].fill_(-1e30);
          x[3][0].fill_(1e30);
          if (classes > 1) x[4][classes - 1].fill_(-std::numeric_limits<double>::infinity());
          const Tensor a = x.clone().requires_grad_(), b = x.to(kDouble).clone().requires_grad_();
          const Tensor goal = etude::tensor({3, 0, 1, 0, 2, 5, 0, 4, 1, 0, 2}).remainder(classes);
          const Tensor weight = (scores({classes}) + 3).to(dtype);
          for (const int64_t ignored : {0, 1, -100}) {
            const Tensor once = cross_entropy_loss(a, goal, weight, reduction, ignored);
            const Tensor twice = nll_loss(log_softmax(b, 1), goal, weight.to(kDouble), reduction, ignored);
            CHECK(allclose(once.to(kDouble), twice, 1e-5, 1e-5, true));
            const Tensor dy = etude::linspace(1, 2, once.numel(), dtype).view(once.sizes());
            once.backward(dy);
            twice.backward(dy.to(kDouble));
          }
          CHECK(allclose(a.grad().to(kDouble), b.grad(), 1e-5, 1e-5, true));
        }
    const Tensor none = etude::zeros({0, 3}), empty = etude::zeros({0}, kLong);
    CHECK(std::isnan(cross_entropy_loss(none, empty).item<float>()));
    CHECK(cross_entropy_loss(none, empty, {}, Reduction::Sum).item<float>() == 0);
  }

  TEST_CASE("a target that does not fit is refused in PyTorch's words") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] {
            cross_entropy_loss(x, etude::tensor({0, 3}));
          }) == "IndexError: Target 3 is out of bounds.");
    CHECK(refusal([&] { cross_entropy_loss(x, etude::tensor({0})); }) ==
          "ValueError: Expected input batch_size (2) to match target batch_size (1).");
    CHECK(refusal([&] {
            cross_entropy_loss(x, etude::tensor({0, 1}), etude::zeros({2}));
          }) ==
          "Error: weight tensor should be defined either for all 3 classes or no classes but got weight "
          "tensor of shape: [2]");
  }
}

TEST_SUITE("mse loss") {
  TEST_CASE("is the squared distance, with the gradient of finite differences for both sides") {
    const Tensor x = scores({2, 3}), t = scores({3, 2}).t() * 0.5;
    CHECK(allclose(mse_loss(x, t), ((x - t) * (x - t)).mean()));
    CHECK(allclose(mse_loss(x, t, Reduction::Sum), ((x - t) * (x - t)).sum()));
    CHECK(allclose(mse_loss(x, t, Reduction::None), (x - t) * (x - t)));
    const auto f = [](const std::vector<Tensor>& in) { return mse_loss(in[0], in[1]); };
    CHECK(gradcheck(f, {x, t}));
    CHECK(gradgradcheck(f, {x, t}));
    CHECK(refusal([] { mse_loss(etude::zeros({2}), etude::zeros({3})); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
  }

  TEST_CASE("targets of another type are taken") {
    for (const auto type : {kDouble, kLong})
      CHECK(mse_loss(etude::ones({3}), etude::zeros({3}, type)).item<double>() == 1);
  }

  TEST_CASE("a weight that requires a gradient is refused: it would get none") {
    const Tensor w = etude::ones({4}, requires_grad()), x = etude::ones({3, 4}), k = etude::zeros({3}, kLong);
    CHECK(refusal([&] { nll_loss(x, k, w); }) ==
          "Error: The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'. "
          "This input cannot have requires_grad True.");
    CHECK(refusal([&] { cross_entropy_loss(x, k, w); }).rfind("Error: The function 'nll_loss_forward'", 0) ==
          0);
    CHECK(refusal([&] {
            cross_entropy_loss(etude::ones({3, 4, 2}), etude::zeros({3, 2}, kLong), w);
          }).rfind("Error: The function 'nll_loss2d_forward'", 0) == 0);
    const NoGradGuard no_grad;
    CHECK(nll_loss(x, k, w).item<double>() == -1);
  }

  TEST_CASE("the gradient of nll_loss is a function of the scores, a constant one") {
    for (const int64_t reduction : {Reduction::None, Reduction::Mean}) {
      const Tensor x = scores({3, 4}).requires_grad_();
      const Tensor l = nll_loss(x, etude::tensor({2, 0, 1}), {}, reduction).sum();
      const Tensor dx = autograd::grad({l}, {x}, {}, nullopt, /*create_graph=*/true)[0];
      CHECK(dx.requires_grad());
      CHECK(same(autograd::grad({dx.sum()}, {x})[0], etude::zeros({3, 4}, kDouble)));
    }
  }
}
