// A loss that never holds all logits at once, against linear and cross_entropy.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "etude/core/memory.h"
#include "etude/core/restoring.h"
#include "etude/framework.h"
#include "support/any_function.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("linear_cross_entropy") {
  namespace {

  struct Given {
    Tensor x, weight, target, bias = {}, class_weight = {};
    int64_t reduction = Reduction::Mean, ignore_index = -100;
    double label_smoothing = 0;
  };

  Given given(int64_t rows, int64_t in, int64_t classes, ScalarType type = kDouble) {
    return {sin(etude::arange(rows * in, type)).view({rows, in}),
            cos(etude::arange(classes * in, type) * 0.7).view({classes, in}),
            (etude::arange(rows, kLong) * 7).remainder(classes)};
  }

  Tensor by_steps(const Given& g) {
    return cross_entropy_loss(linear(g.x, g.weight, g.bias), g.target, g.class_weight, g.reduction,
                              g.ignore_index, g.label_smoothing);
  }

  Tensor in_one(const Given& g) {
    return linear_cross_entropy(g.x, g.weight, g.target, g.bias, g.class_weight, g.reduction, g.ignore_index,
                                g.label_smoothing);
  }

  // The loss and the gradients of input, weight and bias.
  template <typename F>
  std::vector<Tensor> all_of(const F& f, Given g, double scale = 1) {
    std::vector<Tensor> found;
    std::vector<Tensor*> leaves{&g.x, &g.weight};
    if (g.bias.defined()) leaves.push_back(&g.bias);
    for (Tensor* t : leaves) *t = t->detach().requires_grad_();
    const Tensor y = f(g);
    (y.sum() * scale).backward();
    found.push_back(y.detach());
    for (const Tensor* t : leaves) found.push_back(t->grad());
    return found;
  }

  void check_same(const Given& g, double scale = 1) {
    CAPTURE(g.x.sizes());
    const double tolerance = g.x.scalar_type() == kDouble ? 1e-12 : 1e-5;
    const auto expected = all_of(by_steps, g, scale), found = all_of(in_one, g, scale);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i].scalar_type() == expected[i].scalar_type());
      CHECK(allclose(found[i], expected[i], tolerance, tolerance));
    }
    const NoGradGuard no_grad;
    CHECK(equal(in_one(g), found[0]));
  }

  }  // namespace

  TEST_CASE("has the loss and the gradients of linear and cross_entropy, with every option") {
    for (const auto type : {kFloat, kDouble})
      for (const int64_t rows : {1, 512, 513, 1100})
        for (const int64_t reduction : {Reduction::Mean, Reduction::Sum, Reduction::None}) {
          Given g = given(rows, 5, 11, type);
          g.reduction = reduction;
          check_same(g);
          g.bias = sin(etude::arange(11, type) * 2);
          check_same(g, 3);
          g.ignore_index = 4;
          check_same(g);
          g.label_smoothing = 0.2;
          check_same(g);
          g.class_weight = etude::arange(1, 12, type) * 0.1;
          check_same(g);
        }
  }

  TEST_CASE("takes views, leading dims, one row, and rows without elements") {
    Given g = given(600, 4, 7);
    g.x = sin(etude::arange(4 * 1200, kDouble)).view({4, 1200}).t().slice(0, 0, 1200, 2);
    g.weight = cos(etude::arange(56, kDouble)).view({7, 8}).slice(1, 0, 8, 2);
    g.target = g.target.view({1, 600}).expand({2, 600})[1].flip({0});
    check_same(g);
    const Tensor flat = in_one(g);
    for (const int64_t reduction : {Reduction::Mean, Reduction::None}) {
      g.reduction = reduction;
      const Tensor losses = in_one(g);
      Given folded = g;
      folded.x = g.x.reshape({3, 200, 4});
      folded.target = g.target.view({3, 200});
      CHECK(equal(in_one(folded), losses.dim() == 0 ? losses : losses.view({3, 200})));
    }
    CHECK(equal(in_one({g.x[3], g.weight, g.target[3]}), by_steps({g.x[3], g.weight, g.target[3]})));
    CHECK(std::isnan(in_one(given(0, 4, 7)).item<double>()));
    Given hollow = given(600, 4, 7);
    hollow.x = hollow.x.slice(1, 0, 0);
    hollow.weight = hollow.weight.slice(1, 0, 0);
    check_same(hollow);
  }

  TEST_CASE("gradients and second gradients are those of finite differences") {
    // 514 rows with few distinct values.
    const auto rows = [](const Tensor& t) { return t.expand({257, 2, 3}).reshape({514, 3}); };
    for (const double smoothing : {0.0, 0.3})
      for (const int64_t reduction : {Reduction::Mean, Reduction::Sum}) {
        Given g = given(514, 3, 4);
        g.ignore_index = 2;
        g.reduction = reduction;
        g.label_smoothing = smoothing;
        const TensorFunction f = [=](const auto& in) {
          Given h = g;
          h.x = rows(in[0]);
          h.weight = in[1];
          h.bias = in[2];
          return in_one(h) * 0.1;
        };
        const std::vector<Tensor> in{sin(etude::arange(6, kDouble)).view({2, 3}), g.weight,
                                     cos(etude::arange(4, kDouble))};
        CHECK(gradcheck(f, in));
        CHECK(gradgradcheck(f, in));
      }
  }

  TEST_CASE("gives gradients to those who need them alone, and prints as the loss") {
    const Given plain = given(600, 4, 7);
    const auto expected = all_of(in_one, plain);
    Given g = plain;
    g.weight = plain.weight.detach().requires_grad_();
    const Tensor loss = in_one(g);
    CHECK(loss.grad_fn()->name() == "NllLossBackward0");
    loss.backward();
    CHECK(equal(g.weight.grad(), expected[2]));
    CHECK_FALSE(g.x.grad().defined());
  }

  TEST_CASE("a graph that is kept gives its gradients again, unless they were written over") {
    Given g = given(600, 4, 7);
    g.x.requires_grad_();
    g.weight.requires_grad_();
    const Tensor loss = in_one(g);
    loss.backward({}, true);
    const Tensor once = g.weight.grad().clone();
    loss.backward({}, true);
    CHECK(equal(g.weight.grad(), once * 2));
    const Tensor given_out = autograd::grad({loss}, {g.weight}, {}, true)[0];
    CHECK(equal(given_out, once));
    given_out.add_(1);
    CHECK(refusal([&] { loss.backward(); }).find("modified by an inplace operation") != std::string::npos);
  }

  TEST_CASE("a weight that is an embedding, too, gets both gradients, and again from a graph that is kept") {
    const Given g = given(600, 4, 3000);
    const Tensor ids = (etude::arange(600, kLong) * 3).remainder(50);
    const auto gradients = [&](const auto& f) {
      Given tied = g;
      tied.weight = g.weight.detach().requires_grad_();
      tied.x = embedding(tied.weight, ids);
      const Tensor loss = f(tied);
      loss.backward({}, true);
      const Tensor once = tied.weight.grad().clone();
      loss.backward();
      CHECK(allclose(tied.weight.grad(), once * 2));
      return once;
    };
    CHECK(allclose(gradients(in_one), gradients(by_steps)));
  }

  TEST_CASE("where all is ignored the mean is nan, and the gradients are zero") {
    Given g = given(600, 4, 7);
    g.target = etude::full({600}, -100, kLong);
    for (const double smoothing : {0.0, 0.2}) {
      g.label_smoothing = smoothing;
      const auto found = all_of(in_one, g);
      CHECK(std::isnan(found[0].item<double>()));
      CHECK(found[1].abs().max().item<double>() == 0);
      CHECK(found[2].abs().max().item<double>() == 0);
    }
  }

  TEST_CASE("any number of threads gives the same bits, with oneDNN and without") {
    Given g = given(1100, 70, 130, kFloat);
    g.bias = sin(etude::arange(130, kFloat));
    for (const bool enabled : {true, false}) {
      const onednn::EnabledGuard path(enabled);
      const auto with = [&](int threads) {
        const detail::Restoring<get_num_threads, set_num_threads> restoring(threads);
        return all_of(in_one, g);
      };
      check_same(g);
      const auto expected = with(1);
      for (const int threads : {2, 3, 5}) {
        const auto found = with(threads);
        for (size_t i = 0; i < found.size(); ++i) CHECK(equal(found[i], expected[i]));
      }
    }
  }

  TEST_CASE("needs less memory than all logits") {
    const int64_t rows = 4096, classes = 500, bytes = rows * classes * 8;
    const auto most_of = [&](const auto& f) {
      memory::reset_most_in_use();
      const int64_t before = memory::stats().in_use;
      all_of(f, given(rows, 3, classes));
      return memory::stats().most_in_use - before;
    };
    CHECK(most_of(in_one) < bytes / 2);
    CHECK(most_of(by_steps) >= 2 * bytes);
    const Given g = given(rows, 3, classes);
    memory::reset_most_in_use();
    const int64_t before = memory::stats().in_use;
    in_one(g);
    CHECK(memory::stats().most_in_use - before < bytes / 4);
  }

  TEST_CASE("other types, and autocast, have the bits of linear and cross_entropy") {
    const Given g = given(600, 4, 7, kFloat);
    Given brief = g;
    brief.x = g.x.to(kBFloat16);
    brief.weight = g.weight.to(kBFloat16);
    const auto same = [](const Given& some) {
      const auto expected = all_of(by_steps, some), found = all_of(in_one, some);
      for (size_t i = 0; i < found.size(); ++i) CHECK(equal(found[i], expected[i]));
      return found[0].scalar_type();
    };
    CHECK(same(brief) == kBFloat16);
    autocast::set_cpu_enabled(true);
    CHECK(same(g) == kFloat);
    autocast::set_cpu_enabled(false);
    autocast::clear_cache();
  }

  TEST_CASE("refuses what linear and cross_entropy refuse, with the position in the whole target") {
    const Given g = given(600, 4, 7);
    Given wrong = g;
    wrong.target = g.target.clone();
    wrong.target[520] = 7;
    CHECK(refusal_lines([&] { in_one(wrong); }) ==
          "Target 7 is out of bounds.\nreceived class 7 at position [520] of the target; there are "
          "7 classes\nhint: classes run from 0 to the number of classes - 1; ignore_index is -100");
    wrong.ignore_index = 7;
    check_same(wrong);
    for (const auto& change : std::vector<AnyFunction<void(Given&)>>{
             [](Given& w) { w.weight = w.weight.slice(1, 1); },
             [](Given& w) { w.weight = w.weight.to(kFloat); },
             [](Given& w) { w.bias = etude::ones({3}, kDouble); },
             [](Given& w) { w.target = w.target.slice(0, 1); },
             [](Given& w) { w.target = w.target.to(kInt); },
             [](Given& w) { w.label_smoothing = 2; },
             [](Given& w) { w.class_weight = etude::ones({3}, kDouble); },
             [](Given& w) { w.x = w.x.to(kLong); },
         }) {
      Given changed = g;
      change(changed);
      const std::string expected = refusal_lines([&] { by_steps(changed); });
      CHECK(expected != "");
      CHECK(refusal_lines([&] { in_one(changed); }) == expected);
    }
    CHECK(refusal_lines([&] {
            in_one({g.x.view({2, 300, 4}), g.weight, g.target});
          }) ==
          "Expected target size [2, 300], got [600]\nreceived an input of sizes [2, 300, 4]\nhint: the "
          "target holds a class for each row of the input");
  }
}
