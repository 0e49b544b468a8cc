"""Asks PyTorch how it prints every case of printing.json, and writes the answer (see versions.py).

    python3 tests/golden/make_printing.py     with 1.13.1 or 2.14.1

A `tensor` has `values`, or `fill`: element i is (i * a % m) * scale + offset; then `permute`, `slice` (dim, start, stop, step),
`requires_grad`, `grad_fn` (the op that made it), `parameter` and the `options` of set_printoptions.
"""
import json
import math
import pathlib
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F  # noqa: F401  for the expressions

from versions import with_answer

PATH = pathlib.Path(__file__).resolve().parent / "printing.json"
warnings.simplefilter("ignore")


class Empty(nn.Module):
    pass


class OnlyExtra(nn.Module):
    def extra_repr(self):
        return "a=1, b=2"


class ExtraAndChild(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def extra_repr(self):
        return "line one\nline two"


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, 2)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(0.1))


# What expressions of nodes start from.
x, x3, W = (torch.full(sizes, 0.5, requires_grad=True) for sizes in ((2, 3), (2, 2, 3), (4, 3)))


def values(row):
    dtype, count = getattr(torch, row["dtype"]), math.prod(row["shape"])
    if "fill" in row:
        f = row["fill"]
        numbers = [(i * f["a"] % f["m"]) * f["scale"] + f["offset"] for i in range(count)]
    else:
        numbers = [float(v) if isinstance(v, str) else v for v in row["values"]]
    return torch.tensor(numbers if dtype.is_floating_point else [int(v) for v in numbers], dtype=dtype).reshape(row["shape"])


def tensor(row):
    t = values(row)
    if "permute" in row:
        t = t.permute(row["permute"])
    if "slice" in row:
        dim, start, stop, step = row["slice"]
        t = t[(slice(None),) * dim + (slice(start, stop, step),)]
    if "grad_fn" in row:
        leaf = t.clone().requires_grad_()
        t = {"AddBackward0": leaf + 0, "MulBackward0": leaf * 1}.get(row["grad_fn"], leaf.clone())
    if row.get("requires_grad"):
        t.requires_grad_()
    if row.get("parameter"):
        t = nn.Parameter(t)
    torch.set_printoptions(**row.get("options", {}))
    try:
        text = repr(t)
    except RuntimeError:  # 1.13.1, of rows without edge items
        text = None
    torch.set_printoptions(profile="default", sci_mode=None)
    return text


def grad_fn(row):
    node = eval(row["expr"]).grad_fn
    return "" if node is None else type(node).__name__


TEXT = {
    "tensor": tensor,
    "size": lambda row: str(torch.Size(row["shape"])),
    "dtype": lambda row: str(getattr(torch, row["dtype"])),
    "python_float": lambda row: repr(float(row["value"])),
    "format": lambda row: format(row["value"], row["spec"]),
    "tolist": lambda row: str(values(row).tolist()),
    "grad_fn": grad_fn,
    "module": lambda row: repr(eval(row["expr"])),
}

rows = [with_answer(row, {"text": TEXT[row["kind"]](row)}) for row in json.loads(PATH.read_text())]
PATH.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
print(len(rows), "texts,", sum("before" in row for row in rows), "of them others in 1.13.1")
