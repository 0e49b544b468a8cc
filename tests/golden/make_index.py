"""Records what PyTorch 1.13.1 makes of x[index] and x[index] = value, with gradients, in index.json.

Run with Debian's python3-torch: python3 tests/golden/make_index.py
Each case: `x` (sizes; its values are 0, 1, 2, ... in float64, times 2 to make it a result), `dims` (a permutation that x is seen through),
`index` (entries: an integer, true/false, null, "...", {"slice": [start, stop, step]}, {"ids": sizes, "values"}, {"mask": sizes, "values"}),
for assignments `value` (a number, or {"sizes", "values"}); then `error` (type and first line), or `sizes`, `values`, `grad_fn` and, for the
gradient 1, 2, 3, ... of the result, `dx` and `dvalue`.
"""
import json
import os
import random
import warnings

import torch

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
    """The entries as PyTorch takes them and as they are recorded."""
    common = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    taken, recorded, dim = [], [], 0
    ellipsis = False
    kinds = ["int", "slice", "none", "..."] + ([] if random.random() < 0.3 else ["ids"] * 3 + ["mask", "bool"])
    for _ in range(random.randint(1, len(sizes) + 1)):
        kind = random.choice(kinds)
        size = sizes[min(dim, len(sizes) - 1)]
        if kind == "int":
            i = random.randint(-size, size - 1) if random.random() < 0.95 else size
            taken.append(i), recorded.append(i)
        elif kind == "slice":
            parts = [random.choice([None, random.randint(-size - 1, size + 1)]) for _ in range(2)] + [random.choice([None, 1, 2])]
            taken.append(slice(*parts)), recorded.append({"slice": parts})
        elif kind == "none":
            taken.append(None), recorded.append(None)
        elif kind == "bool":
            b = random.random() < 0.7
            taken.append(b), recorded.append(b)
        elif kind == "..." and not ellipsis:
            ellipsis = True
            taken.append(Ellipsis), recorded.append("...")
        elif kind in ("ids", "mask"):
            left = sizes[dim:] or [2]
            t = random_ids(size, common) if kind == "ids" else random_mask(left[:random.choice([1, 1, 2])])
            taken.append(t), recorded.append({kind: list(t.shape), "values": t.long().flatten().tolist()})
            dim += t.dim() - 1 if kind == "mask" else 0
        dim += kind in ("int", "slice", "ids", "mask")
    return taken, recorded


def flat(t):
    return [int(v) for v in t.detach().contiguous().flatten().tolist()]


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


def record(assign):
    sizes = [random.randint(1, 3) for _ in range(random.randint(1, 4))]
    dims = list(range(len(sizes)))
    if random.random() < 0.4:
        random.shuffle(dims)
    leaf = torch.arange(torch.Size(sizes).numel(), dtype=torch.float64).view(sizes).requires_grad_()
    x = (leaf * 2).permute(dims) if not assign else (leaf * 2).permute(dims).clone()
    taken, recorded = random_index(list(x.shape))
    index = taken[0] if len(taken) == 1 else tuple(taken)
    case = {"x": sizes, "dims": dims, "index": recorded}
    leaves = [leaf]
    try:
        if assign:
            value = case["value"] = 7
            result_sizes = sizes_of(x, index)
            if random.random() < 0.75:
                value = random_value(result_sizes).requires_grad_()
                case["value"] = {"sizes": list(value.shape), "values": flat(value)}
                leaves.append(value)
            x[index] = value
        y = x if assign else x[index]
    except (RuntimeError, IndexError) as e:
        return dict(case, error=[type(e).__name__, str(e).split("\n")[0]])
    dy = torch.arange(1, 1 + y.numel(), dtype=torch.float64).view(y.shape)
    gradients = torch.autograd.grad(y, leaves, dy, allow_unused=True)
    case.update(sizes=list(y.shape), values=flat(y), grad_fn=type(y.grad_fn).__name__)
    case["dx"] = [0] * leaf.numel() if gradients[0] is None else flat(gradients[0])
    if len(leaves) > 1:
        case["dvalue"] = [0] * leaves[1].numel() if gradients[1] is None else flat(gradients[1])
    return case


cases = []
while len(cases) < 400:
    case = record(assign=len(cases) % 2 == 1)
    if "error" in case and sum("error" in c for c in cases) > 50:
        continue
    cases.append(case)
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.json")
with open(path, "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in c for c in cases), "of them refused")
