// Finite differences against the gradients of nodes made by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "support/fake_square.h"
#include "support/gradcheck.h"
#include "support/has.h"

using namespace etude;
using autograd::detail::Gradients;
using autograd::detail::recording;

TEST_SUITE("finite differences, inside") {
  const Tensor x = etude::tensor({0.7, -1.3, 2.1}, kDouble);

  TEST_CASE("says yes to a right gradient") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(gradgradcheck_fault(f, {x}).empty());
  }

  TEST_CASE("says no to a gradient that is wrong by one part in a thousand, and says where") {
    const std::string fault =
        gradcheck_fault(square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2.002; }), {x});
    CHECK(has(fault, "the gradient of input 0 at element 0"));
    CHECK(has(fault, "finite differences give"));
  }

  TEST_CASE("says no to a gradient that ignores the gradient of the output") {
    CHECK_FALSE(
        gradcheck_fault(square_with([](const Tensor&, const Tensor& v) { return v * 2; }), {x}).empty());
  }

  TEST_CASE("says no to a gradient that is missing") {
    CHECK(has(gradcheck_fault(square_with([](const Tensor&, const Tensor&) { return Tensor(); }), {x}),
              "(missing)"));
    const TensorsFunction not_recorded = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[0].detach() * 2};
    };
    CHECK(has(gradcheck_fault(not_recorded, {x}), "(missing)"));
  }

  TEST_CASE("says no to a backward that reads its gradient as if it were contiguous") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) {
      const Tensor dx = etude::empty(v.sizes(), kDouble);
      for (int64_t i = 0; i < v.numel(); ++i)
        dx.data_ptr<double>()[i] =
            2 * dy.data_ptr<double>()[dy.is_contiguous() ? i : 0] * v.data_ptr<double>()[i];
      return dx;
    });
    CHECK(has(gradcheck_fault(f, {x}), "not contiguous"));
  }

  TEST_CASE("says no to a backward that writes into the gradient it is given") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) {
      const Tensor dx = dy * v * 2;
      if (dy.is_contiguous()) dy.data_ptr<double>()[0] = 5;
      return dx;
    });
    CHECK(has(gradcheck_fault(f, {x}), "writes into the gradient"));
  }

  TEST_CASE("says no to a forward that depends on whether it is recorded") {
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{GradMode::is_enabled() ? in[0] * 2 : in[0] * 2.0000001};
    };
    CHECK(has(gradcheck_fault(f, {x}), "between recording and not recording"));
  }

  TEST_CASE("says no to a right gradient whose own gradient is wrong") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v.detach() * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(has(gradgradcheck_fault(f, {x}), "the gradient of input 0"));
  }

  TEST_CASE("checks each of several outputs alone") {
    // Loses the gradient of the second output unless the first output also has one.
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      std::vector<Tensor> y;
      {
        const NoGradGuard no_grad;
        y = {in[0] * 2, in[0] * 3};
      }
      if (recording({in[0]}))
        autograd::detail::record_outputs("FakePairBackward0", {in[0]}, y, [](const Gradients& dy) {
          return Gradients{dy[0].defined() && dy[1].defined() ? dy[0] * 2 + dy[1] * 3
                           : dy[0].defined()                  ? dy[0] * 2
                                                              : Tensor()};
        });
      return y;
    };
    CHECK(has(gradcheck_fault(f, {x}), "of output 1 alone"));
  }

  TEST_CASE("notes the nodes that it meets") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(gradchecked_nodes().count("FakeSquareBackward0") == 1);
    CHECK(gradchecked_nodes().count("AccumulateGrad") == 1);
  }
}
