#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/io/archives.h"

namespace etude::optim {

class NamedValues;

/// What an optimizer remembers of one parameter between steps.
class ETUDE_API OptimizerParamState {
 public:
  OptimizerParamState() = default;
  OptimizerParamState(const OptimizerParamState&) = default;
  OptimizerParamState& operator=(const OptimizerParamState&) = default;
  virtual ~OptimizerParamState() = default;
  virtual std::unique_ptr<OptimizerParamState> clone() const;
  /// Lists what serialize() writes and reads. A class that is to be saved overrides this, or both of those.
  virtual void name_values(NamedValues& values);
  virtual void serialize(etude::serialize::InputArchive& archive);
  virtual void serialize(etude::serialize::OutputArchive& archive) const;
};

/// The base of a state that clone() copies.
template <typename Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
  std::unique_ptr<OptimizerParamState> clone() const override {
    return std::unique_ptr<OptimizerParamState>(new Derived(static_cast<const Derived&>(*this)));
  }
};

/// The settings of an optimizer, or of one of its parameter groups.
class ETUDE_API OptimizerOptions {
 public:
  OptimizerOptions() = default;
  OptimizerOptions(const OptimizerOptions&) = default;
  OptimizerOptions& operator=(const OptimizerOptions&) = default;
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const;
  /// The learning rate, which schedulers change.
  virtual double get_lr() const;
  virtual void set_lr(double lr);
  /// Lists what serialize() writes and reads. A class that is to be saved overrides this, or both of those.
  virtual void name_values(NamedValues& values);
  virtual void serialize(etude::serialize::InputArchive& archive);
  virtual void serialize(etude::serialize::OutputArchive& archive) const;
};

/// The base of options that clone() copies.
template <typename Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::unique_ptr<OptimizerOptions>(new Derived(static_cast<const Derived&>(*this)));
  }
};

/// Parameters that share their options. Without options of its own a group takes the optimizer's.
class ETUDE_API OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options = nullptr)
      : params_(std::move(params)), options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other)
      : params_(other.params_),
        options_(other.options_ ? other.options_->clone() : nullptr),
        initial_lr_(other.initial_lr_) {}
  OptimizerParamGroup(OptimizerParamGroup&&) noexcept = default;
  OptimizerParamGroup& operator=(const OptimizerParamGroup& other) {
    return *this = OptimizerParamGroup(other);
  }
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) noexcept = default;

  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions& options() { return const_cast<OptimizerOptions&>(std::as_const(*this).options()); }
  const OptimizerOptions& options() const;
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() { return params_; }
  const std::vector<Tensor>& params() const { return params_; }
  /// The learning rate before the first scheduler changed it.
  const optional<double>& initial_lr() const { return initial_lr_; }
  void set_initial_lr(optional<double> lr) { initial_lr_ = lr; }

 private:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
  optional<double> initial_lr_;
};

/// The base of optimizers: groups of parameters and the state of each parameter (torch::optim::Optimizer).
class ETUDE_API Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;
  using State = std::unordered_map<std::string, std::unique_ptr<OptimizerParamState>>;

  Optimizer(std::vector<OptimizerParamGroup> param_groups, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
      : Optimizer(std::vector<OptimizerParamGroup>{std::move(parameters)}, std::move(defaults)) {}
  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;
  virtual ~Optimizer() = default;

  /// Updates every parameter with a gradient. A closure computes gradients first; the loss that it gives is returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  /// Fills the gradients that exist with zeros, or forgets them.
  void zero_grad(bool set_to_none = false);

  /// Adds a group. Parameters are leaves and belong to one group; one that stands in it twice, as tied
  /// weights do in Module::parameters, is taken once.
  void add_param_group(const OptimizerParamGroup& param_group);

  /// What programs used before there were groups, each with LibTorch's warning: more parameters for the first group, those
  /// of the first group, and how many there are in all groups.
  void add_parameters(const std::vector<Tensor>& parameters);
  const std::vector<Tensor>& parameters() const;
  std::vector<Tensor>& parameters() {
    return const_cast<std::vector<Tensor>&>(std::as_const(*this).parameters());
  }
  size_t size() const;

  OptimizerOptions& defaults() { return const_cast<OptimizerOptions&>(std::as_const(*this).defaults()); }
  const OptimizerOptions& defaults() const;
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  /// What is remembered, by the parameter's identity: `state()[Optimizer::state_key(parameter)]`.
  State& state() noexcept { return state_; }
  const State& state() const noexcept { return state_; }
  static std::string state_key(const Tensor& parameter);

  /// Writes options and state to an archive, under Python's names; parameters are known by their order. An optimizer of
  /// one's own overrides make_state, or both of these with serialize<ParamState, Options>(archive, *this).
  virtual void save(serialize::OutputArchive& archive) const;
  /// Replaces options and state by those of an archive; an error changes nothing.
  virtual void load(serialize::InputArchive& archive);

 protected:
  /// An empty state of one parameter, for load to read into.
  virtual std::unique_ptr<OptimizerParamState> make_state() const;

  std::vector<OptimizerParamGroup> param_groups_;
  State state_;
  std::unique_ptr<OptimizerOptions> defaults_;

 private:
  // The parameters, each once; leaves that no group has.
  std::vector<Tensor> new_parameters(const std::vector<Tensor>& parameters) const;
};

namespace detail {
/// Whether all that name_values() lists is equal.
ETUDE_API bool equal_values(const OptimizerOptions& a, const OptimizerOptions& b);
ETUDE_API bool equal_values(const OptimizerParamState& a, const OptimizerParamState& b);
}  // namespace detail

/// The base of the options here: their learning rate is `lr`, and they are equal if what they list is.
template <typename Derived>
class ETUDE_API OptionsWithLr : public OptimizerCloneableOptions<Derived> {
 public:
  double get_lr() const override { return static_cast<const Derived&>(*this).lr(); }
  void set_lr(double lr) override { static_cast<Derived&>(*this).lr(lr); }
  friend bool operator==(const Derived& a, const Derived& b) { return detail::equal_values(a, b); }
};

/// The base of what the optimizers here remember.
template <typename Derived>
class ETUDE_API ComparableParamState : public OptimizerCloneableParamState<Derived> {
 public:
  friend bool operator==(const Derived& a, const Derived& b) { return detail::equal_values(a, b); }
};

/// The base of the optimizers here, which add step(). Options refuse in check() what no step can use.
template <typename Options, typename ParamState>
class ETUDE_API OptimizerOf : public Optimizer {
 public:
  explicit OptimizerOf(std::vector<OptimizerParamGroup> param_groups, Options defaults = {})
      : Optimizer(std::move(param_groups), std::make_unique<Options>(defaults)) {
    defaults.check();
  }
  explicit OptimizerOf(std::vector<Tensor> params, Options defaults = {})
      : OptimizerOf(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override { return std::make_unique<ParamState>(); }
};

}  // namespace etude::optim
