#!/usr/bin/env python3
"""Writes models.json: what whole models, put together from torch.nn and torch.nn.functional, compute with PyTorch 1.13.1.

    /usr/bin/python3 tests/golden/layers/make_models.py

Tensors are written as in make.py. Parameter i of a model, in float64, is ramp(sizes) * (0.3 + 0.05 * (i % 7)), and one more for the
weights of norms. Gradients are those of (logits * ramp).sum(), or of the loss.
"""
import json
import math
import sys
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

from make import dump, ramp

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402

WIDTH, HEADS, INNER, LAYERS, PAD = 8, 2, 12, 2, 0
SRC = torch.tensor([[3, 5, 10, 7], [1, 9, PAD, PAD], [4, 4, 2, PAD]])
TGT = torch.tensor([[1, 8, 3, 2, 5], [1, 6, 2, PAD, PAD], [1, 2, 7, 9, 2]])


def positions(length, width):
    """PE(p, 2i) = sin(p / 10000^(2i / width)), PE(p, 2i + 1) = cos(the same)."""
    table = torch.zeros(length, width, dtype=torch.float64)
    for p in range(length):
        for i in range(0, width, 2):
            angle = p / 10000 ** (i / width)
            table[p, i], table[p, i + 1] = math.sin(angle), math.cos(angle)
    return table.float().double()


class Embedded(nn.Module):
    def __init__(self, vocab_size, learned):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, WIDTH, padding_idx=PAD)
        if learned:
            self.positions = nn.Module()
            self.positions.weight = nn.Parameter(torch.zeros(learned, WIDTH))

    def forward(self, ids):
        rows = self.positions.weight[: ids.shape[1]] if hasattr(self, "positions") else positions(ids.shape[1], WIDTH)
        return self.tokens(ids) * math.sqrt(WIDTH) + rows


def stack(kind, layer_kind, modern):
    layer = layer_kind(WIDTH, HEADS, INNER, 0.0, "gelu" if modern else "relu", batch_first=True, norm_first=modern)
    return kind(layer, LAYERS, nn.LayerNorm(WIDTH) if modern else None)


class EncoderDecoder(nn.Module):
    def __init__(self, modern):
        super().__init__()
        if modern:
            self.src_embedding, self.tgt_embedding = Embedded(11, 6), Embedded(12, 6)
        else:
            self.embedding = Embedded(11, 0)
        self.encoder = stack(nn.TransformerEncoder, nn.TransformerEncoderLayer, modern)
        self.decoder = stack(nn.TransformerDecoder, nn.TransformerDecoderLayer, modern)
        if modern:
            self.head = nn.Linear(WIDTH, 12)

    def forward(self, src, tgt):
        of_src = self.embedding if hasattr(self, "embedding") else self.src_embedding
        of_tgt = self.embedding if hasattr(self, "embedding") else self.tgt_embedding
        memory = self.encoder(of_src(src), src_key_padding_mask=src == PAD)
        later = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).triu(1)
        x = self.decoder(of_tgt(tgt), memory, tgt_mask=later, memory_key_padding_mask=src == PAD)
        return self.head(x) if hasattr(self, "head") else x @ of_tgt.tokens.weight.T


class EncoderClassifier(nn.Module):
    def __init__(self, first):
        super().__init__()
        self.first = first
        self.embedding = Embedded(11, 0)
        self.encoder = stack(nn.TransformerEncoder, nn.TransformerEncoderLayer, first)
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, ids):
        x = self.encoder(self.embedding(ids), src_key_padding_mask=ids == PAD)
        if self.first:
            return self.head(x[:, 0])
        kept = (ids != PAD).double().unsqueeze(-1)
        return self.head((x * kept).sum(1) / kept.sum(1))


class Block(nn.Module):
    """RMS norm, rotary attention (pairs i and i + half), SwiGLU, no biases."""

    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = Scale(), nn.Module(), Scale(), nn.Module()
        self.attn.c_attn, self.attn.c_proj = Product(WIDTH, 3 * WIDTH), Product(WIDTH, WIDTH)
        self.mlp.c_fc, self.mlp.c_gate, self.mlp.c_proj = Product(WIDTH, INNER), Product(WIDTH, INNER), Product(INNER, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.attn.c_attn(self.ln_1(x)).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = (turned(q) @ turned(k).transpose(-1, -2) / math.sqrt(WIDTH // HEADS)).masked_fill(later, float("-inf"))
        x = x + self.attn.c_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        y = self.ln_2(x)
        return x + self.mlp.c_proj(F.silu(self.mlp.c_fc(y)) * self.mlp.c_gate(y))


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weight


class Product(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))

    def forward(self, x):
        return x @ self.weight


def turned(x):
    """As complex numbers: element i and element i + half are real and imaginary part."""
    half = x.shape[-1] // 2
    angle = torch.tensor([[p / 10000 ** (i / half) for i in range(half)] for p in range(x.shape[-2])], dtype=torch.float64)
    z = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], -1)


class ModernGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(11, WIDTH)
        self.h = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.ln_f = Scale()
        self.lm_head = nn.Linear(WIDTH, 11, bias=False)

    def forward(self, ids):
        x = self.wte(ids)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def filled(model):
    model = model.double()
    for i, (name, p) in enumerate(model.named_parameters()):
        norm = name.endswith("weight") and ("norm" in name or "ln_" in name)
        p.data = ramp(*p.shape).double() * (0.3 + 0.05 * (i % 7)) + (1 if norm else 0)
    return model


def record(model, *inputs, loss=None):
    logits = filled(model)(*inputs)
    found = {"parameters": [[n, list(p.shape)] for n, p in model.named_parameters()], "logits": dump(logits)}
    value = loss(model) if loss else (logits * ramp(*logits.shape)).sum()
    value.backward()
    if loss:
        found["loss"] = dump(value)
    found["grads"] = [dump(p.grad) for p in model.parameters()]
    return found


def smoothed_loss(model):
    y = model(SRC, TGT[:, :-1])
    return F.cross_entropy(y.flatten(0, 1), TGT[:, 1:].reshape(-1), ignore_index=PAD, label_smoothing=0.1)


if __name__ == "__main__":
    recorded_with("1.13")
    torch.set_num_threads(1)
    golden = {
        "src": SRC.tolist(),
        "tgt": TGT.tolist(),
        "encoder_decoder": record(EncoderDecoder(modern=False), SRC, TGT, loss=smoothed_loss),
        "modern_encoder_decoder": record(EncoderDecoder(modern=True), SRC, TGT, loss=smoothed_loss),
        "classifier_of_mean": record(EncoderClassifier(first=False), SRC),
        "classifier_of_first": record(EncoderClassifier(first=True), SRC),
        "modern_gpt": record(ModernGPT(), SRC),
    }
    (Path(__file__).parent / "models.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
