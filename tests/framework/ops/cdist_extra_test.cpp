// Second gradients of distances, which PyTorch has only for the matrix product.
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/thread_count.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("cdist, beyond LibTorch") {
  namespace {

  using List = std::vector<Tensor>;

  }  // namespace

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor a = uneven({3, 2}).sin().to(kDouble), b = uneven({2, 2}).cos().to(kDouble);
    for (const double p : {0., 0.5, 1., 1.5, 2., 3., std::numeric_limits<double>::infinity()})
      check_gradients({[p](const List& in) { return etude::cdist(in[0], in[1], p); }}, {a, b});
    check_gradients({[](const List& in) { return etude::cdist(in[0], in[1], 3); }},
                    {uneven({2, 1, 2, 2}).to(kDouble), uneven({2, 3, 2}).sin().to(kDouble)});
  }

  TEST_CASE("a gradient that is recorded has the values of one that is not") {
    const Tensor a = uneven({40, 3}).sin().to(kDouble), b = a.slice(0, 20, 40).flip(0);
    for (const double p : {0., 0.5, 1., 1.5, 2., 3., std::numeric_limits<double>::infinity()}) {
      const Tensor u = a.clone().requires_grad_(), v = b.clone().requires_grad_();
      const Tensor y = etude::cdist(u, v, p, 2), dy = uneven({40, 20}).to(kDouble);
      const List plain = autograd::grad({y}, {u, v}, {dy}, true),
                 again = autograd::grad({y}, {u, v}, {dy}, true, true);
      for (size_t i = 0; i < 2; ++i) CHECK(allclose(plain[i], again[i].detach(), 1e-10, 1e-10));
    }
  }

  TEST_CASE("the bits of gradients do not depend on the number of threads") {
    const Tensor a = uneven({150, 30}).sin().to(kFloat), b = uneven({90, 30}).cos().to(kFloat);
    const auto gradients = [&](int threads, double p) {
      const ThreadCount count(threads);
      const Tensor u = a.clone().requires_grad_(), v = b.clone().requires_grad_();
      return autograd::grad({etude::cdist(u, v, p, 2)}, {u, v}, {uneven({150, 90}).to(kFloat)});
    };
    for (const double p : {1., 2., 2.5}) {
      const List one = gradients(1, p), five = gradients(5, p);
      CHECK(same(one[0], five[0]));
      CHECK(same(one[1], five[1]));
    }
  }

  TEST_CASE("eight dims have gradients") {
    const Tensor x = etude::tensor({3., 4.}).view({1, 1, 1, 1, 1, 1, 1, 2}).requires_grad_();
    etude::cdist(x, etude::zeros_like(x.detach()), 2, 2).sum().backward();
    CHECK(allclose(x.grad().view({2}), etude::tensor({0.6, 0.8}), 1e-6));
  }

  TEST_CASE("second gradients where a column is equal") {
    const Tensor a = etude::tensor({{1., 2.}}, kDouble), b = etude::tensor({{1., 5.}}, kDouble);
    for (const double p : {2., 3., 4.})
      check_gradients({[p](const List& in) { return etude::cdist(in[0], in[1], p); }}, {a, b});
  }

  TEST_CASE("equal rows have gradients of zero, twice") {
    for (const optional<int64_t> mode : {optional<int64_t>(1), optional<int64_t>(2)}) {
      const Tensor x = etude::ones({2, 3}, requires_grad()), y = etude::cdist(x, x, 2, mode);
      const Tensor dx = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
      CHECK(same(dx.detach(), etude::zeros({2, 3})));
      CHECK(autograd::grad({dx.sum()}, {x})[0].isfinite().all().item<bool>());
    }
    const Tensor x = etude::ones({30, 3}, requires_grad());
    CHECK(node_name(etude::cdist(x, x)) == "EuclideanDistBackward0");
  }
}
