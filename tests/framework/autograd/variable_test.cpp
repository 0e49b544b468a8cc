// How a tensor describes its place in the graph, and how it leaves the graph.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/autograd/node.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using autograd::variable_list;

TEST_SUITE("variable") {
  TEST_CASE("a tensor is a leaf unless a recorded op made it") {
    const Tensor a = etude::ones({2}), x = etude::ones({2}, requires_grad());
    CHECK((a.is_leaf() && !a.requires_grad() && x.is_leaf() && x.requires_grad()));
    const Tensor y = x + a;
    CHECK((!y.is_leaf() && y.requires_grad()));
    CHECK((a + a).is_leaf());
    CHECK(node_name(y) == "AddBackward0");
    CHECK(node_name(x).empty());
    CHECK(x.unbind(0)[1].output_nr() == 1);
  }

  TEST_CASE("integer and bool results stay outside the graph") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK_FALSE((x > 0).requires_grad());
    CHECK_FALSE(x.to(kLong).requires_grad());
    CHECK_FALSE(std::get<1>(x.max(0)).requires_grad());
    CHECK(std::get<0>(x.max(0)).requires_grad());
  }

  TEST_CASE("requires_grad is changed on leaves of floating types alone") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK(refusal([&] { (x * 2).requires_grad_(false); }) ==
          "Error: you can only change requires_grad flags of leaf variables. If you want to use a computed "
          "variable in a subgraph that "
          "doesn't require differentiation use var_no_grad = var.detach().");
    CHECK(refusal([&] { etude::ones({2}, kLong).requires_grad_(); }) ==
          "Error: Only Tensors of floating point and complex dtype can require gradients");
    CHECK(refusal([&] { etude::ones({2}, TensorOptions(kBool).requires_grad(true)); }) ==
          "Error: Only Tensors of floating point and complex dtype can require gradients");
    (x * 2).requires_grad_(true);
    CHECK_FALSE(etude::ones({2}, kLong).requires_grad_(false).requires_grad());
    x.requires_grad_(false);
    CHECK_FALSE((x * 2).requires_grad());
    x.requires_grad_();
    CHECK((x * 2).requires_grad());
  }

  TEST_CASE("a gradient is undefined before backward, and can be set and dropped") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK_FALSE(x.grad().defined());
    CHECK_FALSE(etude::ones({2}).grad().defined());
    x.mutable_grad() = etude::full({2}, 7.0);
    (x * 2).sum().backward();
    CHECK(equal(x.grad(), etude::full({2}, 9.0)));
    x.mutable_grad().reset();
    CHECK_FALSE(x.grad().defined());
  }

  TEST_CASE("detach gives the same memory outside the graph") {
    const Tensor x = etude::ones({2}, requires_grad());
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
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor d = x.data();
    d.add_(1);
    CHECK((d.is_alias_of(x) && !d.requires_grad()));
    CHECK(equal(x.detach(), etude::full({2}, 2.0)));
  }

  TEST_CASE("set_data gives a tensor other memory and keeps its place and its gradient") {
    const Tensor x = etude::ones({2}, requires_grad());
    x.set_data(etude::full({3}, 4.0));
    CHECK((x.requires_grad() && x.is_leaf()));
    (x * x).sum().backward();
    CHECK(equal(x.grad(), etude::full({3}, 8.0)));
    CHECK(refusal([&] { x.set_data(etude::ones({2}, kLong)); }) ==
          "Error: data set to a tensor that requires gradients must be floating point or complex dtype");
  }

  TEST_CASE("a view knows its base, which is never itself a view") {
    const Tensor x = etude::ones({2, 3});
    CHECK_FALSE(x.is_view());
    const Tensor v = x.t(), w = v[1];
    CHECK((v.is_view() && w.is_view()));
    CHECK((v._base().is_same(x) && w._base().is_same(x)));
    CHECK_FALSE(x.clone().is_view());
    CHECK_FALSE((x + 1).is_view());
    CHECK(refusal([&] { x._base(); }) == "Error: Can't get base of non-view Tensor");
  }

  TEST_CASE("a leaf that was given other sizes gets a gradient of them") {
    Tensor x = etude::ones({3}, requires_grad());
    x.sum().backward();
    x.mutable_grad().reset();
    x.requires_grad_(false);
    x.resize_({2, 3});
    x.fill_(1);
    x.requires_grad_();
    (x * 2).sum().backward();
    CHECK(equal(x.grad(), etude::full({2, 3}, 2.0)));
    x.mutable_grad().reset();
    {
      const NoGradGuard no_grad;
      x.unsqueeze_(0).transpose_(1, 2);
    }
    x.sum().backward();
    CHECK(equal(x.grad(), etude::ones({1, 3, 2})));
  }

  TEST_CASE("retain_grad keeps the gradient of a tensor that is no leaf") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor y = x * 3;
    CHECK_FALSE(y.retains_grad());
    y.retain_grad();
    y.retain_grad();
    CHECK(y.retains_grad());
    (y * y).sum().backward();
    CHECK(equal(y.grad(), etude::full({2}, 6.0)));
    CHECK(equal(x.grad(), etude::full({2}, 18.0)));
    x.retain_grad();
    CHECK_FALSE(x.retains_grad());
    CHECK(refusal([] { etude::ones({2}).retain_grad(); }) ==
          "Error: can't retain_grad on Tensor that has requires_grad=False");
  }

  TEST_CASE("retain_grad keeps the gradient of a tensor that has left the graph, and may be gone") {
    const Tensor x = etude::ones({2}, requires_grad());
    for (const bool gone : {false, true}) {
      Tensor y = x * 2;
      y.retain_grad();
      const Tensor z = y.sum();
      y.detach_();
      if (gone) y.reset();
      z.backward();
      if (!gone) CHECK(equal(y.grad(), etude::ones({2})));
    }
    CHECK(equal(x.grad(), etude::full({2}, 4.0)));
  }

  TEST_CASE("retain_grad follows its tensor through a write in place") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y = x * 1;
    y.retain_grad();
    y.mul_(2);
    (y * 5).sum().backward();
    CHECK(equal(y.grad(), etude::full({2}, 5.0)));
    CHECK(equal(x.grad(), etude::full({2}, 10.0)));
  }

  TEST_CASE("retained gradients accumulate, and a tensor that is gone keeps nothing") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor y = x * 3;
    y.retain_grad();
    (y * 2).sum().backward({}, true);
    (y * 2).sum().backward();
    CHECK(equal(y.grad(), etude::full({2}, 4.0)));
    Tensor z;
    {
      const Tensor gone = x * 3;
      gone.retain_grad();
      z = gone * 2;
    }
    z.sum().backward();
  }

  TEST_CASE("a hook sees the whole gradient, once, and may replace it") {
    const Tensor x = etude::ones({2}, requires_grad());
    int calls = 0;
    const Tensor y = x * 1;
    y.register_hook([&](const Tensor& g) {
      ++calls;
      CHECK(equal(g, etude::full({2}, 5.0)));
      return g * 10;
    });
    (y * 2 + y * 3).sum().backward();
    CHECK(calls == 1);
    CHECK(equal(x.grad(), etude::full({2}, 50.0)));
  }

  TEST_CASE("hooks on a leaf run before the gradient is accumulated, in the order of their registration") {
    const Tensor x = etude::ones({1}, requires_grad());
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
            etude::ones({2}).register_hook([](const Tensor& g) { return g; });
          }).rfind("Error: cannot register a hook on a ", 0) == 0);
  }

  TEST_CASE("a hook that changes the sizes of a gradient is refused") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor y = x * 2;
    y.register_hook([](const Tensor&) { return etude::ones({3}); });
    CHECK(refusal([&] { y.sum().backward(); }) == "Error: hook '0' has changed the size of value");
    const Tensor z = x * 2;
    z.register_hook([](const Tensor& g) { return g.to(kDouble); });
    CHECK(refusal([&] { z.sum().backward(); }) == "Error: hook '0' has changed the type of value (was " +
                                                      tensor_type("Float") + " got " + tensor_type("Double") +
                                                      ")");
  }

  TEST_CASE("a tensor that is gone gets no gradient, and the graph goes on") {
    const Tensor x = etude::ones({2}, requires_grad());
    Tensor y;
    {
      const Tensor gone = etude::ones({2}, requires_grad());
      y = (x * 2 + gone).sum();
    }
    y.backward();
    CHECK(equal(x.grad(), etude::full({2}, 2.0)));
  }

  TEST_CASE("copies of a handle are the same tensor") {
    const Tensor x = etude::ones({2}, requires_grad());
    const Tensor same_x = x;
    CHECK(same_x.is_same(x));
    CHECK(x.use_count() == 2);
    (same_x * 2).sum().backward();
    CHECK(x.grad().defined());
  }

  TEST_CASE("asking an undefined tensor anything is refused") {
    const Tensor none;
    for (const auto& ask : std::vector<AnyFunction<void()>>{[&] { none.grad(); }, [&] { none.backward(); },
                                                            [&] { none.detach(); }, [&] { none.is_leaf(); },
                                                            [&] { none.set_requires_grad(true); }})
      CHECK_THROWS_AS(ask(), Error);
  }

  TEST_CASE("hooks are lambdas that return nothing, a tensor, or functions of either kind") {
    const Tensor x = etude::ones({2}, requires_grad());
    int seen = 0;
    x.register_hook([&](Tensor) { ++seen; });
    x.register_hook([&](const Tensor& g) { seen += static_cast<int>(g.numel()); });
    x.register_hook([](Tensor g) { return g * 2; });
    const std::function<void(Tensor)> returns_nothing = [&](const Tensor&) { seen += 10; };
    const std::function<Tensor(Tensor)> returns = [](const Tensor& g) { return g * 3; };
    x.register_hook(returns_nothing);
    x.register_hook(returns);
    x.sum().backward();
    CHECK(seen == 13);
    CHECK(equal(x.grad(), etude::full({2}, 6.0)));
  }

  TEST_CASE("hooks are numbered for each tensor, and a number stays its own after others are removed") {
    const Tensor x = etude::ones({2}, requires_grad());
    const unsigned a = x.register_hook([](Tensor g) { return g * 2; });
    const unsigned b = x.register_hook([](Tensor g) { return g * 3; });
    x.remove_hook(a);
    const unsigned c = x.register_hook([](Tensor g) { return g * 5; });
    CHECK((a == 0 && b == 1 && c == 2));
    x.remove_hook(b);
    x.remove_hook(b);
    x.sum().backward();
    CHECK(equal(x.grad(), etude::full({2}, 5.0)));
    CHECK(refusal([&] { x.remove_hook(3); }) == "Error: Invalid index, no hook at position 3");
    CHECK(refusal([] { etude::ones({2}).remove_hook(0); }) == "Error: Invalid index, no hook at position 0");
    const variable_list parts = x.unbind(0);
    parts[0].register_hook([](Tensor) {});
    CHECK(parts[1].register_hook([](Tensor) {}) == 0);
    CHECK(refusal([] { etude::ones({2}).register_hook([](Tensor) {}); }) ==
          "Error: cannot register a hook on a variable that doesn't require gradient");
    CHECK(refusal([] { Tensor().register_hook([](Tensor) {}); }) ==
          "Error: cannot register a hook on a variable that doesn't require gradient");
  }

  TEST_CASE("hooks stay with what the tensor was when they were registered, retain_grad with the tensor") {
    const Tensor x = etude::ones({2}, requires_grad()), y = x * 1;
    double before = 0, after = 0;
    CHECK(y.register_hook([&](Tensor g) { before = g[0].item<double>(); }) == 0);
    y.retain_grad();
    CHECK(y.register_hook([&](Tensor g) { before += 100 * g[0].item<double>(); }) == 1);
    y.mul_(2);
    y.mul_(5);
    CHECK(y.register_hook([&](Tensor g) { after = g[0].item<double>(); }) == 0);
    (y * 3).sum().backward();
    CHECK((before == 30 + 3000 && after == 3));
    CHECK(equal(y.grad(), etude::full({2}, 3.0)));
    CHECK(equal(x.grad(), etude::full({2}, 30.0)));
  }

  TEST_CASE("retain_grad keeps the gradient as all hooks left it") {
    const Tensor x = etude::ones({2}, requires_grad()), first = x * 2, second = x * 2;
    first.retain_grad();
    first.register_hook([](Tensor g) { return g * 7; });
    second.register_hook([](Tensor g) { return g * 7; });
    second.retain_grad();
    (first + second).sum().backward();
    CHECK(equal(first.grad(), etude::full({2}, 7.0)));
    CHECK(equal(second.grad(), etude::full({2}, 7.0)));
    CHECK(second.grad().is_contiguous());
  }

  TEST_CASE("grad gives gradients after their own hooks, and fills the grad of tensors that retain theirs") {
    const Tensor x = etude::ones({2}, requires_grad()), y = x * 2;
    x.register_hook([](Tensor g) { return g * 5; });
    y.register_hook([](Tensor g) { return g * 5; });
    y.retain_grad();
    CHECK(equal(autograd::grad({(y * 2).sum()}, {y})[0], etude::full({2}, 10.0)));
    CHECK(equal(y.grad(), etude::full({2}, 10.0)));
    CHECK(equal(autograd::grad({(y * 2).sum()}, {x})[0], etude::full({2}, 100.0)));
    CHECK(equal(y.grad(), etude::full({2}, 20.0)));
    CHECK(equal(autograd::grad({y}, {y}, {etude::ones({2})})[0], etude::full({2}, 5.0)));
    const Tensor z = x * 3;
    bool called = false;
    z.register_hook([&](Tensor) { called = true; });
    autograd::grad({(y * z).sum()}, {y});
    CHECK_FALSE(called);
    y.remove_hook(0);
    CHECK(equal(autograd::grad({y.sum()}, {y})[0], etude::ones({2})));
    CHECK(equal(y.grad(), etude::full({2}, 41.0)));
  }
}
