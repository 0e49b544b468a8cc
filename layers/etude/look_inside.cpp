#include "etude/look_inside.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "etude/hook_point.h"
#include "etude/layer_norm.h"
#include "etude/rms_norm.h"

namespace etude::nn {
namespace {

// The number of characters that two names share at their beginning and, after that, at their end.
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

// Offers the activations that the inputs and outputs of a GPT's modules show. gpt.cpp and the files that it calls offer the others.
class GPTListener final : public detail::CallListener {
 public:
  explicit GPTListener(GPTImpl& model) {
    at(*model.wte).before = [this](Tensor&) {
      for (auto& block : blocks_) block.second.calls = 0;
    };
    at(*model.wte).after = [](auto&, Tensor& y) { y = hook_point("hook_embed", y); };
    for (size_t i = 0; i < model.h->size(); ++i) add_block(i, model.h->at<GPTBlockImpl>(i));
    add_norm("ln_final", model.ln_f);
  }

  bool wants(const Module& module) const override { return hooks_are_heard() && points_.count(&module) != 0; }
  void before(const Module& module, std::vector<Tensor>& inputs) override {
    const Point& point = points_.at(&module);
    if (point.before) point.before(inputs[0]);
  }
  void after(const Module& module, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) override {
    const Point& point = points_.at(&module);
    if (point.after) point.after(inputs[0], outputs[0]);
  }
  void ends(const Module& module) noexcept override { leave(module); }

 private:
  struct Point {
    std::function<void(Tensor& x)> before;
    std::function<void(const Tensor& x, Tensor& y)> after;
  };
  Point& at(const Module& module) { return points_[&module]; }

  // The indices of a block in the model, more than one if the block is shared, and the number of its calls in this forward.
  struct Places {
    std::vector<size_t> indices;
    size_t calls = 0;
    size_t next() { return indices[calls++ % indices.size()]; }
  };

  // Names of hook points begin with the path of the parts that run.
  void enter(const Module& module, const char* part, optional<size_t> index = nullopt) {
    path_.emplace_back(&module, std::make_unique<HookPath>(part, index));
  }
  void leave(const Module& module) {
    if (!path_.empty() && path_.back().first == &module) path_.pop_back();
  }

  void add_block(size_t i, GPTBlockImpl& block) {
    blocks_[&block].indices.push_back(i);
    at(block).before = [this, &block](Tensor& x) {
      enter(block, "blocks", blocks_[&block].next());
      x = hook_point("hook_resid_pre", x);
    };
    add_norm("ln1", block.ln_1);
    add_attention(*block.attn);
    add_norm("ln2", block.ln_2);
    add_mlp(*block.mlp);
    at(block).after = [](auto&, Tensor& y) { y = hook_point("hook_resid_post", y); };
  }

  // Offers the scale by which a norm divides x, which LayerNorm centres first, and the quotient before weight and bias. Both
  // are float32 for an x of 16 bits.
  void add_norm(const char* name, AnyModule& norm) {
    const auto* layer = norm.ptr()->as<LayerNorm>();
    const auto* rms = norm.ptr()->as<RMSNorm>();
    const bool is_known =
        layer ? layer->weight.defined() : rms && rms->weight.defined() && rms->options.eps();
    if (!is_known) return;
    at(*norm.ptr()).after = [=](const Tensor& x, Tensor& result) {
      const HookPath path(name);
      if (!detail::any_inner_point_wanted({"hook_scale", "hook_normalized"})) return;
      const Tensor wide = isReducedFloatingType(x.scalar_type()) ? x.to(kFloat) : x,
                   y = rms ? wide : wide - wide.mean(-1, /*keepdim=*/true);
      const double eps = rms ? *rms->options.eps() : layer->options.eps();
      const Tensor scale = hook_point("hook_scale", sqrt((y * y).mean(-1, /*keepdim=*/true) + eps));
      const Tensor normalized = hook_point("hook_normalized", y / scale).to(x.scalar_type());
      result = rms ? normalized * rms->weight : normalized * layer->weight + layer->bias;
    };
  }

  void add_attention(CausalSelfAttentionImpl& attention) {
    const int64_t heads = attention.options.heads(), kv_heads = attention.options.key_heads(),
                  d = attention.options.head_width();
    at(attention).before = [this, &attention](Tensor&) { enter(attention, "attn"); };
    at(*attention.c_attn).after = [=](auto&, Tensor& y) {
      if (!detail::any_inner_point_wanted({"hook_q", "hook_k", "hook_v"})) return;
      const std::vector<Tensor> parts =
          y.unflatten(-1, {heads + 2 * kv_heads, d}).split_with_sizes({heads, kv_heads, kv_heads}, 2);
      y = cat({hook_point("hook_q", parts[0]), hook_point("hook_k", parts[1]),
               hook_point("hook_v", parts[2])},
              2)
              .flatten(2);
    };
    at(*attention.c_proj).before = [=](Tensor& x) {
      if (hook_wanted("hook_z")) x = hook_point("hook_z", x.unflatten(-1, {heads, -1})).flatten(2);
    };
    at(*attention.c_proj).after = [=, &out = *attention.c_proj](const Tensor& x, Tensor& y) {
      if (!hook_wanted("hook_result")) return;
      const Tensor z = x.unflatten(-1, {heads, -1}).transpose(1, 2),
                   weight = out.quantized.defined() ? dequantize(out.quantized).t() : out.weight,
                   by_heads = matmul(z, weight.unflatten(0, {heads, -1}));
      y = hook_point("hook_result", by_heads.transpose(1, 2)).sum(2);
      if (out.bias.defined()) y = y + out.bias;
    };
    at(attention).after = [this, &attention](auto&, Tensor& y) {
      leave(attention);
      y = hook_point("hook_attn_out", y);
    };
  }

  void add_mlp(GPTMLPImpl& mlp) {
    at(mlp).before = [this, &mlp](Tensor&) { enter(mlp, "mlp"); };
    at(*mlp.c_fc).after = [](auto&, Tensor& y) { y = hook_point("hook_pre", y); };
    if (mlp.c_gate) at(*mlp.c_gate).after = [](auto&, Tensor& y) { y = hook_point("hook_pre_linear", y); };
    at(*mlp.c_proj).before = [](Tensor& x) { x = hook_point("hook_post", x); };
    at(mlp).after = [this, &mlp](auto&, Tensor& y) {
      leave(mlp);
      y = hook_point("hook_mlp_out", y);
    };
  }

  std::unordered_map<const Module*, Point> points_;
  std::unordered_map<const Module*, Places> blocks_;
  std::vector<std::pair<const Module*, std::unique_ptr<HookPath>>> path_;
  detail::InnerPoints inner_;
};

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

// Only the hook points know their names, so this runs an empty batch through the model.
std::vector<std::string> hook_names(GPT& model) {
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*model);
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    names.push_back(name);
    return false;
  };
  const HookListener listener(note, nullptr);
  const GPTListener calls(*model);
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
                                for (const HookFunction& function : at[name])
                                  if (const Tensor changed = function(x, name); changed.defined())
                                    x = changed;
                                return x;
                              });
  const GPTListener calls(*model);
  return run();
}

std::vector<Tensor> GPTImpl::self_attention(const Tensor& ids) {
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*this);
  std::vector<Tensor> patterns;
  const auto keep = [&](const Tensor& pattern, const std::string&) {
    patterns.push_back(pattern);
    return Tensor();
  };
  const HookListener listener(
      [](const std::string& name) { return name.find("hook_pattern") != std::string::npos; }, keep);
  const detail::InnerPoints inner;
  through_blocks(ids);
  return patterns;
}

}  // namespace etude::nn
