#!/usr/bin/env python3
"""Writes gpt.json: what a GPT-2 of a few lines computes with PyTorch 1.13.1, its parameters named as in the published checkpoints.

    /usr/bin/python3 tests/golden/layers/make_gpt.py

Tensors are written as in make.py. The weights are ramps, so that every one of them matters; the model computes in float64.
"""
import json
import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from make import dump, ramp

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402

VOCAB, CONTEXT, WIDTH, LAYERS, HEADS = 11, 7, 8, 2, 2


def shapes():
    yield "wte.weight", [VOCAB, WIDTH]
    yield "wpe.weight", [CONTEXT, WIDTH]
    for i in range(LAYERS):
        for name, size in [("ln_1.weight", [WIDTH]), ("ln_1.bias", [WIDTH]), ("attn.c_attn.weight", [WIDTH, 3 * WIDTH]),
                           ("attn.c_attn.bias", [3 * WIDTH]), ("attn.c_proj.weight", [WIDTH, WIDTH]), ("attn.c_proj.bias", [WIDTH]),
                           ("ln_2.weight", [WIDTH]), ("ln_2.bias", [WIDTH]), ("mlp.c_fc.weight", [WIDTH, 4 * WIDTH]),
                           ("mlp.c_fc.bias", [4 * WIDTH]), ("mlp.c_proj.weight", [4 * WIDTH, WIDTH]), ("mlp.c_proj.bias", [WIDTH])]:
            yield f"h.{i}.{name}", size
    yield "ln_f.weight", [WIDTH]
    yield "ln_f.bias", [WIDTH]


def logits(p, ids):
    def norm(x, name):
        return F.layer_norm(x, [WIDTH], p[name + ".weight"], p[name + ".bias"])

    def product(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    batch, length = ids.shape
    x = p["wte.weight"][ids] + p["wpe.weight"][:length]
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
    for i in range(LAYERS):
        qkv = product(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)).masked_fill(later, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, WIDTH)
        x = x + product(y, f"h.{i}.attn.c_proj")
        x = x + product(F.gelu(product(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh"), f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ p["wte.weight"].T


if __name__ == "__main__":
    recorded_with("1.13")
    state = {n: (ramp(*s) * (0.3 + 0.05 * i) + (1 if "ln" in n and "weight" in n else 0)).double().requires_grad_()
             for i, (n, s) in enumerate(shapes())}
    ids = torch.tensor([[3, 0, 10, 3, 7], [1, 9, 9, 2, 4]])
    y = logits(state, ids)
    (y * ramp(*y.shape)).sum().backward()
    golden = {"state": [[n, dump(p)] for n, p in state.items()], "ids": ids.tolist(), "logits": dump(y),
              "grads": [[n, dump(p.grad)] for n, p in state.items()]}
    (Path(__file__).parent / "gpt.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
