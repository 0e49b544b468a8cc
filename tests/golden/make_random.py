#!/usr/bin/env python3
"""Records random.json: fingerprints of tensors that PyTorch fills at random.

usage: make_random.py    (PyTorch 1.13, CPU, x86-64 with AVX2; rewrites random.json next to this file)

PyTorch 2.14 gives the same, up to the last bits of logarithms, but for five rows, which are its: random_ of a range of 2^28 or more, and
one sample of multinomial with replacement.

A row of "fills" is an in-place call on each of the "targets": zeros(shape, dtype), seen through the steps of a view. A row of "draws" is a
function of each of the "inputs", whose elements are i / n. A fingerprint is the 64-bit FNV-1a hash over what each of the "seeds" gives: the
little-endian elements in row-major order (of a target whole, so that it tells what was left untouched too), then the next output of the
generator modulo 2^31 as eight bytes.
"""
import json
import pathlib

import torch

SEEDS = [0, 42, 2**32 + 7]
SIZES = [0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 100, 311, 312, 313, 623, 624, 625, 1023, 1024, 1025, 2049, 5003]
VIEWS = [  # shape, steps
    ([], []),
    ([4, 5], [["transpose", 0, 1]]),
    ([3, 3], [["transpose", 0, 1]]),
    ([24, 17], [["transpose", 0, 1]]),
    ([5, 8], [["slice", 1, 0, 8, 2]]),
    ([5, 8], [["slice", 0, 1, 5, 3]]),
    ([5, 8], [["slice", 1, 3, 7, 1], ["transpose", 0, 1]]),
    ([2, 3, 4], [["permute", 2, 0, 1]]),
    ([2, 3, 4, 5], [["permute", 3, 1, 0, 2], ["slice", 0, 0, 5, 2]]),
    ([2, 1, 3, 1, 2], [["permute", 4, 3, 1, 0, 2]]),
    ([2, 2, 2, 2, 2, 2, 2, 2], [["permute", 7, 0, 6, 1, 5, 2, 4, 3]]),
    ([6, 0], [["transpose", 0, 1]]),
]
FLOATS, ALL = ["float32", "float64"], ["float32", "float64", "int64", "int32", "uint8", "bool"]
FILLS = [  # op, arguments, dtypes
    ("uniform_", [0.0, 1.0], FLOATS), ("uniform_", [-0.37, 0.61], FLOATS), ("uniform_", [1e-3, 7e5], FLOATS),
    ("normal_", [0.0, 1.0], FLOATS), ("normal_", [0.3, 0.02], FLOATS), ("normal_", [-5.0, 1e4], FLOATS),
    ("exponential_", [1.0], FLOATS), ("exponential_", [0.3], FLOATS),
    ("bernoulli_", [0.3], ALL), ("bernoulli_", [0.9], ALL), ("bernoulli_", [0.0], FLOATS), ("bernoulli_", [1.0], FLOATS),
    ("random_", [], ALL), ("random_", [2], ALL), ("random_", [0, 200], ALL[:5]), ("random_", [-1000, 1000], ALL[:4]),
    ("random_", [-7, 2**40], ["int64", "float64", "float32"]), ("random_", [-2**63, None], ["int64", "float64", "float32"]),
    ("random_", [-2**31, 2**31], ["int32", "int64"]), ("random_", [5, None], ALL[:5]), ("random_", [0, 2**32 - 1], ["int64"]),
    ("random_", [0, 2**32], ["int64"]), ("random_", [2**24 - 5, 2**24 + 1000], ["float32"]),
    ("bernoulli_tensor", ["float32"], ALL), ("bernoulli_tensor", ["float64"], ["float32", "bool"]),
]


def fingerprint(f):
    h = 0xCBF29CE484222325
    for seed in SEEDS:
        torch.manual_seed(seed)
        t = f().contiguous().numpy().tobytes()
        after = int(torch.empty(1, dtype=torch.int32).random_())
        for b in t + after.to_bytes(8, "little"):
            h = ((h ^ b) * 0x100000001B3) & (2**64 - 1)
    return "%016x" % h


def seen(t, steps):
    for name, *a in steps:
        t = t[tuple([slice(None)] * a[0] + [slice(*a[1:])])] if name == "slice" else getattr(t, name)(*a)
    return t


def ramp(sizes, dtype):
    """Probabilities i / n."""
    n = max(1, torch.Size(sizes).numel())
    return (torch.arange(n, dtype=torch.float64)[: torch.Size(sizes).numel()] / n).to(dtype).reshape(sizes)


def fill(op, args, dtype, shape, view):
    base = torch.zeros(shape, dtype=dtype)
    target = seen(base, view)
    if op == "bernoulli_tensor":
        target.bernoulli_(ramp(target.shape, getattr(torch, args[0])))
    else:
        getattr(target, op)(*args)
    return base


DRAWS = {
    "rand_like": lambda x: torch.rand_like(x),
    "randn_like": lambda x: torch.randn_like(x),
    "bernoulli": lambda x: torch.bernoulli(x),
    "normal(x, 2)": lambda x: torch.normal(x, 2.0),
    "normal(-1, x)": lambda x: torch.normal(-1.0, x),
    "normal(x, x)": lambda x: torch.normal(x, x),
    "multinomial(x, 1)": lambda x: torch.multinomial(x, 1),
    "multinomial(x, 3)": lambda x: torch.multinomial(x, 3),
    "multinomial(x, all)": lambda x: torch.multinomial(x, x.size(-1)),
    "multinomial(x, 1, true)": lambda x: torch.multinomial(x, 1, True),
    "multinomial(x, 40, true)": lambda x: torch.multinomial(x, 40, True),
}
INPUTS = [([3], []), ([17], []), ([400], []), ([3, 5], []), ([5, 3], [["transpose", 0, 1]]), ([9, 40], [["transpose", 0, 1]]),
          ([9, 40], [["slice", 1, 0, 40, 3]])]
TARGETS = [([n], []) for n in SIZES] + VIEWS
LENGTHS = [0, 1, 2, 10, 100, 256]


def main():
    data = {"seeds": SEEDS, "targets": TARGETS, "inputs": INPUTS, "lengths": LENGTHS, "fills": [], "draws": [], "permutations": []}
    for op, args, dtypes in FILLS:
        for dtype in dtypes:
            prints = [fingerprint(lambda: fill(op, args, getattr(torch, dtype), *target)) for target in TARGETS]
            data["fills"].append({"op": op, "args": args, "dtype": dtype, "fnv1a64": prints})
    for op, f in DRAWS.items():
        for dtype in FLOATS:
            inputs = [seen(ramp(shape, getattr(torch, dtype)), view) for shape, view in INPUTS]
            data["draws"].append({"op": op, "dtype": dtype, "fnv1a64": [fingerprint(lambda: f(x)) for x in inputs]})
    for dtype in ALL[:5]:
        prints = [fingerprint(lambda: torch.randperm(n, dtype=getattr(torch, dtype))) for n in LENGTHS]
        data["permutations"].append({"dtype": dtype, "fnv1a64": prints})
    lines = []
    for key, value in data.items():
        rows = isinstance(value[0], dict)
        lines.append(json.dumps(key) + ": " + ("[\n" + ",\n".join(map(json.dumps, value)) + "\n]" if rows else json.dumps(value)))
    (pathlib.Path(__file__).parent / "random.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
