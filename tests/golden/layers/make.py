#!/usr/bin/env python3
"""Writes layers.json: what PyTorch 1.13.1 computes with modules, initialisers, state dicts and SGD.

    /usr/bin/python3 tests/golden/layers/make.py

A tensor is {"sizes": [...], "values": [...]}, the values as the doubles that they are, so that float32 is exact. Inputs that are
not random are ramp(n, ...) below, which the tests repeat.
"""
import json
import math
import sys
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(Path(__file__).resolve().parent.parent))
from versions import recorded_with  # noqa: E402

torch.set_num_threads(1)


def ramp(*sizes):
    """sin(1), sin(2), ... in double, rounded to float32."""
    n = math.prod(sizes)
    return torch.tensor([math.sin(i + 1) for i in range(n)], dtype=torch.float64).to(torch.float32).reshape(sizes)


def dump(t):
    return {"sizes": list(t.shape), "values": t.detach().double().flatten().tolist()}


def dump_state(module):
    return [[name, dump(value)] for name, value in module.state_dict().items()]


def error_of(call):
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("no error")


class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, padding_idx=None):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx)

    def forward(self, ids):
        return self.embedding(ids)


def sinusoidal_table(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len).unsqueeze(1).float()
    frequency = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    table[:, 0::2] = torch.sin(position * frequency)
    table[:, 1::2] = torch.cos(position * frequency[: d_model // 2])
    return table


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len, batch_first, dropout=0.0, persistent=True):
        super().__init__()
        self.batch_first = batch_first
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze(0 if batch_first else 1), persistent)
        if dropout:
            self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + (self.pe[:, : x.size(1)] if self.batch_first else self.pe[: x.size(0)])
        return self.dropout(x) if hasattr(self, "dropout") else x


class InputEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_len, dropout, scale, padding_idx):
        super().__init__()
        self.scale = math.sqrt(d_model) if scale else 1.0
        self.token_embedding = TokenEmbedding(vocab_size, d_model, padding_idx)
        self.pos_encoding = PositionalEncoding(d_model, max_len, True)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids):
        return self.dropout(self.pos_encoding(self.token_embedding(ids) * self.scale))


def inits():
    cases = {
        "xavier_uniform": lambda t: nn.init.xavier_uniform_(t),
        "xavier_uniform gain 2": lambda t: nn.init.xavier_uniform_(t, 2.0),
        "xavier_normal": lambda t: nn.init.xavier_normal_(t),
        "kaiming_uniform": lambda t: nn.init.kaiming_uniform_(t),
        "kaiming_uniform sqrt 5": lambda t: nn.init.kaiming_uniform_(t, math.sqrt(5)),
        "kaiming_uniform fan_out relu": lambda t: nn.init.kaiming_uniform_(t, mode="fan_out", nonlinearity="relu"),
        "kaiming_normal": lambda t: nn.init.kaiming_normal_(t),
        "kaiming_normal fan_out tanh": lambda t: nn.init.kaiming_normal_(t, mode="fan_out", nonlinearity="tanh"),
        "normal": lambda t: nn.init.normal_(t, 1.0, 0.02),
        "uniform": lambda t: nn.init.uniform_(t, -0.5, 2.0),
        "eye": lambda t: nn.init.eye_(t) if t.dim() == 2 else t.zero_(),
        "constant": lambda t: nn.init.constant_(t, 0.3),
    }
    rows = []
    for sizes in [[2, 3], [4, 6], [2, 3, 4]]:
        for name, fill in cases.items():
            torch.manual_seed(7)
            rows.append({"name": name, "tensor": dump(fill(torch.zeros(sizes)))})
    gains = {"linear": ("linear", None), "sigmoid": ("sigmoid", None), "tanh": ("tanh", None), "relu": ("relu", None),
             "leaky_relu": ("leaky_relu", None), "leaky_relu 0.2": ("leaky_relu", 0.2)}
    return {"fills": rows, "gains": {k: float(nn.init.calculate_gain(*v)) for k, v in gains.items()}}


def linear():
    rows = []
    for bias in [True, False]:
        torch.manual_seed(3)
        fc = nn.Linear(5, 4, bias)
        x = ramp(2, 3, 5).requires_grad_()
        y = fc(x)
        (y * ramp(2, 3, 4)).sum().backward()
        rows.append({"bias": bias, "state": dump_state(fc), "y": dump(y), "dx": dump(x.grad), "next": torch.rand(1).item(),
                     "grads": [[n, dump(p.grad)] for n, p in fc.named_parameters()]})
    return rows


def embedding():
    ids = torch.tensor([[1, 4, 1], [0, 1, 2]])
    variants = {"plain": {}, "padding": {"padding_idx": 1}, "padding from the end": {"padding_idx": -5},
                "max_norm": {"max_norm": 1.0}, "max_norm 1": {"max_norm": 1.5, "norm_type": 1.0},
                "freq": {"scale_grad_by_freq": True}, "all": {"padding_idx": 2, "max_norm": 1.0, "scale_grad_by_freq": True}}
    rows = []
    for name, options in variants.items():
        torch.manual_seed(5)
        table = nn.Embedding(6, 4, **options)
        before = dump(table.weight)
        y = table(ids)
        (y * ramp(2, 3, 4)).sum().backward()
        rows.append({"name": name, "before": before, "after": dump(table.weight), "y": dump(y), "grad": dump(table.weight.grad),
                     "text": repr(table)})
    return rows


def dropout():
    rows = []
    for p in [0.0, 0.1, 0.5, 1.0]:
        torch.manual_seed(11)
        drop = nn.Dropout(p)
        x = ramp(3, 7).requires_grad_()
        y = drop(x)
        y.sum().backward()
        rows.append({"p": p, "y": dump(y), "dx": dump(x.grad), "eval": dump(drop.eval()(x)), "next": torch.rand(1).item()})
    return rows


def positions():
    tables = {"%d,%d" % (l, d): dump(sinusoidal_table(l, d)) for l, d in [(20, 10), (12, 7), (6, 1), (3, 2)]}
    torch.manual_seed(2)
    sequence_first = PositionalEncoding(6, 9, False, dropout=0.25)
    y = sequence_first(ramp(5, 2, 6))
    batch_first = PositionalEncoding(7, 9, True)
    return {"tables": tables, "sequence first": dump(y), "batch first": dump(batch_first(ramp(2, 5, 7))),
            "texts": [repr(sequence_first), repr(batch_first)],
            "names": {"persistent": list(batch_first.state_dict()), "not persistent": list(PositionalEncoding(4, 3, True, 0, False).state_dict())}}


def input_embedding():
    ids = torch.tensor([[3, 0, 3, 7], [1, 0, 8, 2]])
    torch.manual_seed(9)
    module = InputEmbedding(9, 6, 10, 0.3, True, 0)
    y = module(ids)
    y.sum().backward()
    return {"names": list(module.state_dict()), "y": dump(y), "eval": dump(module.eval()(ids)), "text": repr(module),
            "grad": dump(module.token_embedding.embedding.weight.grad), "next": torch.rand(1).item()}


class Net(nn.Module):
    """A module with parameters and buffers of its own before, between and after submodules."""

    def __init__(self):
        super().__init__()
        self.register_buffer("counts", torch.zeros(2, dtype=torch.int64))
        self.fc = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(()))
        self.register_buffer("cache", torch.zeros(4), persistent=False)
        self.layers = nn.Sequential(nn.Linear(3, 3, bias=False), nn.ReLU(), nn.Linear(3, 1))
        self.register_buffer("mean", torch.zeros(3))


def states():
    torch.manual_seed(1)
    net = Net()
    full = net.state_dict()

    def changed(drop=(), add=()):
        state = {k: v for k, v in full.items() if k not in drop}
        state.update(dict(add))
        return state

    cases = {
        "missing": changed(drop=["fc.weight", "mean"]),
        "unexpected": changed(add=[("extra", torch.ones(1)), ("fc.gamma", torch.ones(1)), ("layers.1.x", torch.ones(1)), ("cache", torch.ones(4))]),
        "sizes": changed(add=[("fc.weight", torch.ones(3, 5)), ("scale", torch.ones(2, 2))]),
        "all": changed(drop=["layers.2.bias", "counts"], add=[("layers.9.weight", torch.ones(1)), ("fc.bias", torch.ones(4))]),
        "below a parameter": changed(add=[("scale.deep", torch.ones(1))]),
        "number": changed(add=[("scale", torch.full([1], 3.0))]),
    }
    rows = {}
    for name, state in cases.items():
        target = Net()
        row = {"keys": list(state)}
        try:
            row["keys text"] = repr(target.load_state_dict(state))
            row["error"] = ""
        except RuntimeError as error:
            row["error"] = str(error)
        row["scale"] = target.scale.item()
        if name not in ("sizes", "all"):
            row["relaxed"] = repr(Net().load_state_dict(state, strict=False))
        rows[name] = row
    linear_error = error_of(lambda: nn.Linear(4, 3).load_state_dict({"weight": torch.ones(3, 5), "gain": torch.ones(1)}))
    return {"names": list(full), "sizes": [list(v.shape) for v in full.values()], "cases": rows, "linear": linear_error,
            "text": repr(net), "parameters": [n for n, _ in net.named_parameters()], "buffers": [n for n, _ in net.named_buffers()]}


def sgd():
    variants = {"plain": {}, "momentum": {"momentum": 0.9}, "dampening": {"momentum": 0.9, "dampening": 0.5},
                "nesterov": {"momentum": 0.8, "nesterov": True}, "decay": {"weight_decay": 0.1},
                "all": {"momentum": 0.7, "dampening": 0.2, "weight_decay": 0.05}}
    rows = {}
    for name, options in variants.items():
        p = nn.Parameter(ramp(6).double())
        optimizer = torch.optim.SGD([p], lr=0.1, **options)
        steps = []
        for i in range(5):
            optimizer.zero_grad()
            ((p - i) ** 3).sum().backward()
            optimizer.step()
            steps.append(dump(p))
        rows[name] = steps
    return rows


def functional():
    x, classes = ramp(4, 3), torch.tensor([2, 0, 1, 0])
    weight = torch.tensor([0.5, 1.0, 2.0])
    logp = F.log_softmax(x, 1)
    values = {
        "cross_entropy": F.cross_entropy(x, classes),
        "cross_entropy sum": F.cross_entropy(x, classes, reduction="sum"),
        "cross_entropy none": F.cross_entropy(x, classes, reduction="none"),
        "cross_entropy weight": F.cross_entropy(x, classes, weight),
        "cross_entropy ignore": F.cross_entropy(x, classes, ignore_index=0),
        "cross_entropy smoothing": F.cross_entropy(x, classes, label_smoothing=0.2),
        "cross_entropy all": F.cross_entropy(x, classes, weight, ignore_index=1, reduction="sum", label_smoothing=0.1),
        "nll_loss": F.nll_loss(logp, classes),
        "nll_loss all": F.nll_loss(logp, classes, weight, ignore_index=2, reduction="sum"),
        "mse_loss": F.mse_loss(x, 2 * x + 1),
        "mse_loss none": F.mse_loss(x, 2 * x + 1, reduction="none"),
        "mse_loss sum": F.mse_loss(x, 2 * x + 1, reduction="sum"),
        "softmax": F.softmax(x, 0), "log_softmax double": F.log_softmax(x, -1, dtype=torch.float64),
        "relu": F.relu(x), "gelu": F.gelu(x), "gelu tanh": F.gelu(x, approximate="tanh"),
        "linear": F.linear(x, ramp(2, 3), ramp(2)),
    }
    grads = [ramp(3, 2) * 3, ramp(4)]
    clipped = {}
    for norm_type in [1.0, 2.0, math.inf]:
        params = [nn.Parameter(torch.zeros_like(g)) for g in grads]
        for p, g in zip(params, grads):
            p.grad = g.clone()
        total = nn.utils.clip_grad_norm_(params, 1.5, norm_type)
        clipped[str(norm_type)] = {"total": total.item(), "grads": [dump(p.grad) for p in params]}
    return {"values": {k: dump(v) for k, v in values.items()}, "clipped": clipped}


def texts():
    expressions = ["nn.Linear(4, 3, bias=False)", "nn.Dropout(1e-5)", "nn.Softmax(dim=-1)", "nn.Flatten(0, 2)",
                   "nn.Embedding(10, 4, padding_idx=1, max_norm=2.0, norm_type=1.0, scale_grad_by_freq=True)"]
    return {e: repr(eval(e)) for e in expressions}


if __name__ == "__main__":
    recorded_with("1.13")
    golden = {"init": inits(), "linear": linear(), "embedding": embedding(), "dropout": dropout(), "positions": positions(),
              "input_embedding": input_embedding(), "state": states(), "sgd": sgd(), "functional": functional(), "texts": texts()}
    (Path(__file__).parent / "layers.json").write_text(json.dumps(golden, indent=0, separators=(",", ":")).replace("\n", "") + "\n")
