"""Records the results of einops for patterns and tensors of PyTorch 1.13.1, in einops.json.

Run with Debian's python3-torch and a checkout of github.com/arogozhnikov/einops:
    PYTHONPATH=the/checkout python3 tests/golden/make_einops.py
The patterns are those with which einops' own tests call it, recorded while the tests run, and some more. Each case: `op`, `pattern`, `sizes`
(of a tensor, or of those in a list), `axes` (pairs of a name and a length), `reduction`, `dtype`; then `error` (its text), or `shape`, `strides`,
`view` (whether the result shares the memory of the tensor), `result` (the dtype) and `check`, the sum of v[i] * (i % 97 + 1) over the elements.
parse_shape has `lengths` instead. A tensor holds 0, 1, 2, ... or, for "prod", (i % 7 + 1) / 4; tensor k of a list has 1000 k added.
"""
import json
import os
import sys
import types

os.environ["EINOPS_TEST_BACKENDS"] = "numpy,torch"


class Raises:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is not None


class Mark:
    def __getattr__(self, name):
        return lambda *a, **k: (lambda f: f)


try:
    import pytest
except ImportError:
    pytest = types.ModuleType("pytest")
    pytest.raises, pytest.mark = lambda *kinds, **k: Raises(*kinds), Mark()
    pytest.param = lambda *a, **k: a
    pytest.skip = lambda *a, **k: None
    sys.modules["pytest"] = pytest

import torch  # noqa: E402

import einops  # noqa: E402
from einops.tests import test_examples, test_ops, test_other  # noqa: E402

heard = {}


def tensor(sizes, reduction, dtype="float64", k=0):
    x = torch.arange(torch.Size(sizes).numel(), dtype=torch.float64).view(sizes) + 1000 * k
    x = (x % 7 + 1) / 4 if reduction == "prod" else x
    return x.to(getattr(torch, dtype))


def record(op, pattern, sizes, axes=(), reduction=None, dtype="float64"):
    case = {"op": op, "pattern": pattern, "sizes": sizes, "axes": [list(a) for a in axes], "reduction": reduction, "dtype": dtype}
    is_list = bool(sizes) and isinstance(sizes[0], list)
    x = [tensor(s, reduction, dtype, k) for k, s in enumerate(sizes)] if is_list else tensor(sizes, reduction, dtype)
    try:
        if op == "parse_shape":
            return dict(case, lengths=[list(a) for a in einops.parse_shape(x, pattern).items()])
        arguments = (x, pattern) + ((reduction,) if op == "reduce" else ())
        y = getattr(einops, op)(*arguments, **dict(axes))
    except Exception as e:
        return dict(case, error=str(e))
    flat = y.to(torch.float64).flatten()
    weights = torch.arange(flat.numel(), dtype=torch.float64) % 97 + 1
    view = not is_list and y.storage().data_ptr() == x.storage().data_ptr()
    return dict(case, shape=list(y.shape), strides=list(y.stride()), view=view, result=str(y.dtype).split(".")[1], check=(flat * weights).sum().item())


def listen(op):
    real = getattr(einops, op)

    def spy(x, pattern, *more, **axes):
        reduction = axes.pop("reduction", more[0] if more else None)
        lengths = {k: int(v) for k, v in axes.items() if isinstance(v, int) or hasattr(v, "__index__")}
        try:
            sizes = [[int(n) for n in t.shape] for t in x] if isinstance(x, (list, tuple)) else [int(n) for n in x.shape]
            if len(lengths) == len(axes) and not callable(reduction):
                heard[json.dumps([op, pattern, sizes, list(lengths.items()), reduction])] = None
        except (TypeError, AttributeError):
            pass
        return real(x, pattern, **axes) if op != "reduce" else real(x, pattern, reduction, **axes)

    for module in (test_examples, test_ops, test_other):
        if hasattr(module, op):
            setattr(module, op, spy)


for op in ("rearrange", "reduce", "repeat", "parse_shape"):
    listen(op)
for module in (test_ops, test_examples, test_other):
    for name, test in list(vars(module).items()):
        if name.startswith("test_") and callable(test) and not any(w in name for w in ("doctest", "compile", "symbolic", "installed", "threading")):
            try:
                test()
            except Exception as e:
                print("not all of", name, "-", type(e).__name__, str(e)[:80])


def fits(op, pattern, sizes, axes, reduction):
    """Etude's tensors have at most 8 dims."""
    names = max(len(side.replace("(", " ").replace(")", " ").split()) for side in pattern.split("->"))
    flat = sizes[0] if sizes and isinstance(sizes[0], list) else sizes
    return max(len(flat) + (1 if flat is not sizes else 0), names) <= 8 and torch.Size(flat).numel() <= 20000 and "x7" not in pattern


cases = [record(*c) for c in (json.loads(h) for h in heard) if fits(*c)]
from_tests = len(cases)
AB = [2, 3]
MORE = [
    ("rearrange", "a b -> b a c", AB), ("rearrange", "a b", AB), ("rearrange", "a -> b -> c", AB), ("rearrange", "a b -> b a", AB, [("_a", 2)]),
    ("rearrange", "a b -> b a", AB, [("c", 2)]), ("rearrange", "a b -> b a", AB, [("a", 3)]), ("rearrange", "(a b) c -> a b c", AB),
    ("rearrange", "(a b) c -> a b c", AB, [("a", 4)]), ("rearrange", "(a b) c -> a b c", AB, [("b", 2)]), ("rearrange", "a a -> a", AB),
    ("rearrange", "a b -> a a b", AB), ("rearrange", "a (b -> a b", AB), ("rearrange", "a b) -> a b", AB), ("rearrange", "((a) b) -> a b", AB),
    ("rearrange", "a b -> a ..", AB), ("rearrange", "a ... ... -> a", AB), ("rearrange", "a ...b -> a", AB), ("rearrange", "a b -> a ...", AB),
    ("rearrange", "a (...) -> a ...", AB), ("rearrange", "a b_ -> a b_", AB), ("rearrange", "a _ -> a _", AB), ("rearrange", "a 1b -> a 1b", AB),
    ("rearrange", "a b -> a 2 b", AB), ("rearrange", "a b -> a-b", AB), ("rearrange", "a b c -> a b c", AB), ("rearrange", "a b c ... -> a b c ...", AB),
    ("rearrange", "a () -> a", AB), ("rearrange", "a 1 -> a", [2, 1]), ("rearrange", "a b -> 1 b () a", AB), ("rearrange", "->", []),
    ("rearrange", "-> 1", []), ("rearrange", "(a 1 b) -> (b 1 a)", [6], [("a", 2)]), ("rearrange", "a 0 -> a", AB), ("rearrange", "a b -> a 0", AB),
    ("rearrange", "(a b) c -> c a b", [0, 3], [("a", 2)]), ("rearrange", "a ... -> ... a", [2]), ("rearrange", "... a -> ...", AB),
    ("rearrange", "a b -> (b a)", AB), ("rearrange", "(a b) -> b a", [6], [("a", 2)]), ("rearrange", "n a b -> a (n b)", [AB, AB]),
    ("rearrange", "n ... -> (...) n", [AB, AB, AB]), ("rearrange", "a1 b_2 -> b_2 a1", AB),
    ("reduce", "a b -> a", AB, [], "median"), ("reduce", "a b -> c", AB, [], "max"), ("reduce", "a b -> a 2", AB, [], "max"),
    ("reduce", "(a 2) b -> b", [4, 3], [], "sum"), ("reduce", "(a 3) b -> b", [4, 3], [], "sum"), ("reduce", "a 2 -> a", AB, [], "sum"),
    ("reduce", "a b -> 1 b", AB, [], "mean"), ("reduce", "a b -> () ()", AB, [], "prod"), ("reduce", "a b -> b a", AB, [], "sum"),
    ("reduce", "... ->", [2, 3, 2], [], "max"), ("reduce", "b (h 2) (w 2) -> b h w", [2, 4, 4], [], "max"), ("reduce", "a b -> b", AB, [("a", 5)], "min"),
    ("reduce", "a b -> b a", AB, [], "rearrange"),
    ("repeat", "a b -> a b c 2", AB), ("repeat", "a b -> a b c", AB, [("c", 4)]), ("repeat", "a b -> a", AB), ("repeat", "a b -> (a 2) (3 b)", AB),
    ("repeat", "-> a", [], [("a", 3)]), ("repeat", "a b -> a 1 b", AB), ("repeat", "a 2 -> a", AB), ("repeat", "... -> 2 ...", AB),
    ("repeat", "a b -> a b 0", AB), ("repeat", "a b -> c b a", AB, [("c", 0)]), ("repeat", "a b -> (a c) b", AB, [("c", 2), ("a", 2)]),
    ("parse_shape", "a (b c)", AB), ("parse_shape", "a b c", AB), ("parse_shape", "a b c ...", AB), ("parse_shape", "a 1", AB), ("parse_shape", "a 2", AB),
    ("parse_shape", "2 _", AB), ("parse_shape", "_ ... _", [2, 3, 4]), ("parse_shape", "a ...", AB), ("parse_shape", "... a b", AB), ("parse_shape", "a a", AB),
    ("parse_shape", "(a) b", AB), ("parse_shape", "a_ b", AB),
]
cases += [record(*c) for c in MORE]
cases += [record("reduce", "a b -> b", AB, [], r, d) for r in ("min", "max", "sum", "mean", "prod", "any", "all")
          for d in ("int64", "uint8", "bool", "float32") if not (r in ("any", "all") and d == "uint8")]
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "einops.json")
with open(path, "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases,", from_tests, "of them from einops' tests,", sum("error" in c for c in cases), "refused")
