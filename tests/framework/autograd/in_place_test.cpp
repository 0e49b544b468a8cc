// Writes in place inside a graph: what they record, how views see them, and their errors.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/gradcheck.h"
#include "support/leaf.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using indexing::None;
using indexing::Slice;

TEST_SUITE("in place") {
  namespace {

  const Tensor x23 = sin(etude::arange(6, kDouble) * 0.9 + 0.2).reshape({2, 3}),
               x3 = cos(etude::arange(3, kDouble));

  std::string node(const Tensor& t) { return node_name(t); }

  }  // namespace

  TEST_CASE("an op in place moves its tensor on in the graph, under the name of the op") {
    const Tensor x = leaf({1.0, 2.0});
    Tensor y = x * 1;
    y.add_(etude::ones({2}, kDouble));
    CHECK(node(y) == "AddBackward0");
    y.mul_(x);
    CHECK(node(y) == "MulBackward0");
    y.sum().backward();
    CHECK(equal(x.grad(), 2 * x.detach() + 1));
  }

  TEST_CASE("a tensor outside the graph enters it when something with a gradient is written into it") {
    const Tensor x = leaf({1.0, 2.0});
    Tensor y = etude::zeros({2}, kDouble);
    y.add_(x * 3);
    CHECK(y.requires_grad());
    CHECK_FALSE(y.is_leaf());
    y.sum().backward();
    CHECK(equal(x.grad(), etude::full({2}, 3.0, kDouble)));
  }

  TEST_CASE("a write into a view records CopySlices on its base, and the view finds its node anew") {
    const Tensor x = etude::ones({2, 2}, requires_grad());
    const Tensor y = x * 1, v = y[0], w = y[1];
    v.mul_(3);
    CHECK(node(y) == "CopySlices");
    CHECK(node(v) == "AsStridedBackward0");
    CHECK(node(w) == "AsStridedBackward0");
    w.mul_(5);
    (y.sum() + v.sum()).backward();
    CHECK(equal(x.grad(), etude::tensor({{6.0, 6.0}, {5.0, 5.0}})));
  }

  TEST_CASE("a base outside the graph enters it through its view") {
    const Tensor x = etude::ones({2, 2}), w = etude::full({2}, 3.0, requires_grad());
    x[0].mul_(w);
    CHECK(node(x) == "CopySlices");
    (x * 2).sum().backward();
    CHECK(equal(w.grad(), etude::full({2}, 2.0)));
  }

  TEST_CASE("a view sees what was written into its base") {
    const Tensor x = leaf({1.0, 2.0, 3.0});
    Tensor y = x * 1;
    const Tensor v = y.slice(0, 1, 3);
    y.mul_(10);
    CHECK(equal(v.detach(), etude::tensor({20.0, 30.0}, kDouble)));
    v.sum().backward();
    CHECK(equal(x.grad(), etude::tensor({0.0, 10.0, 10.0}, kDouble)));
  }

  TEST_CASE("a view of a view writes through to the first base") {
    const Tensor x = etude::zeros({3, 4}, TensorOptions(kDouble).requires_grad(true));
    const Tensor y = x * 2;
    const Tensor v = y.t().slice(0, 1, 3).select(1, 2);
    CHECK(v._base().is_same(y));
    v.add_(x.sum());
    CHECK(node(y) == "CopySlices");
    y.sum().backward();
    Tensor expected = etude::full({3, 4}, 2.0 + 2.0, kDouble);
    CHECK(equal(x.grad(), expected));
  }

  TEST_CASE("slice assignment is recorded on the whole, for tensors and numbers") {
    const Tensor x = etude::zeros({2, 4}, TensorOptions(kDouble).requires_grad(true)),
                 s = etude::ones({2, 2}, TensorOptions(kDouble).requires_grad(true));
    Tensor y = x * 3;
    y.index_put_({Slice(), Slice(0, None, 2)}, s * 5);
    y.index_put_({0, 1}, 7.0);
    y.sum().backward();
    CHECK(equal(s.grad(), etude::full({2, 2}, 5.0, kDouble)));
    CHECK(equal(x.grad(), etude::tensor({{0, 0, 0, 3}, {0, 3, 0, 3}}, kDouble)));
  }

  TEST_CASE(
      "the gradients of every op in place agree with finite differences, also through views of any strides") {
    using Write = AnyFunction<void(const Tensor&, const Tensor&)>;
    const std::vector<std::pair<const char*, Write>> writes = {
        {"add_", [](const Tensor& t, const Tensor& w) { t.add_(w, 2); }},
        {"sub_", [](const Tensor& t, const Tensor& w) { t.sub_(w); }},
        {"mul_", [](const Tensor& t, const Tensor& w) { t.mul_(w); }},
        {"div_", [](const Tensor& t, const Tensor& w) { t.div_(w + 3); }},
        {"pow_", [](const Tensor& t, const Tensor&) { t.pow_(2); }},
        {"exp_", [](const Tensor& t, const Tensor&) { t.exp_(); }},
        {"tanh_", [](const Tensor& t, const Tensor&) { t.tanh_(); }},
        {"sigmoid_", [](const Tensor& t, const Tensor&) { t.sigmoid_(); }},
        {"copy_", [](const Tensor& t, const Tensor& w) { t.copy_(w * 2); }},
        {"copy_ number", [](const Tensor& t, const Tensor& w) { t.copy_(w.sum()); }},
        {"fill_", [](const Tensor& t, const Tensor&) { t.fill_(1.5); }},
        {"fill_ tensor", [](const Tensor& t, const Tensor& w) { t.fill_(w.sum()); }},
        {"zero_", [](const Tensor& t, const Tensor&) { t.zero_(); }},
        {"clamp_", [](const Tensor& t, const Tensor&) { t.clamp_(-0.4, 0.35); }},
        {"addcmul_", [](const Tensor& t, const Tensor& w) { t.addcmul_(w, w, 0.5); }},
        {"addcdiv_", [](const Tensor& t, const Tensor& w) { t.addcdiv_(w, w + 3, 0.5); }},
        {"neg_", [](const Tensor& t, const Tensor&) { t.neg_(); }},
        {"masked_fill_", [](const Tensor& t, const Tensor& w) { t.masked_fill_(w.detach().gt(0), w.sum()); }},
        {"remainder_", [](const Tensor& t, const Tensor&) { t.remainder_(5.0); }},
    };
    const std::vector<std::pair<const char*, AnyFunction<Tensor(const Tensor&)>>> looks = {
        {"whole", [](const Tensor& t) { return t; }},
        {"slice", [](const Tensor& t) { return t.slice(0, 1, 2); }},
        {"step", [](const Tensor& t) { return t.slice(1, 0, 3, 2).slice(1, 0, 1); }},
        {"transposed and sliced", [](const Tensor& t) { return t.t().slice(0, 1, 3).t(); }},
        {"viewed", [](const Tensor& t) {
           return t.view({3, 2}).slice(0, 1, 2);
         }}};
    for (const auto& [write_name, write] : writes)
      for (const auto& [look_name, look] : looks) {
        const std::string what = std::string(write_name) + " " + look_name;
        CAPTURE(what);
        const TensorFunction f = [write = write, look = look](const std::vector<Tensor>& in) {
          const Tensor y = in[0] * 1, v = look(y);
          write(v, in[1].slice(0, 0, v.size(1)));
          return y * 2 + v.sum();
        };
        CHECK(gradcheck(f, {x23, x3}));
        CHECK(gradgradcheck(f, {x23, x3}));
      }
  }

  TEST_CASE(
      "the gradients of a base that is not dense agree with finite differences after a write into a view of "
      "it") {
    const TensorFunction f = [](const std::vector<Tensor>& in) {
      const Tensor y = in[0].t().clone();  // keeps the memory order of its input
      y.select(1, 0).mul_(in[1]);
      return y * y;
    };
    CHECK(gradcheck(f, {x23, x3}));
  }

  TEST_CASE("views that change the tensor itself are recorded under their own names") {
    const Tensor x = etude::ones({2, 3}, requires_grad());
    Tensor y = x * 2;
    y.unsqueeze_(0);
    CHECK(y.sizes() == IntArrayRef({1, 2, 3}));
    y.squeeze_(0).t_();
    CHECK(y.sizes() == IntArrayRef({3, 2}));
    y.transpose_(0, 1);
    (y * y).sum().backward();
    CHECK(equal(x.grad(), etude::full({2, 3}, 8.0)));
    CHECK(refusal([&] { x.t_(); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
  }

  TEST_CASE("a leaf that requires grad is not written, nor a view of it, but under NoGradGuard both are") {
    Tensor x = leaf({1.0, 2.0});
    const char* of_leaf = "Error: a leaf Variable that requires grad is being used in an in-place operation.";
    const char* of_view =
        "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.";
    CHECK(refusal([&] { x.add_(1); }) == of_leaf);
    CHECK(refusal([&] { x.fill_(1); }) == of_leaf);
    CHECK(refusal([&] { x.zero_(); }) == of_leaf);
    CHECK(refusal([&] { x.copy_(etude::zeros({2}, kDouble)); }) == of_leaf);
    CHECK(refusal([&] { x += 1; }) == of_leaf);
    CHECK(refusal([&] { x.uniform_(); }) == of_leaf);
    CHECK(refusal([&] { x[0] = 1.0; }) == of_view);
    CHECK(refusal([&] { x.view({2}).mul_(2); }) == of_view);
    CHECK(refusal([&] { x.index_put_({Slice(0, 1)}, 1.0); }) == of_view);
    CHECK(equal(x.detach(), etude::tensor({1.0, 2.0}, kDouble)));
    const NoGradGuard off;
    x.add_(1);
    x[0] = 5.0;
    CHECK(equal(x.detach(), etude::tensor({5.0, 3.0}, kDouble)));
    CHECK((x.is_leaf() && x.requires_grad()));
  }

  TEST_CASE("one of several views made by an op is not written in place where gradients are recorded") {
    const Tensor x = etude::ones({4, 2}, requires_grad());
    const Tensor y = x * 1;
    const std::string rest =
        " is a view and is being modified inplace. This view is the output of a function that returns "
        "multiple views. Such "
        "functions do not allow the output views to be modified inplace. You should replace the inplace "
        "operation by an "
        "out-of-place one.";
    CHECK(refusal([&] { y.unbind(0)[2].add_(1); }) ==
          newer("Error: Output 2 of Unbind", "Error: Output 2 of UnbindBackward0") + rest);
    CHECK(refusal([&] { y.split(1)[0].add_(1); }) ==
          newer("Error: Output 0 of Split", "Error: Output 0 of SplitBackward0") + rest);
    CHECK(refusal([&] { y.chunk(2)[1].add_(1); }) ==
          newer("Error: Output 1 of Split", "Error: Output 1 of SplitBackward0") + rest);
    CHECK(refusal([&] { y.split(1)[1][0].add_(1); }) ==
          newer("Error: Output 0 of Select", "Error: Output 0 of SelectBackward0") + rest);
    const Tensor plain = etude::ones({2, 2});
    plain.unbind(0)[0].add_(1);
    CHECK(equal(plain, etude::tensor({{2.0, 2.0}, {1.0, 1.0}})));
    const NoGradGuard off;
    y.split(1)[0].add_(1);
    CHECK(y[0][0].item<float>() == 2);
  }

  TEST_CASE("a view made under NoGradGuard is not written in place outside of it") {
    const Tensor x = etude::ones({2, 2}, requires_grad());
    const Tensor y = x * 2;
    Tensor v, w, parts;
    {
      const NoGradGuard off;
      v = y[0];
      w = v.slice(0, 0, 1);
      parts = y.unbind(0)[1];
      v.add_(1);
    }
    for (const Tensor& t : {v, w, parts})
      CHECK(refusal([&] { t.mul_(2); })
                .rfind("Error: A view was created in no_grad mode and is being modified inplace with grad "
                       "mode enabled. Given that this use "
                       "case is ambiguous and error-prone, it is forbidden.",
                       0) == 0);
    CHECK(y[0][0].item<float>() == 3);
    const Tensor outside = etude::ones({2}), plain = outside.view({2});
    Tensor inside;
    {
      const NoGradGuard off;
      inside = outside.view({2});
    }
    CHECK(refusal([&] {
            inside.mul_(x[0]);
          }).rfind("Error: A view was created in no_grad mode and is being", 0) == 0);
    CHECK(equal(inside.mul_(2), etude::full({2}, 2.0)));
    plain.mul_(x[0]);
    CHECK(node(outside) == "CopySlices");
  }

  TEST_CASE(
      "a view made under NoGradGuard requires grad as its base does, but is a leaf without a gradient") {
    const Tensor x = etude::ones({2, 3}, requires_grad());
    std::vector<Tensor> views;
    {
      const NoGradGuard off;
      views = {x.view({6}),         x.t(),          x[0],          x.unbind()[1],         x.split(1)[0],
               x.expand({2, 2, 3}), x.unsqueeze(0), x.slice(0, 1), x.as_strided({2}, {1})};
      for (const Tensor& v : views) CHECK(v[0].requires_grad());
      CHECK_FALSE(x.clone().requires_grad());
      CHECK_FALSE(x.index({etude::tensor({0})}).requires_grad());
      CHECK_FALSE(x.detach().view({6}).requires_grad());
    }
    for (const Tensor& v : views) {
      CHECK(v.requires_grad());
      CHECK(v.is_leaf());
      CHECK(v.is_view());
      CHECK(v._base().is_same(x));
      const Tensor y = v * etude::full({1}, 2.0);
      CHECK(node(y) == "MulBackward0");
      y.sum().backward();
      CHECK_FALSE(v.grad().defined());
      CHECK_FALSE(x.grad().defined());
      v.retain_grad();
      CHECK_FALSE(v.retains_grad());
      CHECK(v.register_hook([](Tensor g) { return g; }) == 0);
      CHECK(refusal([&, y = v.sum()] { autograd::grad({y}, {v}); }).find(" appears to not have been used") !=
            std::string::npos);
    }
    CHECK(refusal([&, v = views[2][0]] {
            views[8].select(0, 0).detach();
            v.backward();
          }).empty());
    const Tensor base = etude::ones({1}), before = base[0];
    base.requires_grad_();
    CHECK(before.requires_grad());
    CHECK(refusal([&] { before.backward(); }) ==
          "Error: element 0 of tensors does not require grad and does not have a grad_fn");
    CHECK(refusal([&] { before.mul_(2); }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }

  TEST_CASE("a view made under NoGradGuard has lost its place in the graph once its base is written to") {
    const Tensor x = etude::ones({3}, requires_grad());
    Tensor v;
    {
      const NoGradGuard off;
      v = x.slice(0, 0, 2);
      v.mul_(2);
    }
    CHECK(v.requires_grad());
    CHECK(equal(v.detach(), etude::full({2}, 2.0)));
    const std::string lost =
        "Error: A view was created in no_grad mode and its base or another view of its base has been "
        "modified "
        "inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is "
        "forbidden. "
        "You can clarify your code by moving both the view and the inplace either both inside the no_grad "
        "block "
        "(if you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
        "tracked).";
    CHECK(refusal([&] { v * 2; }) == lost);
  }

  TEST_CASE(
      "a saved tensor that was written over is found out, with what it was and how often it was written") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y = x.exp();
    y.add_(1);
    CHECK(refusal([&] { y.sum().backward(); }) ==
          "Error: one of the variables needed for gradient computation has been modified by an inplace "
          "operation: [" +
              tensor_type("Float") + " [2]], which is output 0 of " + newer("Exp", "ExpBackward0") +
              ", is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the "
              "operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(" +
              newer("True, check_nan=False", "True") + ").");
    Tensor a = x * 2;
    const Tensor product = a * a;
    a.view({2}).zero_();
    CHECK(refusal([&] { product.sum().backward(); }).find("is at version 1; expected version 0 instead") !=
          std::string::npos);
  }

  TEST_CASE("a write through a view, a detached alias or under NoGradGuard counts") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor y = x * 2;
    y.view({1, 2}).add_(1);
    CHECK(y._version() == 1);
    y.detach().add_(1);
    CHECK(y._version() == 2);
    {
      const NoGradGuard off;
      y.mul_(2);
    }
    CHECK(y._version() == 3);
  }

  TEST_CASE("a product of a tensor with itself in place has saved what it writes over, as in PyTorch") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y = x * 1;
    y.mul_(y);
    CHECK(refusal([&] { y.sum().backward(); }).find("has been modified by an inplace operation") !=
          std::string::npos);
  }

  TEST_CASE("an op whose backward does not need its input lets it be written over") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y = x * 2;
    const Tensor z = y + 1;
    y.zero_();
    z.sum().backward();
    CHECK(equal(x.grad(), etude::full({2}, 2.0)));
  }

  TEST_CASE("the tensor that a broken op in place leaves is unchanged") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y = x * etude::full({2}, 2.0);
    CHECK_THROWS_AS(y.add_(etude::ones({3})), Error);
    CHECK_THROWS_AS(y.add_(etude::ones({3, 2})), Error);
    CHECK(equal(y.detach(), etude::full({2}, 2.0)));
    CHECK(node(y) == "MulBackward0");
    Tensor i = etude::ones({2}, kLong);
    CHECK(refusal([&] { i.mul_(x); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK_FALSE(i.requires_grad());
  }
}
