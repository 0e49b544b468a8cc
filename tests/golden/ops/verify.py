#!/usr/bin/env python3
"""Computes every case of index.json and errors.json again with the PyTorch at hand (1.13.1 or 2.14.1, CPU) and compares.

    python3 tests/golden/ops/verify.py
    python3 tests/golden/ops/verify.py --record    # writes the names of nodes and the errors; numbers are left alone

The data are samples. Another build of PyTorch may differ in the last bits of products, exp, sin, ... What 1.13.1 answers otherwise than
2.14.1 is in `before`, see versions.py.
"""
import json
import math
import pathlib
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from versions import recorded, with_answer  # noqa: E402

TYPES = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64, "BOOL": torch.bool}


def read(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    body = memoryview(bytearray(data[8 + length:]))
    result = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            dtype = TYPES[entry["dtype"]]
            empty = begin == end
            flat = torch.empty(0, dtype=dtype) if empty else torch.frombuffer(body[begin:end], dtype=dtype).clone()
            result[name] = flat.reshape(entry["shape"])
    return result


# What the expressions of `ops` name.

def table(n, d):
    pe = torch.zeros(n, d)
    position = torch.arange(0, n).float().unsqueeze(1)
    frequency = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * frequency)
    pe[:, 1::2] = torch.cos(position * frequency)
    return pe


class PE000:
    def __init__(self, d, n):
        self.pe = torch.zeros(n, d)
        for p in range(n):
            for i in range(0, d, 2):
                self.pe[p, i] = math.sin(p / (10000 ** (i / d)))
                self.pe[p, i + 1] = math.cos(p / (10000 ** (i / d)))
        self.pe = self.pe.unsqueeze(0)


class PE001:
    def __init__(self, n, d):
        self.PE = table(n, d).unsqueeze(0)


def encoding_002(d, n):
    return table(n, d).unsqueeze(1)


def sdpa(q, k, v, mask=None, causal=False):
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if causal:
        s = s.masked_fill(~torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril(), -math.inf)
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf)
    return F.softmax(s, -1) @ v


def mha(x, in_w, in_b, out_w, out_b, heads, y=None, key_padding_mask=None, attn_mask=None, average=True):
    y = x if y is None else y
    return F.multi_head_attention_forward(
        x, y, y, x.size(-1), heads, in_w, in_b, None, None, False, 0.0, out_w, out_b, training=False,
        key_padding_mask=key_padding_mask, attn_mask=attn_mask, need_weights=True, average_attn_weights=average)


def with_parameters(module, parameters):
    names = [n for n, _ in module.named_parameters()]
    return lambda *a, **k: torch.nn.utils.stateless.functional_call(module, dict(zip(names, parameters)), a, k)


def encoder_layer(x, p, heads, norm_first, activation, mask=None, pad=None):
    m = nn.TransformerEncoderLayer(x.size(-1), heads, p[4].size(0), 0.0, activation, batch_first=True, norm_first=norm_first,
                                   dtype=x.dtype)
    return with_parameters(m.train(), p)(x, src_mask=mask, src_key_padding_mask=pad)


def decoder_layer(x, mem, p, heads, norm_first, mask=None):
    m = nn.TransformerDecoderLayer(x.size(-1), heads, p[8].size(0), 0.0, "relu", batch_first=True, norm_first=norm_first,
                                   dtype=x.dtype)
    return with_parameters(m.train(), p)(x, mem, tgt_mask=mask)


def clip(grads, max_norm, norm_type):
    parameters = [nn.Parameter(torch.zeros_like(g)) for g in grads]
    for p, g in zip(parameters, grads):
        p.grad = g.clone()
    total = nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)
    return (total, *[p.grad for p in parameters])


def optimise(cls, p0, grads, **kw):
    p = nn.Parameter(p0.clone())
    optimizer, out = getattr(torch.optim, cls)([p], **kw), []
    for g in grads:
        p.grad = g.clone()
        optimizer.step()
        out.append(p.detach().clone())
    return torch.stack(out)


def schedule(cls, lr, steps, **kw):
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=lr)
    if "noam" in kw:
        d, w = kw.pop("noam")
        kw["lr_lambda"] = lambda s: d ** -0.5 * min(max(s, 1) ** -0.5, max(s, 1) * w ** -1.5)
    scheduler, out = getattr(torch.optim.lr_scheduler, cls)(optimizer, **kw), []
    for _ in range(steps):
        out.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return torch.tensor(out, dtype=torch.float64)


def seeded(seed, f):
    torch.manual_seed(seed)
    return f()


def value(v):
    return {"inf_": math.inf, "-inf_": -math.inf}.get(v, v) if isinstance(v, str) else v


def view(t, steps):
    for kind, *args in steps:
        if kind == "slice":
            dim, start, stop, step = args
            t = t[(slice(None),) * dim + (slice(start, stop, step),)]
        elif kind == "transpose":
            t = t.transpose(*args)
        else:
            t = getattr(t, kind)(args)
    return t


def distance(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return math.inf
    a, b = a.detach().double(), b.double()
    same = (a == b) | (a.isnan() & b.isnan())
    if not torch.isfinite(a[~same]).all() or not torch.isfinite(b[~same]).all():
        return math.inf
    return ((a - b).abs() / b.abs().clamp(min=1))[~same].max().item() if (~same).any() else 0.0


def name_of(tensor):
    return {"grad_fn": None if tensor.grad_fn is None else type(tensor.grad_fn).__name__}


def check_case(c, code, stored, record):
    names, leaves = dict(c["attrs"]), {}
    names = {k: value(v) for k, v in names.items()}
    for i in c["inputs"]:
        leaf = stored[f"{c['id']}/in.{i['name']}"].clone().requires_grad_(i["requires_grad"])
        leaves[i["name"]] = leaf
        names.setdefault(i["name"].split(".")[0], [])
        seen = view(leaf, i.get("view", []))
        if "." in i["name"]:
            names[i["name"].split(".")[0]].append(seen)
        else:
            names[i["name"]] = seen
    out = eval(code, {**globals(), **names})
    out = list(out) if isinstance(out, (tuple, list)) else [out]
    worst, roots, gradients = 0.0, [], []
    for k, (o, want) in enumerate(zip(out, c["outputs"])):
        worst = max(worst, distance(o, stored[f"{c['id']}/out.{k}"]))
        if record:
            c["outputs"][k] = with_answer(want, name_of(o))
        elif name_of(o)["grad_fn"] != recorded(want).get("grad_fn"):
            return math.inf
        gradient = stored.get(f"{c['id']}/gout.{k}")
        if gradient is not None:
            roots.append(o)
            gradients.append(gradient)
    if roots:
        torch.autograd.backward(roots, gradients)
    for name in c["grads"]:
        worst = max(worst, distance(leaves[name].grad, stored[f"{c['id']}/grad.{name}"]))
    return worst


def error_of(code):
    def ids(*values):
        return torch.tensor([*values])

    def leaf(*sizes):
        return torch.zeros(*sizes, requires_grad=True)

    names = {**globals(), "Z": torch.zeros, "ids": ids, "leaf": leaf}
    try:
        for part in code.split("; "):
            exec(part, names)
    except Exception as e:  # noqa: BLE001
        text = e.args[0] if isinstance(e, KeyError) else str(e)
        return {"type": type(e).__name__, "message": text.strip()}
    return {"type": None, "message": None}


def main(record):
    text = (HERE / "index.json").read_text()
    index = json.loads(text)
    files = {op: read(HERE / f"{op}.safetensors") for op in index["ops"]}
    warnings.simplefilter("ignore")
    wrong = 0
    for c in index["cases"]:
        tolerance = 1e-13 if c["dtype"] == "float64" else max(1e-6, 4 * c.get("float32_error", 0))
        found = check_case(c, index["ops"][c["op"]], files[c["op"]], record)
        if found > tolerance:
            wrong += 1
            print(f"{c['id']}: differs by {found}")
    errors = json.loads((HERE / "errors.json").read_text())
    for i, c in enumerate(errors):
        answer = error_of(c["code"])
        if record:
            errors[i] = with_answer(c, answer)
        elif answer != {k: (v or "").strip() if k == "message" and v else v for k, v in recorded(c).items() if k in answer}:
            wrong += 1
            print(f"{c['id']}: another answer")
    print(f"{len(index['cases'])} cases and {len(errors)} errors, {wrong} differ")
    if record:
        head, mark = text.partition('"cases": [\n')[:2]
        lines = ",\n".join("  " + json.dumps(c) for c in index["cases"])
        (HERE / "index.json").write_text(head + mark + lines + "\n ]\n}\n")
        (HERE / "errors.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in errors) + "\n]\n")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main("--record" in sys.argv))
