// Optimizers with gradients, options and states that do not fit, the transfer of states, and errors beyond
// LibTorch's.
#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "framework/optim/every_optimizer.h"
#include "support/refusal.h"

using namespace etude;
using every::leaf;
using every::options_of;

TEST_SUITE("every optimizer, beyond LibTorch") {
  TEST_CASE_TEMPLATE("a step is a write that backward notices", O, EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::ones({2}), etude::ones({2}));
    const auto version = p._version();
    const Tensor y = (p * p).sum();
    O({p}, options_of<O>()).step();
    CHECK(p._version() > version);
    CHECK(refusal_text([&] { y.backward(); }).find("has been modified by an inplace operation") !=
          std::string::npos);
  }

  TEST_CASE_TEMPLATE("a gradient in the parameter's own memory is read before it is written", O,
                     EVERY_OPTIMIZER) {
    const Tensor memory = etude::linspace(-1, 1, 9);
    const Tensor p = memory.slice(0, 1, 9).detach().requires_grad_();
    p.mutable_grad() = memory.slice(0, 0, 8).detach();
    const Tensor expected = leaf(p.detach(), p.grad().clone());
    for (const Tensor& t : {p, expected}) O({t}, options_of<O>()).step();
    CHECK(p.equal(expected));
  }

  TEST_CASE_TEMPLATE("goes on with the states of another one", O, EVERY_OPTIMIZER) {
    const Tensor a = leaf(etude::ones({3}), etude::tensor({1.0, -2.0, 3.0}).to(kFloat));
    O first({a}, options_of<O>());
    for (int i = 0; i < 2; ++i) first.step();
    const Tensor b = leaf(a.detach(), a.grad());
    O second({b}, options_of<O>());
    second.state()[O::state_key(b)] = first.state().at(O::state_key(a))->clone();
    second.step();
    const Tensor shared = b.detach().clone();
    // The clone refers to the same tensors, so only one of the two continues.
    CHECK_FALSE(shared.equal(a));
    O third({leaf(etude::ones({3}), a.grad())}, options_of<O>());
    for (int i = 0; i < 3; ++i) third.step();
    CHECK(third.param_groups()[0].params()[0].equal(b));
  }

  TEST_CASE_TEMPLATE("options of another optimizer are refused", O, EVERY_OPTIMIZER) {
    struct Other : optim::OptimizerCloneableOptions<Other> {};
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{leaf(etude::ones({1}), etude::ones({1}))},
                        std::make_unique<Other>());
    O optimizer(groups, options_of<O>());
    const std::string text = refusal_text([&] { optimizer.step(); });
    CHECK(text.find(": the options of a parameter group are not ") != std::string::npos);
  }

  TEST_CASE_TEMPLATE("a state of another optimizer, or of other sizes, is refused", O, EVERY_OPTIMIZER) {
    struct Other : optim::OptimizerCloneableParamState<Other> {};
    const Tensor p = leaf(etude::ones({2}), etude::ones({2})), q = leaf(etude::ones({3}), etude::ones({3}));
    O optimizer({p}, options_of<O>());
    optimizer.state()[O::state_key(p)] = std::make_unique<Other>();
    CHECK_THROWS_WITH_AS(optimizer.step(), "the state of a parameter is that of another optimizer",
                         TypeError);
    O larger({q}, options_of<O>());
    larger.step();
    optimizer.state()[O::state_key(p)] = larger.state().at(O::state_key(q))->clone();
    CHECK_THROWS_WITH_AS(optimizer.step(),
                         "the state of a parameter has other sizes than the parameter\nreceived [3] for a "
                         "parameter of sizes [2]",
                         Error);
    CHECK(p.equal(etude::ones({2})));
  }

  TEST_CASE_TEMPLATE("a gradient is converted and broadcast to its parameter", O, EVERY_OPTIMIZER) {
    auto stepped = [](const Tensor& gradient) {
      const Tensor p = leaf(etude::ones({2, 3}), gradient);
      O({p}, options_of<O>()).step();
      return p.detach();
    };
    const Tensor expected = stepped(etude::full({2, 3}, 0.5));
    CHECK(stepped(etude::full({2, 3}, 0.5, kDouble)).equal(expected));
    CHECK(stepped(etude::full({3}, 0.5)).equal(expected));
    CHECK(refusal_text([&] { stepped(etude::ones({2})); }) ==
          "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
  }

  TEST_CASE_TEMPLATE("a parameter whose elements share memory is refused", O, EVERY_OPTIMIZER) {
    const Tensor p = etude::ones({1}).expand({3}).detach().requires_grad_();
    p.mutable_grad() = etude::ones({3});
    O optimizer({p}, options_of<O>());
    CHECK(refusal_text([&] { optimizer.step(); }).rfind("unsupported operation: more than one element", 0) ==
          0);
  }

  // PyTorch 1.13.1 ends such a step by an internal assertion.
  TEST_CASE("a parameter that becomes one of 16 bits keeps averages of float32") {
    const Tensor p = leaf(etude::tensor({1.0, -2.0, 0.3}), etude::tensor({0.1, 0.2, -0.7}));
    optim::Adam optimizer({p});
    optimizer.step();
    const auto& state =
        dynamic_cast<optim::AdamParamState&>(*optimizer.state().at(optim::Adam::state_key(p)));
    const Tensor before = state.exp_avg().clone();
    p.set_data(p.detach().to(kBFloat16));
    p.mutable_grad() = etude::tensor({0.125, 0.5, -1.0}).to(kBFloat16);  // exact
    optimizer.step();
    CHECK(p.scalar_type() == kBFloat16);
    CHECK(state.exp_avg().scalar_type() == kFloat);
    CHECK(state.exp_avg().allclose(before * 0.9 + etude::tensor({0.0125, 0.05, -0.1}), 1e-6, 0));
  }

  TEST_CASE("a step that is refused is not counted") {
    const Tensor p = leaf(etude::ones({2, 3}), etude::ones({2}));
    optim::Adam optimizer({p});
    CHECK_THROWS_AS(optimizer.step(), Error);
    auto& state = dynamic_cast<optim::AdamParamState&>(*optimizer.state().at(optim::Adam::state_key(p)));
    CHECK(state.step() == 0);
  }

  TEST_CASE_TEMPLATE("a step whose factors do not fit changes neither the parameter nor what is remembered",
                     O, EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::ones({2}), etude::ones({2})),
                 same = leaf(etude::ones({2}), etude::ones({2}));
    O optimizer({p}, options_of<O>()), other({same}, options_of<O>());
    optimizer.param_groups()[0].options().set_lr(1e300);
    CHECK(refusal_text([&] { optimizer.step(); }) ==
          "value cannot be converted to type float without overflow");
    CHECK(p.equal(etude::ones({2})));
    optimizer.param_groups()[0].options().set_lr(0.125);
    for (O* each : {&optimizer, &other}) each->step();
    CHECK(p.equal(same));
  }

  TEST_CASE_TEMPLATE("float16 learns as float32 does, to its digits, and remembers in float16", O,
                     EVERY_OPTIMIZER) {
    const auto learnt = [](ScalarType dtype) {
      const Tensor values = etude::linspace(-1, 1, 9).to(kHalf).to(dtype);
      const Tensor p = leaf(values, (etude::linspace(0.5, -1.2, 9)).to(kHalf).to(dtype));
      O optimizer({p}, options_of<O>(0.0625));
      for (int i = 0; i < 4; ++i) optimizer.step();
      CHECK(p.scalar_type() == dtype);
      return p.detach().to(kFloat);
    };
    CHECK(allclose(learnt(kHalf), learnt(kFloat), 1e-2, 1e-2));
  }

  TEST_CASE("a vast factor is refused at the type of 16 bits, too") {
    const auto refused = [](ScalarType dtype) {
      const Tensor p = leaf(etude::ones({2}, dtype), etude::ones({2}, dtype));
      return refusal_text([&] { optim::SGD({p}, 1e5).step(); });
    };
    CHECK(refused(kHalf) == "value cannot be converted to type c10::Half without overflow");
    CHECK(refused(kBFloat16) == "");
  }

  TEST_CASE("Adagrad remembers parameters of groups that were added later from their first step on") {
    const Tensor p = leaf(etude::ones({1}), etude::ones({1}));
    optim::Adagrad optimizer(std::vector<Tensor>{},
                             optim::AdagradOptions(0.5).initial_accumulator_value(3).eps(0));
    optimizer.add_param_group(optim::OptimizerParamGroup({p}));
    CHECK(optimizer.state().empty());
    optimizer.step();
    CHECK(p.item<float>() == 0.75f);
  }

  TEST_CASE("states without tensors are equal") {
    CHECK(optim::AdamParamState() == optim::AdamParamState());
    CHECK_FALSE(optim::AdamParamState() == optim::AdamParamState().exp_avg(etude::ones({1})));
    CHECK(optim::SGDParamState() == optim::SGDParamState());
  }

  TEST_CASE("options that make no sense are ValueErrors") {
    const std::vector<Tensor> p{etude::ones({1}).requires_grad_()};
    CHECK_THROWS_AS(optim::Adam(p, -1.0), ValueError);
    CHECK_THROWS_AS(optim::Adam(p, optim::AdamOptions().betas({1.0, 0.9})), ValueError);
  }

  TEST_CASE("an Adagrad that was moved from has no defaults for new parameters") {
    const std::vector<Tensor> p = {leaf(etude::ones({2}), etude::ones({2}))};
    optim::Adagrad optimizer(p), moved = std::move(optimizer);
    optimizer.add_param_group(optim::OptimizerParamGroup(p, std::make_unique<optim::AdagradOptions>()));
    CHECK(refusal([&] { optimizer.step(); }) == "Error: the optimizer has no default options");
  }
}
