// The tensors that custom functions keep alive, from reference counts, and errors made by hand.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/ops/ops.h"
#include "support/custom_function.h"
#include "support/names_of.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

TEST_SUITE("function, inside") {
  TEST_CASE("a custom function does not keep itself alive by what it saved or marked") {
    struct Keeps : Function<Keeps> {
      static variable_list forward(AutogradContext* ctx, Tensor x) {
        const variable_list y{x.exp(), x * 2};
        ctx->save_for_backward(y);
        ctx->mark_non_differentiable({y[1]});
        return y;
      }
      static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0]}; }
    };
    const Tensor x = leaf({1.0});
    const Tensor data = [&] { return Keeps::apply(x)[0].detach(); }();
    CHECK(names_of(data) == 1);
  }

  TEST_CASE("a function in place does not keep itself alive by what it saved or marked") {
    const Tensor x = leaf({1.0});
    const Tensor data = [&] { return ExpInPlace::apply(x * 1.0).detach(); }();
    CHECK(names_of(data) == 1);
    const Tensor memory = [&] {
      const Tensor base = x.expand({2}) * 1.0;
      ExpInPlace::apply(base[0]);
      return base.detach();
    }();
    CHECK(names_of(memory) == 1);
  }

  TEST_CASE("an Error in forward or backward reaches the caller") {
    struct Throws : Function<Throws> {
      static Tensor forward(AutogradContext*, Tensor x, bool at_once) {
        if (at_once) throw Error("forward");
        return x * 2;
      }
      static variable_list backward(AutogradContext*, variable_list) { throw Error("backward"); }
    };
    const Tensor x = leaf({1.0});
    CHECK(refusal([&] { Throws::apply(x, true); }) == "Error: forward");
    CHECK(GradMode::is_enabled());
    CHECK(refusal([&] { Throws::apply(x, false).backward(); }) == "Error: backward");
  }
}
