#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/io/archives.h"

namespace etude::optim {

class NamedValues;

namespace detail {
/// The base of states and options of optimizers: values under names, which are saved and compared.
class ETUDE_API Named {
 public:
  Named() = default;
  Named(const Named&) = default;
  Named& operator=(const Named&) = default;
  virtual ~Named() = default;
  /// Lists what serialize() writes and reads. A class that can be saved overrides this, or both serialize() functions.
  virtual void name_values(NamedValues& values);
  virtual void serialize(etude::serialize::InputArchive& archive);
  virtual void serialize(etude::serialize::OutputArchive& archive) const;

 private:
  /// The end of the class's name, for errors.
  virtual const char* kind_in_errors() const = 0;
};
/// Whether all values that name_values() lists are equal.
ETUDE_API bool equal_values(const Named& a, const Named& b);

// Range checks of options.
ETUDE_API void check_not_negative(const char* what, double value);
ETUDE_API void check_beta(int index, double value);
}  // namespace detail

/// The key of a parameter's state: `unsafeGetTensorImpl()` of the parameter as in LibTorch 2, or the text
/// `guts::to_string(unsafeGetTensorImpl())` of LibTorch 1.13. It converts to both.
class ETUDE_API ParamKey {
 public:
  ParamKey(const void* impl) : impl_(impl) {}
  ParamKey(const std::string& text);
  operator void*() const { return const_cast<void*>(impl_); }
  operator std::string() const;
  friend bool operator==(ParamKey a, ParamKey b) { return a.impl_ == b.impl_; }
  struct Hash {
    size_t operator()(ParamKey key) const { return std::hash<const void*>()(key.impl_); }
  };

 private:
  const void* impl_;
};

/// The state that an optimizer keeps of one parameter between steps.
class ETUDE_API OptimizerParamState : public detail::Named {
 public:
  virtual std::unique_ptr<OptimizerParamState> clone() const;
  using Named::serialize;
  /// Also throws if the archive has other names.
  void serialize(etude::serialize::InputArchive& archive) override;

 private:
  const char* kind_in_errors() const override { return "ParamState"; }
};

/// A base that implements clone() for states.
template <typename Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
  std::unique_ptr<OptimizerParamState> clone() const override {
    return std::unique_ptr<OptimizerParamState>(new Derived(static_cast<const Derived&>(*this)));
  }
};

/// The settings of an optimizer, or of one of its parameter groups.
class ETUDE_API OptimizerOptions : public detail::Named {
 public:
  virtual std::unique_ptr<OptimizerOptions> clone() const;
  /// The learning rate, which schedulers change.
  virtual double get_lr() const;
  virtual void set_lr(double lr);

 private:
  const char* kind_in_errors() const override { return "Options"; }
};

/// A base that implements clone() for options.
template <typename Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::unique_ptr<OptimizerOptions>(new Derived(static_cast<const Derived&>(*this)));
  }
};

/// Parameters that share options. A group without options of its own gets those of the optimizer.
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

/// The base class of optimizers: groups of parameters and the state of each parameter (torch::optim::Optimizer).
class ETUDE_API Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;
  using State = std::unordered_map<ParamKey, std::unique_ptr<OptimizerParamState>, ParamKey::Hash>;

  Optimizer(std::vector<OptimizerParamGroup> param_groups, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
      : Optimizer(std::vector<OptimizerParamGroup>{std::move(parameters)}, std::move(defaults)) {}
  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;
  virtual ~Optimizer() = default;

  /// Updates every parameter that has a gradient. A closure, if given, computes gradients first; its loss is returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  /// Drops gradients, so that grad() is undefined; without `set_to_none`, fills existing ones with zeros.
  void zero_grad(bool set_to_none = true);

  /// Adds a group. Parameters must be leaves and must not belong to another group. A parameter that is listed
  /// twice, such as a tied weight, is added once.
  void add_param_group(const OptimizerParamGroup& param_group);

  /// LibTorch's deprecated functions, each with its warning: add_parameters() adds to the first group,
  /// parameters() lists the first group, size() counts the parameters of all groups.
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
  /// The states, by the identity of the parameter: `state()[Optimizer::state_key(parameter)]`.
  State& state() noexcept { return state_; }
  const State& state() const noexcept { return state_; }
  static ParamKey state_key(const Tensor& parameter) { return parameter.unsafeGetTensorImpl(); }

  /// Writes options and states to an archive under Python's names; parameters are numbered in order. A custom
  /// optimizer overrides make_state, or overrides save and load with serialize<ParamState, Options>(archive, *this).
  virtual void save(serialize::OutputArchive& archive) const;
  /// Replaces options and states by those of an archive; an error changes nothing.
  virtual void load(serialize::InputArchive& archive);

 protected:
  /// An empty state of one parameter, for load to fill.
  virtual std::unique_ptr<OptimizerParamState> make_state() const;

  std::vector<OptimizerParamGroup> param_groups_;
  State state_;
  std::unique_ptr<OptimizerOptions> defaults_;

 private:
  // The parameters without duplicates. Throws if one is not a leaf or belongs to a group already.
  std::vector<Tensor> new_parameters(const std::vector<Tensor>& parameters) const;
};

/// The base of the options here: the learning rate is `lr`, and options are equal if their listed values are.
template <typename Derived>
class ETUDE_API OptionsWithLr : public OptimizerCloneableOptions<Derived> {
 public:
  double get_lr() const override { return static_cast<const Derived&>(*this).lr(); }
  void set_lr(double lr) override { static_cast<Derived&>(*this).lr(lr); }
  friend bool operator==(const Derived& a, const Derived& b) { return detail::equal_values(a, b); }
};

/// The base of the states here; they are equal if their listed values are.
template <typename Derived>
class ETUDE_API ComparableParamState : public OptimizerCloneableParamState<Derived> {
 public:
  friend bool operator==(const Derived& a, const Derived& b) { return detail::equal_values(a, b); }
};

/// The base of the optimizers here, which add step(). check() of options throws for values that no step can use.
template <typename Options, typename ParamState>
class ETUDE_API OptimizerOf : public Optimizer {
 public:
  explicit OptimizerOf(std::vector<OptimizerParamGroup> param_groups, Options defaults = {})
      : Optimizer(std::move(param_groups), std::make_unique<Options>(defaults)) {
    defaults.check();
  }
  explicit OptimizerOf(std::vector<Tensor> params, Options defaults = {})
      : OptimizerOf(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  template <typename UseItsParameters, typename... More,
            typename = decltype(std::declval<UseItsParameters&>()->parameters())>
  explicit OptimizerOf(const UseItsParameters&, const More&...) = delete;  // Adam(net->parameters(), 0.1)
  template <typename UseItsParameters, typename... More,
            typename = decltype(std::declval<UseItsParameters&>().parameters()),
            typename = std::enable_if_t<!std::is_base_of_v<Optimizer, UseItsParameters>>>
  explicit OptimizerOf(const UseItsParameters&, const More&...) = delete;  // Adam(net.parameters(), 0.1)

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override { return std::make_unique<ParamState>(); }
};

}  // namespace etude::optim
