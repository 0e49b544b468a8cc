#include "etude/optim/optimizer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "etude/core/warning.h"
#include "etude/ops/ops.h"
#include "etude/optim/sgd.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("Optimizer") {
  TEST_CASE("zero_grad drops gradients, so that a step leaves the parameter alone") {
    const Tensor a = etude::ones({2}).requires_grad_();
    SGD sgd({a}, SGDOptions(0.1).weight_decay(0.5));
    a.sum().backward();
    sgd.zero_grad();
    CHECK_FALSE(a.grad().defined());
    sgd.step();
    CHECK(a.equal(etude::ones({2})));
  }

  TEST_CASE("only leaves are optimized") {
    const Tensor leaf = etude::ones({1}).requires_grad_();
    CHECK(refusal_text([&] { SGD({leaf * 2}, 0.1); }) == "can't optimize a non-leaf Tensor");
  }

  TEST_CASE("a parameter belongs to one group") {
    const Tensor p = etude::ones({1}).requires_grad_();
    SGD sgd({p}, SGDOptions(0.1).momentum(0.9));
    p.sum().backward();
    sgd.step();
    CHECK(refusal_text([&] { sgd.add_param_group(OptimizerParamGroup({p})); }) ==
          "some parameters appear in more than one parameter group");
    CHECK(sgd.param_groups().size() == 1);
    sgd.add_param_group(OptimizerParamGroup({etude::ones({1})}));
    CHECK(sgd.param_groups().size() == 2);
    CHECK(sgd.param_groups()[1].has_options());
  }

  TEST_CASE("the interface from before there were groups warns and works on the first one") {
    struct Collected : WarningHandler {
      void process(const SourceLocation&, const std::string& msg, bool) override {
        messages.push_back(msg.substr(0, msg.find('\n')));
      }
      std::vector<std::string> messages;
    } collected;
    const WarningUtils::WarningHandlerGuard guard(&collected);
    const Tensor a = etude::ones({1}).requires_grad_(), b = etude::ones({1}).requires_grad_(),
                 c = etude::ones({1}).requires_grad_();
    SGD sgd(std::vector<OptimizerParamGroup>{OptimizerParamGroup({a}), OptimizerParamGroup({b})}, 0.5);
    sgd.add_parameters({c});
    CHECK(sgd.size() == 3);
    CHECK(sgd.parameters().size() == 2);
    CHECK(sgd.parameters()[1].is_same(c));
    const SGD& constant = sgd;
    CHECK(constant.parameters().size() == 2);
    c.sum().backward();
    sgd.step();
    CHECK(c.item<float>() == 0.5f);
    CHECK(collected.messages ==
          std::vector<std::string>{"Optimizer::add_parameters() will be removed in PyTorch 1.6",
                                   "Optimizer::size() will be removed in PyTorch 1.6",
                                   "Optimizer::parameters() will be removed in PyTorch 1.6",
                                   "Optimizer::parameters() will be removed in PyTorch 1.6",
                                   "Optimizer::parameters() will be removed in PyTorch 1.6"});
  }

  TEST_CASE("copies of a group share parameters and own their options") {
    OptimizerParamGroup group({etude::ones({1})}, std::make_unique<SGDOptions>(0.5));
    OptimizerParamGroup copy = group;
    copy.options().set_lr(0.1);
    CHECK(group.options().get_lr() == 0.5);
    CHECK(copy.params()[0].is_same(group.params()[0]));
  }

  TEST_CASE("options that are missing are named") {
    OptimizerParamGroup group({etude::ones({1}).requires_grad_()});
    CHECK_FALSE(group.has_options());
    CHECK(refusal([&] {
            group.options();
          }).rfind("Error: Expected has_options() to be true, but got false.", 0) == 0);
    group.set_options(std::make_unique<SGDOptions>(0.5));
    CHECK(group.has_options());
    CHECK(group.options().get_lr() == 0.5);
  }

  TEST_CASE("the bases say what a subclass has to define") {
    CHECK(refusal([] { OptimizerOptions().clone(); }) ==
          spelled("Error: clone() has not been implemented for etude::optim::OptimizerOptions. Subclass "
                  "etude::optim::OptimizerCloneableOptions<YourOptimizerOptions> instead of "
                  "etude::optim::OptimizerOptions to inherit the ability to clone."));
    CHECK(refusal([] { OptimizerParamState().clone(); }) ==
          spelled("Error: clone() has not been implemented for etude::optim::OptimizerParamState. Subclass "
                  "etude::optim::OptimizerCloneableParamState<YourOptimizerParamState> instead of "
                  "etude::optim::OptimizerParamState to inherit the ability to clone."));
    for (const char* method : {"get_lr", "set_lr"}) {
      CAPTURE(method);
      CHECK(refusal([&] {
              if (method == std::string("get_lr")) OptimizerOptions().get_lr();
              else OptimizerOptions().set_lr(1);
            }) == spelled(std::string("Error: double ") + method + "() has not been " +
                          newer("overridden", "overidden") +
                          " and implemented in subclass of "
                          "etude::optim::OptimizerOptions, you must override it in your subclass."));
    }
  }
}
