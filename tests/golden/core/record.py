#!/usr/bin/env python3
"""Asks PyTorch (recorded with 1.13.1, CPU) about types, layouts, views and special values, and writes the answers as JSON beside this file.

    python3 tests/golden/core/record.py

promotion.json   the type or refusal of every op on every pair of types
layout.json      sizes and strides of results, for operands of random layouts
views.json       chains of random views of arange: sizes, strides and offset, or the refusal of the last one
numbers.json     ops on special and extreme numbers of every type
"""
import json
import math
import pathlib
import random

import torch

HERE = pathlib.Path(__file__).parent
TYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


def T(name):
    return getattr(torch, name)


def N(t):
    return str(t).replace("torch.", "")


def first_line(e):
    return str(e).split("\n")[0]


def write(name, rows):
    lines = ",\n".join(json.dumps(r) for r in rows)
    (HERE / name).write_text("[\n" + lines + "\n]\n")
    print(name, len(rows))


# --- types -----------------------------------------------------------------------------------------------------------

BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "floor_divide": torch.floor_divide,
    "remainder": torch.remainder, "fmod": torch.fmod, "pow": torch.pow, "eq": torch.eq, "lt": torch.lt,
    "logical_and": torch.logical_and, "bitwise_and": lambda a, b: a & b, "result_type": torch.result_type,
}
TENSORS_ONLY = {"maximum": torch.maximum, "minimum": torch.minimum}
IN_PLACE = {"add_", "sub_", "mul_", "div_", "pow_", "copy_"}
UNARY = ["abs", "neg", "exp", "expm1", "log", "log1p", "log2", "sqrt", "rsqrt", "reciprocal", "square", "sin", "cos", "tan", "tanh",
         "sigmoid", "relu", "erf", "sign", "floor", "ceil", "round", "trunc", "logical_not", "isnan", "isinf", "isfinite"]


def operand(dtype, kind):
    if kind == "number":
        return {"bool": True, "int64": 1, "float64": 1.0}[dtype]
    return torch.ones([2] if kind == "dims" else [], dtype=T(dtype))


def answer(f, *args):
    try:
        r = f(*args)
        return N(r) if isinstance(r, torch.dtype) else N(r.dtype)
    except (RuntimeError, TypeError, IndexError) as e:
        return "error: " + first_line(e)


def promotion():
    rows = []
    for a in TYPES:
        for b in TYPES:
            rows.append(["promote_types", a, "", b, "", N(torch.promote_types(T(a), T(b)))])
            rows.append(["can_cast", a, "", b, "", torch.can_cast(T(a), T(b))])
    kinds = [("dims", "dims"), ("dims", "zero"), ("zero", "dims"), ("zero", "zero"), ("dims", "number"), ("zero", "number")]
    for name, f in {**BINARY, **TENSORS_ONLY}.items():
        for ka, kb in kinds:
            for a in TYPES:
                for b in ["bool", "int64", "float64"] if kb == "number" else TYPES:
                    if kb == "number" and name in TENSORS_ONLY or name in ("logical_and", "bitwise_and") and kb == "number":
                        continue
                    rows.append([name, a, ka, b, kb, answer(f, operand(a, ka), operand(b, kb))])
    for name in sorted(IN_PLACE):
        for ka, kb in kinds:
            if kb == "dims" and ka != "dims":
                continue
            for a in TYPES:
                for b in ["bool", "int64", "float64"] if kb == "number" else TYPES:
                    if name == "copy_" and kb == "number":
                        continue
                    rows.append([name, a, ka, b, kb, answer(getattr(torch.Tensor, name), operand(a, ka), operand(b, kb))])
    for name in UNARY:
        for a in TYPES:
            rows.append([name, a, "dims", "", "", answer(getattr(torch, name), operand(a, "dims"))])
    changed = json.loads((pathlib.Path(__file__).parent.parent / "changed.json").read_text())["promotion"]
    later = {tuple(row[:5]): row for row in changed}
    write("promotion.json", [row for row in rows if later.get(tuple(row[:5]), row) == row])


# --- layouts ---------------------------------------------------------------------------------------------------------

def random_layout(rng, sizes):
    """A tensor of these sizes: contiguous, permuted, with gaps, or expanded."""
    n = len(sizes)
    order = list(range(n))
    kind = rng.choice(["contiguous", "permuted", "permuted", "gaps", "expanded"])
    if kind != "contiguous":
        rng.shuffle(order)
    strides, s = [0] * n, rng.choice([1, 1, 2]) if kind == "gaps" else 1
    for d in reversed(order):
        strides[d] = s
        s *= max(sizes[d], 1)
        if kind == "gaps" and rng.random() < 0.4:
            s += rng.randint(1, 3)
    if kind == "expanded":
        for d in range(n):
            if rng.random() < 0.4:
                strides[d] = 0
    extent = 1 + sum((max(z, 1) - 1) * t for z, t in zip(sizes, strides))
    return torch.zeros(extent).as_strided(sizes, strides)


def describe(t):
    return [list(t.shape), list(t.stride())]


def layouts():
    rng, rows = random.Random(5), []
    for _ in range(250):
        sizes = [rng.choice([0, 1, 2, 3, 4]) if rng.random() < 0.1 else rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 4))]
        other = [1 if rng.random() < 0.25 else z for z in sizes]
        if rng.random() < 0.25:
            other = other[rng.randint(0, len(other)):]
        a, b = random_layout(rng, sizes), random_layout(rng, other)
        if rng.random() < 0.5:
            a, b = b, a
        rows.append({"a": describe(a), "b": describe(b), "add": describe(a + b), "exp": describe(a.exp()), "clone": describe(a.clone()),
                     "double": describe(a.double()), "zeros_like": describe(torch.zeros_like(a)), "add_number": describe(a + 1),
                     "contiguous": a.is_contiguous(), "lt": describe(a < b)})
    write("layout.json", rows)


# --- views -----------------------------------------------------------------------------------------------------------

def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0] if n else [0, 1, 2]


def random_sizes(rng, n):
    sizes = []
    for _ in range(rng.randint(0, 3)):
        d = rng.choice(divisors(n)) if n else rng.choice([1, 2])
        sizes.append(d)
        n = n // d if d else 0
    sizes.append(n)
    rng.shuffle(sizes)
    if rng.random() < 0.3:
        sizes[rng.randrange(len(sizes))] = -1
    return sizes


def random_step(rng, t):
    n = t.dim()
    dim = rng.randint(-n, n - 1) if n else 0
    if rng.random() < 0.03:
        dim = rng.choice([n + 1, -n - 2])
    size = t.shape[dim] if n and -n <= dim < n else 1
    kind = rng.choice(["transpose", "permute", "slice", "slice", "select", "narrow", "unsqueeze", "squeeze", "squeeze_all", "expand", "view",
                       "reshape", "flatten", "unfold", "diagonal", "split", "chunk", "unbind", "t", "as_strided", "mT", "split_sizes",
                       "unflatten"])
    if n == 0 and rng.random() < 0.8:
        kind = rng.choice(["unsqueeze", "expand", "view", "reshape", "flatten", "squeeze", "squeeze_all", "transpose"])
    if kind == "transpose":
        return [kind, dim, rng.randint(-n, n - 1) if n else -1]
    if kind == "permute":
        dims = list(range(n))
        rng.shuffle(dims)
        if dims and rng.random() < 0.05:
            dims[0] = dims[-1]
        return [kind, [d - n if rng.random() < 0.3 else d for d in dims]]
    if kind == "slice":
        bound = lambda: None if rng.random() < 0.25 else rng.randint(-size - 1, size + 1)
        return [kind, dim, bound(), bound(), rng.choice([1, 1, 2, 3])]
    if kind == "select":
        return [kind, dim, rng.randint(-size - (rng.random() < 0.1), max(size - 1, 0))]
    if kind == "narrow":
        start = rng.randint(0, size)
        return [kind, dim, start, rng.randint(0, size - start + (rng.random() < 0.1))]
    if kind == "unsqueeze":
        return [kind, rng.randint(-n - 1, n)]
    if kind in ("squeeze", "unbind"):
        return [kind, dim]
    if kind == "expand":
        sizes = [rng.choice([2, 3]) if z == 1 and rng.random() < 0.7 else rng.choice([z, -1]) for z in t.shape]
        if rng.random() < 0.05 and sizes:
            sizes[0] = 7
        return [kind, [2] * rng.choice([0, 0, 1]) + sizes]
    if kind in ("view", "reshape"):
        sizes = random_sizes(rng, t.numel())
        if rng.random() < 0.05:
            sizes[0] += 1
        return [kind, sizes]
    if kind == "flatten":
        return [kind, dim, rng.randint(-n, n - 1) if n else 0]
    if kind == "unfold":
        return [kind, dim, rng.randint(1, max(size, 1) + (rng.random() < 0.1)), rng.choice([1, 2])]
    if kind == "diagonal":
        return [kind, rng.randint(-2, 2), dim, rng.randint(-n, n - 1) if n else 0]
    if kind == "split":
        return [kind, rng.randint(1, max(size, 1)), dim]
    if kind == "chunk":
        return [kind, rng.randint(1, 4), dim]
    if kind == "split_sizes":
        first = rng.randint(0, size)
        return [kind, [first, size - first + (rng.random() < 0.1)], dim]
    if kind == "as_strided":
        sizes = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
        return [kind, sizes, [rng.randint(0, 2) for _ in sizes], rng.randint(0, 3)]
    if kind == "unflatten":
        d = rng.choice(divisors(size)) if size else 0
        return [kind, dim, [d, -1] if d else [0]]
    return [kind]


def apply(t, step):
    kind, *args = step
    if kind == "slice":
        dim, start, stop, by = args
        return torch.ops.aten.slice(t, dim, start, stop, by)
    if kind == "squeeze_all":
        return t.squeeze()
    if kind == "mT":
        return t.mT
    if kind == "split_sizes":
        return t.split(args[0], args[1])[-1]
    if kind in ("split", "chunk", "unbind"):
        return getattr(t, kind)(*args)[-1]
    if kind == "unflatten":
        return torch.Tensor.unflatten(t, *args)
    return getattr(t, kind)(*args)


def views():
    rng, rows = random.Random(6), []
    while len(rows) < 600:
        base = [rng.randint(1, 5) if rng.random() < 0.97 else 0 for _ in range(rng.randint(0, 4))]
        t = torch.arange(math.prod(base)).reshape(base)
        memory, steps, refusal = t.storage().data_ptr(), [], None
        for _ in range(rng.randint(1, 4)):
            step = random_step(rng, t)
            steps.append(step)
            try:
                t = apply(t, step)
            except (RuntimeError, IndexError, ValueError) as e:
                refusal = [type(e).__name__, first_line(e)]
                break
            if t.dim() > 7:
                break
        row = {"base": base, "steps": steps}
        if refusal:
            if steps[-1][0] == "unflatten" or refusal[1] == "tuple index out of range":  # refused in words of Python's own
                continue
            row["refusal"] = refusal
        else:
            row.update(sizes=list(t.shape), strides=list(t.stride()), offset=t.storage_offset(),
                       view=t.storage().data_ptr() == memory, values=t.flatten().tolist() if t.numel() < 40 else None)
        rows.append(row)
    write("views.json", rows)


# --- numbers ---------------------------------------------------------------------------------------------------------

SPECIAL = {
    "float32": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, 1e-30, 3e38, math.inf, -math.inf, math.nan],
    "int32": [0, 1, -1, 2, -2, 7, -7, 2**31 - 1, -2**31],
    "int64": [0, 1, -1, 2, -2, 7, -7, 2**63 - 1, -2**63],
    "uint8": [0, 1, 2, 7, 128, 255],
    "bool": [False, True],
}
SPECIAL["float64"] = SPECIAL["float32"]


def plain(t):
    def one(v):
        if isinstance(v, float) and not math.isfinite(v):
            return "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"
        return str(v) if isinstance(v, int) and not isinstance(v, bool) and abs(v) > 2**31 else v
    return [one(v) for v in t.flatten().tolist()]


def numbers():
    rows = []
    for dtype, values in SPECIAL.items():
        x = torch.tensor(values, dtype=T(dtype))
        a, b = x.repeat_interleave(len(values)), x.repeat(len(values))
        for name in ["add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "maximum", "minimum", "eq", "lt", "ge", "logical_xor"]:
            if name in ("floor_divide", "remainder", "fmod") and not x.is_floating_point():
                keep = b != 0
                keep &= ~((b == -1) & (a == x.min())) if dtype in ("int32", "int64") else True
                p, q = a[keep], b[keep]
            elif name in ("floor_divide", "remainder", "fmod"):
                # Above this the vector library that PyTorch uses gives nan.
                keep = ~((a.double() / b.double()).abs() > 1e20) | (b == 0) | a.isinf()
                p, q = a[keep], b[keep]
            else:
                p, q = a, b
            try:
                r = getattr(torch, name)(p, q)
            except RuntimeError:
                continue
            rows.append([name, dtype, plain(p), plain(q), N(r.dtype), plain(r)])
        for name in UNARY + ["clamp"]:
            if dtype in ("int32", "int64") and name == "abs" or name in ("exp", "expm1", "sin", "cos", "tan", "erf", "sigmoid", "tanh"):
                continue
            try:
                r = x.clamp(-1, 2) if name == "clamp" else getattr(torch, name)(x)
            except RuntimeError:
                continue
            rows.append([name, dtype, plain(x), [], N(r.dtype), plain(r)])
        for to in TYPES:
            y = x
            if x.is_floating_point() and not T(to).is_floating_point and to != "bool":
                y = x[x.isfinite() & (x.abs() < 1e9) & ((x >= 0) | torch.tensor(to != "uint8"))]
            rows.append(["to " + to, dtype, plain(y), [], to, plain(y.to(T(to)))])
    for base, exponent in [(2, 10), (-2, 3), (-1, 5), (3, 45), (0, 0), (7, 2)]:
        for dtype in ["int32", "int64", "uint8"]:
            if dtype == "uint8" and base < 0:
                continue
            x, y = torch.tensor([base], dtype=T(dtype)), torch.tensor([exponent], dtype=T(dtype))
            rows.append(["pow", dtype, plain(x), plain(y), dtype, plain(torch.pow(x, y))])
    for base in [-2.0, -0.0, 0.0, 1.0, 2.0, math.inf, -math.inf, math.nan]:
        for exponent in [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, math.inf, -math.inf, math.nan]:
            x, y = torch.tensor([base], dtype=torch.float64), torch.tensor([exponent], dtype=torch.float64)
            rows.append(["pow", "float64", plain(x), plain(y), "float64", plain(torch.pow(x, y))])
            rows.append(["pow number", "float64", plain(x), plain(y), "float64", plain(torch.pow(x, exponent))])
    write("numbers.json", rows)


if __name__ == "__main__":
    promotion()
    layouts()
    views()
    numbers()
