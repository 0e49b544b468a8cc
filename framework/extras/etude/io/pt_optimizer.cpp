// An optimizer in Python's state_dict, which Etude uses too, and in LibTorch:
//
//   state.0.exp_avg, ...             state.KEY.exp_avg, ...; in Etude's files KEY is the number
//   param_groups.0.params [0, 1]     param_groups.param_groups/0.params/0 "KEY", .params/1 "KEY", .params/size 2
//   param_groups.0.lr, ...           param_groups.param_groups/0.options.lr, ...
//                                    param_groups.param_groups/size 1
//                                    pytorch_version "1.5.0"

#include <utility>

#include "etude/io/detail/pt_file.h"
#include "etude/ops/ops.h"

namespace etude::detail {
namespace {

constexpr char kSize[] = "param_groups/size", kGroup[] = "param_groups/", kParamsSize[] = "params/size",
               kParam[] = "params/", kVersion[] = "pytorch_version";

PtObject* object_at(PtObject& object, const std::string& name) {
  const PtAttribute* const found = object.find(name);
  return found ? found->object.get() : nullptr;
}

IValue number(size_t count) { return IValue(etude::tensor(static_cast<int64_t>(count))); }

// Null unless it is a group of an optimizer.
std::shared_ptr<PtObject> to_libtorch(const PtAttribute& group) {
  const PtAttribute* const params = group.object ? group.object->find("params") : nullptr;
  if (!params || !params->value.isIntList()) return nullptr;
  auto renamed = std::make_shared<PtObject>(), options = std::make_shared<PtObject>();
  const std::vector<int64_t>& list = params->value.toIntVector();
  renamed->insert(kParamsSize, number(list.size()));
  for (size_t i = 0; i < list.size(); ++i) renamed->insert(str(kParam, i), IValue(std::to_string(list[i])));
  for (const auto& item : *group.object)
    if (item.key() != "params" && item.key() != "initial_lr")
      options->insert(item.key(), item.value()).is_tuple = item.key() == "betas";
  renamed->insert("options", options);
  return renamed;
}

// Adds a group and the states of its parameters, which are numbered from `count` on.
void from_libtorch(PtObject& group, const PtObject& old_states, PtObject& groups, PtObject& states,
                   int64_t& count) {
  auto renamed = std::make_shared<PtObject>();
  if (const PtObject* options = object_at(group, "options")) *renamed = *options;
  std::vector<int64_t> params;
  for (size_t i = 0;; ++i) {
    const PtAttribute* const key = group.find(kParam + std::to_string(i));
    if (!key || !key->value.isString()) break;
    const PtAttribute* const state = old_states.find(key->value.toStringRef());
    if (state && state->object) states.insert(std::to_string(count), state->object);
    params.push_back(count++);
  }
  renamed->insert("params", IValue(std::move(params)));
  groups.insert(std::to_string(groups.size()), renamed);
}

}  // namespace

void add_libtorch_optimizer(PtObject& object) {
  PtObject* const groups = object_at(object, "param_groups");
  if (!groups || !object_at(object, "state") || object.find(kVersion)) return;
  PtObject renamed;
  for (const auto& group : *groups) {
    const auto one = to_libtorch(*group);
    if (!one) return;
    renamed.insert(str(kGroup, renamed.size()), one);
  }
  object.insert(kVersion, IValue("1.5.0"));
  groups->insert(kSize, number(renamed.size()));
  groups->update(renamed);
}

// Files written by Etude have both forms.
void replace_libtorch_optimizer(PtObject& object) {
  PtObject *const groups = object_at(object, "param_groups"), *const states = object_at(object, "state");
  if (!groups || !states || !object.find(kVersion) || !groups->find(kSize)) return;
  PtObject own_groups, new_groups, new_states;
  int64_t count = 0;
  for (const auto& item : *groups) {
    const bool is_own = item.key().rfind(kGroup, 0) != 0;
    if (is_own) own_groups.insert(item.key(), item.value());
    else if (item->object) from_libtorch(*item->object, *states, new_groups, new_states, count);
  }
  if (own_groups.is_empty()) *states = std::move(new_states);
  *groups = std::move(own_groups.is_empty() ? new_groups : own_groups);
}

}  // namespace etude::detail
