#include "support/example.h"

/// # Optimizers
///
/// How parameters follow their gradients: `zero_grad`, `backward` of the loss, `step`.

/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: `Invalid learning rate: -1` and alike, `Nesterov momentum requires a momentum and zero dampening`
EXAMPLE(etude::optim::SGD, etude::optim::SGDParamState) {
  const Tensor w = etude::tensor({1.0, 2.0}, etude::requires_grad(true));
  etude::optim::SGD optimizer({w}, etude::optim::SGDOptions(0.1).momentum(0.9));
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    w.pow(2).sum().backward();
    optimizer.step();
    print(w.detach());
  }
  const auto& state = static_cast<etude::optim::SGDParamState&>(*optimizer.state().begin()->second);
  print(state.momentum_buffer());
  print(examples::message_of([&] { etude::optim::SGD({w}, -1); }));
}

/// The first step has the length lr in every element, whatever the gradient is.
///
/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: `Invalid learning rate: -1`, `Invalid beta parameter at index 0: 2` and alike
EXAMPLE(etude::optim::Adam, etude::optim::AdamParamState) {
  const Tensor w = etude::tensor({1.0, 10.0}, etude::requires_grad(true));
  etude::optim::Adam optimizer({w}, etude::optim::AdamOptions(0.1).betas({0.9, 0.99}));
  w.pow(2).sum().backward();
  optimizer.step();
  print(w.detach());
  const auto& state = static_cast<etude::optim::AdamParamState&>(*optimizer.state().begin()->second);
  print(state.step(), state.exp_avg(), state.exp_avg_sq());
  print(examples::message_of([&] {
    etude::optim::Adam({w}, etude::optim::AdamOptions(0.1).betas({2.0, 0.9}));
  }));
}

/// The decay takes its part of the parameter, also where the gradient is zero.
///
/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: those of `Adam`
EXAMPLE(etude::optim::AdamW, etude::optim::AdamWParamState) {
  const Tensor w = etude::tensor({1.0, 2.0}, etude::requires_grad(true));
  etude::optim::AdamW optimizer({w}, etude::optim::AdamWOptions(0.1).weight_decay(0.5));
  w.mutable_grad() = etude::zeros({2});
  optimizer.step();
  print(w.detach());
  print(static_cast<etude::optim::AdamWParamState&>(*optimizer.state().begin()->second).step());
}

/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: `Invalid alpha value: -1` and alike
EXAMPLE(etude::optim::RMSprop, etude::optim::RMSpropParamState) {
  const Tensor w = etude::tensor({1.0, 10.0}, etude::requires_grad(true));
  etude::optim::RMSprop optimizer({w}, etude::optim::RMSpropOptions(0.1).alpha(0.75));
  w.pow(2).sum().backward();
  optimizer.step();
  print(w.detach());
  print(static_cast<etude::optim::RMSpropParamState&>(*optimizer.state().begin()->second).square_avg());
  print(examples::message_of([&] { etude::optim::RMSprop({w}, etude::optim::RMSpropOptions().alpha(-1)); }));
}

/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: `Invalid lr_decay value: -1` and alike
EXAMPLE(etude::optim::Adagrad, etude::optim::AdagradParamState) {
  const Tensor w = etude::tensor({1.0, 10.0}, etude::requires_grad(true));
  etude::optim::Adagrad optimizer({w}, etude::optim::AdagradOptions(0.1));
  w.pow(2).sum().backward();
  optimizer.step();
  print(w.detach());
  print(static_cast<etude::optim::AdagradParamState&>(*optimizer.state().begin()->second).sum());
  print(
      examples::message_of([&] { etude::optim::Adagrad({w}, etude::optim::AdagradOptions().lr_decay(-1)); }));
}

/// Weights that decay, and a bias that does not, with a learning rate of its own.
///
/// - Shapes: parameters [*]
/// - Errors: `some parameters appear in more than one parameter group` (LibTorch notices once a step has made its state),
///   `can't optimize a non-leaf Tensor`
EXAMPLE(etude::optim::OptimizerParamGroup) {
  using etude::optim::OptimizerParamGroup, etude::optim::SGDOptions;
  const Tensor weight = etude::ones({2}, etude::requires_grad(true)),
               bias = etude::ones({1}, etude::requires_grad(true));
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{weight},
                      std::make_unique<SGDOptions>(SGDOptions(0.1).weight_decay(0.5)));
  groups.emplace_back(std::vector<Tensor>{bias});
  etude::optim::SGD optimizer(groups, SGDOptions(0.01).momentum(0.9));
  for (const OptimizerParamGroup& group : optimizer.param_groups())
    print(group.params().size(), group.options().get_lr());
  (weight.sum() + bias.sum()).backward();
  optimizer.step();
  print(weight.detach(), bias.detach());
  print(examples::message_of([&] { optimizer.add_param_group(OptimizerParamGroup({bias})); }));
  print(examples::message_of([&] { optimizer.add_param_group(OptimizerParamGroup({weight * 2})); }));
}

/// An optimizer of one's own: it steps by the sign of the gradient alone, and halves its step with `set_lr`.
///
/// - Shapes: parameters [*], each with a gradient of its shape or none
/// - Errors: those of `OptimizerParamGroup`
EXAMPLE(etude::optim::Optimizer, etude::optim::OptimizerOptions, etude::optim::OptimizerCloneableOptions) {
  struct Options : etude::optim::OptimizerCloneableOptions<Options> {
    double get_lr() const override { return lr; }
    void set_lr(double value) override { lr = value; }
    double lr = 0.5;
  };
  struct SignDescent : etude::optim::Optimizer {
    explicit SignDescent(std::vector<Tensor> parameters)
        : Optimizer(std::move(parameters), std::make_unique<Options>()) {}
    Tensor step(LossClosure closure = nullptr) override {
      const Tensor loss = closure ? closure() : Tensor();
      const etude::NoGradGuard no_grad;
      for (auto& group : param_groups())
        for (Tensor& parameter : group.params())
          if (parameter.grad().defined()) parameter.sub_(parameter.grad().sign(), group.options().get_lr());
      return loss;
    }
  };
  Tensor w = etude::tensor({3.0, -1.0}, etude::requires_grad(true));
  SignDescent optimizer({w});
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    const Tensor loss = optimizer.step([&] {
      Tensor value = w.pow(2).sum();
      value.backward();
      return value;
    });
    print(loss.detach(), w.detach());
    optimizer.param_groups()[0].options().set_lr(0.25);
  }
}
