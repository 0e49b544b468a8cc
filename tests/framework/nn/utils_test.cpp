#include "etude/nn/utils.h"

#include <doctest/doctest.h>

#include <limits>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn::utils;

namespace {

std::vector<Tensor> parameters_with_gradients() {
  std::vector<Tensor> parameters;
  for (const Tensor& gradient : {golden::ramp({3, 2}) * 3, golden::ramp({4})}) {
    parameters.push_back(etude::zeros_like(gradient).requires_grad_());
    parameters.back().mutable_grad() = gradient;
  }
  parameters.push_back(etude::zeros({2}).requires_grad_());  // without a gradient
  return parameters;
}

}  // namespace

TEST_SUITE("clip_grad_norm_") {
  TEST_CASE("returns PyTorch's norm and scales all gradients together") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto& expected = golden::layers().at("functional").at("clipped");
    for (const auto& [name, norm_type] :
         {std::pair("1.0", 1.0), std::pair("2.0", 2.0), std::pair("inf", inf)}) {
      CAPTURE(name);
      const auto& row = expected.at(name);
      const auto parameters = parameters_with_gradients();
      CHECK(clip_grad_norm_(parameters, 1.5, norm_type) ==
            doctest::Approx(row.at("total").get<double>()).epsilon(1e-6));
      for (size_t i = 0; i < 2; ++i) CHECK(golden::close(parameters[i].grad(), row.at("grads")[i]));
      CHECK_FALSE(parameters[2].grad().defined());
    }
  }

  TEST_CASE("leaves gradients alone that are short enough") {
    const auto parameters = parameters_with_gradients();
    const Tensor before = parameters[0].grad().clone();
    clip_grad_norm_(parameters, 1e6);
    CHECK(parameters[0].grad().equal(before));
  }

  TEST_CASE("takes one tensor, and nothing at all") {
    const Tensor p = parameters_with_gradients()[1];
    CHECK(clip_grad_norm_(p, 1.0) == doctest::Approx(golden::ramp({4}).norm().item<double>()).epsilon(1e-6));
    CHECK(clip_grad_norm_(std::vector<Tensor>{}, 1.0) == 0);
    CHECK(clip_grad_norm_(etude::zeros({2}).requires_grad_(), 1.0) == 0);
  }

  TEST_CASE("the norm of order 0 counts the gradients") {
    CHECK(clip_grad_norm_(parameters_with_gradients(), 1.0, 0) == 2);
  }

  TEST_CASE("refuses a norm that is not finite, if asked to, and then changes nothing") {
    const Tensor p = etude::zeros({2}).requires_grad_();
    p.mutable_grad() = etude::tensor({1.0, std::numeric_limits<double>::quiet_NaN()}).to(kFloat);
    CHECK(refusal([&] { clip_grad_norm_(p, 1.0, 2.0, /*error_if_nonfinite=*/true); }) ==
          "Error: The total norm of order 2 for gradients from `parameters` is non-finite, so it cannot be "
          "clipped. To disable this error and scale the gradients with the non-finite norm anyway, set "
          "`error_if_nonfinite=false`");
    CHECK(p.grad()[0].item<float>() == 1);
    clip_grad_norm_(p, 1.0);
    CHECK(p.grad().isnan().all().item<bool>());
  }
}

TEST_SUITE("clip_grad_value_") {
  TEST_CASE("takes a list in braces") {
    const auto p = parameters_with_gradients();
    clip_grad_value_({p[0], p[1]}, 0.5);
    CHECK(p[1].grad().abs().max().item<float>() == 0.5f);
    CHECK(clip_grad_norm_({p[0], p[1]}, 1.0) > 1);
  }

  TEST_CASE("limits every element") {
    const auto parameters = parameters_with_gradients();
    const Tensor expected = parameters[0].grad().clamp(-0.5, 0.5);
    clip_grad_value_(parameters, 0.5);
    CHECK(parameters[0].grad().equal(expected));
    clip_grad_value_(parameters[0], 0.25);
    CHECK(parameters[0].grad().abs().max().item<float>() == 0.25f);
  }
}

TEST_SUITE("parameters_to_vector") {
  TEST_CASE("joins the elements of all parameters, and gradients go back to them") {
    const Tensor a = golden::ramp({2, 3}).requires_grad_(), b = golden::ramp({2}).requires_grad_();
    const Tensor vec = parameters_to_vector({a, b});
    CHECK(vec.equal(etude::cat({a.reshape({6}), b})));
    (vec * etude::arange(8, kFloat)).sum().backward();
    CHECK(a.grad().equal(etude::arange(6, kFloat).reshape({2, 3})));
    CHECK(b.grad().equal(etude::tensor({6.0, 7.0}).to(kFloat)));
  }

  TEST_CASE("refuses nothing at all, and parameters that are no views of one run") {
    CHECK(refusal_text([] { parameters_to_vector({}); }) ==
          "torch.cat(): expected a non-empty list of Tensors");
    const std::vector<Tensor> transposed{etude::ones({2, 3}).t()};
    CHECK(refusal_text([&] {
            parameters_to_vector(transposed);
          }).rfind("view size is not compatible with input tensor's size and stride", 0) == 0);
  }
}

TEST_SUITE("vector_to_parameters") {
  TEST_CASE("gives the parameters the elements in their order, and shares its memory") {
    const Tensor a = etude::zeros({2, 3}).requires_grad_(), b = etude::zeros({2}).requires_grad_();
    const Tensor vec = etude::arange(10, kFloat);
    vector_to_parameters(vec, {a, b});
    CHECK(a.equal(etude::arange(6, kFloat).reshape({2, 3})));
    CHECK(b.equal(etude::tensor({6.0, 7.0}).to(kFloat)));
    CHECK(a.requires_grad());
    CHECK(a.is_leaf());
    vec.fill_(5);
    CHECK(a.equal(etude::full({2, 3}, 5.0)));
  }

  TEST_CASE("is the inverse of parameters_to_vector") {
    const std::vector<Tensor> from{golden::ramp({2, 3}), golden::ramp({4})};
    const std::vector<Tensor> to{etude::zeros({2, 3}), etude::zeros({4})};
    vector_to_parameters(parameters_to_vector(from), to);
    for (size_t i = 0; i < 2; ++i) CHECK(to[i].equal(from[i]));
  }

  TEST_CASE("takes the type of the vector") {
    const Tensor a = etude::zeros({2}).requires_grad_();
    vector_to_parameters(etude::ones({2}, kDouble), {a});
    CHECK(a.scalar_type() == kDouble);
  }

  TEST_CASE("refuses a vector that is too short") {
    const std::vector<Tensor> parameters{etude::zeros({2}), etude::zeros({3})};
    CHECK(refusal_text([&] { vector_to_parameters(etude::ones({4}), parameters); }) ==
          "shape '[3]' is invalid for input of size 2");
  }
}
