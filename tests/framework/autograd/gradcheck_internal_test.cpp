// What gradcheck says of nodes that are made by hand, and the gradcheck that Python has.
#include "support/gradcheck.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/autograd/detail/node.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using autograd::Gradients;
using autograd::record;
using autograd::recording;
using autograd::Saved;
using autograd::variable_list;

namespace {

Tensor values(std::vector<double> v) { return etude::tensor(v, kDouble); }

// y = x^2 with the gradient that `backward` says.
template <typename Backward>
TensorsFunction square_with(Backward backward) {
  return [backward](const std::vector<Tensor>& in) {
    const Tensor& x = in[0];
    Tensor y;
    {
      const NoGradGuard no_grad;
      y = x * x;
    }
    if (!recording({x})) return std::vector<Tensor>{y};
    return std::vector<Tensor>{
        record("FakeSquareBackward0", {x}, y,
               [x = Saved(x), backward](const Tensor& dy) { return backward(dy, x.get()); })};
  };
}

bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("gradcheck, inside") {
  const Tensor x = values({0.7, -1.3, 2.1});

  TEST_CASE("says yes to a right gradient") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(gradgradcheck_fault(f, {x}).empty());
  }

  TEST_CASE("says no to a gradient that is wrong by one part in a thousand, and says where") {
    const std::string fault =
        gradcheck_fault(square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2.002; }), {x});
    CHECK(mentions(fault, "the gradient of input 0 at element 0"));
    CHECK(mentions(fault, "finite differences give"));
  }

  TEST_CASE("says no to a gradient that ignores the gradient of the output") {
    CHECK_FALSE(
        gradcheck_fault(square_with([](const Tensor&, const Tensor& v) { return v * 2; }), {x}).empty());
  }

  TEST_CASE("says no to a gradient that is missing") {
    CHECK(mentions(gradcheck_fault(square_with([](const Tensor&, const Tensor&) { return Tensor(); }), {x}),
                   "(missing)"));
    const TensorsFunction not_recorded = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[0].detach() * 2};
    };
    CHECK(mentions(gradcheck_fault(not_recorded, {x}), "(missing)"));
  }

  TEST_CASE("says no to a backward that reads its gradient as if it were contiguous") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) {
      const Tensor dx = etude::empty(v.sizes(), kDouble);
      for (int64_t i = 0; i < v.numel(); ++i)
        dx.data_ptr<double>()[i] =
            2 * dy.data_ptr<double>()[dy.is_contiguous() ? i : 0] * v.data_ptr<double>()[i];
      return dx;
    });
    CHECK(mentions(gradcheck_fault(f, {x}), "not contiguous"));
  }

  TEST_CASE("says no to a backward that writes into the gradient it is given") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) {
      const Tensor dx = dy * v * 2;
      if (dy.is_contiguous()) dy.data_ptr<double>()[0] = 5;
      return dx;
    });
    CHECK(mentions(gradcheck_fault(f, {x}), "writes into the gradient"));
  }

  TEST_CASE("says no to a forward that depends on whether it is recorded") {
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{GradMode::is_enabled() ? in[0] * 2 : in[0] * 2.0000001};
    };
    CHECK(mentions(gradcheck_fault(f, {x}), "between recording and not recording"));
  }

  TEST_CASE("says no to a right gradient whose own gradient is wrong") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v.detach() * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(mentions(gradgradcheck_fault(f, {x}), "the gradient of input 0"));
  }

  TEST_CASE("checks each of several outputs alone") {
    // The gradient of the second output is lost unless the first has one too.
    const TensorsFunction f = [](const std::vector<Tensor>& in) {
      std::vector<Tensor> y;
      {
        const NoGradGuard no_grad;
        y = {in[0] * 2, in[0] * 3};
      }
      if (recording({in[0]}))
        autograd::record_outputs("FakePairBackward0", {in[0]}, y, [](const Gradients& dy) {
          return Gradients{dy[0].defined() && dy[1].defined() ? dy[0] * 2 + dy[1] * 3
                           : dy[0].defined()                  ? dy[0] * 2
                                                              : Tensor()};
        });
      return y;
    };
    CHECK(mentions(gradcheck_fault(f, {x}), "of output 1 alone"));
  }

  TEST_CASE("notes the nodes that it meets") {
    const auto f = square_with([](const Tensor& dy, const Tensor& v) { return dy * v * 2; });
    CHECK(gradcheck_fault(f, {x}).empty());
    CHECK(gradchecked_nodes().count("FakeSquareBackward0") == 1);
    CHECK(gradchecked_nodes().count("AccumulateGrad") == 1);
  }

  TEST_CASE("the public one says yes, and throws Python's sentence with both Jacobians where it says no") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const TensorsFunction right = [](const variable_list& in) {
      return variable_list{in[0] * 2, in[0].exp()};
    };
    CHECK(autograd::gradcheck(right, {v}));
    CHECK(autograd::gradgradcheck(right, {v}));
    CHECK(autograd::gradgradcheck(right, {v}, {etude::ones({2}, kDouble), etude::ones({2}, kDouble)}));
    CHECK(autograd::gradcheck([](const variable_list& in) { return in[0] * in[1]; }, {v, v.detach()}));
    const auto wrong = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 3; });
    CHECK_FALSE(autograd::gradcheck(wrong, {v}, 1e-6, 1e-5, 1e-3, false));
    try {
      autograd::gradcheck(wrong, {v});
      FAIL("not refused");
    } catch (const autograd::GradcheckError& e) {
      const std::string text = e.what();
      CHECK(text.substr(0, text.find("the gradient of input 0 at element 0 is ")) ==
            "Jacobian mismatch for output 0 with respect to input 0,\n"
            "numerical:tensor([[2.0000, 0.0000],\n"
            "        [0.0000, 4.0000]], dtype=torch.float64)\n"
            "analytical:tensor([[3., 0.],\n"
            "        [0., 6.]], dtype=torch.float64)\n");
    }
  }

  TEST_CASE("the public one finds the output and the input that are wrong") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const auto wrong = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 3; });
    auto sentence = [&](const TensorsFunction& f, bool second_order) {
      return refusal([&] {
        if (second_order) autograd::gradgradcheck(f, {v, v});
        else autograd::gradcheck(f, {v, v});
      });
    };
    CHECK(sentence(
              [&](const variable_list& in) {
                return variable_list{in[0] * 2, wrong({in[1]})[0]};
              },
              false) == "Error: Jacobian mismatch for output 1 with respect to input 1,");
    CHECK(sentence([](const variable_list& in) { return variable_list{in[0].detach() * in[0]}; }, true) ==
          "Error: Jacobian mismatch for output 0 with respect to input 0,");
    CHECK(sentence([](const variable_list& in) { return variable_list{in[0].detach() * 2}; }, false) ==
          "Error: Numerical gradient for function expected to be zero");
  }

  TEST_CASE("the public one takes tolerances, and refuses what it cannot check") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const auto nearly = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 2.01; });
    CHECK_FALSE(autograd::gradcheck(nearly, {v}, 1e-6, 1e-5, 1e-3, false));
    CHECK(autograd::gradcheck(nearly, {v}, 1e-6, 1e-5, 1e-2, false));
    CHECK(autograd::gradcheck(nearly, {v}, 1e-6, 0.1, 0.0, false));
    const auto cube = [](const variable_list& in) { return in[0] * in[0] * in[0]; };
    CHECK_FALSE(autograd::gradcheck(cube, {v}, 0.5, 1e-5, 1e-3, false));
    CHECK(refusal([&] { autograd::gradcheck(cube, {v.detach()}, 1e-6, 1e-5, 1e-3, false); }) ==
          "ValueError: gradcheck expects at least one input tensor to require gradient, but none of the them "
          "have "
          "requires_grad=True.");
    CHECK(
        refusal([&] {
          autograd::gradcheck(cube, {etude::ones({2}, requires_grad())});
        }).rfind("ValueError: Input #0 requires gradient and is not a double precision floating point", 0) ==
        0);
    CHECK(refusal([&] {
            autograd::gradcheck(cube, {etude::ones({1}, kDouble).expand({3}).requires_grad_()});
          }).rfind("Error: The 0th input has a dimension with stride 0.", 0) == 0);
  }
}
