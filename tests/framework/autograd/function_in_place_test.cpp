// Custom functions that write in place or return views: how arguments and outputs move in the graph.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/ops/ops.h"
#include "support/custom_function.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

namespace {

struct TwoInPlace : Function<TwoInPlace> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return {x, x + 1};
  }
  static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0] * 2 + dy[1] * 2}; }
};

struct DirtyNotReturned : Function<DirtyNotReturned> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x + 1;
  }
  static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0] * 2}; }
};

struct Thrice : Function<Thrice> {
  static Tensor forward(AutogradContext*, Tensor x) { return x; }
  static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0] * 3}; }
};

struct Flat : Function<Flat> {
  static Tensor forward(AutogradContext*, Tensor x) { return x.view({-1}); }
  static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0].reshape({2, 2}) * 3}; }
};

struct Rows : Function<Rows> {
  static variable_list forward(AutogradContext*, Tensor x) { return {x[0], x[1]}; }
  static variable_list backward(AutogradContext*, variable_list dy) { return {stack({dy[0], dy[1]})}; }
};

}  // namespace

TEST_SUITE("function in place") {
  TEST_CASE("first and second gradients of functions in place and of views agree with finite differences") {
    const Tensor x = etude::tensor({{0.3, -0.7}, {1.1, 0.4}}, kDouble);
    const std::vector<TensorsFunction> functions = {
        [](const std::vector<Tensor>& in) { return variable_list{ExpInPlace::apply(in[0] * 2)}; },
        [](const std::vector<Tensor>& in) {
          const Tensor base = in[0] * 1;
          ExpInPlace::apply(base[0]);
          return variable_list{base};
        },
        [](const std::vector<Tensor>& in) { return TwoInPlace::apply(in[0] * 1); },
        [](const std::vector<Tensor>& in) { return Rows::apply(in[0]); },
    };
    for (size_t i = 0; i < functions.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck_fault(functions[i], {x}) == "");
      CHECK(gradgradcheck_fault(functions[i], {x}) == "");
    }
  }

  TEST_CASE("an argument that is returned is a view of itself with the gradient of the function") {
    const Tensor x = leaf({1.0, 2.0});
    const Tensor y = Thrice::apply(x);
    CHECK((!y.is_same(x) && y.is_view() && !y.is_leaf() && x.is_leaf()));
    y.sum().backward();
    CHECK(same(x.grad(), etude::full({2}, 3.0, kDouble)));
    const Tensor plain = etude::ones({2});
    const Tensor again = Thrice::apply(plain);
    CHECK((!again.is_same(plain) && again.is_view() && again._base().is_same(plain)));
  }

  TEST_CASE("views that leave a custom function are not written in place, nor are their bases") {
    const std::string why =
        "This view was created inside a custom Function (or because an input was returned as-is) and the "
        "autograd logic to handle view+inplace would override the custom backward associated with the custom "
        "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning "
        "the "
        "output of the custom Function.";
    const Tensor x = leaf({{1.0, 2.0}, {3.0, 4.0}});
    const Tensor y = Flat::apply(x * 1);
    CHECK(y.is_view());
    const std::string output =
        "Error: Output 0 of " + kAutogradScope + "CppNode<(anonymous namespace)::Flat> is a view and ";
    CHECK(refusal([&] { y.mul_(2); }) == output + "is being modified inplace. " + why);
    const Tensor base = x * 1;
    const Tensor view = Flat::apply(base);
    base.mul_(2);
    CHECK(refusal([&] { view.grad_fn(); }) ==
          output + "its base or another view of its base has been modified inplace. " + why);
    CHECK(refusal([&] { Thrice::apply(x).mul_(2); }).find(why) != std::string::npos);
    CHECK(refusal([&] { Rows::apply(x * 1)[1].mul_(2); }) ==
          "Error: Output 1 of " + kAutogradScope +
              "CppNode<(anonymous namespace)::Rows> is a view and is being "
              "modified "
              "inplace. This view is the output of a function that returns multiple views. Such functions do "
              "not "
              "allow "
              "the output views to be modified inplace. You should replace the inplace operation by an "
              "out-of-place "
              "one.");
    const Tensor free = Flat::apply(etude::ones({2, 2}));
    free.mul_(2);
    CHECK(same(free, etude::full({4}, 2.0)));
  }

  TEST_CASE("a function in place moves its argument on") {
    const Tensor x = leaf({1.0, 2.0}), z = x * 1;
    const uint32_t version = z._version();
    const Tensor y = ExpInPlace::apply(z);
    CHECK(y.is_same(z));
    CHECK(z.grad_fn()->name().find("ExpInPlace") != std::string::npos);
    CHECK(z._version() == version + 2);  // by exp_ and by mark_dirty
    y.sum().backward();
    CHECK(allclose(x.grad(), x.detach().exp()));
  }

  TEST_CASE("a function in place on a view changes its base") {
    const Tensor x = leaf({1.0, 2.0}), base = x * 1, view = base[0];
    CHECK(ExpInPlace::apply(view).is_same(view));
    CHECK(node_name(base) == "CopySlices");
    CHECK(node_name(view) == "AsStridedBackward0");
    base.sum().backward();
    CHECK(allclose(x.grad(), etude::tensor({std::exp(1.0), 1.0}, kDouble)));
  }

  TEST_CASE("what a function in place may not do is refused") {
    const Tensor x = leaf({1.0, 2.0});
    CHECK(refusal([&] { ExpInPlace::apply(x); }) ==
          "Error: a leaf Variable that requires grad has been used in an in-place operation.");
    CHECK(refusal([&] { DirtyNotReturned::apply(x * 1); }) ==
          "Error: Some elements marked as dirty during the forward method were not returned as output. The "
          "inputs "
          "that are modified inplace must all be outputs of the Function.");
    CHECK(
        refusal([&] { TwoInPlace::apply((x * 1)[0]); })
            .rfind(
                "Error: If your Function modifies inplace an input that is a view of another Tensor, your "
                "Function cannot return more than one Tensor. This is not supported by the current autograd "
                "engine.",
                0) == 0);
    const Tensor plain = etude::ones({2});
    CHECK_FALSE(ExpInPlace::apply(plain).requires_grad());
    CHECK(allclose(plain, etude::full({2}, std::exp(1.0))));
  }

  TEST_CASE("a view that a function wrote has the gradient of the function itself") {
    const Tensor x = leaf({1.0, 2.0}), base = x * 1, view = base[1];
    ExpInPlace::apply(view);
    view.backward();
    CHECK(allclose(x.grad(), etude::tensor({0.0, std::exp(2.0)}, kDouble)));
  }
}
