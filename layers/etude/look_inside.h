#pragma once

#include "etude/gpt.h"

namespace etude::nn {

/// Selects hook points: one name, several names, or those for which a function returns true. The default is all but
/// `hook_result`, which is as large as `heads` residual streams.
class ETUDE_API HookNames {
 public:
  HookNames();
  HookNames(const char* name) : names_{name} {}
  HookNames(std::string name) : names_{std::move(name)} {}
  HookNames(std::vector<std::string> names) : names_(std::move(names)) {}
  HookNames(std::initializer_list<std::string> names) : names_(names) {}
  template <typename F, typename = std::enable_if_t<std::is_invocable_r_v<bool, F&, const std::string&>>>
  HookNames(F are_meant) : are_meant_(std::move(are_meant)) {}
  /// The selected names in `all`. Throws for a name that is not in `all`, and suggests similar ones.
  std::vector<std::string> among(const std::vector<std::string>& all) const;

 private:
  std::vector<std::string> names_;
  std::function<bool(const std::string&)> are_meant_;
};

/// Takes an activation and its name. The result, of the same sizes and type, replaces it; undefined leaves it unchanged.
using HookFunction = std::function<Tensor(const Tensor& activation, const std::string& name)>;
/// Hook points and the function to call at each.
using Hooks = std::vector<std::pair<HookNames, HookFunction>>;

/// The names of a model's hook points in the order of the computation, named as in TransformerLens: "hook_embed", ...,
/// "blocks.0.attn.hook_pattern", ...; the guide "Looking inside a GPT" describes each.
ETUDE_API std::vector<std::string> hook_names(GPT& model);

/// Runs model(ids, past) and keeps the selected activations: ids [batch, sequence] -> logits [batch, sequence, vocab_size]
/// and tensors by name, in the order of the computation. They are in the graph if gradients are recorded.
ETUDE_API std::pair<Tensor, OrderedDict<std::string, Tensor>> run_with_cache(GPT& model, const Tensor& ids,
                                                                             const HookNames& names = {},
                                                                             KeyValueCache* past = nullptr);

/// Runs model(ids, past) with hooks that change activations. Hooks of one point run in the order in which they are given.
ETUDE_API Tensor run_with_hooks(GPT& model, const Tensor& ids, const Hooks& hooks,
                                KeyValueCache* past = nullptr);
/// Returns the result of run(), such as a loss or `generate`, with hooks on every forward of the model that it calls on this
/// thread.
ETUDE_API Tensor run_with_hooks(GPT& model, const std::function<Tensor()>& run, const Hooks& hooks);

}  // namespace etude::nn
