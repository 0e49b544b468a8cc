"""The Python side of python_round_trip_extra_test.cpp: reads the files that Etude wrote to a folder, and writes its own there.

    python3 python_round_trip.py FOLDER

The package safetensors is not needed: the format is a length, a header of JSON and the data.
"""
import json
import math
import os
import struct
import warnings
import sys

import torch
import torch.nn.functional as F

TYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.int64: "I64", torch.int32: "I32", torch.uint8: "U8", torch.bool: "BOOL"}
NAMES = {name: dtype for dtype, name in TYPES.items()}


def save(path, tensors):
    header, data = {}, b""
    for name, t in tensors.items():
        raw = t.detach().contiguous().view(-1).numpy().tobytes()
        header[name] = {"dtype": TYPES[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = bytearray(data[begin:end])
        t = torch.frombuffer(raw, dtype=NAMES[entry["dtype"]]) if raw else torch.empty(0, dtype=NAMES[entry["dtype"]])
        tensors[name] = t.reshape(entry["shape"])
    return tensors


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(16, 4, dim_feedforward=24, dropout=0.1)
        self.encoder = torch.nn.TransformerEncoder(layer, 2)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.encoder(x))


def gpt_state(vocab, context, width, layers):
    shapes = {"wte.weight": [vocab, width], "wpe.weight": [context, width], "ln_f.weight": [width], "ln_f.bias": [width]}
    for i in range(layers):
        for norm in ("ln_1", "ln_2"):
            shapes[f"h.{i}.{norm}.weight"] = shapes[f"h.{i}.{norm}.bias"] = [width]
        for name, n, m in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width), ("mlp.c_fc", width, 4 * width),
                           ("mlp.c_proj", 4 * width, width)):
            shapes[f"h.{i}.{name}.weight"], shapes[f"h.{i}.{name}.bias"] = [n, m], [m]
    return {name: torch.randn(shape) / 3 for name, shape in shapes.items()}


def gpt_logits(p, ids, layers, heads):
    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"])

    def product(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    batch, length = ids.shape
    x = p["wte.weight"][ids] + p["wpe.weight"][:length]
    later = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
    for i in range(layers):
        q, k, v = product(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").view(batch, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(later, float("-inf")).softmax(-1)
        x = x + product((weights @ v).transpose(1, 2).flatten(2), f"h.{i}.attn.c_proj")
        x = x + product(F.gelu(product(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh"), f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ p["wte.weight"].T


def main(folder):
    def path(name):
        return os.path.join(folder, name)

    torch.manual_seed(3)
    torch.set_grad_enabled(False)
    # PyTorch's weights, for Etude.
    classifier = Classifier().eval()
    x, ids = torch.randn(7, 3, 16), torch.randint(11, (2, 6))
    save(path("classifier"), classifier.state_dict())
    save(path("classifier_values"), {"x": x, "y": classifier(x)})
    state = gpt_state(11, 8, 16, 2)
    save(path("gpt"), state)
    save(path("gpt_values"), {"x": ids, "y": gpt_logits(state, ids, 2, 4)})
    # Etude's weights.
    classifier.load_state_dict(load(path("written_classifier")))
    save(path("answered_classifier"), classifier.state_dict())
    save(path("answered_classifier_values"), {"y": classifier(x)})
    state = load(path("written_gpt"))
    save(path("answered_gpt"), state)
    save(path("answered_gpt_values"), {"y": gpt_logits(state, ids, 2, 4)})
    save(path("answered_types"), load(path("written_types")))
    # The same in files of torch.save, if Etude has written some.
    if os.path.exists(path("written.pt")):
        classifier.load_state_dict(torch.load(path("written.pt")))
        torch.save({"model": classifier.state_dict(), "y": classifier(x), "steps": 3}, path("answered.pt"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = torch.load(path("written_module.pt"))  # one of TorchScript
        torch.save(module.state_dict(), path("answered_module.pt"))
        torch.save(torch.load(path("written_types.pt")), path("answered_types.pt"))
    # Etude's stream of random numbers continues here, and PyTorch's in Etude.
    torch.set_rng_state(load(path("written_generator"))["state"])
    save(path("answered_generator"), {"uniform": torch.rand(5), "normal": torch.randn(3), "state": torch.get_rng_state()})
    torch.rand(600)
    before = torch.get_rng_state()
    save(path("generator"), {"state": before, "normal": torch.randn(5), "uniform": torch.rand(700)})


main(sys.argv[1])
