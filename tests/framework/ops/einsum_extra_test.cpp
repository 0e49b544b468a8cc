// einsum beyond LibTorch: its own order for many operands, and the paths of oneDNN.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/core/parallel.h"
#include "etude/onednn/backend.h"
#include "etude/ops/ops.h"
#include "support/distance.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("einsum beyond LibTorch") {
  TEST_CASE("many operands are multiplied in an order that leaves little") {
    // From left to right this would need 500 million elements.
    const Tensor ramp = etude::arange(800, kDouble) / 800, ones = etude::ones({800}, kDouble);
    CHECK(einsum("a,b,c,a,b,c->", {ramp, ones, ones, ramp, ramp, ones}).item<double>() ==
          doctest::Approx(ramp.dot(ramp).item<double>() * ramp.sum().item<double>() * 800));
  }

  TEST_CASE(
      "a chain of matrices of which each is a product of eight, element by element, takes 400 operands") {
    const char* const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string equation;
    std::vector<Tensor> operands;
    Tensor expected = etude::eye(2, kDouble);
    for (int link = 0; link < 50; ++link) {
      Tensor product = etude::ones({2, 2}, kDouble);
      for (int factor = 0; factor < 8; ++factor) {
        operands.push_back(etude::sin(etude::arange(4, kDouble) + 8 * link + factor).view({2, 2}) * 0.1 + 1);
        product = product * operands.back();
        equation += (equation.empty() ? "" : ",") + std::string(letters + link, 2);
      }
      expected = expected.matmul(product);
    }
    const Tensor found = einsum(equation + "->a" + letters[50], operands);
    CHECK(allclose(found / expected, etude::ones({2, 2}, kDouble)));
  }

  TEST_CASE("a product of too many dims is taken if nothing else is left, and not before") {
    const Tensor pair = etude::rand({2, 2}, kDouble), five = etude::rand({2, 2, 2, 2, 2}, kDouble),
                 other = etude::rand({2, 2, 2, 2, 2}, kDouble), three = etude::rand({2, 2, 2}, kDouble);
    const Tensor first = (five * (pair * pair).view({2, 2, 1, 1, 1}) * three).sum();
    CHECK(einsum("ab,ab,abcde,fghij,cde,fghij->", {pair, pair, five, other, three, other}).item<double>() ==
          doctest::Approx((first * (other * other).sum()).item<double>()));
  }

  TEST_CASE("both paths of a product give the same sums") {
    const Tensor a = etude::rand({3, 4, 5, 6}), b = etude::rand({6, 3, 7, 5});
    Tensor fast, plain;
    {
      const onednn::EnabledGuard path(true);
      fast = einsum("abcd,dafc->fba", {a, b});
    }
    {
      const onednn::EnabledGuard path(false);
      plain = einsum("abcd,dafc->fba", {a, b});
    }
    CHECK(fast.sizes() == IntArrayRef({7, 4, 3}));
    CHECK(allclose(fast, plain));
    CHECK(allclose(
        plain, (a.permute({1, 0, 2, 3}).unsqueeze(0) * b.permute({2, 1, 3, 0}).unsqueeze(1)).sum({3, 4})));
  }

  TEST_CASE("one thread and several give the same bits") {
    const Tensor a = etude::rand({6, 40, 50}), b = etude::rand({6, 50, 30}), c = etude::rand({30});
    const ThreadCount restored;
    set_num_threads(1);
    const Tensor alone = einsum("bij,bjk,k->ib", {a, b, c});
    set_num_threads(3);
    CHECK(same(einsum("bij,bjk,k->ib", {a, b, c}), alone));
  }
}
