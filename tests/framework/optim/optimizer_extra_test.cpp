// Behaviour and errors of optimizers beyond LibTorch's, with the types and hints of the errors.
#include "etude/optim/optimizer.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "etude/optim/sgd.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("Optimizer, beyond LibTorch") {
  TEST_CASE("zero_grad fills gradients that exist with zeros if it is told to") {
    const Tensor a = etude::ones({2}).requires_grad_(), b = etude::ones({2}).requires_grad_();
    SGD sgd({a, b}, 0.1);
    a.sum().backward();
    sgd.zero_grad(/*set_to_none=*/false);
    CHECK(a.grad().equal(etude::zeros({2})));
    CHECK_FALSE(b.grad().defined());
  }

  TEST_CASE("only leaves are optimized") {
    const Tensor leaf = etude::ones({1}).requires_grad_();
    CHECK_THROWS_WITH_AS(SGD({leaf * 2}, 0.1),
                         "can't optimize a non-leaf Tensor\nreceived the result of MulBackward0", ValueError);
    CHECK_THROWS_WITH_AS(
        SGD({Tensor()}, 0.1),
        "optimizer can only optimize Tensors, but one of the params is NoneType\nit is undefined", TypeError);
  }

  TEST_CASE("parameters that are added to the first group are looked at as those of a new one") {
    const Tensor a = etude::ones({1}).requires_grad_();
    SGD sgd({a}, 0.1);
    CHECK_THROWS_AS(sgd.add_parameters({a}), ValueError);
    CHECK_THROWS_AS(sgd.add_parameters({etude::ones({1}), a * 2}), ValueError);
    CHECK(sgd.param_groups()[0].params().size() == 1);
    SGD empty(std::vector<OptimizerParamGroup>{}, 0.1);
    CHECK(empty.size() == 0);
    CHECK_THROWS_WITH_AS(empty.add_parameters({a}),
                         "the optimizer has no group of parameters\nhint: add_param_group makes one", Error);
    CHECK_THROWS_AS(empty.parameters(), Error);
  }

  TEST_CASE("a parameter belongs to one group, before the first step too") {
    const Tensor p = etude::ones({1}).requires_grad_();
    SGD sgd({p}, 0.1);
    CHECK_THROWS_WITH_AS(sgd.add_param_group(OptimizerParamGroup({p})),
                         "some parameters appear in more than one parameter group", ValueError);
    CHECK(sgd.param_groups().size() == 1);
  }

  TEST_CASE("tied weights are updated once") {
    const Tensor p = etude::zeros({1}).requires_grad_();
    SGD sgd({p, p}, 1.0);
    p.sum().backward();
    sgd.step();
    CHECK(p.item<float>() == -1);
  }

  TEST_CASE("groups can be assigned, and own their options then") {
    OptimizerParamGroup group({etude::ones({1})}, std::make_unique<SGDOptions>(0.5));
    OptimizerParamGroup copy = group;
    copy.options().set_lr(0.1);
    copy = group;
    CHECK(copy.options().get_lr() == 0.5);
    CHECK(&copy.options() != &group.options());
  }

  TEST_CASE("options that are missing or of another optimizer are named") {
    OptimizerParamGroup group({etude::ones({1}).requires_grad_()});
    CHECK_FALSE(group.has_options());
    CHECK_THROWS_WITH_AS(group.options(),
                         "Expected has_options() to be true, but got false.\nhint: add_param_group gives a "
                         "group the optimizer's options, "
                         "set_options others",
                         Error);
    struct Other : OptimizerCloneableOptions<Other> {};
    group.set_options(std::make_unique<Other>());
    SGD sgd(std::vector<OptimizerParamGroup>{group}, 0.1);
    CHECK_THROWS_WITH_AS(sgd.step(), "SGD: the options of a parameter group are not SGDOptions", TypeError);
  }

  TEST_CASE("the key of a state is the parameter's address, or its text as in LibTorch 1.13") {
    const Tensor p = etude::ones({1}), q = etude::ones({1});
    SGD sgd({p}, SGDOptions(0.1));
    sgd.state()[guts::to_string(p.unsafeGetTensorImpl())] = std::make_unique<SGDParamState>();
    CHECK(sgd.state().count(p.unsafeGetTensorImpl()) == 1);
    CHECK(sgd.state().count(Optimizer::state_key(p)) == 1);
    CHECK(sgd.state().count(q.unsafeGetTensorImpl()) == 0);
    const auto& [key, state] = *sgd.state().begin();
    const std::string text = key;
    CHECK(text == guts::to_string(p.unsafeGetTensorImpl()));
    const void* address = key;
    CHECK(address == p.unsafeGetTensorImpl());
    CHECK(state != nullptr);
    sgd.state().erase(text);
    CHECK(sgd.state().empty());
    for (const char* wrong : {"", "0x", "0xg", "12ab", "0x12 ", "0x11112222333344445"})
      CHECK_THROWS_WITH_AS(sgd.state().count(std::string(wrong)),
                           doctest::Contains("the state of a parameter has no key"), Error);
  }
}
