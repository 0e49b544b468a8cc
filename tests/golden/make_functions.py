"""What PyTorch answers for small functions that programs written for LibTorch call. Run it from the root of the repository
with PyTorch 1.13.1 first, which writes functions.json, and then with 2.14.1, which adds the answers that differ there."""
import json
from pathlib import Path

import torch
import torch.nn.functional as F

PATH = Path(__file__).parent / "functions.json"
POINTS = [0.0, -0.0, 0.25, -0.75, 1.0, -1.0, 1.5, -2.5, float("inf"), float("-inf"), float("nan")]
UNARY = ["asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "frac"]
ALIASES = ["arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]
TYPES = ["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
LOSSES = {"mse_loss": F.mse_loss, "l1_loss": F.l1_loss, "smooth_l1_loss": F.smooth_l1_loss, "huber_loss": F.huber_loss,
          "soft_margin_loss": F.soft_margin_loss, "kl_div": F.kl_div,
          "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits}


def steps(*sizes, start=0):
    """Numbers from -1.25 to 1.25 in an uneven order, in double precision."""
    n = torch.Size(sizes).numel()
    return ((torch.arange(n, dtype=torch.float64) * 7 + start) % 11 - 5).div(4).reshape(sizes)


def plain(numbers):
    return [str(v) if isinstance(v, float) and (v != v or abs(v) == float("inf")) else v for v in numbers]


def row(name, op, *inputs, leaves=True):
    """The result and, for the weights 0.5, 1, 1.5, 0.5, ... of its elements, the gradients of the inputs; or the error."""
    try:
        given = [x.detach().clone().requires_grad_(leaves) for x in inputs]
        y = op(*given)
        found = {"name": name, "type": str(y.dtype)[6:], "sizes": list(y.shape), "values": plain(y.detach().flatten().tolist())}
        if leaves:
            weights = (torch.arange(y.numel()) % 3 + 1).div(2).to(y.dtype).reshape(y.shape)
            gradients = torch.autograd.grad((y * weights).sum(), given, allow_unused=True)
            found["gradients"] = [plain(g.flatten().tolist()) for g in gradients]
        return found
    except (RuntimeError, IndexError) as e:
        return {"name": name, "error": str(e).split("\n")[0]}


def rows():
    points = torch.tensor(POINTS, dtype=torch.float64)
    found = [row(name, getattr(torch, name), points) for name in UNARY]
    found += [row(name, getattr(torch, name), steps(5).abs() / 2) for name in ALIASES]
    many = torch.cartesian_prod(points, points)
    found += [row("atan2", torch.atan2, many[:, 0], many[:, 1]),
              row("atan2 broadcast", torch.atan2, steps(2, 1), steps(3, start=4)),
              row("atan2 sizes", torch.atan2, steps(2), steps(3))]
    for k in (-3, -2, -1, 0, 1, 2, 3, 4):
        found += [row(f"diag {k}", lambda x: x.diag(k), steps(2, 3)), row(f"diag of vector {k}", lambda x: x.diag(k), steps(2)),
                  row(f"diag of nothing {k}", lambda x: x.diag(k), steps(0))]
    found += [row("diag of 0 dims", torch.diag, steps()), row("diag of 3 dims", torch.diag, steps(1, 2, 3)),
              row("trace", torch.trace, steps(3, 2)), row("trace of nothing", torch.trace, steps(0, 3)),
              row("trace of a vector", torch.trace, steps(3)),
              row("clip", lambda x: x.clip(-0.5, 0.75), steps(2, 5)), row("clip min", lambda x: x.clip(-0.5), steps(2, 5)),
              row("clip max", lambda x: x.clip(max=0.75), steps(2, 5)),
              row("clip tensors", torch.clip, steps(2, 5), steps(5, start=3) - 0.625, steps(5, start=5) + 0.625),
              row("clip without bounds", torch.clip, steps(2)),
              row("stacked broadcast_tensors", lambda x, y, z: torch.stack(torch.broadcast_tensors(x, y, z)),
                  steps(2, 1), steps(3, start=4), steps()),
              row("broadcast_tensors sizes", lambda x, y: torch.broadcast_tensors(x, y)[0], steps(2), steps(3))]
    for dims in ([], [2], [2, 3], [2, 1, 3], [0, 2], [-1]):
        found.append(row(f"tile {dims}", lambda x: x.tile(dims), steps(2, 2)))
    found.append(row("tile of a number", lambda x: x.tile([2, 1]), steps()))
    counted = torch.tensor([[0.0, -0.0, 2.0], [float("nan"), 1.0, 0.0]], dtype=torch.float64)
    for dims in ([], [0], [1], [-1], [0, 1], [0, 0], [2]):
        found.append(row(f"count_nonzero {dims}", lambda x: x.count_nonzero(dims), counted, leaves=False))
    found.append(row("count_nonzero of nothing", lambda x: x.count_nonzero([0]), steps(0, 3), leaves=False))
    for dtype in TYPES:
        x = torch.tensor([[1, 0, 1], [0, 1, 1]]).to(getattr(torch, dtype))
        ops = {"atan": torch.atan, "atan_": lambda x: x.atan_(), "frac": torch.frac, "frac_": lambda x: x.frac_(),
               "atan2": lambda x: torch.atan2(x, x), "atan2_": lambda x: x.atan2_(x.clone()), "trace": torch.trace,
               "diag": torch.diag, "diag of vector": lambda x: x[0].diag(), "clip": lambda x: x.clip(0, 1),
               "tile": lambda x: x.tile([2]), "count_nonzero": torch.count_nonzero}
        found += [row(f"{name} of {dtype}", op, x, leaves=False) for name, op in ops.items()]
    for name, loss in LOSSES.items():
        for reduction in ("none", "mean", "sum"):
            found.append(row(f"{name} {reduction}", lambda x: loss(x, steps(3, start=4).abs(), reduction=reduction), steps(3)))
    return found


def same(a, b):
    """Whether two rows differ by rounding at most."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(p, q) for p, q in zip(a, b))
    return a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-6 * max(abs(a), abs(b)))


def main():
    found = rows()
    if torch.__version__.startswith("1."):
        answers = {"1.13.1": found}
    else:
        answers = json.loads(PATH.read_text())
        answers["2.14.1"] = [b for a, b in zip(answers["1.13.1"], found) if not same(a, b)]
    parts = [f"{json.dumps(version)}: [\n" + ",\n".join(map(json.dumps, part)) + "]" for version, part in answers.items()]
    PATH.write_text("{" + ",\n".join(parts) + "}\n")


main()
