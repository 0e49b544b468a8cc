#!/usr/bin/env python3
"""Writes gpt_activations.json: the activations of make_gpt.py's GPT-2, by TransformerLens's names and in its order, with PyTorch
1.13.1 in float64.

    /usr/bin/python3 tests/golden/layers/make_gpt_activations.py
"""
import json
import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from make import dump, ramp
from make_gpt import HEADS, LAYERS, WIDTH, shapes

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402


def activations(p, ids):
    seen = {}

    def note(name, x):
        seen[name] = x
        return x

    def norm(x, ours, name):
        x = x - x.mean(-1, keepdim=True)
        scale = note(name + ".hook_scale", (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt())
        return note(name + ".hook_normalized", x / scale) * p[ours + ".weight"] + p[ours + ".bias"]

    length = ids.shape[1]
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
    x = note("hook_embed", p["wte.weight"][ids])
    x = x + note("hook_pos_embed", p["wpe.weight"][:length].expand(len(ids), length, WIDTH))
    for i in range(LAYERS):
        b, h = f"blocks.{i}.", f"h.{i}."
        x = note(b + "hook_resid_pre", x)
        qkv = F.linear(norm(x, h + "ln_1", b + "ln1"), p[h + "attn.c_attn.weight"].T, p[h + "attn.c_attn.bias"])
        q, k, v = (note(b + "attn.hook_" + n, t.unflatten(-1, (HEADS, -1))) for n, t in zip("qkv", qkv.chunk(3, -1)))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(WIDTH // HEADS)
        scores = note(b + "attn.hook_attn_scores", scores.masked_fill(later, float("-inf")))
        z = note(b + "attn.hook_z", torch.einsum("bhqk,bkhd->bqhd", note(b + "attn.hook_pattern", scores.softmax(-1)), v))
        w = p[h + "attn.c_proj.weight"].unflatten(0, (HEADS, -1))
        result = note(b + "attn.hook_result", torch.einsum("bqhd,hdm->bqhm", z, w))
        out = note(b + "hook_attn_out", result.sum(2) + p[h + "attn.c_proj.bias"])
        x = note(b + "hook_resid_mid", x + out)
        pre = norm(x, h + "ln_2", b + "ln2") @ p[h + "mlp.c_fc.weight"] + p[h + "mlp.c_fc.bias"]
        post = note(b + "mlp.hook_post", F.gelu(note(b + "mlp.hook_pre", pre), approximate="tanh"))
        x = x + note(b + "hook_mlp_out", post @ p[h + "mlp.c_proj.weight"] + p[h + "mlp.c_proj.bias"])
        note(b + "hook_resid_post", x)
    norm(x, "ln_f", "ln_final")
    return seen


if __name__ == "__main__":
    recorded_with("1.13")
    state = {n: (ramp(*s) * (0.3 + 0.05 * i) + (1 if "ln" in n and "weight" in n else 0)).double()
             for i, (n, s) in enumerate(shapes())}
    seen = activations(state, torch.tensor([[3, 0, 10, 3, 7], [1, 9, 9, 2, 4]]))
    # JSON has no infinity: a hidden score is recorded as a number that no other score comes near.
    golden = [[n, dump(x.masked_fill(x == float("-inf"), -1e300))] for n, x in seen.items()]
    (Path(__file__).parent / "gpt_activations.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
