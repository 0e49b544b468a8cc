#!/usr/bin/env python3
"""Records what PyTorch 2.14.1 answers where it was changed on purpose after 1.13.1: tests/golden/changed.json.

    tests/golden/make_changed.py     with PyTorch 2.14 (Debian sid: python3-torch)
"""

import itertools
import json
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from versions import recorded_with

recorded_with("2.14")
NAN = float("nan")
FLOATS = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16}
INTEGERS = {"int64": torch.int64, "int32": torch.int32, "uint8": torch.uint8}
TYPES = {**FLOATS, **INTEGERS, "bool": torch.bool}


def numbers(t):
    """The elements for JSON: nan is null."""
    return [None if v != v else v for v in t.detach().double().flatten().tolist()]


def kept(t):
    return t.ne(0).int().flatten().tolist()


def seeded(draw):
    torch.manual_seed(3)
    return draw()


def refused(f):
    try:
        f()
    except RuntimeError as e:
        return str(e).split("\n")[0]
    raise AssertionError("is not refused")


def dropouts():
    return {"transposed": seeded(lambda: kept(F.dropout(torch.ones(3, 4).t(), 0.5))),
            "permuted": seeded(lambda: kept(F.dropout(torch.ones(2, 3, 4).permute(2, 0, 1), 0.5))),
            "sliced": seeded(lambda: kept(F.dropout(torch.ones(4, 6)[:, ::2], 0.5))),
            "expanded": seeded(lambda: kept(F.dropout(torch.ones(4, 1).expand(4, 3), 0.5))),
            "in place": seeded(lambda: kept(F.dropout(torch.ones(3, 4).t().clone(), 0.5, inplace=True)))}


def integers():
    rows = [(dtype, low, high) for dtype in ("int64", "int32", "float64", "float32")
            for low, high in ((0, 2**28 - 1), (0, 2**28), (-5, 2**28 - 5), (3, 2**31 - 1))]
    rows += [("int64", 0, 2**32 - 1), ("int64", -7, 2**32), ("int64", 0, 2**40), ("int32", -2**31, 2**31 - 1)]
    return [[dtype, low, high, seeded(lambda: numbers(torch.empty(5, dtype=TYPES[dtype]).random_(low, high)))]
            for dtype, low, high in rows]


def fills():
    """Each is drawn into 40 elements, 15, and a transposed matrix; the next number says how much was drawn."""
    targets = {"40": lambda t: torch.empty(40, dtype=t), "15": lambda t: torch.empty(15, dtype=t),
               "transposed": lambda t: torch.empty(4, 5, dtype=t).t()}
    draws = {"uniform_": (0.3, 1.7), "normal_": (0.3, 1.7), "trunc_normal_": (0.5, 1.0, -1.0, 1.0)}
    rows = [("float16", "uniform_", draws["uniform_"]), ("bfloat16", "uniform_", draws["uniform_"]),
            ("float16", "normal_", draws["normal_"]), ("bfloat16", "normal_", draws["normal_"])]
    rows += [(t, "trunc_normal_", a) for t in FLOATS
             for a in ((0.0, 0.02, -2.0, 2.0), (0.5, 1.0, -1.0, 1.0), (0.0, 1.0, 2.0, 3.0), (3.0, 2.0, -1.0, 1.0))]
    found = []
    for dtype, op, args in rows:
        for name, target in targets.items():
            torch.manual_seed(3)
            t = target(TYPES[dtype])
            (nn.init.trunc_normal_ if op == "trunc_normal_" else getattr(torch.Tensor, op))(t, *args)
            found.append([dtype, op, args, name, numbers(t), torch.rand(1).item()])
    return found


def clamps():
    """Gradients of x, min and max, where the bounds are tensors; and of x alone, where they are numbers."""
    leaves = lambda values: [None if v is None else torch.tensor(v, requires_grad=True) for v in values]
    tensors, scalars = [], []
    values = (0.0, 1.0, 2.0, 3.0, 4.0, NAN)
    for given in itertools.product(values, (1.0, 3.0, NAN, None), (1.0, 3.0, NAN, None)):
        if given[1] is None and given[2] is None:
            continue
        x, low, high = leaves(given)
        x.clamp(low, high).backward()
        tensors.append([["nan" if v is not None and v != v else v for v in given],
                        [None if v is None else v.grad.item() for v in (x, low, high)]])
        x = leaves(given)[0]
        x.clamp(given[1], given[2]).backward()
        scalars.append([tensors[-1][0], x.grad.item()])
    return {"tensors": tensors, "numbers": scalars}


def ranges():
    rows = [(0, 1.5, 1), (0, 0.5, 1), (0, 5, 0.5), (0, 1, 0.1), (0.7, 4.2, 1), (0.7, 4.2, 1.5), (-1.5, 2.7, 1),
            (2.7, -1.5, -1.3), (5, 0, -0.5), (5.9, 0.2, -1.7), (1.9, 2.0, 1), (1, 10, 2.5)]
    return [[dtype, *row, numbers(torch.arange(*row, dtype=INTEGERS[dtype]))] for dtype in ("int64", "int32") for row in rows]


def halves():
    found = []
    for dtype in ("float16", "bfloat16"):
        t = FLOATS[dtype]
        torch.manual_seed(3)
        p = torch.rand(9, dtype=t)
        once, again = torch.multinomial(p, 4).tolist(), torch.multinomial(p, 7, True).tolist()
        w = (torch.arange(21, dtype=t) / 4 - 2).view(3, 7)
        F.embedding(torch.tensor([0, 2]), w, max_norm=1.3)
        F.embedding(torch.tensor([1]), w, max_norm=1.3, norm_type=1.0)
        found.append({"dtype": dtype, "linspace": [numbers(torch.linspace(-1.3, 5.7, n, dtype=t)) for n in (0, 1, 2, 7, 40)],
                      "multinomial": [once, again], "renorm": numbers(w)})
    return found


def powers():
    bools = torch.tensor([True, False])
    out = {"true": numbers(bools ** True), "false": numbers(bools ** False)}
    out["refused"] = {
        "bool": refused(lambda: bools ** bools),
        "bool by int64": refused(lambda: bools.clone().pow_(2)),
        "int64 by float": refused(lambda: torch.tensor([3]).pow_(0.5))}
    return out


def promotion():
    """Rows of core/promotion.json: the type of a power, or its error."""
    rows = []
    for op, a, kind, number in itertools.product(("pow", "pow_"), ("bool", *INTEGERS), ("dims", "zero"), (True, 2, 2.5)):
        base = torch.ones([2] if kind == "dims" else [], dtype=TYPES[a])
        power = lambda: base.clone().pow_(number) if op == "pow_" else base.pow(number)
        try:
            text = str(power().dtype)[6:]
        except RuntimeError as e:
            text = "error: " + str(e).split("\n")[0]
        rows.append([op, a, kind, {bool: "bool", int: "int64", float: "float64"}[type(number)], "number", text])
    return rows


def masks():
    x = torch.zeros(3)
    ids = {"uint8": torch.tensor([1, 0, 1], dtype=torch.uint8), "int64": torch.tensor([1, 0, 1]), "float32": torch.tensor([1.0, 0, 1])}
    return {name: {"masked_fill": refused(lambda: x.masked_fill(mask, 5)), "masked_fill_": refused(lambda: x.clone().masked_fill_(mask, 5)),
                   "masked_select": refused(lambda: x.masked_select(mask))} for name, mask in ids.items()}


def int32_indices():
    """Values and the gradient of x, for indices of int32."""
    ids, rows = torch.tensor([1, -1], dtype=torch.int32), torch.tensor([[2, 0], [1, 1]], dtype=torch.int32)
    found = {}
    for name, op in {"index": lambda x: x[ids], "column": lambda x: x[:, ids], "put": lambda x: x.index_put((ids,), torch.tensor(9.0)),
                     "gather": lambda x: x.gather(1, rows), "scatter": lambda x: x.scatter(1, rows, 9.0),
                     "scatter_add": lambda x: x.scatter_add(1, rows, torch.ones(2, 2))}.items():
        x = torch.arange(6.0).view(2, 3).requires_grad_()
        y = op(x)
        (y * torch.arange(1.0, 1 + y.numel()).view(y.shape)).sum().backward()
        found[name] = [numbers(y), numbers(x.grad)]
    return found


def nodes():
    """The names of nodes that the other recordings lack."""
    x, x3, w, b = (torch.ones(sizes, requires_grad=True) for sizes in ((2, 3), (2, 2, 3), (4, 3), (4,)))
    x4 = torch.ones(2, 2, 2, 3, requires_grad=True)
    tensors = {"linear of 1 dim": F.linear(x[0], w, b), "linear of 4 dims": F.linear(x4, w, b),
               "linear of 4 dims, strided": F.linear(x4.transpose(0, 1), w, b), "linear without bias": F.linear(x[0], w),
               "power of a number": 2 ** x, "power of tensors": x ** x, "norm": x.norm(), "norm of rows": x.norm(1, 1),
               "repeated rows": x.repeat_interleave(2, 0), "repeated elements": x.repeat_interleave(2),
               "rows by a tensor": x.repeat_interleave(torch.tensor([1, 2]), 0), "prelu": F.prelu(x, b[:1]),
               "whole slices": x[:, :], "a whole slice": x[:], "a row and a whole slice": x[0, :], "reshape of a transpose": x.t().reshape(6),
               "flatten": x3.flatten(1), "matmul of a row": x[0] @ w.t()}
    return {name: type(t.grad_fn).__name__ for name, t in tensors.items()}


def mixed_loss():
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    F.mse_loss(x, y).backward()
    return [numbers(x.grad), numbers(y.grad)]


def main():
    found = {"torch": torch.__version__.split("+")[0], "dropout": dropouts(), "random_": integers(), "fills": fills(),
             "uniform_ at the end": [seeded(lambda: torch.empty(100, dtype=t).uniform_(1, 1.0009765625).max().item())
                                     for t in (torch.float16, torch.bfloat16)],
             "clamp": clamps(), "arange": ranges(), "halves": halves(), "pow": powers(), "promotion": promotion(), "masks": masks(), "mse_loss": mixed_loss(),
             "int32 indices": int32_indices(), "nodes": nodes()}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    (Path(__file__).parent / "changed.json").write_text("{" + ",\n".join(lines) + "}\n")


main()
