// state_dict and load_state_dict as in Python, and archives as in LibTorch.

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>

#include "etude/autograd/detail/in_place.h"
#include "etude/autograd/grad_mode.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"

namespace etude::nn {

namespace {

using StateDict = OrderedDict<std::string, Tensor>;

// The start of the names that a module has in a state_dict, from its path.
std::string prefix_of(const std::string& path) { return path.empty() ? "" : path + "."; }

// `['a', 'b']`
std::string python_list(const std::vector<std::string>& keys) {
  return keys.empty() ? "[]" : "['" + Join("', '", keys) + "']";
}

}  // namespace

struct Module::LoadReport {
  bool copies = true;
  IncompatibleKeys keys;
  std::vector<std::string> errors;

  // Copies one tensor, or notes why that is impossible.
  void copy(const std::string& key, const Tensor& from, const Tensor& to) {
    if (!from.defined())
      return errors.push_back(
          "While copying the parameter named \"" + key +
          "\", expected torch.Tensor or Tensor-like object from checkpoint but received <class 'NoneType'>");
    // Checkpoints of PyTorch 0.3 hold scalars as tensors of one dim.
    const Tensor source = to.dim() == 0 && from.dim() == 1 && from.numel() > 0 ? from[0] : from;
    if (source.sizes() != to.sizes())
      return errors.push_back(
          str("size mismatch for ", key, ": copying a param with shape torch.Size(", source.sizes(),
              ") from checkpoint, the shape in current model is torch.Size(", to.sizes(), ")."));
    try {
      NoGradGuard no_grad;
      if (copies) to.copy_(source);
      else autograd::detail::check_in_place(to, /*records=*/false);
    } catch (const Error& error) {
      errors.push_back(str("While copying the parameter named \"", key,
                           "\", whose dimensions in the model are torch.Size(", to.sizes(),
                           ") and whose dimensions in the checkpoint are torch.Size(", source.sizes(),
                           "), an exception occurred : ", error.msg(), "."));
    }
  }
};

std::vector<std::pair<std::string, Tensor>> Module::own_state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (const auto& parameter : parameters_)
    if (parameter->defined()) state.emplace_back(parameter.key(), *parameter);
  const auto& left_out = non_persistent_buffers_;
  for (const auto& buffer : buffers_)
    if (buffer->defined() && std::count(left_out.begin(), left_out.end(), buffer.key()) == 0)
      state.emplace_back(buffer.key(), *buffer);
  return state;
}

StateDict Module::state_dict() const {
  StateDict state;
  apply([&state](const std::string& path, const Module& module) {
    for (const auto& [name, tensor] : module.own_state())
      state.insert(prefix_of(path) + name, tensor.detach());
  });
  return state;
}

IncompatibleKeys Module::load_state_dict(const StateDict& state, bool strict) {
  return load_or_check(state, strict, /*copies=*/true);
}

IncompatibleKeys Module::check_state_dict(const StateDict& state, bool strict) const {
  return load_or_check(state, strict, /*copies=*/false);
}

IncompatibleKeys Module::load_or_check(const StateDict& state, bool strict, bool copies) const {
  LoadReport report;
  report.copies = copies;
  apply([&](const std::string& path, const Module& module) {
    module.load_own_state(state, prefix_of(path), report);
  });

  std::string message;
  const auto add_line = [&message](const std::string& line) { message += "\n\t" + line; };
  if (strict && !report.keys.missing_keys.empty())
    add_line("Missing key(s) in state_dict: \"" + Join("\", \"", report.keys.missing_keys) + "\". ");
  if (strict && !report.keys.unexpected_keys.empty())
    add_line("Unexpected key(s) in state_dict: \"" + Join("\", \"", report.keys.unexpected_keys) + "\". ");
  for (const std::string& error : report.errors) add_line(error);
  if (strict && !report.keys.missing_keys.empty())
    message += etude::detail::prefix_hint(report.keys.missing_keys[0], report.keys.unexpected_keys,
                                          "nn::utils::consume_prefix_in_state_dict_if_present(state_dict, \"",
                                          ".\") takes the prefix away");
  ETUDE_CHECK(message.empty(), "Error(s) in loading state_dict for ", class_name(), ":", message);
  return report.keys;
}

// A name is unexpected if its first part after `prefix` is neither state nor a submodule; submodules check the rest.
void Module::load_own_state(const StateDict& state, const std::string& prefix, LoadReport& report) const {
  const auto own = own_state();
  for (const auto& [name, tensor] : own) {
    const Tensor* found = state.find(prefix + name);
    if (found) report.copy(prefix + name, *found, tensor);
    else report.keys.missing_keys.push_back(prefix + name);
  }

  std::set<std::string> known;
  for (const auto& [name, tensor] : own) known.insert(name);
  for (const auto& child : children_) known.insert(child.key());
  for (const auto& item : state) {
    const std::string& key = item.key();
    if (key.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string first = key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size());
    if (!known.count(first)) report.keys.unexpected_keys.push_back(key);
  }
}

void Module::save(serialize::OutputArchive& archive) const {
  const Nesting nesting;
  for (const auto& [name, tensor] : own_state()) archive.write(name, tensor, !parameters_.contains(name));
  for (const auto& child : children_) {
    if (!*child || !child->get()->is_serializable()) continue;
    serialize::OutputArchive nested;
    child->get()->save(nested);
    archive.write(child.key(), nested);
  }
}

void Module::load(serialize::InputArchive& archive) {
  const Nesting nesting;
  for (const auto& [name, tensor] : own_state()) archive.read_into(name, tensor);
  for (const auto& child : children_) {
    if (!*child || !child->get()->is_serializable()) continue;
    serialize::InputArchive nested;
    if (!archive.try_read(child.key(), nested)) {
      if (child->get()->state_dict().is_empty()) continue;
      archive.read(child.key(), nested);
    }
    child->get()->load(nested);
  }
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const std::shared_ptr<Module>& module) {
  ETUDE_CHECK(module, "Cannot serialize empty module");
  module->save(archive);
  return archive;
}

serialize::InputArchive& operator>>(serialize::InputArchive& archive, const std::shared_ptr<Module>& module) {
  ETUDE_CHECK(module, "Cannot deserialize empty module");
  module->load(archive);
  return archive;
}

std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys) {
  if (keys.missing_keys.empty() && keys.unexpected_keys.empty())
    return out << "<All keys matched successfully>";
  return out << "_IncompatibleKeys(missing_keys=" << python_list(keys.missing_keys)
             << ", unexpected_keys=" << python_list(keys.unexpected_keys) << ")";
}

}  // namespace etude::nn
