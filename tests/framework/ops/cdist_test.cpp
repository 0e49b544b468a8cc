// Distances of all pairs of rows, recorded from both versions of PyTorch.
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/golden_functions.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("cdist") {
  namespace {

  using List = std::vector<Tensor>;

  Tensor rows(IntArrayRef sizes, double phase = 0) { return (uneven(sizes) * 3 + phase).sin().to(kDouble); }

  }  // namespace

  const double infinity = std::numeric_limits<double>::infinity();

  TEST_CASE("distances and gradients are PyTorch's, also for equal rows and many") {
    check_recorded("cdist", [](const List& in, const Recorded& arguments) {
      const bool by_product = arguments.contains("compute_mode");
      const Recorded p = arguments.at("p");
      return List{etude::cdist(in[0], in[1], p.is_string() ? infinity : p.get<double>(),
                               by_product ? optional<int64_t>(1) : nullopt)};
    });
  }

  TEST_CASE("the matrix product and the plain distances agree, and views are read where they lie") {
    const Tensor a = rows({2, 1, 30, 7}), b = rows({3, 40, 7}, 1);
    const Tensor plain = etude::cdist(a, b, 2, 2);
    CHECK(plain.sizes() == IntArrayRef({2, 3, 30, 40}));
    CHECK(allclose(etude::cdist(a, b), plain, 1e-9, 1e-9));
    CHECK(allclose(plain, (a.unsqueeze(-2) - b.unsqueeze(-3)).norm(2, {-1}), 1e-12, 1e-12));
    CHECK(same(etude::cdist(a.flip(2), b.transpose(0, 1).contiguous().transpose(0, 1), 2, 2), plain.flip(2)));
  }

  TEST_CASE("gradients agree with finite differences, and those of the matrix product also twice") {
    const Tensor a = rows({3, 2}), b = rows({2, 2}, 1);
    for (const double p : {0.5, 1., 1.5, 2., 3., infinity})
      CHECK(gradcheck(TensorFunction([p](const List& in) { return etude::cdist(in[0], in[1], p); }), {a, b}));
    check_gradients({[](const List& in) { return etude::cdist(in[0], in[1], 2, 1); }}, {a, b});
    const Tensor leaf = etude::ones({2, 3}, requires_grad());
    CHECK(node_name(etude::cdist(leaf, leaf)) == "CdistBackward0");
  }

  TEST_CASE("gradients of many rows are those of the norm of the differences, in float32 too") {
    const Tensor a = rows({2, 1, 67, 5}), b = rows({3, 21, 5}, 1).flip(-1);
    const Tensor dy = uneven({2, 3, 67, 21}).to(kDouble);
    const auto gradients = [&](ScalarType type, const auto& distance) {
      const Tensor u = a.to(type).requires_grad_(), v = b.to(type).requires_grad_();
      return etude::autograd::grad({distance(u, v)}, {u, v}, {dy.to(type)});
    };
    for (const double p : {0.7, 1., 1.5, 2., 3., 4.5, infinity}) {
      CAPTURE(p);
      const auto fast = [p](const Tensor& u, const Tensor& v) { return etude::cdist(u, v, p, 2); };
      const List expected = gradients(kDouble, [p](const Tensor& u, const Tensor& v) {
        const Tensor size = (u.unsqueeze(-2) - v.unsqueeze(-3)).abs();
        return std::isinf(p) ? size.amax(-1) : size.pow(p).sum(-1).pow(1 / p);
      });
      const List found = gradients(kDouble, fast), single = gradients(kFloat, fast);
      for (size_t i = 0; i < 2; ++i) {
        CHECK(allclose(found[i], expected[i], 1e-10, 1e-10));
        CHECK(allclose(single[i].to(kDouble), expected[i], 1e-3, 1e-3));
      }
    }
  }

  TEST_CASE("a distance that is too small for a number has gradients of zero") {
    const Tensor x = etude::tensor({{1e-30, 0.}}, kDouble).requires_grad_();
    const Tensor y = etude::cdist(x, etude::zeros({1, 2}, kDouble), 20);
    y.sum().backward();
    CHECK(same(y.detach(), etude::zeros({1, 1}, kDouble)));
    CHECK(same(x.grad(), etude::zeros({1, 2}, kDouble)));
  }

  TEST_CASE("gradients of a sum reach the rows of views, also on one side alone") {
    const Tensor a = rows({7, 2}), b = rows({2, 9}, 1);
    for (const double p : {1., 2., 3.}) {
      const Tensor u = a.clone().requires_grad_(), v = b.clone().requires_grad_();
      etude::cdist(u.slice(0, 1, 7, 2), v.t(), p, 2).sum().backward();
      const Tensor d = a.slice(0, 1, 7, 2).unsqueeze(1) - b.t(), y = d.norm(p, {-1}, true);
      const Tensor dd = d.sign() * (d.abs() / y).pow(p - 1);
      CHECK(allclose(u.grad().slice(0, 1, 7, 2), dd.sum(1), 1e-10, 1e-10));
      CHECK(same(u.grad().slice(0, 0, 7, 2), etude::zeros({4, 2}, kDouble)));
      CHECK(allclose(v.grad(), -dd.sum(0).t(), 1e-10, 1e-10));
      const Tensor alone = b.clone().requires_grad_();
      etude::cdist(alone.t(), a.slice(0, 1, 7, 2), p, 2).sum().backward();
      CHECK(allclose(alone.grad(), v.grad(), 1e-10, 1e-10));
    }
  }

  TEST_CASE("refuses rows that do not go together") {
    const auto of = [](const Tensor& a, const Tensor& b, double p = 2, optional<int64_t> mode = nullopt) {
      return refusal_text([&] { etude::cdist(a, b, p, mode); });
    };
    const Tensor x = etude::ones({2, 3});
    CHECK(of(x[0], x) == "cdist only supports at least 2D tensors, X1 got: 1D");
    CHECK(of(x, x[0]) == "cdist only supports at least 2D tensors, X2 got: 1D");
    CHECK(of(x, x.t()) == "X1 and X2 must have the same number of columns. X1: 3 X2: 2");
    CHECK(of(x, x, -1) == "cdist only supports non-negative p values");
    CHECK(of(x, x, std::nan("")) == "cdist only supports non-negative p values");
    CHECK(of(x, x, 2, 5) == "possible modes: 0, 1, 2, but was: 5");
    CHECK(of(x, x.to(kDouble)) == "expected scalar type Float but found Double");
    CHECK(of(x.to(kLong), x) == "cdist only supports floating-point dtypes, X1 got: Long");
    CHECK(of(x.to(kHalf), x.to(kHalf)) == "\"cdist\" not implemented for 'Half'");
    CHECK(of(etude::ones({4, 2, 3}), etude::ones({5, 6, 3})) ==
          "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 0");
  }
}
