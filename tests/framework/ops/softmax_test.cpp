// softmax and log_softmax: values against the formula, edges, gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("softmax") {
  namespace {

  constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Tensor uneven(IntArrayRef sizes) {
    return sin(etude::arange(count_elements(sizes), kDouble) * 1.3 + 0.2).view(sizes) * 3;
  }

  }  // namespace

  TEST_CASE("is each exponential over their sum, along any dim") {
    const Tensor x = uneven({2, 3, 4});
    for (int64_t d : {0, 1, 2, -1}) {
      CHECK(allclose(softmax(x, d), exp(x) / exp(x).sum(d, true)));
      CHECK(allclose(log_softmax(x, d), x - log(exp(x).sum(d, true))));
    }
  }

  TEST_CASE("does not overflow, gives masked elements nothing and a row of masks nan") {
    CHECK(allclose(softmax(etude::tensor({1000.0, 1000.0}), 0), etude::tensor({0.5, 0.5})));
    CHECK(allclose(log_softmax(etude::tensor({1000.0, 1000.0}), 0),
                   etude::tensor({-std::log(2.0), -std::log(2.0)})));
    CHECK(allclose(softmax(etude::tensor({0.0, -kInfinity}), 0), etude::tensor({1.0, 0.0})));
    CHECK(softmax(etude::full({2}, -kInfinity), 0).isnan().all().item<bool>());
  }

  TEST_CASE("gives nan for a row that holds one, wherever it is and whatever is beside it") {
    for (const ScalarType dtype : {kFloat, kDouble})
      for (const int64_t n : {5, 64, 1500})
        for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
          const Tensor x = etude::arange(2 * n, dtype).view({2, n}) * 10;
          x[0][at] = std::nan("");
          for (const Tensor& y : {softmax(x, 1), log_softmax(x, 1)}) {
            CHECK(y[0].isnan().all().item<bool>());
            CHECK_FALSE(y[1].isnan().any().item<bool>());
          }
        }
  }

  TEST_CASE("of float32 is that of float64 rounded, for rows of any length and any inner dims") {
    for (const auto& sizes : {std::vector<int64_t>{64, 50}, {3, 700, 5}, {1, 3000}, {40, 1, 33}}) {
      const Tensor x = uneven(sizes).to(kFloat);
      for (int64_t d = 0; d < x.dim(); ++d) {
        CAPTURE(d);
        CHECK(allclose(softmax(x, d).to(kDouble), softmax(x.to(kDouble), d), 1e-6, 1e-9));
        CHECK(allclose(log_softmax(x, d).to(kDouble), log_softmax(x.to(kDouble), d), 1e-6, 1e-6));
      }
    }
  }

  TEST_CASE("gives a row among many what it gives the row alone, and so its gradient") {
    for (const bool logarithm : {false, true})
      for (const int64_t length : {1, 64, 300, 1500}) {
        CAPTURE(logarithm);
        CAPTURE(length);
        const auto made = [=](const Tensor& x, int64_t dim) {
          const Tensor in = x.detach().requires_grad_();
          const Tensor y = logarithm ? log_softmax(in, dim) : softmax(in, dim);
          y.backward(cos(x * 3));
          return stack({y.detach(), in.grad()});
        };
        const Tensor x = uneven({19, length}), together = made(x, 1), across = made(x.t(), 0);
        CHECK(allclose(across.transpose(1, 2), together, 1e-9, 1e-12));
        for (int64_t r = 0; r < 19; ++r)
          CHECK(allclose(together.select(1, r), made(x.select(0, r), 0), 1e-9, 1e-12));
      }
  }

  TEST_CASE("reads views without copying them, and takes 0-dim and empty tensors") {
    const Tensor x = uneven({3, 4});
    CHECK(allclose(softmax(x.t(), 0), softmax(x.t().contiguous(), 0)));
    CHECK(allclose(softmax(x.slice(1, 0, 4, 2), 1), softmax(x.slice(1, 0, 4, 2).contiguous(), 1)));
    CHECK(softmax(etude::tensor(2.0), 0).item<double>() == 1);
    CHECK(softmax(etude::zeros({0, 3}), 1).sizes() == IntArrayRef({0, 3}));
    CHECK(softmax(etude::zeros({2, 0}), 1).numel() == 0);
    CHECK(softmax(etude::arange(3), 0, kDouble).dtype() == kDouble);
  }

  TEST_CASE("has the gradient and second gradient of finite differences, along every dim") {
    for (int64_t d : {0, 1, -1}) {
      CAPTURE(d);
      const auto plain = [d](const std::vector<Tensor>& in) { return softmax(in[0], d); };
      const auto logarithm = [d](const std::vector<Tensor>& in) { return log_softmax(in[0], d); };
      for (const TensorFunction& f : {TensorFunction(plain), TensorFunction(logarithm)}) {
        CHECK(gradcheck(f, {uneven({2, 3})}));
        CHECK(gradgradcheck(f, {uneven({2, 3})}));
      }
    }
  }

  TEST_CASE("refuses integers and dims that are not there") {
    CHECK(refusal([] { softmax(etude::arange(3), 0); }) ==
          "Error: \"softmax_lastdim_kernel_impl\" not implemented for 'Long'");
    CHECK(refusal([] { softmax(etude::zeros({2}), 1); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  }
}
