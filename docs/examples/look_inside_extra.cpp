#include "support/example.h"

/// # Looking inside a model
///
/// What a GPT computes on its way, by name, to be read or changed, and how a model of one's own offers the same.

/// - Errors: none of its own
/// - PyTorch: `hook_dict` of TransformerLens
EXAMPLE(etude::nn::hook_names) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const std::vector<std::string> names = nn::hook_names(model);
  for (size_t i = 0; i < 6; ++i) print(names[i]);
}

/// - Shapes: ids [batch, sequence]; logits [batch, sequence, vocab_size]; activations in the sizes that they have in the model
/// - Errors: `there is no hook point 'hook_embd' in this model` where a name is not among them
/// - PyTorch: `run_with_cache` of TransformerLens
EXAMPLE(etude::nn::run_with_cache, etude::nn::HookNames) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const Tensor ids = etude::tensor({{3, 1, 4}});
  const auto [logits, cache] = nn::run_with_cache(model, ids, {"hook_embed", "blocks.1.attn.hook_pattern"});
  print(logits.sizes(), cache.size(), cache["hook_embed"].sizes());
  print(cache["blocks.1.attn.hook_pattern"].sizes());
  const nn::HookNames residuals([](const std::string& name) { return name.find("resid") != name.npos; });
  print(residuals.among(nn::hook_names(model)).size());
  print(examples::message_of([&] { nn::run_with_cache(model, ids, "hook_embd"); }));
}

/// Without the first head of its first block the model gives other logits.
///
/// - Shapes: ids [batch, sequence]; the result [batch, sequence, vocab_size], or what `run` gives; an activation and what takes
///   its place have the same sizes
/// - Errors: `a hook must return a tensor of the sizes and type that it receives, or nothing` where it gives something else
/// - PyTorch: `run_with_hooks` of TransformerLens
EXAMPLE(etude::nn::run_with_hooks, etude::nn::Hooks, etude::nn::HookFunction) {
  nn::GPT model(nn::GPTOptions(11).context(8).d_model(8).layers(2).heads(2).dropout(0));
  const Tensor ids = etude::tensor({{3, 1, 4}});
  const nn::HookFunction without_first = [](const Tensor& z, const std::string&) {
    const Tensor changed = z.clone();
    changed.select(2, 0).zero_();
    return changed;
  };
  const nn::Hooks hooks = {{"blocks.0.attn.hook_z", without_first}};
  print(etude::equal(nn::run_with_hooks(model, ids, hooks), model(ids)));
  print(nn::run_with_hooks(
            model, [&] { return model->loss(ids, ids); }, hooks)
            .sizes());
}

/// A model of one's own names what it offers, and a listener reads it or changes it.
///
/// - Shapes: an activation [*]; its replacement has the same sizes
/// - Errors: `a hook must return a tensor of the sizes and type that it receives, or nothing` where it gives something else
/// - PyTorch: `HookPoint` of TransformerLens
EXAMPLE(etude::nn::HookListener, etude::nn::HookPath, etude::nn::hook_point, etude::nn::hook_wanted,
        etude::nn::hooks_are_heard) {
  const auto compute = [](Tensor x) {
    const nn::HookPath path("layer", 0);
    if (nn::hook_wanted("square")) nn::hook_point("square", x * x);  // made for the listener alone
    return nn::hook_point("half", x / 2);
  };
  print(nn::hooks_are_heard(), compute(etude::tensor({4.0})));
  const nn::HookListener listener([](const std::string&) { return true; },
                                  [](const Tensor& x, const std::string& name) {
                                    print(name, x);
                                    return name == "layer.0.half" ? x * 10 : Tensor();
                                  });
  print(nn::hooks_are_heard(), compute(etude::tensor({4.0})));
}
