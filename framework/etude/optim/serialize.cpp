// Optimizers in archives, with the names of Python's state_dict:
//
//   param_groups.0.lr, .betas, ...    the options of group 0
//   param_groups.0.params             [0, 1, ...]: its parameters, numbered across all groups
//   param_groups.0.initial_lr         if a scheduler has set it
//   state.0.step, .exp_avg, ...       the state of parameter 0

#include "etude/optim/serialize.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/optim/named_values.h"

namespace etude::optim {

namespace {

std::vector<IValue> values_of(const detail::Named& named) {
  std::vector<IValue> list;
  NamedValues values(list);
  const_cast<detail::Named&>(named).name_values(values);
  return list;
}

// Compares two values of the same name; if both are present, they have the same type.
bool are_equal(const IValue& a, const IValue& b) {
  if (a.isNone() || b.isNone()) return a.isNone() && b.isNone();
  if (a.isTensor()) return a.toTensor().equal(b.toTensor());
  if (a.isDoubleList()) return a.toDoubleVector() == b.toDoubleVector();
  if (a.isDouble()) return a.toDouble() == b.toDouble();
  return a.isBool() ? a.toBool() == b.toBool() : a.toInt() == b.toInt();
}

// A tensor in the state of a parameter must have the sizes of the parameter, or be a scalar.
void check_sizes(serialize::InputArchive& archive, size_t index, const Tensor& parameter) {
  for (const std::string& key : archive.keys()) {
    Tensor t;
    if (!archive.try_read(key, t) || t.dim() == 0) continue;
    ETUDE_CHECK(t.sizes() == parameter.sizes(), "size mismatch for ", key, " of parameter ", index,
                ": copying a state with shape torch.Size(", t.sizes(),
                ") from checkpoint, the shape of the parameter is torch.Size(", parameter.sizes(), ").");
  }
}

void read_options(serialize::InputArchive& archive, OptimizerParamGroup& group) {
  group.options().serialize(archive);
  NamedValues values(archive);
  optional<double> initial_lr;
  values("initial_lr", initial_lr);
  values.commit();
  group.set_initial_lr(initial_lr);
}

// Checks a group's options and returns the indices of its parameters in the file.
std::vector<int64_t> check_group(serialize::InputArchive& archive, size_t index, OptimizerParamGroup group) {
  IValue numbers;
  archive.read("params", numbers);
  std::vector<int64_t> params = numbers.toIntVector();
  ETUDE_CHECK(params.size() == group.params().size(),
              "loaded state dict contains a parameter group that has a different size than the optimizer's "
              "parameter group\nreceived ",
              params.size(), " parameters for the ", group.params().size(), " of group ", index);
  read_options(archive, group);
  return params;
}

}  // namespace

bool detail::equal_values(const Named& a, const Named& b) {
  const std::vector<IValue> of_a = values_of(a), of_b = values_of(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), are_equal);
}

void detail::save_optimizer(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  serialize::OutputArchive groups, states;
  int64_t count = 0;
  for (size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    const OptimizerParamGroup& group = optimizer.param_groups()[g];
    serialize::OutputArchive of_group;
    group.options().serialize(of_group);
    if (group.initial_lr()) of_group.write("initial_lr", IValue(*group.initial_lr()));
    std::vector<int64_t> params;
    for (const Tensor& parameter : group.params()) {
      const auto found = optimizer.state().find(Optimizer::state_key(parameter));
      if (found != optimizer.state().end() && found->second) {
        serialize::OutputArchive of_parameter;
        found->second->serialize(of_parameter);
        states.write(std::to_string(count), of_parameter);
      }
      params.push_back(count++);
    }
    of_group.write("params", IValue(params));
    groups.write(std::to_string(g), of_group);
  }
  archive.write("state", states);
  archive.write("param_groups", groups);
}

void detail::load_optimizer(serialize::InputArchive& archive, Optimizer& optimizer,
                            const std::function<std::unique_ptr<OptimizerParamState>()>& make_state,
                            bool states_like_parameters) {
  serialize::InputArchive groups, states;
  archive.read("param_groups", groups);
  archive.read("state", states);
  const size_t count = optimizer.param_groups().size();
  ETUDE_CHECK(groups.keys().size() == count,
              "loaded state dict has a different number of parameter groups\nreceived ", groups.keys().size(),
              " groups for the optimizer's ", count);
  std::vector<serialize::InputArchive> of_groups(count);
  Optimizer::State loaded_states;
  for (size_t g = 0; g < count; ++g) {
    const OptimizerParamGroup& group = optimizer.param_groups()[g];
    groups.read(std::to_string(g), of_groups[g]);
    const std::vector<int64_t> params = check_group(of_groups[g], g, group);
    for (size_t i = 0; i < params.size(); ++i) {
      serialize::InputArchive of_parameter;
      if (!states.try_read(std::to_string(params[i]), of_parameter)) continue;
      const Tensor& parameter = group.params()[i];
      if (states_like_parameters) check_sizes(of_parameter, static_cast<size_t>(params[i]), parameter);
      std::unique_ptr<OptimizerParamState> state = make_state();
      state->serialize(of_parameter);
      loaded_states[Optimizer::state_key(parameter)] = std::move(state);
    }
  }
  // Groups and options stay in place, because programs keep references to them.
  for (size_t g = 0; g < count; ++g) read_options(of_groups[g], optimizer.param_groups()[g]);
  optimizer.state() = std::move(loaded_states);
}

void detail::Named::name_values(NamedValues& values) {
  throw Error(str("void serialize(etude::serialize::", values.is_reading() ? "InputArchive" : "OutputArchive",
                  "& archive) has not been implemented for etude::optim::Optimizer", kind_in_errors(),
                  ". You must override it in your subclass of etude::optim::OptimizerCloneable",
                  kind_in_errors(), "<YourOptimizer", kind_in_errors(), ">."));
}
void detail::Named::serialize(etude::serialize::InputArchive& archive) { load_values(archive, *this); }
void detail::Named::serialize(etude::serialize::OutputArchive& archive) const { save_values(archive, *this); }

void OptimizerParamState::serialize(etude::serialize::InputArchive& archive) {
  NamedValues values(archive);
  name_values(values);
  values.check_no_others();
  values.commit();
}

void Optimizer::save(serialize::OutputArchive& archive) const {
  make_state();  // throws if load could not read it
  detail::save_optimizer(archive, *this);
}

void Optimizer::load(serialize::InputArchive& archive) {
  detail::load_optimizer(
      archive, *this, [this] { return make_state(); }, /*states_like_parameters=*/true);
}

std::unique_ptr<OptimizerParamState> Optimizer::make_state() const {
  throw NotImplementedError(
      "make_state() has not been implemented for this etude::optim::Optimizer\nhint: override it, or save "
      "and load, in your subclass");
}

}  // namespace etude::optim
