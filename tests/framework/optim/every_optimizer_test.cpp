// The common behaviour of all optimizers.
#include "framework/optim/every_optimizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;
using every::leaf;
using every::options_of;

TEST_SUITE("every optimizer") {
  namespace {

  Tensor ramp(int64_t n) { return etude::sin(etude::arange(1, n + 1, kDouble)).to(kFloat); }

  // p after three steps with one gradient.
  template <typename O>
  Tensor stepped(const Tensor& p) {
    O optimizer({p}, options_of<O>());
    for (int i = 0; i < 3; ++i) optimizer.step();
    return p.detach().clone();
  }

  // How far a 16-bit parameter is from PyTorch's numbers after steps with different gradients, in units of the
  // last place of the number before or after the steps, whichever is larger. A step may round its terms in
  // another order than PyTorch's ops, which can move the last place by one.
  template <typename O, typename Options>
  double apart(const Options& options, ScalarType dtype, const std::vector<double>& expected) {
    const Tensor p = (etude::arange(1, 6, kDouble) / 3).to(dtype).requires_grad_();
    const Tensor before = p.detach().clone();
    O optimizer({p}, options);
    for (int step = 1; step <= 3; ++step) {
      p.mutable_grad() = ((etude::arange(5, kDouble) - 1.7) * (0.37 * step)).to(dtype);
      optimizer.step();
    }
    double most = 0;
    for (int i = 0; i < 5; ++i) {
      const double size = std::max(std::fabs(expected.at(i)), before[i].template item<double>());
      const double unit = std::ldexp(1.0, std::ilogb(size) - (dtype == kHalf ? 10 : 7));
      const double units = std::fabs(p[i].template item<double>() - expected.at(i)) / unit;
      if (!(units <= most)) most = units;  // also if it is nan
    }
    return most;
  }

  }  // namespace

  TEST_CASE_TEMPLATE("a step goes against the gradient and is not recorded", O, EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::zeros({2}), etude::tensor({1.0, -1.0}).to(kFloat));
    O optimizer({p}, options_of<O>());
    CHECK_FALSE(optimizer.step().defined());
    CHECK(p.is_leaf());
    CHECK(p.requires_grad());
    CHECK(p[0].template item<float>() < 0);
    CHECK(p[1].template item<float>() > 0);
  }

  TEST_CASE_TEMPLATE("parameters without a gradient stay", O, EVERY_OPTIMIZER) {
    const Tensor used = leaf(etude::ones({1}), etude::ones({1}));
    const Tensor unused = etude::ones({1}).requires_grad_();
    O optimizer({used, unused}, options_of<O>());
    optimizer.step();
    CHECK(unused.template item<float>() == 1);
    CHECK(used.template item<float>() < 1);
  }

  TEST_CASE_TEMPLATE("a closure is called with gradients on, and its loss returned", O, EVERY_OPTIMIZER) {
    const Tensor p = etude::ones({1}).requires_grad_();
    O optimizer({p}, options_of<O>());
    NoGradGuard no_grad;
    const Tensor loss = optimizer.step([&] {
      optimizer.zero_grad();
      const Tensor l = (p * 2).sum();
      l.backward();
      return l;
    });
    CHECK(loss.template item<float>() == 2);
    CHECK(p.template item<float>() < 1);
    CHECK_FALSE(GradMode::is_enabled());
  }

  TEST_CASE_TEMPLATE("the gradients stay as they are", O, EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::ones({2}), etude::full({2}, 3.0));
    stepped<O>(p);
    CHECK(p.grad().equal(etude::full({2}, 3.0)));
  }

  TEST_CASE_TEMPLATE("each group has options of its own or the optimizer's", O, EVERY_OPTIMIZER) {
    const Tensor a = leaf(etude::zeros({1}), etude::ones({1})), b = leaf(etude::zeros({1}), etude::ones({1}));
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{a});
    groups.emplace_back(std::vector<Tensor>{b},
                        std::make_unique<decltype(options_of<O>())>(options_of<O>(0.25)));
    O optimizer(groups, options_of<O>(0.125));
    CHECK(optimizer.defaults().get_lr() == 0.125);
    CHECK(optimizer.param_groups()[0].options().get_lr() == 0.125);
    CHECK(optimizer.param_groups()[1].options().get_lr() == 0.25);
    optimizer.step();
    CHECK(b.template item<float>() == doctest::Approx(2 * a.template item<float>()));
    const float before = a.template item<float>();
    optimizer.param_groups()[0].options().set_lr(0);
    optimizer.step();
    CHECK(a.template item<float>() == before);
  }

  TEST_CASE_TEMPLATE("a parameter that is a view is written where it lies", O, EVERY_OPTIMIZER) {
    const Tensor base = etude::zeros({4});
    const Tensor p = base.slice(0, 1, 3).detach().requires_grad_();
    p.mutable_grad() = etude::ones({2});
    const Tensor result = stepped<O>(p);
    CHECK(base.slice(0, 1, 3).equal(result));
    CHECK(base[0].template item<float>() == 0);
    CHECK(base[3].template item<float>() == 0);
    CHECK(base[1].template item<float>() < 0);
  }

  TEST_CASE_TEMPLATE("strides of parameters and gradients do not matter", O, EVERY_OPTIMIZER) {
    const Tensor values = ramp(12).reshape({3, 4}), gradient = ramp(24).slice(0, 12, 24).reshape({3, 4});
    const Tensor expected = stepped<O>(leaf(values, gradient));
    const Tensor memory = values.t().contiguous();
    const Tensor p = memory.t().detach().requires_grad_();
    p.mutable_grad() = gradient;
    CHECK(stepped<O>(p).equal(expected));
    CHECK(memory.t().equal(expected));
    CHECK(p.stride(0) == 1);
    CHECK(stepped<O>(leaf(values, gradient.t().contiguous().t())).equal(expected));
    const Tensor expanded = etude::ones({3, 1}).expand({3, 4});
    CHECK(stepped<O>(leaf(values, expanded)).equal(stepped<O>(leaf(values, etude::ones({3, 4})))));
  }

  TEST_CASE_TEMPLATE("a parameter may have no dims or no elements", O, EVERY_OPTIMIZER) {
    const Tensor one = leaf(etude::scalar_tensor(1.0), etude::scalar_tensor(1.0));
    const Tensor none = leaf(etude::zeros({0, 3}), etude::zeros({0, 3}));
    O optimizer({one, none}, options_of<O>());
    optimizer.step();
    CHECK(one.dim() == 0);
    CHECK(one.template item<float>() < 1);
    CHECK(none.sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE_TEMPLATE("the bits do not depend on the number of threads", O, EVERY_OPTIMIZER) {
    const ThreadCount restored;
    const int64_t n = 200001;
    set_num_threads(1);
    const Tensor expected = stepped<O>(leaf(ramp(n), ramp(n).flip({0})));
    set_num_threads(3);
    const Tensor found = stepped<O>(leaf(ramp(n), ramp(n).flip({0})));
    CHECK(found.equal(expected));
  }

  TEST_CASE_TEMPLATE("what is remembered can be cloned, and stays when the optimizer moves", O,
                     EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::ones({2}), etude::ones({2}));
    O optimizer({p}, options_of<O>());
    optimizer.step();
    REQUIRE(optimizer.state().size() == 1);
    const auto copy = optimizer.state().begin()->second->clone();
    CHECK(copy.get() != optimizer.state().begin()->second.get());
    O moved(std::move(optimizer));
    CHECK(moved.state().size() == 1);
    const float before = p[0].template item<float>();
    moved.step();
    CHECK(p[0].template item<float>() < before);
  }

  TEST_CASE_TEMPLATE("nothing is learnt from nan, and nothing hides it", O, EVERY_OPTIMIZER) {
    const Tensor p = leaf(etude::ones({3}), etude::tensor({1.0, std::nan(""), -1.0}).to(kFloat));
    CHECK(stepped<O>(p).isnan().equal(etude::tensor({false, true, false})));
  }

  TEST_CASE("parameters of integers are refused") {
    const Tensor p = etude::ones({1}, kLong);
    p.mutable_grad() = etude::ones({1}, kLong);
    CHECK(refusal_text([&] { optim::SGD({p}, 1.0).step(); }) ==
          "For integral input tensors, argument alpha must not be a floating point number.");
    const std::string others = "result type Float can't be cast to the desired output type Long";
    CHECK(refusal_text([&] { optim::Adam({p}, 1.0).step(); }) == others);
    CHECK(refusal_text([&] { optim::RMSprop({p}, 1.0).step(); }) == others);
  }

  TEST_CASE("a factor that float32 cannot hold is refused, and float64 takes it") {
    const double vast = 1e300;
    const std::string sentence = "value cannot be converted to type float without overflow";
    // The optimizer of one parameter, and the first step that throws.
    struct Case {
      AnyFunction<std::unique_ptr<optim::Optimizer>(const Tensor&)> make;
      int refused;
    };
    const auto with = [](auto optimizer, const auto& options, int refused = 1) {
      using O = typename decltype(optimizer)::element_type;
      return Case{[options](const Tensor& p) { return std::make_unique<O>(std::vector<Tensor>{p}, options); },
                  refused};
    };
    const std::shared_ptr<optim::SGD> sgd;
    const std::shared_ptr<optim::Adam> adam;
    const std::shared_ptr<optim::AdamW> adamw;
    const std::shared_ptr<optim::RMSprop> rmsprop;
    const std::shared_ptr<optim::Adagrad> adagrad;
    const std::vector<Case> cases{
        with(sgd, optim::SGDOptions(vast)),
        with(sgd, optim::SGDOptions(3.5e38)),
        with(sgd, optim::SGDOptions(0.1).weight_decay(vast)),
        with(sgd, optim::SGDOptions(0.1).momentum(vast).nesterov(true)),
        with(sgd, optim::SGDOptions(0.1).momentum(0.9).dampening(vast), 2),
        with(adam, optim::AdamOptions(vast)),
        with(adam, optim::AdamOptions(1e38)),  // the first step is ten times as long
        with(adam, optim::AdamOptions(0.1).weight_decay(vast)),
        with(adamw, optim::AdamWOptions(vast)),
        with(adamw, optim::AdamWOptions(vast).weight_decay(0)),
        with(rmsprop, optim::RMSpropOptions(vast)),
        with(rmsprop, optim::RMSpropOptions(vast).momentum(0.9)),
        with(rmsprop, optim::RMSpropOptions(0.1).alpha(vast)),
        with(rmsprop, optim::RMSpropOptions(0.1).weight_decay(vast)),
        with(rmsprop, optim::RMSpropOptions(0.1).centered(true).alpha(vast)),
        with(adagrad, optim::AdagradOptions(vast)),
        with(adagrad, optim::AdagradOptions(0.1).weight_decay(vast)),
        // Divisors, and factors that are not converted to the parameter's type, may have any size.
        with(sgd, optim::SGDOptions(0.1).momentum(vast), 0),
        with(sgd, optim::SGDOptions(0.1).dampening(vast), 0),
        with(adam, optim::AdamOptions(0.1).eps(vast), 0),
        with(adamw, optim::AdamWOptions(0.1).eps(vast), 0),
        with(adamw, optim::AdamWOptions(0.1).weight_decay(vast), 0),
        with(rmsprop, optim::RMSpropOptions(0.1).eps(vast), 0),
        with(rmsprop, optim::RMSpropOptions(0.1).momentum(vast), 0),
        with(adagrad, optim::AdagradOptions(0.1).eps(vast), 0),
        with(adagrad, optim::AdagradOptions(0.1).lr_decay(vast), 0),
    };
    for (size_t i = 0; i < cases.size(); ++i)
      for (const ScalarType dtype : {kFloat, kDouble}) {
        CAPTURE(i);
        const Tensor p = leaf(etude::ones({2}, dtype), etude::full({2}, 0.5, dtype));
        const auto optimizer = cases[i].make(p);
        for (int step = 1; step <= 2; ++step) {
          CAPTURE(step);
          const bool refused = dtype == kFloat && step == cases[i].refused;
          CHECK(refusal_text([&] { optimizer->step(); }) == (refused ? sentence : ""));
          if (refused) break;
        }
      }
    CHECK(refusal_text([&] {
            optim::Adagrad({etude::ones({1}).requires_grad_()},
                           optim::AdagradOptions(0.1).initial_accumulator_value(vast));
          }) == sentence);
  }

  TEST_CASE("a step of 16-bit parameters rounds as its ops do, to the last digit that PyTorch gives") {
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1), kBFloat16,
                            {0.7109375, 0.82421875, 0.9296875, 1.046875, 1.1484375}) == 0);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1), kHalf,
                            {0.7099609375, 0.82177734375, 0.93359375, 1.044921875, 1.1572265625}) <= 1);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).weight_decay(0.03), kBFloat16,
                            {0.70703125, 0.81640625, 0.92578125, 1.03125, 1.140625}) == 0);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).weight_decay(0.03), kHalf,
                            {0.70654296875, 0.8154296875, 0.92431640625, 1.0341796875, 1.142578125}) <= 1);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).dampening(0.2).weight_decay(0.03), kBFloat16,
                            {0.83984375, 0.87109375, 0.89453125, 0.92578125, 0.9453125}) <= 1);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).dampening(0.2).weight_decay(0.03), kHalf,
                            {0.83984375, 0.8671875, 0.89453125, 0.921875, 0.9501953125}) <= 1);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true), kBFloat16,
                            {1.25, 1.046875, 0.83984375, 0.6328125, 0.42578125}) <= 1);
    CHECK(apart<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true), kHalf,
                            {1.248046875, 1.04296875, 0.83837890625, 0.63232421875, 0.42822265625}) <= 1);
    CHECK(apart<optim::Adam>(optim::AdamOptions(0.1), kBFloat16,
                             {0.625, 0.9609375, 0.70703125, 1.046875, 1.375}) <= 1);
    CHECK(apart<optim::Adam>(optim::AdamOptions(0.1).eps(1e-3), kBFloat16,
                             {0.625, 0.953125, 0.70703125, 1.046875, 1.375}) <= 1);
    CHECK(apart<optim::Adam>(optim::AdamOptions(0.1).eps(1e-3).weight_decay(0.03), kBFloat16,
                             {0.625, 0.95703125, 0.70703125, 1.046875, 1.375}) == 0);
    CHECK(apart<optim::Adam>(optim::AdamOptions(0.1).eps(1e-3).amsgrad(true), kBFloat16,
                             {0.625, 0.953125, 0.70703125, 1.046875, 1.375}) <= 1);
    CHECK(apart<optim::AdamW>(optim::AdamWOptions(0.1).eps(1e-3).weight_decay(0.03), kBFloat16,
                              {0.6171875, 0.94140625, 0.6953125, 1.0234375, 1.3515625}) <= 1);
    CHECK(apart<optim::AdamW>(optim::AdamWOptions(0.1).eps(1e-3).amsgrad(true), kBFloat16,
                              {0.625, 0.953125, 0.70703125, 1.046875, 1.375}) <= 1);
    CHECK(apart<optim::RMSprop>(optim::RMSpropOptions(0.1).eps(1e-3), kBFloat16,
                                {3.0, 3.3125, -1.5625, -1.328125, -1.0078125}) == 0);
    CHECK(apart<optim::RMSprop>(optim::RMSpropOptions(0.1).eps(1e-3).weight_decay(0.03).momentum(0.9),
                                kBFloat16, {5.4375, 5.75, -3.8125, -3.75, -3.484375}) <= 1);
    CHECK(apart<optim::RMSprop>(optim::RMSpropOptions(0.1).eps(1e-3).centered(true), kBFloat16,
                                {3.03125, 3.3125, -1.5859375, -1.359375, -1.0390625}) == 0);
    CHECK(apart<optim::RMSprop>(optim::RMSpropOptions(0.1).eps(1e-3).centered(true).momentum(0.9), kBFloat16,
                                {5.5625, 5.75, -3.953125, -3.859375, -3.546875}) <= 1);
    CHECK(apart<optim::Adagrad>(optim::AdagradOptions(0.1).eps(1e-3), kBFloat16,
                                {0.60546875, 0.9375, 0.734375, 1.0703125, 1.3984375}) == 0);
    CHECK(apart<optim::Adagrad>(optim::AdagradOptions(0.1).eps(1e-3).weight_decay(0.03).lr_decay(0.1),
                                kBFloat16, {0.58203125, 0.9140625, 0.7578125, 1.09375, 1.421875}) == 0);
  }

  TEST_CASE("no parameters, no steps") {
    optim::Adam optimizer(std::vector<Tensor>{});
    CHECK_FALSE(optimizer.step().defined());
    CHECK(optimizer.state().empty());
    CHECK(optim::AdamW(std::vector<optim::OptimizerParamGroup>{}).param_groups().empty());
  }
}
