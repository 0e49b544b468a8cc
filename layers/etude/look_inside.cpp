#include "etude/look_inside.h"

#include <algorithm>
#include <map>

#include "etude/hook_point.h"

namespace etude::nn {
namespace {

// How many letters two names share at their beginning and, behind that, at their end.
std::ptrdiff_t likeness(const std::string& a, const std::string& b) {
  const auto head = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return head + (std::mismatch(a.rbegin(), a.rend() - head, b.rbegin(), b.rend() - head).first - a.rbegin());
}

std::string most_alike(const std::string& name, std::vector<std::string> all) {
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return likeness(name, a) > likeness(name, b); });
  std::string list;
  for (size_t i = 0; i < std::min<size_t>(3, all.size()); ++i) list += (i > 0 ? ", " : "") + all[i];
  return list;
}

}  // namespace

HookNames::HookNames()
    : HookNames([](const std::string& name) { return name.find("hook_result") == std::string::npos; }) {}

std::vector<std::string> HookNames::among(const std::vector<std::string>& all) const {
  for (const std::string& name : names_)
    ETUDE_CHECK_VALUE(std::find(all.begin(), all.end(), name) != all.end(), "there is no hook point '", name,
                      "' in this model\nhint: like it are ", most_alike(name, all));
  std::vector<std::string> meant;
  for (const std::string& name : all)
    if (are_meant_ ? are_meant_(name) : std::find(names_.begin(), names_.end(), name) != names_.end())
      meant.push_back(name);
  return meant;
}

// Nobody knows the names but the hook points: a batch of nothing goes by them.
std::vector<std::string> hook_names(GPT& model) {
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*model);
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    names.push_back(name);
    return false;
  };
  const HookListener listener(note, nullptr);
  model->forward(zeros({0, 1}, kLong));
  return names;
}

std::pair<Tensor, OrderedDict<std::string, Tensor>> run_with_cache(GPT& model, const Tensor& ids,
                                                                   const HookNames& names,
                                                                   KeyValueCache* past) {
  OrderedDict<std::string, Tensor> cache("Activation");
  const auto keep = [&](const Tensor& activation, const std::string& name) {
    cache.insert(name, activation);
    return Tensor();
  };
  Tensor logits = run_with_hooks(model, ids, {{names, keep}}, past);
  return {std::move(logits), std::move(cache)};
}

Tensor run_with_hooks(GPT& model, const Tensor& ids, const Hooks& hooks, KeyValueCache* past) {
  return run_with_hooks(
      model, [&] { return model->forward(ids, past); }, hooks);
}

Tensor run_with_hooks(GPT& model, const std::function<Tensor()>& run, const Hooks& hooks) {
  const std::vector<std::string> all = hook_names(model);
  std::map<std::string, std::vector<HookFunction>> at;
  for (const auto& [names, function] : hooks) {
    ETUDE_CHECK_VALUE(function, "run_with_hooks: a hook's function is empty");
    for (const std::string& name : names.among(all)) at[name].push_back(function);
  }
  const HookListener listener([&](const std::string& name) { return at.count(name) != 0; },
                              [&](const Tensor& activation, const std::string& name) {
                                Tensor x = activation;
                                for (const HookFunction& function : at[name]) {
                                  const Tensor changed = function(x, name);
                                  if (changed.defined()) x = changed;
                                }
                                return x;
                              });
  return run();
}

}  // namespace etude::nn
