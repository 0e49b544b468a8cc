// The keys of SGD's state, which LibTorch does not expose, and the types and hints of its errors.
#include "etude/optim/sgd.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"

using namespace etude;
using optim::SGD;
using optim::SGDOptions;

TEST_SUITE("SGD, beyond LibTorch") {
  TEST_CASE("remembers parameters with a gradient by their keys") {
    const Tensor used = ones({1}).requires_grad_(), unused = ones({1}).requires_grad_();
    SGD sgd({used, unused}, SGDOptions(0.1).momentum(0.9));
    used.sum().backward();
    sgd.step();
    CHECK(sgd.state().count(SGD::state_key(used)) == 1);
    CHECK(sgd.state().count(SGD::state_key(unused)) == 0);
  }

  TEST_CASE("refuses options that make no sense") {
    const std::vector<Tensor> p{ones({1}).requires_grad_()};
    CHECK_THROWS_WITH_AS(SGD(p, -1.0), "Invalid learning rate: -1", ValueError);
    CHECK_THROWS_AS(SGD(p, SGDOptions(0.1).momentum(-1)), ValueError);
    CHECK_THROWS_AS(SGD(p, SGDOptions(0.1).weight_decay(-1)), ValueError);
    const char* nesterov =
        "Nesterov momentum requires a momentum and zero dampening\nreceived momentum 0.5, dampening 0.5";
    CHECK_THROWS_WITH_AS(SGD(p, SGDOptions(0.1).nesterov(true).momentum(0.5).dampening(0.5)), nesterov,
                         ValueError);
    CHECK_THROWS_AS(SGD(p, SGDOptions(0.1).nesterov(true)), ValueError);
  }

  TEST_CASE("a step that is refused is not the first one") {
    const Tensor p = zeros({2}).requires_grad_();
    SGD sgd({p}, SGDOptions(1).momentum(0.9).dampening(0.5));
    p.mutable_grad() = ones({3});
    CHECK_THROWS_AS(sgd.step(), Error);
    p.mutable_grad() = ones({2});
    sgd.step();
    CHECK(p.detach().equal(full({2}, -1.0)));
  }
}
