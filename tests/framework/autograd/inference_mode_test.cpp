#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("inference mode") {
  namespace {

  const char* const kNoWrite =
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
      "normal "
      "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.";
  const std::string kNotSaved = newer(
      "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
      "in "
      "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
      "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
      "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal "
      "tensor and use it in autograd.");

  Tensor inference_ones() {
    const InferenceMode inference;
    return etude::ones({2, 2});
  }
  Tensor weight() { return etude::ones({2, 2}, TensorOptions().requires_grad(true)); }

  }  // namespace

  TEST_CASE("the guard sets the mode of its thread and the grad mode, and restores both") {
    CHECK_FALSE(InferenceMode::is_enabled());
    {
      const InferenceMode on;
      CHECK(InferenceMode::is_enabled());
      CHECK_FALSE(GradMode::is_enabled());
      {
        const InferenceMode off(false);
        CHECK_FALSE(InferenceMode::is_enabled());
        CHECK(GradMode::is_enabled());
        CHECK((weight() * 2).requires_grad());
        CHECK_FALSE(etude::ones({1}).is_inference());
      }
      CHECK(InferenceMode::is_enabled());
      std::thread([] { CHECK_FALSE(InferenceMode::is_enabled()); }).join();
    }
    CHECK_FALSE(InferenceMode::is_enabled());
    CHECK(GradMode::is_enabled());
    const NoGradGuard no_grad;
    { const InferenceMode off(false); }
    CHECK_FALSE(GradMode::is_enabled());
  }

  TEST_CASE("what is made inside is an inference tensor, and what shares memory is what its source is") {
    const Tensor normal = etude::ones({2, 2}), w = weight(), inside = inference_ones();
    CHECK_FALSE(normal.is_inference());
    CHECK(inside.is_inference());
    CHECK(inside.view({4}).is_inference());
    CHECK(inside.detach().is_inference());
    CHECK(inside.data().is_inference());
    CHECK(inside.to(kFloat).is_inference());
    CHECK(inside.contiguous().is_inference());
    CHECK_FALSE(inside.to(kDouble).is_inference());
    CHECK_FALSE(inside.clone().is_inference());
    CHECK_FALSE((inside + 1).is_inference());
    const InferenceMode inference;
    CHECK(etude::empty({0}).is_inference());
    CHECK(normal.clone().is_inference());
    CHECK((w * 2).is_inference());
    for (const Tensor& view : {normal.view({4}), w.view({4}), w.t(), w.select(0, 0), w.index({0})}) {
      CHECK_FALSE(view.is_inference());
      CHECK(view.is_view());
    }
    for (const Tensor& same : {normal.detach(), w.data(), normal.to(kFloat), normal.contiguous()})
      CHECK_FALSE(same.is_inference());
    CHECK_FALSE(normal.split(1)[0].is_inference());
    CHECK_FALSE(inside.view({4}).is_view());
  }

  TEST_CASE("nothing is recorded inside, whatever the grad mode") {
    const Tensor w = weight();
    const InferenceMode inference;
    CHECK_FALSE((w * 2).requires_grad());
    const AutoGradMode grads(true);
    CHECK(GradMode::is_enabled());
    CHECK_FALSE((w * 2).requires_grad());
    CHECK((w * 2).grad_fn() == nullptr);
    CHECK((w * 2).is_inference());
    CHECK(refusal_text([&] { w.sum().backward(); }) ==
          "element 0 of tensors does not require grad and does not have a grad_fn");
  }

  TEST_CASE("inference tensors have no version; writes to others are counted inside, too") {
    const Tensor normal = etude::ones({2, 2}), w = weight(), y = w * 2;
    const char* const no_version = "Inference tensors do not track version counter.";
    CHECK(refusal_text([] { inference_ones()._version(); }) == no_version);
    const InferenceMode inference;
    const Tensor inside = inference_ones();
    inside.add_(1);
    CHECK(inside.sum().item<float>() == 8);
    CHECK(refusal_text([&] { inside._version(); }) == no_version);
    normal.add_(1);
    CHECK(normal._version() == 1);
    normal.view({4}).add_(1);
    normal.detach().add_(1);
    CHECK(normal._version() == 3);
    w.add_(1);
    y.add_(1);
    CHECK(w._version() == 1);
    CHECK(y._version() == 1);
  }

  TEST_CASE("backward notices what was overwritten inside") {
    const Tensor x = weight(), y = x.exp();
    {
      const InferenceMode inference;
      y.add_(1);
    }
    CHECK(refusal_text([&] { y.sum().backward(); }).find("has been modified by an inplace operation") !=
          std::string::npos);
  }

  TEST_CASE("outside, inference tensors are not written in place") {
    const Tensor normal = etude::ones({2, 2});
    Tensor inside = inference_ones();
    CHECK(refusal_text([&] { inside.add_(1); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.add_(normal); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.mul_(2); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.zero_(); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.fill_(1); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.copy_(normal); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.normal_(); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.uniform_(); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.bernoulli_(); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.view({4}).add_(1); }) == kNoWrite);
    CHECK(refusal_text([&] { inside[0].add_(1); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.index_put_({0}, 3); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.masked_fill_(normal == 1, 0); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.t_(); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.unsqueeze_(0); }) == kNoWrite);
    CHECK(refusal_text([&] { inside.squeeze_(); }) == kNoWrite);
    {
      const NoGradGuard no_grad;
      CHECK(refusal_text([&] { inside.add_(1); }) == kNoWrite);
    }
    const Tensor copy = inside.clone();
    copy.add_(1);
    CHECK(copy.sum().item<float>() == 8);
    inside.detach_();
  }

  TEST_CASE("outside, inference tensors are not resized") {
    CHECK(refusal_text([] { inference_ones().resize_({3, 2}); }) == kNoWrite);
    const InferenceMode guard;
    CHECK(etude::ones({2, 2}).resize_({3, 2}).is_inference());
  }

  TEST_CASE("outside, inference tensors can be read but not saved for backward") {
    const Tensor w = weight(), inside = inference_ones();
    CHECK(refusal_text([&] { w.mul(inside); }) == kNotSaved);
    CHECK(refusal_text([&] { inside.mul(w); }) == kNotSaved);
    CHECK(refusal_text([&] { etude::mm(w, inside); }) == kNotSaved);
    CHECK((inside + w).requires_grad());
    CHECK(w.detach().mul(inside).sum().item<float>() == 4);
    CHECK(inside.exp().sum().item<double>() == doctest::Approx(4 * 2.718281828459045).epsilon(1e-6));
    w.mul(inside.clone()).sum().backward();
    CHECK(w.grad().sum().item<float>() == 4);
    (inside + w).sum().backward();
    CHECK(w.grad().sum().item<float>() == 8);
    {
      const NoGradGuard no_grad;
      CHECK(inside.mul(w).sum().item<float>() == 4);
      w.copy_(inside * 3);
    }
    CHECK(w.sum().item<float>() == 12);
  }

  TEST_CASE("requires_grad can be set inside only, and such a leaf gets a gradient outside") {
    const Tensor inside = inference_ones();
    const char* const refused =
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.";
    CHECK(refusal_text([&] { inside.set_requires_grad(true); }) == refused);
    CHECK(refusal_text([&] { inside.requires_grad_(); }) == refused);
    inside.set_requires_grad(false);
    CHECK_FALSE(inside.requires_grad());
    {
      const InferenceMode inference;
      CHECK(etude::ones({2}, TensorOptions().requires_grad(true)).requires_grad());
      inside.requires_grad_();
    }
    CHECK(inside.requires_grad());
    CHECK(inside.is_leaf());
    etude::mm(etude::ones({1, 2}), inside).sum().backward();
    CHECK(inside.grad().sum().item<float>() == 4);
  }

  TEST_CASE("a view made inside of a tensor in a graph is not written in place outside") {
    const Tensor w = weight(), y = w * 2, normal = etude::ones({2, 2});
    Tensor of_leaf, of_result, of_normal;
    {
      const InferenceMode inference;
      of_leaf = w.view({4});
      of_result = y.view({4});
      of_normal = normal.view({4});
      of_result.add_(1);
    }
    CHECK(of_leaf.requires_grad());
    CHECK(of_result.requires_grad());
    CHECK(of_leaf.is_leaf());
    of_normal.add_(1);
    CHECK(normal.sum().item<float>() == 8);
    const std::string advice =
        " in normal mode. Given that this use case is ambiguous and error-prone, it is forbidden. You can "
        "clarify your "
        "code by moving both the view and the inplace either both inside the inference_mode block (if you "
        "don't want "
        "the inplace to be tracked) or both outside (if you want the inplace to be tracked).";
    CHECK(refusal_text([&] { of_leaf.add_(1); }) ==
          "A view was created in inference mode and is being modified inplace" + advice);
    CHECK(refusal_text([&] { of_result.mul(2); }) ==
          "A view was created in inference mode and its base or another view of its base has been modified "
          "inplace" +
              advice);
    const NoGradGuard no_grad;
    of_leaf.add_(1);
    CHECK(w.sum().item<float>() == 8);
  }

  TEST_CASE("set_data takes over memory and what it is") {
    const Tensor normal = etude::ones({2, 2}), inside = inference_ones();
    normal.set_data(inside);
    CHECK(normal.is_inference());
    inside.set_data(etude::ones({2, 2}));
    CHECK_FALSE(inside.is_inference());
  }

  TEST_CASE("a backward runs inside, and the gradient that it makes is an inference tensor") {
    const Tensor w = weight(), y = (w * 2).sum();
    {
      const InferenceMode inference;
      y.backward();
    }
    CHECK(w.grad().sum().item<float>() == 8);
    CHECK(w.grad().is_inference());
    CHECK(refusal_text([&] { (w * 3).sum().backward(); }) == kNoWrite);
  }

  TEST_CASE("random numbers are those of other modes") {
    manual_seed(0);
    const Tensor expected = etude::randn({5});
    manual_seed(0);
    const InferenceMode inference;
    CHECK(etude::randn({5}).equal(expected));
  }

  TEST_CASE("tensors index and are indexed, inside and outside") {
    Tensor x, ids;
    {
      const InferenceMode inference;
      x = etude::arange(5, kFloat);
      ids = etude::tensor({0, 2});
      CHECK(equal(x.index({x > 2}), etude::tensor({3.0f, 4.0f})));
      CHECK(equal(x.index({ids}), etude::tensor({0.0f, 2.0f})));
      x.index_put_({x > 2}, 0);
      CHECK(x.sum().item<float>() == 3);
    }
    CHECK(equal(etude::arange(5).index({ids}), etude::tensor({0, 2})));
  }
}
