#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "etude/gpt.h"

namespace etude::nn {

/// A GPT computed from the state dict with plain ops, and all its activations by TransformerLens's names.
struct PlainGPT {
  PlainGPT(GPT& model, const Tensor& ids)
      : p(model->state_dict()), o(model->options), positions(*model->positions) {
    Tensor x = note("hook_embed", p["wte.weight"].index({ids}));
    const Tensor zero = zeros_like(x), place = positions.embed(zero, 0);
    if (!place.equal(zero)) x = x + note("hook_pos_embed", place);
    for (int64_t i = 0; i < o.layers(); ++i) x = block(x, str("blocks.", i, "."), str("h.", i, "."));
    x = norm(x, "ln_final", "ln_f");
    logits = x.matmul(p[o.tied_head() ? "wte.weight" : "lm_head.weight"].t());
  }

  Tensor note(const std::string& name, const Tensor& x) { return all.insert(name, x); }

  Tensor product(const Tensor& x, const std::string& name) {
    const Tensor y = x.matmul(p[name + ".weight"]);
    return p.contains(name + ".bias") ? y + p[name + ".bias"] : y;
  }

  Tensor norm(const Tensor& x, const std::string& as, const std::string& name) {
    const Tensor y = o.rms_norm() ? x : x - x.mean(-1, true);
    const Tensor scale = note(as + ".hook_scale", (y.pow(2).mean(-1, true) + o.layer_norm_eps()).sqrt());
    const Tensor z = note(as + ".hook_normalized", y / scale) * p[name + ".weight"];
    return o.rms_norm() ? z : z + p[name + ".bias"];
  }

  Tensor attention(const Tensor& x, const std::string& as, const std::string& name) {
    const int64_t kv_heads = o.kv_heads() == 0 ? o.heads() : o.kv_heads(),
                  d = o.head_dim() == 0 ? o.d_model() / o.heads() : o.head_dim();
    const Tensor qkv = product(x, name + "c_attn").unflatten(-1, {-1, d});
    Tensor q = note(as + "hook_q", qkv.narrow(2, 0, o.heads())).transpose(1, 2);
    Tensor k = note(as + "hook_k", qkv.narrow(2, o.heads(), kv_heads)).transpose(1, 2);
    Tensor v = note(as + "hook_v", qkv.narrow(2, o.heads() + kv_heads, kv_heads)).transpose(1, 2);
    if (o.qk_norm()) {
      const auto normed = [&](const Tensor& t) {
        return t / (t.pow(2).mean(-1, true) + o.layer_norm_eps()).sqrt();
      };
      q = normed(q) * p[name + "q_norm.weight"], k = normed(k) * p[name + "k_norm.weight"];
    }
    if (positions.as<RotaryPositions>()) {
      q = positions.turn(q, 0), k = positions.turn(k, 0);
      note(as + "hook_rot_q", q.transpose(1, 2)), note(as + "hook_rot_k", k.transpose(1, 2));
    }
    k = k.repeat_interleave(o.heads() / kv_heads, 1), v = v.repeat_interleave(o.heads() / kv_heads, 1);
    const int64_t n = x.size(1);
    Tensor scores = q.matmul(k.transpose(-1, -2)) / std::sqrt(static_cast<double>(q.size(-1)));
    if (const Tensor bias = positions.bias(n, n); bias.defined()) scores = scores + bias;
    scores = scores.masked_fill(ones({n, n}, kBool).triu(1), -std::numeric_limits<double>::infinity());
    const Tensor pattern = note(as + "hook_pattern", note(as + "hook_attn_scores", scores).softmax(-1));
    const Tensor z = note(as + "hook_z", pattern.matmul(v).transpose(1, 2));
    const Tensor w = p[name + "c_proj.weight"].unflatten(0, {o.heads(), -1});
    note(as + "hook_result", (z.unsqueeze(-1) * w).sum(-2));
    return product(z.flatten(2), name + "c_proj");
  }

  Tensor block(const Tensor& x, const std::string& as, const std::string& name) {
    note(as + "hook_resid_pre", x);
    const Tensor added = attention(norm(x, as + "ln1", name + "ln_1"), as + "attn.", name + "attn.");
    const Tensor mid = note(as + "hook_resid_mid", x + note(as + "hook_attn_out", added));
    const Tensor in = norm(mid, as + "ln2", name + "ln_2");
    const Tensor pre = note(as + "mlp.hook_pre", product(in, name + "mlp.c_fc"));
    const Tensor inner =
        o.swiglu() ? pre.sigmoid() * pre * note(as + "mlp.hook_pre_linear", product(in, name + "mlp.c_gate"))
                   : gelu(pre, "tanh");
    const Tensor out =
        note(as + "hook_mlp_out", product(note(as + "mlp.hook_post", inner), name + "mlp.c_proj"));
    return note(as + "hook_resid_post", mid + out);
  }

  OrderedDict<std::string, Tensor> p;
  GPTOptions o;
  Positions& positions;
  OrderedDict<std::string, Tensor> all;
  Tensor logits;
};

}  // namespace etude::nn
