#!/usr/bin/env python3
"""Records the results of PyTorch's cumprod, cummax, cummin, median, nanmedian, cross, cdist, searchsorted, bucketize and interpolate
in tests/golden/functions_more.json.

    tests/golden/make_functions_more.py     with PyTorch 1.13.1 (Debian 12: python3-torch), which writes the file
    tests/golden/make_functions_more.py     then with PyTorch 2.14.1 (Debian sid), which answers every case again, stops where it differs, and
                                            adds the cases of 16 bits, which 1.13.1 does not have

A case: `op`, `inputs`, `arguments`, `outputs`, and for floating inputs `gradients` of the sum of output 0 times 1/n, 2/n, ..., n/n. A tensor:
`dtype`, `sizes`, `values`.
"""
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F

OLD = torch.__version__.startswith("1.13")
assert OLD or torch.__version__.startswith("2.14"), torch.__version__
NAN, INF = math.nan, math.inf
FILE = Path(__file__).parent / "functions_more.json"
T = torch.tensor
cases = []


def number(v):
    if isinstance(v, float) and not math.isfinite(v):
        return str(v)
    return float("%.12g" % v) if isinstance(v, float) else v


def recorded(t):
    return {"dtype": str(t.dtype)[6:], "sizes": list(t.shape), "values": [number(v) for v in t.detach().flatten().tolist()]}


def case(op, f, inputs, **arguments):
    leaves = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in inputs]
    outputs = f(*leaves, **arguments)
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
    found = {"op": op, "inputs": [recorded(t) for t in inputs], "arguments": {k: number(v) for k, v in arguments.items()},
             "outputs": [recorded(t) for t in outputs]}
    if outputs[0].requires_grad:
        y = outputs[0]
        dy = (torch.arange(1, 1 + y.numel(), dtype=y.dtype) / max(1, y.numel())).view(y.shape)
        gradients = torch.autograd.grad(y, [t for t in leaves if t.requires_grad], dy)
        found["gradients"] = [recorded(g) for g in gradients]
    cases.append(found)


def waves(*sizes, phase=0.0, dtype=torch.float64):
    n = math.prod(sizes)
    return (torch.sin(torch.arange(n, dtype=torch.float64) * 0.7 + phase) * 100).round().div(64).view(sizes).to(dtype)


def cumulative():
    one, two = waves(3, 4), waves(3, 4, phase=1)
    one[1, 2] = 0
    two[0, 1] = two[2, 1] = two[1, 0] = two[1, 3] = 0
    for x in (waves(3, 4), one, two, waves(2, 3, 2), waves(4, dtype=torch.float32)):
        for dim in range(-1, x.dim() - 1):
            case("cumprod", torch.cumprod, [x], dim=dim)
    for x in (T(2.5, dtype=torch.float64), torch.zeros(0, 3, dtype=torch.float64), torch.zeros(2, 0, dtype=torch.float64),
              T([[3, -2, 5], [2, 2, 2]]), T([3, 2], dtype=torch.int32), T([200, 2], dtype=torch.uint8), T([True, True, False])):
        case("cumprod", torch.cumprod, [x], dim=-1)
    ties = T([[1.0, 3, 3, NAN, 5, NAN], [2, 2, -INF, INF, INF, 0], [NAN, 1, 1, 0, NAN, 0]], dtype=torch.float64)
    for f in (torch.cummax, torch.cummin):
        for x in (ties, waves(3, 4), waves(2, 3, 2), T(2.5, dtype=torch.float64), torch.zeros(0, 3, dtype=torch.float64), T([[1, 3], [3, 2]]),
                  T([4, 4, 5], dtype=torch.uint8), T([-4, 4, 3], dtype=torch.int8), T([False, True, False])):
            for dim in range(-1, max(0, x.dim() - 1)):
                case(f.__name__, f, [x], dim=dim)


def medians():
    x, ties = waves(3, 4, 5), waves(3, 40).mul(2).round()
    nans = T([[1.0, NAN, 2, NAN], [3, 1, 2, 2]], dtype=torch.float64)
    whole = [x, ties, nans, nans[1], T(2.5, dtype=torch.float64), torch.zeros(0, dtype=torch.float64), T([3, 1, 2, 2]), T([5, 9, 7], dtype=torch.uint8),
             torch.zeros(0, dtype=torch.int64), waves(9, dtype=torch.float32)]
    for t in whole:
        case("median", torch.median, [t])
    for t in (x, ties, nans, ties.long(), torch.ones(2, 17), T(2.5, dtype=torch.float64), T([[3, 1], [2, 2]], dtype=torch.uint8)):
        for dim in range(-1, max(0, t.dim() - 1)):
            case("median along", torch.median, [t], dim=dim, keepdim=dim == 0)
    case("median along", torch.median, [torch.zeros(3, 0, dtype=torch.float64)], dim=0, keepdim=False)
    some = T([[NAN, 3, 1, NAN, 2], [NAN, NAN, NAN, -1, NAN], [2, NAN, 2, NAN, 2]], dtype=torch.float64)
    for t in (x, some, some[0], T([NAN] * 3, dtype=torch.float64), torch.zeros(0, dtype=torch.float64), T([3, 1, 2, 2]), some.float()):
        case("nanmedian", torch.nanmedian, [t])
        if t.dim() == 2:
            case("nanmedian along", torch.nanmedian, [t], dim=-1, keepdim=t is some)


def products():
    a, b = waves(3, 2, 3), waves(3, 2, 3, phase=2)
    case("cross", torch.cross, [a, b], dim=0)
    case("cross", torch.cross, [a, b], dim=-1)
    case("cross", torch.cross, [a[:, :1], b], dim=2)
    case("cross", torch.cross, [a, b[:1, :1]], dim=-1)
    case("cross", torch.cross, [torch.zeros(0, 3, dtype=torch.float64)] * 2, dim=1)
    case("cross", torch.cross, [T([1, 2, 3]), T([3, 2, 2])], dim=0)
    case("cross", torch.cross, [T([1, 2, 3], dtype=torch.uint8), T([3, 2, 2], dtype=torch.uint8)], dim=0)
    case("cross", torch.cross, [waves(2, 3, dtype=torch.float32), waves(2, 3, phase=1, dtype=torch.float32)], dim=1)
    case("cross of a default dim", torch.cross, [a, b])
    case("cross of a default dim", torch.cross, [waves(2, 3, 3), waves(2, 3, 3, phase=2)])


def distances():
    a, b = waves(4, 3), waves(5, 3, phase=2)
    a[1], a[2, 1] = b[3], b[0, 1]
    for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF):
        case("cdist", torch.cdist, [a, b], p=p)
    for sizes in ((2, 1, 2, 2), (1, 2, 2, 2)), ((3, 2, 2), (2, 2)), ((0, 2), (3, 2)), ((2, 2), (0, 2)), ((2, 0), (3, 0)):
        for p in (1.0, 2.0):
            case("cdist", torch.cdist, [waves(*sizes[0]), waves(*sizes[1], phase=3)], p=p)
    case("cdist", torch.cdist, [waves(26, 2), waves(2, 2, phase=40)], p=2.0)
    case("cdist", torch.cdist, [waves(2, 2, phase=40), waves(26, 2)], p=2.0)
    case("cdist", torch.cdist, [waves(26, 2), waves(2, 2, phase=40)], p=1.0)
    case("cdist", torch.cdist, [waves(3, 4, dtype=torch.float32), waves(2, 4, phase=2, dtype=torch.float32)], p=2.0)
    case("cdist", torch.cdist, [T([[3.0, 4], [3, 4]], dtype=torch.float64), T([[0.0, 0], [3, 4]], dtype=torch.float64)], p=2.0,
         compute_mode="use_mm_for_euclid_dist")
    for p in (0.0, 1.0, 2.0, INF):
        case("cdist", torch.cdist, [T([[NAN, 1.0]]), T([[1.0, 3]])], p=p)


def searches():
    five, nans = torch.arange(5.0), T([1.0, 2, 2, NAN])
    values = T([[0.0, 1.5, 9, 4], [NAN, 4, -1, INF]])
    rows = T([[1, 3, 3, 5], [2, 4, 6, 8]])
    pairs = [(five, values), (nans, values), (five, T([0, 7])), (torch.arange(5), values), (five, values.double()), (five, T(3.0)), (rows, T([[3], [7]])),
             (rows, T([[3, 0, 9], [8, 5, 6]])), (torch.zeros(0), T([1.0])), (five, torch.zeros(0)), (T([1, 2], dtype=torch.int8), T([2], dtype=torch.int8)),
             (T([1, 2], dtype=torch.uint8), T([-1, 300])), (torch.zeros(2, 0), torch.zeros(2, 3)), (T([1, 2, 4], dtype=torch.bfloat16), T([2.0, 3])),
             (T([2**53, 2**53 + 1]), T([2**53 + 1]))]
    for sequence, wanted in pairs:
        for right in (False, True):
            case("searchsorted", torch.searchsorted, [sequence, wanted], right=right)
            if sequence.dim() == 1:
                case("bucketize", torch.bucketize, [wanted, sequence], right=right, out_int32=right)
    shuffled = T([[3.0, 1, 2], [5, 6, 4]])
    for side in ("left", "right"):
        case("searchsorted with a sorter", lambda s, v, o, side: torch.searchsorted(s, v, side=side, sorter=o),
             [shuffled, T([[1.5, 3], [4, 9]]), T([[1, 2, 0], [2, 0, 1]])], side=side)


def interpolations():
    def resample(x, size=None, scale=None, mode="nearest", align=None, again=None):
        return F.interpolate(x, size, scale, mode, align, again)
    signal, image = waves(2, 3, 5), waves(2, 1, 3, 4)
    for size in ([1], [3], [5], [8]):
        case("interpolate", resample, [signal], size=size)
        for align in (False, True):
            case("interpolate", resample, [signal], size=size, mode="linear", align=align)
    for size in ([1, 1], [3, 4], [2, 7]):
        case("interpolate", resample, [image], size=size)
        for align in (False, True):
            case("interpolate", resample, [image], size=size, mode="bilinear", align=align)
    for again in (None, True, False):
        case("interpolate", resample, [signal], scale=[2.3], again=again)
        case("interpolate", resample, [signal], scale=[2.3], mode="linear", align=False, again=again)
        case("interpolate", resample, [image], scale=[1.6, 0.6], mode="bilinear", align=False, again=again)
        case("interpolate", resample, [image], scale=[1.6, 0.6], again=again)
    case("interpolate", resample, [image], scale=[2.0, 2.0], mode="bilinear", align=True)
    case("interpolate", resample, [image.float()], scale=[2.0, 3.0], mode="bilinear", align=False)
    case("interpolate", resample, [T([[[1, 200, 3]]], dtype=torch.uint8)], size=[5])
    case("interpolate", resample, [T([[[[INF, 1.0, 2.0]]]])], size=[2, 4])
    case("interpolate", resample, [torch.zeros(0, 1, 2, dtype=torch.float64)], size=[3])
    case("nearest sources", lambda *x: torch.cat([F.interpolate(v, size) for v in x for size in range(1, 30)], -1),
         [torch.arange(n, dtype=torch.float32).view(1, 1, n) for n in (7, 23)])


def of_16_bits():
    for dtype in (torch.float16, torch.bfloat16):
        x = waves(2, 6, dtype=dtype)
        case("cumprod", torch.cumprod, [x], dim=1)
        case("cummax", torch.cummax, [x], dim=1)
        case("median", torch.median, [x])
        case("median along", torch.median, [x], dim=1, keepdim=False)
        case("nanmedian", torch.nanmedian, [x])
        case("cross", torch.cross, [x.view(4, 3), waves(4, 3, phase=1, dtype=dtype)], dim=1)


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * max(1, abs(a))
    return a == b


for make in (cumulative, medians, products, distances, searches, interpolations):
    make()
if not OLD:
    before = [c for c in json.loads(FILE.read_text()) if not c.get("since")]
    assert len(before) == len(cases), (len(before), len(cases))
    for a, b in zip(before, cases):
        assert same(a, json.loads(json.dumps(b))), (a, b)
    cases = []
    of_16_bits()
    cases = before + [dict(c, since="2") for c in cases]
FILE.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
print(len(cases), "cases")
