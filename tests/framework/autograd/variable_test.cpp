// What a tensor says about its place in the graph, and how it leaves it.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("variable") {
  TEST_CASE("a tensor is a leaf unless a recorded op made it") {
    const Tensor a = ones({2}), x = ones({2}, requires_grad());
    CHECK((a.is_leaf() && !a.requires_grad() && x.is_leaf() && x.requires_grad()));
    const Tensor y = x + a;
    CHECK((!y.is_leaf() && y.requires_grad()));
    CHECK((a + a).is_leaf());
    CHECK(std::string(y.grad_fn_name()) == "AddBackward0");
    CHECK(std::string(x.grad_fn_name()).empty());
    CHECK(x.unbind(0)[1].output_nr() == 1);
  }

  TEST_CASE("integer and bool results stay outside the graph") {
    const Tensor x = ones({2}, requires_grad());
    CHECK_FALSE((x > 0).requires_grad());
    CHECK_FALSE(x.to(kLong).requires_grad());
    CHECK_FALSE(std::get<1>(x.max(0)).requires_grad());
    CHECK(std::get<0>(x.max(0)).requires_grad());
  }

  TEST_CASE("requires_grad is changed on leaves of floating types alone") {
    const Tensor x = ones({2}, requires_grad());
    CHECK(refusal([&] { (x * 2).requires_grad_(false); }) ==
          "Error: you can only change requires_grad flags of leaf variables. If you want to use a computed "
          "variable in a subgraph that "
          "doesn't require differentiation use var_no_grad = var.detach().");
    CHECK(refusal([&] { ones({2}, kLong).requires_grad_(); }) ==
          "Error: Only Tensors of floating point and complex dtype can require gradients");
    CHECK(refusal([&] { ones({2}, TensorOptions(kBool).requires_grad(true)); }) ==
          "Error: Only Tensors of floating point and complex dtype can require gradients");
    (x * 2).requires_grad_(true);
    CHECK_FALSE(ones({2}, kLong).requires_grad_(false).requires_grad());
    x.requires_grad_(false);
    CHECK_FALSE((x * 2).requires_grad());
    x.requires_grad_();
    CHECK((x * 2).requires_grad());
  }

  TEST_CASE("a gradient is undefined before backward, and can be set and dropped") {
    const Tensor x = ones({2}, requires_grad());
    CHECK_FALSE(x.grad().defined());
    CHECK_FALSE(ones({2}).grad().defined());
    x.mutable_grad() = full({2}, 7.0);
    (x * 2).sum().backward();
    CHECK(equal(x.grad(), full({2}, 9.0)));
    x.mutable_grad().reset();
    CHECK_FALSE(x.grad().defined());
  }

  TEST_CASE("detach gives the same memory outside the graph") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor y = x * 2, z = y.detach();
    CHECK((z.is_alias_of(y) && z.is_leaf() && !z.requires_grad() && !z.is_view()));
    CHECK(z.requires_grad_().is_leaf());
    CHECK(y.requires_grad());
    const Tensor w = y.detach_();
    CHECK(w.is_same(y));
    CHECK((y.is_leaf() && !y.requires_grad()));
    CHECK(refusal([&] {
            (x * 2)[0].detach_();
          }).rfind("Error: Can't detach views in-place. Use detach() instead.", 0) == 0);
  }

  TEST_CASE("data gives the same memory outside the graph") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor d = x.data();
    d.add_(1);
    CHECK((d.is_alias_of(x) && !d.requires_grad()));
    CHECK(equal(x.detach(), full({2}, 2.0)));
  }

  TEST_CASE("set_data gives a tensor other memory and keeps its place and its gradient") {
    const Tensor x = ones({2}, requires_grad());
    x.set_data(full({3}, 4.0));
    CHECK((x.requires_grad() && x.is_leaf()));
    (x * x).sum().backward();
    CHECK(equal(x.grad(), full({3}, 8.0)));
    CHECK(refusal([&] { x.set_data(ones({2}, kLong)); }) ==
          "Error: data set to a tensor that requires gradients must be floating point or complex dtype");
  }

  TEST_CASE("a view knows its base, which is never itself a view") {
    const Tensor x = ones({2, 3});
    CHECK_FALSE(x.is_view());
    const Tensor v = x.t(), w = v[1];
    CHECK((v.is_view() && w.is_view()));
    CHECK((v._base().is_same(x) && w._base().is_same(x)));
    CHECK_FALSE(x.clone().is_view());
    CHECK_FALSE((x + 1).is_view());
    CHECK(refusal([&] { x._base(); }) == "Error: Can't get base of non-view Variable");
  }

  TEST_CASE("retain_grad keeps the gradient of a tensor that is no leaf") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor y = x * 3;
    CHECK_FALSE(y.retains_grad());
    y.retain_grad();
    y.retain_grad();
    CHECK(y.retains_grad());
    (y * y).sum().backward();
    CHECK(equal(y.grad(), full({2}, 6.0)));
    CHECK(equal(x.grad(), full({2}, 18.0)));
    x.retain_grad();
    CHECK_FALSE(x.retains_grad());
    CHECK(refusal([] { ones({2}).retain_grad(); }) ==
          "Error: can't retain_grad on Tensor that has requires_grad=False");
  }

  TEST_CASE("retain_grad follows its tensor through a write in place") {
    const Tensor x = ones({2}, requires_grad());
    Tensor y = x * 1;
    y.retain_grad();
    y.mul_(2);
    (y * 5).sum().backward();
    CHECK(equal(y.grad(), full({2}, 5.0)));
    CHECK(equal(x.grad(), full({2}, 10.0)));
  }

  TEST_CASE("retained gradients accumulate, and a tensor that is gone keeps nothing") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor y = x * 3;
    y.retain_grad();
    (y * 2).sum().backward({}, true);
    (y * 2).sum().backward();
    CHECK(equal(y.grad(), full({2}, 4.0)));
    Tensor z;
    {
      const Tensor gone = x * 3;
      gone.retain_grad();
      z = gone * 2;
    }
    z.sum().backward();
  }

  TEST_CASE("a hook sees the whole gradient, once, and may replace it") {
    const Tensor x = ones({2}, requires_grad());
    int calls = 0;
    const Tensor y = x * 1;
    y.register_hook([&](const Tensor& g) {
      ++calls;
      CHECK(equal(g, full({2}, 5.0)));
      return g * 10;
    });
    (y * 2 + y * 3).sum().backward();
    CHECK(calls == 1);
    CHECK(equal(x.grad(), full({2}, 50.0)));
  }

  TEST_CASE("hooks on a leaf run before the gradient is accumulated, in the order of their registration") {
    const Tensor x = ones({1}, requires_grad());
    const unsigned first = x.register_hook([](const Tensor& g) { return g + 1; });
    x.register_hook([](const Tensor& g) { return g * 10; });
    (x * 2).backward();
    CHECK(x.grad().item<float>() == 30);
    x.remove_hook(first);
    x.mutable_grad().reset();
    (x * 2).backward();
    CHECK(x.grad().item<float>() == 20);
    CHECK_THROWS_AS(x.remove_hook(77), Error);
    CHECK(refusal([] {
            ones({2}).register_hook([](const Tensor& g) { return g; });
          }).rfind("Error: cannot register a hook on a ", 0) == 0);
  }

  TEST_CASE("a hook that changes the sizes of a gradient is refused") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor y = x * 2;
    y.register_hook([](const Tensor&) { return ones({3}); });
    CHECK(refusal([&] { y.sum().backward(); }) == "Error: hook '0' has changed the size of value");
    const Tensor z = x * 2;
    z.register_hook([](const Tensor& g) { return g.to(kDouble); });
    CHECK(refusal([&] { z.sum().backward(); }) ==
          "Error: hook '0' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
  }

  TEST_CASE("a tensor that is gone gets no gradient, and the graph goes on") {
    const Tensor x = ones({2}, requires_grad());
    Tensor y;
    {
      const Tensor gone = ones({2}, requires_grad());
      y = (x * 2 + gone).sum();
    }
    y.backward();
    CHECK(equal(x.grad(), full({2}, 2.0)));
  }

  TEST_CASE("copies of a handle are the same tensor") {
    const Tensor x = ones({2}, requires_grad());
    const Tensor same_x = x;
    CHECK(same_x.is_same(x));
    CHECK(x.use_count() == 2);
    (same_x * 2).sum().backward();
    CHECK(x.grad().defined());
  }

  TEST_CASE("asking an undefined tensor anything is refused") {
    const Tensor none;
    for (const auto& ask : std::vector<std::function<void()>>{
             [&] { none.requires_grad(); }, [&] { none.grad(); }, [&] { none.backward(); },
             [&] { none.detach(); }, [&] { none.is_leaf(); }, [&] { none.set_requires_grad(true); }})
      CHECK_THROWS_AS(ask(), Error);
  }
}
