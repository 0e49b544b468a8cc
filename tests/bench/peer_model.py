"""Writes the model of a case of cases.json for other programs, unless the file exists, and the case's tokens, with the numbers
of cases.cpp. The ending of the model's name says the format: .onnx, .ggml, or .ggml_f16 with matrices of float16.
    /usr/bin/python3 tests/bench/peer_model.py KIND SIZES MODEL TOKENS.json"""
import json
import math
import struct
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

kind, sizes = sys.argv[1], [int(s) for s in sys.argv[2].split("x")]
layers, heads, width, context, words = sizes[2:]


def matrix(out, into):
    """A matrix, filled as composed.h fills the weight of a Linear."""
    return (torch.randn(into, out) * 0.02).t().contiguous()


torch.manual_seed(0)
tables = [torch.randn(rows, width) * 0.02 for rows in (words, context)]
blocks = [[matrix(out * width, into * width) for out, into in ((3, 1), (1, 1), (4, 1), (1, 4))] for _ in range(layers)]
tokens = torch.randint(words, (sizes[0], sizes[1] + 1))[:, :-1] if kind == "gpt" else torch.randint(words, (1, sizes[0]))


class GPT(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for i, matrices in enumerate(blocks):
            for j, m in enumerate(matrices):
                self.register_buffer(f"w{i}_{j}", m)
                self.register_buffer(f"b{i}_{j}", torch.zeros(len(m)))
        self.register_buffer("words", tables[0])
        self.register_buffer("places", tables[1])
        self.register_buffer("ones", torch.ones(width))
        self.register_buffer("zeros", torch.zeros(width))

    def norm(self, x):
        return F.layer_norm(x, (width,), self.ones, self.zeros)

    def linear(self, x, i, j):
        return F.linear(x, getattr(self, f"w{i}_{j}"), getattr(self, f"b{i}_{j}"))

    def forward(self, ids):
        batch, length = ids.shape
        mask = torch.full((length, length), -math.inf).triu(1)
        x = F.embedding(ids, self.words) + self.places[:length]
        for i in range(layers):
            q, k, v = (t.view(batch, length, heads, -1).transpose(1, 2) for t in self.linear(self.norm(x), i, 0).chunk(3, -1))
            y = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(width // heads) + mask, -1) @ v
            x = x + self.linear(y.transpose(1, 2).reshape(batch, length, width), i, 1)
            x = x + self.linear(F.gelu(self.linear(self.norm(x), i, 2), approximate="tanh"), i, 3)
        return F.linear(self.norm(x), self.words)


def write_ggml(file, half):
    file.write(struct.pack("<8i", 0x67676D6C, words, context, width, heads, layers, int(half), words))
    for i in range(words):
        file.write(struct.pack("<I", 5) + word(i).encode())

    def put(name, t, as_half=False):
        file.write(struct.pack("<3i", t.dim(), len(name), int(as_half)) + struct.pack(f"<{t.dim()}i", *reversed(t.shape)))
        file.write(name.encode() + (t.half() if as_half else t).numpy().tobytes())

    def norm(name):
        put(name + "/g", torch.ones(width))
        put(name + "/b", torch.zeros(width))

    put("model/wte", tables[0], half)
    put("model/wpe", tables[1])
    norm("model/ln_f")
    for i, matrices in enumerate(blocks):
        norm(f"model/h{i}/ln_1")
        norm(f"model/h{i}/ln_2")
        for name, m in zip(("attn/c_attn", "attn/c_proj", "mlp/c_fc", "mlp/c_proj"), matrices):
            put(f"model/h{i}/{name}/w", m, half)
            put(f"model/h{i}/{name}/b", torch.zeros(len(m)))


def word(i):
    """Words of ggml's vocabulary: a space and four letters, which its tokenizer leaves whole."""
    return " " + "".join(chr(ord("a") + i // 26**place % 26) for place in range(4))


def written(path, write):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    with open(new, "wb") as file:
        write(file)
    new.replace(path)


model, ids = map(Path, sys.argv[3:])
if not model.exists() and model.suffix == ".onnx":
    written(model, lambda file: torch.onnx.export(GPT().eval(), tokens, file, input_names=["ids"], output_names=["logits"],
                                                  opset_version=17))
elif not model.exists():
    written(model, lambda file: write_ggml(file, model.suffix == ".ggml_f16"))
written(ids, lambda file: file.write(
    json.dumps({"ids": tokens.tolist(), "text": "".join(map(word, tokens[0].tolist()))}).encode()))
