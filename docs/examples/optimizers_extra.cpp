#include "support/example.h"

/// A model is often better with the average of its weights: `apply` puts it in their place, `restore` takes it out again.
///
/// - Shapes: weights [*], each with an average of its shape
/// - Errors: `Invalid decay: 2` where it is not between 0 and 1; `EMA: the averages are applied` from `update` while they are
/// - PyTorch: `torch.optim.swa_utils.AveragedModel`
EXAMPLE(etude::optim::EMA) {
  const Tensor w = etude::tensor({1.0});
  etude::optim::EMA average({w}, /*decay=*/0.75);
  w.fill_(5);
  average.update();
  print(average.averages()[0], w);
  average.apply();
  print(w, average.is_applied());
  print(examples::message_of([&] { average.update(); }));
  average.restore();
  print(w);
}

/// The bases of the optimizers here, for one of one's own in a few lines: options that `check`, state that compares, and
/// `name_values`, from which both are saved and loaded.
///
/// - Shapes: parameters [*]
/// - Errors: those that `check` throws
/// - PyTorch: none
EXAMPLE(etude::optim::OptimizerOf, etude::optim::OptionsWithLr, etude::optim::ComparableParamState,
        etude::optim::ParamKey) {
  struct Options : etude::optim::OptionsWithLr<Options> {
    Options(double lr = 0.5) : lr_(lr) {}
    ETUDE_ARG(double, lr) = 0.5;

   public:
    void name_values(etude::optim::NamedValues& values) override { values("lr", lr_); }
    void check() const { ETUDE_CHECK_VALUE(lr() >= 0, "Invalid learning rate: ", lr()); }
  };
  struct Steps : etude::optim::ComparableParamState<Steps> {
    int64_t steps = 0;
    void name_values(etude::optim::NamedValues& values) override { values("steps", steps); }
  };
  struct Counting : etude::optim::OptimizerOf<Options, Steps> {
    using OptimizerOf::OptimizerOf;
    Tensor step(LossClosure = nullptr) override {
      for (auto& group : param_groups())
        for (const Tensor& parameter : group.params()) {
          auto& state_of_parameter = state()[state_key(parameter)];
          if (!state_of_parameter) state_of_parameter = make_state();
          ++static_cast<Steps&>(*state_of_parameter).steps;
        }
      return {};
    }
  };
  const Tensor w = etude::ones({1});
  Counting optimizer({w}, 0.25), later({w});
  optimizer.step();
  std::stringstream file;
  etude::save(optimizer, file);
  etude::load(later, file);
  print(later.param_groups()[0].options().get_lr());
  print(static_cast<Steps&>(*later.state().at(Counting::state_key(w))).steps);
  const etude::optim::ParamKey key = w.unsafeGetTensorImpl();  // the same key
  print(later.state().count(key));
  print(examples::message_of([&] { Counting({w}, -1); }));
}

/// One list for both ways: what is written under a name is read from there, and all of it before anything is changed.
///
/// - Shapes: tensors [*]; one that is read takes the shape of the saved one
/// - Errors: `the archive has a field with the unknown name 'b'` from `check_no_others`
/// - PyTorch: none
EXAMPLE(etude::optim::NamedValues, etude::optim::save_values, etude::optim::load_values) {
  struct Place {
    int64_t step = 0;
    double best = 0;
    void name_values(etude::optim::NamedValues& values) {
      values("step", step);
      values("best", best);
    }
  };
  std::stringstream file;
  etude::serialize::OutputArchive saved;
  etude::optim::save_values(saved, Place{3, 0.5});
  saved.save_to(file);
  etude::serialize::InputArchive loaded;
  loaded.load_from(file);
  Place place;
  etude::optim::load_values(loaded, place);
  print(place.step, place.best);
  etude::optim::NamedValues values(loaded);
  values("step", place.step);
  print(values.is_reading(), examples::message_of([&] { values.check_no_others(); }));
}

/// The state of a parameter of one's own class, and how it is saved and loaded with the optimizer.
///
/// - Shapes: parameters [*]
/// - Errors: `loaded state dict contains a parameter group that has a different size than the optimizer's parameter group`
/// - PyTorch: `torch::optim::OptimizerParamState`
EXAMPLE(etude::optim::OptimizerParamState, etude::optim::OptimizerCloneableParamState,
        etude::optim::serialize) {
  struct Options : etude::optim::OptimizerCloneableOptions<Options> {
    explicit Options(double = 0) {}
    void serialize(etude::serialize::OutputArchive&) const override {}
    void serialize(etude::serialize::InputArchive&) override {}
  };
  struct Count : etude::optim::OptimizerCloneableParamState<Count> {
    void serialize(etude::serialize::OutputArchive& archive) const override { archive.write("steps", steps); }
    void serialize(etude::serialize::InputArchive& archive) override { archive.read("steps", steps); }
    Tensor steps = etude::zeros({1});
  };
  struct Counting : etude::optim::Optimizer {
    explicit Counting(const Tensor& parameter)
        : Optimizer({parameter}, std::make_unique<Options>()), key(parameter.unsafeGetTensorImpl()) {
      state()[key] = std::make_unique<Count>();
    }
    Count& count() { return static_cast<Count&>(*state().at(key)); }
    Tensor step(LossClosure = nullptr) override {
      count().steps += 1;
      return {};
    }
    void save(etude::serialize::OutputArchive& archive) const override {
      etude::optim::serialize<Count, Options>(archive, *this);
    }
    void load(etude::serialize::InputArchive& archive) override {
      etude::optim::serialize<Count, Options>(archive, *this);
    }
    void* key;
  };
  Counting optimizer(etude::zeros({2})), later(etude::zeros({2}));
  optimizer.step();
  optimizer.step();
  std::stringstream file;
  etude::save(optimizer, file);
  etude::load(later, file);
  print(later.count().steps);
}
