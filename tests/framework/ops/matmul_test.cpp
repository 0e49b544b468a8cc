// Matrix products against three nested loops, on both paths.
#include <doctest/doctest.h>

#include <limits>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("matrix products") {
  namespace {

  Tensor uneven(IntArrayRef sizes, double phase) {
    return sin(etude::arange(count_elements(sizes), kDouble) * 0.7 + phase).view(sizes);
  }

  Tensor by_loops(const Tensor& a, const Tensor& b) {
    Tensor c = etude::zeros({a.size(0), b.size(1)}, kDouble);
    for (int64_t i = 0; i < a.size(0); ++i)
      for (int64_t j = 0; j < b.size(1); ++j) {
        double sum = 0;
        for (int64_t k = 0; k < a.size(1); ++k) sum += a[i][k].item<double>() * b[k][j].item<double>();
        c[i][j] = sum;
      }
    return c;
  }

  }  // namespace

  TEST_CASE("are three loops, on every path and layout of either side") {
    for (const auto& [n, k, m] :
         std::vector<std::tuple<int64_t, int64_t, int64_t>>{{3, 4, 5}, {1, 7, 9}, {8, 1, 3}, {17, 9, 1}}) {
      const Tensor a = uneven({n, k}, 0.1), b = uneven({k, m}, 0.4), expected = by_loops(a, b);
      for (bool fast : {true, false}) {
        const onednn::EnabledGuard path(fast);
        for (const Tensor& x :
             {a, a.t().contiguous().t(), uneven({2 * n, k}, 0).copy_(a.repeat({2, 1})).slice(0, 0, n)})
          for (const Tensor& y : {b, b.t().contiguous().t()}) {
            CHECK(allclose(x.mm(y), expected));
            CHECK(allclose(x.to(kFloat).mm(y.to(kFloat)).to(kDouble), expected, 1e-5, 1e-6));
          }
      }
    }
  }

  TEST_CASE("broadcast leading dims, and take vectors as rows or columns") {
    const Tensor a = uneven({2, 1, 3, 4}, 0), b = uneven({5, 4, 2}, 1), y = matmul(a, b);
    CHECK(y.sizes() == IntArrayRef({2, 5, 3, 2}));
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 5; ++j) CHECK(allclose(y[i][j], by_loops(a[i][0], b[j])));
    const Tensor m = uneven({3, 4}, 2), v = uneven({4}, 3), u = uneven({3}, 4);
    CHECK(allclose(matmul(m, v), by_loops(m, v.unsqueeze(1)).squeeze(1)));
    CHECK(allclose(matmul(u, m), by_loops(u.unsqueeze(0), m).squeeze(0)));
    CHECK(matmul(v, v).item<double>() == doctest::Approx((v * v).sum().item<double>()));
    CHECK(allclose(matmul(b, uneven({2}, 1)), matmul(b, uneven({2}, 1).unsqueeze(1)).squeeze(-1)));
    CHECK(allclose(matmul(v, b)[2], by_loops(v.unsqueeze(0), b[2]).squeeze(0)));
    CHECK(allclose(matmul(m, uneven({2, 4, 3}, 5))[1], by_loops(m, uneven({2, 4, 3}, 5)[1])));
  }

  TEST_CASE("over nothing they are zero, and integers multiply as integers") {
    CHECK(same(etude::zeros({2, 0}).mm(etude::zeros({0, 3})), etude::zeros({2, 3})));
    CHECK(etude::zeros({0, 2}).mm(etude::zeros({2, 3})).sizes() == IntArrayRef({0, 3}));
    CHECK(same(etude::tensor({{1, 2}, {3, 4}}).mm(etude::tensor({{5, 6}, {7, 8}})),
               etude::tensor({{19, 22}, {43, 50}})));
    CHECK(allclose(addmm(etude::tensor({1.0, 2.0}, kDouble), uneven({3, 4}, 0), uneven({4, 2}, 1), 0.5, 2),
                   etude::tensor({0.5, 1.0}, kDouble) + by_loops(uneven({3, 4}, 0), uneven({4, 2}, 1)) * 2));
  }

  TEST_CASE("integers of few bits wrap around, and refuse factors that do not fit") {
    const Tensor a = etude::tensor({{200, 3}, {1, 255}}).to(etude::kByte).t(),
                 b = etude::tensor({{2, 5}, {7, 1}}).to(etude::kByte), c = etude::ones({2, 2}, etude::kByte);
    CHECK(same(a.t().mm(b), etude::tensor({{165, 235}, {251, 4}}).to(etude::kByte)));
    CHECK(same(addmm(c, a.t(), b, 7, 2), etude::tensor({{81, 221}, {253, 15}}).to(etude::kByte)));
    for (const auto& [beta, alpha] : {std::pair(1, 300), std::pair(300, 1)})
      CHECK(refusal([&, beta = beta, alpha = alpha] { addmm(c, a, b, beta, alpha); }) ==
            "Error: value cannot be converted to type uint8_t without overflow");

    const Tensor large = etude::full({1, 1}, 100000, etude::kInt);
    CHECK(large.mm(large).item<int>() == 1410065408);  // 10^10 - 2 2^32
    CHECK(refusal([&] { addmm(large, large, large, 1, int64_t{1} << 33); }) ==
          "Error: value cannot be converted to type int without overflow");
  }

  TEST_CASE("an alpha of zero forgets what it multiplies, on one thread or more") {
    for (const int64_t n : {3, 600}) {
      CAPTURE(n);
      const Tensor x = etude::full({n, n}, std::numeric_limits<double>::quiet_NaN(), kDouble);
      CHECK(equal(addmm(etude::ones({n, n}, kDouble), x, x, 2, 0), etude::full({n, n}, 2.0, kDouble)));
    }
  }

  TEST_CASE("linear multiplies by the transposed weight and adds the bias, for any leading dims") {
    const Tensor w = uneven({5, 4}, 0), bias = uneven({5}, 1);
    for (const auto& sizes : {std::vector<int64_t>{4}, {3, 4}, {2, 3, 4}, {2, 1, 3, 4}}) {
      const Tensor x = uneven(sizes, 2);
      const Tensor rows = by_loops(x.reshape({-1, 4}), w.t());
      auto out = sizes;
      out.back() = 5;
      CHECK(allclose(linear(x, w), rows.view(out)));
      CHECK(allclose(linear(x, w, bias), (rows + bias).view(out)));
    }
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    const std::vector<std::pair<TensorsFunction, std::vector<Tensor>>> products = {
        {[](const auto& in) { return std::vector<Tensor>{mm(in[0], in[1])}; },
         {uneven({2, 3}, 0), uneven({3, 2}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{bmm(in[0], in[1])}; },
         {uneven({2, 2, 3}, 0), uneven({2, 3, 2}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{mv(in[0], in[1])}; },
         {uneven({2, 3}, 0), uneven({3}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{dot(in[0], in[1])}; },
         {uneven({3}, 0), uneven({3}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{matmul(in[0], in[1])}; },
         {uneven({3}, 0), uneven({3, 2}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{matmul(in[0], in[1])}; },
         {uneven({2, 1, 2, 3}, 0), uneven({2, 3, 2}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{addmm(in[0], in[1], in[2], 0.5, 2)}; },
         {uneven({2}, 2), uneven({3, 2}, 0), uneven({2, 2}, 1)}},
        {[](const auto& in) { return std::vector<Tensor>{linear(in[0], in[1], in[2])}; },
         {uneven({2, 2, 3}, 2), uneven({4, 3}, 0), uneven({4}, 1)}},
    };
    for (size_t i = 0; i < products.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck(products[i].first, products[i].second));
      CHECK(gradgradcheck(products[i].first, products[i].second));
    }
  }

  TEST_CASE("the gradient of a matrix lies in memory as the matrix does") {
    Tensor weight = etude::ones({3, 4}).requires_grad_(), a = etude::ones({4, 5}).requires_grad_();
    etude::linear(etude::ones({2, 4}), weight).sum().backward();
    CHECK(weight.grad().is_contiguous());
    weight.mutable_grad().reset();
    etude::linear(etude::ones({2, 6, 4}), weight, etude::ones(3)).sum().backward();
    CHECK(weight.grad().is_contiguous());
    etude::ones({2, 4}).mm(a).sum().backward();
    CHECK(a.grad().is_contiguous());
    a.mutable_grad().reset();
    a.t().mm(etude::ones({4, 2})).sum().backward();
    CHECK(a.grad().is_contiguous());
  }

  TEST_CASE("sizes and types that do not fit are refused in PyTorch's words") {
    CHECK(refusal([] {
            etude::zeros({2, 3}).mm(etude::zeros({2, 3}));
          }) == "Error: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    CHECK(refusal([] { etude::zeros({2}).mm(etude::zeros({2, 3})); }) == "Error: self must be a matrix");
    CHECK(refusal([] {
            etude::zeros({2, 3}).mv(etude::zeros({2}));
          }) == newer("Error: size mismatch, got input (2), mat (2x3), vec (2)",
                      "Error: size mismatch, got 2, 2x3,2"));
    CHECK(refusal([] {
            etude::zeros({2, 2}).dot(etude::zeros({2}));
          }) == "Error: 1D tensors expected, but got 2D and 1D tensors");
    CHECK(refusal([] {
            etude::zeros({2, 3}).mm(etude::zeros({3, 4}, kDouble));
          }) == newer("Error: expected m1 and m2 to have the same dtype, but got: float != double",
                      "Error: expected scalar type Float but found Double"));
    CHECK(refusal([] { matmul(etude::zeros({}), etude::zeros({3})); }) ==
          "Error: both arguments to matmul need to be at least 1D, but they are 0D and 1D");
    CHECK(refusal([] {
            bmm(etude::zeros({2, 3, 4}), etude::zeros({2, 5, 2}));
          }) ==
          "Error: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5].");
  }

  TEST_CASE("outer multiplies every element of one vector with every element of the other") {
    CHECK(same(outer(etude::tensor({1., 2.}), etude::tensor({3., 4., 5.})),
               etude::tensor({{3., 4., 5.}, {6., 8., 10.}})));
    CHECK(same(etude::tensor({1, 2}).outer(etude::tensor({0.5})), etude::tensor({{0.5}, {1.}})));
    CHECK(etude::zeros({2}).outer(etude::zeros({0})).sizes() == IntArrayRef({2, 0}));
    CHECK(refusal([] {
            outer(etude::zeros({2, 1}), etude::zeros({3}));
          }) == "Error: outer: Expected 1-D argument self, but got 2-D");
    CHECK(refusal([] { outer(etude::zeros({2}), etude::zeros({})); }) ==
          "Error: outer: Expected 1-D argument vec2, but got 0-D");
  }

  TEST_CASE("linear_out writes to the memory it is given") {
    const auto weight = etude::tensor({{1., 2.}, {3., 4.}, {5., 6.}}), bias = etude::tensor({1., 0., -1.});
    const auto x = etude::tensor({{1., 1.}, {2., -1.}});
    const auto expected = etude::tensor({{4., 7., 10.}, {1., 2., 3.}});
    auto out = etude::empty({2, 3});
    const void* memory = out.data_ptr();
    CHECK(linear_out(out, x, weight, bias).is_same(out));
    CHECK(out.data_ptr() == memory);
    CHECK(same(out, expected));
    linear_out(out, x, weight);
    CHECK(same(out, expected - bias));

    auto columns = etude::zeros({3, 2}).t();
    linear_out(columns, x, weight, bias);
    CHECK(columns.stride(0) == 1);
    CHECK(same(columns, expected));

    auto small = etude::empty({0});
    linear_out(small, x.unsqueeze(0), weight, bias);
    CHECK(same(small, expected.unsqueeze(0)));
    linear_out(small = etude::empty({0}), x[0], weight, bias);
    CHECK(same(small, expected[0]));
    auto none = etude::empty({0});
    linear_out(none, etude::empty({0, 2}), weight, bias);
    CHECK(none.sizes() == IntArrayRef({0, 3}));

    auto square = etude::tensor({{1., 2.}, {3., 4.}});
    linear_out(square, etude::eye(2), square.clone());
    CHECK(same(square, etude::tensor({{1., 3.}, {2., 4.}})));
  }

  TEST_CASE("linear_out has no gradient and wants the type of the result") {
    const auto x = etude::ones({2, 3}), weight = etude::ones({4, 3});
    auto out = etude::zeros({2, 4}), wide = etude::zeros({2, 4}, kDouble);
    const std::string text =
        "linear(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.";
    const auto learned = etude::ones({4, 3}).requires_grad_();
    CHECK(refusal_text([&] { linear_out(out, x, learned); }) == text);
    auto leaf = etude::zeros({2, 4}).requires_grad_();
    CHECK(refusal_text([&] { linear_out(leaf, x, weight); }) == text);
    CHECK(same(out, etude::zeros({2, 4})));
    {
      const etude::NoGradGuard no_grad;
      linear_out(out, x, learned);
      CHECK(same(out, etude::full({2, 4}, 3.)));
      CHECK_FALSE(out.requires_grad());
    }
    CHECK(refusal_text([&] { linear_out(wide, x, weight); }) ==
          "Expected out tensor to have dtype float, but got double instead");
    CHECK(same(wide, etude::zeros({2, 4}, kDouble)));
  }

  TEST_CASE("an out= of an empty view gets the room it needs") {
    Tensor out = etude::empty({0, 6, 3}).slice(1, 5);
    linear_out(out, etude::ones({2, 3}), etude::ones({4, 3}));
    CHECK(etude::equal(out, etude::full({2, 4}, 3.)));
  }

  TEST_CASE("the result of a layer is no view") {
    const Tensor y = nn::functional::linear(etude::ones({2, 3, 4}), etude::ones({5, 4}), etude::ones({5}));
    CHECK_FALSE(y.is_view());
    CHECK(etude::equal(y, etude::full({2, 3, 5}, 5.)));
  }
}
