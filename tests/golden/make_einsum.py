"""Records the results of PyTorch 1.13.1's einsum for equations, with gradients, in einsum.json.

Run with Debian's python3-torch: python3 tests/golden/make_einsum.py
Each case: `equation`, `sizes` of each operand, `dtype`, `path` (or null); then `error` (its first line), or `shape`, `strides`, `result`
(the dtype), `values`, `grad_fn` and, for the gradient 1, 2, 3, ... of the result, `gradients`, one list for each operand.
Operand k holds the numbers (7 i + 3 k) mod 5 - 1: all sums are whole and exact in any order.
"""
import json
import os
import random
import string

import torch

random.seed(11)
here = os.path.dirname(os.path.abspath(__file__))


def operand(k, sizes, dtype):
    count = torch.Size(sizes).numel()
    return ((torch.arange(count) * 7 + 3 * k) % 5 - 1).to(dtype).view(sizes)


def flat(t):
    return [int(v) for v in t.detach().contiguous().flatten().tolist()]


def record(equation, sizes, dtype="float64", path=None):
    case = {"equation": equation, "sizes": sizes, "dtype": dtype, "path": path}
    leaves = [operand(k, s, getattr(torch, dtype)) for k, s in enumerate(sizes)]
    differentiable = dtype == "float64"
    if differentiable:
        leaves = [t.requires_grad_() for t in leaves]
    try:
        y = torch._VF.einsum(equation, leaves, path=path)
    except (RuntimeError, IndexError) as e:
        return dict(case, error=str(e).split("\n")[0])
    case.update(shape=list(y.shape), strides=list(y.stride()), result=str(y.dtype).split(".")[1], values=flat(y))
    if differentiable:
        dy = torch.arange(1, 1 + y.numel(), dtype=torch.float64).view(y.shape)
        case["grad_fn"] = y.grad_fn.name()
        case["gradients"] = [flat(g) for g in torch.autograd.grad(y, leaves, dy)]
    return case


def random_case():
    letters = random.sample(string.ascii_letters, random.randint(1, 5))
    lengths = {s: random.choice([1, 2, 2, 3, 3, 4]) for s in letters}
    dots = [random.choice([1, 2, 3]) for _ in range(random.choice([0, 0, 1, 2]))]
    inputs, sizes = [], []
    for _ in range(random.choice([1, 2, 2, 2, 3, 3, 4])):
        own = [random.choice(letters) for _ in range(random.randint(0, 3))]
        own_sizes = [lengths[s] if random.random() < 0.93 else 1 for s in own]
        for i, s in enumerate(own):
            own_sizes[i] = own_sizes[own.index(s)] if random.random() < 0.98 else own_sizes[i]
        own = [s + " " * (random.random() < 0.1) for s in own]
        if dots and random.random() < 0.7:
            at = random.randint(0, len(own))
            covered = dots[random.randint(0, len(dots)):] if random.random() < 0.5 else dots
            own.insert(at, "...")
            own_sizes[at:at] = [n if random.random() < 0.85 else random.choice([1, 1, 4]) for n in covered]
        inputs.append("".join(own)), sizes.append(own_sizes)
    equation = ",".join(inputs)
    if random.random() < 0.75:
        present = sorted({c for c in equation if c.isalpha()})
        output = random.sample(present, random.randint(0, min(len(present), 4)))
        if "..." in equation and random.random() < 0.8:
            output.insert(random.randint(0, len(output)), "...")
        equation += random.choice(["->", " -> "]) + "".join(output)
    return equation, sizes


def fits(case):
    """Etude's tensors have at most 8 dims."""
    return "error" in case or len(case["values"]) <= 96


REFUSED = [
    ("a,b", [[1]]), ("a", [[1], [1]]), ("ab", [[1]]), ("a", [[1, 1]]), ("a..", [[1]]), (".a", [[1]]), ("...a...", [[1, 1]]), ("a,", [[1]]),
    ("a->b", [[1]]), ("a->aa", [[1]]), ("a->a->a", [[1]]), ("a-", [[1]]), ("a>", [[1]]), ("a->a,", [[1]]), ("1a", [[1]]), ("a->1", [[1]]),
    ("a->..a", [[1]]), ("a->...a...", [[1]]), ("a- >a", [[1]]), (". ..a", [[2, 2]]), ("a,a", [[2], [3]]), ("aa", [[2, 3]]),
    ("...a,...a", [[2, 3], [3, 3]]), ("a_b", [[2, 2]]), ("\ta", [[2]]), ("...a", [[]]), ("ab...", [[1]]), ("aa->a", [[1, 3]]), ("a->bb", [[2]]),
    ("a->b1", [[2]]), ("a->aa1", [[2]]), ("a->ab", [[2, 2]]), ("a,a->b", [[2], [3]]), ("a,b1->b", [[2]]), ("a->..", [[2]]), ("....", [[2]]),
    ("...,...", [[2, 3], [4]]), ("...,...,...", [[1, 3], [4, 3], [5, 3]]), ("a,a,a", [[1], [4], [5]]), ("->a", [[]]), ("aab", [[2, 3, 2]]),
]
TAKEN = [
    ("bij,bjk->bik", [[2, 3, 4], [2, 4, 5]]), ("ij,jk", [[3, 4], [4, 5]]), ("i,i", [[3], [3]]), ("i,j->ij", [[3], [4]]), ("ij->ji", [[3, 4]]),
    ("ij->", [[3, 4]]), ("ii->i", [[3, 3]]), ("ii", [[3, 3]]), ("iij->ji", [[2, 2, 3]]), ("abab->ba", [[2, 3, 2, 3]]), ("aaa->a", [[2, 2, 2]]),
    ("bhid,bhjd->bhij", [[2, 2, 3, 4], [2, 2, 5, 4]]), ("bhij,bhjd->bihd", [[2, 2, 3, 4], [2, 2, 4, 3]]), ("i->i", [[3]]), ("->", [[]]), ("", [[]]),
    (",", [[], []]), ("i,->i", [[2], []]), ("a,,b", [[2], [], [3]]), ("ij,ij->", [[3, 4], [3, 4]]), ("ij,jk,kl->il", [[3, 4], [4, 5], [5, 2]]),
    ("bn,anm,bm->ba", [[2, 5], [3, 5, 4], [2, 4]]), ("...ij,...jk->...ik", [[2, 3, 4], [4, 5]]), ("ij,jk->ki", [[3, 4], [4, 5]]), ("aB", [[2, 3]]),
    ("bA,aB", [[2, 3], [4, 5]]), ("a...->a", [[2, 3]]), ("a->...", [[2]]), ("...a->a...", [[2, 3, 4]]), ("ab,b->a", [[2, 1], [3]]),
    ("a,a->a", [[1], [3]]), ("ab,bc->ac", [[2, 0], [0, 3]]), ("a->", [[0]]), ("a,a", [[0], [1]]), ("ab,bc->ac", [[2, 1], [1, 3]]),
    ("ab,bc->ac", [[1, 2], [2, 1]]), ("abcd,cdef->abef", [[2, 1, 2, 2], [2, 2, 1, 3]]), ("a,b,c,d->dcba", [[2], [2], [3], [2]]),
]
PATHS = [[0, 1, 0, 1], [1, 2, 0, 1], [2, 1, 1, 0], [0, 1], [0, 1, 0, 1, 0, 1], [0, 0, 0, 1], [0, 3, 0, 1], [-1, 0, 0, 1], [], [0, 2, 1, 1]]

cases = [record(*c) for c in TAKEN + REFUSED]
cases += [record("ij,jk,kl->il", [[3, 4], [4, 5], [5, 2]], path=p) for p in PATHS]
cases += [record("ij->j", [[2, 3]], path=p) for p in ([0], [7], [], [0, 1])]
cases += [record(e, s, d) for d in ("int32", "uint8", "int64", "bool", "float32", "bfloat16")
          for e, s in (("ij->ji", [[2, 3]]), ("ij->i", [[2, 1]]), ("ij,jk", [[2, 3], [3, 2]]), ("i,i->i", [[2], [2]]), ("i,i", [[2], [2]]),
                       ("ij,jk", [[2, 1], [1, 3]]), ("i,i->", [[1], [1]]), ("ij,k->ik", [[2, 3], [3]]), ("ij,jk->k", [[2, 3], [3, 2]]),
                       ("ij,jk->k", [[1, 3], [3, 2]]), ("i,j,k->", [[2], [3], [2]]), ("ij,jk,kl->il", [[2, 3], [3, 2], [2, 2]]))]
while len(cases) < 320:
    case = record(*random_case())
    refused = sum("error" in c for c in cases)
    if fits(case) and not ("error" in case and refused > 130):
        cases.append(case)
with open(os.path.join(here, "einsum.json"), "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in c for c in cases), "of them refused")
