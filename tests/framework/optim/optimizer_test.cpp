#include "etude/optim/optimizer.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "etude/optim/sgd.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("Optimizer") {
  TEST_CASE("zero_grad fills gradients that exist with zeros, or forgets them") {
    const Tensor a = etude::ones({2}).requires_grad_(), b = etude::ones({2}).requires_grad_();
    SGD sgd({a, b}, 0.1);
    a.sum().backward();
    sgd.zero_grad();
    CHECK(a.grad().equal(etude::zeros({2})));
    CHECK_FALSE(b.grad().defined());
    sgd.zero_grad(/*set_to_none=*/true);
    CHECK_FALSE(a.grad().defined());
  }

  TEST_CASE("only leaves are optimized") {
    const Tensor leaf = etude::ones({1}).requires_grad_();
    CHECK_THROWS_WITH_AS(SGD({leaf * 2}, 0.1),
                         "can't optimize a non-leaf Tensor\nreceived the result of MulBackward0", ValueError);
    CHECK_THROWS_WITH_AS(
        SGD({Tensor()}, 0.1),
        "optimizer can only optimize Tensors, but one of the params is NoneType\nit is undefined", TypeError);
  }

  TEST_CASE("a parameter belongs to one group") {
    const Tensor p = etude::ones({1}).requires_grad_();
    SGD sgd({p}, 0.1);
    CHECK_THROWS_WITH_AS(sgd.add_param_group(OptimizerParamGroup({p})),
                         "some parameters appear in more than one parameter group", ValueError);
    CHECK(sgd.param_groups().size() == 1);
    sgd.add_param_group(OptimizerParamGroup({etude::ones({1})}));
    CHECK(sgd.param_groups().size() == 2);
    CHECK(sgd.param_groups()[1].has_options());
  }

  TEST_CASE("tied weights are updated once") {
    const Tensor p = etude::zeros({1}).requires_grad_();
    SGD sgd({p, p}, 1.0);
    p.sum().backward();
    sgd.step();
    CHECK(p.item<float>() == -1);
  }

  TEST_CASE("copies of a group share parameters and own their options") {
    OptimizerParamGroup group({etude::ones({1})}, std::make_unique<SGDOptions>(0.5));
    OptimizerParamGroup copy = group;
    copy.options().set_lr(0.1);
    CHECK(group.options().get_lr() == 0.5);
    CHECK(copy.params()[0].is_same(group.params()[0]));
    copy = group;
    CHECK(copy.options().get_lr() == 0.5);
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

  TEST_CASE("the bases say what a subclass has to define") {
    CHECK_THROWS_WITH(OptimizerOptions().clone(),
                      "clone() has not been implemented for etude::optim::OptimizerOptions. Subclass "
                      "etude::optim::OptimizerCloneableOptions<YourOptimizerOptions> instead of "
                      "etude::optim::OptimizerOptions to inherit "
                      "the ability to clone.");
    CHECK_THROWS_WITH(OptimizerParamState().clone(),
                      "clone() has not been implemented for etude::optim::OptimizerParamState. Subclass "
                      "etude::optim::OptimizerCloneableParamState<YourOptimizerParamState> instead of "
                      "etude::optim::OptimizerParamState to "
                      "inherit the ability to clone.");
    CHECK_THROWS_WITH(OptimizerOptions().get_lr(),
                      "double get_lr() has not been overidden and implemented in subclass of "
                      "etude::optim::OptimizerOptions, you must "
                      "override it in your subclass.");
    CHECK_THROWS_WITH(OptimizerOptions().set_lr(1),
                      "double set_lr() has not been overidden and implemented in subclass of "
                      "etude::optim::OptimizerOptions, you must "
                      "override it in your subclass.");
  }
}
