"""Records the results of x[index] and x[index] = value in PyTorch, with gradients, for the cases of index.json.

    python3 tests/golden/make_index.py           answers of the PyTorch at hand, 1.13.1 or 2.14.1 (see versions.py)
    python3 tests/golden/make_index.py --draw    other cases, with 1.13.1

Each case: `x` (sizes; its values are 0, 1, 2, ... in float64, times 2 to make it a result), `dims` (a permutation that x is seen through),
`index` (entries: an integer, true/false, null, "...", {"slice": [start, stop, step]}, {"ids": sizes, "values"}, {"mask": sizes, "values"}),
for assignments `value` (a number, or {"sizes", "values"}); then `error` (type and first line), or `sizes`, `values`, `grad_fn` and, for the
gradient 1, 2, 3, ... of the result, `dx` and `dvalue`.
"""
import json
import os
import random
import sys
import warnings

import torch

from versions import with_answer

warnings.filterwarnings("ignore")
random.seed(7)
torch.manual_seed(7)


def random_ids(size, common):
    sizes = [1 if random.random() < 0.2 else n for n in common[random.choice([0, 0, len(common)]):]]
    if random.random() < 0.04:
        sizes = sizes + [4]
    ids = torch.randint(-size, size, sizes)
    if ids.numel() and random.random() < 0.05:
        ids.view(-1)[-1] = size
    return ids


def random_mask(sizes):
    if random.random() < 0.06:
        sizes = [sizes[0] + 1] + sizes[1:]
    return torch.rand(sizes) > 0.4


def random_index(sizes):
    """The entries as they are recorded."""
    common = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    recorded, dim = [], 0
    ellipsis = False
    kinds = ["int", "slice", "none", "..."] + ([] if random.random() < 0.3 else ["ids"] * 3 + ["mask", "bool"])
    for _ in range(random.randint(1, len(sizes) + 1)):
        kind = random.choice(kinds)
        size = sizes[min(dim, len(sizes) - 1)]
        if kind == "int":
            i = random.randint(-size, size - 1) if random.random() < 0.95 else size
            recorded.append(i)
        elif kind == "slice":
            parts = [random.choice([None, random.randint(-size - 1, size + 1)]) for _ in range(2)] + [random.choice([None, 1, 2])]
            recorded.append({"slice": parts})
        elif kind == "none":
            recorded.append(None)
        elif kind == "bool":
            b = random.random() < 0.7
            recorded.append(b)
        elif kind == "..." and not ellipsis:
            ellipsis = True
            recorded.append("...")
        elif kind in ("ids", "mask"):
            left = sizes[dim:] or [2]
            t = random_ids(size, common) if kind == "ids" else random_mask(left[:random.choice([1, 1, 2])])
            recorded.append({kind: list(t.shape), "values": t.long().flatten().tolist()})
            dim += t.dim() - 1 if kind == "mask" else 0
        dim += kind in ("int", "slice", "ids", "mask")
    return recorded


def flat(t):
    return [int(v) for v in t.detach().contiguous().flatten().tolist()]


def entry(recorded):
    if recorded is None or isinstance(recorded, (bool, int)):
        return recorded
    if recorded == "...":
        return Ellipsis
    if "slice" in recorded:
        return slice(*recorded["slice"])
    dtype = torch.int64 if "ids" in recorded else torch.bool
    return torch.tensor(recorded["values"], dtype=dtype).reshape(recorded.get("ids", recorded.get("mask")))


def operands(case):
    leaf = torch.arange(torch.Size(case["x"]).numel(), dtype=torch.float64).view(case["x"]).requires_grad_()
    entries = tuple(entry(e) for e in case["index"])
    return leaf, (leaf * 2).permute(case["dims"]), entries[0] if len(entries) == 1 else entries


def answer(case):
    leaf, x, index = operands(case)
    leaves = [leaf]
    try:
        if "value" in case:
            x, value = x.clone(), case["value"]
            if isinstance(value, dict):
                value = torch.tensor(value["values"], dtype=torch.float64).reshape(value["sizes"]).requires_grad_()
                leaves.append(value)
            x[index] = value
        y = x if "value" in case else x[index]
    except (RuntimeError, IndexError) as e:
        return {"error": [type(e).__name__, str(e).split("\n")[0]]}
    dy = torch.arange(1, 1 + y.numel(), dtype=torch.float64).view(y.shape)
    gradients = torch.autograd.grad(y, leaves, dy, allow_unused=True)
    found = {"sizes": list(y.shape), "values": flat(y), "grad_fn": type(y.grad_fn).__name__}
    for name, t, g in zip(("dx", "dvalue"), leaves, gradients):
        found[name] = [0] * t.numel() if g is None else flat(g)
    return found


def random_value(result_sizes):
    sizes = [1 if random.random() < 0.25 else n for n in result_sizes[random.choice([0, 0, len(result_sizes) // 2]):]]
    if random.random() < 0.1:
        sizes = [1] + sizes
    if random.random() < 0.05:
        sizes = sizes + [3]
    return -torch.arange(1, 1 + torch.Size(sizes).numel(), dtype=torch.float64).view(sizes)


def sizes_of(x, index):
    try:
        return list(x.detach()[index].shape)
    except IndexError:
        return [2]


def draw(assign):
    sizes = [random.randint(1, 3) for _ in range(random.randint(1, 4))]
    dims = list(range(len(sizes)))
    if random.random() < 0.4:
        random.shuffle(dims)
    case = {"x": sizes, "dims": dims, "index": random_index([sizes[d] for d in dims])}
    if assign:
        case["value"] = 7
        _, x, index = operands(case)
        result_sizes = sizes_of(x, index)
        if random.random() < 0.75:
            value = random_value(result_sizes)
            case["value"] = {"sizes": list(value.shape), "values": flat(value)}
    return case


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.json")
cases = []
if "--draw" in sys.argv:
    while len(cases) < 400:
        case = draw(assign=len(cases) % 2 == 1)
        case.update(answer(case))
        if "error" not in case or sum("error" in c for c in cases) <= 50:
            cases.append(case)
else:
    with open(path) as before:
        for case in json.load(before):
            found = answer(case)
            fields = ("error", "sizes", "values", "grad_fn", "dx", "dvalue")
            cases.append(with_answer(case, {f: found.get(f) for f in fields if f in case or f in found}))
with open(path, "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases,", sum(c.get("error") is not None for c in cases), "of them refused")
