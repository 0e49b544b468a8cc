#!/usr/bin/env python3
"""Writes families.json: what models of several families compute with transformers 5.12, and grouped attention with PyTorch 2.14.

    python3 tests/golden/layers/make_families.py

Tensors are written as in make.py. Parameter i of a model, in float64 and with the name and sizes that it has in Etude's GPT, is
ramp(sizes) * (0.3 + 0.05 * (i % 7)), and one more for the weights of norms. transformers computes norms and angles in float32.
"""
import json
from pathlib import Path

import torch
import transformers
from torch.nn.functional import scaled_dot_product_attention as attention

from make import dump, error_of, ramp

VOCAB, WIDTH, INNER, LAYERS, HEADS = 11, 16, 12, 2, 4
IDS = torch.tensor([[3, 0, 10, 3, 7, 2], [5, 5, 1, 9, 9, 4]])
PADDED, MASK = torch.tensor([[3, 0, 10, 3, 7, 2], [0, 0, 1, 9, 9, 4]]), torch.tensor([[1] * 6, [0] * 2 + [1] * 4])
LLAMA3 = {"rope_type": "llama3", "rope_theta": 50.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}


def family(name, kind, head_dim=WIDTH // HEADS, kv_heads=2, qkv_bias=False, qk_norm=False, **other):
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=VOCAB, hidden_size=WIDTH, intermediate_size=INNER, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=kv_heads, head_dim=head_dim, rms_norm_eps=1e-5, tie_word_embeddings=False, max_position_embeddings=64,
        **other)
    model = transformers.AutoModelForCausalLM.from_config(config).double().eval()
    state, shapes = model.state_dict(), []

    def fill(name, *theirs, is_turned=True):
        parts = [state[n] for n in theirs]
        sizes = list(torch.cat(parts).T.shape if is_turned else torch.cat(parts).shape)
        p = ramp(*sizes).double() * (0.3 + 0.05 * (len(shapes) % 7)) + (1 if "norm" in name or "ln_" in name else 0)
        shapes.append([name, sizes])
        for part, value in zip(parts, (p.T if is_turned else p).split([len(part) for part in parts])):
            part.copy_(value)

    fill("wte.weight", "model.embed_tokens.weight", is_turned=False)
    for i in range(LAYERS):
        ours, theirs = f"h.{i}.", f"model.layers.{i}."
        fill(ours + "ln_1.weight", theirs + "input_layernorm.weight", is_turned=False)
        qkv = [theirs + f"self_attn.{x}_proj." for x in "qkv"]
        fill(ours + "attn.c_attn.weight", *[x + "weight" for x in qkv])
        if qkv_bias:
            fill(ours + "attn.c_attn.bias", *[x + "bias" for x in qkv], is_turned=False)
        fill(ours + "attn.c_proj.weight", theirs + "self_attn.o_proj.weight")
        if qk_norm:
            for x in "qk":
                fill(ours + f"attn.{x}_norm.weight", theirs + f"self_attn.{x}_norm.weight", is_turned=False)
        fill(ours + "ln_2.weight", theirs + "post_attention_layernorm.weight", is_turned=False)
        for x, y in (("c_fc", "gate"), ("c_gate", "up"), ("c_proj", "down")):
            fill(ours + f"mlp.{x}.weight", theirs + f"mlp.{y}_proj.weight")
    fill("ln_f.weight", "model.norm.weight", is_turned=False)
    fill("lm_head.weight", "lm_head.weight", is_turned=False)
    assert sum(p.numel() for p in model.parameters()) == sum(torch.Size(sizes).numel() for _, sizes in shapes)
    with torch.no_grad():
        return {"parameters": shapes, "logits": dump(model(IDS).logits), "padded": dump(model(PADDED, attention_mask=MASK).logits)}


def grouped(kv_heads, queries, **options):
    q, k, v = (ramp(2, heads, length, 3).double() * scale for heads, length, scale in
               ((6, queries, 1), (kv_heads, 5, 2), (kv_heads, 5, 3)))
    for t in (q, k, v):
        t.requires_grad_()
    y = attention(q, k, v, enable_gqa=True, **options)
    (y * ramp(*y.shape)).sum().backward()
    return {"kv_heads": kv_heads, "queries": queries, "is_causal": options.get("is_causal", False), "y": dump(y),
            "grads": [dump(t.grad) for t in (q, k, v)]}


def angles(rope):
    config = transformers.LlamaConfig(hidden_size=32, num_attention_heads=2, rope_parameters=rope, max_position_embeddings=256)
    rotary = transformers.models.llama.modeling_llama.LlamaRotaryEmbedding(config)
    return dump(rotary.inv_freq)


if __name__ == "__main__":
    assert torch.__version__.startswith("2.14") and transformers.__version__.startswith("5.12")
    golden = {
        "attention": [grouped(2, 4), grouped(3, 5, is_causal=True), grouped(1, 1), grouped(2, 1)],
        "error": error_of(lambda: attention(*(torch.ones(1, heads, 2, 3) for heads in (6, 4, 4)), enable_gqa=True)),
        "angles": {"linear": angles({"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}),
                   "llama3": angles({**LLAMA3, "rope_theta": 500000.0, "original_max_position_embeddings": 64})},
        "models": {
            "llama": family("llama", "llama", rope_parameters=LLAMA3),
            "mistral": family("mistral", "mistral", kv_heads=1, sliding_window=None),
            "qwen2": family("qwen2", "qwen2", qkv_bias=True),
            "qwen3": family("qwen3", "qwen3", head_dim=6, qk_norm=True),
        },
    }
    (Path(__file__).parent / "families.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
