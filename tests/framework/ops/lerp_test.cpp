// Linear interpolation, with a number or a tensor as its weight.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("lerp") {
  const Tensor a = etude::tensor({5.5, -5.5, 2.2, -0.7}, kDouble),
               b = etude::tensor({2.0, 2.0, -1.5, 3.0}, kDouble),
               w = etude::tensor({0.25, 1.0, -2.0, 0.75}, kDouble);

  TEST_CASE("a weight goes from self at 0 to end at 1, and beyond") {
    CHECK(allclose(lerp(a, b, 0.25), a + (b - a) * 0.25));
    CHECK(allclose(lerp(a, b, w), a + (b - a) * w));
    CHECK(same(lerp(a, b, 0), a));
    CHECK(same(lerp(a, b, 1), b));
    CHECK(same(lerp(a, b, etude::zeros_like(a)), a));
    CHECK(same(lerp(a, b, etude::ones_like(a)), b));
    const Tensor x = etude::tensor({0.1f, 0.7f}), y = etude::tensor({0.9f, 123.456f});
    for (const double k : {-0.3, 0.3, 0.5, 0.7, 1.9})
      CHECK(same(lerp(x, y, etude::full({2}, k)), lerp(x, y, k)));
  }

  TEST_CASE("all three are broadcast, and may be views, of no elements or of no dims") {
    const Tensor x = etude::arange(6, kDouble).view({2, 3}).t(), e = etude::tensor({10., -10.}, kDouble),
                 k = etude::tensor({{{0.5}}, {{0.1}}}, kDouble);
    CHECK(lerp(x, e, k).sizes() == IntArrayRef({2, 3, 2}));
    CHECK(allclose(lerp(x, e, k), x + k * (e - x)));
    CHECK(allclose(x.lerp(e, w[0]), x + 0.25 * (e - x)));
    CHECK(lerp(etude::ones({0, 2}), etude::zeros({2}), etude::ones({1})).sizes() == IntArrayRef({0, 2}));
    CHECK(lerp(w[0], w[1], w[3]).item<double>() == doctest::Approx(0.8125));
  }

  TEST_CASE("in place, also when self is one of the others") {
    const Tensor x = a.clone(), y = a.clone(), z = a.clone();
    CHECK(x.lerp_(b, w).is_same(x));
    CHECK(same(x, lerp(a, b, w)));
    CHECK(same(y.lerp_(b, 0.3), lerp(a, b, 0.3)));
    CHECK(same(z.lerp_(b, z), lerp(a, b, a)));
    const Tensor on_graph = a.clone().set_requires_grad(true);
    const Tensor moved = (on_graph * 1).lerp_(b, w);
    CHECK(same(autograd::grad({moved.sum()}, {on_graph})[0], 1 - w));
  }

  TEST_CASE("gradients reach self, end and weight") {
    check_gradients({
                        [](const auto& in) { return lerp(in[0], in[1], 0.25) * in[2]; },
                        [](const auto& in) { return lerp(in[0], in[1], in[2]); },
                        [](const auto& in) { return lerp(in[2], in[0], in[1]); },
                        [](const auto& in) { return (in[0] * in[2]).lerp_(in[1], in[2]); },
                    },
                    {a, b, etude::tensor({{1.2}, {-0.8}}, kDouble)});
    const Tensor x = a.clone().set_requires_grad(true);
    CHECK(lerp(x, b, 0.5).grad_fn()->name() == "LerpBackward0");
    CHECK(lerp(x, b, w).grad_fn()->name() == "LerpBackward1");
  }

  TEST_CASE("what it refuses") {
    const Tensor f = etude::ones({3}), d = etude::ones({3}, kDouble), i = etude::ones({3}, kInt);
    CHECK(refusal_text([&] { lerp(f, d, 0.5); }) == "expected dtype float for `end` but got dtype double");
    CHECK(refusal_text([&] { lerp(d, d, f); }) == "expected dtype double for `weight` but got dtype float");
    CHECK(refusal_text([&] { lerp(i, i, i); }) == "\"lerp_kernel_tensor\" not implemented for 'Int'");
    CHECK(refusal_text([&] { lerp(i, i, 0.5); }) == "\"lerp_kernel_scalar\" not implemented for 'Int'");
    const std::string sizes =
        "The size of tensor a (3) must match the size of tensor b (2) at "
        "non-singleton dimension 0";
    CHECK(refusal_text([&] { lerp(f, etude::ones({2}), f); }) == sizes);
    CHECK(refusal_text([&] { lerp(f, f, etude::ones({2})); }) == sizes);
    const std::string grown = "output with shape [3] doesn't match the broadcast shape [2, 3]";
    CHECK(refusal_text([&] { f.clone().lerp_(etude::ones({2, 3}), 0.5); }) == grown);
    CHECK(refusal_text([&] { f.clone().lerp_(f, etude::ones({2, 3})); }) == grown);
  }
}
