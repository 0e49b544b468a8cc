#pragma once

#include "etude/gpt.h"

namespace etude::nn {

/// Which hook points are meant: one by its name, several, or those that a function says true for; by default all but
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
  /// Those of `all` that are meant. Throws at a name that is not among them, and says which are like it.
  std::vector<std::string> among(const std::vector<std::string>& all) const;

 private:
  std::vector<std::string> names_;
  std::function<bool(const std::string&)> are_meant_;
};

/// Takes an activation and its name; what it gives, of the same sizes and type, takes its place, unless it is undefined.
using HookFunction = std::function<Tensor(const Tensor& activation, const std::string& name)>;
/// Points, and what is done there.
using Hooks = std::vector<std::pair<HookNames, HookFunction>>;

/// The names of a model's hook points in the order of the computation, as TransformerLens has them: "hook_embed", ...,
/// "blocks.0.attn.hook_pattern", ...; docs/look_inside.md says what each is.
ETUDE_API std::vector<std::string> hook_names(GPT& model);

/// model(ids, past), and the activations that are meant: ids [batch, sequence] -> logits [batch, sequence, vocab_size] and
/// tensors by name, in the order of the computation. They are parts of the graph if gradients are recorded.
ETUDE_API std::pair<Tensor, OrderedDict<std::string, Tensor>> run_with_cache(GPT& model, const Tensor& ids,
                                                                             const HookNames& names = {},
                                                                             KeyValueCache* past = nullptr);

/// model(ids, past) with hooks that change activations on the way, those of one point in the order in which they are given.
ETUDE_API Tensor run_with_hooks(GPT& model, const Tensor& ids, const Hooks& hooks,
                                KeyValueCache* past = nullptr);
/// The same for all that `run` computes with the model on this thread, such as a loss or `generate`; gives what it gives.
ETUDE_API Tensor run_with_hooks(GPT& model, const std::function<Tensor()>& run, const Hooks& hooks);

}  // namespace etude::nn
