// The test of the tests: gradcheck must reject every kind of wrong gradient.
#include "support/gradcheck.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/ops/ops.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

TEST_SUITE("gradcheck") {
  namespace {

  // y = x^2 with the gradient slope * x.
  struct Square : Function<Square> {
    static Tensor forward(AutogradContext* ctx, Tensor x, double slope) {
      ctx->save_for_backward({x});
      ctx->saved_data["slope"] = slope;
      return x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list dy) {
      return {dy[0] * ctx->get_saved_variables()[0] * ctx->saved_data["slope"].toDouble(), Tensor()};
    }
  };

  // y = x^2 with a gradient that has no gradient with respect to x.
  struct FlatSquare : Function<FlatSquare> {
    static Tensor forward(AutogradContext* ctx, Tensor x) {
      ctx->save_for_backward({x});
      return x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list dy) {
      return {dy[0] * ctx->get_saved_variables()[0].detach() * 2};
    }
  };

  // Loses the gradient of its second output unless the first output also has one.
  struct Pair : Function<Pair> {
    static variable_list forward(AutogradContext* ctx, Tensor x) {
      ctx->set_materialize_grads(false);
      return {x * 2, x * 3};
    }
    static variable_list backward(AutogradContext*, variable_list dy) {
      if (!dy[0].defined()) return {Tensor()};
      return {dy[1].defined() ? dy[0] * 2 + dy[1] * 3 : dy[0] * 2};
    }
  };

  TensorsFunction square_with(double slope) {
    return [slope](const std::vector<Tensor>& in) { return variable_list{Square::apply(in[0], slope)}; };
  }

  }  // namespace

  const Tensor x = etude::tensor({0.7, -1.3, 2.1}, kDouble);

  TEST_CASE("says yes to a right gradient") {
    CHECK(gradcheck_fault(square_with(2), {x}).empty());
    CHECK(gradgradcheck_fault(square_with(2), {x}).empty());
  }

  TEST_CASE("says no to a gradient that is wrong by one part in a thousand, and says where") {
    const std::string fault = gradcheck_fault(square_with(2.002), {x});
    CHECK(fault.find("the gradient of input 0 at element 0") != std::string::npos);
    CHECK(fault.find("finite differences give") != std::string::npos);
  }

  TEST_CASE("says no to a gradient that is missing") {
    const TensorsFunction not_recorded = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[0].detach() * 2};
    };
    CHECK_FALSE(gradcheck_fault(not_recorded, {x}).empty());
  }

  TEST_CASE("says no to a right gradient whose own gradient is wrong") {
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      return variable_list{FlatSquare::apply(in[0])};
    };
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(gradgradcheck_fault(f, {x}).find("the gradient of input 0") != std::string::npos);
  }

  TEST_CASE("checks each of several outputs alone") {
    CHECK_FALSE(
        gradcheck_fault([](const std::vector<Tensor>& in) { return Pair::apply(in[0]); }, {x}).empty());
  }

  TEST_CASE("takes a missing gradient for zero where the output does not depend on the input") {
    const TensorsFunction first = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[0] * 2};
    };
    CHECK(gradcheck_fault(first, {x, x}).empty());
  }

  TEST_CASE("differentiates only what requires grad, if anything does") {
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[0] * in[1].detach()};
    };
    CHECK_FALSE(gradcheck_fault(f, {x, x}).empty());
    CHECK(gradcheck_fault(f, {x.clone().requires_grad_(), x}).empty());
  }

  TEST_CASE("copies its inputs") {
    const Tensor mine = x.clone().requires_grad_();
    CHECK(gradcheck([](const std::vector<Tensor>& in) { return in[0].clone().mul_(3); }, {mine}));
    CHECK_FALSE(mine.grad().defined());
    CHECK(mine._version() == 0);
  }

  TEST_CASE("has something to differentiate") {
    const TensorsFunction f = [](const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0] * 2}; };
    CHECK_FALSE(gradcheck_fault(f, {etude::tensor({1, 2})}).empty());
    CHECK_FALSE(gradcheck_fault(f, {etude::ones({2}).requires_grad_()}).empty());
  }
}
